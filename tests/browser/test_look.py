"""What a page looks like: on a projector, a laptop and a phone, in light and in dark."""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np
import pytest
from playwright.sync_api import Locator, Page, expect

from mha.charts import relative_luminance
from mha.sentence import EXAMPLE, MAX_TOKENS
from tests.browser.a11y import serious_findings
from tests.browser.reading import (
    HEADS,
    addresses,
    click_cell,
    link,
    picture_of,
    pictures,
    press_segment,
    segments,
    turn,
)
from tests.browser.sight import (
    LAPTOP,
    PHONE,
    PROJECTOR,
    faults_when_zoomed,
    out_of_sight,
    too_small,
)
from tests.browser.visit import resize, settle

LONG_WORDS = " ".join(f"internationalisations{i:03}" for i in range(MAX_TOKENS))
OPENED_WHOLE = (
    "/training",
    "/split_merge",
    "/parameters",
    "/real_models",
    "/pitfalls",
    "/tour",
)  # by their own tests, with all that folds away
MEASURED = (
    "/training",
    "/parameters",
    "/real_models",
    "/tour",
)  # for what is cut off or small, by their own tests
LEAST_CONTRAST = 4.5
TALL = 4000  # a window so tall that most pages have nothing scrolled out of sight
WAYS = [(LAPTOP[0], "dark"), (PHONE[0], "dark"), (PHONE[0], "light")]

# The words of a chart, what they are drawn with, and the ground that shows behind them.
WORDS = """chart => {
    const groundOf = (element) => {
        for (let at = element; at; at = at.parentElement) {
            const color = getComputedStyle(at).backgroundColor;
            if (!/, 0\\)$/.test(color)) return color;
        }
        return "rgb(255, 255, 255)";
    };
    const ground = groundOf(chart.querySelector("svg"));
    return [...chart.querySelectorAll("text")]
        .filter(text => getComputedStyle(text).fill === getComputedStyle(chart).color)
        .map(text => [text.textContent, getComputedStyle(text).fill,
                      Number(text.getAttribute("opacity") ?? 1), ground]);
}"""


def views(page: Page) -> Iterator[str]:
    """Show every step of the page in turn, where it has steps, each with its picture."""
    steps = segments(page, "step")
    for step in steps:
        press_segment(page, "step", step)
        yield step
    if not steps:
        yield "the page"


def rgb(color: str) -> np.ndarray:
    return np.array(re.findall(r"[\d.]+", color)[:3], float) / 255


def contrast(ink: np.ndarray, ground: np.ndarray) -> float:
    """The contrast ratio of two colours. Source: WCAG 2.2."""
    darker, lighter = sorted(relative_luminance(np.stack([ink, ground])))
    return (lighter + 0.05) / (darker + 0.05)


def faint_words(chart: Locator) -> list[str]:
    """The words of a chart that do not stand out from the page's ground."""
    words = chart.evaluate(WORDS)
    assert len(words) > 4, "the words of a chart have the colour of the page's text"
    return [
        text
        for text, fill, opacity, ground in words
        if contrast(opacity * rgb(fill) + (1 - opacity) * rgb(ground), rgb(ground)) < LEAST_CONTRAST
    ]


@pytest.mark.parametrize(
    ("address", "words", "sizes"),
    [
        (HEADS, EXAMPLE, [PHONE]),
        *((a, LONG_WORDS, [LAPTOP, PHONE]) for a in addresses() if a not in MEASURED),
    ],
)
def test_nothing_is_cut_off_small_or_to_be_scrolled_to_sideways(open_page, address, words, sizes):
    wrong = []
    *_, key, query = words.split()
    page = open_page(
        # This head's sum has the most terms.
        link(address, tokens=words, query=query, key=key, right="nearest of a category"),
        width=LAPTOP[0],
        height=LAPTOP[1],
    )
    for number, view in enumerate(views(page)):
        for size in sizes:
            resize(page, *size)
            wrong += out_of_sight(page, f"{view} at {size[0]}")
        if (address, words) != (HEADS, LONG_WORDS):  # the example has shown these steps zoomed
            wrong += faults_when_zoomed(page, view, number)
        wrong += too_small(page, view)
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("view", ["Grid", "Lines"])
@pytest.mark.parametrize("words", [EXAMPLE, LONG_WORDS], ids=["example", "32 long words"])
def test_both_pictures_fill_a_projector_s_first_screen_and_no_more(open_page, words, view):
    width, height = PROJECTOR
    page = open_page(link(tokens=words, view=view), width=width, height=height)
    boxes = [picture_of(page, side).bounding_box() for side in ("left", "right")]
    for box in boxes:
        assert box["y"] >= 0
        assert box["y"] + box["height"] <= height
        assert box["width"] > 400
        assert box["height"] > 300
    assert boxes[0]["y"] == boxes[1]["y"]
    assert boxes[0]["x"] + boxes[0]["width"] <= boxes[1]["x"]


