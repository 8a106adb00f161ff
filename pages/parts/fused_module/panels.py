"""A step's tensor cut into matrices with a row for each token: one for each head where it can."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from mha.reference import Array
from pages.parts.fused_module.run import Run

PAIRS = ("scores", "masked", "weights")  # a row for each query, a column for each key
_ALL = slice(None)


class Panel(NamedTuple):
    """One matrix of a tensor.

    where: its part of the tensor: a place on each axis, but for the rows' and the columns'.
    columns: their names; the rows are the tokens.
    """

    title: str
    where: tuple[int | slice, ...]
    matrix: Array
    columns: Sequence[str]

    def index(self, row: int, column: int) -> tuple[int, ...]:
        """Where the tensor holds the number at this row and column."""
        along = iter((row, column))
        return tuple(
            (place.start or 0) + next(along) if isinstance(place, slice) else place
            for place in self.where
        )


def panels_of(run: Run, name: str, item: int) -> list[Panel]:
    """The matrices of the step with this name.

    Args:
        item: which sentence of the batch.
    """
    tensor = run.steps[name].tensor.numpy()
    columns = run.sentence.labels if name in PAIRS else None
    panels = []
    for title, *where in _parts(run, name):
        matrix = tensor[item, *where]
        names = columns or [str(i) for i in range(matrix.shape[1])]
        panels.append(Panel(title, (item, *where), matrix, names))
    return panels


def hidden_in(run: Run, name: str, panel: Panel) -> Array | None:
    """Weights that the mask hides, though they are finite; None for every other tensor."""
    masked = run.steps["masked"].tensor
    return np.isneginf(masked[panel.where].numpy()) if name == "weights" else None


def _parts(run: Run, name: str) -> list[tuple[str | int | slice, ...]]:
    """The title of each matrix, and its place on every axis but the batch's."""
    h, h_kv, d_head = run.config.n_heads, run.config.n_kv_heads, run.config.d_head
    heads = [f"head {i}" for i in range(h)]
    kv_heads = [f"kv head {i}" for i in range(h_kv)]
    match run.steps[name].axes[1:]:
        case ("h" | "h_kv" as kind, _, _):
            titles = heads if kind == "h" else kv_heads
            return [(title, i, _ALL, _ALL) for i, title in enumerate(titles)]
        case ("T", "h", "d_head"):
            return [(title, _ALL, i, _ALL) for i, title in enumerate(heads)]
        case _ if name in ("x", "out"):  # their columns belong to no head
            return [("all columns", _ALL, _ALL)]
        case ("T", "C+2C_kv"):
            titles = [f"q of {head}" for head in heads]
            titles += [f"{part} of {head}" for part in "kv" for head in kv_heads]
        case ("T", "C_kv"):
            titles = kv_heads
        case ("T", "C"):
            titles = heads
    return [(title, _ALL, slice(i * d_head, (i + 1) * d_head)) for i, title in enumerate(titles)]
