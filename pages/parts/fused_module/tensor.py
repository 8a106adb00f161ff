"""The chosen step's tensor as heatmaps, one a head; a click on a weight opens its arithmetic."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

import numpy as np
import streamlit as st

from mha import charts, tables
from mha.hand_built import most_attended
from mha.reference import Array, HeadTrace, explain_weight
from pages.parts import bound, look
from pages.parts.cell import Cell, choose_by_click, choose_cell, stamp
from pages.parts.fused_module.run import Run
from pages.parts.link import D_MODEL_RANGE, message
from pages.parts.weight import show_weight
from pages.parts.words import bold, plain

AT_ONCE = 6  # heads that are drawn
_LAST = 3 * D_MODEL_RANGE[1]  # of the pictures that qkv can be cut into
_PAIRS = ("scores", "masked", "weights")


class Panel(NamedTuple):
    """One matrix of a tensor, with the names of its columns; its rows are the tokens."""

    title: str
    matrix: Array
    columns: Sequence[str]
    hidden: Array | None = None  # numbers that the mask hides, though they are finite


def show(run: Run, name: str) -> None:
    """Draw the step's tensor of one sentence of the batch, a few heads at a time."""
    item = _choose_item(run)
    panels = panels_of(run, name, item)
    first = _choose_first(panels)
    panels = panels[first : first + AT_ONCE]
    pictures = st.container()
    cells: Sequence[Cell | None] = [None] * len(panels)
    if name in _PAIRS:
        chosen = choose_cell(run.sentence, *st.columns(2), no_key="what each head looks at most")
        cells = [
            _cell_of_head(run, item, head, chosen) for head in range(first, first + len(panels))
        ]
    with pictures:
        for panel, cell, place in zip(panels, cells, _columns(len(panels)), strict=True):
            with place:
                _draw(run, name, panel, cell)
    if name in _PAIRS:
        _explain(run, item, first, cells)


def _cell_of_head(run: Run, item: int, head: int, chosen: Cell) -> Cell:
    """The chosen cell; where only a row is chosen, the largest weight of this head in it."""
    if chosen.key is not None:
        return chosen
    weights = run.steps["weights"].tensor[item, head, chosen.query].numpy()
    return Cell(chosen.query, most_attended(weights)[0])


def _columns(count: int) -> list[bound.Place]:
    """A place for each of so many pictures: two or three side by side, wide enough for numbers."""
    across = {1: 1, 2: 2, 4: 2}.get(count, 3)
    rows = (st.columns(across, gap="medium") for _ in range(0, count, across))
    return [place for row in rows for place in row][:count]


def panels_of(run: Run, name: str, item: int) -> list[Panel]:
    """The tensor cut into matrices with a row for each token: one for each head where it can be.

    Args:
        item: which sentence of the batch.
    """
    step = run.steps[name]
    tensor, axes = step.tensor[item].numpy(), step.axes[1:]
    h, h_kv, d_head = run.config.n_heads, run.config.n_kv_heads, run.config.d_head
    words = run.sentence.labels
    numbers = [str(i) for i in range(d_head)]
    match axes:
        case ("h", "T_q", "T_k"):
            hidden = np.isneginf(run.steps["masked"].tensor[item].numpy())
            hides = name == "weights"
            return [
                Panel(_title("h", i), tensor[i], words, hidden[i] if hides else None)
                for i in range(h)
            ]
        case ("h" | "h_kv" as kind, "T", "d_head"):
            return [Panel(_title(kind, i), part, numbers) for i, part in enumerate(tensor)]
        case ("T", "h", "d_head"):
            return [Panel(_title("h", i), tensor[:, i], numbers) for i in range(h)]
        case ("T", "C+2C_kv"):
            titles = [f"q of head {i}" for i in range(h)]
            titles += [f"{part} of kv head {i}" for part in "kv" for i in range(h_kv)]
        case ("T", "C_kv"):
            titles = [_title("h_kv", i) for i in range(h_kv)]
        case ("T", "C") if name in ("q", "merged"):
            titles = [_title("h", i) for i in range(h)]
        case _:  # x and out: their columns belong to no head
            return [Panel("all columns", tensor, [str(i) for i in range(tensor.shape[-1])])]
    return [
        Panel(title, tensor[:, i * d_head : (i + 1) * d_head], numbers)
        for i, title in enumerate(titles)
    ]


def _title(kind: str, number: int) -> str:
    return f"head {number}" if kind == "h" else f"kv head {number}"


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


def _draw(run: Run, name: str, panel: Panel, cell: Cell | None) -> None:
    theme = look.theme()
    is_weights = name == "weights"
    table = tables.matrix_table(
        panel.matrix, run.sentence.labels, panel.columns, hidden=panel.hidden
    )
    more = {}
    if cell is not None:
        table["chosen"] = (table["row"] == cell.query) & (table["column"] == cell.key)
        table["stamp"] = stamp()
        key = f"tensor_{panel.title}"
        click = partial(choose_by_click, key, row="row", column="column")
        more = {"key": key, "on_select": click}
    table = charts.with_ink(table, "value" if is_weights else "shade", theme)
    spec = charts.matrix_spec(
        *panel.matrix.shape, theme, signed=not is_weights, clickable=cell is not None
    )
    st.markdown(f"**{panel.title}** · {panel.matrix.shape[0]} × {panel.matrix.shape[1]}")
    look.picture(table, spec, alt=f"{name}, {panel.title}, as a grid.", **more)


def _explain(run: Run, item: int, first: int, cells: Sequence[Cell]) -> None:
    """The arithmetic of the chosen weight in each head that is drawn."""
    labels = run.sentence.labels
    kept = (run.steps[name] for name in ("q_heads", "k_all", "masked", "weights", "z"))
    tensors = [step.tensor[item].numpy() for step in kept]
    for n, (cell, place) in enumerate(zip(cells, _columns(len(cells)), strict=True)):
        q, k, scores, weights, z = (part[first + n] for part in tensors)
        with place:
            words = f"{bold(labels[cell.query])} → {bold(labels[cell.key])}"
            st.markdown(f"**head {first + n}** · {words}")
            arithmetic = explain_weight(q, k, HeadTrace(scores, weights, z), cell.query, cell.key)
            show_weight(arithmetic, divisor=run.config.d_head)
