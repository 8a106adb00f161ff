"""The page of pitfalls: what is drawn is what was run, and nothing is told before the guess."""

from __future__ import annotations

import json

import numpy as np
import pytest

from mha.mask_doctor import COUNTS, DTYPES, diagnose, read_mask
from mha.pitfalls import PITFALLS, TOPICS, Pitfall, search
from mha.sentence import dissect
from pages.parts.pitfalls import answers, guess
from pages.parts.pitfalls.catalogue import by_number, unnamed, written
from pages.parts.pitfalls.doctor import EXAMPLES
from tests.pages.app import (
    charts,
    component,
    components,
    grid,
    markdown,
    open_page,
    read,
    table_of,
    tell,
)

PAGE = "pitfalls"
MISTAKES, WHICH, DOCTOR, INSPECTOR = (
    "The mistakes",
    "Which is right?",
    "The mask doctor",
    "The token inspector",
)
WHOLE = {"row": "row", "column": "column"}


def words(app) -> str:
    return "\n".join(read(element.value) for element in app.main.markdown)


def told(elements) -> list[str]:
    return [read(element.value) for element in elements]


def choose(app, pitfall: Pitfall):
    return app.selectbox(key="case").set_value(pitfall.name).run()


def choose_unnamed(app, pitfall: Pitfall):
    return app.selectbox(key="puzzle").set_value(unnamed(pitfall)).run()


def drawn(app) -> list:
    return [table_of(chart) for chart in charts(app)]


def assert_drawn(app, pitfall: Pitfall, outcome, order: tuple[str, str]) -> None:
    """Both answers are on the page, in this order: as pictures, or as the texts of errors."""
    pictures = iter(drawn(app))
    for which in order:
        answer = getattr(outcome, which)
        if answer.values is None:
            assert f"It raises {answer.error}" in [
                text.replace("**", "") for text in told(app.main.info)
            ]
            continue
        table = next(pictures)
        rows = answer.values.reshape(-1, answer.values.shape[-1])[: answers.MOST_ROWS]
        np.testing.assert_array_equal(grid(table, "value", **WHOLE), rows.astype(float))
        marked = np.zeros(rows.shape, bool)
        if outcome.differs is not None:
            marked = outcome.differs.reshape(-1, rows.shape[1])[: answers.MOST_ROWS]
        np.testing.assert_array_equal(grid(table, "chosen", **WHOLE), marked)
        assert table["row_name"].groupby(table["row"]).first().is_unique
        assert (table["text"] != "").all()
        names = table["column_name"].groupby(table["column"]).first()
        assert names.is_unique
    assert next(pictures, None) is None
    assert f"{outcome.summary[1:]}**" in words(app)


def test_every_mistake_is_drawn_as_it_was_run_and_starts_where_it_shows():
    app = open_page(PAGE)
    for pitfall in PITFALLS.values():
        choose(app, pitfall)
        assert not app.exception
        assert_drawn(app, pitfall, pitfall.run(), ("wrong", "right"))
        assert pitfall.sentence in [element.value for element in app.main.markdown]
        codes = [element.value for element in app.main.code]
        assert [code.strip() for code in codes] == [
            code.strip() for code in (pitfall.wrong_code, pitfall.right_code, pitfall.check_code)
        ]
        assert pitfall.report in words(app)
        for slider, entry in zip(app.main.select_slider, pitfall.inputs.values(), strict=True):
            assert slider.label == entry.label
            assert slider.value == written(entry.start)
            assert slider.options == [written(option) for option in entry.options]
        (link,) = app.main.get("page_link")
        assert link.proto.page == pitfall.page


