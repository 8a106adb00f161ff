"""python -m mha.training.ship [FILE]: train the runs that come with the project, and write them.

It takes less than a minute, on one thread. Another machine may come to other numbers; what the
tests assert of the file must hold for them too.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import torch

from mha.training.look import group
from mha.training.run import Run, measured
from mha.training.settings import Settings
from mha.training.shipped import FILE, FIRST, SECOND, write
from mha.training.snapshot import Snapshot


def rounded(snapshot: Snapshot) -> Snapshot:
    """The snapshot of the same model with its weights rounded to float16, measured anew."""
    model = snapshot.model()
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.copy_(parameter.half())
    return measured(snapshot.settings, snapshot.step, model)


def trained(settings: Settings) -> list[Snapshot]:
    """The snapshots of a run, each rounded."""
    return [rounded(snapshot) for snapshot in Run(settings)]


def outcome(last: Snapshot) -> str:
    """A run's figures in a line: the best scores, the loss, and what its groups are missed by."""
    found, scores = group(last), last.scores["copy"]
    heads = ", ".join(f"L{layer}H{head}" for layer, head in found.members.heads)
    return (
        f"seed {last.settings.seed}: previous token {scores['previous token'][0].max():.3f} in "
        f"layer 0, induction {scores['induction'][1].max():.3f} in layer 1, "
        f"loss {last.losses['copy']:.4f} nats; without {heads} it rises by "
        f"{found.members.rise['copy']:.2f}, without the rest of layer 0 "
        f"({len(found.others.heads)}) by {found.others.rise['copy']:.2f}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m mha.training.ship", description=__doc__)
    parser.add_argument("file", nargs="?", type=Path, default=FILE)
    path = parser.parse_args().file
    torch.set_num_threads(1)
    runs = [trained(settings) for settings in (FIRST, SECOND)]
    write(path, *runs)
    for run in runs:
        print(outcome(run[-1]))
    print(
        f"{path.name}: {path.stat().st_size:,} bytes, steps {', '.join(map(str, FIRST.kept_steps))}"
    )


if __name__ == "__main__":
    main()
