"""Every number of heads as a row of a table, for those who want the numbers or read no picture."""

from __future__ import annotations

import streamlit as st

from mha.ledger_tables import head_counts_table
from pages.parts.parameters.layer import Layer

_NAMES = {
    "heads": "heads, h",
    "kv_heads": "key/value heads",
    "d_head": "d_head",
    "parameters": "parameters",
    "softmaxes": "softmaxes",
    "scores": "scores",
    "score_bytes": "bytes of the scores",
}


def show(layer: Layer) -> None:
    """The table, and what its columns are."""
    T = layer.T
    st.dataframe(
        head_counts_table(layer.family, T, d_head=layer.d_head),
        hide_index=True,
        column_config={
            name: st.column_config.NumberColumn(title, format="localized")
            for name, title in _NAMES.items()
        },
        alt="Counts for every number of heads, a row for each.",
    )
    st.markdown(
        f"For your T = {T} tokens and one sequence: every head has a softmax for each token, and a "
        "score for each pair of tokens, those that a mask hides included. Bytes at 32 bits a "
        "number. A number of heads divides the width"
        + (" and is divided by the key/value heads." if layer.is_grouped else ".")
    )
