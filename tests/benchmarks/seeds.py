"""What is learned whatever the seed: the default run of each task, five times (two minutes)."""

from __future__ import annotations

from collections.abc import Iterator

import torch

from mha.training import Run, Settings, Snapshot
from mha.training.look import group

WHAT = "seeds"
SEEDS = range(5)
# Nats a counted token at the end of a run, and the job that some head of the last layer takes up.
LOSS = 0.1
JOBS = {"copy": ("induction", 0.4), "pronouns": ("pronoun's name", 0.8)}


def lines() -> Iterator[str]:
    torch.set_num_threads(1)
    for task in ("copy", "brackets", "pronouns"):
        for seed in SEEDS:
            run = Run(Settings((task,), seed=seed))
            while not run.is_done:
                run.advance()
            yield line(task, run.snapshot())


def line(task: str, last: Snapshot) -> str:
    """One run in a line: its loss, its strongest job, and for copy what its group is missed by."""
    loss, scores = last.losses[task], last.scores[task]
    parts = [f"{task}, seed {last.settings.seed}: loss {loss:.3f} (< {LOSS}, {met(loss < LOSS)})"]
    if task in JOBS:
        job, least = JOBS[task]
        score = scores[job][-1].max()
        parts.append(f"{job} {score:.2f} in the last layer (> {least}, {met(score > least)})")
    if task == "copy":
        found = group(last)
        first = scores["previous token"][0].max()
        gone, rest = found.members.rise[task], found.others.rise[task]
        parts += [
            f"previous token {first:.2f} in the first",
            f"without its group +{gone:.2f} nats (≥ 3, {met(gone >= 3)})",
            f"without the {len(found.others.heads)} others +{rest:.2f} (< 1, {met(rest < 1)})",
        ]
    return ", ".join(parts)


def met(holds: bool) -> str:
    return "met" if holds else "missed"
