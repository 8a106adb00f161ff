"""The stages of split and merge → what a browser is sent to draw them.

Every number's places, indices and addresses are computed here; the browser only unpacks and draws.
Stages share most of their arrays (the way back passes the places of the way there), so each
distinct array is sent once, in the smallest type that holds it, and stages name arrays by number.
"""

from __future__ import annotations

import base64
from typing import Any

import numpy as np

from mha.layout import Mistake, Stage, extent, misplaced, owner, stages

QUARTERS = 4  # places are sent in quarter cells: every one of them is a whole number


def pack(B: int, T: int, C: int, n_heads: int, *, mistake: Mistake | None = None) -> dict[str, Any]:
    """What the browser needs to draw every stage of x = arange(B * T * C), ready for JSON.

    Returns:
        arrays: the distinct arrays, each {"type", "base64"}: "u1" or "i2", little-endian.
        owner: the head that each number belongs to, as a number of an array.
        stages: a mapping each, with the facts of `layout.Stage` and, as numbers of arrays,
            index and belongs (one an axis; where the number is, and where the right way has it),
            address, and row and column in quarter cells; and misplaced, how many numbers are in
            the wrong place.
        B, T, C, heads: the sizes.
        rows, columns: the size of the drawing, in cells.
    """
    arrays = _Pool()
    right = {stage.axes: stage for stage in stages(B, T, C, n_heads)}
    return {
        "stages": [
            _pack(stage, right[stage.axes], arrays)
            for stage in stages(B, T, C, n_heads, mistake=mistake)
        ],
        "owner": arrays.add(owner(B, T, C, n_heads)),
        "arrays": arrays.packed,
        **{"B": B, "T": T, "C": C, "heads": n_heads},
        **extent(B, T, C, n_heads)._asdict(),
    }


def unpack(array: dict[str, str]) -> np.ndarray:
    """The array that was packed, as the browser reads it."""
    return np.frombuffer(base64.b64decode(array["base64"]), dtype="<" + array["type"])


def _pack(stage: Stage, right: Stage, arrays: _Pool) -> dict[str, Any]:
    return {
        "name": stage.name,
        "code": stage.code,
        "axes": stage.axes,
        "shape": stage.shape,
        "strides": stage.strides,
        "contiguous": stage.is_contiguous,
        "copied": stage.copied,
        "misplaced": int(misplaced(stage).sum()),
        "index": [arrays.add(along) for along in stage.index.T],
        "belongs": [arrays.add(along) for along in right.index.T],
        "address": arrays.add(stage.address),
        "row": arrays.add(stage.row * QUARTERS),
        "column": arrays.add(stage.column * QUARTERS),
    }


class _Pool:
    """Arrays of small whole numbers, each distinct one kept once."""

    def __init__(self) -> None:
        self.packed: list[dict[str, str]] = []
        self._number: dict[bytes, int] = {}

    def add(self, array: np.ndarray) -> int:
        """Return the number of this array, which is new or known."""
        kind = "u1" if array.max() <= np.iinfo("u1").max else "i2"
        values = array.astype("<" + kind).tobytes()
        if values not in self._number:
            self._number[values] = len(self.packed)
            self.packed.append({"type": kind, "base64": base64.b64encode(values).decode()})
        return self._number[values]
