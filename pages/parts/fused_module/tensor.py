"""The chosen step's tensor as heatmaps, one a head; a click on a weight opens its arithmetic."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import streamlit as st

from mha import charts, tables
from mha.hand_built import most_attended
from mha.reference import Array, HeadTrace, explain_weight
from pages.parts import bound, look
from pages.parts.fused_module.run import Run
from pages.parts.link import D_MODEL_RANGE
from pages.parts.weight import show_weight
from pages.parts.words import bold

AT_ONCE = 6  # heads that are drawn
_LAST = 3 * D_MODEL_RANGE[1]  # of the pictures that qkv can be cut into
_PAIRS = ("scores", "masked", "weights")


class Panel(NamedTuple):
    """One matrix of a tensor, with the names of its columns; its rows are the tokens."""

    title: str
    matrix: Array
    columns: Sequence[str]


def show(run: Run, name: str) -> None:
    """Draw the step's tensor of one sentence of the batch, a few heads at a time."""
    item = _choose_item(run)
    panels = panels_of(run, name, item)
    first = _choose_first(panels)
    pictures = st.container()
    cell = _choose_cell(run) if name in _PAIRS else None
    heads = range(first, min(first + AT_ONCE, len(panels)))
    with pictures:
        for panel, column in zip(panels[first : heads.stop], _columns(len(heads)), strict=True):
            with column:
                _draw(run, name, panel, cell)
    if cell is not None:
        _explain(run, item, cell, heads)


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
        case ("h" | "h_kv" as kind, "T_q", "T_k"):
            return [Panel(f"{_title(kind, i)}", part, words) for i, part in enumerate(tensor)]
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
    return min(asked, len(panels) - 1) // AT_ONCE * AT_ONCE


def _choose_cell(run: Run) -> tuple[int, int]:
    """The query and the key whose weight is explained: at first the last, and what it sees most."""
    labels = list(run.sentence.labels)
    query_column, key_column = st.columns(2)
    with query_column:
        query = bound.pick(
            "Row: the token that looks",
            labels,
            index=None,
            what="one of the words",
            placeholder=f"{labels[-1]} (the last)",
            key="query",
        )
    with key_column:
        key = bound.pick(
            "Cell: the token it looks at",
            labels,
            index=None,
            what="one of the words",
            placeholder=f"{labels[0]} (the first)",
            key="key",
        )
    at = labels.index
    return (
        at(query) if query in labels else len(labels) - 1,
        at(key) if key in labels else 0,
    )


def _draw(run: Run, name: str, panel: Panel, cell: tuple[int, int] | None) -> None:
    theme = look.theme()
    is_weights = name == "weights"
    table = tables.matrix_table(panel.matrix, run.sentence.labels, panel.columns)
    if is_weights:
        table["masked"] = table["row"] < table["column"] if run.causal else False
        table["text"] = table["text"].mask(table["masked"], "")
    more = {}
    if cell is not None:
        table["chosen"] = (table["row"] == cell[0]) & (table["column"] == cell[1])
        table["stamp"] = 0
        key = f"tensor_{panel.title}"
        more = {"key": key, "on_select": lambda: _choose_by_click(run, key)}
    table = charts.with_ink(table, "value" if is_weights else "shade", theme)
    spec = charts.matrix_spec(
        *panel.matrix.shape, theme, signed=not is_weights, clickable=cell is not None
    )
    st.markdown(f"**{panel.title}** · {panel.matrix.shape[0]} × {panel.matrix.shape[1]}")
    look.picture(table, spec, alt=f"{name}, {panel.title}, as a grid.", **more)


def _choose_by_click(run: Run, chart: str) -> None:
    clicked = st.session_state[chart].selection.cell
    if not clicked:
        return
    labels = st.session_state["scene"].sentence.labels
    for key, field in (("query", "row"), ("key", "column")):
        # A position comes from a browser, and the words may have changed since it was drawn.
        position = clicked[0].get(field)
        if isinstance(position, int) and 0 <= position < len(labels):
            bound.assign(key, labels[position])


def _explain(run: Run, item: int, cell: tuple[int, int], heads: range) -> None:
    """The arithmetic of the chosen weight in each head that is drawn."""
    query, key = cell
    labels = run.sentence.labels
    st.markdown(f"{bold(labels[query])} → {bold(labels[key])} in each head:")
    kept = (run.steps[name] for name in ("q_heads", "k_all", "masked", "weights", "z"))
    tensors = [step.tensor[item].numpy() for step in kept]
    for head, column in zip(heads, _columns(len(heads)), strict=True):
        q, k, scores, weights, z = (part[head] for part in tensors)
        with column:
            most = most_attended(weights[query])
            st.markdown(f"**head {head}** looks most at {bold(labels[most[0]])}")
            trace = HeadTrace(scores, weights, z)
            show_weight(explain_weight(q, k, trace, query, key), divisor=run.config.d_head)