@pytest.mark.parametrize(
    ("key", "chosen"),
    [
        ("bare_view", {"B": 2, "T": 8, "n_heads": 6, "d_head": 4}),
        ("half_precision_fill", {"T": 5, "dtype": "bfloat16"}),
        ("cost_of_heads", {"d_model": 64, "bias": True}),
        ("empty_row", {"row": 2, "fill": -1e9}),
        ("averaged_heads", {"T": 8, "B": 1, "n_heads": 1}),
    ],
)
def test_it_is_run_on_what_the_sliders_say(key, chosen):
    pitfall = PITFALLS[key]
    link = {f"with_{i}": written(chosen[name]) for i, name in enumerate(pitfall.inputs, start=1)}
    app = open_page(PAGE, case=pitfall.name, **link)
    assert_drawn(app, pitfall, pitfall.run(**chosen), ("wrong", "right"))
    first, *_ = app.main.select_slider
    name, entry = next(iter(pitfall.inputs.items()))
    first.set_value(written(entry.options[-1])).run()
    outcome = pitfall.run(**(chosen | {name: entry.options[-1]}))
    assert_drawn(app, pitfall, outcome, ("wrong", "right"))
    rows = outcome.wrong.values.size // outcome.wrong.values.shape[-1]
    left_out = f"The first {answers.MOST_ROWS} of {rows} rows. "
    assert (left_out in words(app)) is (rows > answers.MOST_ROWS)


@pytest.mark.parametrize(
    ("key", "chosen", "said"),
    [
        ("bare_view", {"B": 2, "T": 8},
            "**{} of the differing numbers lie in those that are not drawn.**"),
        ("batch_for_time", {"B": 5, "T": 5},
            "**{} of the differing numbers lie in those that are not drawn.**"),
        ("tiled_masks", {"B": 1, "n_heads": 4, "T": 6},
            "In those that are not drawn, nothing differs."),
        ("averaged_heads", {}, "The others are not drawn."),
    ],
)  # fmt: skip
def test_what_is_not_drawn_is_told(key, chosen, said):
    pitfall = PITFALLS[key]
    link = {
        f"with_{i}": written(chosen.get(name, entry.start))
        for i, (name, entry) in enumerate(pitfall.inputs.items(), start=1)
    }
    app = open_page(PAGE, case=pitfall.name, **link)
    wrong, right = (
        answer.values.reshape(-1, answer.values.shape[-1])
        for answer in (pitfall.run(**chosen).wrong, pitfall.run(**chosen).right)
    )
    if wrong.shape == right.shape:
        apart = abs(wrong[answers.MOST_ROWS :].astype(float) - right[answers.MOST_ROWS :]) > 1e-6
        said = said.format(apart.sum())
    cut = [len(rows) > answers.MOST_ROWS for rows in (wrong, right)]
    assert any(cut)
    assert words(app).count(said) == sum(cut)


def test_both_pictures_have_one_scale_so_that_one_colour_is_one_number():
    app = open_page(PAGE, case=PITFALLS["cost_of_heads"].name)
    wrong, right = drawn(app)
    assert wrong["text"].tolist() == ["131,072", "1,048,576", "8,388,608"]
    assert right["text"].tolist() == ["1,048,576"] * 3
    assert wrong["column_name"].tolist() == ["1", "8", "64 heads"]
    largest = wrong["value"].max()
    np.testing.assert_allclose(wrong["shade"], wrong["value"] / largest)
    np.testing.assert_allclose(right["shade"], right["value"] / largest)


def test_another_mistake_forgets_what_was_chosen_for_the_last():
    app = open_page(PAGE, with_1=2, with_3=6)
    choose(app, PITFALLS["off_by_one"])
    choose(app, PITFALLS["bare_view"])
    assert [slider.value for slider in app.main.select_slider] == ["1", "4", "3", "2"]
    assert not app.main.warning


