"""Values as Python source: a visitor's words are data in a script, and never a line of it.

`repr` escapes everything that could end a string or hide in one: quotes, backslashes, line ends,
controls, marks that turn the direction of writing, lone surrogates.
"""

from __future__ import annotations

import math
import textwrap
from collections.abc import Mapping
from typing import Any

WIDTH = 100  # characters of a line


def literal(value: Any) -> str:
    """The source of plain data: numbers, texts, and tuples, lists and dicts of them.

    `ast.literal_eval` gives the value back; infinity and NaN, which have no literal, are calls.

    Raises:
        ValueError: anything else.
    """
    match value:
        case str():
            written = repr(value)
            return written if '"' in written or "'" in value else f'"{written[1:-1]}"'
        case float() if not math.isfinite(value):
            return f'float("{value}")'
        case int() if not isinstance(value, bool):
            return f"{value:_}" if abs(value) >= 10**6 else f"{value}"
        case None | bool() | float():
            return repr(value)
        case tuple():
            return f"({', '.join(map(literal, value))}{',' if len(value) == 1 else ''})"
        case list():
            return f"[{', '.join(map(literal, value))}]"
        case Mapping():
            pairs = (f"{literal(key)}: {literal(item)}" for key, item in value.items())
            return f"{{{', '.join(pairs)}}}"
    raise ValueError(
        f"a script holds plain data only: numbers, texts, tuples, lists and dicts; "
        f"got {type(value).__name__}. Try value.tolist()."
    )


def assigned(name: str, value: Any, *, one_a_line: bool = False) -> str:
    """A line that gives the value its name, or several where one would be too long.

    one_a_line: whether each item then has a line of its own, or as many stand in one as fit.
    """
    line = f"{name} = {literal(value)}"
    if len(line) <= WIDTH or not isinstance(value, str | list | Mapping) or not value:
        return line
    if isinstance(value, str):
        return f"{name} = (\n    {literal(value)}\n)"
    if isinstance(value, list):
        items = [literal(item) for item in value]
    else:
        items = [f"{literal(key)}: {literal(item)}" for key, item in value.items()]
    lines = _filled(items, 0 if one_a_line else WIDTH - 4)
    return f"{name} = {line[len(name) + 3]}\n{lines}\n{line[-1]}"


def _filled(items: list[str], width: int) -> str:
    """Items with commas, as many a line as fit, and one at least; none is ever broken."""
    lines = [""]
    for item in items:
        if lines[-1] and len(lines[-1]) + len(item) + 2 > width:
            lines.append("")
        lines[-1] += f"{' ' if lines[-1] else ''}{item},"
    return textwrap.indent("\n".join(lines), "    ")
