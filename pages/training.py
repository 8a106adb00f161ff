"""A small transformer, trained before one's eyes: its heads take up jobs that nobody gave them."""

import streamlit as st

from pages.parts import bound, presenter
from pages.parts.export import offer
from pages.parts.export.training import Asked, of_run
from pages.parts.scene import enter
from pages.parts.training import choose, knock, patterns, predict, seeds, view, watch

STEPS = ("Training", "Patterns", "Knock out", "Predict", "Two seeds")

scene = enter()
st.title("Heads that learn their jobs")
sentence_place = st.container()
control_place = st.container()
step_row = st.container(horizontal=True, vertical_alignment="center")
with step_row:
    step = bound.segments(
        "Step", STEPS, key="training_step", label_visibility="collapsed", is_walk=True
    )
asked_place = st.container()
picture_place = st.container()
settings = choose.settings(scene)
if settings is None:
    presenter.end()

run = view.look(settings)
with control_place:
    watch.control(settings, run)
with step_row:
    watch.begin_anew(settings, run)
has_learned = run is not None and bool(run.snapshots)
with sentence_place:
    if has_learned:
        watch.tell_outcome(run, has_strips=step == "Training")
    else:
        watch.introduce()
trained, scored, asked = [settings], watch.first_jobs(settings), None
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
            asked = Asked(at_step, text)
            layer = patterns.choose_layer(settings)
        case "Knock out":
            at_step = patterns.choose_step(settings)
            heads, job = knock.choose(settings)
            asked = Asked(at_step, heads=heads, job=job)
        case "Predict":
            guess, is_revealed = predict.choose(settings)
        case "Two seeds":
            left, right = st.columns([5, 2], gap="medium")
            with left:
                at_step = patterns.choose_step(settings)
            with right:
                other = seeds.choose_other(settings)
            task = seeds.choose_task(settings)
            layer = patterns.choose_layer(settings)
            trained.append(other)
            seeds.control(settings, other)
view.leave_all_but(*trained)


def draw_live() -> None:
    """What moves while a run is trained."""
    if step == "Training":
        watch.draw(view.look(settings), scored)
    else:
        seeds.draw(settings, other, at_step, task, layer)


moves = step in ("Training", "Two seeds")
on = view.in_training(*trained)
with picture_place:
    match step:
        case _ if on is not None and moves:
            watch.live(on, draw_live)  # in its place, and after all else
        case _ if not has_learned:
            if on is None:
                watch.invite(settings)
        case "Training":
            watch.draw(run, scored)
        case "Patterns":
            patterns.draw(patterns.snapshot_at(run, at_step), text, layer)
        case "Knock out":
            knock.tell(patterns.snapshot_at(run, at_step), heads, job)
        case "Predict":
            if guess is not None and is_revealed:
                predict.tell(run.snapshots[-1], guess)
        case "Two seeds":
            seeds.draw(settings, other, at_step, task, layer)
if has_learned and on is None:
    offer(of_run(run, scored, asked))
if on is not None and not moves:  # last, so that all else is there while it works
    with control_place:
        watch.live(on, None)
