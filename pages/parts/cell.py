"""The chosen cell of a picture of weights: by click, by keyboard, and in the link."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st

from mha.sentence import Sentence
from pages.parts import bound


@dataclass(frozen=True)
class Cell:
    """The chosen row and column; `key` is None where the whole row is chosen."""

    query: int
    key: int | None


def choose_cell(
    sentence: Sentence,
    query_column: bound.Place,
    key_column: bound.Place,
    *,
    no_key: str = "the whole row",
) -> Cell:
    """Two lists of words that choose a row and a cell by keyboard; a click on a picture does too.

    The link holds the words themselves, so that a choice follows its word through an edit.

    Args:
        no_key: what is shown where no key is chosen, in words.
    """
    labels = list(sentence.labels)
    words = {"index": None, "what": "one of the words", "on_change": _choice_changed}
    with query_column:
        query = bound.pick(
            "Row: the token that looks",
            labels,
            placeholder=f"{labels[-1]} (the last)",
            key="query",
            **words,
        )
    with key_column:
        key = bound.pick(
            "Cell: the token it looks at", labels, placeholder=no_key, key="key", **words
        )
    last = len(labels) - 1
    return Cell(
        labels.index(query) if query in labels else last,
        labels.index(key) if key in labels else None,
    )


def choose_by_click(chart: str, *, row: str = "query", column: str = "key") -> None:
    """Take the cell that was clicked on the chart with this key, or the row where its word was.

    Args:
        row, column: the names that the chart's selection has for the query and the key.
    """
    clicked = st.session_state[chart].selection.cell
    if not clicked:
        return
    labels = st.session_state["scene"].sentence.labels

    def word(name: str) -> str | None:
        # A position comes from a browser, and the words may have changed since it was drawn.
        position = clicked[0].get(name)
        known = isinstance(position, int) and 0 <= position < len(labels)
        return labels[position] if known else None

    if word(row) is not None:
        bound.assign("query", word(row))
        bound.assign("key", word(column))
        _choice_changed()  # for the other chart, whose last click may come again


def stamp() -> int:
    """A number that changes with every choice, so that a click on the same cell counts anew.

    A chart tells a click only where it differs from the last one.
    """
    return st.session_state.setdefault("stamp", 0)


def _choice_changed() -> None:
    st.session_state["stamp"] = stamp() + 1
