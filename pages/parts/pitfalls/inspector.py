"""A word taken apart: what a reader sees, code points, bytes, and its direction of writing."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from mha.charts.anatomy import anatomy_spec, with_hues
from mha.sentence import Anatomy, Sentence, dissect
from mha.tables import anatomy_table
from pages.parts import bound, look
from pages.parts.cell import choose_row
from pages.parts.words import bold


def show(sentence: Sentence, picture_place: bound.Place) -> None:
    """One of the visitor's words, as a picture and as a table of code points."""
    position = choose_row(sentence, st.container(width=400), label="Word")
    anatomy = dissect(sentence.tokens[position])
    with picture_place:
        st.markdown(f"{bold(anatomy.word)}: {anatomy.reason}")
        table = with_hues(anatomy_table(anatomy))
        look.picture(table, anatomy_spec(), alt=f"What the word is made of: {anatomy.reason}")
    st.markdown(direction_of(anatomy))
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


def direction_of(anatomy: Anatomy) -> str:
    """Its direction of writing, in a sentence."""
    if anatomy.direction == "neutral":
        return "**Direction:** neutral. It holds no letter, and takes the direction around it."
    mixed = " It holds letters of both directions." if anatomy.is_mixed else ""
    return (
        f"**Direction:** {anatomy.direction}, that of its first letter.{mixed} A label is set "
        "apart, so that it turns nothing round beside it."
    )


def code_points(anatomy: Anatomy) -> pd.DataFrame:
    """A row for each code point, in order."""
    return pd.DataFrame(
        [
            {
                "character": i,
                "shown": cluster.text if j == 0 else "",
                "code point": point.number,
                "name": point.name,
                "bytes": point.utf8.hex(" ").upper() or "none",
                "direction": point.direction,
            }
            for i, cluster in enumerate(anatomy.clusters)
            for j, point in enumerate(cluster.code_points)
        ]
    )
