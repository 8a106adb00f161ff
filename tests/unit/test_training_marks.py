"""The marks of a run's pictures: names apart, nothing below the picture, a row for every head."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mha.charts.training import losses_spec, scores_spec
from mha.training import TASKS, Settings, jobs
from mha.training_marks import (
    _APART,
    LEAST_LOSS,
    blind_loss,
    groups,
    head_names,
    knock_out_marks,
    loss_text,
    losses_marks,
    scores_marks,
)

SETTINGS = Settings(tuple(TASKS), n_layers=2, n_heads=4, steps=10)


def snapshot(step: int, losses: dict[str, float], score: float = 0.5) -> SimpleNamespace:
    """The numbers of one; heads score alike for all jobs, but the first head of all for one."""
    scores = {
        task: {job: np.full((2, 4), score / (2 + i)) for i, job in enumerate(jobs(task))}
        for task in TASKS
    }
    scores["copy"]["previous token"][0, 0] = 1.0
    uniform = {task: dict.fromkeys(jobs(task), 0.1) for task in TASKS}
    return SimpleNamespace(
        settings=SETTINGS, step=step, losses=losses, scores=scores, uniform=uniform
    )


losses = st.floats(1e-9, 10).map(float)


@given(st.lists(losses, min_size=3, max_size=3))
def test_names_of_losses_stand_apart_below_the_ends_of_their_lines(three):
    table = losses_marks([snapshot(10, dict(zip(TASKS, three, strict=True)))])
    names = table[table["kind"] == "name"]
    assert set(names["task"]) == set(TASKS)
    places = np.sort(names["label_at"])
    assert (places[1:] / places[:-1] >= _APART - 1e-9).all()
    assert (names["label_at"] < names["drawn"]).all()
    assert (table["drawn"] >= LEAST_LOSS).all()


def test_groups_are_the_heads_over_the_bound_by_job():
    reading = snapshot(10, dict.fromkeys(TASKS, 1.0))
    names = list(head_names(SETTINGS))
    by_job = groups(reading, "copy", 0.25)
    assert by_job["previous token"] == ["L0H0"]  # the others score 0.25, which is not over it
    assert set(by_job) == set(jobs("copy"))
    assert groups(reading, "copy", 0.2)["previous token"] == names
    assert groups(reading, "copy", 0.2)["itself"] == []


def test_a_blind_guess_is_even_among_all_symbols():
    assert blind_loss(Settings()) == pytest.approx(np.log(24))


@pytest.mark.parametrize(
    ("loss", "text"), [(3.1781, "3.178"), (0.0005, "0.001"), (0.0004, "under 0.001")]
)
def test_no_loss_is_written_as_nought(loss, text):
    assert loss_text(loss) == text


def test_every_head_has_a_strip_to_the_last_step_and_what_it_does_at_its_end():
    ours = [snapshot(step, dict.fromkeys(TASKS, 1.0)) for step in (0, 4, 10)]
    table = scores_marks(ours, "copy", "previous token")
    assert list(head_names(SETTINGS)) == table["name_of"].drop_duplicates().tolist()[:-1]
    for _, strip in table[table["row"] < 8].groupby("row"):
        assert strip["step"].tolist() == [0, 4, 10]
        assert strip["until"].tolist()[:2] == [4, 10]
    ends = table.drop_duplicates("row")["text"].tolist()
    assert ends[0] == "1.00 previous token"
    assert ends[-1] == "0.10 uniform head"


def test_specs_do_not_depend_on_the_numbers():
    assert losses_spec("light", 10) == losses_spec("light", 10)
    assert scores_spec("dark", 10, 9)["height"] > scores_spec("dark", 10, 2)["height"]


@given(st.lists(st.floats(-1, 9), min_size=1, max_size=20))
def test_bars_of_rises_fit_the_picture_and_say_their_number(rises):
    table = knock_out_marks([(f"L0H{i}", rise, i == 0) for i, rise in enumerate(rises)])
    assert (table["from"] <= table["to"]).all()
    assert table["to"].max() <= 1
    assert table["from"].min() >= 0
    np.testing.assert_allclose(table["rise"], rises)
    assert all(text[0] in "+−" for text in table["text"])
