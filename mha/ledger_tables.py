"""The ledger for several numbers of heads → tidy tables, one row a mark or a number of heads."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from mha.checks import divisors
from mha.config import AttentionConfig
from mha.ledger import ParameterCount, count_parameters, count_scores

MOST_SLICES = 32  # heads that a bar is cut into; more would be too small to be told apart
MOST_UP = 8  # slices of a projection that stand on one another; more stand side by side
MOST_TICKS = 12  # bars that have their number of heads written below
_GAP = 0.06  # of a bar's room, free on each side of it
_NARROW = 28  # characters that stand side by side above the bars on the narrowest screen
_NAME_HEIGHT = 0.05  # of the picture, from the name of one part to the next


def parameters_table(
    configs: Sequence[AttentionConfig],
    lit: int,
    *,
    d_head: int | None = None,
    by_head: bool = False,
) -> pd.DataFrame:
    """The parameters of a layer for several numbers of heads, one row a piece of a bar.

    Args:
        configs: the layer, once for each number of heads.
        lit: the number of heads that is pointed out.
        by_head: cut each projection into the shares of its heads, up to MOST_SLICES of them, in
            rows of one or more.

    Returns:
        heads; part ("W_Q", …, "W_O", "bias"); head (of the slice, key/value heads by the first
        query head that reads them; -1 for the whole part); slice (its name); count; total; lit;
        first (one row a bar); left, right, start and end of the piece, as shares of the picture's
        width and of the tallest bar; height of the bar; named, halfway up a part of the lit bar in
        one row a part where its name has room, else NaN; and the columns of `_bars`.
    """
    counts = [count_parameters(config, d_head=d_head) for config in configs]
    tallest = max(count.total for count in counts)
    rows, bar_of = [], []
    for bar, (config, count) in enumerate(zip(configs, counts, strict=True)):
        is_lit, bottom, last_name = config.n_heads == lit, 0, -1.0
        for part, names, share in _parts(count, config, by_head):
            height = share * len(names)
            middle = (bottom + height / 2) / tallest
            has_name = is_lit and middle - last_name >= _NAME_HEIGHT
            last_name = middle if has_name else last_name
            across = _across(len(names))
            down = len(names) // across
            for n, (head, name) in enumerate(names.items()):
                up, along = divmod(n, across)
                place = {
                    "along": along / across,
                    "until": (along + 1) / across,
                    "start": (bottom + height * up / down) / tallest,
                    "end": (bottom + height * (up + 1) / down) / tallest,
                    "height": count.total / tallest,
                    "named": middle if has_name and n == 0 else np.nan,
                }
                what = {"heads": config.n_heads, "part": part, "head": head, "slice": name}
                first = part == "W_Q" and n == 0
                rows.append({**what, "count": share, "total": count.total, "first": first} | place)
                bar_of.append(bar)
            bottom += height
    pieces = {name: np.array([row[name] for row in rows]) for name in rows[0]}
    bars = _bars(configs, lit, [count.total for count in counts])
    bars = {name: np.array(column)[bar_of] for name, column in bars.items()}
    width = bars["bar_right"] - bars["bar_left"]
    along = {
        "left": bars["bar_left"] + pieces.pop("along") * width,
        "right": bars["bar_left"] + pieces.pop("until") * width,
    }
    return pd.DataFrame(pieces | bars | along)


def changes_table(
    configs: Sequence[AttentionConfig], lit: int, T: int, *, d_head: int | None = None
) -> pd.DataFrame:
    """What does change with the number of heads, for T tokens: one row a bar.

    Returns:
        panel (0, 1, 2), quantity (its name), heads, value, share (of the panel's largest value),
        first (one row a panel), and the columns of `_bars`.
    """
    scores = [count_scores(config, T_q=T) for config in configs]
    quantities = {
        "d_head: numbers in a head": [d_head or config.d_head for config in configs],
        f"softmaxes: h × T, T = {T}": [score.softmaxes for score in scores],
        f"scores: h × T × T, T = {T}": [score.numbers for score in scores],
    }
    heads = [config.n_heads for config in configs]
    panels = [
        pd.DataFrame(
            {
                "panel": panel,
                "quantity": name,
                "heads": heads,
                "value": values,
                "share": np.array(values) / max(values),
                "first": [n == 0 for n in range(len(heads))],
            }
            | _bars(configs, lit, values)
        )
        for panel, (name, values) in enumerate(quantities.items())
    ]
    return pd.concat(panels, ignore_index=True)


def head_counts_table(
    configs: Sequence[AttentionConfig], T: int, *, d_head: int | None = None
) -> pd.DataFrame:
    """Everything that is counted for each number of heads, one row a number of heads.

    Returns:
        heads, kv_heads, d_head, parameters, softmaxes, scores, and score_bytes at 32 bits a number.
    """
    rows = []
    for config in configs:
        parameters = count_parameters(config, d_head=d_head).total
        numbers, size, softmaxes = count_scores(config, T_q=T)
        head = (config.n_heads, config.n_kv_heads, d_head or config.d_head)
        rows.append((*head, parameters, softmaxes, numbers, size))
    names = "heads kv_heads d_head parameters softmaxes scores score_bytes"
    return pd.DataFrame(rows, columns=names.split())


def _parts(
    count: ParameterCount, config: AttentionConfig, by_head: bool
) -> list[tuple[str, dict[int, str], int]]:
    """The parts of a bar from the bottom up: name, pieces by head, and the count of one piece."""
    parts = []
    for part in ("W_Q", "W_K", "W_V", "W_O"):
        shared = part in count.per_kv_head
        share = count.per_kv_head[part] if shared else count.per_head[part]
        if by_head and config.n_heads <= MOST_SLICES:
            n, group = (config.n_kv_heads, config.group_size) if shared else (config.n_heads, 1)
            heads = [range(i * group, (i + 1) * group) for i in range(n)]
            parts.append((part, {h[0]: f"{part} of {_named(h)}" for h in heads}, share))
        else:
            parts.append((part, {-1: part}, count.terms[part]))
    if config.bias:
        biases = sum(n for name, n in count.terms.items() if name.startswith("b_"))
        parts.append(("bias", {-1: "b_Q, b_K, b_V and b_O"}, biases))
    return parts


def _named(heads: range) -> str:
    return f"head {heads[0]}" if len(heads) == 1 else f"heads {heads[0]} to {heads[-1]}"


def _across(n: int) -> int:
    """How many of n pieces stand side by side, so that at most MOST_UP stand on one another."""
    return next(across for across in divisors(n) if n // across <= MOST_UP)


def _bars(configs: Sequence[AttentionConfig], lit: int, values: Sequence[int]) -> dict[str, Any]:
    """Columns of the bars side by side, a number of heads each.

    Args:
        values: how high the bars are.

    Returns:
        heads; lit; bar_left and bar_right, as shares of the picture's width; tick, the number of
        heads where it is written, else ""; tick_width, the share of the width that it has; align
        and align_at, how and where the value stands above its bar.
    """
    n = len(configs)
    heads = [config.n_heads for config in configs]
    at, every = heads.index(lit), -(-n // MOST_TICKS)
    left = np.arange(n) / n
    align = ["center"] * n
    align[at] = _leaning(values, at)
    places = {"left": _GAP, "center": 0.5, "right": 1 - _GAP}
    return {
        "heads": heads,
        "lit": [h == lit for h in heads],
        "bar_left": left + _GAP / n,
        "bar_right": left + (1 - _GAP) / n,
        "tick": [f"{h:,}" if (i - at) % every == 0 else "" for i, h in enumerate(heads)],
        "tick_width": [every / n] * n,
        "align": align,
        "align_at": left + np.array([places[side] for side in align]) / n,
    }


def _leaning(values: Sequence[int], at: int) -> str:
    """How to align the number above a bar: a long one goes beside a higher bar, not onto it."""
    if len(f"{values[at]:,}") * len(values) <= _NARROW:
        return "center"
    before = values[at - 1] if at > 0 else 0
    after = values[at + 1] if at + 1 < len(values) else 0
    if max(before, after) <= values[at]:
        return "center"
    return "left" if before > after else "right"
