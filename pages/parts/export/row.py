"""The row of buttons, each of which makes its file when it is pressed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

import pandas as pd
import streamlit as st

from mha.charts import Theme
from mha.reference import Array
from pages.parts import look

if TYPE_CHECKING:
    from mha.charts.files import Picture
    from mha.export import Script

Arrays = Mapping[str, Array | Sequence[str]]


@dataclass(frozen=True)
class Takeaway:
    """What is shown, as functions that make it; they run in no page and draw nothing.

    Args:
        name: of the files, without an ending; small letters and underscores.
        table: the numbers, one row each. arrays: the same by name, as they were computed.
        script: what computes them on its own.
        pictures: the charts, in the colours of a theme; more: other tables, by what they are.
        across: pictures that stand side by side in the file.
    """

    name: str
    table: Callable[[], pd.DataFrame]
    arrays: Callable[[], Arrays] | None = None
    script: Callable[[], Script] | None = None
    pictures: Callable[[Theme], Sequence[Picture]] | None = None
    more: Mapping[str, Callable[[], pd.DataFrame]] = field(default_factory=dict)
    across: int = 2


class _File(NamedTuple):
    button: str
    name: str
    mime: str
    make: Callable[[], str | bytes]
    help: str


def offer(takeaway: Takeaway | None) -> None:
    """Draw the row; none where an answer is still to be guessed."""
    if takeaway is None:
        return
    with st.container(horizontal=True, vertical_alignment="center", key="take_away"):
        st.markdown("**Take it away**", width="content")
        for file in _files(takeaway, look.theme()):
            st.download_button(
                file.button,
                file.make,
                file.name,
                file.mime,
                help=file.help,
                on_click="ignore",
                type="tertiary",
                icon=":material/download:",
            )


def _files(what: Takeaway, theme: Theme) -> list[_File]:
    files = []
    if what.script is not None:
        files += [
            _of(what, "Script", "py", "text/x-python", _script, "Runs on its own and prints this."),
            _of(what, "Notebook", "ipynb", "application/x-ipynb+json", _notebook, "The same."),
        ]
    if what.arrays is not None:
        files.append(_of(what, "Arrays", "npz", "application/zip", _npz, "For numpy.load."))
    files.append(_of(what, "CSV", "csv", "text/csv", _csv, "The numbers, one row each."))
    for title, table in what.more.items():
        more = Takeaway(f"{what.name}_{title}", table)
        files.append(_of(more, f"CSV of the {title}", "csv", "text/csv", _csv, "Another table."))
    if what.pictures is not None:
        files.append(_of(what, "PNG", "png", "image/png", _png, "The picture.", theme))
        files.append(_of(what, "SVG", "svg", "image/svg+xml", _svg, "The picture, sharp.", theme))
    return files


def _of(
    what: Takeaway,
    button: str,
    ending: str,
    mime: str,
    make: Callable[..., str | bytes],
    help: str,
    *how: Any,
) -> _File:
    return _File(button, f"{what.name}.{ending}", mime, lambda: make(what, *how), help)


# What makes the files is loaded for who asks for one.


def _script(what: Takeaway) -> bytes:
    return what.script().source.encode()


def _notebook(what: Takeaway) -> bytes:
    return what.script().notebook.encode()


def _npz(what: Takeaway) -> bytes:
    from mha.export import files

    return files.npz(what.arrays())


def _csv(what: Takeaway) -> bytes:
    from mha.export import files

    return files.csv(what.table())


def _png(what: Takeaway, theme: Theme) -> bytes:
    from mha.charts import files

    return files.sheet_png(what.pictures(theme), theme=theme, across=what.across)


def _svg(what: Takeaway, theme: Theme) -> bytes:
    from mha.charts import files

    return files.sheet_svg(what.pictures(theme), theme=theme, across=what.across).encode()
