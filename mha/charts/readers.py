"""Which query head reads which key and value head; `cache_marks.kv_readers_marks` feeds it.

Query heads above, key and value heads below, a line from each query head to the one that it reads;
a group has its key and value head's hue. A number stands in its box where it has room; where query
heads are too many for that, their group's first and last stand across the boxes.
"""

from __future__ import annotations

from typing import Any

import altair as alt
import numpy as np
import pandas as pd

from mha.charts.colors import HEAD_HUES, color_at, ink_on
from mha.charts.marks import finish, kept

PIXELS = 300
_ABOVE, _BELOW = (34, 94), (206, 266)  # the rows of boxes, from the top down
_UPPER, _LOWER = (38, 64), (64, 90)  # two numbers in one box, the one above the other
_LEAST_FONT = 12
_HUE, _INK = alt.Color("hue:N", scale=None), alt.Color("ink:N", scale=None)


def with_hues(table: pd.DataFrame) -> pd.DataFrame:
    """The table with `hue`, that of its key and value head, and `ink`, what reads on it."""
    hues = np.array(HEAD_HUES)
    inks = ink_on(color_at(np.linspace(0, 1, len(hues)), HEAD_HUES, low=0))
    group = table["kv_head"].to_numpy() % len(hues)
    return table.assign(hue=hues[group], ink=inks[group])


def kv_readers_spec() -> dict[str, Any]:
    """Boxes and lines, ready to be fed a table with hues: built once, then kept."""
    return kept(_readers)


def _readers() -> alt.LayerChart:
    heads, groups = alt.Chart(), alt.Chart().transform_filter("datum.first")
    once = alt.Chart().transform_filter("datum.head == 0")
    tips = [
        alt.Tooltip("head:Q", title="query head"),
        alt.Tooltip("kv_head:Q", title="reads key and value head"),
    ]
    kv_tips = [
        alt.Tooltip("kv_head:Q", title="key and value head"),
        alt.Tooltip("readers:N", title="read by query heads"),
    ]
    thin = alt.ExprRef("max(0.75, min(4, (datum.right - datum.left) * width * 0.4))")
    lines = (
        heads.transform_calculate(
            x="(datum.left + datum.right) / 2", x2="(datum.kv_left + datum.kv_right) / 2"
        )
        .mark_rule(strokeWidth=thin, aria=False)
        .encode(x=_x("x"), x2="x2", y=alt.value(_ABOVE[1]), y2=alt.value(_BELOW[0]), color=_HUE)
    )
    own = _font("datum.left", "datum.right", "datum.digits")
    shared = _font("datum.group_left", "datum.group_right", "(2 * datum.digits + 4)")
    stacked = _font("datum.group_left", "datum.group_right", "datum.digits", most=16)
    kv_own = _font("datum.kv_left", "datum.kv_right", "datum.kv_digits")
    alone, across = f"{own} >= {_LEAST_FONT}", f"{shared} >= {_LEAST_FONT}"
    down = f"{stacked} >= {_LEAST_FONT} && datum.first_reader < datum.last_reader"
    title = {"align": "left", "fontSize": 18, "color": "currentColor"}
    return finish(
        [
            lines,
            _boxes(heads, "left", "right", _ABOVE, tips),
            _boxes(groups, "kv_left", "kv_right", _BELOW, kv_tips),
            _numbers(heads, "left", "right", _ABOVE, own, alone, "head"),
            *[
                _numbers(groups, "group_left", "group_right", place, size, shown, text)
                for place, size, shown, text in (
                    (_ABOVE, shared, f"!({alone}) && {across}", "readers"),
                    (_UPPER, stacked, f"!({alone}) && !({across}) && {down}", "first_reader"),
                    (_LOWER, stacked, f"!({alone}) && !({across}) && {down}", "last_reader"),
                )
            ],
            _numbers(
                groups,
                "kv_left",
                "kv_right",
                _BELOW,
                kv_own,
                f"{kv_own} >= {_LEAST_FONT}",
                "kv_head",
            ),
            once.mark_text(**title, baseline="bottom").encode(
                x=alt.value(0), y=alt.value(_ABOVE[0] - 8), text="head_count:N"
            ),
            once.mark_text(**title, baseline="top").encode(
                x=alt.value(0), y=alt.value(_BELOW[1] + 10), text="kv_head_count:N"
            ),
        ]
    ).properties(height=PIXELS)


def _boxes(
    rows: alt.Chart, left: str, right: str, place: tuple[int, int], tips: list[alt.Tooltip]
) -> alt.Chart:
    top, bottom = map(alt.value, place)
    return rows.mark_rect(cornerRadius=3).encode(
        x=_x(left), x2=right, y=top, y2=bottom, color=_HUE, tooltip=tips
    )


def _numbers(
    rows: alt.Chart, left: str, right: str, place: tuple[int, int], size: str, shown: str, text: str
) -> alt.Chart:
    return (
        rows.transform_calculate(x=f"(datum.{left} + datum.{right}) / 2")
        .mark_text(
            baseline="middle",
            fontSize=alt.ExprRef(size),
            opacity=alt.ExprRef(f"{shown} ? 1 : 0"),
            aria=False,
        )
        .encode(x=_x("x"), y=alt.value(sum(place) / 2), text=f"{text}:N", color=_INK)
    )


def _font(left: str, right: str, length: str, most: int = 22) -> str:
    """The size of a text of so many signs between these sides, as an expression."""
    return f"min({most}, ({right} - {left}) * width * 1.6 / {length})"


def _x(field: str) -> alt.X:
    scale = alt.Scale(domain=[0, 1], nice=False, zero=False)
    return alt.X(f"{field}:Q", axis=None, title=None, scale=scale)
