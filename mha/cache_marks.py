"""The tables of the cache → the marks of their pictures, placed in a square of sides 0 to 1.

So no spec depends on the numbers: logarithms, ends and ticks are found here. `kind` says what a row
is, and the other columns are empty where that kind has no use for them.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from fractions import Fraction

import numpy as np
import pandas as pd

from mha.amounts import GB, about_text, bytes_text, context_text, count_text, seconds_text
from mha.cache_tables import (
    MEMORIES,
    WAYS,
    cache_table,
    kv_readers_table,
    outgrowing_context,
    weight_bytes,
)
from mha.config import AttentionConfig
from mha.models import Model

LINE_APART = 0.042  # of the picture's height, from one written line to the next
_BELOW, _ABOVE = 30, 3  # times less and more than all that is shown: room for words
_SHORT = 10  # signs of a line that stands behind the picture
_TICK_EVERY = 16  # times as many tokens
_MOST_WIDE = 0.22  # of the picture, a head's box
_LEAST_WIDE = 0.09  # a kv head's box, where its group has as much
_BOX = 0.9  # of a head's room, the rest parts it from the next
_EVERY_MARK = "kind x y text label_y lit align".split()

Row = dict[str, object]


def cache_marks(
    model: Model,
    T: int,
    *,
    others: Sequence[Model] = (),
    batch: int = 1,
    bytes_per_number: float = 2,
    weight_bytes_per_number: float = 2,
) -> pd.DataFrame:
    """The picture of the cache over context length: both axes are logarithms.

    Args:
        model: the one that is pointed out; the point where it outgrows its weights is marked.
        T: the context that is pointed out.
        others: to compare it with, as lines alone.

    Returns:
        kind: "line" (a model's cache at one context), "name" (at its line's end), "memory",
        "chosen" (a model at T), "outgrows", "tick_x" or "tick_y"; x and y; text; label_y, where a
        text that had to make room for another stands; lit; align, to the side where a text has
        room (a name on the "left" begins where the picture ends); other_x and other_signs, of the
        text that the rule below a mark may cross: where that begins, and how many signs it goes to
        the right, or to the left where it is less than 0; and model, context and bytes.
        No row is of an empty cache, which no logarithm has.
    """
    how = {"batch": batch, "bytes_per_number": bytes_per_number}
    table = cache_table([model, *others], T, **how)
    longest = int(table["context"].max())
    table = table[table["bytes"] > 0]
    sizes = [*table["bytes"], *(memory * GB for memory in MEMORIES)]
    bottom, top = math.log(min(sizes) / _BELOW), math.log(max(sizes) * _ABOVE)

    def x(context: int) -> float:
        return math.log(context, longest)

    def y(size: int) -> float:
        return (math.log(size) - bottom) / (top - bottom)

    rows = [
        {"kind": kind, "x": x(row.context), "y": y(row.bytes), "lit": row.model == model.title}
        | {"model": row.model, "context": row.context, "bytes": row.bytes}
        | {"text": f"{context_text(row.context)} tokens:\n{bytes_text(row.bytes)}"}
        for row in table.itertuples()
        for kind in ("line", "chosen")
        if kind == "line" or row.chosen
    ]
    ends = [
        row | {"kind": "name", "text": _broken(row["model"]) if others else row["model"]}
        for row in rows
        if row["kind"] == "line" and row["context"] == longest
    ]
    memories = [
        {"kind": "memory", "y": y(n * GB), "bytes": n * GB, "text": f"{n} GB"} for n in MEMORIES
    ]
    rows += _apart(ends, 2 * LINE_APART) + _apart(memories)

    crossing = outgrowing_context(model, **how, weight_bytes_per_number=weight_bytes_per_number)
    if crossing is not None and crossing <= longest:
        size = model.kv_cache_bytes(crossing, **how)
        weights = weight_bytes(model, weight_bytes_per_number)
        place = {"x": x(crossing), "y": y(size), "context": crossing, "bytes": size}
        text = f"outgrows the\nweights, {bytes_text(weights)},\nat about {about_text(crossing)}"
        rows.append({"kind": "outgrows", "text": text, "lit": True, "model": model.title} | place)
        rows.append(rows[-1] | {"kind": "line"})

    ticks = (_TICK_EVERY**i for i in range(math.floor(math.log(longest, _TICK_EVERY) + 1e-9) + 1))
    rows += [{"kind": "tick_x", "x": x(n), "text": context_text(n)} for n in ticks]
    thousands = range(math.ceil(bottom / math.log(1000)), math.floor(top / math.log(1000)) + 1)
    rows += [{"kind": "tick_y", "y": y(1000**n), "text": bytes_text(1000**n)} for n in thousands]
    # One name has room above its line; of several each would lie on another's line.
    return _crossing(_marks(rows, "model context bytes", names="left" if others else "right"))


def decoding_marks(table: pd.DataFrame, quantity: str, n: int) -> pd.DataFrame:
    """The picture of what each token costs, from a table of `decoding_table`.

    Args:
        quantity: "multiply_adds", "so_far" or "seconds".
        n: the token that is pointed out.

    Returns:
        kind: "line" (a way's cost of one token), "name" (at its line's end), "chosen" (at n),
        "tick_x" or "tick_y"; x, y, text, label_y, lit (a cache is kept), align; and way, n, cost.
    """
    T, most = int(table["n"].max()), float(table[quantity].max())
    written, number = (seconds_text, float) if quantity == "seconds" else (count_text, int)

    def x(token: int) -> float:
        return (token - 1) / (T - 1) if T > 1 else 0.5

    rows, ends = [], []
    for row in table.itertuples():
        cost = getattr(row, quantity)
        text = f"{row.way}: {written(cost)}"
        mark = {"x": x(row.n), "y": cost / most, "way": row.way, "n": row.n, "cost": cost}
        mark |= {"lit": row.way == WAYS[True], "text": text}
        rows.append({"kind": "line"} | mark)
        if row.n == n:
            rows.append({"kind": "chosen"} | mark)
        if row.n == T:
            ends.append({"kind": "name"} | mark)
    rows += _apart(ends)
    shown = {1, n, T} if min(n - 1, T - n) > T / 12 else {1, n} if n - 1 > T / 12 else {n, T}
    rows += [{"kind": "tick_x", "x": x(m), "text": f"{m:,}", "lit": m == n} for m in sorted(shown)]
    rows += [
        {"kind": "tick_y", "y": float(step) / most, "text": written(number(step))}
        for step in _round_steps(most, whole=number is int)
    ]
    return _marks(rows, "way n cost", names="right")


def kv_readers_marks(config: AttentionConfig) -> pd.DataFrame:
    """The picture of which query head reads which key and value head, side by side.

    Returns:
        the rows of `kv_readers_table`, one a query head, and left and right of its box, of its kv
        head's (kv_left, kv_right) and of its group (group_left, group_right), as shares of the
        width; the group's first_reader and last_reader; digits and kv_digits, of the longest
        number; head_count and kv_head_count, in words.
    """
    h, h_kv = config.n_heads, config.n_kv_heads
    table = kv_readers_table(config)
    box = min(_BOX / h, _MOST_WIDE)
    kv_box = min(_BOX / h_kv, max(box, _LEAST_WIDE))
    middle = (table["head"] + 0.5) / h
    kv_middle = (table["kv_head"] + 0.5) / h_kv
    group = (config.group_size - 1) / h / 2 + box / 2
    return table.assign(
        left=middle - box / 2,
        right=middle + box / 2,
        kv_left=kv_middle - kv_box / 2,
        kv_right=kv_middle + kv_box / 2,
        group_left=kv_middle - group,
        group_right=kv_middle + group,
        first_reader=table["kv_head"] * config.group_size,
        last_reader=(table["kv_head"] + 1) * config.group_size - 1,
        digits=len(str(h - 1)),
        kv_digits=len(str(h_kv - 1)),
        head_count=_counted(h, "query head"),
        kv_head_count=_counted(h_kv, "key and value head"),
    )


def _counted(count: int, what: str) -> str:
    return f"1 {what}" if count == 1 else f"{count} {what}s, 0 to {count - 1}"


def _marks(rows: Iterable[Row], own: str, *, names: str) -> pd.DataFrame:
    table = pd.DataFrame(rows, columns=[*_EVERY_MARK, *own.split()])
    align = np.where(table["x"] > 0.5, "right", "left")
    return table.assign(
        lit=table["lit"].eq(True),
        align=np.where(table["kind"] == "name", names, align),
        label_y=table["label_y"].fillna(table["y"]),
    )


def _crossing(table: pd.DataFrame) -> pd.DataFrame:
    """The table with what each of two marks must know of the other's text, NaN where one is not."""
    places = [
        table.index[table["lit"] & (table["kind"] == kind)] for kind in ("chosen", "outgrows")
    ]
    table = table.assign(other_x=np.nan, other_signs=np.nan)
    if all(len(place) == 1 for place in places):
        for (one,), (other,) in (places, places[::-1]):
            signs = max(map(len, table.at[other, "text"].split("\n")))
            table.at[one, "other_x"] = table.at[other, "x"]
            table.at[one, "other_signs"] = -signs if table.at[other, "align"] == "right" else signs
    return table


