"""A chart as a file to keep: the spec and the table that a page shows → SVG or PNG.

The same Vega-Lite as in the browser draws it, on the machine that runs the app; nothing is fetched.
A page's own colours have to be written in: outside of it, `currentColor` is black on any ground.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import altair as alt
import pandas as pd
import vl_convert

from mha.charts.colors import PAGE, TEXT, Theme
from mha.checks import require_positive_int

WIDTH = 900  # pixels, of a chart in a document or on a slide
MOST_WIDE, MOST_SCALE = 4000, 4
# The converter holds several versions of Vega-Lite; a spec is drawn by the one it was written for.
_HOW = {"vl_version": ".".join(alt.SCHEMA_VERSION.lstrip("v").split(".")[:2])}
_HOW["allowed_base_urls"] = []


def svg(
    spec: Mapping[str, Any], table: pd.DataFrame, *, theme: Theme = "light", width: int = WIDTH
) -> str:
    """The chart as SVG, its words as text that can be searched and edited.

    Args:
        spec: a finished one, such as `cache_spec(theme)`.
        table: what it is fed.
        theme: whose ground and text it has; that which the spec was built for.
        width: of the whole chart, in pixels.

    Raises:
        ValueError: width is not a whole number from 1 to MOST_WIDE.
    """
    return vl_convert.vegalite_to_svg(_whole(spec, table, theme, width), **_HOW)


def png(
    spec: Mapping[str, Any],
    table: pd.DataFrame,
    *,
    theme: Theme = "light",
    width: int = WIDTH,
    scale: int = 2,
) -> bytes:
    """The chart as PNG, `scale` pixels of it for each pixel of width.

    Raises:
        ValueError: width or scale is not a whole number from 1 to MOST_WIDE or MOST_SCALE.
    """
    scale = require_positive_int("scale", scale, most=MOST_SCALE)
    return vl_convert.vegalite_to_png(_whole(spec, table, theme, width), scale=scale, **_HOW)


def _whole(
    spec: Mapping[str, Any], table: pd.DataFrame, theme: Theme, width: int
) -> dict[str, Any]:
    """The spec with its table, its width and the page's colours."""
    width = require_positive_int("width", width, most=MOST_WIDE)
    # Before the table comes in: people's words are never read as a colour.
    colored = json.loads(json.dumps(spec).replace('"currentColor"', f'"{TEXT[theme]}"'))
    config = {"font": "sans-serif"} | colored.get("config", {})
    data = {"values": json.loads(table.to_json(orient="records"))}
    return colored | {"width": width, "background": PAGE[theme], "config": config, "data": data}
