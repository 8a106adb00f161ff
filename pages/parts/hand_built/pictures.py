"""The weights of a head as a picture: a grid, or lines between words."""

from __future__ import annotations

import numpy as np

from mha import charts, tables
from mha.hand_built import most_attended
from mha.sentence import Sentence
from pages.parts import bound, look
from pages.parts.cell import Cell, choose_by_click, stamp
from pages.parts.chips import fit_in_a_row
from pages.parts.hand_built.choice import Shown

VIEWS = ("Grid", "Lines")
_PIXELS, _CHIPS, _QUESTION, _ANSWER = 336, 64, 66, 86  # of a presenter's page


def choose_view() -> str:
    """Grid or lines."""
    return bound.segments("Picture", VIEWS, key="view")


def draw(
    shown: Shown, sentence: Sentence, cell: Cell, view: str, *, hidden: bool, at_most: float
) -> None:
    """Draw one head's weights into its slot; `hidden` leaves out the weights and keeps the mask."""
    table = tables.weights_table(shown.trace, sentence, query=cell.query, key=cell.key)
    table["stamp"] = stamp()
    if hidden:
        table = table.assign(weight=np.nan, score=np.nan)
        alt = f"{shown.title}. The weights are hidden until a guess is made."
    else:
        alt = f"{shown.title}. {_largest_in_words(shown, sentence, cell)}"
    key = f"weights_{shown.side}_{view}"
    T = len(sentence)
    is_grid = view == VIEWS[0]
    spec = charts.weights_spec(T, look.theme()) if is_grid else charts.lines_spec(T, shown.hue)
    with shown.slot:
        look.picture(
            charts.with_ink(table, "weight", look.theme()),
            spec,
            alt=alt,
            key=key,
            at_most=at_most,
            on_select=lambda: choose_by_click(key),
        )


def room(sentence: Sentence, *, predicts: bool, hidden: bool) -> float:
    """The height of a presenter's picture below the words, a question and the answer to it."""
    pixels = _PIXELS - look.leaning(sentence.labels)
    if not fit_in_a_row(sentence):
        pixels += _CHIPS
    if not predicts:
        return pixels
    return pixels - _QUESTION - (0 if hidden else _ANSWER)


def _largest_in_words(shown: Shown, sentence: Sentence, cell: Cell) -> str:
    row = shown.trace.weights[cell.query]
    best = most_attended(row)
    names = ", ".join(sentence.labels[i] for i in best)
    return (
        f"{len(sentence)} tokens; {sentence.labels[cell.query]} looks most at {names}, "
        f"weight {row[best[0]]:.2f}{' each' if len(best) > 1 else ''}."
    )
