"""A small transformer of attention alone, trained on texts made up for it, so that heads take jobs.

    run = Run(Settings(tasks=("copy",), seed=0))
    for snapshot in run:  # leave the loop to stop; iterate again to go on
        print(snapshot.step, snapshot.losses, labels(snapshot, "copy"))

`tasks` are the languages, `settings` what a run depends on, `texts` its texts, `model` what learns,
`measure` what is known of it, `run` the loop, `look` what can be asked of a snapshot, and `shipped`
the finished runs that come with the project, which `ship` has made.

Settings, tasks, texts and snapshots need no torch; it comes with the first name that does.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from mha.training.settings import Settings
from mha.training.snapshot import Reading, Snapshot
from mha.training.tasks import TASKS, Task, jobs
from mha.training.texts import parse_text

if TYPE_CHECKING:
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
    from mha.training.model import AttentionOnly
    from mha.training.run import Run, State

__all__ = [
    "TASKS",
    "AttentionOnly",
    "Group",
    "KnockOut",
    "Patterns",
    "Reading",
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

_WITH_TORCH = {
    "look": (
        *("Group", "KnockOut", "Patterns", "group", "heads_that", "knock_out"),
        *("labels", "patterns"),
    ),
    "model": ("AttentionOnly",),
    "run": ("Run", "State"),
}
_ROOM_OF = {name: room for room, names in _WITH_TORCH.items() for name in names}


def __getattr__(name: str) -> Any:
    if name not in _ROOM_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_ROOM_OF[name]}"), name)
