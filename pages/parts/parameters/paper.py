"""The ledger, added up as one would on paper, and the formula with this layer's numbers in it."""

from __future__ import annotations

import streamlit as st

from pages.parts.parameters.layer import Layer


def show(layer: Layer) -> None:
    """The sum line by line, and the formula beside it."""
    paper, formula = st.columns([3, 2], gap="medium")
    with paper:
        lines = _lines(layer)
        rows = [f"| {what} | {how} | {count} |" for what, how, count in lines]
        total = f"| **Total** | | **{layer.count.total:,}** |"
        table = "\n".join(["| part | how many | count |", "|:--|:--|--:|", *rows, total])
        st.markdown(table.replace("_", r"\_"))
    with formula:
        st.latex(_formula(layer))


def _lines(layer: Layer) -> list[tuple[str, str, str]]:
    """What is counted, how, and how many; a line that is only on the way has no last number."""
    config, terms, d = layer.config, layer.count.terms, layer.head_size
    C, h, h_kv = config.d_model, config.n_heads, config.n_kv_heads
    own, shared = layer.count.per_head, layer.count.per_kv_head
    if layer.is_grouped:
        lines = [
            (f"W_Q, {h:,} heads", f"{h:,} × {C:,} × {d:,}", terms["W_Q"]),
            (f"W_K, {h_kv:,} shared", f"{h_kv:,} × {C:,} × {d:,}", terms["W_K"]),
            (f"W_V, {h_kv:,} shared", f"{h_kv:,} × {C:,} × {d:,}", terms["W_V"]),
        ]
    else:
        one = own["W_Q"] + shared["W_K"] + shared["W_V"]
        lines = [
            ("*One head: its Q, K, V*", f"*3 × {C:,} × {d:,} = {one:,}*", ""),
            (f"All {h:,} heads", f"{h:,} × {one:,}", h * one),
        ]
    width = f"{C:,} × {C:,}" if h * d == C else f"{h:,} × {d:,} × {C:,}"
    lines.append(("W_O", width, terms["W_O"]))
    if config.bias:
        inside = terms["b_Q"] + terms["b_K"] + terms["b_V"]
        lines.append(("b_Q, b_K, b_V", f"({h:,} + 2 × {h_kv:,}) × {d:,}", inside))
        lines.append(("b_O", f"{C:,}", terms["b_O"]))
    return [(what, how, f"{count:,}" if count else "") for what, how, count in lines]


def _formula(layer: Layer) -> str:
    config, d = layer.config, layer.head_size
    C, h, h_kv = (_latex(n) for n in (config.d_model, config.n_heads, config.n_kv_heads))
    size, total = _latex(d), _latex(layer.count.total)
    if layer.is_grouped or layer.d_head:
        lines = [
            r"&2\,(h + h_{kv}) \cdot C \cdot d_{\text{head}}",
            rf"&= 2\,({h} + {h_kv}) \cdot {C} \cdot {size}",
        ]
        bias = r"+\,(h + 2 h_{kv}) \cdot d_{\text{head}} + C"
    else:
        lines = [
            r"&h \cdot 3 \cdot C \cdot d_{\text{head}} + C \cdot C",
            rf"&= {h} \cdot 3 \cdot {C} \cdot {size} + {C} \cdot {C}",
            rf"&= 4 \cdot {C} \cdot {C}",
        ]
        bias = r"+\,4 \cdot C"
    if config.bias:
        biases = sum(n for name, n in layer.count.terms.items() if name.startswith("b_"))
        added = [bias, *[rf"+\,{_latex(biases)}"] * (len(lines) - 1)]
        lines = [rf"{a} \\[2pt] &\quad {b}" for a, b in zip(lines, added, strict=True)]
    lines.append(rf"&= {total}")
    return r"\begin{aligned}" + r" \\[4pt] ".join(lines) + r"\end{aligned}"


def _latex(number: int) -> str:
    return f"{number:,}".replace(",", "{,}")
