"""A chosen row or cell opened up: q, k, their product, the mask, the softmax, the weight."""

from __future__ import annotations

import streamlit as st

from mha import tables
from mha.reference import Array, explain_weight
from mha.sentence import Sentence
from pages.parts.cell import Cell
from pages.parts.hand_built.choice import Shown
from pages.parts.weight import show_weight
from pages.parts.words import bold


def show(shown: Shown, X: Array, sentence: Sentence, cell: Cell) -> None:
    """The arithmetic of one head, for the chosen cell if there is one, and for its row."""
    query_word = bold(sentence.labels[cell.query])
    if cell.key is None:
        st.markdown(f"**{shown.title}** · the row of {query_word}")
    else:
        st.markdown(f"**{shown.title}** · {query_word} → {bold(sentence.labels[cell.key])}")
        show_weight(explain_weight(shown.q, shown.k, shown.trace, cell.query, cell.key))
    row = tables.arithmetic_table(shown.q, shown.k, shown.trace, sentence, cell.query)
    st.dataframe(
        row,
        hide_index=True,
        column_config={
            "key_word": st.column_config.TextColumn("key", width=82),
            "dot": st.column_config.NumberColumn("q·k", format="%.2f", width=58),
            "may_look": st.column_config.CheckboxColumn("may look", width=74),
            "exponential": st.column_config.NumberColumn(
                "exp", format="%.4f", width=72, help="exp(score − the row’s largest score)"
            ),
            "weight": st.column_config.NumberColumn("weight", format="%.4f", width=72),
        },
        alt=f"The row of {sentence.labels[cell.query]} in {shown.title}, key by key.",
    )
    st.markdown(
        "Each exponential is that of q·k less the row’s largest q·k, so that none is above 1. They "
        f"add up to **{row['exponential'].sum():.4f}**; each weight is its exponential over that "
        "sum."
    )
    if cell.key is not None:
        with st.expander("q and k, slot by slot"):
            st.dataframe(
                tables.dot_product_table(shown.head, X, cell.query, cell.key),
                hide_index=True,
                alt="q, k and their product for each slot of the head.",
            )
