"""A word over what it is made of; `tables.anatomy_table` feeds it.

    label          one box over everything
    characters     what a reader sees: each has a hue, and so has all below it
    code points    U+0061
    bytes          61

A text stands in its box where it has room. Boxes stand as the word is stored, the first at the
left; where letters run from right to left, each character says its place and its way.
"""

from __future__ import annotations

from typing import Any

import altair as alt
import numpy as np
import pandas as pd

from mha.charts.colors import HEAD_HUES, MASK_GREY, color_at, ink_on
from mha.charts.marks import finish, kept

_BOX, _TITLE = 54, 36  # pixels
_LANES, _CHARACTERS = 4, 1
_LEAST_WAY = 34  # pixels
_LEAST_FONT = 11


def with_hues(table: pd.DataFrame) -> pd.DataFrame:
    """The table with `hue`, that of its character, and `ink`, what reads on it."""
    hues = np.array([*HEAD_HUES, MASK_GREY])  # the label, -1, has the last
    inks = ink_on(color_at(np.linspace(0, 1, len(hues)), tuple(hues), low=0))
    cluster = table["cluster"].to_numpy()
    of = np.where(cluster < 0, -1, cluster % len(HEAD_HUES))
    return table.assign(hue=hues[of], ink=inks[of])


def anatomy_spec() -> dict[str, Any]:
    """The spec, ready to be fed a table with hues: built once, then kept."""
    return kept(_anatomy)


def _anatomy() -> alt.LayerChart:
    layers = [layer for lane in range(_LANES) for layer in _lane(lane)]
    return finish(layers).properties(height=_LANES * (_BOX + _TITLE))


def _lane(lane: int) -> list[alt.Chart]:
    top = lane * (_BOX + _TITLE) + _TITLE
    rows = alt.Chart().transform_filter(f"datum.lane == {lane}")
    boxes = rows.mark_rect(cornerRadius=3, stroke="currentColor", strokeWidth=1).encode(
        x=_x("left"),
        x2="right",
        y=alt.value(top),
        y2=alt.value(top + _BOX),
        color=alt.Color("hue:N", scale=None),
        tooltip=[alt.Tooltip("text:N"), alt.Tooltip("name:N")],
    )
    size = f"min({28 if lane < 2 else 20}, (datum.right - datum.left) * width * 1.6 / datum.size)"
    texts = (
        rows.transform_calculate(x="(datum.left + datum.right) / 2")
        .mark_text(
            baseline="middle",
            fontSize=alt.ExprRef(size),
            opacity=alt.ExprRef(f"{size} >= {_LEAST_FONT} ? 1 : 0"),
            aria=False,
        )
        .encode(
            x=_x("x"),
            y=alt.value(top + (_BOX / 2 if lane != _CHARACTERS else _BOX / 2 - 6)),
            text="text:N",
            color=alt.Color("ink:N", scale=None),
        )
    )
    title = rows.transform_filter("datum.title != ''").mark_text(
        align="left", baseline="bottom", fontSize=18, color="currentColor"
    )
    marks = [boxes, texts, title.encode(x=alt.value(0), y=alt.value(top - 6), text="title:N")]
    return [*marks, _ways(rows, top)] if lane == _CHARACTERS else marks


def _ways(rows: alt.Chart, top: int) -> alt.Chart:
    """At the foot of a character's box, its place and the way that it runs."""
    fits = f"(datum.right - datum.left) * width >= {_LEAST_WAY}"
    return (
        rows.transform_filter("datum.way != ''")
        .transform_calculate(x="(datum.left + datum.right) / 2")
        .mark_text(
            baseline="bottom", fontSize=14, opacity=alt.ExprRef(f"{fits} ? 1 : 0"), aria=False
        )
        .encode(
            x=_x("x"),
            y=alt.value(top + _BOX - 3),
            text="way:N",
            color=alt.Color("ink:N", scale=None),
        )
    )


def _x(field: str) -> alt.X:
    scale = alt.Scale(domain=[0, 1], nice=False, zero=False)
    return alt.X(f"{field}:Q", axis=None, title=None, scale=scale)
