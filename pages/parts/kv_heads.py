"""Key and value heads, shared by groups of query heads: a number that divides the heads."""

from __future__ import annotations

import streamlit as st

from mha.checks import divisors, nearest_divisors
from mha.config import AttentionConfig
from pages.parts import bound

KEY = "kv_heads"


def choose_kv_heads(config: AttentionConfig, *, tell_in: bound.Place = st) -> AttentionConfig:
    """Draw the slider, and return the sizes with what it says.

    The link is silent of it where every query head has keys and values of its own.
    """
    heads = config.n_heads
    kv_heads = bound.stop(
        "Key and value heads",
        divisors(heads),
        value=heads,
        nearest=lambda wanted: nearest_divisors(heads, wanted)[0],
        rule=_rule(heads),
        key=KEY,
        tell_in=tell_in,
        help="Numbers that divide the heads. Fewer: groups of query heads share keys and values.",
    )
    return AttentionConfig(config.d_model, heads, kv_heads, config.bias)


def follow(before: int, heads: int) -> None:
    """Keep the number valid when the heads have changed; as many as heads stays as many."""
    had = st.session_state.get(KEY)
    if had == before:
        bound.assign(KEY, heads)
    elif had is not None and heads % had:
        nearest = nearest_divisors(heads, had)[0]
        bound.assign(KEY, nearest)
        bound.note(KEY, bound.message(KEY, _rule(heads), str(had), nearest))


def _rule(heads: int) -> str:
    return f"one of the divisors of heads={heads}"