@pytest.mark.parametrize(
    ("link", "message"),
    [
        ({"case": "x"}, "case must be one of the mistakes in its list; got case=x. "
            "Showing Split with a bare view."),
        ({"with_2": 9}, "with_2 must be one of 1, 2, 3, 4, 5, 6, 7, 8; got with_2=9. Showing 4."),
        ({"topic": "x"}, "topic must be one of all, shapes, masks, weights, sizes, text; "
            "got topic=x. Showing all."),
        ({"find_case": "x" * 41}, f"find_case must be at most 40 characters; "
            f"got find_case={'x' * 24}. It is left empty."),
        ({"pitfalls_step": WHICH, "right_guess": "C"},
            "right_guess must be one of A, B; got right_guess=C. It is left empty."),
        ({"pitfalls_step": WHICH, "puzzle": "Case 99"},
            "puzzle must be one of the cases in its list; got puzzle=Case 99. Showing Case 1. "
            "The nearest is Case 9."),
        ({"pitfalls_step": DOCTOR, "mask": "[[[1]],[[1]]]", "mask_at": "matrix 2"},
            "mask_at must be one of the mask's matrices; got mask_at=matrix 2. Showing matrix 0."),
        ({"pitfalls_step": DOCTOR, "mask": "[[[1]],[[1]]]", "mask_counts": "tokens"},
            "mask_counts must be one of sequences, heads, sequences * heads; "
            "got mask_counts=tokens. Showing sequences."),
        ({"pitfalls_step": DOCTOR, "mask_type": "x"},
            "mask_type must be one of as written, bool, float, int; got mask_type=x. "
            "Showing as written."),
        ({"pitfalls_step": DOCTOR, "mask": "1" * 4097},
            f"mask must be at most 4,096 characters; got mask={'1' * 24}. Showing the example."),
    ],
)  # fmt: skip
def test_what_a_link_cannot_have_is_told_in_place(link, message):
    app = open_page(PAGE, **link)
    assert not app.exception
    assert message in told(app.main.warning)


# The search


def found(app) -> list[str]:
    return [
        button.label.replace("\\", "")
        for button in app.button
        if (button.key or "").startswith("take")
    ]


@pytest.mark.parametrize("text", ["", "causal", "reshape heads", "NaN"])
@pytest.mark.parametrize("topic", ["all", TOPICS[1]])
def test_the_list_is_narrowed_by_words_and_by_topic(text, topic):
    app = open_page(PAGE, find_case=text, topic=topic)
    expected = [p.name for p in search(text) if topic in ("all", p.topic)]
    if expected:
        assert found(app) == expected
        assert f"**{len(expected)} of {len(PITFALLS)} mistakes**" in words(app)
    else:
        assert told(app.main.info) == ["No mistake has all of these words. Try fewer."]


def test_a_mistake_that_was_found_is_taken_with_its_inputs():
    app = open_page(PAGE, find_case="d_head bytes", with_1=2)
    app.button(key="take_guessed_head_size").click().run()
    assert app.selectbox(key="case").value == PITFALLS["guessed_head_size"].name
    assert app.select_slider(key="with_1").value == "mistral-small-24b"
    assert told(app.toast) == ["**A head size that is guessed** is shown at the top."]
    assert not app.main.warning


# Which is right?


def everything_sent(app) -> str:
    """All that is sent for the page's own part, labels, options, alternative texts and link."""
    sent = [str(node.proto) for node in app.main if getattr(node, "proto", None) is not None]
    return "\n".join([*sent, str(app.query_params)]).lower()


def test_nothing_is_told_before_the_guess_of_any_mistake():
    app = open_page(PAGE, pitfalls_step=WHICH)
    for pitfall in PITFALLS.values():
        choose_unnamed(app, pitfall)
        named = guess.names(pitfall)
        assert_drawn(app, pitfall, pitfall.run(), tuple(named))
        assert tuple(named.values()) == ("A", "B")
        sent = everything_sent(app)
        for telling in (pitfall.name, pitfall.sentence[:40], pitfall.key, pitfall.report, "wrong"):
            assert telling.lower() not in sent.replace("case: ", "")
        assert not [text for text in markdown(app) if ": right" in text]
        assert f"{pitfall.task} **Which answer is right, A or B?**" in [
            element.value for element in app.main.markdown
        ]
        assert not app.main.success
        assert not app.main.warning
        assert app.toggle(key="right_reveal").disabled
        alts = [chart.proto.alt for chart in charts(app)]
        assert not [alt for alt in alts if "wrong" in alt.lower() or "right" in alt.lower()]
        codes = [element.value.strip() for element in app.main.code]
        assert codes == [
            {"wrong": pitfall.wrong_code, "right": pitfall.right_code}[which].strip()
            for which in named
        ]


