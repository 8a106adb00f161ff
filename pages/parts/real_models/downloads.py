"""What is shown, to take away: the numbers as CSV, the picture as PNG and SVG."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd
import streamlit as st


def offer(
    name: str,
    table: pd.DataFrame,
    spec: Mapping[str, Any] | None,
    *,
    data: pd.DataFrame | None = None,
) -> None:
    """Buttons that make their file when they are pressed.

    Args:
        name: of the files.
        table, spec: the picture, or no picture.
        data: the numbers, where they are not the table of the picture.
    """
    with st.container(horizontal=True):
        numbers = table if data is None else data
        st.download_button(
            "CSV", lambda: numbers.to_csv(index=False), f"{name}.csv", "text/csv", on_click="ignore"
        )
