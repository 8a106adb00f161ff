"""What a person sees and does on the page about hand-built heads, in a real Chromium."""

from __future__ import annotations

import re
from itertools import product

import numpy as np
import pytest
from playwright.sync_api import Page, expect

from mha.hand_built import (
    CHALLENGES,
    GALLERY,
    copy_what_followed,
    feature_names,
    features,
    own_head,
    read_edits,
)
from mha.reference import HeadTrace, explain_weight
from mha.sentence import CATEGORY_NAMES, EXAMPLE, Sentence
from tests.browser.reading import (
    HEADS,
    Picture,
    chips,
    choose,
    choose_by_keyboard,
    click_cell,
    edit_number,
    formulas,
    hover_cell,
    link,
    link_of,
    messages,
    picture_of,
    press_chip,
    press_segment,
    press_slider,
    read,
    read_lines,
    segments,
    table,
    turn,
    type_words,
)
from tests.browser.visit import settle

FIRST_HEADS = {"left": "previous token", "right": "same category"}
# A word that repeats, one of one letter, one in another script.
OWN_WORDS = "a warm coat and a 雨衣"
PRINTED_TO = 0.0051
# Wide enough for every number in a cell and every column of a table.
PROJECTOR = {"width": 1920, "height": 1080}


def trace_of(name: str, text: str, *, causal: bool = True, **options: float) -> HeadTrace:
    sentence = Sentence.parse(text)
    return GALLERY[name](sentence, **options).attend(features(sentence), causal)


def assert_shows(picture: Picture, trace: HeadTrace) -> None:
    """The picture prints these weights, and hatches what the mask hides."""
    masked = np.isneginf(trace.scores)
    assert (picture.hatched == masked).all()
    assert np.isnan(picture.values[masked]).all()
    np.testing.assert_allclose(picture.values[~masked], trace.weights[~masked], atol=PRINTED_TO)
    assert all(re.fullmatch(r"(\d\.\d\d)?", text) for row in picture.numbers for text in row)


def assert_opened(page: Page, text: str, query: int, key: int) -> None:
    """The arithmetic of this cell stands on the page for both heads, and so does its row."""
    sentence = Sentence.parse(text)
    X = features(sentence)
    shown = formulas(page)
    for name, formula in zip(FIRST_HEADS.values(), shown, strict=True):
        head = GALLERY[name](sentence)
        trace = head.attend(X)
        q, k, _ = head.queries_keys_values(X)
        cell = explain_weight(q, k, trace, query, key)
        numbers = [cell.dot] if np.isneginf(cell.score) else [cell.dot, cell.score, cell.largest]
        for number in (*(f"{n:.2f}" for n in numbers), f"{cell.row_sum:.4f}"):
            assert number.replace("-", "−") in formula
        assert (f"{cell.weight:.4f}" if cell.weight else "=0") in formula
        expect(page.get_by_test_id("stMain")).to_contain_text(f"{cell.row_sum:.4f};")
        rows = table(page, re.compile(rf"{name}, key by key"))
        assert [row[0] for row in rows] == list(sentence.labels)
        assert [row[2] for row in rows] == [str(s > -np.inf).lower() for s in trace.scores[query]]
        np.testing.assert_allclose([float(row[1]) for row in rows], k @ q[query], atol=1e-9)
        np.testing.assert_allclose(
            [float(row[-1]) for row in rows], trace.weights[query], atol=1e-9
        )


# The pictures.


def test_words_typed_live_are_drawn_with_their_weights(open_page):
    page = open_page(HEADS)
    type_words(page, OWN_WORDS)
    labels = ["a", "warm", "coat", "and", "a (2)", "雨衣"]
    for side, name in FIRST_HEADS.items():
        picture = read(picture_of(page, side))
        assert picture.rows == picture.columns == labels
        assert picture.hatched.size == len(labels) ** 2
        assert_shows(picture, trace_of(name, OWN_WORDS))
    assert link_of(page)["tokens"] == OWN_WORDS


def test_a_darker_cell_is_a_larger_weight_and_each_number_reads_on_its_cell(open_page):
    page = open_page(link(left="nearest of a category", sharp_left=0.5))
    picture = read(picture_of(page, "left"))
    ground = {}
    for color, value in zip(np.ravel(picture.colors), picture.values.ravel(), strict=True):
        if not np.isnan(value):
            ground[value] = sum(map(int, re.findall(r"\d+", color)))
    by_weight = [ground[value] for value in sorted(ground)]
    assert len(by_weight) > 4
    assert by_weight == sorted(by_weight, reverse=True)


def test_without_the_mask_no_cell_is_hatched_and_every_number_is_printed(open_page):
    page = open_page(HEADS)
    turn(page, "causal")
    for side, name in FIRST_HEADS.items():
        picture = read(picture_of(page, side))
        assert not picture.hatched.any()
        assert_shows(picture, trace_of(name, EXAMPLE, causal=False))


