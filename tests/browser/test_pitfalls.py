"""The page of pitfalls, as a person sees it and works it."""

from __future__ import annotations

from playwright.sync_api import Page

from mha.charts import CHOSEN
from mha.pitfalls import PITFALLS
from pages.parts.pitfalls import guess
from tests.browser.reading import (
    choose_by_keyboard,
    link,
    link_of,
    messages,
    pictures,
    press_segment,
    press_slider,
    read,
    turn,
    widget,
)
from tests.browser.sight import faults_of_steps
from tests.browser.visit import settle

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
    press_segment(page, "right_guess", named["right"])
    assert not told_on(page)
    turn(page, "right_reveal")
    (verdict,) = told_on(page)
    assert verdict.startswith(f"Yes. {named['right']} is right.")
    kept = link_of(page)
    assert kept["case"] == "Grouped heads tiled, not repeated"
    assert kept["with_1"] == "3"
    theirs = open_page(page.url.removeprefix(page.evaluate("location.origin")))
    assert main(theirs).inner_text() == main(page).inner_text()


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
    written, *_ = pictures(page).all()
    x, y = read(written).centers[1, 0]
    page.mouse.click(x, y)
    settle(page)
    assert box.input_value() == "True False\nTrue True"
    assert link_of(page)["mask"] == "True False\nTrue True"
    _, sdpa, module = (read(chart) for chart in pictures(page).all())
    assert sdpa.hatched.tolist() == [[False, True], [False, False]]
    assert module.hatched.tolist() == [[True, False], [True, True]]
    sound, upside_down, empty = told_on(page)
    assert sound == "The causal mask: each query sees what came before, and itself."
    assert upside_down.startswith("Upside down:")
    assert "got row 1 of the mask with none" in empty


def test_no_step_has_a_serious_barrier_or_anything_cut_off_or_small(open_page):
    page = open_page(link(PATH, tokens=WORD, right_guess="A", right_reveal=True))
    wrong = faults_of_steps(page, "pitfalls_step", STEPS)
    assert not wrong, "\n".join(wrong)
