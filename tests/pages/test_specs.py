"""Charts are built once: a rerun only feeds new data to the spec that is there."""

from __future__ import annotations

import json

import altair
import pytest

from mha import charts
from mha.charts import marks
from pages.parts.hand_built.pictures import VIEWS
from tests.pages.app import HEADS, grid, open_page, table_of, weights_of

STEPS = ("Arithmetic", "Matrices", "Handed on", "Predict", "Your own head", "Two layers")

each_step = pytest.mark.parametrize("step", STEPS)


def specs(app) -> list[str]:
    return [chart.proto.spec for chart in app.get("vega_lite_chart")]


def built() -> int:
    """How many charts have been built so far in this process."""
    return marks.kept.cache_info().misses


@each_step
def test_two_runs_send_the_same_spec(step):
    app = open_page(step=step)
    first = specs(app)
    assert len(first) >= 2
    assert specs(app.run()) == first


@each_step
@pytest.mark.parametrize("view", VIEWS)
def test_other_words_and_another_head_change_the_data_and_not_the_spec(step, view):
    app = open_page(step=step, view=view, tokens="a b a c")
    before = specs(app), grid(table_of(weights_of(app, "left")), "key_word").tolist()
    app.text_input(key="tokens").set_value("x y z y")
    app.toggle(key="causal").set_value(False)
    app.selectbox(key="query").set_value("b")
    app.slider(key="sharp_left").set_value(1.0).run()
    after = specs(app), grid(table_of(weights_of(app, "left")), "key_word").tolist()
    assert after[0] == before[0]
    assert after[1] != before[1]


@each_step
@pytest.mark.parametrize("view", VIEWS)
def test_a_chart_is_built_at_its_first_showing_only(step, view, monkeypatch):
    link = {"step": step, "view": view, "tokens": "a b a c"}
    marks.kept.cache_clear()
    app = open_page(**link)
    kinds = built()
    # One for each kind of picture on the page, however many pictures there are.
    assert kinds == len({json.dumps(json.loads(spec) | {"height": 0}) for spec in specs(app)})

    def refuse(*_, **__):
        raise AssertionError("a chart was built again")

    monkeypatch.setattr(altair.LayerChart, "to_dict", refuse)
    monkeypatch.setattr(altair, "layer", refuse)
    for again in (app.run(), open_page(**link), open_page(**{**link, "tokens": "c d e f g"})):
        assert not again.exception
        assert len(specs(again)) >= 2
    assert built() == kinds


def test_a_chart_not_seen_before_is_built(monkeypatch):
    """The refusal of the test above does refuse."""
    marks.kept.cache_clear()

    def refuse(*_, **__):
        raise AssertionError("a chart was built")

    monkeypatch.setattr(altair.LayerChart, "to_dict", refuse)
    app = open_page()
    assert len(app.exception) == 1


def test_no_word_is_part_of_a_spec():
    said = ("zebra", "quokka", "**b**", "datum.x", "a.b[c]:Q")
    for step in STEPS:
        for view in VIEWS:
            app = open_page(HEADS, tokens=" ".join(said), step=step, view=view, query="quokka")
            for spec in specs(app):
                assert not [word for word in said if word in spec]


@pytest.mark.parametrize("T", [1, 2, 16, 17, 32])
def test_the_spec_sent_is_the_one_that_the_core_keeps(T):
    """Only the height follows the number of words; the rest has two forms, few words and many."""
    app = open_page(tokens=" ".join(f"w{i}" for i in range(T)))
    wanted = charts.weights_spec(T, "light")
    for side in ("left", "right"):
        sent = json.loads(weights_of(app, side).proto.spec)
        assert sent["height"] == wanted["height"]
        assert len(sent["layer"]) == len(wanted["layer"])
        assert sent["layer"][0]["encoding"] == wanted["layer"][0]["encoding"]
