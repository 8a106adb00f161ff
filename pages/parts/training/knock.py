"""Knock heads out: whose absence raises which loss, alone and together."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import streamlit as st

from mha.charts.training import knock_out_spec
from mha.training import Settings, jobs
from mha.training_marks import MISSED, head_name, head_names, knock_out_marks, loss_text
from pages.parts import bound, look, turn

if TYPE_CHECKING:  # torch takes a second, and is loaded when somebody trains
    from mha.training import Snapshot

OVER = 0.3  # the score from which on a head counts as doing a job
NONE = "no job"
_HEADS, _JOB = "off", "off_job"

MOST_ALONE = 8  # of the largest model, one takes half a second
Head = tuple[int, int]


def choose(settings: Settings) -> tuple[list[Head], tuple[str, str] | None]:
    """Draw the choice of heads, and that of all heads which do a job (task and job)."""
    by_name = head_names(settings)
    heads_column, job_column = st.columns([3, 2], gap="medium")
    with heads_column:
        names = bound.several("Heads to turn off", list(by_name), key=_HEADS)
    by_job = {f"{task}: {job}": (task, job) for task in settings.tasks for job in jobs(task)}
    with job_column:
        job = bound.pick(
            f"And all heads that score over {OVER} for",
            [NONE, *by_job],
            what="a task of the run and a job in its texts",
            key=_JOB,
        )
    return [by_name[name] for name in names], by_job.get(job)


def tell(snapshot: Snapshot, heads: list[Head], job: tuple[str, str] | None) -> None:
    """The loss without them: each alone, all together, and the others of their layers."""
    from mha.training import heads_that

    doing = heads_that(snapshot, *job, over=OVER) if job else []
    off = sorted({*heads, *doing})
    if not off:
        none = f"No head scores over {OVER} for it at this step."
        what = none if job else "Choose heads to turn off."
        st.info(f"{what} Then their z is 0, and nothing else changes.", icon=":material/info:")
        return
    tasks = snapshot.settings.tasks
    layers = {layer for layer, _ in off}
    others = [head for head in head_names(snapshot.settings).values() if head[0] in layers]
    others = [head for head in others if head not in off]
    alone = {head: rises(snapshot, [head]) for head in off} if len(off) <= MOST_ALONE else {}
    together = rises(snapshot, off)
    task = max(tasks, key=lambda task: together[task])
    st.markdown(_verdict(task, off, together[task], [alone[head][task] for head in alone], job))
    rows = [(said(off) if len(off) == 1 else f"all {len(off)} together", together)]
    if len(off) > 1:
        rows += [(said([head]), alone[head]) for head in alone]
    if others:
        rows.append(("the others", rises(snapshot, others)))
    picture, numbers = st.columns([3, 2], gap="large")
    with picture:
        draw(task, rows)
    with numbers:
        st.markdown(table(snapshot, rows))
    if others:
        st.markdown(f"The others of {_layers(layers)}: {said(others)}, turned off together.")


def draw(task: str, rows: list[tuple[str, dict[str, float]]]) -> None:
    """How much the loss on a task rises, a bar each; the first stands out."""
    marks = knock_out_marks([(name, rise[task], i == 0) for i, (name, rise) in enumerate(rows)])
    st.markdown(f"**How much the loss on {task} rises**, in nats, without …")
    told = "; ".join(f"{row.name_of}: {row.text}" for row in marks.itertuples())
    look.picture(
        marks,
        knock_out_spec(look.theme(), len(rows)),
        alt=f"Rise of the loss on {task} in nats, a bar each. Without {told}.",
        key="knock_out",
    )


def table(snapshot: Snapshot, rows: Iterable[tuple[str, dict[str, float]]]) -> str:
    """What is without which heads, a row each; loss and rise of each task, in nats."""
    tasks = snapshot.settings.tasks
    lines = [
        "| without | " + " | ".join(f"{task}: loss | rise" for task in tasks) + " |",
        "|:--|" + "--:|--:|" * len(tasks),
        "| nothing | "
        + " | ".join(f"{loss_text(snapshot.losses[task])} | " for task in tasks)
        + " |",
    ]
    for name, rise in rows:
        cells = [
            f"{loss_text(snapshot.losses[task] + rise[task])} | {rise[task]:+z.3f}"
            for task in tasks
        ]
        lines.append(f"| {name} | " + " | ".join(cells).replace("-", "−") + " |")
    return "\n".join(lines)


def rises(snapshot: Snapshot, heads: Iterable[Head]) -> dict[str, float]:
    """By task, how far the loss rises without these heads, in nats."""
    # One that came with the app has the same settings, and numbers that are not quite the same.
    which = (repr(snapshot.settings), snapshot.step, *snapshot.losses.values())
    with turn.given_back():  # out here: who waits for the turn must keep nobody from the cache
        return _rises(which, tuple(sorted(heads)), snapshot)


def said(heads: Iterable[Head]) -> str:
    return ", ".join(head_name(*head) for head in heads)


@st.cache_data(max_entries=1024, show_spinner=False)
def _rises(which: tuple, heads: tuple[Head, ...], _snapshot: Snapshot) -> dict[str, float]:
    """`which` tells snapshots apart, so that none is looked into to find the answer."""
    from mha.training import knock_out

    return knock_out(_snapshot, heads).rise


def _verdict(
    task: str, off: list[Head], together: float, alone: list[float], job: tuple[str, str] | None
) -> str:
    cost = f"**Without {said(off)} the loss on {task} rises by {together:.2f} nats.**"
    if together < MISSED:
        if job:
            return f"{cost} The picture says that they do this job; yet nobody misses them."
        return f"{cost} Nobody misses them: others do what they did, or nothing needs it."
    if len(off) == 1:
        return f"{cost} One head alone: now turn off those that do the same."
    if not alone:
        return f"{cost} One by one they are counted where they are {MOST_ALONE} or fewer."
    if together > 2 * sum(max(one, 0) for one in alone):
        return (
            f"{cost} One by one they cost {sum(alone):.2f} in sum: each covers for the others. "
            "The job belongs to the group."
        )
    return f"{cost} One by one they cost {sum(alone):.2f} in sum."


def _layers(layers: set[int]) -> str:
    names = [str(layer) for layer in sorted(layers)]
    return f"layer {names[0]}" if len(names) == 1 else f"layers {', '.join(names)}"
