"""A page's own keys in a link: what cannot be is told in place, once, and nothing else changes."""

from __future__ import annotations

import pytest

from tests.pages.app import HEADS, go_to, open_page, read

# Around a word whose direction may be another than the sentence's.
ISOLATES = dict.fromkeys(map(ord, "\u2068\u2069"))
LISTS = {
    "step": "one of Arithmetic, Matrices, Handed on, Predict, Your own head, Two layers",
    "view": "one of Grid, Lines",
    "left": "one of the heads in its list",
    "query": "one of the words",
    "key": "one of the words",
}


def told(app) -> list[str]:
    """The messages on the page itself, as they were before they were made safe for Markdown."""
    return [read(warning.value) for warning in app.main.warning]


@pytest.mark.parametrize(
    ("page", "link", "message"),
    [
        *(
            (HEADS, {key: "nobody"}, f"{key} must be {rule}; got {key}=nobody. Showing ")
            for key, rule in LISTS.items()
        ),
        (
            HEADS,
            {"left": "n back", "back_left": "9"},
            "back_left must be a whole number from 1 to 8; got back_left=9. Showing 2.",
        ),
        (HEADS, {"left": "n back", "back_left": "3.7"}, "a whole number from 1 to 8"),
        (HEADS, {"left": "n back", "back_left": "9" * 400}, "a whole number from 1 to 8"),
        (HEADS, {"sharp_left": "9" * 400}, "a number from 0 to 10"),
        ("training", {"train_layers": "9" * 400}, "a whole number from 1 to 4"),
        (
            HEADS,
            {"sharp_right": "1e309"},
            "sharp_right must be a number from 0 to 10; got sharp_right=1e309. Showing 4.",
        ),
        (HEADS, {"sharp_left": "nan"}, "got sharp_left=nan. Showing 6."),
        (
            HEADS,
            {"left": "nearest of a category", "category_left": "9"},
            "category_left must be one of product, feature, filler; got category_left=9. "
            "Showing feature.",
        ),
        (HEADS, {"step": "Matrices", "side": "x"}, "side must be one of Head 1, Head 2"),
        (HEADS, {"step": "Predict", "guess_side": "1"}, "guess_side must be one of Head 1, Head 2"),
        (HEADS, {"step": "Predict", "guess": "x"}, "guess must be one of the words; got guess=x."),
        (
            HEADS,
            {"step": "Predict", "reveal": "2"},
            "reveal must be true or false; got reveal=2. Showing false.",
        ),
        (HEADS, {"step": "Your own head", "challenge": "x"}, "challenge must be one of "),
        (
            "split_merge",
            {"stage": "x"},
            "stage must be one of input, view, transpose, attention, transpose back, reshape; "
            "got stage=x. Showing input.",
        ),
        ("split_merge", {"batch": "3"}, "batch must be one of 1, 2; got batch=3. Showing 1."),
        (
            "fused_module",
            {"at": "out", "column": "128"},
            "column must be a whole number from 0 to 127; got column=128. Showing 0.",
        ),
        ("split_merge", {"mistake": "x"}, "mistake must be one of none, no transpose, merge "),
    ],
)
def test_what_a_link_asks_wrongly_of_a_page_is_told_on_the_page(page, link, message):
    (note,) = [note for note in told(open_page(page, **link)) if "; got " in note]
    assert message in note.translate(ISOLATES)
    assert note.translate(ISOLATES).isprintable()


def test_several_wrong_values_are_all_told():
    app = open_page(step="x", view="y", left="z")
    assert len(told(app)) == 3


@pytest.mark.parametrize(
    "link",
    [
        {"view": "Lines", "left": "n back", "back_left": 3, "sharp_left": 2.5, "query": "rain"},
        {"step": "Predict", "guess": "rain", "reveal": "TRUE"},
        {"view": "", "step": "", "left": "", "back_left": "", "reveal": ""},
    ],
)
def test_what_can_be_is_not_talked_about(link):
    assert [note for note in told(open_page(**link)) if "must be" in note] == []


