"""Predict, then reveal: other heads, and how many parameters?"""

from __future__ import annotations

import streamlit as st

from pages.parts import bound, presenter
from pages.parts.parameters.layer import Layer

GUESSES = ("fewer", "the same", "more")


def ask(layer: Layer) -> None:
    """Ask for the total with other heads, twice as many where that can be; then judge."""
    h, other = layer.config.n_heads, _other(layer)
    if other is None:
        st.info("No other number of heads is possible here. Try another width.")
        return
    question = "Double the heads" if other == 2 * h else "Change the heads"
    st.markdown(
        f"**{question}: from {h:,} to {other:,}, and all else stays. How many parameters?**"
    )
    presenter.options(GUESSES)
    with st.container(horizontal=True, vertical_alignment="center"):
        guess = bound.segments(
            "Your guess",
            GUESSES,
            required=False,
            label_visibility="collapsed",
            key="count_guess",
            on_change=bound.turn_off,
            args=("count_reveal",),
        )
        revealed = bound.turn(
            "Show the count", key="count_reveal", disabled=guess is None, is_answer=True
        )
    if guess is not None and revealed:
        _tell(guess, layer.totals[h], layer.totals[other], other)


def is_hidden(layer: Layer) -> bool:
    """Whether the other numbers of heads must not be seen yet."""
    asked = _other(layer) is not None
    return asked and not (st.session_state.get("count_reveal") and st.session_state["count_guess"])


def _other(layer: Layer) -> int | None:
    """Twice the heads, or the next number that is possible, or the last one below."""
    h, possible = layer.config.n_heads, list(layer.totals)
    if 2 * h in possible:
        return 2 * h
    above, below = [n for n in possible if n > h], [n for n in possible if n < h]
    return above[0] if above else below[-1] if below else None


def _tell(guess: str, now: int, then: int, other: int) -> None:
    answer = GUESSES[(then >= now) + (then > now)]
    counts = f"{other:,} {'head has' if other == 1 else 'heads have'} {then:,} parameters"
    if answer == "the same":
        counts += ", exactly as many as now: the more heads, the smaller each of them."
    else:
        counts += f", {answer} than the {now:,} now."
    if guess == answer:
        st.success(f"**Right.** {counts}", icon=":material/check_circle:")
    else:
        st.warning(f"**Wrong.** {counts}", icon=":material/cancel:")
