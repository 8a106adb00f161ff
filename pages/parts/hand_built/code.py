"""The source that made the pictures, read from the program that runs."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from mha.hand_built import GALLERY, HandBuiltHead
from mha.reference import attend
from pages.parts.code import show_source
from pages.parts.hand_built.choice import Shown


def show(shown: Sequence[Shown]) -> None:
    """The builders of the heads on the page, and the attention that they run."""
    with st.expander("The formula and the code"):
        st.latex(
            r"\text{weights} = \operatorname{softmax}\left(Q K^\top\right), \quad "
            r"Q = X W_Q, \; K = X W_K, \quad z = \text{weights} \cdot X W_V"
        )
        builders = dict.fromkeys(GALLERY[one.kind].build for one in shown)
        for part in (*builders, HandBuiltHead.attend, attend):
            show_source(part)
