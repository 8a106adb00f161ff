"""A head's matrices with named rows and columns, and what it hands on."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from mha import charts, tables
from mha.hand_built import GALLERY, feature_names
from mha.reference import Array
from mha.sentence import Sentence
from pages.parts import bound, look
from pages.parts.cell import Cell
from pages.parts.hand_built.choice import SIDES, Shown
from pages.parts.words import bold

_MOST_NAMED, _LEAST_NAMED = 4, 0.005


def show_matrices(shown: Sequence[Shown], X: Array, sentence: Sentence) -> None:
    """X, W_Q, W_K, Q, K, the scores and the weights of one of the two heads."""
    side = bound.segments("Matrices of", list(SIDES), format_func=SIDES.get, key="side")
    one = next(s for s in shown if s.side == side)
    st.markdown(f"**{one.title}.** {GALLERY[one.kind].note}")
    words, names, slots = sentence.labels, feature_names(len(sentence)), one.head.slots
    q, k, v = one.head.queries_keys_values(X)
    _row(
        ("X: what each token is", X, words, names),
        ("W_Q: what it asks for", one.head.W_Q, names, slots),
        ("Q = X W_Q", q, words, slots),
    )
    _row(
        ("V = X W_V: what it hands on", v, words, names),
        ("W_K: what it answers to", one.head.W_K, names, slots),
        ("K = X W_K", k, words, slots),
    )
    for column, matrix in zip(
        st.columns(2, gap="medium"),
        (
            ("scores = Q Kᵀ, then the mask", one.trace.scores, words, words),
            ("weights = softmax of each row", one.trace.weights, words, words),
        ),
        strict=True,
    ):
        with column:
            _matrix(*matrix)


def show_handed_on(shown: Sequence[Shown], sentence: Sentence, cell: Cell) -> None:
    """z = weights · V for both heads, with V = X: what arrives at each token."""
    st.markdown(
        "A head hands on the weighted mean of what it looks at: **z = weights · V**. Here V = X, "
        "so a row of z reads as a mix of positions and categories."
    )
    names = feature_names(len(sentence))
    for one, column in zip(shown, st.columns(2), strict=True):
        with column:
            z = one.trace.z[cell.query]
            largest = [i for i in (-z).argsort(kind="stable")[:_MOST_NAMED] if z[i] >= _LEAST_NAMED]
            arrives = [f"{names[i]} {z[i]:.2f}" for i in largest]
            more = " and more" if (z >= _LEAST_NAMED).sum() > len(arrives) else ""
            st.markdown(
                f"**{one.title}.** At {bold(sentence.labels[cell.query])} arrives: "
                f"{', '.join(arrives)}{more}."
            )
            _matrix("z", one.trace.z, sentence.labels, names)


def _row(*matrices: tuple[str, Array, Sequence[str], Sequence[str]]) -> None:
    """Matrices side by side, their cells about equally wide."""
    widths = [matrix.shape[1] + 3 for _, matrix, _, _ in matrices]
    widths = [max(width, 0.6 * max(widths)) for width in widths]
    for column, matrix in zip(st.columns(widths, gap="medium"), matrices, strict=True):
        with column:
            _matrix(*matrix)


def _matrix(title: str, matrix: Array, rows: Sequence[str], columns: Sequence[str]) -> None:
    st.markdown(f"**{title}** · {matrix.shape[0]} × {matrix.shape[1]}")
    theme = look.theme()
    table = charts.with_ink(tables.matrix_table(matrix, rows, columns), "shade", theme)
    look.picture(table, charts.matrix_spec(*matrix.shape, theme), alt=f"{title}, as a grid.")
