"""What every page looks like beyond the theme: width, spacing, and the colours of the charts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import streamlit as st

from mha.charts import Theme, row_pixels
from mha.charts.projector import for_projector
from mha.tables import LABEL_COLUMNS
from pages.parts import presenter

_STYLE = Path(__file__).with_name("look.css")
_ICON = Path(__file__).with_name("icon.svg")  # a Material Symbol here would be fetched from afar
_USUAL_LETTERS, _LETTER_PIXELS = 8, 6

# Words of a few letters in tables of a few rows: Python's own strings take half of Arrow's time.
pd.set_option("mode.string_storage", "python")


def set_up() -> None:
    """Page settings and the style sheet; called once a run, before anything is drawn."""
    st.set_page_config(
        page_title="Multi-head attention explorer",
        page_icon=str(_ICON),
        layout="wide",
    )
    st.html(_STYLE)


def theme() -> Theme:
    """The visitor's theme, for charts. After a switch it follows at the next rerun."""
    return "dark" if st.context.theme.type == "dark" else "light"


def tall(n_rows: int) -> dict[str, float]:
    """The height of a matrix alone in its row: what is small is drawn larger."""
    return {"height": n_rows * row_pixels(n_rows)}


def leaning(words: Sequence[str]) -> float:
    """How much higher slanted words stand above a presenter's picture than usual, in pixels."""
    longest = min(LABEL_COLUMNS, max(map(len, words)))
    return _LETTER_PIXELS * max(0, longest - _USUAL_LETTERS)


def picture(
    table: pd.DataFrame,
    spec: Mapping[str, Any],
    *,
    alt: str,
    key: str | None = None,
    at_most: float | None = None,
    **more: Any,
) -> None:
    """Feed a table to a finished spec.

    Streamlit paints a picture of many marks on a canvas, which would be blurred by the zoom of
    presenter mode, and would take a click for one elsewhere.

    Args:
        alt: what a screen reader is told.
        at_most: pixels of height that its page has for what it draws while somebody presents, its
            words at the sides apart: the page is then 1200 wide and 640 high.
    """
    if presenter.is_on():
        spec = for_projector(spec, at_most=at_most)
        spec["usermeta"] = {"embedOptions": {"renderer": "svg"}}
    st.vega_lite_chart(_columns(table), spec, width="stretch", alt=alt, key=key, **more)


def _columns(table: pd.DataFrame) -> pa.Table:
    """The table as it is sent, without its index, in a quarter of the time that pandas takes."""
    columns = {
        name: pa.array(column.to_numpy(), from_pandas=True) for name, column in table.items()
    }
    return pa.table(columns)
