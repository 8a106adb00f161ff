"""Make your own head: two matrices to write in, the pattern beside them, and five challenges."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from mha import charts, tables
from mha.hand_built import (
    CHALLENGES,
    DONE,
    GALLERY,
    MAX_EDIT,
    Challenge,
    Edits,
    feature_names,
    own_edits,
    own_head,
    read_edits,
    write_edits,
)
from mha.reference import Array
from mha.sentence import Sentence
from pages.parts import bound, look
from pages.parts.words import plain

_PIXELS = 200  # of a presenter's picture, below its score and the hint


def edits_in_the_link() -> Edits:
    """The changed numbers as a text that travels in the link. Its messages are never folded."""
    bound.asked_for("own")  # once, where the link has it twice
    with st.expander("Your own head, as text"):
        text = st.text_input(
            "Changed numbers",
            placeholder="Q:3,1=6 K:0,0=-2.5",
            **bound.kept("own", _written_elsewhere),
            help="W_Q row 3, column 1 is 6; W_K row 0, column 0 is -2.5; all else as it was.",
        )
    edits, complaints = read_edits(text)
    for complaint in complaints:
        st.warning(plain(complaint), icon=":material/info:")
    return edits


def workshop(sentence: Sentence, X: Array, edits: Edits, causal: bool) -> None:
    """The challenge, the two matrices, the pattern and its score."""
    T = len(sentence)
    challenge_column, start_column, clear_column = st.columns(
        [5, 4, 2], vertical_alignment="bottom"
    )
    with challenge_column:
        name = bound.pick("Challenge: look at …", list(CHALLENGES), key="challenge")
    start_column.selectbox(
        "Start from",
        [n for n, kind in GALLERY.items() if n != "your own" and own_edits(kind(sentence))],
        index=None,
        placeholder="a head of the gallery",
        key="start_from",
        on_change=_start_from,
        args=(sentence,),
    )
    clear_column.button("Clear", on_click=_replace_edits, args=({},), width="stretch")
    head = own_head(T, edits)
    trace = head.attend(X, causal)
    pattern, asks = st.columns([9, 14], gap="medium")
    with pattern:
        _show_score(CHALLENGES[name], trace.weights, sentence)
        theme = look.theme()
        table = charts.with_ink(tables.weights_table(trace, sentence), "weight", theme)
        table["stamp"] = 0
        look.picture(
            table,
            charts.weights_spec(T, theme),
            alt="The weights of your own head.",
            at_most=_PIXELS,
        )
    with asks:
        limit = f"numbers from −{MAX_EDIT:g} to {MAX_EDIT:g}"
        st.markdown(f"**W_Q**: what a token with this feature asks for; {limit}")
        _editor("Q", head.W_Q, T)
        st.markdown("**W_K**: what a token with this feature answers to")
        _editor("K", head.W_K, T)


def challenge() -> str:
    """The challenge that is chosen."""
    return st.session_state["challenge"]


def _show_score(challenge: Challenge, weights: Array, sentence: Sentence) -> None:
    score = challenge.score(weights, sentence)
    if score is None:
        st.info("No token here can do this. Try other words or categories.")
        return
    done = score >= DONE
    st.markdown(f"Score **{score:.2f}** of 1{': done' if done else ''}")
    st.progress(score)
    if done:
        st.success("Done: the weight lies where it should.", icon=":material/check_circle:")
    else:
        st.markdown(challenge.hint)


def _editor(matrix: str, numbers: Array, T: int) -> None:
    names = feature_names(T)
    key = f"edit_{matrix}_{T}_{st.session_state.setdefault('own_version', 0)}"
    st.data_editor(
        pd.DataFrame(numbers, index=list(names), columns=list(names)),
        column_config={
            name: st.column_config.NumberColumn(
                name,
                format="%g",
                min_value=-MAX_EDIT,
                max_value=MAX_EDIT,
                width=62 if name.startswith("pos") else 78,
            )
            for name in names
        },
        key=key,
        on_change=_edited,
        args=(key, matrix, T),
        alt=f"The matrix W_{matrix}, to be edited: rows and columns are features.",
    )


def _edited(key: str, matrix: str, T: int) -> None:
    """Put what was typed into the matrix into the link's text."""
    names = feature_names(T)
    blank = own_head(T)
    start = {"Q": blank.W_Q, "K": blank.W_K}[matrix]
    edits, _ = read_edits(st.session_state["own"])
    for row, changes in st.session_state[key]["edited_rows"].items():
        for name, number in changes.items():
            cell = (matrix, row, names.index(name))
            if number is None or number == start[cell[1:]]:
                edits.pop(cell, None)
            else:
                edits[cell] = number
    bound.assign("own", write_edits(edits))


def _start_from(sentence: Sentence) -> None:
    kind = GALLERY.get(st.session_state["start_from"])
    if kind is not None:
        _replace_edits(own_edits(kind(sentence)) or {})
    st.session_state["start_from"] = None  # so that the same head can be started from again


def _replace_edits(edits: Edits) -> None:
    bound.assign("own", write_edits(edits))
    _written_elsewhere()


def _written_elsewhere() -> None:
    """Let the tables forget their own edits: the text has others now."""
    st.session_state["own_version"] = st.session_state.get("own_version", 0) + 1
