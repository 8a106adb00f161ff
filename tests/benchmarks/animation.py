"""The animation's data at its largest: 1,536 numbers through every stage, and what it weighs."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from mha.layout import MISTAKES, Stage, stages
from pages.parts.animation import drawing
from tests.benchmarks.pairs import Pair

LARGEST = (2, 12, 64, 8)  # B, T, C and heads: 1,536 numbers
MOST_BYTES = 60_000


@dataclass(frozen=True)
class Size:
    """One line of the table: how many bytes are sent, and the most that there should be."""

    what: str
    bytes: int
    aim: int


def pairs() -> Iterator[Pair]:
    """All stages computed, packed and made into text; against the same arrays as lists."""
    yield Pair(
        "stages of 1,536 numbers, computed",
        lambda: stages(*LARGEST),
        "the same, packed and made ready to send",
        lambda: json.dumps(drawing(LARGEST, None)),
    )
    steps = stages(*LARGEST)
    yield Pair(
        "stages of 1,536 numbers, made ready to send",
        lambda: json.dumps(drawing(LARGEST, None)),
        "their arrays as JSON lists",
        lambda: json.dumps([as_lists(step) for step in steps]),
        aim=0.5,
    )


def sizes() -> Iterator[Size]:
    """What the browser is sent for each way, in bytes of JSON."""
    for mistake in (None, *MISTAKES):
        yield Size(
            f"stages of 1,536 numbers, {mistake or 'the right way'}",
            len(json.dumps(drawing(LARGEST, mistake))),
            MOST_BYTES,
        )


def as_lists(step: Stage) -> list[Any]:
    return [array.tolist() for array in (step.index, step.address, step.row, step.column)]
