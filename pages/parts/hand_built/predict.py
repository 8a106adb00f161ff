"""Predict, then reveal: a guess first, the weights after it."""

from __future__ import annotations

import streamlit as st

from mha.hand_built import Verdict, judge
from mha.sentence import Sentence
from pages.parts import bound
from pages.parts.cell import Cell
from pages.parts.hand_built.choice import SIDES, Shown
from pages.parts.words import bold, listed


def ask(shown: list[Shown], sentence: Sentence, cell: Cell) -> None:
    """Ask where the chosen token will look, in one of the heads; judge once the guess is made."""
    side_column, guess_column = st.columns(2)
    with side_column:
        side = bound.segments(
            "In which head?",
            list(SIDES),
            format_func=SIDES.get,
            key="guess_side",
            on_change=bound.turn_off,
            args=("reveal",),
        )
    labels = list(sentence.labels)
    one = next(s for s in shown if s.side == side)
    with guess_column:
        guess = bound.pick(
            "Which token will it look at most?",
            labels,
            index=None,
            what="one of the words",
            placeholder="choose a word",
            key="guess",
            on_change=bound.turn_off,
            args=("reveal",),
        )
    st.markdown(
        f"**{one.title}.** Its job: {one.head.job} Where will {bold(labels[cell.query])} look?"
    )
    revealed = bound.turn("Show the weights", key="reveal", disabled=guess is None, is_answer=True)
    if guess is not None and revealed:
        verdict = judge(one.trace, cell.query, labels.index(guess))
        _tell(verdict, labels, labels[cell.query], guess)


def is_hidden() -> bool:
    """Whether the weights must not be seen yet."""
    return not (st.session_state.get("reveal") and st.session_state.get("guess"))


def _tell(verdict: Verdict, labels: list[str], query: str, guess: str) -> None:
    best = [labels[i] for i in verdict.best]
    each = " each" if len(best) > 1 else ""
    largest = f"{listed(best)} {'have' if each else 'has'} weight {verdict.best_weight:.2f}{each}"
    match verdict.kind:
        case "right":
            st.success(
                f"**Right.** {largest}: the score {verdict.best_score:.2f} is the row's highest.",
                icon=":material/check_circle:",
            )
        case "tie":
            st.info(
                f"**A tie, and {bold(guess)} is in it.** {largest}: their scores are equal, "
                f"{verdict.best_score:.2f}, so the softmax cannot prefer one.",
                icon=":material/balance:",
            )
        case "wrong":
            st.warning(
                f"**Wrong.** {largest}, with the score {verdict.best_score:.2f}. {bold(guess)} has "
                f"the score {verdict.guess_score:.2f} and the weight {verdict.guess_weight:.2f}.",
                icon=":material/cancel:",
            )
        case "masked":
            st.warning(
                f"**Wrong.** {bold(guess)} stands after {bold(query)}, and the causal mask hides "
                f"it: its weight is 0. {largest}.",
                icon=":material/visibility_off:",
            )