def test_either_may_be_a():
    in_order = [tuple(guess.names(pitfall)) for pitfall in by_number().values()]
    first = [order == ("wrong", "right") for order in in_order]
    # By nothing that is seen: not by parity, nor by turns, nor by the topic.
    for seen in (
        [True] * len(first),
        [number % 2 == 0 for number in range(len(first))],
        [False, *first[:-1]],
        [pitfall.topic == "masks" for pitfall in by_number().values()],
    ):
        assert 0.3 < sum(a == b for a, b in zip(first, seen, strict=True)) / len(first) < 0.7


@pytest.mark.parametrize("key", ["bare_view", "tiled_kv"])
def test_the_guess_is_judged_and_another_one_or_another_mistake_hides_the_answer(key):
    pitfall = PITFALLS[key]
    named = guess.names(pitfall)
    app = open_page(PAGE, pitfalls_step=WHICH, puzzle=unnamed(pitfall))
    app.segmented_control(key="right_guess").set_value(named["right"]).run()
    assert not app.main.success
    app.toggle(key="right_reveal").set_value(True).run()
    said = f"**{named['right']}** is right. The mistake: *{pitfall.name}*. {pitfall.sentence}"
    assert [read(element.value) for element in app.main.success] == [f"**Yes.** {said}"]
    assert f"**{named['wrong']}: wrong**" in words(app)
    app.segmented_control(key="right_guess").set_value(named["wrong"]).run()
    assert not app.main.success
    assert not app.main.warning
    assert "wrong" not in words(app)
    app.toggle(key="right_reveal").set_value(True).run()
    assert [read(element.value) for element in app.main.warning] == [f"**No.** {said}"]
    choose_unnamed(app, PITFALLS["off_by_one"])
    assert not app.main.warning
    assert app.segmented_control(key="right_guess").value is None
    assert app.toggle(key="right_reveal").value is False


def test_where_both_give_the_same_no_guess_is_wrong():
    app = open_page(
        PAGE,
        pitfalls_step=WHICH,
        puzzle=unnamed(PITFALLS["bare_view"]),
        with_2=1,
        right_guess="B",
        right_reveal=True,
    )
    assert "0 of " in words(app)
    assert not app.main.success
    assert not app.main.warning
    assert told(app.main.info) == [
        "On these sizes both give the same. Move a slider, or judge by the code."
    ]


@pytest.mark.parametrize(
    ("mask", "said"),
    [
        ("True False True\nTrue True False\nTrue True True", "1 later key is seen"),
        ("True True True\nTrue True True\nTrue True True", "3 later keys are seen"),
        ("True False False\nFalse True False\nTrue True True", "1 earlier key is hidden"),
    ],
)
def test_a_mask_without_a_known_mistake_that_is_not_causal_is_told_so(mask, said):
    app = open_page(PAGE, pitfalls_step=DOCTOR, mask=mask)
    assert f"**Not the causal mask**: {said}. It fits if that is what you mean." in told(
        app.main.info
    )


@pytest.mark.parametrize("pitfall", list(PITFALLS.values())[::9], ids=lambda p: p.key)
def test_a_link_by_name_opens_the_case_and_loses_the_name(pitfall):
    app = open_page(PAGE, pitfalls_step=WHICH, case=pitfall.name)
    assert app.selectbox(key="puzzle").value == unnamed(pitfall)
    assert "case" not in app.query_params
    assert pitfall.name not in everything_sent(app)


@pytest.mark.parametrize(
    ("link", "case"),
    [
        ({"case": "x"}, "Case 1"),
        ({"case": PITFALLS["tiled_kv"].name, "puzzle": "Case 2"}, "Case 2"),
    ],
)
def test_a_name_that_is_none_or_stands_beside_a_number_leaves_the_link_alone(link, case):
    app = open_page(PAGE, pitfalls_step=WHICH, **link)
    assert app.selectbox(key="puzzle").value == case
    assert "case" not in app.query_params
    assert not app.main.warning


def test_the_next_case_follows_and_after_the_last_comes_the_first():
    last, first = list(by_number().values())[-1], next(iter(by_number().values()))
    app = open_page(PAGE, pitfalls_step=WHICH, puzzle=unnamed(last), right_guess="A")
    app.button(key="next_case").click().run()
    assert app.selectbox(key="puzzle").value == unnamed(first) == "Case 1"
    assert [slider.value for slider in app.main.select_slider] == [
        written(entry.start) for entry in first.inputs.values()
    ]
    assert app.segmented_control(key="right_guess").value is None


