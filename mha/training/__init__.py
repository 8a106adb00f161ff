"""A small transformer of attention alone, trained on texts made up for it, so that heads take jobs.

    run = Run(Settings(tasks=("copy",), seed=0))
    for snapshot in run:  # leave the loop to stop; iterate again to go on
        print(snapshot.step, snapshot.losses, labels(snapshot, "copy"))

`tasks` are the languages, `settings` what a run depends on, `texts` its texts, `model` what learns,
`measure` what is known of it, `run` the loop, and `look` what can be asked of a snapshot.
"""

from mha.training.look import (
    Group,
    KnockOut,
    Patterns,
    group,
    heads_that,
    knock_out,
    labels,
    patterns,
)
from mha.training.measure import jobs
from mha.training.model import AttentionOnly
from mha.training.run import Run, Snapshot, State
from mha.training.settings import Settings
from mha.training.tasks import TASKS, Task
from mha.training.texts import parse_text

__all__ = [
    "TASKS",
    "AttentionOnly",
    "Group",
    "KnockOut",
    "Patterns",
    "Run",
    "Settings",
    "Snapshot",
    "State",
    "Task",
    "group",
    "heads_that",
    "jobs",
    "knock_out",
    "labels",
    "parse_text",
    "patterns",
]
