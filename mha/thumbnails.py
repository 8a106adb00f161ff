"""A small picture of each idea → its marks, in a square of sides 0 to 1 from the top left.

One spec draws them all, so that none depends on the numbers. Each row of a table is a mark:

    kind             "cell", "masked", "line" or "text"
    left, right      where it begins and ends; a text stands at `left`
    top, bottom      from 0 above to 1 below; a line goes from (left, top) to (right, bottom)
    paint, number    its colour: a "weight" in [0, 1], the "head" of that number, or "grey"
    strength         of a line, in [0, 1]
    text, align      of a text; room, the share of the width that it has

What is too much for so small a picture is cut, to the first MOST tokens and heads.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
import pandas as pd

from mha.amounts import bytes_text
from mha.checks import divisors
from mha.config import AttentionConfig
from mha.hand_built import CopyingTrace
from mha.ledger import every_head_count
from mha.ledger_tables import parameters_table
from mha.models import Model
from mha.reference import Array

MOST = 12
_TITLE = 0.15  # of the height, for a line of text
_GAP = 0.1  # of the width, between two pictures side by side
_FREE = 0.08  # of a cell, between it and the next
_PARTS = ("W_Q", "W_K", "W_V", "W_O")

Row = dict[str, object]


def grids(titles: Sequence[str], weights: Sequence[Array], mask: Array) -> pd.DataFrame:
    """Matrices of weights (T, T) side by side; masked is what the mask does not let see.

    mask: (T, T), or (1, T) where it is the same for every token.
    """
    return _table(
        row
        for n, (title, matrix) in enumerate(zip(titles, weights, strict=True))
        for row in _grid(title, matrix, mask, *_place(n, len(titles)))
    )


def masks(titles: Sequence[str], each: Sequence[Array]) -> pd.DataFrame:
    """Masks (T, T) side by side: what may be looked at is filled, the rest is masked."""
    return _table(
        row
        for n, (title, mask) in enumerate(zip(titles, each, strict=True))
        for row in _grid(title, np.full(mask.shape, 0.6), mask, *_place(n, len(titles)))
    )


def copying(titles: tuple[str, str], words: Sequence[str], trace: CopyingTrace) -> pd.DataFrame:
    """Both layers of the copying as lines, from each word below to the words it looks at above."""

    def rows() -> Iterator[Row]:
        for n, (title, layer) in enumerate(
            zip(titles, (trace.previous, trace.induction), strict=True)
        ):
            left, wide = _place(n, 2)
            at = left + wide * (np.arange(len(words)) + 0.5) / len(words)
            yield _text(title, left, 0, room=wide)
            for word, x in zip(words, at, strict=True):
                yield _text(word, x, 1.6 * _TITLE, "center")
                yield _text(word, x, 1 - _TITLE, "center")
            for query, key in np.argwhere(layer.weights > 0.02):
                place = (at[query], at[key], 1 - 1.1 * _TITLE, 2.6 * _TITLE)
                yield _mark("line", *place, "head", n, layer.weights[query, key])

    return _table(rows())


def split(config: AttentionConfig, T: int) -> pd.DataFrame:
    """The numbers of each token in the hues of their heads: as rows, then a block a head."""
    h, C, d_head = config.n_heads, config.d_model, config.d_head
    heads, tokens, numbers = min(h, 8), min(T, 6), min(d_head, 4)

    def rows() -> Iterator[Row]:
        yield _text(f"{T} × {C}", 0, 0)
        yield _text("→", 0.5, 0.5, "center")
        yield _text(f"{h} × {T} × {d_head}", 0.58, 0)
        across = max(1, (heads + 1) // 2)
        high = (1 - _TITLE) / (2 if heads > 1 else 1)
        for head in range(heads):
            wide = 0.42 / heads
            yield from _block(head, head * wide, wide, _TITLE, 1 - _TITLE, tokens, numbers)
            row, column = divmod(head, across)
            left, top = 0.58 + 0.42 * column / across, _TITLE + row * high
            size = (0.42 / across - 0.02, high - 0.05)
            yield from _block(head, left, size[0], top, size[1], tokens, numbers)

    return _table(rows())


def module(config: AttentionConfig, T: int) -> pd.DataFrame:
    """The shapes on the way through the module: x, its q, k and v, the weights, the output."""
    h, C = config.n_heads, config.d_model
    heads = min(h, 6)
    names = ("x", "q, k, v", "weights", "out")
    shapes = (f"{T} × {C}", f"{T} × {3 * C}", f"{h} × {T} × {T}", f"{T} × {C}")

    def rows() -> Iterator[Row]:
        top, bottom = 1.4 * _TITLE, 1 - 1.4 * _TITLE
        for n, (name, shape) in enumerate(zip(names, shapes, strict=True)):
            middle = (n + 0.5) / len(names)
            yield _text(name, middle, 0, "center", 0.24)
            yield _text(shape, middle, 1 - _TITLE, "center", 0.27)
            if n:
                yield _text("→", n / len(names), 0.5 - _TITLE / 2, "center")
            left, right = middle - 0.07, middle + 0.07
            if name == "weights":
                for head in range(heads):  # sheets behind one another
                    step = head / max(1, heads - 1) * 0.5
                    x, y = left + 0.08 * step, top + (bottom - top) * 0.4 * step
                    yield _mark("cell", x, x + 0.1, y, y + (bottom - top) * 0.8, "head", head)
            elif name == "q, k, v":
                for part in range(3):
                    x = left + 0.14 * part / 3
                    yield _mark("cell", x, x + 0.042, top, bottom, "weight", (part + 1) / 4)
            else:
                yield _mark("cell", left, right, top, bottom, "weight", 0.9 if n else 0.15)

    return _table(rows())


def parameters(config: AttentionConfig) -> pd.DataFrame:
    """A bar for every number of heads, cut into the four projections; all are of one height."""
    bars = parameters_table(every_head_count(config), config.n_heads)
    total = int(bars["total"].iloc[0])

    def rows() -> Iterator[Row]:
        yield _text(f"{total:,} parameters, h =", 0, 0)
        low, high = 1 - 1.1 * _TITLE, 1 - 2.3 * _TITLE
        for bar in bars.itertuples():
            shade = (1 + _PARTS.index(bar.part)) / 5
            places = (bar.left, bar.right, low - bar.end * high, low - bar.start * high)
            yield _mark("cell", *places, "weight", shade)
            if bar.first:
                middle, room = (bar.left + bar.right) / 2, bar.right - bar.left
                yield _text(f"{bar.heads}", middle, 1 - _TITLE, "center", room)

    return _table(rows())


def kv_cache(model: Model, T: int) -> pd.DataFrame:
    """The bytes of the cache up to T tokens: unshared, the model's own sharing, and one for all."""
    counts = sorted({model.n_heads, model.n_kv_heads, divisors(model.n_heads)[0]}, reverse=True)
    sizes = [replace(model, n_kv_heads=n).kv_cache_bytes(T) for n in counts]

    def rows() -> Iterator[Row]:
        low, high = 1 - 1.2 * _TITLE, 1 - 2.4 * _TITLE
        yield _text(f"{counts[0]} key and value heads: {bytes_text(sizes[0])}", 0, 0)
        for count, size in zip(counts, sizes, strict=True):
            end = low - high * size / sizes[0]
            paint = ("head", 0) if count == model.n_kv_heads else ("grey", 0)
            yield _mark("line", 0, 1, low, end, *paint)
            if count != counts[0]:  # the last stands below its line, the others above theirs
                top = 1 - _TITLE if count == counts[-1] else end - 1.2 * _TITLE
                yield _text(f"{count}: {bytes_text(size)}", 1, top, "right")

    return _table(rows())


