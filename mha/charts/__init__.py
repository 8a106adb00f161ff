"""Tables → Altair charts, returned and never shown; the one room that imports Altair.

A chart depends on the theme and the rows' height alone, never on the data, so that its finished
spec is kept and fed new tables: `weights_spec(T, theme)` is `weights_chart(table, theme)` without
its table.
Words are values of fixed fields, drawn as text marks; they are never part of an expression.

Colours: one sequential scale for weights on [0, 1], one diverging scale centred on 0 for signed
numbers, grey hatch for what the mask hides, one Okabe-Ito hue a head. Words take the page's own
colour (`currentColor`), so that they stay legible when a visitor changes the theme.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, partial
from typing import Any, Literal

import altair as alt
import numpy as np
import pandas as pd

Theme = Literal["light", "dark"]

HEAD_HUES = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#F0E442", "#7A7F87")
SEQUENTIAL = {
    "light": ("#F1F5FA", "#C3DAF0", "#7FB3DF", "#3B83C0", "#14569A", "#08306B"),
    "dark": ("#18212C", "#173A5E", "#1F5F99", "#4391CF", "#8CC4F0", "#E6F4FF"),
}
DIVERGING = {
    "light": ("#8C3B00", "#DD8A3E", "#F8DFC3", "#F3F4F6", "#C3DAF0", "#3B83C0", "#08306B"),
    "dark": ("#FFD9B0", "#D98334", "#6B3A12", "#1B222B", "#173A5E", "#4391CF", "#E6F4FF"),
}
MASK_GREY = "#868C96"
CHOSEN = "#E69F00"
PICTURE_PIXELS = 430
MIN_NUMBER_PIXELS = 28

_EMPTY = "datum.masked || !isValid(datum.weight)"  # a weight is left out while it is to be guessed
_WORD_DOWN = alt.ExprRef("min(17, max(10, bandwidth('y') * 0.8))")
_WORD_ACROSS = alt.ExprRef("min(15, max(9, bandwidth('y') * 0.6))")
_FEW = 16  # rows or columns whose cells have room for three hatch lines


def weights_chart(table: pd.DataFrame, theme: Theme = "light") -> alt.LayerChart:
    """A head's weights as a grid, queries down and keys across; `tables.weights_table` feeds it.

    A click is told as the selection `cell`, with the fields query, key and stamp; on a word down
    the side, which stands for the whole row, the key is -1.
    """
    T = int(table["query"].max()) + 1
    chart = _weights(theme, T <= _FEW)
    return chart.properties(data=with_ink(table, "weight", theme), height=T * row_pixels(T))


def lines_chart(table: pd.DataFrame, hue: str) -> alt.LayerChart:
    """The same weights as lines from each query (left) to the keys (right), as wide as the weight.

    Args:
        table: from `tables.weights_table`.
        hue: the head's colour, from HEAD_HUES.
    """
    T = int(table["query"].max()) + 1
    return _lines(hue).properties(data=table, height=T * row_pixels(T))


def matrix_chart(
    table: pd.DataFrame, theme: Theme = "light", *, signed: bool = True
) -> alt.LayerChart:
    """Any matrix with named rows and columns; `tables.matrix_table` feeds it.

    Args:
        signed: on the diverging scale of `shade`; otherwise on the scale of weights, [0, 1].
    """
    n_rows, n_columns = int(table["row"].max()) + 1, int(table["column"].max()) + 1
    table = with_ink(table, "shade" if signed else "value", theme)
    chart = _matrix(theme, signed, max(n_rows, n_columns) <= _FEW)
    return chart.properties(data=table, height=n_rows * matrix_row_pixels(n_rows))


def weights_spec(T: int, theme: Theme) -> dict[str, Any]:
    """The spec of `weights_chart` for T tokens, ready to be fed a table: built once, then kept."""
    return {**_kept(_weights, theme, T <= _FEW), "height": T * row_pixels(T)}


def lines_spec(T: int, hue: str) -> dict[str, Any]:
    """The spec of `lines_chart` for T tokens, ready to be fed a table: built once, then kept."""
    return {**_kept(_lines, hue), "height": T * row_pixels(T)}


def matrix_spec(n_rows: int, n_columns: int, theme: Theme, signed: bool = True) -> dict[str, Any]:
    """The spec of `matrix_chart` for a shape, ready to be fed a table: built once, then kept."""
    few = max(n_rows, n_columns) <= _FEW
    return {**_kept(_matrix, theme, signed, few), "height": n_rows * matrix_row_pixels(n_rows)}


def row_pixels(T: int) -> float:
    """The height of a row of weights, so that up to 16 tokens fill the picture and 32 still fit."""
    return max(14.0, min(56.0, PICTURE_PIXELS / T))


def matrix_row_pixels(n_rows: int) -> float:
    """The height of a matrix's row."""
    return max(14.0, min(34.0, PICTURE_PIXELS / n_rows))


