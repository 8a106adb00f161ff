"""What is shown, to take away: the numbers as CSV, the picture as PNG and SVG."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import pandas as pd
import streamlit as st

from pages.parts import look

Content = str | bytes


def offer(
    name: str,
    numbers: pd.DataFrame,
    picture: tuple[pd.DataFrame, Mapping[str, Any]] | None = None,
) -> None:
    """Buttons that make their file when they are pressed.

    Args:
        name: of the files, without an ending.
        picture: the table and the spec of the chart, where there is one.
    """
    files: dict[str, tuple[str, Callable[[], Content]]] = {
        "CSV": ("text/csv", lambda: numbers.to_csv(index=False))
    }
    if picture is not None:
        table, spec = picture
        theme = look.theme()

        def png() -> bytes:
            from mha.charts import files  # the converter is loaded for who asks for a file

            return files.png(spec, table, theme=theme)

        def svg() -> str:
            from mha.charts import files

            return files.svg(spec, table, theme=theme)

        files |= {"PNG": ("image/png", png), "SVG": ("image/svg+xml", svg)}
    with st.container(horizontal=True):
        for kind, (mime, make) in files.items():
            st.download_button(
                kind,
                make,
                f"{name}.{kind.lower()}",
                mime,
                on_click="ignore",
                help=f"Save as {kind}",
            )
