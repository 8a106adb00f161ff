"""Two things timed in turn, A B A B …, so that a slow moment of the machine falls on both."""

from __future__ import annotations

import gc
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Pair:
    """One line of the table: what is measured against what, and the ratio that is hoped for.

    aim: the largest ratio ours / theirs that meets the aim; None where there is none.
    """

    what: str
    ours: Callable[[], object]
    against: str
    theirs: Callable[[], object]
    aim: float | None = None


@dataclass(frozen=True)
class Measured:
    """Medians in seconds a call, and the median of the ratios pair by pair."""

    pair: Pair
    ours: float
    theirs: float
    ratio: float


def measure(pair: Pair, *, seconds: float = 2.0, rounds: int = 15) -> Measured:
    """Time both in turn, each call repeated so often that a round is long enough to be read."""
    times = []
    repeats = [_repeats(run, seconds / rounds / 2) for run in (pair.ours, pair.theirs)]
    gc.collect()
    for _ in range(rounds):
        times.append(
            tuple(
                _seconds_a_call(run, n)
                for run, n in zip((pair.ours, pair.theirs), repeats, strict=True)
            )
        )
    ours, theirs = (statistics.median(column) for column in zip(*times, strict=True))
    ratio = statistics.median(a / b for a, b in times)
    return Measured(pair, ours, theirs, ratio)


def _repeats(run: Callable[[], object], seconds: float) -> int:
    run()
    return max(1, round(seconds / max(_seconds_a_call(run, 1), 1e-9)))


def _seconds_a_call(run: Callable[[], object], repeats: int) -> float:
    start = time.perf_counter()
    for _ in range(repeats):
        run()
    return (time.perf_counter() - start) / repeats
