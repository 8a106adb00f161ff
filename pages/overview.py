"""Where a visitor starts: what can be seen here, with their own words and sizes."""

import streamlit as st

from mha.models import MODELS
from pages.parts import presenter, tour
from pages.parts.chips import category_chips
from pages.parts.export import offer
from pages.parts.export.heads import of_gallery
from pages.parts.overview import cards
from pages.parts.scene import enter

scene = enter()
config = scene.config

st.title("Multi-head attention, number by number")
st.markdown(
    "A head decides, for every word, which other words it looks at. Several heads look at the same "
    "words in different ways. Type your own words and sizes in the sidebar: most of these pictures "
    "follow."
)
category_chips(scene.sentence)
cards.doors(
    {
        "Lecturing?": (
            "tour",
            "The whole lesson is a tour, with a line to say at each stop. Or make your own of the "
            "views that you choose.",
        ),
        "Learning?": (
            "hand_built_heads",
            "Start with the arithmetic of one weight. Then guess before you look, and build a head "
            "of your own.",
        ),
        "Checking your own code?": (
            "pitfalls",
            "Start with the mistakes of others: find yours, and a check to paste after your "
            "function.",
        ),
    }
)
tour.start()
CARDS = {
    "hand_built_heads": "Two heads with two jobs, and the arithmetic of every weight. Guess first; "
    "then build a head of your own.",
    "training": "Train a small transformer and watch its heads take up jobs that nobody gave them. "
    "Then turn them off.",
    "split_merge": "The same numbers, grouped by head and put together again, moving. The memory "
    "under them, and two real mistakes.",
    "fused_module": "One layer for all heads, step by step: shapes, strides, copies and costs, "
    "held to PyTorch’s own.",
    "parameters": "The count, added up as on paper. Double the heads: how many parameters? And "
    "when does that stop to be true?",
    "real_models": f"{len(MODELS)} models and their sources. Heads that share keys and values, and "
    "the cache that they make small.",
    "pitfalls": "Mistakes that people really make: wrong code beside right code, both run. A "
    "doctor for masks, and what a word is made of.",
    "tour": "The whole lesson, stop by stop, with a line to say at each. Or your own talk, made of "
    "the views that you choose.",
}
cards.draw(CARDS, scene)
presenter.aside("sizes").markdown(
    f"Your words and sizes: **T = {len(scene.sentence)}** tokens; **C = {config.d_model}** numbers "
    f"a token; **h = {config.n_heads}** heads, each of **d_head = {config.d_head}** numbers."
)
offer(of_gallery(scene, [("previous token", {}), ("same category", {})]))
