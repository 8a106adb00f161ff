"""Two heads set by hand, side by side, on the visitor's own words."""

import streamlit as st

from mha.hand_built import features
from pages.parts import bound, presenter
from pages.parts.cell import choose_cell
from pages.parts.chips import category_chips
from pages.parts.export import heads, offer
from pages.parts.hand_built import (
    arithmetic,
    choice,
    code,
    copying,
    matrices,
    own,
    pictures,
    predict,
)
from pages.parts.scene import enter

STEPS = {
    "Arithmetic": "Click a cell, or a word, for its arithmetic.",
    "Matrices": "The matrices below say why.",
    "Handed on": "Below stands what arrives there.",
    "Predict": "Guess before you see them.",
    "Your own head": "Write the numbers yourself.",
    "Two layers": "Some jobs need one head after another.",
}
FIRST_ON_THE_PAGE = ("Predict", "Your own head", "Two layers")
WITHOUT_THE_PAIR = ("Your own head", "Two layers")
LEADING = ("Matrices", "Handed on")  # where somebody presents

scene = enter()
sentence = scene.sentence
X = features(sentence)

st.title("Hand-built heads")
introduction = st.empty()
category_chips(sentence)
step = bound.segments("Step", list(STEPS), key="step", label_visibility="collapsed", is_walk=True)
introduction.markdown(
    "The same words, two heads, two jobs. Each row is a token; its strong cells are where it "
    f"looks. {STEPS[step]}"
)

# Where things go: the pair of pictures first, except where a question or other pictures lead.
step_first = st.container()
if step in WITHOUT_THE_PAIR:
    pair_place = st.expander("The two heads of the other steps")
else:
    pair_place = presenter.shared_by_steps()
step_place = step_first if step in FIRST_ON_THE_PAGE else presenter.of_step(step in LEADING)
edits = own.edits_in_the_link()
with pair_place:
    shown = []
    for side, column in zip(choice.SIDES, st.columns(2, gap="medium"), strict=True):
        with column:
            shown.append(choice.choose_head(side, sentence, X, edits, scene.causal))
    view_column, *cell_columns = st.columns([2, 4, 4])
    with view_column:
        view = pictures.choose_view()
    cell = choose_cell(sentence, *cell_columns)

with step_place:
    match step:
        case "Arithmetic":
            for one, column in zip(shown, st.columns(2, gap="medium"), strict=True):
                with column:
                    arithmetic.show(one, X, sentence, cell)
        case "Matrices":
            matrices.show_matrices(shown, X, sentence)
        case "Handed on":
            matrices.show_handed_on(shown, sentence, cell)
        case "Predict":
            predict.ask(shown, sentence, cell)
        case "Your own head":
            own.workshop(sentence, X, edits, scene.causal)
        case "Two layers":
            copying.show(sentence)

hidden = step == "Predict" and predict.is_hidden()
at_most = pictures.room(sentence, predicts=step == "Predict", hidden=hidden)
for one in shown:
    pictures.draw(one, sentence, cell, view, hidden=hidden, at_most=at_most)
code.show(shown)
match step:
    case "Your own head":
        offer(heads.of_own(scene, edits, own.challenge(), cell.query))
    case "Two layers":
        offer(heads.of_layers(scene))
    case _ if not hidden:
        chosen = [(one.kind, one.options) for one in shown]
        offer(heads.of_gallery(scene, chosen, cell=cell, lines=view == "Lines"))
