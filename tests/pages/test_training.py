"""The page of learned heads: train, stop, go on, scrub, knock out; what is drawn is what is."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mha.training import TASKS, Run, Settings, heads_that, knock_out, labels, patterns
from mha.training_marks import head_names
from pages.parts.training import knock
from pages.parts.training import patterns as scrubber
from pages.parts.training.choose import SIDEBAR
from pages.parts.training.shelf import AT_ONCE, MOST_KEPT, Course, Shelf, shelf
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


@pytest.fixture(scope="module")
def snapshots(one_thread) -> list:
    return list(Run(TINY))


@pytest.fixture
def trained(empty_shelf) -> Course:
    """A run on the shelf, as another visitor has left it."""
    course = shelf().begin(TINY)
    assert course.work(60, lambda: None) is None
    assert course.is_done
    return course


def error_of(work, *args, **kwargs) -> str:
    """What the core says of it."""
    with pytest.raises(ValueError, match="must") as told:
        work(*args, **kwargs)
    return str(told.value)


# Train, stop, go on


def test_no_run_begins_before_somebody_presses_train():
    app = open_page(PAGE, **LINK)
    assert not app.get("vega_lite_chart")
    assert said(app.info) == [
        f"No run with these settings yet. Press Train: {TINY.n_parameters:,} random numbers and 6 "
        "steps."
    ]
    assert "4 heads that know nothing yet, in 2 layers" in text(app)
    assert len(shelf()) == 0


def test_a_run_stops_goes_on_and_is_the_run_that_nobody_stopped(step_by_step, snapshots):
    app = press(open_page(PAGE, **LINK), "Train")
    course = shelf().find(TINY)
    assert course.step == 1
    app.run()
    assert course.step == 2
    app = press(app, "Stop")
    app.run()
    assert course.step == 2
    assert "Stopped at step 2 of 6" in text(app)
    assert pictures(app, "Loss over")
    app = press(app, "Resume")
    for _ in range(10):
        if course.is_done:
            break
        app.run()
    assert not app.main.button
    assert "After 6 steps" in text(app)
    assert [s.step for s in course.snapshots] == list(TINY.kept_steps)
    for ours, theirs in zip(course.snapshots, snapshots, strict=True):
        assert ours.losses == theirs.losses
        for name, array in theirs.parameters.items():
            np.testing.assert_array_equal(ours.parameters[name], array)


def test_whoever_comes_later_sees_the_same_run(trained):
    app = open_page(PAGE, **LINK)
    assert not app.main.button
    assert pictures(app, "Loss over")


def test_a_visitor_watches_a_run_that_another_one_trains(step_by_step):
    app = press(open_page(PAGE, **LINK), "Train")
    course = shelf().find(TINY)
    with course._lock:
        app.run()
    (bar,) = app.get("progress")
    assert course.step == 1
    assert bar.proto.text == "Step 1 of 6: trained by another visitor"


def test_runs_wait_for_a_free_processor(step_by_step):
    line = shelf()._line
    others = [str(i) for i in range(AT_ONCE + 1)]
    for other in others:
        line.enter(other)
    app = press(open_page(PAGE, **LINK), "Train")
    told = []
    for other in others[1:]:
        told.append(app.get("progress")[0].proto.text)
        line._places.pop(other)
        app.run()
    assert shelf().find(TINY).step == 0
    told.append(app.get("progress")[0].proto.text)
    before = ["1 visitor’s run is", *(f"{n} visitors’ runs are" for n in range(2, AT_ONCE + 2))]
    assert told == [
        f"Step 0 of 6: waiting for a free processor, {runs} before yours"
        for runs in reversed(before)
    ]
    line.leave(others[0], is_done=True)
    app.run()
    assert shelf().find(TINY).step == 1


def test_other_settings_are_another_run_and_the_page_says_so(step_by_step):
    app = press(open_page(PAGE, **LINK), "Train")
    app.number_input(key="train_seed").set_value(5).run()
    assert any(note.startswith("These are other settings") for note in said(app.info))
    assert "Train" in [button.label for button in app.main.button]
    app.run()
    assert shelf().find(TINY).step == 1
    app.number_input(key="train_seed").set_value(0).run()
    assert "Stopped at step 1 of 6" in text(app)


def test_settings_that_cannot_be_are_told_in_place():
    app = open_page(PAGE, train_size=SIDEBAR, d_model=64, heads=32)
    assert said(app.main.warning) == [error_of(Settings, d_model=64, n_heads=32)]
    app = open_page(PAGE)
    app.session_state["train_tasks"] = []
    app.run()
    assert said(app.main.warning) == [error_of(Settings, ())]


@pytest.mark.parametrize(
    ("link", "told"),
    [
        (
            {"train_tasks": ["brackets", "dance"]},
            "train_tasks must be any of copy, brackets, pronouns; got train_tasks=dance. "
            "Showing brackets.",
        ),
        (
            {"train_steps": 5000},
            "train_steps must be a whole number from 1 to 2,000; got train_steps=5000. "
            "Showing 700.",
        ),
        (
            {"train_layers": 5},
            "train_layers must be a whole number from 1 to 4; got train_layers=5. Showing 2.",
        ),
        (
            {"training_step": "Patterns", "snapshot": "early"},
            "snapshot must be a step that is kept, up to 700; got snapshot=early. Showing 700.",
        ),
        (
            {"training_step": "Patterns", "snapshot": 130},
            "snapshot must be a step that is kept, up to 700; got snapshot=130. Showing 135.",
        ),
        (
            {"training_step": "Knock out", "off": ["L0H1", "L7H1"]},
            "off must be one of those in its list; got off=L7H1. Showing L0H1.",
        ),
        (
            {"training_step": "Knock out", "off_job": "juggle"},
            "off_job must be a task of the run and a job in its texts; got off_job=juggle. "
            "Showing no job.",
        ),
        (
            {"training_step": "Predict", "missed_guess": "L9H9"},
            "missed_guess must be one of the run’s heads; got missed_guess=L9H9. "
            "Showing choose a head.",
        ),
    ],
)
def test_a_link_that_asks_for_what_cannot_be_is_told(link, told):
    assert told in said(open_page(PAGE, **link).main.warning)


# What is drawn


def test_the_losses_drawn_are_those_of_the_run(trained):
    (chart,) = pictures(open_page(PAGE, **LINK), "Loss over")
    table = table_of(chart)
    lines = table[table["kind"] == "line"]
    for task in TINY.tasks:
        mine = lines[lines["task"] == task]
        assert mine["step"].tolist() == [s.step for s in trained.snapshots]
        assert mine["loss"].tolist() == [s.losses[task] for s in trained.snapshots]
    (blind,) = table[table["kind"] == "blind"]["loss"]
    assert blind == pytest.approx(np.log(len(TINY.vocabulary)))


def test_the_scores_drawn_are_those_of_the_run_and_of_a_uniform_head(trained):
    app = open_page(PAGE, **LINK, job2="brackets: matching bracket")
    (chart,) = pictures(app, "Scores for matching bracket")
    table, last = table_of(chart), trained.snapshots[-1]
    does = labels(last, "brackets")
    for name, (layer, head) in head_names(TINY).items():
        strip = table[table["name_of"] == name]
        scores = [s.scores["brackets"]["matching bracket"][layer, head] for s in trained.snapshots]
        assert strip["value"].tolist() == pytest.approx(scores)
        assert set(strip["text"]) == {f"{scores[-1]:.2f} {does[layer][head]}"}
    (even,) = table[table["name_of"] == "even"]["value"]
    assert even == last.uniform["brackets"]["matching bracket"]


def test_the_scrubber_shows_every_head_s_pattern_on_the_visitor_s_text(trained):
    app = open_page(PAGE, **LINK, training_step="Patterns", snapshot=3, train_text="a b ( a )")
    seen = patterns(trained.snapshots[3], "a b ( a )")
    for name, (layer, head) in head_names(TINY).items():
        (chart,) = pictures(app, f"Weights of {name}")
        table = table_of(chart)
        drawn = grid(table, "value", "row", "column")
        np.testing.assert_allclose(drawn, seen.weights[layer, head], atol=1e-6)
        hatched = grid(table, "masked", "row", "column")
        np.testing.assert_array_equal(hatched, np.triu(np.ones((5, 5), bool), 1))
    assert "Step 3." in text(app)
    assert pictures(app, "Weights of the hand-built")
    app.select_slider(key="snapshot").set_value("6").run()
    assert "Step 6." in text(app)


def test_a_text_in_another_alphabet_is_told_in_place(trained):
    app = open_page(PAGE, **LINK, training_step="Patterns", train_text="a <b> !")
    assert said(app.main.warning) == [error_of(patterns, trained.snapshots[-1], "a <b> !")]
    (chart,) = pictures(app, "Weights of L0H0")
    assert table_of(chart)["row_name"].drop_duplicates().tolist()[0] == "c"
    assert len(table_of(chart)) == len(TASKS["copy"].example.split()) ** 2


@pytest.mark.parametrize(
    ("does", "told"),
    [
        ({"copy": "mixed"}, "mixed"),
        ({"copy": "induction"}, "induction"),
        ({"copy": "mixed", "brackets": "mixed"}, "mixed"),
        ({"copy": "mixed", "brackets": "itself"}, "itself on brackets"),
        (
            {"copy": "induction", "brackets": "itself"},
            "induction on copy; itself on brackets",
        ),
    ],
)
def test_a_head_is_named_by_what_it_does_on_each_task(trained, monkeypatch, does, told):
    tasks = {"copy": "mixed", "brackets": "mixed"} | does
    if len(does) == 1:
        assert scrubber._said(does) == told
        return
    monkeypatch.setattr("mha.training.look.labels", lambda _, task: [[tasks[task]] * 2] * 2)
    assert f"**L1H0**: {told}" in text(open_page(PAGE, **LINK, training_step="Patterns"))


def test_fewer_steps_take_the_scrubber_to_the_nearest_without_a_word(trained):
    app = open_page(PAGE, **(LINK | {"train_steps": 300}), training_step="Patterns")
    assert app.select_slider(key="snapshot").value == "300"
    app.number_input(key="train_steps").set_value(6).run()
    assert app.select_slider(key="snapshot").value == "6"
    assert not app.main.warning
    assert "Step 6." in text(app)


def test_a_step_that_a_stopped_run_has_not_reached_is_told(step_by_step):
    app = press(press(open_page(PAGE, **LINK), "Train"), "Stop")
    app.segmented_control(key="training_step").set_value("Patterns").run()
    assert said(app.info) == ["The run is at step 1. Showing step 1."]


def test_of_many_heads_one_layer_is_shown(step_by_step):
    app = open_page(
        PAGE, train_size=SIDEBAR, d_model=16, heads=16, train_steps=1, training_step="Patterns",
        train_layer=1,
    )  # fmt: skip
    app = press(app, "Train")
    assert len(pictures(app, "Weights of L1H")) == 16
    assert not pictures(app, "Weights of L0H")


# Knock-outs


def test_what_a_knock_out_costs_is_what_the_core_says(trained):
    last = trained.snapshots[-1]
    app = open_page(PAGE, **LINK, training_step="Knock out", off=["L0H1", "L1H0"])
    told = text(app)
    for heads in ([(0, 1), (1, 0)], [(0, 1)], [(1, 0)], [(0, 0), (1, 1)]):
        rise, losses = knock_out(last, heads).rise, knock_out(last, heads).losses
        cells = " | ".join(f"{losses[t]:.3f} | {rise[t]:+z.3f}" for t in TINY.tasks)
        assert cells.replace("-", "−") in told
    assert "The others of layers 0, 1: L0H0, L1H1, turned off together." in told
    (chart,) = pictures(app, "Rise of the loss")
    task = max(TINY.tasks, key=knock_out(last, [(0, 1), (1, 0)]).rise.get)
    expected = [
        knock_out(last, heads).rise[task]
        for heads in ([(0, 1), (1, 0)], [(0, 1)], [(1, 0)], [(0, 0), (1, 1)])
    ]
    assert table_of(chart)["rise"].tolist() == expected


@pytest.mark.parametrize("limit", [2, 1])
def test_heads_are_counted_one_by_one_where_they_are_few(trained, monkeypatch, limit):
    monkeypatch.setattr(knock, "MOST_ALONE", limit)
    monkeypatch.setattr(knock, "MISSED", -10.0)  # whatever it costs, it is told
    app = open_page(PAGE, **LINK, training_step="Knock out", off=["L0H1", "L1H0"])
    (chart,) = pictures(app, "Rise of the loss")
    assert len(table_of(chart)) == (4 if limit == 2 else 2)
    assert ("counted where they are 1 or fewer" in text(app)) is (limit == 1)


def test_all_heads_that_do_a_job_are_turned_off(trained, monkeypatch):
    monkeypatch.setattr(knock, "OVER", 0.01)
    doing = heads_that(trained.snapshots[-1], "copy", "itself", over=0.01)
    app = open_page(PAGE, **LINK, training_step="Knock out", off_job="copy: itself")
    assert f"Without {knock.said(doing)}" in text(app)


@pytest.mark.parametrize(
    ("link", "alone", "together", "told"),
    [
        ({"off": "L0H0"}, 0.02, 0.02, "Nobody misses them: others do what they did"),
        ({"off": "L0H0"}, 1.0, 1.0, "One head alone: now turn off those that do the same."),
        (
            {"off": ["L0H0", "L0H1"]}, 0.25, 4.0,
            "One by one they cost 0.50 in sum: each covers for the others. The job belongs to the "
            "group.",
        ),
        ({"off": ["L0H0", "L0H1"]}, 1.0, 2.5, "rises by 2.50 nats. One by one they cost 2.00"),
        (
            {"off_job": "copy: itself"}, 0.0, 0.0,
            "The picture says that they do this job; yet nobody misses them.",
        ),
    ],
)  # fmt: skip
def test_the_verdict_says_whose_the_job_is(trained, monkeypatch, link, alone, together, told):
    monkeypatch.setattr(knock, "OVER", 0.01)
    monkeypatch.setattr(
        knock,
        "rises",
        lambda _, heads: dict.fromkeys(TINY.tasks, alone if len(heads) == 1 else together),
    )
    app = open_page(PAGE, **LINK, training_step="Knock out", **link)
    assert told in text(app).replace("**", "")


def test_with_no_head_off_there_is_nothing_to_tell(trained, monkeypatch):
    app = open_page(PAGE, **LINK, training_step="Knock out")
    assert said(app.info) == [
        "Choose heads to turn off. Then their z is 0, and nothing else changes."
    ]
    monkeypatch.setattr(knock, "OVER", 0.99)
    app = open_page(PAGE, **LINK, training_step="Knock out", off_job="copy: induction")
    (told,) = said(app.info)
    assert told.startswith("No head scores over 0.99 for it at this step.")


def test_heads_that_go_with_their_layer_are_no_longer_off(trained):
    app = open_page(PAGE, **LINK, training_step="Knock out", off=["L0H1", "L1H0"])
    app.slider(key="train_layers").set_value(1).run()
    assert not app.exception
    assert app.session_state["off"] == ["L0H1"]


# Predict


def test_the_head_that_is_missed_most_is_told_when_it_is_asked_for(trained):
    last = trained.snapshots[-1]
    rise = {n: sum(knock_out(last, [h]).rise.values()) for n, h in head_names(TINY).items()}
    best, worst = max(rise, key=rise.get), min(rise, key=rise.get)
    app = open_page(PAGE, **LINK, training_step="Predict", missed_guess=best)
    assert not app.success
    assert not app.main.warning
    app.toggle(key="missed_reveal").set_value(True).run()
    (told,) = said(app.success)
    assert told.startswith(f"**Right.** Without **{best}** alone")
    assert any("No single head is missed at all." in note for note in said(app.info))
    app.selectbox(key="missed_guess").set_value(worst).run()
    assert not app.toggle(key="missed_reveal").value
    app.toggle(key="missed_reveal").set_value(True).run()
    (told,) = said(app.main.warning)
    assert told.startswith("**Wrong.**")
    assert f"without **{worst}**" in told


# Any link

HOSTILE = ("<img src=x>", "**b** $x$ :red[x]", "1e99", "nan", "", "( [ L0H0", "a" * 400, "\x00")
KEYS = ("snapshot", "train_text", "train_layer", "off", "off_job", "missed_guess", "job", "job2")
KEYS += ("train_seed2", "seeds_task")


@settings(deadline=None, max_examples=25, suppress_health_check=list(HealthCheck))
@given(
    step=st.sampled_from(["Training", "Patterns", "Knock out", "Predict", "Two seeds"]),
    link=st.dictionaries(
        st.sampled_from(KEYS),
        st.one_of(st.sampled_from(HOSTILE), st.integers(-1, 9).map(str), st.just("L0H1")),
    ),
)
def test_no_link_brings_down_a_page_with_a_run(trained, step, link):
    app = open_page(PAGE, **LINK, training_step=step, missed_reveal=True, **link)
    assert not app.exception
    assert shelf().find(TINY) is trained
    for shown in app.main.markdown:
        assert "<img src=x>" not in shown.value
    for note in app.main.warning:
        assert "<img src=x>" not in note.value
        assert len(note.value) < 600


# The shelf


def test_the_shelf_keeps_the_runs_that_were_asked_for_last():
    ours = Shelf()
    many = [Settings(seed=seed) for seed in range(MOST_KEPT + 1)]
    first = ours.begin(many[0])
    for other in many[1:-1]:
        ours.begin(other)
    assert ours.find(many[0]) is first is ours.begin(many[0])
    ours.begin(many[-1])
    assert len(ours) == MOST_KEPT
    assert ours.find(many[0]) is first
    assert ours.find(many[1]) is None


def test_work_that_is_broken_off_can_go_on(monkeypatch):
    monkeypatch.setattr("pages.parts.training.shelf.TELL_SECONDS", -1)
    course = Shelf().begin(TINY)

    class LeaveError(Exception):
        pass

    def leave() -> None:
        raise LeaveError

    for step in (1, 2):
        with pytest.raises(LeaveError):
            course.work(60, leave)
        assert course.step == step
    assert course.seconds_left > 0
    assert course.work(60, lambda: None) is None
    assert course.is_done
