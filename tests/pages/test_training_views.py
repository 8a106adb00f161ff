"""What each visitor sees of the runs that all share: the shipped one, another's, two at once."""

from __future__ import annotations

import numpy as np
import pytest

from mha.training import Run, Settings, jobs, knock_out
from mha.training.shipped import FIRST, SECOND, shipped, shipped_snapshots
from mha.training_marks import groups, head_names
from pages.parts.training.line import GONE_SECONDS, TURN_SECONDS, Line
from pages.parts.training.shelf import shelf
from tests.pages.app import grid, open_page, table_of
from tests.pages.runs import (
    LINK,
    PAGE,
    TINY,
    empty_shelf,
    pictures,
    press,
    said,
    step_by_step,
    text,
)

__all__ = ["empty_shelf", "step_by_step"]  # fixtures


def buttons(app) -> list[str]:
    return [button.label for button in app.main.button]


def losses_drawn(app) -> dict[int, float]:
    """The loss on copying at each step that is drawn."""
    (chart,) = pictures(app, "Loss over")
    table = table_of(chart)
    lines = table[(table["kind"] == "line") & (table["task"] == "copy")]
    return dict(zip(lines["step"].tolist(), lines["loss"].tolist(), strict=True))


# The run that came with the app


def test_the_page_opens_with_the_shipped_run():
    app = open_page(PAGE)
    assert buttons(app) == ["Train anew"]
    assert losses_drawn(app) == {s.step: s.losses["copy"] for s in shipped()[FIRST]}
    assert "After 700 steps, in a run that came with the app" in text(app)
    assert len(shelf()) == 0


def test_the_shipped_run_can_be_scrubbed_and_knocked_out():
    app = open_page(PAGE, training_step="Knock out", off="L0H2", snapshot=204)
    (snapshot,) = [s for s in shipped_snapshots(FIRST) if s.step == 204]
    rise = knock_out(snapshot, [(0, 2)]).rise["copy"]
    assert f"Without L0H2 the loss on copy rises by {rise:.2f} nats" in text(app).replace("**", "")
    app.segmented_control(key="training_step").set_value("Patterns").run()
    assert "Step 204." in text(app)
    assert len(pictures(app, "Weights of L")) == 8


def test_the_shipped_run_can_be_trained_anew(step_by_step):
    app = press(open_page(PAGE), "Train anew")
    course = shelf().find(FIRST)
    assert course.step == 1
    assert buttons(app) == ["Stop"]
    app = press(app.run(), "Stop")
    assert "Stopped at step 2 of 700" in text(app)
    assert losses_drawn(app) == {0: course.snapshots[0].losses["copy"]}
    # Who comes later sees the one that came with the app, not somebody's first steps.
    assert len(losses_drawn(open_page(PAGE))) == len(FIRST.kept_steps)


@pytest.fixture
def shipped_tiny(monkeypatch) -> None:
    """As if the tiny run had come with the app."""
    ready = {TINY: tuple(Run(TINY))}
    monkeypatch.setattr("pages.parts.training.view.shipped_snapshots", ready.get)
    monkeypatch.setattr("pages.parts.training.watch.shipped_snapshots", ready.get)


def test_who_trained_a_run_anew_sees_their_own_until_another_begins_it_again(
    shipped_tiny, step_by_step
):
    mine = press(open_page(PAGE, **LINK), "Train anew")
    first = shelf().find(TINY)
    assert first.work(60, lambda: None) is None
    mine.run()
    assert buttons(mine) == ["Train anew"]
    assert "came with the app" not in text(mine)
    theirs = press(open_page(PAGE, **LINK), "Train anew")
    assert shelf().find(TINY) is not first
    assert shelf().find(TINY).step == 1
    assert buttons(theirs) == ["Stop"]
    mine.run()
    assert "came with the app" in text(mine)
    assert len(losses_drawn(mine)) == len(TINY.kept_steps)


# A run that others train


def test_a_stopped_visitor_stays_where_they_stopped_while_others_train_on(step_by_step):
    app = press(press(open_page(PAGE, **LINK), "Train"), "Stop")
    course = shelf().find(TINY)
    assert buttons(app.run()) == ["Resume"]
    assert course.work(0, lambda: None) is None
    assert course.work(0, lambda: None) is None
    app.run()
    assert "Stopped at step 1 of 6; others have gone on to step 3" in text(app)
    assert list(losses_drawn(app)) == [0, 1]
    app = press(app, "Follow")
    assert list(losses_drawn(app)) == [0, 1, 2, 3]
    assert buttons(app) == ["Stop"]


