"""A job that no single head can do: copying what followed last time."""

from __future__ import annotations

import streamlit as st

from mha import charts, tables
from mha.hand_built import copy_what_followed
from mha.sentence import Sentence
from pages.parts import bound, look

_REPEATING = "the cat sat on the mat and the cat"
_PIXELS = 170  # of a presenter's pictures, below what they are for


def show(sentence: Sentence) -> None:
    """Two layers by hand on the visitor's words, and why one layer is not enough."""
    st.markdown(
        "**Look at what followed this word last time.** No single head can do it for every "
        "sentence: it takes two layers."
    )
    trace = copy_what_followed(sentence)
    if len(trace.words) == len(sentence):
        st.info("No word repeats here, so there is nothing to copy yet.", icon=":material/info:")
        st.button("Try words that repeat", on_click=bound.assign, args=("tokens", _REPEATING))
    titles = (
        "Layer 1: the word before is written into each token",
        "Layer 2: what followed my word",
    )
    for title, one, column in zip(
        titles, (trace.previous, trace.induction), st.columns(2, gap="medium"), strict=True
    ):
        with column:
            st.markdown(f"**{title}**")
            table = charts.with_ink(tables.weights_table(one, sentence), "weight", look.theme())
            table["stamp"] = 0
            spec = charts.weights_spec(len(sentence), look.theme())
            look.picture(table, spec, alt=f"{title}, as a grid of weights.", at_most=_PIXELS)
    st.markdown(
        "A score compares two tokens by their own features, and what a token *follows* is not "
        "among them. So a previous-token head writes into every token which word stood before it; "
        "then a second head can look for *the token that follows my word*. Such a pair is called "
        "an induction head. Both look back only, whatever the mask of the sidebar."
    )
