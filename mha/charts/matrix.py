"""Any matrix with named rows and columns; `tables.matrix_table` feeds it."""

from __future__ import annotations

from functools import partial
from typing import Any

import altair as alt
import numpy as np
import pandas as pd

from mha.charts import marks
from mha.charts.colors import DIVERGING, MASK_GREY, SEQUENTIAL, Theme, with_ink

_EMPTY = "datum.masked || !isValid(datum.value)"  # hidden, or no number: NaN is seen too


def matrix_chart(
    table: pd.DataFrame, theme: Theme = "light", *, signed: bool = True
) -> alt.LayerChart:
    """Any matrix with named rows and columns; `tables.matrix_table` feeds it.

    Args:
        signed: on the diverging scale of `shade`; otherwise on the scale of weights, [0, 1].
    """
    n_rows, n_columns = int(table["row"].max()) + 1, int(table["column"].max()) + 1
    table = with_ink(table, "shade" if signed else "value", theme)
    chart = _matrix(theme, signed, max(n_rows, n_columns) <= marks.FEW)
    return chart.properties(data=table, height=n_rows * matrix_row_pixels(n_rows))


def matrix_spec(
    n_rows: int,
    n_columns: int,
    theme: Theme,
    signed: bool = True,
    clickable: bool = False,
    outlined: bool = False,
) -> dict[str, Any]:
    """The spec of `matrix_chart` for a shape, ready to be fed a table: built once, then kept.

    Args:
        clickable: whether a click is told as the selection `cell`, with the fields row, column and
            stamp, and the cell for which the table's `chosen` holds is outlined.
        outlined: whether all cells for which `chosen` holds are outlined, without any click.
    """
    few = max(n_rows, n_columns) <= marks.FEW
    spec = marks.kept(_matrix, theme, signed, few, clickable, outlined)
    return {**spec, "height": n_rows * matrix_row_pixels(n_rows)}


def matrix_row_pixels(n_rows: int) -> float:
    """The height of a matrix's row."""
    return max(14.0, min(34.0, marks.PICTURE_PIXELS / n_rows))


def _matrix(
    theme: Theme, signed: bool, few: bool, clickable: bool = False, outlined: bool = False
) -> alt.LayerChart:
    x, y = partial(marks.place, "column"), partial(marks.place, "row")
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
        alt.Chart()
        .mark_rect(invalid="show")
        .encode(
            x=x(alt.X),
            y=y(alt.Y),
            color=alt.condition(
                _EMPTY,
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
    numbers = marks.numbers("datum.text != ''", "text:N", "max(2, length(datum.text))", x, y)
    words = [
        marks.labels_down("column", "row_label:N", "row_name:N", y, "false"),
        marks.labels_across("row", "column_label:N", "column_name:N", x),
    ]
    if clickable:
        cells = cells.mark_rect(cursor="pointer").add_params(marks.clicked_cell("row", "column"))
    chosen = [marks.chosen_cell(x, y)] if clickable or outlined else []
    layers = [cells, *marks.hatch(few, x, y, "column", "row"), numbers, *chosen, *words]
    return marks.finish(layers)
