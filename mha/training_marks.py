"""Readings of a run → the marks of its pictures: losses, and heads' scores, over the steps.

No torch here: of a snapshot nothing is read but what was measured.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import pandas as pd

from mha.scoring import label
from mha.training import Reading, Settings

LEAST_LOSS = 0.0001  # nats; the lower end of the picture, where a logarithm would go on for ever
UNIFORM = "uniform head"
MISSED = 0.1  # nats; less is no loss to speak of
_APART = 1.65  # times, from one written loss to the next


def head_name(layer: int, head: int) -> str:
    """A head's short name, both numbers from 0: "L0H1"."""
    return f"L{layer}H{head}"


def head_names(settings: Settings) -> dict[str, tuple[int, int]]:
    """Every head of a run by its short name, layer by layer."""
    return {
        head_name(layer, head): (layer, head)
        for layer in range(settings.n_layers)
        for head in range(settings.n_heads)
    }


def groups(reading: Reading, task: str, over: float) -> dict[str, list[str]]:
    """By job, the short names of the heads that score over a bound for it on a task's texts."""
    return {
        job: [n for n, at in head_names(reading.settings).items() if scores[at] > over]
        for job, scores in reading.scores[task].items()
    }


def blind_loss(settings: Settings) -> float:
    """The loss, in nats, of guessing evenly among all symbols of the run."""
    return math.log(len(settings.vocabulary))


def loss_text(loss: float) -> str:
    """A loss in nats as it is written: never 0.000, which no loss is."""
    return f"{loss:.3f}" if loss >= 0.0005 else "under 0.001"


def losses_marks(snapshots: Sequence[Reading]) -> pd.DataFrame:
    """Every task's loss over the steps.

    Returns:
        kind: "line" (a task's loss at one step), "name" (at the end of its line) or "blind" (the
        loss of guessing among all symbols); step, loss (nats), drawn (the loss, or the lower end
        of the picture where it is less), task, text, label_at (where a name stands, below its
        line's end and apart from the others), last (the run's last step).
    """
    settings = snapshots[-1].settings
    rows = [
        {"kind": "line", "step": snapshot.step, "loss": loss, "task": task, "text": ""}
        for snapshot in snapshots
        for task, loss in snapshot.losses.items()
    ]
    last, free = snapshots[-1], math.inf
    for task, loss in sorted(last.losses.items(), key=lambda item: -item[1]):
        free = min(max(loss, LEAST_LOSS), free) / _APART
        name = {"task": task, "text": f"{task} {loss_text(loss)}", "label_at": free}
        rows.append({"kind": "name", "step": last.step, "loss": loss} | name)
    blind = blind_loss(settings)
    text = f"guess among {len(settings.vocabulary)}: {blind:.2f}"
    rows.append({"kind": "blind", "step": 0, "loss": blind, "task": "", "text": text})
    table = pd.DataFrame(rows)
    return table.assign(drawn=table["loss"].clip(lower=LEAST_LOSS), last=settings.steps)


def scores_marks(snapshots: Sequence[Reading], task: str, job: str) -> pd.DataFrame:
    """Every head's score for a job over the steps, a row of the picture each, and a uniform head's.

    Returns:
        row, name_of; step and until, where its cell begins and ends; value, the score in [0, 1];
        text, at the row's end: the last score and what the head measurably does on these texts.
    """
    last = snapshots[-1]
    settings = last.settings
    steps = [snapshot.step for snapshot in snapshots]
    ends = [*steps[1:], settings.steps + 1 if len(steps) == 1 else steps[-1] + settings.steps / 60]
    rows = []
    for row, (name, (layer, head)) in enumerate(head_names(settings).items()):
        does = label(
            {one: float(scores[layer, head]) for one, scores in last.scores[task].items()},
            last.uniform[task],
        )
        final = float(last.scores[task][job][layer, head])
        rows += [
            {"row": row, "name_of": name, "step": snapshot.step, "until": end}
            | {"value": float(snapshot.scores[task][job][layer, head])}
            | {"text": f"{final:.2f} {does}"}
            for snapshot, end in zip(snapshots, ends, strict=True)
        ]
    even = last.uniform[task][job]
    n = settings.n_layers * settings.n_heads
    rows.append(
        {"row": n, "name_of": "even", "step": 0, "until": ends[-1], "value": even}
        | {"text": f"{even:.2f} {UNIFORM}"}
    )
    return pd.DataFrame(rows)


def knock_out_marks(rises: Sequence[tuple[str, float, bool]]) -> pd.DataFrame:
    """How much a loss rises without some heads, a bar each.

    Args:
        rises: what is turned off, the rise of the loss (nats), and whether the bar stands out.

    Returns:
        row, name_of, rise, lit; from and to, the ends of the bar as shares of the width; text.
    """
    table = pd.DataFrame(rises, columns=["name_of", "rise", "lit"])
    least, most = min(0.0, table["rise"].min()), max(MISSED, table["rise"].max())
    ends = [(table["rise"].clip(upper=0), "from"), (table["rise"].clip(lower=0), "to")]
    places = {name: (end - least) / (most - least) for end, name in ends}
    text = [f"{rise:+z.2f}".replace("-", "−") for rise in table["rise"]]
    return table.assign(row=range(len(table)), **places, text=text)
