"""Finished runs that come with the project, so that there is something to look into at once.

`shipped.npz` holds two runs of the default settings that differ in their seed. Of the first it has
a snapshot for each kept step, of the second the readings, and the model at the end alone. The
weights were rounded to float16, and then measured: losses and scores are those of the numbers in
the file. `python -m mha.training.ship` writes it.

Source of the format: numpy.lib.format; nothing in it is a pickle, and none would be read.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from functools import lru_cache
from pathlib import Path
from zipfile import ZipFile

import numpy as np

from mha.checks import require_shape
from mha.training.settings import Settings
from mha.training.snapshot import Reading, Snapshot, parameter_shapes
from mha.training.tasks import Array, jobs

FILE = Path(__file__).with_name("shipped.npz")
MOST_BYTES, MOST_UNPACKED = 2_000_000, 4_000_000
FIRST, SECOND = Settings(), Settings(seed=1)
_AGAIN = "Try python -m mha.training.ship."

Runs = Mapping[Settings, tuple[Reading, ...]]


@lru_cache(1)
def shipped() -> Runs:
    """The readings of each run that comes with the project, by its settings."""
    return read(FILE)


def shipped_snapshots(settings: Settings) -> tuple[Snapshot, ...] | None:
    """The snapshots of the run with these settings, if it comes with the project as a whole."""
    readings = shipped().get(settings, ())
    whole = tuple(one for one in readings if isinstance(one, Snapshot))
    return whole if whole and len(whole) == len(readings) else None


def read(path: Path) -> Runs:
    """The runs of a file.

    Raises:
        ValueError: a file that is too large, has other arrays than a run has, or arrays of another
            shape than its settings say.
    """
    with ZipFile(path) as packed:
        unpacked = sum(member.file_size for member in packed.infolist())
    size = path.stat().st_size
    if size > MOST_BYTES or unpacked > MOST_UNPACKED:
        raise ValueError(
            f"a file of runs must have at most {MOST_BYTES:,} bytes, {MOST_UNPACKED:,} unpacked; "
            f"got {size:,}, {unpacked:,}. {_AGAIN}"
        )
    with np.load(path, allow_pickle=False) as arrays:
        runs = [_unpack(name, arrays) for name in ("first", "second")]
    return {readings[0].settings: readings for readings in runs}


def write(path: Path, first: Sequence[Snapshot], second: Sequence[Snapshot]) -> None:
    """Write two runs: all weights of the first, and those at the end of the second."""
    arrays = _pack("first", first, len(first)) | _pack("second", second, 1)
    np.savez_compressed(path, **arrays)


def _pack(name: str, run: Sequence[Snapshot], n_models: int) -> dict[str, Array]:
    settings = run[0].settings
    weights = [np.concatenate([w.ravel() for w in s.parameters.values()]) for s in run[-n_models:]]
    scores = [[s.scores[task][job] for task, job in _measures(settings)] for s in run]
    return {
        f"{name}_settings": np.array(json.dumps(asdict(settings))),
        f"{name}_losses": np.array([[s.losses[task] for task in settings.tasks] for s in run]),
        f"{name}_scores": np.array(scores),
        f"{name}_uniform": np.array([run[0].uniform[t][job] for t, job in _measures(settings)]),
        f"{name}_weights": np.array(weights, dtype=np.float16),
    }


def _unpack(name: str, arrays: Mapping[str, Array]) -> tuple[Reading, ...]:
    """The readings of one of the runs; those at its end are snapshots where weights are there."""
    parts = ("settings", "losses", "scores", "uniform", "weights")
    missing = [part for part in parts if f"{name}_{part}" not in arrays]
    if missing:
        raise ValueError(
            f"a file of runs must have {', '.join(parts)} of the {name}; got none of its "
            f"{', '.join(missing)}. {_AGAIN}"
        )
    text, losses, scores, uniform, weights = (arrays[f"{name}_{part}"] for part in parts)
    settings = Settings(**json.loads(str(text)))
    steps, measures = settings.kept_steps, _measures(settings)
    heads = (settings.n_layers, settings.n_heads)
    require_shape("losses", losses, (len(steps), len(settings.tasks)))
    require_shape("scores", scores, (len(steps), len(measures), *heads))
    require_shape("uniform", uniform, (len(measures),))
    require_shape("weights", weights, (None, settings.n_parameters))
    shapes = parameter_shapes(settings)
    ends = np.cumsum([rows * columns for rows, columns in shapes.values()])[:-1]
    readings: list[Reading] = []
    for i, step in enumerate(steps):
        reading = {
            "settings": settings,
            "step": step,
            "losses": dict(zip(settings.tasks, losses[i].tolist(), strict=True)),
            "scores": _by_task(settings, scores[i]),
            "uniform": _by_task(settings, uniform.tolist()),
        }
        of_model = i - len(steps) + len(weights)
        if of_model < 0:
            readings.append(Reading(**reading))
            continue
        pieces = np.split(weights[of_model].astype(np.float32), ends)
        shaped = zip(shapes.items(), pieces, strict=True)
        parameters = {name: piece.reshape(shape) for (name, shape), piece in shaped}
        readings.append(Snapshot(**reading, parameters=parameters))
    return tuple(readings)


def _measures(settings: Settings) -> list[tuple[str, str]]:
    """What heads are scored for: task and job of each, in order."""
    return [(task, job) for task in settings.tasks for job in jobs(task)]


def _by_task(settings: Settings, values: Sequence) -> dict[str, dict]:
    """One value for each measure, by task and by job."""
    found: dict[str, dict] = {task: {} for task in settings.tasks}
    for (task, job), value in zip(_measures(settings), values, strict=True):
        found[task][job] = value
    return found
