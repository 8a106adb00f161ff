"""A chosen row or cell opened up: q, k, their product, the mask, the softmax, the weight."""

from __future__ import annotations

import math

import streamlit as st

from mha import tables
from mha.reference import Array, WeightArithmetic, explain_weight
from mha.sentence import Sentence
from pages.parts.hand_built.choice import Cell, Shown
from pages.parts.words import bold

_MOST_TERMS = 2


def show(shown: Shown, X: Array, sentence: Sentence, cell: Cell) -> None:
    """The arithmetic of one head, for the chosen cell if there is one, and for its row."""
    query_word = bold(sentence.labels[cell.query])
    if cell.key is None:
        st.markdown(f"**{shown.title}** · the row of {query_word}")
    else:
        st.markdown(f"**{shown.title}** · {query_word} → {bold(sentence.labels[cell.key])}")
        _show_cell(explain_weight(shown.q, shown.k, shown.trace, cell.query, cell.key))
    row = tables.arithmetic_table(shown.q, shown.k, shown.trace, sentence, cell.query)
    st.dataframe(
        row,
        hide_index=True,
        column_config={
            "key_word": st.column_config.TextColumn("key"),
            "dot": st.column_config.NumberColumn("q·k", format="%.2f"),
            "may_look": st.column_config.CheckboxColumn("may look"),
            "exponential": st.column_config.NumberColumn("exp(score − max)", format="%.4f"),
            "weight": st.column_config.ProgressColumn(
                "weight", format="%.4f", min_value=0.0, max_value=1.0
            ),
        },
        alt=f"The row of {sentence.labels[cell.query]} in {shown.title}, key by key.",
    )
    st.markdown(
        f"The exponentials add up to **{row['exponential'].sum():.4f}**; "
        "each weight is its exponential over that sum."
    )
    if cell.key is not None:
        with st.expander("q and k, slot by slot"):
            st.dataframe(
                tables.dot_product_table(shown.head, X, cell.query, cell.key),
                hide_index=True,
                alt="q, k and their product for each slot of the head.",
            )


def _show_cell(cell: WeightArithmetic) -> None:
    """Short lines, so that they fit a phone's width."""
    terms = [
        rf"{q:g} \times {_signed(k, 'g')}" for q, k in zip(cell.q, cell.k, strict=True) if q * k
    ]
    spelled = " + ".join(terms[:_MOST_TERMS]) + (r" + \dots" if len(terms) > _MOST_TERMS else "")
    lines = [rf"q \cdot k &= {spelled + ' = ' if terms else ''}{cell.dot:.2f}"]
    if math.isinf(cell.score):
        lines.append(r"\text{mask} &: \text{hidden: score } -\infty")
        lines.append(r"e^{-\infty} &= 0")
    else:
        lines.append(r"\text{mask} &: \text{may look}")
        exponent = f"{cell.score:.2f} - {_signed(cell.largest, '.2f')}"
        lines.append(rf"e^{{{exponent}}} &= {cell.exponential:.4f}")
    lines.append(rf"\text{{row's sum}} &= {cell.row_sum:.4f}")
    fraction = rf"\frac{{{cell.exponential:.4f}}}{{{cell.row_sum:.4f}}}"
    lines.append(rf"\text{{weight}} &= {fraction} = {cell.weight:.4f}")
    st.latex(r"\begin{aligned}" + r" \\[2pt] ".join(lines) + r"\end{aligned}")


def _signed(number: float, form: str) -> str:
    """A number as it stands behind a sign: in brackets where it is negative."""
    return f"({number:{form}})" if number < 0 else f"{number:{form}}"