def test_another_choice_by_a_button_ends_what_was_said_of_a_wrong_one():
    app = open_page(PAGE, pitfalls_step=WHICH, puzzle="Case 99")
    (note,) = app.main.warning
    assert "puzzle must be" in read(note.value)
    app.button(key="next_case").click().run()
    assert app.selectbox(key="puzzle").value == "Case 2"
    assert not app.main.warning
    assert "see_case" not in {button.key for button in app.button}


def test_a_case_that_was_told_can_be_seen_by_its_name_and_is_not_told_again():
    pitfall = PITFALLS["tiled_kv"]
    app = open_page(
        PAGE, pitfalls_step=WHICH, puzzle=unnamed(pitfall), right_guess="A", right_reveal=True
    )
    app.button(key="see_case").click().run()
    assert app.segmented_control(key="pitfalls_step").value == MISTAKES
    assert app.selectbox(key="case").value == pitfall.name
    app.segmented_control(key="pitfalls_step").set_value(WHICH).run()
    assert pitfall.name not in everything_sent(app)
    assert app.segmented_control(key="right_guess").value is None


def test_the_two_lists_have_choices_of_their_own():
    app = open_page(PAGE, case=PITFALLS["tiled_kv"].name, with_1=3, with_2=4)
    app.segmented_control(key="pitfalls_step").set_value(WHICH).run()
    choose_unnamed(app, PITFALLS["empty_row"])
    app.segmented_control(key="pitfalls_step").set_value(MISTAKES).run()
    assert app.selectbox(key="case").value == PITFALLS["tiled_kv"].name
    assert [slider.value for slider in app.main.select_slider] == ["2", "2"]
    assert not app.main.warning
    app.segmented_control(key="pitfalls_step").set_value(WHICH).run()
    assert app.selectbox(key="puzzle").value == unnamed(PITFALLS["empty_row"])


def test_a_link_that_reveals_without_a_guess_reveals_nothing():
    app = open_page(PAGE, pitfalls_step=WHICH, right_reveal=True)
    assert not app.main.success
    assert not app.main.warning
    assert "wrong" not in words(app)


# The mask doctor


def drawing(app) -> dict:
    """What is sent of the mask that can be drawn on."""
    return component(app, "mask_drawing")


def draw(app, cells, turn=1):
    """Tell the app what the browser has made of the mask."""
    (grid,) = components(app, "mask_drawing")
    return tell(app, grid.proto.id, "json_value", {"drawn": {"turn": turn, "cells": cells}})


def readings(app, mask: str, dtype=None, place=None, counts=COUNTS[0]):
    """What the doctor says and draws, held to the diagnosis."""
    pasted = read_mask(mask)
    place = pasted.places[0] if place is None else place
    diagnosis = diagnose(pasted, dtype=dtype, place=place, counts=counts)
    pictures = [table_of(chart) for chart in app.get("vega_lite_chart")]
    assert drawing(app)["cells"] == (pasted.at(place) != 0).tolist()
    assert drawing(app)["names"] == list(pasted.names)
    expected = [diagnosis.sdpa, diagnosis.module]
    assert len(pictures) == sum(reading.weights is not None for reading in expected)
    for table, reading in zip(pictures, expected, strict=False):
        np.testing.assert_array_equal(grid(table, "value", **WHOLE), reading.weights)
        np.testing.assert_array_equal(grid(table, "masked", **WHOLE), ~reading.sees)
    said = [
        f"{finding.problem}: {finding.says}".lower()
        for reading in expected
        for finding in reading.findings
    ]
    assert [text.replace("**", "").lower() for text in told(app.main.warning)] == said
    errors = [reading.error for reading in expected if reading.error is not None]
    assert told(app.main.error) == errors
    judged = [reading for reading in expected if reading.error is None and not reading.findings]
    causal = [not r.seen_ahead and not r.hidden_behind for r in judged]
    assert len(app.main.success) == sum(causal)
    assert len(app.main.info) == len(causal) - sum(causal)
    mended = words(app).count("as they are once its axes are mended")
    assert mended == sum(not reading.takes_its_axes for reading in expected)
    tables = iter(app.main.dataframe)
    for reading in expected:
        assert reading.rule in words(app)
        assert words(app).count("Something is wrong elsewhere too") == sum(
            bool(reading.others) for reading in expected
        )
        if reading.weights is not None:
            shown = next(tables).value.replace("NaN", "nan").to_numpy().astype(float)
            np.testing.assert_allclose(shown, reading.weights, rtol=0, atol=5e-5)
    assert next(tables, None) is None


