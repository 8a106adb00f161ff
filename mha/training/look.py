"""What can be asked of a snapshot: patterns on any text, labels, and what heads are missed for."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import torch

from mha.checks import require_finite
from mha.scoring import label
from mha.training.measure import task_losses
from mha.training.model import Heads
from mha.training.snapshot import Snapshot
from mha.training.tasks import Array
from mha.training.texts import parse_text, words


class Patterns(NamedTuple):
    """Every head's weights on one text.

    symbols: the T' symbols of the text. weights: (n_layers, h, T', T'); every row sums to 1.
    """

    symbols: tuple[str, ...]
    weights: Array


class KnockOut(NamedTuple):
    """The loss without some heads.

    heads: (layer, head), from 0.
    losses: by task, in nats for a counted token of the held-out texts.
    rise: by task, how much more that is than the whole model's; below 0 the heads did harm.
    """

    heads: tuple[tuple[int, int], ...]
    losses: dict[str, float]
    rise: dict[str, float]


class Group(NamedTuple):
    """The heads of a layer that score high for a job, and the others, each knocked out together."""

    members: KnockOut
    others: KnockOut


def patterns(snapshot: Snapshot, text: str) -> Patterns:
    """Every head's weights on a text in the alphabet of the run's tasks.

    Raises:
        ValueError: as `parse_text`.
    """
    tokens = parse_text(snapshot.settings, text)
    weights = snapshot.model().weights(torch.from_numpy(tokens)[None])[0]
    return Patterns(tuple(words(snapshot.settings, tokens).tolist()), weights.numpy())


def labels(snapshot: Snapshot, task: str) -> list[list[str]]:
    """What each head does on a task's texts, by layer and head: a job's name or "mixed".

    Raises:
        ValueError: a task that the run does not have.
    """
    scores, uniform = _of_task(snapshot, task)
    settings = snapshot.settings
    return [
        [
            label({job: float(at[layer, head]) for job, at in scores.items()}, uniform)
            for head in range(settings.n_heads)
        ]
        for layer in range(settings.n_layers)
    ]


def knock_out(snapshot: Snapshot, heads: Heads) -> KnockOut:
    """The loss of each task with the z of some heads at 0, and how far it rises.

    Raises:
        ValueError: a layer or head that is not there.
    """
    heads = tuple(sorted(set(heads)))
    model = snapshot.model()
    model.knock_out(heads)
    losses = task_losses(model, snapshot.settings)
    rise = {task: loss - snapshot.losses[task] for task, loss in losses.items()}
    return KnockOut(heads, losses, rise)


def heads_that(snapshot: Snapshot, task: str, job: str, over: float = 0.3) -> list[tuple[int, int]]:
    """The heads (layer, head) that score over a bound for a job on a task's texts, in order.

    Raises:
        ValueError: a task that the run does not have, a job that its texts are not scored for, or
            a bound that is no finite number.
    """
    scores, _ = _of_task(snapshot, task)
    over = require_finite("over", over, instead="over=0.3")
    if job not in scores:
        raise ValueError(
            f"job must be one that heads are scored for on {task}: "
            f"{', '.join(map(repr, scores))}; got job={job!r}. Try job={next(iter(scores))!r}."
        )
    return [tuple(at) for at in np.argwhere(scores[job] > over).tolist()]


def group(
    snapshot: Snapshot,
    task: str = "copy",
    job: str = "previous token",
    layer: int = 0,
    over: float = 0.3,
) -> Group:
    """Knock out together a layer's heads that score over a bound for a job, then its others.

    Jobs belong to groups of heads that overlap: one head's absence may cost nothing where others do
    the same, and all of them together are missed.

    Raises:
        ValueError: as `heads_that`, or a layer that is not there.
    """
    every = {(layer, head) for head in range(snapshot.settings.n_heads)}
    members = every & set(heads_that(snapshot, task, job, over))
    return Group(knock_out(snapshot, members), knock_out(snapshot, every - members))


def _of_task(snapshot: Snapshot, task: str) -> tuple[dict[str, Array], dict[str, float]]:
    if task not in snapshot.scores:
        had = ", ".join(map(repr, snapshot.scores))
        raise ValueError(
            f"task must be one of the run's, {had}; got task={task!r}. "
            f"Try task={next(iter(snapshot.scores))!r}."
        )
    return snapshot.scores[task], snapshot.uniform[task]
