"""What is trained: the tasks, the model's size, how long, and the seed."""

from __future__ import annotations

import streamlit as st

from mha.training import TASKS, Settings
from mha.training.settings import MAX_LAYERS, MAX_STEPS
from pages.parts import bound, presenter
from pages.parts.scene import Scene
from pages.parts.words import plain

MAX_SEED = 9999
OWN, SIDEBAR = "64 numbers, 4 heads", "as in the sidebar"


def settings(scene: Scene) -> Settings | None:
    """Draw what a run depends on; None, with a message in place, where it cannot be."""
    presenter.aside("trained").subheader("What is trained")
    notes = st.container()
    tasks_column, layers_column, size_column = st.columns([3, 2, 5], gap="medium")
    with tasks_column:
        tasks = bound.several(
            "Tasks", list(TASKS), key="train_tasks", default=["copy"], tell_in=notes
        )
    with layers_column:
        layers = bound.slide("Layers", 1, MAX_LAYERS, value=2, key="train_layers", tell_in=notes)
    with size_column:
        size = bound.segments("Width", (OWN, SIDEBAR), key="train_size", tell_in=notes)
    steps_column, seed_column, _ = st.columns([4, 3, 5], gap="medium")
    with steps_column:
        steps = bound.number(
            *("Steps", 1, MAX_STEPS), value=700, key="train_steps", step=100, tell_in=notes
        )
    with seed_column:
        seed = bound.number(
            *("Seed", 0, MAX_SEED), value=0, key="train_seed", tell_in=notes,
            help="Of the first weights and of the texts.",
        )  # fmt: skip
    sizes = {}
    if size == SIDEBAR:
        sizes = {"d_model": scene.config.d_model, "n_heads": scene.config.n_heads}
    try:
        chosen = Settings(tuple(tasks), layers, steps=steps or 700, seed=seed or 0, **sizes)
    except ValueError as error:
        notes.warning(plain(str(error)), icon=":material/info:")
        return None
    for task in chosen.tasks:
        said = TASKS[task]
        st.markdown(f"**{task}**: {said.rule} For instance `{said.example}`")
    return chosen