def test_every_example_is_diagnosed_as_it_is_written_and_as_every_type():
    app = open_page(PAGE, pitfalls_step=DOCTOR)
    readings(app, EXAMPLES["causal"])
    for name, mask in EXAMPLES.items():
        app.button(key=f"mask_{name}").click().run()
        assert app.text_area(key="mask").value == mask
        readings(app, mask)
    for dtype in DTYPES:
        app.segmented_control(key="mask_type").set_value(dtype).run()
        readings(app, mask, dtype)


@pytest.mark.parametrize(
    ("mask", "message"),
    [
        ("1 0\n1 2", "a mask must hold 0, 1, True, False and -inf alone; got '2' at line 2, "
            "column 3. Try 1 0 in the first line and 1 1 in the second."),
        ("1 0\n1", "every row must have as many numbers as the first, 2; got 1 at line 2, "
            "column 1. Try rows of one length."),
        (" ", "a mask must have one row at least; got nothing at line 1, column 2. "
            "Try 1 0 in the first line and 1 1 in the second."),
        ("**b** 1", "a mask must hold 0, 1, True, False and -inf alone; got '**b**' at line 1, "
            "column 1. Try 1 0 in the first line and 1 1 in the second."),
    ],
)  # fmt: skip
def test_a_mask_that_cannot_be_read_is_told_by_line_and_column(mask, message):
    app = open_page(PAGE, pitfalls_step=DOCTOR, mask=mask)
    assert told(app.main.error) == [message]
    assert not app.get("vega_lite_chart")
    assert app.text_area(key="mask").value == mask
    app.text_area(key="mask").set_value("1 0\n1 1").run()
    assert not app.main.error


def test_minus_infinity_as_whole_numbers_is_told():
    app = open_page(PAGE, pitfalls_step=DOCTOR, mask="0 -inf\n0 0", mask_type="int")
    assert told(app.main.error) == [
        "a mask of whole numbers must hold no -inf; got dtype='int'. Try dtype='float'."
    ]


def test_what_is_drawn_is_written_and_the_browser_hears_of_it():
    app = open_page(PAGE, pitfalls_step=DOCTOR, mask="1 0\n1 1")
    assert drawing(app)["heard"] == 0
    for turn, (cells, text) in enumerate(
        [([[True, True], [True, True]], "1 1\n1 1"), ([[False, True], [True, False]], "0 1\n1 0")],
        start=1,
    ):
        draw(app, cells, turn)
        assert app.text_area(key="mask").value == text
        assert drawing(app)["heard"] == turn
        readings(app, text)


@pytest.mark.parametrize(
    "cells",
    [
        [[True]],
        [[True, True]],
        [[True, 1], [True, True]],
        [True, True],
        "x",
        None,
        {},
        [],
        [[], []],
    ],
)
def test_what_is_no_drawing_of_this_mask_changes_nothing(cells):
    app = open_page(PAGE, pitfalls_step=DOCTOR, mask="1 0\n1 1")
    draw(app, cells, turn=7)
    assert not app.exception
    assert app.text_area(key="mask").value == "1 0\n1 1"
    assert drawing(app)["heard"] == 7


@pytest.mark.parametrize("sent", [None, 3, "x", [], {"drawn": None}, {"drawn": {"turn": "x"}}])
def test_any_json_may_come_from_the_browser(sent):
    app = open_page(PAGE, pitfalls_step=DOCTOR, mask="1 0\n1 1")
    (grid,) = components(app, "mask_drawing")
    tell(app, grid.proto.id, "json_value", sent)
    assert not app.exception
    assert drawing(app)["heard"] == 0


