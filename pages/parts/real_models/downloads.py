"""What is shown, to take away: the numbers as CSV, the picture as PNG and SVG."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import pandas as pd
import streamlit as st

from pages.parts import look


def offer(
    name: str,
    numbers: pd.DataFrame,
    picture: tuple[pd.DataFrame, Mapping[str, Any]] | None = None,
    **more: pd.DataFrame,
) -> None:
    """Buttons that make their file when they are pressed.

    Args:
        name: of the files, without an ending.
        numbers: those of the picture, or of the page.
        picture: the table and the spec of the chart, where there is one.
        more: other tables of numbers, by what they are.
    """
    files = [("CSV", f"{name}.csv", "text/csv", _csv(numbers))]
    if picture is not None:
        table, spec = picture
        theme = look.theme()

        def png() -> bytes:
            from mha.charts import files  # the converter is loaded for who asks for a file

            return files.png(spec, table, theme=theme)

        def svg() -> str:
            from mha.charts import files

            return files.svg(spec, table, theme=theme)

        files.append(("PNG", f"{name}.png", "image/png", png))
        files.append(("SVG", f"{name}.svg", "image/svg+xml", svg))
    for what, table in more.items():
        files.append((f"CSV of the {what}", f"{name}_{what}.csv", "text/csv", _csv(table)))
    with st.container(horizontal=True):
        for button, file, mime, make in files:
            st.download_button(button, make, file, mime, on_click="ignore")


def _csv(table: pd.DataFrame) -> partial[str]:
    return partial(table.to_csv, index=False)
