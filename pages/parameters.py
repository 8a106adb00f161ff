"""Where the parameters are: the ledger of one layer, and what the number of heads does to it."""

import streamlit as st

from pages.parts import bound, presenter
from pages.parts.export import offer
from pages.parts.export.parameters import of_layer
from pages.parts.parameters import claim, counts, layer, paper, picture, predict, real
from pages.parts.scene import enter

STEPS = ("On paper", "Every number of heads", "In PyTorch", "Predict")
LEADING = ("Every number of heads", "In PyTorch")  # where somebody presents

scene = enter()
with st.container(horizontal=True, horizontal_alignment="distribute", vertical_alignment="bottom"):
    st.title("Where the parameters are", width="content")
    by_head = picture.choose_stack()
sentence_place, picture_place = st.container(), presenter.shared_by_steps()
counted = layer.choose(scene)
step = bound.segments(
    "Step", STEPS, key="parameters_step", label_visibility="collapsed", is_walk=True
)
step_place = sentence_place if step == "Predict" else presenter.of_step(step in LEADING)
with step_place:
    match step:
        case "On paper":
            paper.show(counted)
        case "Every number of heads":
            counts.show(counted)
        case "In PyTorch":
            real.show(counted)
        case "Predict":
            predict.ask(counted)

hidden = step == "Predict" and predict.is_hidden(counted)
with sentence_place:
    claim.say(counted, hidden=hidden)
with picture_place:
    picture.draw(counted, by_head=by_head, predicts=step == "Predict", hidden=hidden)
offer(None if hidden else of_layer(counted, by_head=by_head))
