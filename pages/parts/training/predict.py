"""Predict, then reveal: which single head will be missed most?"""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from mha.training import Settings
from mha.training_marks import MISSED, head_names
from pages.parts import bound
from pages.parts.training.knock import draw, rises, table

if TYPE_CHECKING:  # torch takes a second, and is loaded when somebody trains
    from mha.training import Snapshot

_GUESS, _REVEAL = "missed_guess", "missed_reveal"


def choose(settings: Settings) -> tuple[str | None, bool]:
    """Draw the question: the guess, and whether the answer is to be seen."""
    st.markdown(
        "**Turn one head off, and only one. Which will be missed most, over all tasks?** Look at "
        "the scores of the step *Training* first."
    )
    guess = bound.pick(
        "The head that is missed most",
        list(head_names(settings)),
        index=None,
        what="one of the run’s heads",
        placeholder="choose a head",
        key=_GUESS,
        on_change=bound.turn_off,
        args=(_REVEAL,),
    )
    return guess, bound.turn("Show the losses", key=_REVEAL, disabled=guess is None, is_answer=True)


def tell(snapshot: Snapshot, guess: str) -> None:
    """Judge the guess by knocking out every head, one at a time."""
    by_name = head_names(snapshot.settings)
    rise = {name: rises(snapshot, [head]) for name, head in by_name.items()}
    order = sorted(by_name, key=lambda name: sum(rise[name].values()), reverse=True)
    best, worst = order[0], sum(rise[order[0]].values())
    own = sum(rise[guess].values())
    told = f"Without **{best}** alone the losses rise by {worst:.3f} nats in sum; "
    told += (
        f"without **{guess}**, by {own:.3f}.".replace("-", "−")
        if guess != best
        else "no other is missed more."
    )
    if guess == best:
        st.success(f"**Right.** {told}", icon=":material/check_circle:")
    else:
        st.warning(f"**Wrong.** {told}", icon=":material/cancel:")
    if worst < MISSED:
        st.info(
            "No single head is missed at all. Turn off groups of them in the step *Knock out*.",
            icon=":material/info:",
        )
    rows = [(name, rise[name]) for name in order]
    task = max(snapshot.settings.tasks, key=lambda task: rise[best][task])
    picture, numbers = st.columns([3, 2], gap="large")
    with picture:
        draw(task, rows)
    with numbers:
        st.markdown(table(snapshot, rows))
