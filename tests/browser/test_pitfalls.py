"""The page of pitfalls, as a person sees it and works it."""

from __future__ import annotations

import numpy as np
from playwright.sync_api import Page, expect

from mha.charts import CHOSEN
from mha.pitfalls import PITFALLS
from pages.parts.pitfalls import guess
from pages.parts.pitfalls.catalogue import unnamed
from pages.parts.pitfalls.doctor import EXAMPLES
from tests.browser.reading import (
    choose_by_keyboard,
    link,
    link_of,
    messages,
    pictures,
    press_segment,
    press_slider,
    read,
    scroll_to,
    turn,
    widget,
)
from tests.browser.sight import PHONE, faults_of_steps
from tests.browser.visit import resize, settle

PATH = "/pitfalls"
STEPS = ("The mistakes", "Which is right?", "The mask doctor", "The token inspector")
WORD = "👨‍👩‍👧e\u0301🇩🇪ab"


def main(page: Page):
    return page.get_by_test_id("stMain")


def told_on(page: Page) -> list[str]:
    """What stands in boxes of their own, without the names of their icons."""
    return [text.split("\n", 1)[-1].strip() for text in messages(main(page))]


def outlined(page: Page, i: int) -> int:
    """How many cells of a picture have an outline."""
    return pictures(page).nth(i).locator(f'path[stroke="{CHOSEN}"]').count()


def cell(page: Page, q: int, k: int):
    """A cell of the mask that can be drawn on."""
    return page.locator(".mask .row").nth(q + 1).get_by_role("gridcell").nth(k)


def mask_text(is_on: np.ndarray) -> str:
    return "\n".join(" ".join(str(int(on)) for on in row) for row in is_on)


def test_a_mistake_is_chosen_by_keyboard_guessed_and_revealed_and_the_link_restores_it(open_page):
    page = open_page(PATH)
    choose_by_keyboard(page, "case", "Grouped heads tiled, not repeated")
    press_slider(page, "with_1", "ArrowRight")
    outcome = PITFALLS["tiled_kv"].run(n_kv_heads=3)
    assert f"{outcome.summary}, outlined." in main(page).inner_text()
    for i, answer in enumerate((outcome.wrong, outcome.right)):
        assert read(pictures(page).nth(i)).values.ravel().tolist() == answer.values.ravel().tolist()
        assert outlined(page, i) == outcome.n_differ
    press_segment(page, "pitfalls_step", "Which is right?")
    named = guess.names(PITFALLS["tiled_kv"])
    case = unnamed(PITFALLS["tiled_kv"])
    choose_by_keyboard(page, "puzzle", case)
    press_slider(page, "with_1", "ArrowRight")
    assert PITFALLS["tiled_kv"].name not in page.content()
    press_segment(page, "right_guess", named["right"])
    assert not told_on(page)
    turn(page, "right_reveal")
    (verdict,) = told_on(page)
    assert verdict.startswith(f"Yes. {named['right']} is right.")
    kept = link_of(page)
    assert "case" not in kept
    assert kept["puzzle"] == case
    assert kept["with_1"] == "3"
    theirs = open_page(page.url.removeprefix(page.evaluate("location.origin")))
    assert main(theirs).inner_text() == main(page).inner_text()


def test_a_link_by_name_asks_without_the_name_anywhere_in_the_page_or_its_address(open_page):
    pitfall = PITFALLS["bare_view"]
    page = open_page(link(PATH, pitfalls_step="Which is right?", case=pitfall.name))
    assert widget(page, "puzzle").get_by_role("combobox").input_value() == unnamed(pitfall)
    assert "case" not in link_of(page)
    assert pitfall.name not in page.content()
    assert pitfall.sentence not in main(page).inner_text()


def test_a_mask_is_pasted_drawn_and_diagnosed_and_a_bad_one_is_told_where(open_page):
    page = open_page(link(PATH, pitfalls_step="The mask doctor"))
    box = widget(page, "mask").get_by_role("textbox")

    def paste(mask: str) -> None:
        box.fill(mask)
        box.press("ControlOrMeta+Enter")
        settle(page)

    paste("1 0 0\n1 1 0\n1 2 1")
    (told,) = told_on(page)
    assert "got '2' at line 3, column 3." in told
    assert pictures(page).count() == 0
    paste("tensor([[True, False], [False, True]])")
    cell(page, 1, 0).click()
    settle(page)
    assert box.input_value() == "True False\nTrue True"
    assert link_of(page)["mask"] == "True False\nTrue True"
    sdpa, module = (read(chart) for chart in pictures(page).all())
    assert sdpa.hatched.tolist() == [[False, True], [False, False]]
    assert module.hatched.tolist() == [[True, False], [True, True]]
    sound, upside_down, empty = told_on(page)
    assert sound == "The causal mask: each query sees what came before, and itself."
    assert upside_down.startswith("Upside down:")
    assert "got row 1 of the mask with none" in empty


def test_no_press_on_a_mask_is_lost_by_mouse_key_or_finger(open_page):
    page = open_page(link(PATH, pitfalls_step="The mask doctor", mask=mask_text(np.eye(12))))
    box = widget(page, "mask").get_by_role("textbox")
    is_on = np.eye(12, dtype=bool)

    def turned(q: int, k: int) -> None:
        is_on[q, k] ^= True
        # At once: long before the server has answered.
        assert cell(page, q, k).inner_text() == str(int(is_on[q, k]))

    box_of = cell(page, 0, 0).bounding_box()
    for q, k in [(0, 1), (0, 2), (0, 2), (3, 4), (3, 4), (3, 4), (11, 0), (5, 5)]:
        page.mouse.click(
            box_of["x"] + (k + 0.5) * box_of["width"], box_of["y"] + (q + 0.5) * box_of["height"]
        )
        turned(q, k)
    for key in ("ArrowRight", "Space", "ArrowDown", "Enter", "Space", "Home", "Space"):
        page.keyboard.press(key)
    for q, k in [(5, 6), (6, 6), (6, 6), (6, 0)]:
        is_on[q, k] ^= True
    expect(box).to_have_value(mask_text(is_on))
    settle(page)
    resize(page, *PHONE)
    place = cell(page, 2, 11)
    scroll_to(place)
    finger = page.context.new_cdp_session(page)
    at = place.bounding_box()
    assert at["width"] >= 28
    assert at["height"] >= 28
    point = {"x": at["x"] + at["width"] / 2, "y": at["y"] + at["height"] / 2}
    for _ in range(3):
        finger.send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": [point]})
        finger.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    is_on[2, 11] ^= True
    expect(box).to_have_value(mask_text(is_on))
    settle(page)
    finger.detach()
    # What is written meanwhile is drawn too.
    widget(page, "mask_causal").get_by_role("button").click()
    settle(page)
    assert page.locator(".mask button").all_inner_texts() == EXAMPLES["causal"].split()


def test_no_step_has_a_serious_barrier_or_anything_cut_off_or_small(open_page):
    page = open_page(link(PATH, tokens=WORD, right_guess="A", right_reveal=True))
    wrong = faults_of_steps(page, "pitfalls_step", STEPS)
    assert not wrong, "\n".join(wrong)
