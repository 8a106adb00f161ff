"""The chosen cell of a picture: by click, by keyboard, and in the link.

The link holds the words themselves, so that a choice follows its word through an edit.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import streamlit as st

from mha.sentence import Sentence
from pages.parts import bound
from pages.parts.link import D_MODEL_RANGE, message
from pages.parts.words import isolated, plain

_LAST_COLUMN = D_MODEL_RANGE[1] - 1


@dataclass(frozen=True)
class Cell:
    """The chosen row and column of weights; `key` is None where the whole row is chosen."""

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

    Args:
        no_key: what is shown where no key is chosen, in words.
    """
    query = choose_row(sentence, query_column, label="Row: the token that looks")
    labels = list(sentence.labels)
    with key_column:
        key = _pick_word("Cell: the token it looks at", labels, key="key", placeholder=no_key)
    return Cell(query, labels.index(key) if key in labels else None)


def choose_row(sentence: Sentence, place: bound.Place, *, label: str) -> int:
    """A list of the words that chooses a row by keyboard; the last, where none is chosen."""
    labels = list(sentence.labels)
    with place:
        shown = f"{isolated(labels[-1])} (the last)"
        query = _pick_word(label, labels, key="query", placeholder=shown)
    return labels.index(query) if query in labels else len(labels) - 1


def choose_column(count: int, place: bound.Place) -> int:
    """A number that chooses one of so many columns by keyboard; the first, where none is chosen."""
    with place:
        column = bound.number(
            "Column", 0, _LAST_COLUMN, value=0, key="column", on_change=_choice_changed
        )
        column = column or 0
        if column >= count:
            note = message("column", f"below {count} here", str(column), count - 1)
            st.warning(plain(note), icon=":material/info:")
    return min(column, count - 1)


def choose_by_click(chart: str, *, row: str = "query", column: str = "key") -> None:
    """Take the cell that was clicked on the chart with this key, or the row where its word was.

    Args:
        row, column: the names that the chart's selection has for the query and the key.
    """
    clicked = _clicked(chart)
    query = _word(clicked.get(row))
    if query is not None:
        bound.assign("query", query)
        bound.assign("key", _word(clicked.get(column)))
        _choice_changed()  # for the other chart, whose last click may come again


def choose_number_by_click(chart: str) -> None:
    """Take the row and the column that were clicked on the chart with this key.

    Where a row's word was clicked, the column stays.
    """
    clicked = _clicked(chart)
    query, column = _word(clicked.get("row")), clicked.get("column")
    if query is not None:
        bound.assign("query", query)
        if isinstance(column, int) and 0 <= column <= _LAST_COLUMN:
            bound.assign("column", column)
        _choice_changed()


def stamp() -> int:
    """A number that changes with every choice, so that a click on the same cell counts anew.

    A chart tells a click only where it differs from the last one.
    """
    return st.session_state.setdefault("stamp", 0)


def _pick_word(label: str, labels: list[str], *, key: str, placeholder: str) -> str | None:
    return bound.pick(
        label,
        labels,
        key=key,
        index=None,
        what="one of the words",
        placeholder=placeholder,
        on_change=_choice_changed,
    )


def _clicked(chart: str) -> dict[str, Any]:
    """The fields of the cell that was clicked; none, where nothing was."""
    clicked = st.session_state[chart].selection.cell
    return clicked[0] if clicked else {}


def _word(position: object) -> str | None:
    # A position comes from a browser, and the words may have changed since it was drawn.
    labels = st.session_state["scene"].sentence.labels
    return labels[position] if isinstance(position, int) and 0 <= position < len(labels) else None


def _choice_changed() -> None:
    st.session_state["stamp"] = stamp() + 1
