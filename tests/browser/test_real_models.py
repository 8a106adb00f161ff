"""The page about real models, as a person sees it and works it."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
from playwright.sync_api import Page

from mha.cache_tables import cache_table
from mha.models import MODELS
from tests.browser.reading import (
    choose_by_keyboard,
    link,
    link_of,
    pictures,
    press_slider,
    widget,
)
from tests.browser.sight import faults_of_steps
from tests.browser.visit import settle

PATH = "/real_models"
STEPS = ("Grouped queries", "The cache", "Token by token", "All models", "Predict")


def boxes(page: Page) -> int:
    """How many heads the picture has, query heads and key and value heads."""
    return pictures(page).first.locator(".mark-rect.role-mark > path").count()


def main_text(page: Page) -> str:
    return page.get_by_test_id("stMain").inner_text()


def test_one_slider_moves_picture_and_numbers_and_another_model_brings_its_own(open_page):
    page = open_page(PATH)
    assert boxes(page) == 32 + 8
    assert "1.07 GB" in main_text(page)
    press_slider(page, "model_kv", "ArrowRight")
    assert boxes(page) == 32 + 4
    assert link_of(page)["model_kv"] == "4"
    for written in ("537 MB", "2,097,152", "32 query heads read 4 key and value heads"):
        assert written in main_text(page)
    theirs = open_page(page.url.removeprefix(page.evaluate("location.origin")))
    assert main_text(theirs) == main_text(page)
    choose_by_keyboard(page, "model", "Gemma 2 9B")
    assert boxes(page) == 16 + 8
    assert widget(page, "model_kv").get_by_role("slider").get_attribute("aria-valuetext") == "8"


def test_a_loaded_model_is_counted_on_the_page_of_parameters(open_page):
    page = open_page(link(PATH, models_step="All models", model="GPT-2 XL"))
    page.get_by_role("button", name="Load into the sliders").click()
    settle(page)
    assert link_of(page)["heads"] == "25"
    page.get_by_role("link", name="Where the parameters are", exact=True).click()
    settle(page)
    assert link_of(page)["width"] == "1600"
    assert f"{MODELS['gpt2-xl'].layer_parameters:,} parameters" in main_text(page)


FILES = {
    "Script": ("py", b'"""The cache.'),
    "Notebook": ("ipynb", b"{"),
    "Arrays": ("npz", b"PK"),
    "PNG": ("png", b"\x89PNG"),
    "SVG": ("svg", b"<svg"),
    "CSV": ("csv", b"model,"),
}


def test_what_is_shown_can_be_taken_away(open_page):
    page = open_page(link(PATH, models_step="The cache", context=5000))
    for name, (ending, begins) in FILES.items():
        with page.expect_download() as started:
            page.get_by_role("button", name=name, exact=True).click()
        path = Path(started.value.path())
        assert path.read_bytes().startswith(begins)
        assert started.value.suggested_filename == f"kv_cache.{ending}"
    pd.testing.assert_frame_equal(
        pd.read_csv(path), cache_table([MODELS["llama-3-8b"]], 5000), check_dtype=False
    )


def test_no_step_has_a_serious_barrier_or_anything_cut_off_or_small(open_page):
    page = open_page(link(PATH, cache_guess="more times", cache_reveal=True, decode=True))
    wrong = faults_of_steps(page, "models_step", STEPS)
    assert not wrong, "\n".join(wrong)
