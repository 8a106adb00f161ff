"""Where a visitor starts: what can be seen here, with their own words and sizes."""

import streamlit as st

from mha import charts, tables
from mha.hand_built import features, previous_token_head, same_category_head
from mha.models import MODELS
from pages.parts import look
from pages.parts.chips import category_chips
from pages.parts.export import offer
from pages.parts.export.heads import of_gallery
from pages.parts.scene import enter

scene = enter()
T, config = len(scene.sentence), scene.config

st.title("Multi-head attention, number by number")
st.markdown(
    "A head decides, for every word, which other words it looks at. Several heads look at the same "
    "words in different ways. Type your own words in the sidebar and see."
)
category_chips(scene.sentence)

X = features(scene.sentence)
heads = (previous_token_head(T), same_category_head(T))
for head, column in zip(heads, st.columns(2, gap="medium"), strict=True):
    with column:
        st.markdown(f"**{head.name}**: {head.job}")
        trace = head.attend(X, scene.causal)
        table = charts.with_ink(tables.weights_table(trace, scene.sentence), "weight", look.theme())
        look.picture(
            table.assign(stamp=0),
            charts.weights_spec(T, look.theme()),
            alt=f"Weights of the head {head.name} on your words, as a grid.",
        )
CARDS = {
    "hand_built_heads": (
        "**Hand-built heads →**",
        "Two heads with two jobs, and the arithmetic of every weight. Guess first; then build a "
        "head of your own.",
    ),
    "training": (
        "**Heads that learn their jobs →**",
        "Train a small transformer and watch its heads take up jobs that nobody gave them. Then "
        "turn them off.",
    ),
    "split_merge": (
        "**Split and merge →**",
        "The same numbers, grouped by head and put together again, moving. The memory under them, "
        "and two real mistakes.",
    ),
    "fused_module": (
        "**The fused module →**",
        "One layer for all heads, step by step: shapes, strides, copies and costs, held to "
        "PyTorch’s own.",
    ),
    "parameters": (
        "**Where the parameters are →**",
        "The count, added up as on paper. Double the heads: how many parameters? And when does "
        "that stop to be true?",
    ),
    "real_models": (
        "**Sizes in real models →**",
        f"{len(MODELS)} models and their sources. Heads that share keys and values, and the cache "
        "that they make small.",
    ),
    "pitfalls": (
        "**Pitfalls →**",
        "Mistakes that people really make: wrong code beside right code, both run. A doctor for "
        "masks, and what a word is made of.",
    ),
}
ACROSS = 3
cards = list(CARDS.items())
for first in range(0, len(cards), ACROSS):
    row = cards[first : first + ACROSS]
    for (page, (title, what)), column in zip(row, st.columns(ACROSS), strict=False):
        with column.container(border=True, height="stretch"):
            st.page_link(f"pages/{page}.py", label=title)
            st.markdown(what)
st.markdown(
    "- **Lecturing?** The address bar holds the view that you see: collect the moments of your "
    "talk as links.\n"
    "- **Learning?** Begin with *Arithmetic*, then try *Predict* and the five challenges.\n"
    "- **Checking your code?** Each page shows the source that computed it."
)
st.markdown(
    f"**T = {T}** tokens; **C = {config.d_model}** numbers a token; **h = {config.n_heads}** "
    f"heads, each of **d_head = {config.d_head}** numbers."
)
offer(of_gallery(scene, [(head.name, {}) for head in heads]))