def _grid(title: str, matrix: Array, mask: Array, left: float, wide: float) -> Iterator[Row]:
    T, seen = min(len(matrix), MOST), np.broadcast_to(mask, matrix.shape)
    yield _text(title, left, 0, room=wide)
    high = (1 - _TITLE) / T
    for row in range(T):
        for column in range(T):
            kind = "cell" if seen[row, column] else "masked"
            x, y = left + wide * column / T, _TITLE + high * row
            places = (x, x + wide / T * (1 - _FREE), y, y + high * (1 - _FREE))
            yield _mark(kind, *places, "weight", matrix[row, column])


def _block(
    head: int, left: float, wide: float, top: float, high: float, rows: int, columns: int
) -> Iterator[Row]:
    for row in range(rows):
        for column in range(columns):
            x, y = left + wide * column / columns, top + high * row / rows
            right, bottom = x + wide / columns * (1 - _FREE), y + high / rows * (1 - _FREE)
            yield _mark("cell", x, right, y, bottom, "head", head)


def _place(n: int, count: int) -> tuple[float, float]:
    """Where the picture with this number of so many begins, and its width."""
    wide = (1 - _GAP * (count - 1)) / count
    return n * (wide + _GAP), wide


def _mark(
    kind: str,
    left: float,
    right: float,
    top: float,
    bottom: float,
    paint: str,
    number: float,
    strength: float = 1.0,
) -> Row:
    return {
        **{"kind": kind, "left": left, "right": right, "top": top, "bottom": bottom},
        **{"paint": paint, "number": float(number), "strength": float(strength)},
        **{"text": "", "align": "left", "room": 1.0},
    }


def _text(text: str, left: float, top: float, align: str = "left", room: float = 1.0) -> Row:
    words = {"text": text, "align": align, "room": room}
    return _mark("text", left, left, top, top, "grey", 0) | words


def _table(rows: Iterator[Row]) -> pd.DataFrame:
    marks = list(rows)
    return pd.DataFrame({name: [mark[name] for mark in marks] for name in marks[0]})