def test_the_message_goes_with_the_visitor_s_own_choice_and_not_before():
    app = open_page(view="x", sharp_left="99")
    assert len(told(app)) == 2
    app.toggle(key="causal").set_value(False).run()
    assert len(told(app)) == 2
    app.segmented_control(key="view").set_value("Lines").run()
    assert ["sharp_left" in note for note in told(app)] == [True]
    app.slider(key="sharp_left").set_value(1.0).run()
    assert told(app) == []


def test_the_message_does_not_come_back_with_the_page():
    app = open_page(view="x")
    assert len(told(app)) == 1
    go_to(app, "overview").run()
    assert told(app) == []
    go_to(app, HEADS).run()
    assert told(app) == []


def test_the_sidebar_s_messages_stand_on_the_page_too_for_those_who_have_folded_it_away():
    app = open_page(d_model="1e99", heads="**b**")
    assert told(app) == [read(warning.value) for warning in app.sidebar.warning]
    assert len(told(app)) == 2


@pytest.mark.parametrize(
    ("page", "key", "written", "name"),
    [
        ("real_models", "model", "llama 3 8b", "Llama 3 8B"),
        ("real_models", "models_step", "THE CACHE", "The cache"),
        ("pitfalls", "with_2", "-INF", "-inf"),
        (HEADS, "left", "Uniform", "uniform"),
        (HEADS, "query", "RAIN", "rain"),
        ("training", "train_tasks", "Brackets", "brackets"),
        ("parameters", "kv_heads", "ALL", "all"),
    ],
)
def test_a_name_is_taken_whatever_its_capitals(page, key, written, name):
    more = {"case": "A query that may look at nothing"} if key == "with_2" else {}
    app = open_page(page, **{key: written}, **more)
    assert told(app) == []
    assert app.query_params.get(key, name) in (name, [name])


def test_two_words_that_differ_in_capitals_alone_are_told_apart():
    app = open_page(tokens="May may rain", query="MAY")
    (note,) = told(app)
    assert "query must be one of the words; got query=MAY." in note
    assert open_page(tokens="May may rain", query="may").query_params["query"] == "may"


@pytest.mark.parametrize(
    ("page", "key", "written", "nearest"),
    [
        ("real_models", "model", "gpt2", "The nearest is GPT-2 small."),
        (HEADS, "left", "same categori", "The nearest is same category."),
        (HEADS, "query", "rains", "The nearest is rain."),
    ],
)
def test_a_name_that_is_nearly_one_of_a_list_is_told_with_the_nearest(page, key, written, nearest):
    (note,) = told(open_page(page, **{key: written}))
    assert nearest in note


def test_a_name_that_is_like_none_has_no_nearest():
    (note,) = told(open_page(left="zzzz"))
    assert "nearest" not in note


@pytest.mark.parametrize(
    ("page", "key", "values"),
    [
        ("overview", "tokens", ["a b", "c d"]),
        ("overview", "categories", ["000000", "111111"]),
        ("overview", "d_model", ["16", "48"]),
        ("overview", "heads", ["2", "8"]),
        ("overview", "causal", ["true", "false"]),
        (HEADS, "view", ["Grid", "Lines"]),
        (HEADS, "sharp_left", ["1", "2"]),
        (HEADS, "own", ["Q:0,0=1", "Q:0,0=2"]),
        ("parameters", "width", ["64", "96"]),
        ("parameters", "kv_heads", ["1", "2"]),
        ("parameters", "bias", ["false", "true"]),
        ("real_models", "model", ["GPT-2 small", "BERT base"]),
        ("pitfalls", "find_case", ["nan", "view"]),
    ],
)
def test_of_a_key_that_comes_twice_the_last_counts_and_stays_alone(page, key, values):
    twice, once = open_page(page, **{key: values}), open_page(page, **{key: values[-1]})
    assert twice.query_params == once.query_params
    assert told(twice) == told(once)