@pytest.mark.parametrize("counts", COUNTS)
def test_of_three_axes_each_matrix_can_be_looked_at_and_drawn_on(counts):
    mask = EXAMPLES["one a sequence"]
    app = open_page(PAGE, pitfalls_step=DOCTOR, mask=mask, mask_counts=counts)
    readings(app, mask, place=(0,), counts=counts)
    app.selectbox(key="mask_at").set_value("matrix 1").run()
    readings(app, mask, place=(1,), counts=counts)
    draw(app, [[False] * 3] * 3)
    expected = read_mask(mask).drawn((1,), np.zeros((3, 3), dtype=bool)).text
    assert app.text_area(key="mask").value == expected
    readings(app, expected, place=(1,), counts=counts)


def test_of_four_axes_a_matrix_is_called_by_its_sequence_and_head():
    mask = "[[[[True]], [[False]]], [[[True]], [[True]]]]"
    app = open_page(PAGE, pitfalls_step=DOCTOR, mask=mask, mask_at="sequence 0, head 1")
    readings(app, mask, place=(0, 1))
    assert "**What is written**: sequence 0, head 1  \n" in words(app)
    assert app.selectbox(key="mask_at").options == [
        f"sequence {b}, head {i}" for b in range(2) for i in range(2)
    ]
    # Many that are wrong are not all named.
    app.text_area(key="mask").set_value("[[False]]" * 6).run()
    several = "matrix 1; matrix 2; matrix 3; matrix 4; and 1 more."
    assert f"Something is wrong elsewhere too: {several}" in words(app)
    # A mask of other places brings its own list.
    app.text_area(key="mask").set_value("[[[True]], [[False]]]").run()
    assert not app.exception
    assert app.selectbox(key="mask_at").value == "matrix 0"
    readings(app, "[[[True]], [[False]]]", place=(0,))
    app.text_area(key="mask").set_value("True").run()
    assert not app.exception
    assert "mask_at" not in {box.key for box in app.selectbox}


# The token inspector


ARROWS = {"→": "left to right", "←": "right to left"}


@pytest.mark.parametrize(
    "word", ["light", "👨‍👩‍👧e\u0301", "جاكيت", "**b**", "12", "aا", "מעיל12b"]
)
def test_a_word_is_taken_apart_to_its_bytes(word):
    app = open_page(PAGE, pitfalls_step=INSPECTOR, tokens=f"a {word} b", query=word)
    assert not app.exception
    anatomy = dissect(word)
    assert anatomy.reason in words(app)
    rows = app.main.dataframe[0].value
    assert rows["name"].tolist() == [point.name for point in anatomy.code_points]
    assert rows["code point"].tolist() == [point.number for point in anatomy.code_points]
    assert bytes.fromhex("".join(rows["bytes"])) == word.encode()
    shown = rows["shown"].str.strip("\N{FIRST STRONG ISOLATE}\N{POP DIRECTIONAL ISOLATE}")
    assert shown.str.cat() == word
    for told, point in zip(rows["direction"], anatomy.code_points, strict=True):
        arrow, _, direction = told.rpartition(" ") if " " not in told else told.partition(" ")
        assert told == "neutral" == point.direction or ARROWS[arrow] == direction == point.direction
    (table,) = drawn(app)
    assert table.loc[table["lane"] == 1, "text"].tolist() == [c.text for c in anatomy.clusters]
    assert anatomy.direction in words(app)
    assert ("letters of both directions" in words(app)) is anatomy.is_mixed
    assert ("as the word is stored" in words(app)) is anatomy.runs_leftward
    if len(anatomy.runs) > 1:
        said = words(app).replace("\N{FIRST STRONG ISOLATE}", "")
        places = [
            said.index(f" **{run.text}\N{POP DIRECTIONAL ISOLATE}** ") for run in anatomy.runs
        ]
        assert places == sorted(places)


def test_no_word_is_part_of_a_spec():
    app = open_page(PAGE, pitfalls_step=INSPECTOR, tokens="quokka")
    for chart in app.get("vega_lite_chart"):
        assert "quokka" not in json.dumps(json.loads(chart.proto.spec))
