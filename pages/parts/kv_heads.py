"""Key and value heads, shared by groups of query heads: a slider over the divisors of the heads."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from mha.checks import divisors, nearest_divisors
from mha.config import AttentionConfig
from pages.parts import bound
from pages.parts.link import message

ALL = "all"
_KEY = "kv_heads"


def choose_kv_heads(
    config: AttentionConfig, *, tell_in: bound.Place = st, width: int | str = "stretch"
) -> AttentionConfig:
    """Draw the slider, from a key and value head for every head down to one for all of them.

    It starts at "all", which stays true when the number of heads changes.
    """
    h = config.n_heads

    def mend(asked: str) -> tuple[str, str | None]:
        return _mend(asked, h)

    stop = bound.stops(
        "Key and value heads",
        [ALL, *downwards(h)[1:]],
        key=_KEY,
        mend=mend,
        tell_in=tell_in,
        width=width,
        help="Each is shared by a group of heads. All: every head has its own.",
    )
    return AttentionConfig(config.d_model, h, h if stop == ALL else int(stop), config.bias)


def downwards(h: int) -> Sequence[str]:
    """The numbers that divide h, the largest first, as a slider's stops."""
    return [str(n) for n in reversed(divisors(h))]


def _mend(asked: str, h: int) -> tuple[str, str | None]:
    """The stop nearest to what was asked for, and what to say of it where it is another number."""
    if not (asked.isascii() and asked.isdigit() and len(asked) < 9 and int(asked)):
        return ALL, message(_KEY, f"{ALL}, or a number that divides the heads", asked, ALL)
    nearest = nearest_divisors(h, int(asked))[0]
    stop = ALL if nearest == h else str(nearest)
    if nearest == int(asked):
        return stop, None
    return stop, (
        f"kv_heads must divide heads; got heads={h}, kv_heads={int(asked)}. "
        f"Showing kv_heads={nearest}, the nearest that does."
    )