@lru_cache(64)
def _kept(build: Callable[..., alt.LayerChart], *how: Any) -> dict[str, Any]:
    spec = build(*how).to_dict()
    del spec["data"]  # only a name, which the table that is fed takes the place of
    return spec


def with_ink(table: pd.DataFrame, column: str, theme: Theme) -> pd.DataFrame:
    """The table with `ink`: black or white for each number, whichever reads better on its cell.

    Args:
        column: "weight" or "value", on the sequential scale; "shade", on the diverging one.
    """
    scale, low = (DIVERGING, -1.0) if column == "shade" else (SEQUENTIAL, 0.0)
    values = np.nan_to_num(table[column].to_numpy())
    return table.assign(ink=ink_on(color_at(values, scale[theme], low)))


def color_at(values: np.ndarray, ramp: tuple[str, ...], low: float) -> np.ndarray:
    """The colours (n, 3) in [0, 1] that a ramp over [low, 1] gives to n values, clamped."""
    stops = np.array([[int(hue[i : i + 2], 16) / 255 for i in (1, 3, 5)] for hue in ramp])
    at = np.linspace(low, 1, len(ramp))
    return np.stack([np.interp(values, at, stops[:, channel]) for channel in range(3)], axis=-1)


def ink_on(colors: np.ndarray) -> np.ndarray:
    """ "#000000" or "#FFFFFF" for each ground colour (n, 3), the one with the higher contrast."""
    luminance = relative_luminance(colors)
    black_reads_better = (luminance + 0.05) / 0.05 >= 1.05 / (luminance + 0.05)
    return np.where(black_reads_better, "#000000", "#FFFFFF").astype(object)


def relative_luminance(colors: np.ndarray) -> np.ndarray:
    """Relative luminance (n,) of sRGB colours (n, 3) in [0, 1]. Source: WCAG 2.2."""
    linear = np.where(colors <= 0.04045, colors / 12.92, ((colors + 0.055) / 1.055) ** 2.4)
    return linear @ np.array([0.2126, 0.7152, 0.0722])


# The charts themselves. Positions are ordinal, so that a repeated word keeps its own place.


