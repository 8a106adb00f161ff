"""A small transformer, trained before one's eyes: its heads take up jobs that nobody gave them."""

import streamlit as st

from pages.parts import bound
from pages.parts.export import offer
from pages.parts.export.training import of_run
from pages.parts.scene import enter
from pages.parts.training import choose, knock, patterns, predict, watch

STEPS = ("Training", "Patterns", "Knock out", "Predict")

scene = enter()
st.title("Heads that learn their jobs")
sentence_place = st.container()
control_place = st.container()
step = bound.segments("Step", STEPS, key="training_step", label_visibility="collapsed")
asked_place = st.container()
picture_place = st.container()
settings = choose.settings(scene)
if settings is None:
    st.stop()

with control_place:
    course = watch.control(settings)
has_learned = course is not None and bool(course.snapshots)
with sentence_place:
    if has_learned:
        watch.tell_outcome(course)
    else:
        watch.introduce()
with asked_place:
    match step:
        case "Training":
            scored = watch.choose_jobs(settings)
        case "Patterns":
            left, right = st.columns(2, gap="medium")
            with left:
                at_step = patterns.choose_step(settings)
            with right:
                text = patterns.choose_text(settings)
            layer = patterns.choose_layer(settings)
        case "Knock out":
            at_step = patterns.choose_step(settings)
            heads, job = knock.choose(settings)
        case "Predict":
            guess, is_revealed = predict.choose(settings)

trains = watch.is_on(settings) and not course.is_done
with picture_place:
    match step:
        case _ if not has_learned:
            if not trains:
                watch.invite(settings)
        case "Training":
            if not trains:
                watch.draw(course, scored)
        case "Patterns":
            patterns.draw(patterns.snapshot_at(course, at_step), text, layer)
        case "Knock out":
            knock.tell(patterns.snapshot_at(course, at_step), heads, job)
        case "Predict":
            if guess is not None and is_revealed:
                predict.tell(course.snapshots[-1], guess)
offer(of_run(course.snapshots) if has_learned and not trains else None)
if trains:  # last, so that all else is there while it works
    with picture_place if step == "Training" else control_place:
        watch.live(course, scored if step == "Training" else None)
