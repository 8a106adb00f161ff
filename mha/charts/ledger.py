"""Parameters by the number of heads, and what changes with it, as bars.

`parameters_table` and `changes_table` of `mha.ledger_tables` feed them. Neither spec depends on the
numbers: the bars share the width out among them, whatever their number, and heights are shares of
the tallest, so that every scale has its ends from the start.
"""

from __future__ import annotations

from functools import cache, partial
from typing import Any

import altair as alt
import numpy as np
import pandas as pd

from mha.charts import CHOSEN, HEAD_HUES, MASK_GREY, SEQUENTIAL, Theme, color_at, ink_on

PIXELS = 500
_PANELS = 3
# Which of the sequential scale's colours each projection has: hues are for heads alone.
_SHADE = {"W_Q": 1, "W_K": 2, "W_V": 3, "W_O": 4}
_MIDDLE = "(datum.bar_left + datum.bar_right) / 2"
_BOLD = alt.ExprRef("datum.lit ? 'bold' : 'normal'")


def with_hues(table: pd.DataFrame, theme: Theme) -> pd.DataFrame:
    """The table of parameters with `hue`, a piece's colour, and `ink`, what reads better on it.

    A head's slice has the head's hue, a whole projection a shade, and the biases are grey.
    """
    shades = [
        SEQUENTIAL[theme][_SHADE[part]] if part in _SHADE else MASK_GREY for part in table["part"]
    ]
    own = np.array(HEAD_HUES, dtype=object)[table["head"].to_numpy() % len(HEAD_HUES)]
    hue = np.where(table["head"] >= 0, own, np.array(shades, dtype=object))
    hues, which = np.unique(hue.astype(str), return_inverse=True)
    inks = [ink_on(color_at(np.zeros(1), (one, one), low=0))[0] for one in hues]
    return table.assign(hue=hue, ink=np.array(inks, dtype=object)[which])


@cache
def parameters_spec() -> dict[str, Any]:
    """Bars of stacked projections, or of their heads' slices, ready to be fed a table."""
    y = partial(_y, [0, 1.07])  # room for the totals above the bars
    pieces = (
        alt.Chart()
        .mark_rect()
        .encode(
            x=_x("left"),
            x2="right",
            y=y("start"),
            y2="end",
            color=alt.Color("hue:N", scale=None),
            opacity=alt.condition("datum.lit", alt.value(1), alt.value(0.45)),
            tooltip=[
                alt.Tooltip("heads:Q", format=","),
                alt.Tooltip("slice:N", title="part"),
                alt.Tooltip("count:Q", title="parameters", format=","),
                alt.Tooltip("total:Q", title="of all", format=","),
            ],
        )
    )
    tall, wide = "scale('y', datum.start) - scale('y', datum.end)", _pixels("left", "right")
    numbers = (
        alt.Chart()
        .transform_calculate(
            x="(datum.left + datum.right) / 2",
            y="(datum.start + datum.end) / 2",
            text="datum.head < 0 ? format(datum.count, ',') : '' + datum.head",
            longest="datum.head < 0 ? format(datum.count, ',') : '' + (datum.heads - 1)",
        )
        .mark_text(
            baseline="middle",
            fontSize=alt.ExprRef(f"min(18, ({tall}) * 0.9, {wide} * 1.6 / length(datum.longest))"),
            fontWeight=_BOLD,
            # A head's short number may fill its slice; a whole part's must not touch the ends.
            opacity=alt.ExprRef(
                f"({tall}) >= (datum.head < 0 ? 16 : 12)"
                f" && {wide} / length(datum.longest) >= 7 ? 1 : 0"
            ),
            aria=False,
        )
        .encode(
            x=_x("x"),
            y=y("y"),
            text="text:N",
            color=alt.condition(
                "datum.lit", alt.Color("ink:N", scale=None), alt.value("currentColor")
            ),
        )
    )
    names = (
        alt.Chart()
        .transform_filter("isValid(datum.named)")
        .transform_calculate(text="replace(datum.part, 'W_', '')")
        .mark_text(align="right", baseline="middle", dx=-10, fontSize=18, color="currentColor")
        .encode(x=alt.value(0), y=y("named"), text="text:N")
    )
    level = (
        alt.Chart()
        .transform_filter("datum.lit && datum.first")
        .mark_rule(strokeDash=[6, 4], strokeWidth=2, color=CHOSEN, aria=False)
        .encode(x=alt.value(0), x2=alt.value("width"), y=y("height"))
    )
    totals = _above("total", "datum.height", "datum.first").encode(y=y("y"))
    return _finished([pieces, numbers, level, names, totals, *_below("datum.first")])


