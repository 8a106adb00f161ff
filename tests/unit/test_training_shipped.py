"""The runs that come with the project: of today's code and settings, and what they show."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from mha.training import Reading, Run, Settings, Snapshot, group, heads_that
from mha.training.run import measured
from mha.training.ship import outcome, rounded
from mha.training.shipped import (
    FILE,
    FIRST,
    MOST_BYTES,
    MOST_UNPACKED,
    SECOND,
    read,
    shipped,
    shipped_snapshots,
    write,
)
from mha.training.snapshot import parameter_shapes
from tests.unit.says import says

HALF = 2.0**-11  # the largest relative error of a number rounded to float16
TINY = Settings(("copy", "brackets"), n_layers=1, d_model=4, n_heads=2, T=8, batch=8, steps=3)


pytestmark = pytest.mark.usefixtures("one_thread")


@pytest.fixture(scope="module")
def snapshots() -> tuple[Snapshot, ...]:
    return shipped_snapshots(FIRST)


def assert_alike(ours: Reading, theirs: Reading, atol: float) -> None:
    """Assert that two readings agree within an error."""
    assert (ours.settings, ours.step) == (theirs.settings, theirs.step)
    assert ours.losses == pytest.approx(theirs.losses, abs=atol)
    assert ours.uniform == theirs.uniform
    for task, scores in ours.scores.items():
        assert list(scores) == list(theirs.scores[task])
        for job, at in scores.items():
            np.testing.assert_allclose(at, theirs.scores[task][job], rtol=0, atol=atol)


# Of today's code and settings


def test_they_are_runs_of_the_default_settings_that_differ_in_their_seed():
    assert list(shipped()) == [FIRST, SECOND]
    assert Settings() == FIRST == replace(SECOND, seed=FIRST.seed)
    assert SECOND.seed != FIRST.seed
    for settings, readings in shipped().items():
        assert tuple(reading.step for reading in readings) == settings.kept_steps
    assert FILE.stat().st_size < MOST_BYTES


def test_the_first_can_be_scrubbed_and_the_second_compared():
    assert shipped_snapshots(FIRST) == shipped()[FIRST]
    assert shipped_snapshots(SECOND) is None
    assert [isinstance(one, Snapshot) for one in shipped()[SECOND]] == [
        *[False] * (len(SECOND.kept_steps) - 1),
        True,
    ]
    assert shipped_snapshots(replace(FIRST, steps=699)) is None


def test_what_is_recorded_is_what_the_weights_in_the_file_do(snapshots):
    for snapshot in (*snapshots[::4], snapshots[-1], shipped()[SECOND][-1]):
        again = measured(snapshot.settings, snapshot.step, snapshot.model())
        assert_alike(snapshot, again, atol=1e-5)


@pytest.mark.parametrize("settings", [FIRST, SECOND], ids=["first", "second"])
def test_a_run_begun_today_begins_as_they_did(settings):
    run = Run(settings)
    for reading in shipped()[settings][:2]:
        while run.step < reading.step:
            run.advance()
        today = run.snapshot()
        assert_alike(reading, today, atol=2e-3)
        if isinstance(reading, Snapshot):
            for name, numbers in today.parameters.items():
                np.testing.assert_allclose(
                    reading.parameters[name], numbers, rtol=2 * HALF, atol=1e-5, err_msg=name
                )


def test_the_first_model_of_all_is_the_seed_s_rounded(snapshots):
    for name, numbers in Run(FIRST).snapshot().parameters.items():
        assert np.array_equal(snapshots[0].parameters[name], numbers.astype(np.float16)), name


@pytest.mark.parametrize("settings", [TINY, FIRST, Settings(n_layers=3, d_model=8)])
def test_shapes_are_those_of_the_model(settings):
    shapes = {name: numbers.shape for name, numbers in Run(settings).snapshot().parameters.items()}
    assert list(shapes.items()) == list(parameter_shapes(settings).items())


# What they show


@pytest.mark.parametrize("settings", [FIRST, SECOND], ids=["first", "second"])
def test_heads_have_learned_their_jobs(settings):
    last = shipped()[settings][-1]
    scores = last.scores["copy"]
    assert scores["previous token"][0].max() > 0.9
    assert scores["induction"][1].max() > 0.4
    assert last.losses["copy"] < 0.1
    found = group(last, "copy", "previous token", layer=0, over=0.3)
    assert found.members.rise["copy"] >= 3
    assert found.others.heads
    assert found.others.rise["copy"] < 1


def test_another_seed_divides_the_work_otherwise():
    first, second = (
        heads_that(shipped()[settings][-1], "copy", "previous token")
        for settings in (FIRST, SECOND)
    )
    assert first != second


def test_snapshots_are_dense_where_the_jobs_appear(snapshots):
    """No two of them lie far apart in what the heads of either job score."""
    for job, layer in (("previous token", 0), ("induction", 1)):
        scores = np.array([snapshot.scores["copy"][job][layer] for snapshot in snapshots])
        assert np.abs(np.diff(scores, axis=0)).max() < 0.25
        assert scores[0].max() < 0.2


# The file


@pytest.fixture(scope="module")
def pair() -> tuple[list[Snapshot], list[Snapshot]]:
    return tuple([*map(rounded, Run(replace(TINY, seed=seed)))] for seed in (0, 1))


def test_what_is_written_is_read_back(pair, tmp_path):
    write(tmp_path / "runs.npz", *pair)
    runs = read(tmp_path / "runs.npz")
    assert list(runs) == [TINY, replace(TINY, seed=1)]
    for written in pair:
        back = runs[written[0].settings]
        for ours, theirs in zip(back, written, strict=True):
            assert_alike(ours, theirs, atol=0)
            if isinstance(ours, Snapshot):
                assert list(ours.parameters) == list(theirs.parameters)
                for name, numbers in theirs.parameters.items():
                    assert ours.parameters[name].dtype == np.float32
                    assert np.array_equal(ours.parameters[name], numbers), name


def test_what_ship_prints_are_the_figures_of_the_run():
    last = shipped()[SECOND][-1]
    found = group(last)
    heads = ", ".join(f"L0H{head}" for _, head in found.members.heads)
    assert outcome(last) == (
        f"seed 1: previous token {last.scores['copy']['previous token'][0].max():.3f} in layer 0, "
        f"induction {last.scores['copy']['induction'][1].max():.3f} in layer 1, "
        f"loss {last.losses['copy']:.4f} nats; without {heads} it rises by "
        f"{found.members.rise['copy']:.2f}, without the rest of layer 0 "
        f"({len(found.others.heads)}) by {found.others.rise['copy']:.2f}"
    )


def refused(path, message: str) -> None:
    with says(message):
        read(path)


def test_a_file_that_is_no_file_of_runs_is_refused(pair, tmp_path):
    path = tmp_path / "runs.npz"
    write(path, *pair)
    with np.load(path) as arrays:
        whole = dict(arrays)
    np.savez(path, **{name: array for name, array in whole.items() if name != "second_scores"})
    refused(
        path,
        "a file of runs must have settings, losses, scores, uniform, weights of the second; "
        "got none of its scores. Try python -m mha.training.ship.",
    )
    np.savez(path, **whole | {"first_losses": np.zeros((4, 1))})
    refused(
        path,
        "losses must have a shape that ends in (4, 2); got losses.shape=(4, 1). "
        "Try an array whose last 2 axes are these.",
    )
    np.savez_compressed(path, **whole | {"first_weights": np.zeros(1_000_000)})
    size = path.stat().st_size
    with pytest.raises(
        ValueError, match="a file of runs must have at most 2,000,000 bytes"
    ) as told:
        read(path)
    assert f"{MOST_UNPACKED:,} unpacked; got {size:,}, 8,0" in str(told.value)


def test_a_pickle_is_not_read(pair, tmp_path):
    path = tmp_path / "runs.npz"
    write(path, *pair)
    with np.load(path) as arrays:
        whole = dict(arrays)
    np.savez(path, **whole | {"first_settings": np.array([{}], dtype=object)})
    with pytest.raises(ValueError, match="Object arrays cannot be loaded when allow_pickle=False"):
        read(path)