def test_on_a_phone_the_pictures_stand_one_below_the_other(open_page):
    width, height = PHONE
    page = open_page(HEADS, width=width, height=height)
    left, right = (picture_of(page, side).bounding_box() for side in ("left", "right"))
    assert left["y"] + left["height"] <= right["y"]
    for box in (left, right):
        assert 0 <= box["x"] < box["x"] + box["width"] <= width


def test_on_a_phone_the_sidebar_opens_and_a_cell_can_be_chosen(open_page):
    width, height = PHONE
    page = open_page(HEADS, width=width, height=height)
    tokens = page.get_by_test_id("stSidebar").get_by_role("textbox", name="Tokens")
    expect(tokens).not_to_be_in_viewport()
    click_cell(page, "left", 4, 3)
    assert "query=light" in page.url
    page.get_by_test_id("stExpandSidebarButton").click()
    expect(tokens).to_be_in_viewport()


@pytest.mark.parametrize("address", [a for a in addresses() if a not in OPENED_WHOLE])
def test_no_page_has_a_serious_barrier(open_page, address):
    """On a laptop, and on a phone in light and in dark: each step in one of these ways."""
    found = []
    page = open_page(link(address, query="light", key="is", guess="is"))
    for number, view in enumerate(views(page)):
        if view == "Predict":
            turn(page, "reveal")
        for width, theme in [WAYS[number % len(WAYS)]] if segments(page, "step") else WAYS:
            resize(page, width, TALL)
            found += [f"{view} at {width}: {finding}" for finding in serious_findings(page, theme)]
    assert not found, "\n".join(found)


@pytest.mark.parametrize(
    ("theme", "other", "view"), [("light", "dark", "Grid"), ("dark", "light", "Lines")]
)
def test_words_of_a_picture_stand_out_in_either_theme_and_after_a_switch(
    open_page, theme, other, view
):
    page = open_page(link(view=view), theme=theme)
    grounds = []
    for scheme in (theme, other, theme):
        page.emulate_media(color_scheme=scheme)
        settle(page)
        for chart in pictures(page).all():
            assert faint_words(chart) == [], scheme
        grounds.append(pictures(page).first.evaluate(WORDS)[0][-1])
    assert (rgb(grounds[0]).mean() < 0.5) == (theme == "dark")
    assert (rgb(grounds[1]).mean() < 0.5) == (other == "dark")


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_numbers_stand_out_from_their_cells(open_page, theme):
    page = open_page(link(left="nearest of a category", sharp_left=0.5), theme=theme)
    for side in ("left", "right"):
        chart = picture_of(page, side)
        cells = chart.evaluate(
            """chart => {
                const middle = (mark) => {
                    const box = mark.getBoundingClientRect();
                    return [box.left + box.width / 2, box.top + box.height / 2];
                };
                const cells = [...chart.querySelectorAll(".role-mark.mark-rect path")].filter(
                    cell => getComputedStyle(cell).fill !== "none");
                return [...chart.querySelectorAll(".role-mark.mark-text text")]
                    .map(text => [text, cells.find(cell => {
                        const [x, y] = middle(text);
                        const box = cell.getBoundingClientRect();
                        return box.left < x && x < box.right && box.top < y && y < box.bottom;
                    })])
                    .filter(([, cell]) => cell)
                    .map(pair => pair.map(mark => getComputedStyle(mark).fill));
            }"""
        )
        assert len(cells) == 21
        assert min(contrast(rgb(ink), rgb(ground)) for ink, ground in cells) >= LEAST_CONTRAST
