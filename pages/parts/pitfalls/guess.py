"""Which of two answers is right? They are shown without names; then the guess is judged.

Until then nothing names the mistake: the question says only what both functions are for.
"""

from __future__ import annotations

from hashlib import blake2b
from typing import TYPE_CHECKING

import streamlit as st

from pages.parts import bound
from pages.parts.pitfalls import answers, mistakes
from pages.parts.words import plain

if TYPE_CHECKING:
    from mha.pitfalls import Outcome, Pitfall

NAMES = ("A", "B")
_GUESS, _REVEAL = "right_guess", "right_reveal"


def ask(pitfall: Pitfall, outcome: Outcome, picture_place: bound.Place) -> bool:
    """Draw both answers as A and B, and ask which of them is right; whether it was told now."""
    named = names(pitfall)
    question, reveal = st.columns([1, 1], vertical_alignment="bottom")
    with question:
        guess = bound.segments(
            "Right is", NAMES, required=False, key=_GUESS, on_change=bound.turn_off, args=(_REVEAL,)
        )
    with reveal:
        revealed = bound.turn(
            "Show which is right", key=_REVEAL, disabled=guess is None, is_answer=True
        )
    is_told = guess is not None and revealed
    with picture_place:
        st.markdown(f"{pitfall.task} **Which answer is right, A or B?**")
        titles = {
            which: f"**{name}: {which}**" if is_told else f"**{name}**"
            for which, name in named.items()
        }
        answers.draw(pitfall, outcome, titles)
        st.markdown(mistakes.counted(outcome))
    if is_told and is_same(outcome):
        st.info(
            "On these sizes both give the same. Move a slider, or judge by the code.",
            icon=":material/info:",
        )
    elif is_told:
        _judge(pitfall, guess, named["right"])
    codes = {"wrong": pitfall.wrong_code, "right": pitfall.right_code}
    with st.expander("Judge by the code", expanded=is_told):
        for which, place in zip(named, st.columns(2, gap="large"), strict=True):
            with place:
                st.markdown(titles[which])
                st.code(codes[which], "python", wrap_lines=True)
    return is_told


def is_same(outcome: Outcome) -> bool:
    """Whether both gave an answer and no number of it differs."""
    raised = outcome.wrong.error is not None or outcome.right.error is not None
    return not raised and outcome.n_differ == 0


def names(pitfall: Pitfall) -> dict[str, str]:
    """A and B for "wrong" and "right".

    Which is which follows from the mistake alone, so that a link keeps it, and from nothing that is
    seen, so that nobody can tell it.
    """
    drawn = blake2b(pitfall.key.encode(), digest_size=1, person=b"A or B").digest()[0]
    order = ("wrong", "right") if drawn % 2 else ("right", "wrong")
    return dict(zip(order, NAMES, strict=True))


def forget() -> None:
    """Another mistake: neither guessed nor told, in a callback."""
    for key, value in ((_GUESS, None), (_REVEAL, False)):
        if st.session_state.get(key):
            bound.assign(key, value)


def _judge(pitfall: Pitfall, guess: str, right: str) -> None:
    said = f"**{right}** is right. The mistake: *{plain(pitfall.name)}*. {pitfall.sentence}"
    if guess == right:
        st.success(f"**Yes.** {said}", icon=":material/check_circle:")
    else:
        st.warning(f"**No.** {said}", icon=":material/cancel:")
