"""The page of learned heads, as a person trains it and looks into it."""

from __future__ import annotations

import re

from playwright.sync_api import Page, expect

from tests.browser.reading import link, link_of, pictures, press_segment, press_slider, widget
from tests.browser.sight import faults, faults_of_steps
from tests.browser.visit import settle

PATH = "/training"
STEPS = ("Training", "Patterns", "Knock out", "Predict", "Two seeds")
TINY = {"train_size": "as in the sidebar", "d_model": 16, "heads": 2, "train_tasks": "brackets"}


def train(page: Page) -> None:
    """Press Train, and wait until the run is done."""
    page.get_by_role("button", name="Train", exact=True).click()
    expect(page.get_by_text("Nobody told a head what to do.")).to_be_visible(timeout=60_000)
    expect(page.get_by_role("button", name="Stop", exact=True)).to_have_count(0, timeout=60_000)
    settle(page)


def patterns(page: Page) -> list[str]:
    """What each grid in sight is filled with, and the words of its alternative text."""
    drawn = """charts => charts.map(chart => chart.ariaLabel + [...chart.querySelectorAll(
        ".mark-rect path")].map(cell => cell.getAttribute("fill")).join())"""
    return pictures(page).evaluate_all(drawn)


def test_a_run_is_trained_and_scrubbed_and_its_link_shows_others_the_same(open_page):
    page = open_page(link(PATH, **TINY, train_steps=12, train_seed=3))
    assert pictures(page).count() == 0
    train(page)
    assert pictures(page).count() == 3
    press_segment(page, "training_step", "Patterns")
    assert pictures(page).count() == 4
    at_the_end = patterns(page)
    press_slider(page, "snapshot", "Home")
    at_first = patterns(page)
    assert at_first != at_the_end
    assert link_of(page)["snapshot"] == "0"
    theirs = open_page(page.url.removeprefix(page.evaluate("location.origin")))
    assert patterns(theirs) == at_first
    seed = widget(theirs, "train_seed").get_by_role("spinbutton")
    assert seed.input_value() == "3"
    assert theirs.get_by_text(re.compile("^Step 0")).is_visible()
    seed.fill("4")
    seed.press("Enter")
    settle(theirs)
    assert "These are other settings" in theirs.get_by_test_id("stMain").inner_text()
    assert theirs.get_by_role("button", name="Train", exact=True).is_visible()


def test_there_is_something_to_scrub_before_anything_is_trained(open_page):
    page = open_page(f"{PATH}?training_step=Two+seeds")
    expect(pictures(page)).to_have_count(2)
    expect(page.get_by_role("button", name="Train anew", exact=True)).to_be_visible()
    at_the_end = patterns(page)
    press_slider(page, "snapshot", "Home")
    for seed in (0, 1):
        expect(page.get_by_text(re.compile(f"^Seed {seed}, step 0,"))).to_be_visible()
    assert patterns(page) != at_the_end


def test_no_state_has_a_serious_barrier_or_anything_cut_off_or_small(open_page):
    keys = {"off": "L0H1", "off_job": "brackets: itself", "missed_guess": "L0H1"}
    keys |= {"train_text": "( [ ] { ( ) } ) [", "missed_reveal": True}
    page = open_page(link(PATH, **TINY, **keys, train_steps=10), theme="dark")
    wrong = faults(page, "before it is trained")
    train(page)
    wrong += faults_of_steps(page, "training_step", STEPS)
    assert not wrong, "\n".join(wrong)
