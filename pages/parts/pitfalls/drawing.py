"""A mask to draw on: each cell is a button that turns over at once, and the server hears of all.

The browser keeps what is drawn and sends the whole mask, so that no click can be lost. It counts
its turns; what comes back says how many of them the server has heard, and is taken over by then.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import streamlit as st

_KEY = "drawing"
_HERE = Path(__file__).parent
_drawing = st.components.v2.component(
    "mha_mask_drawing",
    html='<div class="mask" role="grid"></div>',
    css=(_HERE / "drawing.css").read_text("utf-8"),
    js=(_HERE / "drawing.js").read_text("utf-8"),
)


def draw_on(
    is_on: np.ndarray,
    names: tuple[str, str],
    *,
    label: str,
    row_pixels: float,
    on_draw: Callable[[np.ndarray], None],
) -> None:
    """Draw a matrix of two values, and hear what a visitor makes of it.

    Args:
        is_on: bool (T_q, T_k).
        names: what is written where it is off, and where it is on.
        label: what a screen reader is told of the whole.
        row_pixels: the height of a row, as in the pictures beside it.
        on_draw: called with another matrix of this shape when that is drawn.
    """

    def drawn() -> None:
        matrix = _matrix(_sent().get("cells"), is_on.shape)
        if matrix is not None:
            on_draw(matrix)

    _drawing(
        data={
            "cells": is_on.tolist(),
            "names": list(names),
            "label": label,
            "row_pixels": row_pixels,
            "heard": _turns_heard(),
        },
        key=_KEY,
        height="content",
        on_drawn_change=drawn,
    )


def _sent() -> dict[str, Any]:
    """What the browser has sent, where it is an object: any JSON may come from there."""
    held = st.session_state.get(_KEY)
    sent = held.get("drawn") if held is not None else None
    return sent if isinstance(sent, dict) else {}


def _turns_heard() -> int:
    turn = _sent().get("turn")
    return turn if isinstance(turn, int) else 0


def _matrix(cells: Any, shape: tuple[int, int]) -> np.ndarray | None:
    """The cells as a matrix, if they are one of this shape."""
    n_rows, n_columns = shape
    if not isinstance(cells, list) or len(cells) != n_rows:
        return None
    fits = all(isinstance(row, list) and len(row) == n_columns for row in cells)
    if not fits or not all(isinstance(cell, bool) for row in cells for cell in row):
        return None
    return np.array(cells, dtype=bool)