def test_a_cell_tells_its_words_and_numbers_to_the_mouse(open_page):
    page = open_page(link(tokens=OWN_WORDS))
    told = hover_cell(page, "left", 4, 3).split()
    assert {"a", "(2)", "and"} <= set(told)
    assert f"{trace_of('previous token', OWN_WORDS).weights[4, 3]:.4f}" in told


def test_sharpness_is_how_strongly_a_head_looks(open_page):
    page = open_page(HEADS)
    for pressed, sharpness in (("End", 10.0), ("Home", 0.0)):
        press_slider(page, "sharp_left", pressed)
        assert_shows(
            read(picture_of(page, "left")),
            trace_of("previous token", EXAMPLE, sharpness=sharpness),
        )
        assert float(link_of(page)["sharp_left"]) == sharpness
    assert_shows(read(picture_of(page, "right")), trace_of("same category", EXAMPLE))


def test_every_head_of_the_gallery_can_be_chosen_and_draws_what_it_computes(open_page):
    page = open_page(link(tokens=OWN_WORDS))
    for name in reversed(GALLERY):
        choose(page, "left", name)
        assert_shows(read(picture_of(page, "left")), trace_of(name, OWN_WORDS))


def test_what_is_turned_on_a_head_stays_that_head_s(open_page):
    page = open_page(HEADS)
    choose(page, "right", "n back")
    press_slider(page, "back_right", "ArrowRight")
    assert_shows(read(picture_of(page, "right")), trace_of("n back", EXAMPLE, n=3))
    choose(page, "right", "nearest of a category")
    choose(page, "category_right", "filler")
    assert_shows(
        read(picture_of(page, "right")),
        trace_of("nearest of a category", EXAMPLE, category=CATEGORY_NAMES.index("filler")),
    )
    assert_shows(read(picture_of(page, "left")), trace_of("previous token", EXAMPLE))


def test_lines_join_the_words_that_may_look_and_are_as_wide_as_the_weight(open_page):
    page = open_page(link(tokens=OWN_WORDS))
    press_segment(page, "view", "Lines")
    labels = Sentence.parse(OWN_WORDS).labels
    for side, name in FIRST_HEADS.items():
        weights = trace_of(name, OWN_WORDS).weights
        lines, left, right = read_lines(picture_of(page, side))
        assert list(left) == list(right) == list(labels)
        # Words are written a little below the middle of their row.
        beside = list(left.values())
        width = {}
        for line in lines:
            ends = [int(np.abs(np.subtract(beside, y)).argmin()) for _, y in (line.start, line.end)]
            width[tuple(ends)] = line.width
        seen = [(i, j) for i, j in product(range(len(labels)), repeat=2) if j <= i]
        assert sorted(width) == seen
        widest = max(width.values())
        for pair in seen:
            assert width[pair] / widest == pytest.approx(weights[pair] / weights.max(), abs=0.01)


# A chosen cell.


@pytest.mark.parametrize("side", FIRST_HEADS)
def test_a_click_on_a_cell_opens_its_arithmetic(open_page, side):
    page = open_page(link(tokens=OWN_WORDS), **PROJECTOR)
    for query, key in ((5, 4), (2, 0), (1, 3)):
        click_cell(page, side, query, key)
        assert_opened(page, OWN_WORDS, query, key)
    labels = Sentence.parse(OWN_WORDS).labels
    assert (link_of(page)["query"], link_of(page)["key"]) == (labels[1], labels[3])


def test_a_click_on_a_line_opens_its_arithmetic(open_page):
    page = open_page(link(view="Lines"), **PROJECTOR)
    chart = picture_of(page, "left")
    _, left, right = read_lines(chart)
    # Halfway between the last word and the one before it, where no other line passes.
    box = chart.locator("svg").bounding_box()
    words = [list(column.values())[-k] for column, k in ((left, 1), (right, 2))]
    page.mouse.click(box["x"] + box["width"] / 2, np.mean(words) - 5)
    settle(page)
    assert_opened(page, EXAMPLE, 5, 4)


def test_the_keyboard_chooses_a_cell(open_page):
    page = open_page(link(tokens=OWN_WORDS), **PROJECTOR)
    choose_by_keyboard(page, "query", "a (2)")
    choose_by_keyboard(page, "key", "and")
    assert_opened(page, OWN_WORDS, 4, 3)


