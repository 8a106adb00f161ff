"""Key and value heads, shared by groups of query heads: a number that divides the heads."""

from __future__ import annotations

import streamlit as st

from mha.checks import divisors, nearest_divisors
from mha.config import AttentionConfig
from pages.parts import bound
from pages.parts.words import plain

_KEY, _SHOWN = "kv_heads", "kv_heads_shown"
_MOST = 16_384


def choose_kv_heads(
    config: AttentionConfig, *, tell_in: bound.Place = st, width: int | str = "stretch"
) -> AttentionConfig:
    """Draw the number, and return the sizes with the nearest to it that divides the heads."""
    h = config.n_heads
    asked = bound.number(
        "Key and value heads",
        1,
        _MOST,
        value=None,
        key=_KEY,
        on_change=_step_to_a_divisor,
        tell_in=tell_in,
        placeholder=f"{h:,}",
        width=width,
        help="Each is shared by a group of heads: a number that divides the heads. "
        "Empty: every head has its own.",
    )
    kv_heads = nearest_divisors(h, asked)[0] if asked else h
    if asked and kv_heads != asked:
        note = (
            f"kv_heads must divide heads; got heads={h}, kv_heads={asked}. "
            f"Showing kv_heads={kv_heads}, the nearest that does."
        )
        tell_in.warning(plain(note), icon=":material/info:")
    st.session_state[_SHOWN] = (kv_heads, h)
    return AttentionConfig(config.d_model, h, kv_heads, config.bias)


def _step_to_a_divisor() -> None:
    """Go to the next number that divides the heads, in the direction that was taken."""
    asked = st.session_state[_KEY]
    shown, h = st.session_state[_SHOWN]
    if asked and h % asked:
        larger = [d for d in divisors(h) if d > asked] or [h]
        smaller = [d for d in divisors(h) if d < asked]
        bound.assign(_KEY, larger[0] if asked > shown else smaller[-1])
