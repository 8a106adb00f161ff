"""The page about parameters, as a person sees it and works it."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.reading import link, link_of, messages, pictures, press_segment, turn, widget
from tests.browser.sight import PHONE, PROJECTOR, faults, out_of_sight
from tests.browser.visit import resize, settle

PATH = "/parameters"
STEPS = ("On paper", "Every number of heads", "In PyTorch", "Predict")
WIDEST = {"width": 15120, "width_heads": 60, "kv_heads": 2, "bias": True, "stack": "by head"}

# The bars of a chart of parameters: the top and the bottom of each, by its left edge.
BARS = """chart => {
    const bars = new Map();
    for (const piece of chart.querySelectorAll(".mark-rect.role-mark > path")) {
        const box = piece.getBoundingClientRect();
        const [left, old] = [Math.round(box.left), bars.get(Math.round(box.left))];
        const [top, bottom] = old ?? [box.top, box.bottom];
        bars.set(left, [Math.min(top, box.top), Math.max(bottom, box.bottom)]);
    }
    return [...bars].sort(([a], [b]) => a - b).map(([, ends]) => ends);
}"""


def bars(page: Page) -> list[float]:
    """How high the bars of parameters are, in pixels, from left to right."""
    return [bottom - top for top, bottom in parameters(page).evaluate(BARS)]


def parameters(page: Page) -> Locator:
    return pictures(page).first


def texts(chart: Locator) -> list[str]:
    """What is written on a chart and can be seen."""
    seen = """texts => texts.filter(text => Number(text.getAttribute("opacity") ?? 1) > 0)
        .map(text => text.textContent)"""
    return chart.locator("text").evaluate_all(seen)


def type_number(page: Page, key: str, number: str) -> None:
    box = widget(page, key).get_by_role("spinbutton")
    box.fill(number)
    box.press("Enter")
    settle(page)


def test_bars_are_level_until_heads_have_a_size_of_their_own(open_page):
    page = open_page(PATH)
    assert bars(page) == pytest.approx([bars(page)[0]] * 6, abs=1)
    assert texts(parameters(page)).count("4,096") == 6
    type_number(page, "d_head", "8")
    heights = bars(page)
    assert [h / heights[-1] for h in heights] == pytest.approx(
        [1 / 32, 1 / 16, 1 / 8, 1 / 4, 1 / 2, 1], abs=0.01
    )
    assert link_of(page)["d_head"] == "8"
    type_number(page, "d_head", "")
    assert bars(page) == pytest.approx([bars(page)[0]] * 6, abs=1)
    turn(page, "bias")
    assert texts(parameters(page)).count("4,224") == 6


def test_a_width_is_typed_counted_and_asked_of_pytorch(open_page):
    page = open_page(PATH)
    page.get_by_role("button", name="GPT-2 small").click()
    settle(page)
    assert "2,359,296" in texts(parameters(page))
    press_segment(page, "parameters_step", "In PyTorch")
    said = page.get_by_test_id("stMain").inner_text()
    assert len(re.findall(r"2,359,296 (?:by|in) ", said)) == 3
    assert "meta device" in said
    theirs = open_page(page.url.removeprefix(page.evaluate("location.origin")))
    assert theirs.get_by_test_id("stMain").inner_text() == said


def test_a_guess_comes_first_and_then_the_bars(open_page):
    page = open_page(link(PATH, parameters_step="Predict"))
    assert len(bars(page)) == 1
    press_segment(page, "count_guess", "more")
    turn(page, "count_reveal")
    (told,) = messages(page)
    assert "Wrong. 8 heads have 4,096 parameters" in told
    assert len(bars(page)) == 6


def test_picture_and_sentence_fill_a_projector_s_first_screen_and_heads_have_numbers(open_page):
    width, height = PROJECTOR
    page = open_page(link(PATH, stack="by head", heads=8), width=width, height=height)
    boxes = [chart.bounding_box() for chart in pictures(page).all()]
    for box in boxes:
        assert height / 2 < box["height"]
        assert box["y"] + box["height"] <= height
    assert boxes[0]["x"] + boxes[0]["width"] <= boxes[1]["x"]
    expect(page.get_by_text("4,096 parameters, whatever the number of heads")).to_be_in_viewport()
    written = texts(parameters(page))
    # A number on every slice: of each of Q, K, V and O in every bar of so many heads.
    counts = {head: 4 * sum(h > head for h in (1, 2, 4, 8, 16, 32)) for head in (3, 7, 15, 31)}
    assert {head: written.count(str(head)) for head in counts} == counts


def test_no_step_has_a_serious_barrier_or_anything_cut_off_or_small(open_page):
    keys = {"kv_heads": 2, "bias": "x", "count_guess": "fewer", "count_reveal": True}
    wrong = []
    page = open_page(link(PATH, **keys))
    for number, step in enumerate(STEPS):
        page.emulate_media(color_scheme=("light", "dark")[number % 2])
        press_segment(page, "parameters_step", step)
        wrong += faults(page, step)
    page = open_page(link(PATH, **WIDEST))
    for size in (PHONE, PROJECTOR):
        resize(page, *size)
        wrong += out_of_sight(page, f"the widest at {size[0]}")
    assert not wrong, "\n".join(wrong)
