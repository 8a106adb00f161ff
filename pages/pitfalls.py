"""Pitfalls: the mistakes that people really make, a doctor for masks, and a word taken apart."""

import streamlit as st

from pages.parts import bound, presenter
from pages.parts.export import offer
from pages.parts.export.anatomy import of_word
from pages.parts.export.mask import of_mask
from pages.parts.export.pitfall import of_mistake
from pages.parts.pitfalls import catalogue, doctor, guess, inspector, mistakes
from pages.parts.scene import enter

STEPS = ("The mistakes", "Which is right?", "The mask doctor", "The token inspector")

scene = enter()
with st.container(horizontal=True, horizontal_alignment="distribute", vertical_alignment="bottom"):
    st.title("Pitfalls", width="content")
    case_place = st.container(width=400)
picture_place = st.container()
step = bound.segments(
    "Step",
    STEPS,
    key="pitfalls_step",
    label_visibility="collapsed",
    on_change=catalogue.arrive,
    args=(STEPS[1],),
    is_walk=True,
)
match step:
    case "The mistakes":
        with case_place:
            pitfall = catalogue.choose()
        inputs = catalogue.inputs(pitfall)
        outcome = pitfall.run(**inputs)
        with picture_place:
            mistakes.draw(pitfall, outcome)
        mistakes.tell(pitfall)
        with presenter.aside("find"):
            catalogue.find()
        offer(of_mistake(pitfall, inputs, outcome))
    case "Which is right?":
        with case_place:
            pitfall = catalogue.choose_unnamed()
        outcome = pitfall.run(**catalogue.inputs(pitfall))
        is_told = guess.ask(pitfall, outcome, picture_place)
        catalogue.go_on(pitfall, is_told=is_told, named_step=STEPS[0])
    case "The mask doctor":
        offer(of_mask(doctor.show(picture_place)))
    case "The token inspector":
        offer(of_word(inspector.show(scene.sentence, picture_place)))
