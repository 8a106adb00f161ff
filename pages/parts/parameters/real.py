"""The same count by PyTorch: every parameter of its own modules, added up."""

from __future__ import annotations

import streamlit as st

from mha.census import count_modules
from mha.config import AttentionConfig
from pages.parts.code import show_source
from pages.parts.parameters.layer import Layer


def show(layer: Layer) -> None:
    """Formula, the fused module and `nn.MultiheadAttention`, each with its total."""
    config = layer.config
    sizes = (config.d_model, config.n_heads, config.n_kv_heads, config.bias)
    ours, theirs, device = _count(*sizes, layer.d_head)
    counted = {
        "by the formula": layer.count.terms,
        "in the fused module" if layer.d_head is None else "in two `nn.Linear` layers": ours,
        "in `nn.MultiheadAttention`": theirs,
    }
    lines = [f"- **{sum(n.values()):,}** {by}: {_named(n)}" for by, n in counted.items()]
    st.markdown("\n".join(lines))
    st.markdown(_why(layer, sum(ours.values()), sum(theirs.values())))
    if device == "meta":
        st.markdown(
            "Built on PyTorch’s **meta device**: the tensors have shapes and no memory, so that "
            "a layer of any width can be asked."
        )
    else:
        st.markdown("Both modules were built in memory just now, on the CPU.")
    show_source(count_modules)


def _why(layer: Layer, ours: int, theirs: int) -> str:
    agree = "agree" if ours == layer.count.total else "**do not agree**"
    text = f"The formula and what was built {agree}."
    if theirs == ours:
        return f"{text} `nn.MultiheadAttention` holds as many."
    reasons = []
    if layer.is_grouped:
        reasons.append("has no grouped heads: every head has its own keys and values there")
    if layer.d_head:
        reasons.append("has no head size of its own: there d\\_head is d\\_model / h")
    return f"{text} `nn.MultiheadAttention` {', and '.join(reasons)}."


def _named(counts: dict[str, int]) -> str:
    return ", ".join(f"`{name}` {count:,}" for name, count in counts.items())


@st.cache_data(show_spinner="Asking PyTorch …", max_entries=256)
def _count(
    C: int, h: int, h_kv: int, bias: bool, d_head: int | None
) -> tuple[dict[str, int], dict[str, int], str]:
    return count_modules(AttentionConfig(C, h, h_kv, bias), d_head=d_head)
