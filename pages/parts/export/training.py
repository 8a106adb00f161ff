"""A run of training to take away: losses and heads' scores at every kept step, and the weights."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from mha.reference import Array
from pages.parts.export.row import Takeaway

if TYPE_CHECKING:
    from mha.training import Snapshot

_COLUMNS = ["step", "task", "quantity", "layer", "head", "value"]


def of_run(snapshots: Sequence[Snapshot]) -> Takeaway:
    """The snapshots of a run as far as it has come; the weights are those of the last one."""
    kept = tuple(snapshots)
    return Takeaway("training", lambda: _table(kept), lambda: _arrays(kept))


def _table(snapshots: Sequence[Snapshot]) -> pd.DataFrame:
    """One row a loss, in nats, without layer and head; and one a head's score, in [0, 1]."""
    rows: list[tuple] = []
    for shot in snapshots:
        rows += [(shot.step, task, "loss", None, None, n) for task, n in shot.losses.items()]
        rows += [
            (shot.step, task, job, layer, head, float(score))
            for task, jobs in shot.scores.items()
            for job, scores in jobs.items()
            for (layer, head), score in np.ndenumerate(scores)
        ]
    return pd.DataFrame(rows, columns=_COLUMNS).astype({"layer": "Int64", "head": "Int64"})


def _arrays(snapshots: Sequence[Snapshot]) -> dict[str, Array]:
    """Losses (steps,), scores (steps, n_layers, h), and the parameters by their names."""
    arrays = {"steps": np.array([shot.step for shot in snapshots])}
    last = snapshots[-1]
    for task, jobs in last.scores.items():
        losses = [shot.losses[task] for shot in snapshots]
        arrays[_name(f"loss of {task}")] = np.array(losses)
        for job in jobs:
            scores = [shot.scores[task][job] for shot in snapshots]
            arrays[_name(f"score of {task} {job}")] = np.stack(scores)
    return arrays | {_name(f"weights {name}"): array for name, array in last.parameters.items()}


def _name(words: str) -> str:
    return re.sub(r"\W+", "_", words)