def test_a_cell_can_be_clicked_again_after_the_keyboard_moved_away(open_page):
    page = open_page(HEADS, **PROJECTOR)
    click_cell(page, "left", 4, 2)
    assert_opened(page, EXAMPLE, 4, 2)
    choose_by_keyboard(page, "query", "is")
    assert_opened(page, EXAMPLE, 3, 2)
    click_cell(page, "left", 4, 2)
    assert_opened(page, EXAMPLE, 4, 2)
    click_cell(page, "right", 3, 3)
    click_cell(page, "left", 4, 2)
    assert_opened(page, EXAMPLE, 4, 2)


# The steps.


def test_the_matrices_are_shown_whole_with_named_rows_and_columns(open_page):
    page = open_page(link(step="Matrices", left="first token"), **PROJECTOR)
    sentence = Sentence.parse(EXAMPLE)
    X = features(sentence)
    words, names = list(sentence.labels), list(feature_names(len(sentence)))
    for side, name in (("Head 1", "first token"), ("Head 2", "same category")):
        press_segment(page, "side", side)
        head = GALLERY[name](sentence)
        trace = head.attend(X)
        q, k, v = head.queries_keys_values(X)
        slots = list(head.slots)
        wanted = {
            "X": (X, words, names),
            "W_Q": (head.W_Q, names, slots),
            "Q": (q, words, slots),
            "V": (v, words, names),
            "W_K": (head.W_K, names, slots),
            "K": (k, words, slots),
            "scores": (trace.scores, words, words),
            "weights": (trace.weights, words, words),
        }
        for title, (matrix, rows, columns) in wanted.items():
            chart = page.locator(f'[data-testid=stVegaLiteChart][aria-label^="{title}"]').filter(
                has_not=page.locator('[class*="st-key-weights"]')
            )
            picture = read(chart.last)
            assert (picture.rows, picture.columns) == (rows, columns), title
            shown = np.where(np.isneginf(matrix), 0, matrix)
            printed = np.nan_to_num(picture.values)
            np.testing.assert_allclose(printed, shown, atol=PRINTED_TO, err_msg=title)


def test_what_a_head_hands_on_is_shown_in_numbers_and_in_words(open_page):
    page = open_page(link(step="Handed on"), **PROJECTOR)
    sentence = Sentence.parse(EXAMPLE)
    names = list(feature_names(len(sentence)))
    for place, name in enumerate(FIRST_HEADS.values()):
        z = trace_of(name, EXAMPLE).z
        picture = read(page.locator('[data-testid=stVegaLiteChart][aria-label^="z"]').nth(place))
        assert (picture.rows, picture.columns) == (list(sentence.labels), names)
        np.testing.assert_allclose(np.nan_to_num(picture.values), z, atol=PRINTED_TO)
        most = z[-1].argmax()
        expect(page.get_by_test_id("stMain")).to_contain_text(f"{names[most]} {z[-1, most]:.2f}")


NUMBER = re.compile(r"\d\.\d|(weight|score)\W+\d")


@pytest.mark.parametrize("view", ["Grid", "Lines"])
def test_before_the_guess_no_weight_can_be_seen_or_heard(open_page, view):
    page = open_page(link(step="Predict", view=view))

    def told() -> str:
        chart = picture_of(page, "left")
        marks = chart.locator(".role-mark")
        spoken = chart.locator("[aria-label]").evaluate_all("all => all.map(one => one.ariaLabel)")
        return "\n".join([*marks.all_text_contents(), *spoken, chart.get_attribute("aria-label")])

    assert not NUMBER.search(told())
    if view == "Grid":
        picture = read(picture_of(page, "left"))
        assert set(np.ravel(picture.numbers)) == {""}
        assert len(set(np.ravel(picture.colors))) == 1
        assert not NUMBER.search(hover_cell(page, "left", 5, 4))
    else:
        widths = {line.width for line in read_lines(picture_of(page, "left"))[0]}
        assert len(widths) <= 1
    choose(page, "guess", "light")
    assert not NUMBER.search(told())
    turn(page, "reveal")
    assert NUMBER.search(told())


@pytest.mark.parametrize(
    ("head", "guess", "verdict", "also"),
    [
        ("Head 1", "light", "Right", "light has weight 0.99"),
        ("Head 1", "rain", "Wrong", "light has weight 0.99"),
        ("Head 2", "light", "tie", "light and packable have weight 0.50 each"),
    ],
)
def test_a_guess_is_called_right_wrong_or_a_tie(open_page, head, guess, verdict, also):
    page = open_page(link(step="Predict"))
    press_segment(page, "guess_side", head)
    choose(page, "guess", guess)
    assert messages(page) == []
    turn(page, "reveal")
    (told,) = messages(page)
    assert re.search(rf"\b{verdict}\b", told)
    assert also in told
    assert_shows(read(picture_of(page, "right")), trace_of("same category", EXAMPLE))
    choose(page, "guess", "jacket")
    assert messages(page) == []
    assert set(np.ravel(read(picture_of(page, "right")).numbers)) == {""}


