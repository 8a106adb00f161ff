"""The sizes of x on this page: the shared scene's, where they fit on a screen."""

from __future__ import annotations

from typing import NamedTuple

from pages.parts.scene import Scene

MAX_T, MAX_C = 12, 64


class Sizes(NamedTuple):
    """Axes as everywhere: batch, tokens, width, heads."""

    B: int
    T: int
    C: int
    h: int

    @property
    def d_head(self) -> int:
        return self.C // self.h

    @property
    def N(self) -> int:  # noqa: N802
        return self.B * self.T * self.C


def fit(scene: Scene, batch: int) -> tuple[Sizes, list[str]]:
    """The scene's sizes, made small enough for the picture, and a note for each that was."""
    T, C, h = len(scene.sentence), scene.config.d_model, scene.config.n_heads
    notes = []
    if T > MAX_T:
        notes.append(f"The picture has room for the first {MAX_T} of your {T} tokens.")
    if C > MAX_C:
        fewer = min(h, MAX_C)
        narrower = MAX_C // fewer * fewer
        notes.append(
            f"The picture has room for C = {MAX_C} at most; got d_model = {C}, heads = {h}. "
            f"Showing C = {narrower}, heads = {fewer}."
        )
        C, h = narrower, fewer
    return Sizes(batch, min(T, MAX_T), C, h), notes
