"""A script in cells: one text that runs on its own, and the same as a notebook.

The cells' code, one after another, is the script; a notebook shows each under its title.
"""

from __future__ import annotations

import ast
import json
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

_FORMAT = {"nbformat": 4, "nbformat_minor": 5}
_PYTHON = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}


class Cell(NamedTuple):
    """A part of a script.

    title: a few words of ours, in Markdown; a notebook has them above the code.
    """

    title: str
    code: str


@dataclass(frozen=True)
class Script:
    """A script in its parts, of which the first says what it is and imports what it needs."""

    cells: tuple[Cell, ...]

    @property
    def source(self) -> str:
        """The Python source, which ends with a line's end."""
        parts = [cell.code for cell in self.cells]
        source = parts[0]
        for before, part in pairwise(parts):
            is_apart = _defines(before, -1) or _defines(part, 0)
            source += "\n" * (3 if is_apart else 2) + part
        return source + "\n"

    @property
    def notebook(self) -> str:
        """The same as a notebook, nbformat 4.5: a title and the code of each cell, not yet run."""
        cells = []
        for number, (title, code) in enumerate(self.cells):
            heading = f"{'##' if number else '#'} {title}"
            cells.append({"cell_type": "markdown", "id": f"title-{number}", "source": heading})
            cells.append(
                {
                    "cell_type": "code",
                    "id": f"code-{number}",
                    "source": code,
                    "execution_count": None,
                    "outputs": [],
                }
            )
        for cell in cells:
            cell |= {"metadata": {}, "source": cell["source"].splitlines(keepends=True)}
        notebook = {**_FORMAT, "metadata": _PYTHON, "cells": cells}
        return json.dumps(notebook, indent=1) + "\n"


def opening(title: str, says: str, imports: Iterable[str]) -> Cell:
    """The first cell: what the script is about, and its imports.

    Args:
        says: the formulas and their axes, as a docstring's lines; words of ours alone.
        imports: lines; those from one module are put together.
    """
    docstring = f'"""{title}.\n\n{says.strip(chr(10)).rstrip()}\n"""'
    return Cell(title, f"{docstring}\n\n{_sorted_imports(imports)}".rstrip())


def _defines(code: str, place: int) -> bool:
    """Whether the first or the last statement is a definition, which stands two lines apart."""
    return isinstance(ast.parse(code).body[place], ast.FunctionDef | ast.ClassDef)


def _sorted_imports(lines: Iterable[str]) -> str:
    """Python's own modules first, as style has it."""
    whole: set[str] = set()
    names: dict[str, set[str]] = {}
    for line in lines:
        (node,) = ast.parse(line).body
        if isinstance(node, ast.ImportFrom):
            names.setdefault(node.module, set()).update(alias.name for alias in node.names)
        else:
            whole.add(line)
    written = sorted(whole) + [
        f"from {module} import {', '.join(sorted(found))}"
        for module, found in sorted(names.items())
    ]
    own = [line for line in written if _package(line) in sys.stdlib_module_names]
    others = [line for line in written if line not in own]
    return "\n\n".join("\n".join(block) for block in (own, others) if block)


def _package(line: str) -> str:
    return line.split()[1].split(".")[0]
