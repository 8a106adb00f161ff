"""Widgets that the link keeps, with a message where a link asks one of them for what cannot be.

Streamlit shows the default, or the nearest that it can read, without a word. A link is judged just
before its widget is first drawn; the message stays until the visitor chooses a value or leaves.
"""

from pages.parts.bound.state import (
    Place,
    arrive,
    assign,
    changed,
    kept,
    leave,
    turn_off,
    values,
)
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
    "assign",
    "changed",
    "kept",
    "leave",
    "number",
    "pick",
    "segments",
    "several",
    "slide",
    "stops",
    "turn",
    "turn_off",
    "values",
    "write",
]
