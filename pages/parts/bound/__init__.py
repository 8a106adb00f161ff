"""Widgets that the link keeps, with a message where a link asks one of them for what cannot be.

Streamlit shows the default, or the nearest that it can read, without a word. A link is judged just
before its widget is first drawn; the message stays until the visitor chooses a value or leaves.
"""

from pages.parts.bound.state import (
    Place,
    arrive,
    asked_for,
    assign,
    changed,
    forget,
    kept,
    leave,
    said,
    turn_off,
    values,
)
from pages.parts.bound.walks import walk, walk_to, walks
from pages.parts.bound.widgets import (
    area,
    number,
    pick,
    segments,
    several,
    slide,
    stops,
    turn,
    write,
)

__all__ = [
    "Place",
    "area",
    "arrive",
    "asked_for",
    "assign",
    "changed",
    "forget",
    "kept",
    "leave",
    "number",
    "pick",
    "said",
    "segments",
    "several",
    "slide",
    "stops",
    "turn",
    "turn_off",
    "values",
    "walk",
    "walk_to",
    "walks",
    "write",
]
