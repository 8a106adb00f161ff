"""The walk through the fused module in a real Chromium, by mouse, by keyboard and by link."""

from __future__ import annotations

import numpy as np
import torch
from playwright.sync_api import expect

from mha.config import AttentionConfig
from mha.module import MultiHeadAttention, embed
from pages.parts.fused_module.walk import STEPS
from tests.browser.reading import formulas, link, link_of, pictures, read, scroll_to, widget
from tests.browser.visit import settle

PATH = "/fused_module"
WORDS = "soft rain and soft 雨衣"
# Where a line of the diagram begins and ends, beside which buttons.
JOINED = """flow => {
    const boxes = [...flow.querySelectorAll("button")].map(b => b.getBoundingClientRect());
    const origin = flow.getBoundingClientRect();
    const at = (x, y) => boxes.findIndex(b => x >= b.left - 2 && x <= b.right + 2
        && y >= b.top - 2 && y <= b.bottom + 2);
    return [...flow.querySelectorAll("path")].map(path => [0, path.getTotalLength()].map(where => {
        const { x, y } = path.getPointAtLength(where);
        return at(x + origin.left, y + origin.top);
    }));
}"""


def steps_of(words: str, h: int = 4) -> dict[str, np.ndarray]:
    module = MultiHeadAttention.seeded(AttentionConfig(32, h), 0)
    with torch.no_grad():
        steps = module.trace(embed(words.split(), 32, seed=0))
    return {step.name: step.tensor.numpy() for step in steps}


def test_the_diagram_joins_each_step_to_those_that_it_reads(open_page):
    page = open_page(PATH)
    buttons = page.locator(".flow button")
    assert buttons.all_inner_texts() == list(STEPS)
    module = MultiHeadAttention(32, 4)
    inputs = {step.name: step.inputs for step in module.trace(torch.zeros(1, 6, 32))}
    wanted = [(STEPS.index(i), number) for number, name in enumerate(STEPS) for i in inputs[name]]
    for width in (1280, 390):
        page.set_viewport_size({"width": width, "height": 800})
        settle(page)
        joined = page.locator(".flow").evaluate(JOINED)
        assert sorted(map(tuple, joined)) == sorted(wanted), width


def test_the_arrow_keys_walk_and_a_press_jumps_and_the_link_keeps_the_step(open_page):
    page = open_page(PATH)
    chosen = page.locator(".flow [aria-current=step]")
    expect(chosen).to_have_text("weights")
    chosen.press("ArrowRight")
    settle(page)
    assert link_of(page)["at"] == "z"
    expect(chosen).to_have_text("z")
    expect(chosen).to_be_focused()
    chosen.press("Home")
    settle(page)
    assert link_of(page)["at"] == "x"
    page.get_by_role("button", name="q_heads:").click()
    settle(page)
    expect(page.get_by_test_id("stMain")).to_contain_text("q_heads = q.view(B, T, h, d_head)")
    theirs = open_page(page.url.removeprefix(page.evaluate("location.origin")))
    expect(theirs.locator(".flow [aria-current=step]")).to_have_text("q_heads")


def test_every_head_s_weights_are_drawn_and_a_click_opens_their_arithmetic(open_page):
    page = open_page(link(PATH, tokens=WORDS), width=1920, height=1080)
    weights = steps_of(WORDS)["weights"][0]
    charts = pictures(page)
    assert charts.count() == len(weights) == 4
    for chart, head in zip(charts.all(), weights, strict=True):
        picture = read(chart)
        assert picture.rows == picture.columns == ["soft", "rain", "and", "soft (2)", "雨衣"]
        below = np.tril(np.ones((5, 5), bool))
        np.testing.assert_allclose(picture.values[below], head[below], atol=0.0051)
        assert (picture.hatched == ~below).all()
    page.mouse.click(*read(charts.nth(1)).centers[3, 1])
    settle(page)
    assert (link_of(page)["query"], link_of(page)["key"]) == ("soft (2)", "rain")
    for head, formula in zip(weights, formulas(page), strict=True):
        assert f"{head[3, 1]:.4f}" in formula


def test_a_click_on_a_number_of_the_output_opens_its_sum_and_the_link_keeps_it(open_page):
    page = open_page(link(PATH, tokens=WORDS, at="out"), width=1920, height=1080)
    out = steps_of(WORDS)["out"][0]
    page.mouse.click(*read(pictures(page).first).centers[3, 17])
    settle(page)
    assert (link_of(page)["query"], link_of(page)["column"]) == ("soft (2)", "17")
    opened = page.get_by_test_id("stMain")
    for is_reloaded in (False, True):
        if is_reloaded:
            page.reload()
            settle(page)
        (formula,) = formulas(page)
        assert f"={out[3, 17]:.4f}" in formula.replace("−", "-")
        expect(opened).to_contain_text("merged[0,3,:] · out.weight[17,:]")


def test_both_checks_run_when_they_are_asked_for(open_page):
    page = open_page(PATH)
    for key in ("fused", "check"):
        label = widget(page, key).locator("label")
        scroll_to(label)
        label.click()
        settle(page)
    told = page.get_by_test_id("stAlert").all_inner_texts()
    assert len(told) == 3
    assert all("That is rounding" in one for one in told)
