"""python -m tests.benchmarks [WORD …]: a table of ratios, each measured side by side in one run.

With words, only lines whose text contains one of them.
"""

from __future__ import annotations

import logging
import sys

from tests.benchmarks import animation, attention, module, pictures, reruns, seeds, start, training
from tests.benchmarks.pairs import Measured, measure


def main(words: list[str]) -> None:
    logging.disable(logging.WARNING)
    print(f"{'ours':<44} {'':>9}  {'against':<38} {'':>9}  {'ratio':>6}  aim")
    for group in (attention, module, pictures, animation, reruns, training):
        for pair in group.pairs():
            if not words or any(word in pair.what + pair.against for word in words):
                print(line(measure(pair)), flush=True)
    if not words or any(word in text for word in words for text in start.WHAT):
        print(line(start.measured()), flush=True)
    if seeds.WHAT in words:  # only where it is asked for: it takes minutes
        for text in seeds.lines():
            print(text, flush=True)
    for size in animation.sizes():
        if not words or any(word in size.what for word in words):
            met = "met" if size.bytes <= size.aim else "missed"
            print(f"{size.what:<52} {size.bytes:>7,} bytes  ≤ {size.aim:,}, {met}")


def line(measured: Measured) -> str:
    """One line of the table; a ratio below 1 means that ours is the faster."""
    pair, aim = measured.pair, ""
    if pair.aim is not None:
        met = "met" if measured.ratio <= pair.aim else "missed"
        aim = f"≤ {pair.aim:.2f}, {met}"
    return (
        f"{pair.what:<44} {duration(measured.ours)}  {pair.against:<38} "
        f"{duration(measured.theirs)}  {measured.ratio:6.2f}  {aim}"
    ).rstrip()


def duration(seconds: float) -> str:
    """A time in the unit that suits it, nine characters wide."""
    units = (("s", 1), ("ms", 1e-3), ("µs", 1e-6))
    unit, size = next((u for u in units if seconds >= u[1]), units[-1])
    return f"{seconds / size:6.1f} {unit:<2}"


if __name__ == "__main__":
    main(sys.argv[1:])
