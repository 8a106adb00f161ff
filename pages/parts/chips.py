"""The visitor's words as a row of buttons; pressing one moves its word to the next category."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from mha.sentence import CATEGORY_NAMES, Sentence
from pages.parts import presenter, scene

_ROW, _LEAST, _PADDING = 110, 7, 4  # letters: of a presenter's row, and of a chip in it

_HERE = Path(__file__).parent
_chips = st.components.v2.component(
    "mha_chips",
    html='<div class="chips" role="group" aria-label="Words and their categories"></div>',
    css=(_HERE / "chips.css").read_text("utf-8"),
    js=(_HERE / "chips.js").read_text("utf-8"),
)


def category_chips(sentence: Sentence) -> None:
    """Show every word with its category; a press puts the next category into the link."""
    words = [
        {"word": label, "category": category}
        for label, category in zip(sentence.labels, sentence.categories, strict=True)
    ]
    with st.container() if fit_in_a_row(sentence) else presenter.aside("chips"):
        _chips(
            data={"words": words, "categories": list(CATEGORY_NAMES)},
            key="chips",
            height="content",
            on_pressed_change=_move_to_next_category,
        )


def fit_in_a_row(sentence: Sentence) -> bool:
    """Whether they do on a presenter's page, which has the height of no more than one."""
    return sum(max(_LEAST, len(word) + _PADDING) for word in sentence.labels) <= _ROW


def _move_to_next_category() -> None:
    sentence = st.session_state["scene"].sentence
    position = st.session_state["chips"].pressed
    # The press comes from a browser, and the words may have changed since it was drawn.
    if isinstance(position, int) and 0 <= position < len(sentence):
        category = (sentence.categories[position] + 1) % len(CATEGORY_NAMES)
        scene.choose_categories(sentence.with_category(position, category))
