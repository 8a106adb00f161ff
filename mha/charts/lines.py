"""A head's weights as lines from queries to keys; `tables.weights_table` feeds it."""

from __future__ import annotations

from functools import partial
from typing import Any

import altair as alt
import pandas as pd

from mha.charts import marks


def lines_chart(table: pd.DataFrame, hue: str) -> alt.LayerChart:
    """The same weights as lines from each query (left) to the keys (right), as wide as the weight.

    Args:
        table: from `tables.weights_table`.
        hue: the head's colour, from HEAD_HUES.
    """
    T = int(table["query"].max()) + 1
    return _lines(hue).properties(data=table, height=T * marks.row_pixels(T))


def lines_spec(T: int, hue: str) -> dict[str, Any]:
    """The spec of `lines_chart` for T tokens, ready to be fed a table: built once, then kept."""
    return {**marks.kept(_lines, hue), "height": T * marks.row_pixels(T)}


def _lines(hue: str) -> alt.LayerChart:
    y = partial(marks.place, "query")
    ends = {"x": alt.value(0), "x2": alt.value("width"), "y": y(alt.Y), "y2": alt.Y2("key:O")}
    seen = alt.Chart().transform_filter("!datum.masked")
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
        .add_params(marks.clicked_cell("query", "key"))
    )
    queries = marks.labels_down("key", "query_label:N", "query_word:N", y, "datum.in_row", dx=-14)
    keys = (
        alt.Chart()
        .transform_filter("datum.query == 0")
        .mark_text(align="left", dx=14, color="currentColor", fontSize=marks.WORD_DOWN)
        .encode(
            y=marks.place("key", alt.Y),
            x=alt.value("width"),
            text="key_label:N",
            tooltip="key_word:N",
        )
    )
    return marks.finish([lines, targets, queries, keys])
