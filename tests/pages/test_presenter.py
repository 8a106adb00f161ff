"""Presenter mode: what a page says of its steps, and what the keys of a lecturer do to them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from pages.parts import scene
from tests.pages.app import HEADS, PAGES, charts, open_page, tell

STEPS = {
    "overview": {},
    HEADS: {"step": 6},
    "training": {"training_step": 5},
    "split_merge": {"stage": 6},
    "fused_module": {"at": 17},
    "parameters": {"parameters_step": 4},
    "real_models": {"models_step": 5},
    "pitfalls": {"pitfalls_step": 4},
    "tour": {},
}


def bars(app: AppTest) -> list[Any]:
    return [part for part in app.get("bidi_component") if part.key == "presenter_bar"]


def shown(app: AppTest) -> dict[str, Any]:
    """What the browser is told: the page, its walks, the pages before and after."""
    (bar,) = bars(app)
    return json.loads(bar.proto.json)


def walks(app: AppTest) -> dict[str, str]:
    """Where each walk is, by its key, the outer before the inner."""
    return {walk["key"]: walk["names"][walk["at"]] for walk in shown(app)["walks"]}


def keys(block: Any) -> Iterator[str]:
    """The keys of all containers inside one."""
    for child in getattr(block, "children", {}).values():
        yield getattr(child.proto, "id", "")
        yield from keys(child)


def say(app: AppTest, event: str, value: Any) -> AppTest:
    """Tell the app what the bar tells it in a browser."""
    (bar,) = bars(app)
    name = f"$$STREAMLIT_INTERNAL_KEY_{bar.proto.id}__events"
    return tell(app, name, "json_trigger_value", [{"event": event, "value": value}])


def ask(app: AppTest, key: str, at: int) -> AppTest:
    return say(app, "asked", {"key": key, "at": at, "told": shown(app)["told"] + 1})


@pytest.mark.parametrize("page", PAGES)
def test_every_page_says_its_steps_and_is_walked_to_the_last_of_them(page):
    app = open_page(page, present=True)
    counts = {walk["key"]: len(walk["names"]) for walk in shown(app)["walks"]}
    assert counts == STEPS[page]
    for key, count in counts.items():
        last = shown(app)["walks"][0]["names"][-1]
        ask(app, key, count - 1)
        assert not app.exception
        assert walks(app)[key] == last
        assert app.query_params[key] == last
        assert shown(app)["told"] == 1


def test_a_control_named_step_is_one_to_walk_through():
    """A new page cannot forget to say so."""
    for page in PAGES:
        controls = open_page(page, present=True).segmented_control
        named = {c.key for c in controls if c.key is not None and c.key.endswith("step")}
        assert named <= set(STEPS[page])


def test_the_pages_follow_one_another_in_the_order_of_the_navigation(monkeypatch):
    titles = []
    for page in PAGES:
        told = shown(open_page(page, present=True))
        titles.append((told["before"], told["page"], told["after"]))
    after = {page: after for _, page, after in titles}
    assert {page: before for before, page, _ in titles} == {
        **{next_one: page for page, next_one in after.items() if next_one},
        "Overview": None,
    }
    order, at = [], "Overview"
    while at:
        order.append(at)
        at = after[at]
    assert len(order) == len(PAGES)
    monkeypatch.setattr(scene.st, "Page", lambda file, *, title, default=False: title)
    assert order == scene.pages()


def test_the_finest_walk_is_told_last_and_needs_a_guess():
    link = {"present": True, "step": "Predict"}
    assert walks(open_page(**link)) == {"step": "Predict"}
    app = open_page(**link, guess="rain")
    assert walks(app) == {"step": "Predict", "reveal": "question"}
    ask(app, "reveal", 1)
    assert walks(app) == {"step": "Predict", "reveal": "answer"}
    assert app.toggle(key="reveal").value is True


def test_a_way_without_all_stages_has_only_its_own_steps():
    app = open_page("split_merge", present=True, mistake="no transpose")
    (walk,) = shown(app)["walks"]
    assert len(walk["names"]) < 6
    last = walk["names"][-1]
    ask(app, "stage", len(walk["names"]) - 1)
    assert walks(app) == {"stage": last}


@pytest.mark.parametrize(
    "asked",
    [
        None,
        "step",
        7,
        [],
        {},
        {"key": "step", "at": 1},
        {"key": "step", "at": 6, "told": 1},
        {"key": "step", "at": -1, "told": 1},
        {"key": "step", "at": "1", "told": 1},
        {"key": ["step"], "at": 1, "told": 1},
        {"key": "tokens", "at": 1, "told": 1},
        {"key": "step", "at": 1, "told": "1"},
    ],
)
def test_what_is_no_step_changes_nothing(asked):
    app = open_page(present=True)
    say(app, "asked", asked)
    assert not app.exception
    assert walks(app) == {"step": "Arithmetic"}
    assert "step" not in app.query_params


def test_leaving_takes_the_mode_out_of_the_link_and_keeps_the_step():
    app = open_page(present=True, step="Matrices", tokens="a b")
    say(app, "left", True)
    assert not bars(app)
    assert app.segmented_control(key="step").value == "Matrices"
    assert "present" not in app.query_params
    assert app.query_params["step"] == "Matrices"
    assert app.query_params["tokens"] == "a b"


def test_nobody_presents_who_has_not_asked_to():
    app = open_page()
    assert not bars(app)
    app.toggle(key="present").set_value(True).run()
    assert walks(app) == {"step": "Arithmetic"}


def test_a_page_that_ends_early_has_its_bar():
    app = open_page("training", present=True)
    app.pills(key="train_tasks").set_value([]).run()
    assert walks(app) == {"training_step": "Training"}


@pytest.mark.parametrize("presents", [True, False])
def test_a_picture_of_many_marks_is_drawn_sharp_where_it_is_zoomed(presents):
    app = open_page(present=presents, tokens=" ".join(f"w{i}" for i in range(32)))
    for chart in charts(app, "weights"):
        asked = json.loads(chart.proto.spec).get("usermeta", {}).get("embedOptions", {})
        assert asked.get("renderer") == ("svg" if presents else None)


def test_a_small_picture_is_kept_for_presenters_and_for_others_apart():
    for presents in (False, True, False):
        app = open_page("overview", present=presents)
        specs = [json.loads(chart.proto.spec) for chart in app.get("vega_lite_chart")]
        assert len(specs) == 7
        assert ["usermeta" in spec for spec in specs] == [presents] * 7


@pytest.mark.parametrize(
    ("page", "step", "options"),
    [
        ("parameters", {"parameters_step": "Predict"}, "Fewer, the same or more?"),
        (
            "real_models",
            {"models_step": "Predict"},
            "Fewer times, exactly as many times or more times?",
        ),
    ],
)
def test_what_can_be_guessed_is_said_where_its_control_is_away(page, step, options):
    def said(**link):
        return options in [text.value for text in open_page(page, **step, **link).main.markdown]

    assert said(present=True)
    assert not said()


@pytest.mark.parametrize(
    ("tokens", "is_aside"),
    [("a b c", False), (" ".join("abcdefghijklmnop"), True), (" ".join(["light" * 5] * 4), True)],
)
def test_words_that_need_more_than_a_row_are_folded_away(tokens, is_aside):
    app = open_page(present=True, tokens=tokens)
    assert any("aside_chips" in key for key in keys(app.main)) == is_aside


def test_what_a_folded_control_names_is_named_on_the_page():
    app = open_page(present=True)
    jobs = [text.value for text in app.main.markdown if ": Look at" in text.value]
    assert [text.split(": ")[0] for text in jobs] == ["**previous token**", "**same category**"]
    assert not [text for text in open_page().main.markdown if text.value in jobs]
