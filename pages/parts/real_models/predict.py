"""Predict, then reveal: so many times fewer key and value heads, and how much smaller a cache?"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import streamlit as st

from mha.amounts import bytes_text, count_text
from mha.cache_tables import kv_readers_table
from mha.checks import divisors
from mha.models import Model
from pages.parts import bound, presenter
from pages.parts.export import Takeaway
from pages.parts.export.models import of_groups
from pages.parts.real_models import groups
from pages.parts.real_models.choose import Asked
from pages.parts.words import plain

_MOST_TIMES = 8
_GUESS, _REVEAL = "cache_guess", "cache_reveal"
GUESSES = ("fewer times", "exactly as many times", "more times")


def ask(model: Model, asked: Asked, picture_place: bound.Place) -> Takeaway | None:
    """Ask for the cache of the model with fewer key and value heads; then count and draw it.

    Returns what can be taken away once it is shown.
    """
    few = _fewer(model)
    if few is None:
        why = "keeps no heads at all" if model.latent is not None else "has no cache to shrink"
        st.info(f"{plain(model.title)} {why}. Choose another model.", icon=":material/info:")
        return None
    times = model.n_heads // few
    st.markdown(
        f"**{plain(model.title)} has {model.n_heads} query heads. Think of it with as many key and "
        f"value heads, and then with {few}: {times} times fewer. The cache is then so many times "
        "smaller, too: fewer times, exactly as many, or more?**"
    )
    presenter.options(GUESSES)
    guess = bound.segments(
        "Smaller by", GUESSES, required=False, key=_GUESS, on_change=bound.turn_off, args=(_REVEAL,)
    )
    revealed = bound.turn("Show the count", key=_REVEAL, disabled=guess is None, is_answer=True)
    if guess is None or not revealed:
        return None
    _tell(model, few, asked, guess)
    with picture_place:
        picture = groups.draw(model, few, asked)
    readers = kv_readers_table(replace(model, n_kv_heads=few).config)
    return of_groups(model, few, asked, readers, picture)


def _fewer(model: Model) -> int | None:
    """The fewest key and value heads for at most eight times fewer; None where none can be."""
    if model.latent is not None or model.kind == "encoder":
        return None
    possible = [n for n in divisors(model.n_heads) if 1 < model.n_heads // n <= _MOST_TIMES]
    return possible[0] if possible else None


def _tell(model: Model, few: int, asked: Asked, guess: str) -> None:
    own, shared = (replace(model, n_kv_heads=n) for n in (model.n_heads, few))
    before, after = (
        one.kv_cache_bytes(asked.T, asked.batch, asked.bytes_per_number) for one in (own, shared)
    )
    factor, times = Fraction(before, after), model.n_heads // few
    answer = GUESSES[(factor >= times) + (factor > times)]
    told = (
        f"The cache shrinks from {bytes_text(before)} to {bytes_text(after)}, "
        f"**{float(factor):g} times**: it holds keys and values and nothing else. The attention "
        f"parameters shrink from {count_text(own.attention_parameters)} to "
        f"{count_text(shared.attention_parameters)}, "
        f"only {own.attention_parameters / shared.attention_parameters:.2f} times: W\\_Q and W\\_O "
        "stay."
    )
    if guess == answer:
        st.success(f"**Right.** {told}", icon=":material/check_circle:")
    else:
        st.warning(f"**Wrong.** {told}", icon=":material/cancel:")
