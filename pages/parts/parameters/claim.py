"""Whether the number of heads cancels out, and why: read off the totals, not assumed."""

from __future__ import annotations

import streamlit as st

from pages.parts.parameters.layer import Layer


def say(layer: Layer, *, hidden: bool) -> None:
    """The one sentence of the picture."""
    config, total = layer.config, layer.count.total
    C, d_head = config.d_model, layer.head_size
    if hidden:
        text = f"**{total:,} parameters** with {_heads(config.n_heads)}. And with another number?"
    elif len(layer.totals) == 1:
        text = f"**{total:,} parameters.** No other number of heads is possible here."
    elif len(set(layer.totals.values())) == 1:
        text = (
            f"**{total:,} parameters, whatever the number of heads.** More heads are smaller "
            f"heads, h × d_head = {C:,}; what grows are the softmaxes."
        )
    elif layer.d_head:
        kept = "; the shared W_K and W_V stay" if layer.is_grouped else ""
        text = (
            f"**Here the heads do not cancel out.** Every head brings {d_head:,} numbers of its "
            f"own, whatever the width: more heads are more parameters{kept}."
        )
    else:
        text = (
            f"**Here the heads do not cancel out.** With {config.n_kv_heads:,} key/value "
            f"{'heads' if config.n_kv_heads > 1 else 'head'} for any number of heads, W_K and W_V "
            "shrink as d_head does. W_Q and W_O stay."
        )
    st.markdown(text.replace("_", r"\_"))


def _heads(h: int) -> str:
    return f"{h:,} {'head' if h == 1 else 'heads'}"
