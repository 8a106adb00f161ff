"""A word taken apart: what a reader sees, code points, bytes, and its direction of writing."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from mha.charts.anatomy import anatomy_spec, with_hues
from mha.sentence import Anatomy, Sentence, dissect
from mha.tables import anatomy_table
from pages.parts import bound, look
from pages.parts.cell import choose_row
from pages.parts.words import bold, isolated

_ARROWS = {"left to right": "→", "right to left": "←", "neutral": ""}


def show(sentence: Sentence, picture_place: bound.Place) -> Anatomy:
    """One of the visitor's words, as a picture and as a table of code points."""
    position = choose_row(sentence, st.container(width=400), label="Word")
    anatomy = dissect(sentence.tokens[position])
    with picture_place:
        st.markdown(f"{bold(anatomy.word)}: {anatomy.reason}")
        table = with_hues(anatomy_table(anatomy))
        look.picture(table, anatomy_spec(), alt=f"What the word is made of: {anatomy.reason}")
    st.markdown(direction_of(anatomy))
    if anatomy.runs_leftward:
        st.markdown(order_of(anatomy))
    st.dataframe(
        code_points(anatomy),
        hide_index=True,
        alt=f"The {anatomy.n_code_points} code points of the word.",
    )
    st.markdown(
        "A model that reads words has one vector, one row and one column for a token, whatever it "
        "is made of. Cut at code points, a label could lose an accent or half an emoji; named by "
        "the word alone, two equal words would fall on one another: the second is called "
        f"{bold('word (2)')} here."
    )
    return anatomy


def direction_of(anatomy: Anatomy) -> str:
    """Its direction of writing, in a sentence."""
    if anatomy.direction == "neutral":
        return "**Direction:** neutral. It holds no letter, and takes the direction around it."
    mixed = " It holds letters of both directions." if anatomy.is_mixed else ""
    return (
        f"**Direction:** {anatomy.direction}, that of its first letter.{mixed} A label is set "
        "apart, so that it turns nothing round beside it."
    )


def order_of(anatomy: Anatomy) -> str:
    """Why the boxes stand otherwise than the letters of the word, in a sentence."""
    stored = "**Order:** the boxes and the table stand as the word is stored, the first at the left"
    if len(anatomy.runs) == 1:
        return f"{stored} or on top; read from right to left, it begins at the right of its label."
    parts = [
        f"{run.first} to {run.last}" if run.last > run.first else f"{run.first}"
        for run in anatomy.runs
    ]
    told = ", then ".join(
        f"{numbers} {bold(run.text)} {_ARROWS[run.direction]}"
        for numbers, run in zip(parts, anatomy.runs, strict=True)
    )
    return (
        f"{stored} or on top: {told}. Its label is laid out {anatomy.direction}, by its first "
        f"letter, and in it each part runs its own way: so on the screen the same letters stand in "
        f"another order."
    )


def code_points(anatomy: Anatomy) -> pd.DataFrame:
    """A row for each code point, in the order in which the word is stored."""
    return pd.DataFrame(
        [
            {
                "character": i,
                "shown": isolated(cluster.text) if j == 0 else "",
                "code point": point.number,
                "name": point.name,
                "bytes": point.utf8.hex(" ").upper() or "none",
                "direction": f"{_ARROWS[point.direction]} {point.direction}".strip(),
            }
            for i, cluster in enumerate(anatomy.clusters, start=1)
            for j, point in enumerate(cluster.code_points)
        ]
    )
