"""Mistakes that people really make with attention, each run as wrong code beside right code.

`case` says what one is and runs it, `source` shows its code; the others hold them by subject:
`splitting` heads, `masking` calls, `masked_scores`, `precision`, `weights`, `sizes` and `text`.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import get_args

from mha.pitfalls.case import Answer, Input, Outcome, Pitfall, Topic
from mha.pitfalls.masked_scores import MASKED_SCORES
from mha.pitfalls.masking import MASKING
from mha.pitfalls.precision import PRECISION
from mha.pitfalls.sizes import SIZES
from mha.pitfalls.splitting import SPLITTING
from mha.pitfalls.text import TEXT
from mha.pitfalls.weights import WEIGHING

__all__ = ["PITFALLS", "TOPICS", "Answer", "Input", "Outcome", "Pitfall", "Topic", "search"]

TOPICS: tuple[Topic, ...] = get_args(Topic)

_ALL = (*SPLITTING, *MASKING, *MASKED_SCORES, *PRECISION, *WEIGHING, *SIZES, *TEXT)
# By topic, in the order that topics are named; within one, as written.
PITFALLS: Mapping[str, Pitfall] = MappingProxyType(
    {pitfall.key: pitfall for pitfall in sorted(_ALL, key=lambda p: TOPICS.index(p.topic))}
)


def search(text: str) -> tuple[Pitfall, ...]:
    """The pitfalls that hold every word of `text`, in their name, topic, sentence or code.

    No word finds all of them. Upper and lower case are one.
    """
    words = text.casefold().split()
    return tuple(p for p in PITFALLS.values() if all(word in _read(p) for word in words))


def _read(pitfall: Pitfall) -> str:
    """All that a search reads of a pitfall."""
    code = f"{pitfall.wrong_code} {pitfall.right_code}"
    return f"{pitfall.name} {pitfall.topic} {pitfall.sentence} {code}".casefold()
