"""A finished spec made legible from the back row: no small type, and no higher than its room.

Numbers that a chart prints only in cells with room for them go where there is none for type of
LEAST pixels; colours and tables carry them. All other text grows to it, and of words along a side
so many stay that no two touch.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

LEAST = 15  # pixels of a page 1200 wide: 24 of a projector 1920 wide
_LEAST_ROOM = 0.85 * LEAST  # is enough, since texts do not fill the room they are given
_STEPS = {"x": 16, "y": 11}  # pixels from one word of type LEAST to the next; across they slant


def for_projector(spec: Mapping[str, Any], *, at_most: float | None = None) -> dict[str, Any]:
    """The spec with type of at least LEAST pixels; the one that is given stays as it was.

    Args:
        spec: a layered one, such as `weights_spec(T, theme)`.
        at_most: pixels of height that there are for what it draws, its words at the sides apart.
    """
    spec = {**spec, "layer": [_legible(layer) for layer in spec["layer"]]}
    if at_most is not None:
        spec["height"] = min(spec["height"], at_most)
    return spec


def _legible(layer: Mapping[str, Any]) -> Mapping[str, Any]:
    mark = layer["mark"]
    if mark["type"] != "text":
        return layer
    size, shown = mark.get("fontSize", LEAST), mark.get("opacity")
    if isinstance(size, Mapping):
        size = f"({size['expr']})"
        larger: float | str = f"max({LEAST}, {size})"
    else:
        larger = max(LEAST, size)
    if isinstance(shown, Mapping):  # it is printed only where it has room
        mark = {
            **mark,
            "opacity": {"expr": f"{size} >= {_LEAST_ROOM} && ({shown['expr']}) ? 1 : 0"},
        }
    elif (side := _side(layer["encoding"])) is not None:
        channel, field = side
        is_left_out = f"datum.{field} % ceil({_STEPS[channel]} / bandwidth('{channel}'))"
        if "opacity" in layer["encoding"]:
            larger = f"{is_left_out} ? 0 : {larger}"
        else:  # not by its size: what leans out of a chart is measured before its width is known
            mark = {**mark, "opacity": {"expr": f"{is_left_out} ? 0 : 1"}}
    grown = {"expr": larger} if isinstance(larger, str) else larger
    return {**layer, "mark": {**mark, "fontSize": grown}}


def _side(encoding: Mapping[str, Any]) -> tuple[str, str] | None:
    """Along which channel words stand, and the field of their places there; None where in cells."""
    along = [(c, encoding[c]) for c in _STEPS if encoding.get(c, {}).get("type") == "ordinal"]
    return (along[0][0], along[0][1]["field"]) if len(along) == 1 else None
