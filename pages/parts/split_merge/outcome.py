"""What became of x: equal again, because it was compared, or what of it is in the wrong place."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import streamlit as st

from mha.layout import Stage, misplaced, stages
from pages.parts.split_merge.sizes import Sizes

_MOST = 6  # numbers of a row, and rows, that a sentence shows


def show(steps: Sequence[Stage], sizes: Sizes) -> None:
    """Compare the merged tensor with x, and say what differs first where something does."""
    x = np.arange(sizes.N).reshape(sizes.B, sizes.T, sizes.C)
    if np.array_equal(_tensor(steps[-1]), x):
        st.success(
            f"**Equal to x again.** The merged tensor and x were compared: all {sizes.N:,} numbers "
            "are in their places.",
            icon=":material/check_circle:",
        )
    else:
        wrong = int(misplaced(steps[-1]).sum())
        st.error(
            f"**Not equal to x.** {wrong:,} of {sizes.N:,} numbers are in the wrong place, and "
            "no error was raised.",
            icon=":material/error:",
        )
    first = next((step for step in steps if misplaced(step).any()), None)
    if first is not None:
        right = next(step for step in stages(*sizes) if step.axes == first.axes)
        what = "Head 0" if "h" in first.axes else "Token 0"
        for way, step, column in zip(
            ("with the mistake", "the right way"), (first, right), st.columns(2), strict=True
        ):
            column.markdown(f"{what}, {way}:")
            column.code(_some(_tensor(step)[0, 0]), language=None, wrap_lines=True)


def _tensor(stage: Stage) -> np.ndarray:
    """The stage's tensor itself, read back from where every number is."""
    tensor = np.empty(stage.shape, int)
    tensor[tuple(stage.index.T)] = np.arange(len(stage.index))
    return tensor


def _some(array: np.ndarray) -> str:
    """The first rows, or numbers, of an array and its last: `[0, 1, 2, …, 7], [8, …`."""
    if array.ndim == 0:
        return str(array)
    parts = [_some(part) for part in array]
    if len(parts) > _MOST + 1:
        parts[_MOST - 1 : -1] = ["…"]
    text = ", ".join(parts)
    return text if array.ndim == 2 else f"[{text}]"
