"""Two seeds side by side: the same settings and steps, and another division of the work."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import streamlit as st

from mha import charts, tables
from mha.training import Reading, Settings, jobs
from mha.training_marks import groups, head_names, loss_text
from pages.parts import bound, look
from pages.parts.training.choose import MAX_SEED
from pages.parts.training.knock import OVER
from pages.parts.training.view import look as look_at
from pages.parts.training.watch import button

_PIXELS = 280  # of a presenter's pictures
_SEED, _TASK = "train_seed2", "seeds_task"


def choose_other(settings: Settings) -> Settings:
    """Draw the other seed."""
    seed = bound.number("Other seed", 0, MAX_SEED, value=1, key=_SEED)
    return replace(settings, seed=seed or 0)


def choose_task(settings: Settings) -> str:
    """Draw, of several tasks, the one whose scores are shown."""
    if len(settings.tasks) == 1:
        return settings.tasks[0]
    return bound.segments("Scores on the texts of", settings.tasks, key=_TASK)


def control(settings: Settings, other: Settings) -> None:
    """Draw the button that trains the other seed, where there is need of one."""
    if other == settings:
        st.info(f"Both seeds are {other.seed}. Choose another.", icon=":material/info:")
        return
    view = look_at(other, to_compare=True)
    if view is None or not view.is_done:
        button(other, view, key="train_button2", whose=f" seed {other.seed}")


def draw(settings: Settings, other: Settings, step: int, task: str, only: int | None) -> None:
    """Heads by jobs, for one seed and the other, at the latest step that both have seen."""
    of_both = dict.fromkeys([settings, other])  # once, where they are the same
    views = [look_at(one, to_compare=True) for one in of_both]
    found = [view for view in views if view is not None and view.snapshots]
    if not found:
        return
    step = min(step, *(view.snapshots[-1].step for view in found))
    readings = [[one for one in view.snapshots if one.step <= step][-1] for view in found]
    if len(readings) == 2:
        st.markdown(_verdict(readings, task))
    for reading, column in zip(readings, st.columns(2, gap="large"), strict=False):
        with column:
            _picture(reading, task, only)


def _picture(reading: Reading, task: str, only: int | None) -> None:
    seed = reading.settings.seed
    st.markdown(
        f"**Seed {seed}**, step {reading.step:,}, loss on {task} "
        f"{loss_text(reading.losses[task])} nats"
    )
    names = {n: at for n, at in head_names(reading.settings).items() if only in (None, at[0])}
    columns = jobs(task)
    scores = np.array([[reading.scores[task][job][at] for job in columns] for at in names.values()])
    table = tables.matrix_table(scores, list(names), columns)
    table = table.assign(
        text=[f"{score:.2f}" for score in scores.ravel()], column_label=table["column_name"]
    )
    spec = charts.matrix_spec(*scores.shape, look.theme(), signed=False)
    best = "; ".join(
        f"{name}: {columns[row.argmax()]} {row.max():.2f}"
        for name, row in zip(names, scores, strict=True)
    )
    look.picture(
        charts.with_ink(table, "value", look.theme()),
        spec,
        alt=f"Scores of each head with seed {seed}, a row a head, a column a job. Best: {best}.",
        key=f"seed_{seed}",
        at_most=_PIXELS,
    )


def _verdict(readings: list[Reading], task: str) -> str:
    """Who does what with either seed, and whether they divide the work alike."""
    by_seed = [groups(reading, task, OVER) for reading in readings]
    first, second = (reading.settings.seed for reading in readings)
    told = []
    for job in jobs(task):
        ours, theirs = (", ".join(group[job]) or "nobody" for group in by_seed)
        if ours == theirs != "nobody":
            told.append(f"**{job}**: {ours} with both")
        elif ours != theirs:
            told.append(f"**{job}**: with seed {first} {ours}, but with seed {second} {theirs}")
    if not told:
        return f"No head scores over {OVER} for any job yet, with either seed."
    alike = by_seed[0] == by_seed[1]
    begin = (
        "Both seeds divide the work alike."
        if alike
        else "Another seed, another division of labour."
    )
    return f"**{begin}** Over {OVER} at step {readings[0].step:,}: {'; '.join(told)}."
