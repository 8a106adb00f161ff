"""A chart as a file to keep: the spec and the table that a page shows → SVG or PNG.

The same Vega-Lite as in the browser draws it, on the machine that runs the app; nothing is fetched.
A page's own colours have to be written in: outside of it, `currentColor` is black on any ground.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple
from xml.sax.saxutils import escape

import altair as alt
import pandas as pd
import vl_convert

from mha.charts.colors import PAGE, TEXT, Theme
from mha.charts.marks import MIN_NUMBER_PIXELS
from mha.checks import require_positive_int

WIDTH = 900  # pixels, of a chart in a document or on a slide
MOST_WIDE, MOST_SCALE = 4000, 4
SHEET_WIDTH, _GAP, _TITLE_HEIGHT, _TITLE_FONT = 560, 24, 34, 20  # pixels, of one of several charts
# Numbers in the cells of a sheet; more take seconds, in which nobody else is served.
MOST_NUMBERS = 800
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


class Picture(NamedTuple):
    """A chart of a sheet: a finished spec, what it is fed, and words of ours above it.

    columns: cells side by side, where it is a grid that prints a number in those with room for it.
    """

    spec: Mapping[str, Any]
    table: pd.DataFrame
    title: str = ""
    columns: int = 1


def sheet_svg(pictures: Sequence[Picture], *, theme: Theme = "light", across: int = 2) -> str:
    """Several charts as one SVG, in rows of so many, each below its title; one alone as `svg`.

    Cells have no numbers where those have no room, or are more than MOST_NUMBERS.

    Raises:
        ValueError: no picture, or across is not a positive whole number.
    """
    require_positive_int("number of pictures", len(pictures))
    across = min(require_positive_int("across", across), len(pictures))
    width = SHEET_WIDTH if len(pictures) > 1 else WIDTH
    most = width // MIN_NUMBER_PIXELS
    too_many = sum(len(one.table) for one in pictures if one.columns <= most) > MOST_NUMBERS
    specs = [_numberless(p.spec) if too_many or p.columns > most else p.spec for p in pictures]
    drawn = [
        svg(spec, one.table, theme=theme, width=width)
        for spec, one in zip(specs, pictures, strict=True)
    ]
    if len(pictures) == 1 and not pictures[0].title:
        return drawn[0]
    sizes = [_size(picture) for picture in drawn]
    parts, top = [], float(_GAP)
    for first in range(0, len(pictures), across):
        row = range(first, min(first + across, len(pictures)))
        above = _TITLE_HEIGHT if any(pictures[i].title for i in row) else 0
        left = float(_GAP)
        for i in row:
            if pictures[i].title:
                parts.append(
                    f'<text x="{left:g}" y="{top + _TITLE_FONT:g}" font-family="sans-serif" '
                    f'font-size="{_TITLE_FONT}" font-weight="bold" fill="{TEXT[theme]}">'
                    f"{escape(pictures[i].title)}</text>"
                )
            parts.append(drawn[i].replace("<svg ", f'<svg x="{left:g}" y="{top + above:g}" ', 1))
            left += width + _GAP
        top += above + max(sizes[i][1] for i in row) + _GAP
    whole = across * (width + _GAP) + _GAP
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{whole}" height="{top:g}" '
        f'viewBox="0 0 {whole} {top:g}"><rect width="100%" height="100%" fill="{PAGE[theme]}"/>'
        f"{''.join(parts)}</svg>"
    )


def sheet_png(pictures: Sequence[Picture], *, theme: Theme = "light", across: int = 2) -> bytes:
    """The same as PNG, two pixels of it for each pixel of width."""
    return vl_convert.svg_to_png(sheet_svg(pictures, theme=theme, across=across), scale=2)


def _numberless(spec: Mapping[str, Any]) -> dict[str, Any]:
    """A layered spec without the texts that are seen only in a cell that has room for them."""
    layers = [
        layer
        for layer in spec["layer"]
        if not (layer["mark"]["type"] == "text" and isinstance(layer["mark"].get("opacity"), dict))
    ]
    return {**spec, "layer": layers}


def _size(picture: str) -> tuple[float, float]:
    """Width and height of an SVG, in pixels."""
    root = picture[: picture.index(">")]
    width, height = (re.search(rf' {side}="([\d.]+)"', root)[1] for side in ("width", "height"))
    return float(width), float(height)


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