def _weights(theme: Theme, few: bool) -> alt.LayerChart:
    x, y = partial(_place, "key"), partial(_place, "query")
    scale = alt.Scale(domain=[0, 1], range=list(SEQUENTIAL[theme]), clamp=True, interpolate="rgb")
    legend = alt.Legend(
        orient="bottom",
        title="weight",
        titleOrient="left",
        direction="horizontal",
        type="symbol",  # a gradient would be drawn by an address, which some links break
        symbolType="square",
        symbolSize=200,
        symbolStrokeWidth=0,
        values=[0, 0.5, 1],
        format="~f",
        columnPadding=8,
        titlePadding=6,
        offset=8,
        labelColor="currentColor",
        titleColor="currentColor",
    )
    cells = (
        _chart()
        .mark_rect(cursor="pointer", invalid="show")
        .encode(
            x=x(alt.X),
            y=y(alt.Y),
            color=alt.condition(
                _EMPTY,
                alt.value(f"{MASK_GREY}24"),
                alt.Color("weight:Q", scale=scale, legend=legend),
            ),
            tooltip=[
                alt.Tooltip("query_word:N", title="query"),
                alt.Tooltip("key_word:N", title="key"),
                alt.Tooltip("score:Q", title="score", format=".3f"),
                alt.Tooltip("weight:Q", title="weight", format=".4f"),
                alt.Tooltip("masked:N", title="masked"),
            ],
        )
        .add_params(_clicked_cell())
    )
    row = (
        _chart()
        .transform_filter("datum.in_row && datum.key == 0")
        .mark_rect(filled=False, stroke=CHOSEN, strokeWidth=2, strokeDash=[5, 3], aria=False)
        .encode(y=y(alt.Y), x=alt.value(0), x2=alt.value("width"))
    )
    chosen = (
        _chart()
        .transform_filter("datum.chosen")
        .mark_rect(filled=False, stroke=CHOSEN, strokeWidth=4, aria=False)
        .encode(x=x(alt.X), y=y(alt.Y))
    )
    numbers = _numbers(f"!({_EMPTY})", alt.Text("weight:Q", format=".2f"), "4", x, y)
    words = [
        _labels_down("key", "query_label:N", "query_word:N", y, "datum.in_row"),
        _labels_across("query", "key_label:N", "key_word:N", x),
        _corner("query", "key", "query ↓   key →"),
    ]
    layers = [cells, *_hatch(few, x, y, "key", "query"), numbers, row, chosen, *words]
    return _finish(layers)


def _lines(hue: str) -> alt.LayerChart:
    y = partial(_place, "query")
    ends = {"x": alt.value(0), "x2": alt.value("width"), "y": y(alt.Y), "y2": alt.Y2("key:O")}
    seen = _chart().transform_filter("!datum.masked")
    lines = seen.mark_rule(color=hue, strokeCap="round").encode(
        **ends,
        strokeWidth=alt.StrokeWidth(
            "weight:Q", scale=alt.Scale(domain=[0, 1], range=[0, 14]), legend=None
        ),
        opacity=alt.condition("datum.in_row", alt.value(0.95), alt.value(0.3)),
    )
    targets = (
        seen.mark_rule(strokeWidth=12, opacity=0, cursor="pointer")
        .encode(
            **ends,
            tooltip=[
                alt.Tooltip("query_word:N", title="query"),
                alt.Tooltip("key_word:N", title="key"),
                alt.Tooltip("weight:Q", title="weight", format=".4f"),
            ],
        )
        .add_params(_clicked_cell())
    )
    queries = _labels_down("key", "query_label:N", "query_word:N", y, "datum.in_row", dx=-14)
    keys = (
        _chart()
        .transform_filter("datum.query == 0")
        .mark_text(align="left", dx=14, color="currentColor", fontSize=_WORD_DOWN)
        .encode(
            y=_place("key", alt.Y), x=alt.value("width"), text="key_label:N", tooltip="key_word:N"
        )
    )
    return _finish([lines, targets, queries, keys])


def _matrix(theme: Theme, signed: bool, few: bool) -> alt.LayerChart:
    x, y = partial(_place, "column"), partial(_place, "row")
    ramp, domain, field = (
        (DIVERGING[theme], [-1, 0, 1], "shade:Q")
        if signed
        else (SEQUENTIAL[theme], [0, 1], "value:Q")
    )
    scale = alt.Scale(
        domain=list(np.linspace(domain[0], 1, len(ramp))),
        range=list(ramp),
        clamp=True,
        interpolate="rgb",
    )
    cells = (
        _chart()
        .mark_rect()
        .encode(
            x=x(alt.X),
            y=y(alt.Y),
            color=alt.condition(
                "datum.masked",
                alt.value(f"{MASK_GREY}24"),
                alt.Color(field, scale=scale, legend=None),
            ),
            tooltip=[
                alt.Tooltip("row_name:N", title="row"),
                alt.Tooltip("column_name:N", title="column"),
                alt.Tooltip("value:Q", format=".4~f"),
                alt.Tooltip("masked:N"),
            ],
        )
    )
    numbers = _numbers("datum.text != ''", "text:N", "max(2, length(datum.text))", x, y)
    words = [
        _labels_down("column", "row_label:N", "row_name:N", y, "false"),
        _labels_across("row", "column_label:N", "column_name:N", x),
    ]
    layers = [cells, *_hatch(few, x, y, "column", "row"), numbers, *words]
    return _finish(layers)


