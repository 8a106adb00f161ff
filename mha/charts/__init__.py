"""Tables → Altair charts, returned and never shown; the one room that imports Altair.

A chart depends on the theme and the rows' height alone, never on the data, so that its finished
spec is kept and fed new tables: `weights_spec(T, theme)` is `weights_chart(table, theme)` without
its table.
Words are values of fixed fields, drawn as text marks; they are never part of an expression.

`colors` holds the scales and the ink on them, `marks` what charts share, `weights`, `lines` and
`matrix` a kind of chart each, `stills` the still pictures of split and merge, `ledger`, `cache` and
`readers` what a layer costs, and `files` makes any of them a file to keep.
"""

from mha.charts.colors import (
    CHOSEN,
    DIVERGING,
    HEAD_HUES,
    MASK_GREY,
    PAGE,
    SEQUENTIAL,
    TEXT,
    Theme,
    color_at,
    ink_on,
    relative_luminance,
    with_ink,
)
from mha.charts.lines import lines_chart, lines_spec
from mha.charts.marks import MIN_NUMBER_PIXELS, PICTURE_PIXELS, row_pixels
from mha.charts.matrix import matrix_chart, matrix_row_pixels, matrix_spec
from mha.charts.weights import weights_chart, weights_spec

__all__ = [
    "CHOSEN",
    "DIVERGING",
    "HEAD_HUES",
    "MASK_GREY",
    "MIN_NUMBER_PIXELS",
    "PAGE",
    "PICTURE_PIXELS",
    "SEQUENTIAL",
    "TEXT",
    "Theme",
    "color_at",
    "ink_on",
    "lines_chart",
    "lines_spec",
    "matrix_chart",
    "matrix_row_pixels",
    "matrix_spec",
    "relative_luminance",
    "row_pixels",
    "weights_chart",
    "weights_spec",
    "with_ink",
]
