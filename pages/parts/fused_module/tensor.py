"""The chosen step's tensor as heatmaps, one a head; a click on a number opens its arithmetic."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import streamlit as st

from mha import charts, tables
from mha.hand_built import most_attended
from pages.parts import bound, look, presenter
from pages.parts.cell import (
    choose_by_click,
    choose_cell,
    choose_column,
    choose_number_by_click,
    choose_row,
    stamp,
)
from pages.parts.fused_module.arithmetic import show_arithmetic
from pages.parts.fused_module.panels import PAIRS, Panel, hidden_in, panels_of
from pages.parts.fused_module.run import Run
from pages.parts.link import D_MODEL_RANGE, message
from pages.parts.words import plain

AT_ONCE = 6  # heads that are drawn
_ALONE, _IN_TWO_ROWS = 340, 120  # pixels of a presenter's pictures, in one row and in two
_LAST = 3 * D_MODEL_RANGE[1]  # of the pictures that qkv can be cut into


def show(run: Run, name: str) -> Sequence[Panel]:
    """Draw the step's tensor of one sentence of the batch, a few heads at a time.

    Returns what was drawn.
    """
    # Each in a place of its own: a bound widget that moves loses what the link says.
    which, pictures = st.container(), st.container()
    choices, opened = st.columns(2, gap="medium"), st.container(key="opened")
    with which:
        item = _choose_item(run)
        panels = panels_of(run, name, item)
        first = _choose_first(panels)
    panels = panels[first : first + AT_ONCE]
    cells = _choose_cells(run, name, panels, *choices)
    count = len(panels)
    with pictures:  # wide enough for numbers
        across = {1: 1, 2: 2, 4: 2}.get(count, 3)
        places = _places(count, across)
        at_most = _ALONE if len(places) == across else _IN_TWO_ROWS
        at_most -= look.leaning(panels[0].columns)
        for panel, cell, place in zip(panels, cells, places, strict=True):
            with place:
                _draw(run, name, panel, cell, at_most)
    with opened:  # more than fit side by side go on below
        places = _places(count, {1: 2, 4: 2}.get(count, count))
        for panel, cell, place in zip(panels, cells, places, strict=True):
            with place:
                show_arithmetic(run, name, panel, *cell)
    return panels


def _choose_item(run: Run) -> int:
    if run.x.shape[0] == 1:
        return 0
    return bound.segments("Sentence of the batch", range(run.x.shape[0]), key="item")


def _choose_first(panels: Sequence[Panel]) -> int:
    """The first head to draw, where there are more than fit side by side."""
    if len(panels) <= AT_ONCE:
        return 0
    asked = bound.number("From head", 0, _LAST, value=0, step=AT_ONCE, key="from") or 0
    first = min(asked, len(panels) - 1) // AT_ONCE * AT_ONCE
    if asked >= len(panels):
        note = message("from", f"below {len(panels)} here", str(asked), first)
        st.warning(plain(note), icon=":material/info:")
    return first


def _choose_cells(
    run: Run, name: str, panels: Sequence[Panel], rows: bound.Place, columns: bound.Place
) -> list[tuple[int, int]]:
    """The chosen row and column of each picture.

    Where only a row of weights is chosen, it is the largest weight of each head in that row.
    """
    if name not in PAIRS:
        row = choose_row(run.sentence, rows, label="Row: the token")
        column = choose_column(len(panels[0].columns), columns)
        return [(row, column)] * len(panels)
    cell = choose_cell(run.sentence, rows, columns, no_key="what each head looks at most")
    if cell.key is not None:
        return [(cell.query, cell.key)] * len(panels)
    weights = (run.steps["weights"].tensor[panel.where].numpy() for panel in panels)
    return [(cell.query, most_attended(head[cell.query])[0]) for head in weights]


def _places(count: int, across: int) -> list[bound.Place]:
    """A place for each of so many, in rows of so many side by side."""
    rows = (st.columns(across, gap="medium") for _ in range(0, count, across))
    return [place for row in rows for place in row][:count]


def _draw(run: Run, name: str, panel: Panel, cell: tuple[int, int], at_most: float) -> None:
    theme = look.theme()
    is_weights = name == "weights"
    table = tables.matrix_table(
        panel.matrix, run.sentence.labels, panel.columns, hidden=hidden_in(run, name, panel)
    )
    table["chosen"] = (table["row"] == cell[0]) & (table["column"] == cell[1])
    table["stamp"] = stamp()
    table = charts.with_ink(table, "value" if is_weights else "shade", theme)
    spec = charts.matrix_spec(*panel.matrix.shape, theme, signed=not is_weights, clickable=True)
    if presenter.is_on():
        spec |= look.tall(len(panel.matrix))
    key = f"tensor_{panel.title}"
    take = (
        partial(choose_by_click, row="row", column="column")
        if name in PAIRS
        else choose_number_by_click
    )
    st.markdown(f"**{panel.title}** · {panel.matrix.shape[0]} × {panel.matrix.shape[1]}")
    alt = f"{name}, {panel.title}, as a grid."
    look.picture(table, spec, alt=alt, key=key, at_most=at_most, on_select=partial(take, key))