def test_who_follows_a_run_that_others_have_finished_sees_its_end(step_by_step):
    app = press(press(open_page(PAGE, **LINK), "Train"), "Stop")
    assert shelf().find(TINY).work(60, lambda: None) is None
    app = press(app.run(), "Follow")
    assert list(losses_drawn(app)) == list(TINY.kept_steps)
    assert buttons(app) == []


def test_who_comes_to_a_run_that_others_train_sees_it_as_it_is_then(step_by_step):
    course = shelf().begin(TINY)
    course.work(0, lambda: None)
    app = open_page(PAGE, **LINK)
    assert buttons(app) == ["Resume"]
    course.work(0, lambda: None)
    assert list(losses_drawn(app.run())) == [0, 1]
    assert buttons(app) == ["Follow"]


# Two seeds


def test_two_seeds_are_drawn_side_by_side_at_one_step():
    app = open_page(PAGE, training_step="Two seeds", snapshot=190)
    for settings in (FIRST, SECOND):
        (reading,) = [one for one in shipped()[settings] if one.step == 190]
        (chart,) = pictures(app, f"Scores of each head with seed {settings.seed}")
        table = table_of(chart)
        assert table["column_label"].drop_duplicates().tolist() == list(jobs("copy"))
        drawn = grid(table, "value", "row", "column")
        for row, at in zip(drawn, head_names(settings).values(), strict=True):
            scores = [reading.scores["copy"][job][at] for job in jobs("copy")]
            np.testing.assert_allclose(row, scores, atol=1e-12)
        assert f"Seed {settings.seed}, step 190" in text(app).replace("**", "")
        doing = groups(reading, "copy", 0.3)["previous token"]
        assert f"with seed {settings.seed} {', '.join(doing)}" in text(app)
    assert "Another seed, another division of labour." in text(app)
    assert buttons(app) == ["Train anew"]


def test_another_seed_is_trained_beside_the_first(step_by_step):
    app = open_page(PAGE, **LINK, training_step="Two seeds", train_seed2=4)
    assert buttons(app) == ["Train", "Train seed 4"]
    other = Settings(TINY.tasks, d_model=8, n_heads=2, steps=6, seed=4)
    assert shelf().begin(TINY).work(60, lambda: None) is None
    app = press(app.run(), "Train seed 4")
    assert shelf().find(other).step == 1
    assert buttons(app) == ["Stop seed 4"]
    app.run()
    # Both at the step that both have seen.
    assert "Seed 0, step 1," in text(app).replace("**", "")
    assert "Seed 4, step 1," in text(app).replace("**", "")
    app.segmented_control(key="seeds_task").set_value("brackets").run()
    assert "loss on brackets" in text(app)
    assert shelf().find(other).work(60, lambda: None) is None
    app.run()
    assert buttons(app) == []
    assert "Seed 4, step 6," in text(app).replace("**", "")


def test_seeds_that_are_one_are_told():
    app = open_page(PAGE, training_step="Two seeds", train_seed2=0)
    assert said(app.info) == ["Both seeds are 0. Choose another."]
    assert len(pictures(app, "Scores of each head")) == 1


# The line for a core


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def test_who_came_first_works_first_and_the_others_know_their_place():
    line = Line(2, Clock())
    assert [line.enter(who) for who in "abcd"] == [0, 0, 2, 3]
    line.leave("a", is_done=True)
    assert [line.enter(who) for who in "dcb"] == [2, 0, 0]


def test_a_turn_ends_and_the_next_one_works():
    clock = Clock()
    line = Line(1, clock)
    assert line.enter("a") == 0
    line.leave("a", is_done=False)
    assert [line.enter(who) for who in "ba"] == [1, 0]
    clock.now = TURN_SECONDS
    assert line.enter("b") == 1
    line.leave("a", is_done=False)
    assert [line.enter(who) for who in "ab"] == [1, 0]
    clock.now += TURN_SECONDS - 1
    assert line.enter("a") == 1
    line.leave("b", is_done=False)
    assert line.enter("a") == 1


def test_alone_in_the_line_a_turn_has_no_end():
    clock = Clock()
    line = Line(1, clock)
    for _ in range(3):
        clock.now += TURN_SECONDS
        assert line.enter("a") == 0
        line.leave("a", is_done=False)


def test_whoever_asks_no_longer_is_no_longer_in_the_line():
    clock = Clock()
    line = Line(1, clock)
    assert line.enter("a") == 0
    clock.now += GONE_SECONDS + 1  # at work, however long it takes
    assert line.enter("b") == 1
    line.leave("a", is_done=False)
    clock.now += GONE_SECONDS
    assert line.enter("b") == 1
    clock.now += 0.1
    assert line.enter("b") == 0