def _apart(rows: Iterable[Row], least: float = LINE_APART) -> list[Row]:
    """The rows with label_y: as near to y as they can be, `least` from one another.

    Where places are too close, a run of them is spread around its mean (isotonic regression).
    """
    rows = sorted(rows, key=lambda row: row["y"])
    runs: list[list[float]] = []
    for i, row in enumerate(rows):
        runs.append([row["y"] - i * least])
        while len(runs) > 1 and np.mean(runs[-2]) > np.mean(runs[-1]):
            last = runs.pop()
            runs[-1] += last
    places = [float(np.mean(run)) for run in runs for _ in run]
    return [
        row | {"label_y": place + i * least}
        for i, (row, place) in enumerate(zip(rows, places, strict=True))
    ]


def _broken(title: str) -> str:
    """The title in two lines, if it has more than one word; the first holds what fits of it."""
    words = title.split(" ")
    ways = [(" ".join(words[:i]), " ".join(words[i:])) for i in range(len(words) - 1, 0, -1)]
    return "\n".join(min(ways, key=lambda lines: max(_SHORT, *map(len, lines)), default=(title,)))


def _round_steps(most: float, *, whole: bool) -> list[Fraction]:
    """Two to four even steps up to `most`, each a 1, 2, 2.5 or 5 with zeros behind or before it."""
    least = Fraction(most) / 4
    power = Fraction(10) ** math.floor(math.log10(most / 4))
    sizes = [power * digit for digit in (1, 2, Fraction(5, 2), 5, 10)]
    step = next(size for size in sizes if size >= least and not (whole and size % 1))
    return [step * i for i in range(1, int(most / step) + 1)]
