"""The page about split and merge: its link, its sizes, and what it sends to be drawn."""

from __future__ import annotations

import json

import pytest
import torch

from mha.checks import divisors
from mha.layout import MISTAKES, misplaced, owner, stages
from mha.memory import merge_both_ways
from mha.packing import unpack
from pages.parts.animation import STAGES
from pages.parts.split_merge.sizes import MAX_C, MAX_T
from tests.pages.app import components, open_page, table_of, tell

PAGE = "split_merge"
WAYS = ("none", *MISTAKES)
SMALL = {"tokens": "a b c d", "d_model": 6, "heads": 3}

every_way = pytest.mark.parametrize("way", WAYS)


def animation(app):
    (component,) = components(app, "split_and_merge")
    return component.proto


def sent(app) -> dict:
    """What the animation was sent."""
    return json.loads(animation(app).json)


def sizes(app) -> tuple[int, int, int, int]:
    data = sent(app)
    return data["B"], data["T"], data["C"], data["heads"]


def stop_at(app, stop):
    """Let the browser tell that a visitor stopped the animation."""
    events = [{"event": "stopped", "value": stop}]
    key = f"$$STREAMLIT_INTERNAL_KEY_{animation(app).id}__events"
    return tell(app, key, "json_trigger_value", events)


def open_expander(app, key):
    app.session_state[key] = True
    return app.run()


def words(app) -> str:
    return "\n".join(element.value for element in (*app.markdown, *app.success, *app.error))


# What is drawn


@every_way
def test_the_animation_gets_the_stages_of_the_scene(way):
    app = open_page(PAGE, **SMALL, mistake=way, batch=2)
    assert sizes(app) == (2, 4, 6, 3)
    data = sent(app)
    steps = stages(2, 4, 6, 3, mistake=None if way == "none" else way)
    assert [step["name"] for step in data["stages"]] == [step.name for step in steps]
    assert (unpack(data["arrays"][data["owner"]]) == owner(2, 4, 6, 3)).all()
    for told, step in zip(data["stages"], steps, strict=True):
        assert told["misplaced"] == misplaced(step).sum()


def test_the_largest_picture_stays_small_to_send():
    link = {"tokens": " ".join("abcdefghijkl"), "d_model": 64, "heads": 8, "batch": 2}
    for way in WAYS:
        app = open_page(PAGE, **link, mistake=way)
        assert sizes(app) == (2, 12, 64, 8)
        assert len(animation(app).json) < 60_000


def test_equal_to_x_is_said_where_it_is_so():
    app = open_page(PAGE, **SMALL)
    (said,) = app.success
    assert "Equal to x again" in said.value
    assert "24 numbers" in said.value
    assert not app.error


@pytest.mark.parametrize(
    ("way", "wrong", "right"),
    [
        ("no transpose", "[0, 1], [2, 3], [4, 5], [6, 7]", "[0, 1], [6, 7], [12, 13], [18, 19]"),
        ("merge without transpose", "[0, 1, 6, 7, 12, 13]", "[0, 1, 2, 3, 4, 5]"),
    ],
)
def test_a_mistake_is_counted_and_shown_beside_the_right_way(way, wrong, right):
    app = open_page(PAGE, **SMALL, mistake=way)
    assert not app.success
    (said,) = app.error
    assert "20 of 24 numbers are in the wrong place" in said.value
    assert [code.value for code in app.code] == [wrong, right]


@every_way
def test_with_one_head_no_mistake_does_any_harm(way):
    app = open_page(PAGE, tokens="a b c", d_model=6, heads=1, mistake=way)
    assert len(app.success) == 1
    assert not app.error
    assert not app.code


# Sizes


def test_more_tokens_than_fit_are_cut_and_told():
    app = open_page(PAGE, tokens=" ".join("a" * 20))
    assert sizes(app)[1] == MAX_T
    assert "first 12 of your 20 tokens" in app.info[0].value


@pytest.mark.parametrize(
    ("d_model", "heads", "shown"),
    [
        (128, 4, (64, 4)),
        (128, 128, (64, 64)),
        (126, 63, (63, 63)),
        (126, 6, (60, 6)),
        (96, 48, (48, 48)),
    ],
)
def test_a_width_that_does_not_fit_is_the_widest_that_the_heads_divide(d_model, heads, shown):
    app = open_page(PAGE, d_model=d_model, heads=heads)
    assert sizes(app)[2:] == shown
    assert f"Showing C = {shown[0]}, heads = {shown[1]}" in app.info[0].value


def test_what_fits_is_not_remarked_on():
    app = open_page(PAGE, tokens=" ".join("a" * MAX_T), d_model=MAX_C, heads=64)
    assert sizes(app) == (1, MAX_T, MAX_C, 64)
    assert not app.info


@pytest.mark.parametrize("d_model", [2, 30, 64, 128])
def test_every_head_count_can_be_shown(d_model):
    app = open_page(PAGE, d_model=d_model)
    for heads in divisors(d_model):
        app.select_slider(key="heads").set_value(heads).run()
        assert not app.exception
        assert sizes(app)[2] % sizes(app)[3] == 0


