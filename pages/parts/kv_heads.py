"""Key and value heads, shared by groups of query heads: a slider over the divisors of the heads."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from mha.checks import divisors, nearest_divisors
from mha.config import AttentionConfig
from pages.parts import bound
from pages.parts.link import message, not_dividing, whole

ALL = "all"
_KEY = "kv_heads"


def choose_kv_heads(
    config: AttentionConfig, *, tell_in: bound.Place = st, width: int | str = "stretch"
) -> AttentionConfig:
    """Draw the slider, from a key and value head for every head down to one for all of them.

    It starts at "all", which stays true when the number of heads changes.
    """
    h = config.n_heads

    def fit(asked: str) -> tuple[str, str | None]:
        return _mend(asked, h)

    stop = bound.stops(
        "Key and value heads",
        [ALL, *downwards(h)[1:]],
        key=_KEY,
        fit=fit,
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
    number = whole(asked, 1)
    if number is None:
        return ALL, message(_KEY, f"{ALL}, or a number that divides the heads", asked, ALL)
    nearest = nearest_divisors(h, number)[0]
    note = None if nearest == number else not_dividing("heads", h, _KEY, number)
    return ALL if nearest == h else str(nearest), note
