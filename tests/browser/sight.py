"""What cannot be seen or read on a page at its size: cut off, too small, or behind a barrier."""

from __future__ import annotations

from collections.abc import Sequence

from playwright.sync_api import Page, TimeoutError

from tests.browser.a11y import serious_findings
from tests.browser.reading import pictures, press_segment
from tests.browser.visit import resize

PROJECTOR, LAPTOP, PHONE = (1920, 1080), (1280, 800), (390, 844)
# A window of 1280 x 800 in which the page is zoomed to 125%, 150% and 200%.
ZOOMED = (1024, 640), (853, 533), (640, 400)
LEAST_PIXELS = 16

SIDEWAYS = """() => [
    document.documentElement, document.querySelector('[data-testid="stMain"]')
].map(part => part.scrollWidth - part.clientWidth)"""

# Text of a chart that is drawn outside its chart's own box is not seen. The corners of the box
# around a slanted word are empty.
CUT_OFF = """chart => {
    const box = chart.querySelector("svg").getBoundingClientRect();
    return [...chart.querySelectorAll("text")].filter(text => {
        const at = text.getBoundingClientRect();
        const seen = Number(text.getAttribute("opacity") ?? 1) > 0 && at.width > 0;
        const slanted = text.getScreenCTM().b !== 0;
        const spare = slanted ? parseFloat(getComputedStyle(text).fontSize) / 4 : 1;
        return seen && (at.left < box.left - spare || at.right > box.right + spare
            || at.top < box.top - spare || at.bottom > box.bottom + spare);
    }).map(text => text.textContent);
}"""

# A row of buttons that has to be scrolled sideways hides some of them.
CUT_BUTTONS = """() => [...document.querySelectorAll(
    '[data-testid="stMain"] [data-testid="stButtonGroup"] *'
)].filter(part => part.checkVisibility() && getComputedStyle(part).overflowX === "auto"
    && part.scrollWidth > part.clientWidth + 1).map(part => part.textContent)"""

# How far the first picture of a page, and every other that begins on its first screen, reaches
# below that. A picture's own box holds its legend too.
BELOW = """pictures => {
    const end = document.querySelector('[data-testid="stMain"]').getBoundingClientRect().bottom;
    return pictures.map(picture => picture.getBoundingClientRect())
        .filter(({ top }, number) => number === 0 || top < end)
        .map(({ bottom }) => bottom - end);
}"""

# What is read as a sentence: not labels, captions or links, nor what stands on a button or slider.
BODY_TEXT = """main => [...main.querySelectorAll("p, li, h1, h2, h3")]
    .filter(text => text.checkVisibility() && text.textContent.trim())
    .filter(text => !text.closest("label, button, summary, a, [data-testid=stSlider]"))
    .filter(text => !text.closest("[data-testid=stCaptionContainer]"))
    .map(text => [text.textContent.slice(0, 60), parseFloat(getComputedStyle(text).fontSize)])"""


def faults_of_steps(page: Page, key: str, steps: Sequence[str]) -> list[str]:
    """What is wrong with the steps of a page, on a projector, on a phone and zoomed.

    They are light and dark, and zoomed more or less, by turns: a step takes its theme when it is
    pressed.
    """
    wrong = []
    for number, step in enumerate(steps):
        page.emulate_media(color_scheme=("light", "dark")[number % 2])
        press_segment(page, key, step)
        wrong += faults(page, step)
        wrong += faults_when_zoomed(page, step, number)
    return wrong


def faults(page: Page, where: str, *themes: str) -> list[str]:
    """What is wrong with the page as it is now, on a projector and on a phone.

    themes: in which the phone shows it; by default as it is.
    """
    wrong = []
    for size in (PROJECTOR, PHONE):
        resize(page, *size)
        wrong += out_of_sight(page, f"{where} at {size[0]}")
    barriers = [f"{where}: {finding}" for finding in serious_findings(page, *themes)]
    return [*wrong, *too_small(page, where), *barriers]


def faults_when_zoomed(page: Page, where: str, number: int) -> list[str]:
    """What cannot be seen at one of the zooms; which one, the number says."""
    size = ZOOMED[number % len(ZOOMED)]
    resize(page, *size)
    return out_of_sight(page, f"{where} at {size[0]}")


def out_of_sight(page: Page, where: str) -> list[str]:
    """What has to be scrolled to sideways, and the words of charts that are cut off."""
    wrong = [f"{where} scrolls sideways"] if scrolls_sideways(page) else []
    wrong += [f"{where}: buttons are cut off: {names}" for names in page.evaluate(CUT_BUTTONS)]
    for chart in pictures(page).all():
        if cut := chart.evaluate(CUT_OFF):
            wrong.append(f"{where}: {chart.get_attribute('aria-label')}: {cut}")
    return wrong


def below_the_fold(page: Page, where: str) -> list[str]:
    """Which pictures, with their legends, are cut by the bottom of the first screen."""
    main = page.locator('[data-testid="stVegaLiteChart"] svg.marks, .pictures, .mask')
    below = main.and_(page.locator(":visible")).evaluate_all(BELOW)
    return [f"{where}: a picture reaches {px:.0f} px below" for px in below if px > 1]


def too_small(page: Page, where: str) -> list[str]:
    """Sentences in type under LEAST_PIXELS. A page has some sentence, or nothing was judged."""
    texts = page.get_by_test_id("stMain").evaluate(BODY_TEXT)
    assert texts
    return [f"{where}: {px} px: {text}" for text, px in texts if px < LEAST_PIXELS]


def scrolls_sideways(page: Page) -> bool:
    """Whether it still does when the charts have had time to take a new width."""
    try:
        page.wait_for_function(f"() => Math.max(...({SIDEWAYS})()) <= 0", timeout=5000)
    except TimeoutError:
        return True
    return False