# The link


@every_way
@pytest.mark.parametrize("stage", STAGES)
def test_a_link_opens_at_its_stage(way, stage):
    app = open_page(PAGE, mistake=way, stage=stage)
    data = sent(app)
    names = [step["name"] for step in data["stages"]]
    shown = names[data["stage"]]
    assert data["asked"] == stage
    if stage in names:
        assert shown == stage
    else:  # the last one before it
        assert STAGES.index(shown) < STAGES.index(stage)
        assert STAGES[STAGES.index(shown) + 1] == stage


@pytest.mark.parametrize(
    ("key", "value"), [("stage", "nowhere"), ("stage", "3"), ("mistake", "x"), ("batch", "9")]
)
def test_a_link_that_asks_for_what_is_not_there_gets_the_default(key, value):
    app = open_page(PAGE, **{key: value})
    assert not app.exception
    assert (sent(app)["stage"], sent(app)["B"], len(sent(app)["stages"])) == (0, 1, 6)


def test_where_a_visitor_stops_goes_into_the_link():
    app = open_page(PAGE, **SMALL, mistake="no transpose")
    before = sent(app)
    assert before["told"] == 0
    stop_at(app, {"stage": "attention", "told": 1})
    assert app.query_params["stage"] == "attention"
    assert app.query_params["mistake"] == "no transpose"
    # The same drawing, so that the browser unpacks nothing anew.
    assert sent(app) == before | {"stage": 2, "asked": "attention", "told": 1}


def test_a_stage_outlives_a_change_of_the_sizes_and_of_the_way():
    app = open_page(PAGE, stage="transpose")
    app.select_slider(key="heads").set_value(8).run()
    assert sent(app)["stage"] == 2
    for way, number in (("no transpose", 1), ("none", 2)):
        app.segmented_control(key="mistake").set_value(way).run()
        assert (sent(app)["asked"], sent(app)["stage"]) == ("transpose", number)


@pytest.mark.parametrize(
    "stop",
    [None, 3, "view", [], {}, {"stage": "view"}, {"stage": "nowhere", "told": 1},
     {"stage": ["view"], "told": 1}, {"stage": {"a": 1}, "told": 1}, {"stage": "view", "told": "1"},
     {"stage": "view", "told": None}],
)  # fmt: skip
def test_a_stop_that_makes_no_sense_changes_nothing(stop):
    app = open_page(PAGE, stage="attention")
    before = sent(app)
    stop_at(app, stop)
    assert not app.exception
    assert sent(app) == before


# Memory


def test_the_error_of_view_is_pytorchs_own_and_reshape_is_right():
    app = open_expander(open_page(PAGE, **SMALL), "why")
    with pytest.raises(RuntimeError) as refused:
        torch.zeros(1, 3, 4, 2).transpose(1, 2).view(1, 4, 6)
    assert app.code[0].value == str(refused.value)
    assert "copied into new memory" in words(app)
    assert "is equal to x" in words(app)
    assert "each run begins 8 addresses after the last" in words(app)


def test_the_code_shown_is_the_code_that_ran():
    shown = open_expander(open_page(PAGE, **SMALL), "why").code[-1].value
    names: dict = {}
    exec(shown, names)
    assert names["merge_both_ways"](1, 4, 3, 2) == merge_both_ways(1, 4, 3, 2)


@pytest.mark.parametrize("heads", [1, 6])
def test_where_view_can_merge_nothing_is_said_to_be_copied(heads):
    app = open_expander(open_page(PAGE, tokens="a b", d_model=6, heads=heads), "why")
    assert "`.view` does not raise" in words(app)
    assert "copied nothing" in words(app)
    assert "is equal to x" in words(app)


# Still pictures


@every_way
def test_the_stages_are_there_as_pictures_and_words_too(way):
    app = open_expander(open_page(PAGE, **SMALL, mistake=way, stage="attention"), "stills")
    assert not app.exception
    (chart,) = app.get("vega_lite_chart")
    steps = stages(1, 4, 6, 3, mistake=None if way == "none" else way)
    (drawn,) = [step for step in steps if step.name == "attention"]
    assert table_of(chart)["wrong"].tolist() == misplaced(drawn).tolist()
    (told,) = [one.value for one in app.markdown if one.value.startswith("1. ")]
    lines = told.split("\n")
    assert len(lines) == len(steps)
    for line, step in zip(lines, steps, strict=True):
        assert f"**{step.name}**: `{step.code}`" in line
        assert ("copied" in line) is step.copied
        wrong = f"{misplaced(step).sum()} of 24 numbers in the wrong place"
        assert (wrong in line) == misplaced(step).any()


def test_nothing_is_drawn_that_nobody_opened():
    app = open_page(PAGE)
    assert not app.get("vega_lite_chart")
    assert not app.code
