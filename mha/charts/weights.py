"""A head's weights as a grid, queries down and keys across; `tables.weights_table` feeds it."""

from __future__ import annotations

from functools import partial
from typing import Any

import altair as alt
import pandas as pd

from mha.charts import marks
from mha.charts.colors import CHOSEN, MASK_GREY, SEQUENTIAL, Theme, with_ink

_EMPTY = "datum.masked || !isValid(datum.weight)"  # a weight is left out while it is to be guessed


def weights_chart(table: pd.DataFrame, theme: Theme = "light") -> alt.LayerChart:
    """A head's weights as a grid, queries down and keys across; `tables.weights_table` feeds it.

    A click is told as the selection `cell`, with the fields query, key and stamp; on a word down
    the side, which stands for the whole row, the key is -1.
    """
    T = int(table["query"].max()) + 1
    chart = _weights(theme, T <= marks.FEW)
    return chart.properties(data=with_ink(table, "weight", theme), height=T * marks.row_pixels(T))


def weights_spec(T: int, theme: Theme) -> dict[str, Any]:
    """The spec of `weights_chart` for T tokens, ready to be fed a table: built once, then kept."""
    return {**marks.kept(_weights, theme, T <= marks.FEW), "height": T * marks.row_pixels(T)}


def _weights(theme: Theme, few: bool) -> alt.LayerChart:
    x, y = partial(marks.place, "key"), partial(marks.place, "query")
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
        alt.Chart()
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
        .add_params(marks.clicked_cell("query", "key"))
    )
    row = (
        alt.Chart()
        .transform_filter("datum.in_row && datum.key == 0")
        .mark_rect(filled=False, stroke=CHOSEN, strokeWidth=2, strokeDash=[5, 3], aria=False)
        .encode(y=y(alt.Y), x=alt.value(0), x2=alt.value("width"))
    )
    numbers = marks.numbers(f"!({_EMPTY})", alt.Text("weight:Q", format=".2f"), "4", x, y)
    words = [
        marks.labels_down("key", "query_label:N", "query_word:N", y, "datum.in_row"),
        marks.labels_across("query", "key_label:N", "key_word:N", x),
        marks.corner("query", "key", "query ↓   key →"),
    ]
    layers = [
        cells,
        *marks.hatch(few, x, y, "key", "query"),
        numbers,
        row,
        marks.chosen_cell(x, y),
        *words,
    ]
    return marks.finish(layers)
