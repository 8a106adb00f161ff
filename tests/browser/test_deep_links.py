"""One link restores everything: cold, reloaded, gone back to, or opened by somebody else."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from playwright.sync_api import Page, expect

from mha.hand_built import features, own_head, read_edits
from mha.sentence import Sentence
from tests.browser.reading import (
    HEADS,
    WITH_CHIPS,
    addresses,
    chips,
    choose,
    click_cell,
    edit_number,
    everything_on,
    formulas,
    go_to,
    link,
    link_of,
    messages,
    picture_of,
    press_chip,
    press_segment,
    press_slider,
    read,
    scene_on,
    turn,
    type_words,
    widget,
)
from tests.browser.visit import settle

SCENE = {
    "tokens": "soft rain and soft 雨衣",
    "categories": "10210",
    "d_model": 16,
    "heads": 2,
    "causal": False,
}
SHOWN = {
    "tokens": "soft rain and soft 雨衣",
    "categories": "10210",
    "causal": False,
    "d_model": "16",
    "heads": "2",
    "words": [
        "soft\nfeature",
        "rain\nproduct",
        "and\nfiller",
        "soft (2)\nfeature",
        "雨衣\nproduct",
    ],
    "notes": [],
}


def shown_at(address: str, scene: dict = SHOWN) -> dict:
    """The scene as a page shows it: not every page has the words as chips."""
    return scene if address in WITH_CHIPS else {**scene, "words": []}


@pytest.mark.parametrize("address", addresses())
def test_the_first_request_of_a_fresh_server_may_be_a_link_to_any_page_and_is_kept_by_a_reload(
    open_page, start_server, address
):
    page = open_page(link(address, **SCENE), server=start_server())
    expect(page.get_by_test_id("stSidebarNavLink")).to_have_count(len(addresses()))
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    assert scene_on(page) == shown_at(address)
    assert page.get_by_role("dialog").count() == 0
    assert page.get_by_test_id("stException").count() == 0
    if address == HEADS:
        assert read(picture_of(page, "left")).rows == ["soft", "rain", "and", "soft (2)", "雨衣"]
        assert not read(picture_of(page, "left")).hatched.any()
    page.reload()
    settle(page)
    assert scene_on(page) == shown_at(address)


def set_everything(page: Page) -> None:
    """Set all that a visitor can set in the sidebar and above the pictures, by hand."""
    type_words(page, "soft rain and soft boots")
    press_chip(page, 1)
    turn(page, "causal")
    press_slider(page, "d_model", "Home", "ArrowRight", "ArrowRight")
    press_slider(page, "heads", "End", "ArrowLeft")
    choose(page, "left", "n back")
    press_slider(page, "back_left", "ArrowRight")
    press_slider(page, "sharp_right", "ArrowLeft")


def test_moving_between_pages_loses_nothing(open_page):
    page = open_page(HEADS)
    set_everything(page)
    click_cell(page, "right", 3, 1)
    press_segment(page, "view", "Lines")
    before, kept = everything_on(page), link_of(page)
    assert before["scene"]["words"][1] == "rain\nfeature"
    assert (before["scene"]["d_model"], before["scene"]["heads"]) == ("6", "3")
    for address in [a for a in addresses() if a != HEADS]:
        go_to(page, address)
        assert scene_on(page) == shown_at(address, before["scene"])
    go_to(page, HEADS)
    assert everything_on(page) == before
    assert link_of(page) == kept


def test_a_link_inside_a_page_keeps_the_scene(open_page):
    page = open_page(link("/", **SCENE))
    page.locator(f".st-key-card_{HEADS.strip('/')}").click()  # a card is a link as a whole
    settle(page)
    assert page.url.split("?")[0].endswith(HEADS)
    assert scene_on(page) == SHOWN


def test_back_and_forward_keep_the_scene(open_page):
    page = open_page(link(HEADS, **SCENE))
    go_to(page, "/")
    for move in (page.go_back, page.go_forward, page.go_back):
        move()
        settle(page)
        assert scene_on(page) == SHOWN


# One story a step: what a lecturer sets by hand before copying the address.


def choose_a_cell(page: Page) -> None:
    set_everything(page)
    click_cell(page, "left", 4, 2)


def look_at_lines_and_matrices(page: Page) -> None:
    choose(page, "right", "nearest of a category")
    choose(page, "category_right", "filler")
    press_segment(page, "view", "Lines")
    press_segment(page, "step", "Matrices")
    press_segment(page, "side", "Head 2")


def guess_and_reveal(page: Page) -> None:
    press_segment(page, "step", "Predict")
    press_segment(page, "guess_side", "Head 2")
    choose(page, "query", "jacket")
    choose(page, "guess", "rain")
    turn(page, "reveal")
    assert len(messages(page)) == 1


def write_an_own_head(page: Page) -> None:
    press_segment(page, "step", "Your own head")
    choose(page, "challenge", "two back")
    choose(page, "start_from", "previous token")
    edit_number(page, "Q", 3, 1, "-4.25")


@pytest.mark.parametrize(
    "by_hand", [choose_a_cell, look_at_lines_and_matrices, guess_and_reveal, write_an_own_head]
)
def test_the_address_opened_in_another_browser_shows_the_same_page(
    open_page, by_hand: Callable[[Page], None]
):
    mine = open_page(HEADS, width=1920, height=1080)
    by_hand(mine)
    theirs = open_page(
        mine.url.removeprefix(mine.evaluate("location.origin")), width=1920, height=1080
    )
    expected, got = everything_on(mine), everything_on(theirs)
    for part in expected:
        assert got[part] == expected[part], part
    assert link_of(theirs) == link_of(mine)


def test_a_link_restores_what_is_turned_on_each_head(open_page):
    page = open_page(
        link(
            left="n back", back_left=3, sharp_left=9.5, right="nearest of a category",
            category_right="filler", sharp_right=0.5, query="light", key="rain",
        )
    )  # fmt: skip
    shown = dict(everything_on(page)["set"])
    assert shown["Head 1"] == "n back"
    assert shown["Head 2"] == "nearest of a category"
    values = [
        widget(page, key).get_by_role("slider").input_value()
        for key in ("back_left", "sharp_left", "sharp_right")
    ]
    assert list(map(float, values)) == [3, 9.5, 0.5]
    assert widget(page, "category_right").get_by_role("combobox").input_value() == "filler"
    assert widget(page, "query").get_by_role("combobox").input_value() == "light"
    assert widget(page, "key").get_by_role("combobox").input_value() == "rain"
    assert len(formulas(page)) == 2


def test_a_link_restores_an_own_head(open_page):
    edits = "Q:0,0=6 Q:1,0=6 Q:2,0=2.5 K:1,0=-3"
    page = open_page(link(own=edits, left="your own", tokens="a b c"), width=1920, height=1080)
    sentence = Sentence.parse("a b c")
    weights = own_head(3, read_edits(edits)[0]).weights(features(sentence))
    picture = read(picture_of(page, "left"))
    np.testing.assert_allclose(np.nan_to_num(picture.values), weights, atol=0.0051)


def test_a_link_to_a_step_restores_it_on_any_words(open_page):
    page = open_page(link(step="Two layers", tokens="b c a b"))
    assert page.get_by_role("radio", checked=True).first.inner_text() == "Two layers"
    assert chips(page).count() == 4
