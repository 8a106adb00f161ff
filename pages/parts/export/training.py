"""A run of training to take away: losses and heads' scores at every kept step, and the weights.

The script trains it once more from its first weights, up to where it is seen to have come.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pandas as pd

from mha.charts import Theme
from mha.charts.training import losses_spec, scores_spec
from mha.reference import Array
from mha.training import Settings, parse_text
from mha.training.texts import words
from mha.training_marks import losses_marks, scores_marks
from pages.parts.export.row import Takeaway
from pages.parts.training.knock import OVER
from pages.parts.training.view import View

if TYPE_CHECKING:
    from mha.charts.files import Picture
    from mha.export.asked import KnockOut, Patterns
    from mha.training import Snapshot

_COLUMNS = ["step", "task", "quantity", "layer", "head", "value"]


class Asked(NamedTuple):
    """What is asked of the model at a step: patterns on a text, or heads that are turned off."""

    step: int
    text: str | None = None
    heads: Sequence[tuple[int, int]] = ()
    job: tuple[str, str] | None = None


def of_run(run: View, scored: Sequence[tuple[str, str]], asked: Asked | None = None) -> Takeaway:
    """The snapshots of a run as far as it has come; the weights are those of the last one.

    scored: task and job of each strip in the picture.
    """
    kept, settings = tuple(run.snapshots), run.settings

    def script():
        from mha.export.training import trained_heads

        steps = [shot.step for shot in kept]
        more = None if asked is None else _question(settings, steps, asked)
        return trained_heads(settings, steps, is_rounded=run.is_shipped, asked=more)

    def pictures(theme: Theme) -> list[Picture]:
        from mha.charts.files import Picture

        losses = Picture(
            losses_spec(theme, settings.steps), losses_marks(kept), "Loss of each task"
        )
        spec = scores_spec(theme, settings.steps, settings.n_layers * settings.n_heads + 1)
        return [losses] + [
            Picture(spec, scores_marks(kept, task, job), f"Score for {job} on {task}")
            for task, job in scored
        ]

    return Takeaway(
        "training", lambda: _table(kept), lambda: _arrays(kept), script, pictures, across=3
    )


def _question(settings: Settings, steps: Sequence[int], asked: Asked) -> Patterns | KnockOut:
    """What is asked, of the model at the last kept step that is not behind the one asked for."""
    from mha.export.asked import KnockOut, Patterns

    step = max(kept for kept in steps if kept <= asked.step)
    if asked.text is None:
        return KnockOut(step, tuple(asked.heads), asked.job, OVER)
    return Patterns(step, tuple(words(settings, parse_text(settings, asked.text)).tolist()))


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
