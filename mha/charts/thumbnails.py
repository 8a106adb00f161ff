"""A small picture of an idea, by one spec for all of them; `mha.thumbnails` feeds it."""

from __future__ import annotations

from functools import lru_cache, partial
from typing import Any

import altair as alt
import numpy as np
import pandas as pd

from mha.charts.colors import HEAD_HUES, MASK_GREY, SEQUENTIAL, Theme, color_at
from mha.charts.marks import finish, kept, of_kind, share

PIXELS = 150
_x, _y = partial(share, channel=alt.X), partial(share, channel=alt.Y, start=1, end=0)
# As large as its room allows: a sign is about half as wide as it is high.
_FONT = "min(15, max(9, datum.room * width * 1.85 / length(datum.text)))"


def with_hues(table: pd.DataFrame, theme: Theme) -> pd.DataFrame:
    """The table with `hue`, a weight's shade, a head's own, or grey, in place of its paint."""
    hues = [
        _hue(paint, number, theme)
        for paint, number in zip(table["paint"], table["number"], strict=True)
    ]
    return table.drop(columns=["paint", "number"]).assign(hue=hues)


@lru_cache(1024)
def _hue(paint: str, number: float, theme: Theme) -> str:
    if paint == "grey":
        return MASK_GREY
    if paint == "head":
        return HEAD_HUES[int(number) % len(HEAD_HUES)]
    (rgb,) = color_at(np.array([number]), SEQUENTIAL[theme], low=0)
    return "#" + "".join(f"{round(255 * part):02X}" for part in rgb)


def thumbnail_spec() -> dict[str, Any]:
    """The spec of every small picture, ready to be fed a table: built once, then kept."""
    return kept(_thumbnail)


def _thumbnail() -> alt.LayerChart:
    place = {
        "x": _x("left"),
        "x2": "right",
        "y": _y("top"),
        "y2": "bottom",
    }
    hue = alt.Color("hue:N", scale=None)
    cells = of_kind("cell").mark_rect(aria=False).encode(**place, color=hue)
    masked = of_kind("masked").encode(**place)
    lines = (
        of_kind("line")
        .mark_rule(strokeWidth=3, strokeCap="round", aria=False)
        .encode(**place, color=hue, opacity=alt.Opacity("strength:Q", scale=None))
    )
    words = (
        of_kind("text")
        .mark_text(
            aria=False,
            align=alt.ExprRef("datum.align"),
            baseline="top",
            fontSize=alt.ExprRef(_FONT),
            color="currentColor",
        )
        .encode(x=_x("left"), y=_y("top"), text="text:N")
    )
    return finish(
        [
            cells,
            masked.mark_rect(color=f"{MASK_GREY}24", aria=False),
            masked.mark_rule(color=MASK_GREY, strokeWidth=1, opacity=0.6, aria=False),
            lines,
            words,
        ]
    ).properties(height=PIXELS, padding={"left": 2, "top": 4, "bottom": 2, "right": 2})