def _chart() -> alt.Chart:
    return alt.Chart()


def _place(field: str, channel: Callable[..., Any], **more: Any) -> Any:
    """An ordinal position, with no axis: words are text marks of their own."""
    scale = alt.Scale(paddingInner=0.04, paddingOuter=0)
    return channel(f"{field}:O", axis=None, scale=scale, title=None, **more)


def _clicked_cell() -> alt.Parameter:
    """The selection that a click makes; a stamp makes a second click on one place a new one."""
    fields = ["query", "key", "stamp"]
    return alt.selection_point(name="cell", fields=fields, on="click", clear=False)


def _numbers(shown: str, text: Any, length: str, x: Any, y: Any) -> alt.Chart:
    """The number in each cell, in its ink, where the cell is wide enough to print it.

    length: how many characters the number has, as an expression.
    """
    size = alt.ExprRef(f"min(22, bandwidth('x') * 1.45 / {length}, bandwidth('y') * 0.62)")
    fits = alt.ExprRef(f"bandwidth('x') >= {MIN_NUMBER_PIXELS} && bandwidth('y') >= 15 ? 1 : 0")
    return (
        _chart()
        .transform_filter(shown)
        .mark_text(fontSize=size, opacity=fits)
        .encode(
            x=x(alt.X),
            y=y(alt.Y),
            text=text,
            color=alt.Color("ink:N", scale=None),
        )
    )


def _hatch(few: bool, x: Any, y: Any, x_field: str, y_field: str) -> list[alt.Chart]:
    """Grey diagonals in the masked cells: three a cell, or one where the cells are small."""
    three = ((0, 1, 1, 0), (0, 0.5, 0.5, 0), (0.5, 1, 1, 0.5))
    return [
        _chart()
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


def _labels_down(first: str, label: str, word: str, y: Any, marked: str, dx: int = -8) -> alt.Chart:
    """Words down the left side, one a row, whole on hover; the strongest where `marked` holds."""
    return (
        _chart()
        .transform_filter(f"datum.{first} == 0")
        .transform_calculate(**{first: "-1"})
        .mark_text(
            align="right", dx=dx, color="currentColor", fontSize=_WORD_DOWN, cursor="pointer"
        )
        .encode(
            y=y(alt.Y),
            x=alt.value(0),
            text=label,
            tooltip=alt.Tooltip(word, title="word"),
            opacity=alt.condition(marked, alt.value(1), alt.value(0.85)),
        )
    )


def _labels_across(first: str, label: str, word: str, x: Any) -> alt.Chart:
    """Words along the top, slanted, one a column, whole on hover.

    They begin a fixed way before their column's right edge and have a size that does not follow the
    width: so what stands out on the right is known before the chart's width is shared out.
    """
    return (
        _chart()
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


def _corner(first_y: str, first_x: str, text: str) -> alt.Chart:
    return (
        _chart()
        .transform_filter(f"datum.{first_y} == 0 && datum.{first_x} == 0")
        .mark_text(align="right", dx=-8, dy=-14, color="currentColor", opacity=0.75, fontSize=14)
        .encode(x=alt.value(0), y=alt.value(0), text=alt.value(text))
    )


def _finish(layers: list[alt.Chart]) -> alt.LayerChart:
    """Layers over one table. The cells' scale is their own: the ink of the numbers has none."""
    chart = alt.layer(*layers, data=alt.NamedData("table"))
    chart = chart.properties(
        autosize=alt.AutoSizeParams(type="fit-x", contains="padding", resize=True),
        padding={"left": 4, "top": 4, "bottom": 4, "right": 12},  # slanted words lean out there
    )
    return chart.resolve_scale(color="independent").configure_view(stroke=None)