@cache
def changes_spec() -> dict[str, Any]:
    """Three panels of bars, each on a scale of its own, ready to be fed a table."""
    y = partial(_y, [_PANELS, 0])
    top = "datum.panel + 1 - datum.share * 0.54"
    bars = (
        alt.Chart()
        .transform_calculate(foot="datum.panel + 1", top=top)
        .mark_rect()
        .encode(
            x=_x("bar_left"),
            x2="bar_right",
            y=y("foot"),
            y2="top",
            color=alt.condition("datum.lit", alt.value(CHOSEN), alt.value(MASK_GREY)),
            opacity=alt.condition("datum.lit", alt.value(1), alt.value(0.6)),
            tooltip=[
                alt.Tooltip("heads:Q", format=","),
                alt.Tooltip("quantity:N"),
                alt.Tooltip("value:Q", format=","),
            ],
        )
    )
    numbers = _above("value", top, "true").encode(y=y("y"))
    names = (
        alt.Chart()
        .transform_filter("datum.first")
        .transform_calculate(y="datum.panel + 0.16")
        .mark_text(align="left", baseline="middle", fontSize=17, color="currentColor")
        .encode(x=alt.value(0), y=y("y"), text="quantity:N")
    )
    return _finished([bars, numbers, names, *_below("datum.panel == 0")])


def _x(field: str) -> alt.X:
    scale = alt.Scale(domain=[0, 1], nice=False, zero=False)
    return alt.X(f"{field}:Q", axis=None, title=None, scale=scale)


def _y(domain: list[float], field: str) -> alt.Y:
    scale = alt.Scale(domain=domain, nice=False, zero=False)
    return alt.Y(f"{field}:Q", axis=None, title=None, scale=scale)


def _pixels(left: str, right: str) -> str:
    return f"((datum.{right} - datum.{left}) * width)"


def _above(value: str, top: str, shown: str) -> alt.Chart:
    """A number above each bar that is wide enough for it, and above the lit one always."""
    size = f"{_pixels('bar_left', 'bar_right')} * 1.6 / max(3, length(datum.text))"
    return (
        alt.Chart()
        .transform_filter(shown)
        .transform_calculate(y=top, text=f"format(datum.{value}, ',')")
        .mark_text(
            align=alt.ExprRef("datum.align"),
            baseline="bottom",
            dy=-4,
            color="currentColor",
            fontSize=alt.ExprRef(f"datum.lit ? 18 : min(17, {size})"),
            fontWeight=_BOLD,
            opacity=alt.ExprRef(f"datum.lit || {size} >= 11 ? 1 : 0"),
        )
        .encode(x=_x("align_at"), text="text:N")
    )


def _below(one_a_bar: str) -> list[alt.Chart]:
    """The numbers of heads below the bars, and what they are."""
    size = "datum.tick_width * width * 1.7 / length(datum.tick)"
    ticks = (
        alt.Chart()
        .transform_filter(f"{one_a_bar} && datum.tick != ''")
        .transform_calculate(x=_MIDDLE)
        .mark_text(
            baseline="top",
            dy=7,
            color="currentColor",
            fontSize=alt.ExprRef(f"min(17, max(datum.lit ? 13 : 9, {size}))"),
            fontWeight=_BOLD,
            opacity=alt.ExprRef(f"datum.lit || {size} >= 7 ? 1 : 0"),
        )
        .encode(x=_x("x"), y=alt.value("height"), text="tick:N")
    )
    title = (
        alt.Chart()
        .transform_filter(f"{one_a_bar} && datum.lit")
        .mark_text(align="left", baseline="top", dy=30, fontSize=17, color="currentColor")
        .encode(x=alt.value(0), y=alt.value("height"), text=alt.value("number of heads, h"))
    )
    return [ticks, title]


def _finished(layers: list[alt.Chart]) -> dict[str, Any]:
    chart = alt.layer(*layers, data=alt.NamedData("table")).properties(
        height=PIXELS,
        autosize=alt.AutoSizeParams(type="fit-x", contains="padding", resize=True),
        padding={"left": 4, "top": 4, "bottom": 4, "right": 12},
    )
    spec = chart.configure_view(stroke=None).to_dict()
    del spec["data"]  # only a name, which the table that is fed takes the place of
    return spec