def test_a_guess_behind_the_mask_is_told_so(open_page):
    page = open_page(link(step="Predict", query="jacket", guess="packable", reveal=True))
    (told,) = messages(page)
    assert "Wrong" in told
    assert "mask" in told


def own_picture(page: Page) -> Picture:
    return read(page.locator('[data-testid=stVegaLiteChart][aria-label*="your own head"]').first)


def own_trace(text: str, edits: str) -> HeadTrace:
    sentence = Sentence.parse(text)
    return own_head(len(sentence), read_edits(edits)[0]).attend(features(sentence))


def test_a_number_typed_into_the_own_head_moves_its_pattern_its_score_and_the_link(open_page):
    page = open_page(link(step="Your own head"), **PROJECTOR)
    challenge = CHALLENGES["the first token"]
    written = ""
    for row, written in enumerate(("Q:0,0=6", "Q:0,0=6 Q:1,0=-2.5", "K:2,0=3 Q:0,0=6 Q:1,0=-2.5")):
        matrix, place, number = (("Q", 0, "6"), ("Q", 1, "-2.5"), ("K", 2, "3"))[row]
        edit_number(page, matrix, place, 0, number)
        assert link_of(page)["own"] == written
        trace = own_trace(EXAMPLE, written)
        assert_shows(own_picture(page), trace)
        score = challenge.score(trace.weights, Sentence.parse(EXAMPLE))
        expect(page.get_by_test_id("stMain")).to_contain_text(f"Score {score:.2f} of 1")
    page.get_by_role("button", name="Clear", exact=True).click()
    settle(page)
    assert "own" not in link_of(page)
    assert_shows(own_picture(page), own_trace(EXAMPLE, ""))


def test_the_own_head_can_start_from_one_of_the_gallery_and_be_done(open_page):
    page = open_page(link(step="Your own head", challenge="the first token"), **PROJECTOR)
    choose(page, "start_from", "first token")
    assert_shows(own_picture(page), trace_of("first token", EXAMPLE))
    assert any("Done" in message for message in messages(page))
    edit_number(page, "Q", 5, 0, "0")
    weights = own_trace(EXAMPLE, link_of(page)["own"]).weights
    np.testing.assert_allclose(weights[5], 1 / 6)
    np.testing.assert_allclose(own_picture(page).values[5], 1 / 6, atol=PRINTED_TO)
    assert not any("Done" in message for message in messages(page))


def test_two_layers_copy_what_followed_a_word_that_repeats(open_page):
    page = open_page(link(step="Two layers"), **PROJECTOR)
    page.get_by_test_id("stMain").get_by_role("button", name=re.compile("repeat")).click()
    settle(page)
    layers = page.locator('[data-testid=stVegaLiteChart][aria-label^="Layer"]')
    for text in (link_of(page)["tokens"], "b c a b"):
        type_words(page, text)
        trace = copy_what_followed(Sentence.parse(text))
        for layer, wanted in enumerate((trace.previous, trace.induction)):
            assert_shows(read(layers.nth(layer)), wanted)
    assert trace.induction.weights[3, 1] > 0.9
    assert messages(page) == []


# The words and their categories.


def test_a_pressed_word_takes_the_next_category_and_keeps_the_focus(open_page):
    page = open_page(HEADS)
    word = chips(page).nth(4)
    wanted = ["filler", "product", "feature"]
    for category, digits in zip(wanted, ("200221", "200201", None), strict=True):
        press_chip(page, 4)
        assert word.inner_text().split() == ["light", category]
        assert link_of(page).get("categories") == digits
        assert word.evaluate("chip => chip.getRootNode().activeElement === chip")


def test_a_category_changes_what_the_heads_see(open_page):
    page = open_page(HEADS)
    chips(page).nth(5).click()
    settle(page)
    sentence = Sentence.parse(EXAMPLE, "200212")
    trace = GALLERY["same category"](sentence).attend(features(sentence))
    assert_shows(read(picture_of(page, "right")), trace)


def test_words_that_stay_keep_the_category_that_was_chosen(open_page):
    page = open_page(HEADS)
    press_chip(page, 1)
    type_words(page, "rain and a warm jacket")
    shown = dict(text.split("\n") for text in chips(page).all_inner_texts())
    assert shown["rain"] == "feature"
    assert shown["jacket"] == "product"
    assert link_of(page)["categories"][0] == "1"


def test_every_step_can_be_reached_and_linked(open_page):
    page = open_page(HEADS)
    steps = segments(page, "step")
    assert len(steps) >= 6
    for step in reversed(steps):
        press_segment(page, "step", step)
        assert page.get_by_test_id("stException").count() == 0
        assert link_of(page).get("step", steps[0]) == step
