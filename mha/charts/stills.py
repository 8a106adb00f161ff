"""A stage of split and merge as a still picture; `tables.stage_table` feeds it."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import altair as alt
import numpy as np
import pandas as pd

from mha.charts.colors import HEAD_HUES, color_at, ink_on
from mha.charts.marks import PICTURE_PIXELS, kept


def with_hues(table: pd.DataFrame) -> pd.DataFrame:
    """The table with `hue`, its head's, and `ink`, black or white, whichever reads better on it."""
    hues = np.array(HEAD_HUES)
    inks = ink_on(color_at(np.linspace(0, 1, len(hues)), HEAD_HUES, low=0))
    head = table["head"].to_numpy() % len(hues)
    return table.assign(hue=hues[head], ink=inks[head])


def stage_spec(rows: float, columns: float, digits: int) -> dict[str, Any]:
    """The spec of a stage's picture, ready to be fed a table: built once, then kept.

    Args:
        rows, columns: the size of the drawing in cells, from `layout.extent`.
        digits: of the largest number.
    """
    return kept(_stage, rows, columns, digits)


def _stage(rows: float, columns: float, digits: int) -> alt.LayerChart:
    x = partial(_in_cells, alt.X, [0, columns])
    y = partial(_in_cells, alt.Y, [rows, -1])  # room above the first row for the heads' names
    hue, ink = alt.Color("hue:N", scale=None), alt.Color("ink:N", scale=None)
    cells = (
        alt.Chart()
        .mark_rect(cornerRadius=2, aria=False)
        .encode(
            x=x("left"),
            x2="right",
            y=y("top"),
            y2="bottom",
            color=hue,
            tooltip=["number:Q", "head:Q", "wrong:N"],
        )
    )
    crosses = [
        alt.Chart()
        .transform_filter("datum.wrong")
        .mark_rule(strokeWidth=1.5, aria=False)
        .encode(x=x("left"), x2="right", y=y(start), y2=end, color=ink)
        for start, end in (("top", "bottom"), ("bottom", "top"))
    ]
    size = f"width / {columns} * 1.6 / {digits}"  # what a number has room for, in pixels
    numbers = (
        alt.Chart()
        .transform_calculate(x="(datum.left + datum.right) / 2", y="(datum.top + datum.bottom) / 2")
        .mark_text(
            aria=False,
            baseline="middle",
            fontWeight=600,
            fontSize=alt.ExprRef(f"min(17, {size})"),
            opacity=alt.ExprRef(f"{size} >= 9 ? 1 : 0"),
        )
        .encode(x=x("x"), y=y("y"), text="number:Q", color=ink)
    )
    names = (
        alt.Chart()
        .transform_filter("datum.name != ''")
        .mark_text(
            aria=False, align="left", baseline="bottom", dy=-2, fontSize=12, color="currentColor"
        )
        .encode(x=x("left"), y=y("top"), text="name:N")
    )
    chart = alt.layer(cells, *crosses, numbers, names, data=alt.NamedData("table"))
    return chart.properties(
        height=(rows + 1) * max(9.0, min(34.0, PICTURE_PIXELS / rows)),
        autosize=alt.AutoSizeParams(type="fit-x", contains="padding", resize=True),
    ).configure_view(stroke=None)


def _in_cells(channel: Callable[..., Any], domain: list[float], field: str) -> Any:
    scale = alt.Scale(domain=domain, nice=False, zero=False)
    return channel(f"{field}:Q", axis=None, title=None, scale=scale)
