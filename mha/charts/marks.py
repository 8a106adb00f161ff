"""Marks that the charts share: cells' places, numbers, hatch and words, and how layers make one.

Positions are ordinal, so that a repeated word keeps its own place. Words are values of fixed
fields, drawn as text marks in the page's own colour (`currentColor`).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

import altair as alt

from mha.charts.colors import CHOSEN, MASK_GREY

PICTURE_PIXELS = 430
MIN_NUMBER_PIXELS = 28
FEW = 16  # rows or columns whose cells have room for three hatch lines

WORD_DOWN = alt.ExprRef("min(17, max(10, bandwidth('y') * 0.8))")
_WORD_ACROSS = alt.ExprRef("min(15, max(9, bandwidth('y') * 0.6))")


def row_pixels(T: int) -> float:
    """The height of a row of weights, so that up to 16 tokens fill the picture and 32 still fit."""
    return max(14.0, min(56.0, PICTURE_PIXELS / T))


@lru_cache(64)
def kept(build: Callable[..., alt.LayerChart], *how: Any) -> dict[str, Any]:
    """The spec that `build(*how)` makes, without its table: made once, then kept."""
    spec = build(*how).to_dict()
    del spec["data"]  # only a name, which the table that is fed takes the place of
    return spec


def place(field: str, channel: Callable[..., Any], **more: Any) -> Any:
    """An ordinal position, with no axis: words are text marks of their own."""
    scale = alt.Scale(paddingInner=0.04, paddingOuter=0)
    return channel(f"{field}:O", axis=None, scale=scale, title=None, **more)


def of_kind(kind: str) -> alt.Chart:
    """The rows of a table of marks that are of this kind."""
    return alt.Chart().transform_filter(f"datum.kind == '{kind}'")


def share(field: str, channel: Callable[..., Any], start: float = 0, end: float = 1) -> Any:
    """A position as a share of the picture, with no axis; start is left, or at the bottom."""
    scale = alt.Scale(domain=[start, end], nice=False, zero=False)
    return channel(f"{field}:Q", axis=None, title=None, scale=scale)


def clicked_cell(*fields: str) -> alt.Parameter:
    """The selection that a click makes; a stamp makes a second click on one place a new one."""
    return alt.selection_point(name="cell", fields=[*fields, "stamp"], on="click", clear=False)


def chosen_cell(x: Any, y: Any) -> alt.Chart:
    """An outline around the cell for which the table's `chosen` holds."""
    return (
        alt.Chart()
        .transform_filter("datum.chosen")
        .mark_rect(filled=False, stroke=CHOSEN, strokeWidth=4, aria=False)
        .encode(x=x(alt.X), y=y(alt.Y))
    )


def numbers(shown: str, text: Any, length: str, x: Any, y: Any) -> alt.Chart:
    """The number in each cell, in its ink, where the cell is wide enough to print it.

    length: how many characters the number has, as an expression.
    """
    size = alt.ExprRef(f"min(22, bandwidth('x') * 1.6 / {length}, bandwidth('y') * 0.68)")
    fits = alt.ExprRef(f"bandwidth('x') >= {MIN_NUMBER_PIXELS} && bandwidth('y') >= 15 ? 1 : 0")
    return (
        alt.Chart()
        .transform_filter(shown)
        .mark_text(fontSize=size, opacity=fits)
        .encode(
            x=x(alt.X),
            y=y(alt.Y),
            text=text,
            color=alt.Color("ink:N", scale=None),
        )
    )


def hatch(few: bool, x: Any, y: Any, x_field: str, y_field: str) -> list[alt.Chart]:
    """Grey diagonals in the masked cells: three a cell, or one where the cells are small."""
    three = ((0, 1, 1, 0), (0, 0.5, 0.5, 0), (0.5, 1, 1, 0.5))
    return [
        alt.Chart()
        .transform_filter("datum.masked")
        .mark_rule(color=MASK_GREY, strokeWidth=1, opacity=0.6, aria=False)
        .encode(
            x=x(alt.X, bandPosition=x1),
            x2=alt.X2(f"{x_field}:O", bandPosition=x2),
            y=y(alt.Y, bandPosition=y1),
            y2=alt.Y2(f"{y_field}:O", bandPosition=y2),
        )
        for x1, x2, y1, y2 in (three if few else three[:1])
    ]


def labels_down(first: str, label: str, word: str, y: Any, marked: str, dx: int = -8) -> alt.Chart:
    """Words down the left side, one a row, whole on hover; the strongest where `marked` holds."""
    return (
        alt.Chart()
        .transform_filter(f"datum.{first} == 0")
        .transform_calculate(**{first: "-1"})
        .mark_text(align="right", dx=dx, color="currentColor", fontSize=WORD_DOWN, cursor="pointer")
        .encode(
            y=y(alt.Y),
            x=alt.value(0),
            text=label,
            tooltip=alt.Tooltip(word, title="word"),
            opacity=alt.condition(marked, alt.value(1), alt.value(0.85)),
        )
    )


def labels_across(first: str, label: str, word: str, x: Any) -> alt.Chart:
    """Words along the top, slanted, one a column, whole on hover.

    They begin a fixed way before their column's right edge and have a size that does not follow the
    width: so what stands out on the right is known before the chart's width is shared out.
    """
    return (
        alt.Chart()
        .transform_filter(f"datum.{first} == 0")
        .mark_text(
            align="left", angle=315, xOffset=-12, color="currentColor", fontSize=_WORD_ACROSS
        )
        .encode(
            x=x(alt.X, bandPosition=1),
            y=alt.value(-5),
            text=label,
            tooltip=alt.Tooltip(word, title="word"),
        )
    )


def corner(first_y: str, first_x: str, text: str) -> alt.Chart:
    """A few words of ours where the words down and the words across meet."""
    return (
        alt.Chart()
        .transform_filter(f"datum.{first_y} == 0 && datum.{first_x} == 0")
        .mark_text(align="right", dx=-8, dy=-14, color="currentColor", opacity=0.75, fontSize=15)
        .encode(x=alt.value(0), y=alt.value(0), text=alt.value(text))
    )


def finish(layers: list[alt.Chart]) -> alt.LayerChart:
    """Layers over one table. The cells' scale is their own: the ink of the numbers has none."""
    chart = alt.layer(*layers, data=alt.NamedData("table"))
    chart = chart.properties(
        autosize=alt.AutoSizeParams(type="fit-x", contains="padding", resize=True),
        padding={"left": 4, "top": 4, "bottom": 4, "right": 12},  # slanted words lean out there
    )
    return chart.resolve_scale(color="independent").configure_view(stroke=None)
