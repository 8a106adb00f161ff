"""Presenter mode as a lecturer sees and works it: on a projector, by keys, with nothing loaded."""

from __future__ import annotations

from playwright.sync_api import Page, expect

from mha.sentence import MAX_TOKENS
from tests.browser.a11y import serious_findings
from tests.browser.reading import (
    READ_PICTURE,
    addresses,
    link,
    link_of,
    picture_of,
    type_words,
    widget,
)
from tests.browser.sight import PROJECTOR, below_the_fold, out_of_sight
from tests.browser.visit import settle

LEAST_PIXELS = 24  # of what is read, at 1920 x 1080
CHROME = "stSidebar", "stHeader", "stSlider", "stSelectbox", "stButtonGroup", "stCheckbox"
PAGE_MS = 30_000  # a page may load PyTorch first
AT_THE_END = "reshape 6 / 6  ·  next: The fused module"
MAIN, STRIP = '[data-testid="stMain"]', ".st-key-presenter"

# Every text in sight, numbers in cells too, with the size of its type on the screen. Left out are
# formulas, where exponents are small, and tables of numbers, which Streamlit paints.
TYPE = r"""() => {
    const found = [];
    const read = (text) => {
        const of = text.parentElement;
        const words = text.textContent.trim();
        if (!of?.checkVisibility() || of.closest(".unseen, .katex, style, script")) return;
        if (!words || Number(of.getAttribute("opacity") ?? 1) === 0) return;
        const range = document.createRange();
        range.selectNodeContents(text);
        if (range.getBoundingClientRect().width < 2) return;
        const drawn = of.getScreenCTM?.();
        const scale = drawn ? Math.hypot(drawn.a, drawn.b) : of.currentCSSZoom;
        found.push([words.slice(0, 60), parseFloat(getComputedStyle(of).fontSize) * scale]);
    };
    const readCanvas = ({ ariaLabel, readCells }) => {
        for (const px of readCells().types) found.push([ariaLabel, px / devicePixelRatio]);
    };
    const look = (root) => {
        const { SHOW_ELEMENT, SHOW_TEXT } = NodeFilter;
        const walker = document.createTreeWalker(root, SHOW_ELEMENT | SHOW_TEXT);
        for (let at = walker.currentNode; at; at = walker.nextNode()) {
            if (at.nodeType === Node.TEXT_NODE) read(at);
            if (at.readCells) readCanvas(at);
            if (at.shadowRoot) look(at.shadowRoot);
        }
    };
    look(document.querySelector('[data-testid="stMain"]'));
    return found;
}"""


def press(page: Page, *keys: str) -> None:
    for key in keys:
        page.keyboard.press(key)
    settle(page)


def counter(page: Page):
    return page.locator(".bar .counter")


def test_every_page_fills_a_projector_with_nothing_but_itself(open_page):
    width, height = PROJECTOR
    page = open_page(link("/", present=True), width=width, height=height)
    wrong = []
    least = LEAST_PIXELS - 0.01  # a slanted text is measured with an error
    for number, address in enumerate(addresses()):
        assert page.url.split("?")[0].endswith(address)
        themes = ("dark", "light") if number % 2 else ("light", "dark")
        wrong += [f"{address}: {found}" for found in serious_findings(page, *themes)]
        for part in CHROME:
            expect(page.get_by_test_id(part).locator("visible=true")).to_have_count(0)
        texts = page.evaluate(TYPE)
        assert len(texts) > 5
        wrong += [f"{address}: {px:.1f} px: {text}" for text, px in texts if px < least]
        wrong += out_of_sight(page, address)
        wrong += below_the_fold(page, address)
        strip = page.locator(".st-key-presenter").bounding_box()
        below = page.get_by_test_id("stMain").evaluate(
            "main => main.getBoundingClientRect().bottom"
        )
        assert below <= strip["y"] + 1, "the strip covers something"
        # To the next page, whatever steps are left here.
        after = page.locator(".st-key-presenter_after a")
        if after.count():
            after.evaluate("link => link.click()")
            settle(page)
    assert not wrong, "\n".join(wrong)


def test_keys_walk_black_out_and_leave_but_never_while_somebody_types(open_page):
    words = [f"w{i}" for i in range(MAX_TOKENS)]
    width, height = PROJECTOR
    page = open_page(link(present=True, tokens=" ".join(words)), width=width, height=height)
    dialogs = {name: page.locator(f"dialog.{name}") for name in ("black", "help")}
    slider = widget(page, "sharp_left").get_by_role("slider")

    # On the zoomed page, of so many cells that they are small and not every column has its word.
    cells = picture_of(page, "left").evaluate(READ_PICTURE)["cells"]
    cells.sort(key=lambda cell: (round(cell[1]), cell[0]))
    left, top, right, bottom, _ = cells[20 * MAX_TOKENS + 7]
    page.mouse.click((left + right) / 2, (top + bottom) / 2)
    settle(page)
    assert (link_of(page)["query"], link_of(page)["key"]) == ("w20", "w7")

    press(page, "ArrowRight", "PageDown")
    expect(counter(page)).to_have_text("Handed on 3 / 6")
    assert link_of(page)["step"] == "Handed on"
    expect(page.get_by_text("A head hands on the weighted mean")).to_be_in_viewport()
    main = page.get_by_test_id("stMain")
    page.keyboard.press("ArrowDown")
    expect(main).not_to_have_js_property("scrollTop", 0)
    press(page, "ArrowLeft")
    expect(main).to_have_js_property("scrollTop", 0)  # a step begins at its top
    expect(counter(page)).to_have_text("Matrices 2 / 6")
    expect(page.get_by_role("status").filter(has_text="Matrices 2 of 6")).to_have_count(1)

    for key in ("b", "."):
        page.keyboard.press(key)
        expect(dialogs["black"]).to_be_visible()
        assert dialogs["black"].bounding_box() == {"x": 0, "y": 0, "width": width, "height": height}
        page.keyboard.press("PageDown")  # brings the page back, and moves nothing
        expect(dialogs["black"]).to_be_hidden()
    expect(counter(page)).to_have_text("Matrices 2 / 6")

    expect(slider).to_be_hidden()
    press(page, "c")
    expect(slider).to_be_visible()
    type_words(page, "a b c b")  # among them the keys for black and for controls
    expect(dialogs["black"]).to_be_hidden()
    expect(slider).to_be_visible()
    press(page, "ArrowLeft")
    slider.focus()
    press(page, "ArrowRight")
    assert link_of(page)["sharp_left"] == "6.5"
    expect(counter(page)).to_have_text("Matrices 2 / 6")
    press(page, "PageDown")  # a remote's keys are no one else's
    expect(counter(page)).to_have_text("Handed on 3 / 6")
    slider.blur()
    press(page, "c")

    page.keyboard.press("?")
    expect(dialogs["help"]).to_be_visible()
    assert serious_findings(page) == []
    page.keyboard.press("Escape")
    expect(dialogs["help"]).to_be_hidden()
    assert link_of(page)["present"] == "true"

    page.evaluate(
        """() => document.addEventListener("explorer:move", (event) => {
            window.asked = event.detail.by;
            event.preventDefault();
        }, { once: true })"""
    )
    press(page, "PageUp")
    assert page.evaluate("window.asked") == -1
    expect(counter(page)).to_have_text("Handed on 3 / 6")

    press(page, "Escape")
    expect(page.locator(".bar")).to_have_count(0)
    expect(page.get_by_test_id("stSidebar")).to_be_visible()
    assert "present" not in link_of(page)
    assert link_of(page)["step"] == "Handed on"
    zoom = "() => document.querySelector('[data-testid=stMainBlockContainer]').currentCSSZoom"
    assert page.evaluate(zoom) == 1


def test_the_animation_plays_to_its_end_and_then_the_next_page_begins_at_its_first_step(open_page):
    width, height = PROJECTOR
    page = open_page(
        link("/split_merge", present=True, stage="transpose back"), width=width, height=height
    )
    stage = page.locator("canvas.stage")
    assert stage.evaluate("stage => stage.width / stage.getBoundingClientRect().width") == 1
    x, y = stage.evaluate(
        """stage => {
            const { x, y, width, height } = stage.readCells();
            const box = stage.getBoundingClientRect();
            return [box.left + x[37] + width / 2, box.top + y[37] + height / 2];
        }"""
    )
    page.mouse.click(x, y)
    expect(page.locator(".number")).to_have_value("37")

    page.keyboard.press("PageDown")
    expect(counter(page)).to_have_text(AT_THE_END, timeout=PAGE_MS)
    settle(page)
    assert link_of(page)["stage"] == "reshape"
    page.keyboard.press("PageDown")
    expect(counter(page)).to_have_text("x 1 / 17", timeout=PAGE_MS)
    settle(page)
    assert link_of(page) == {"present": "true", "at": "x"}
    for _ in range(3):  # quicker than the server
        page.keyboard.press("ArrowRight")
    expect(counter(page)).to_have_text("k 4 / 17")
    expect(page.locator(".flow [aria-current=step]")).to_have_text("k")
    settle(page)
    for _ in range(4):
        page.keyboard.press("ArrowLeft")
    expect(counter(page)).to_have_text(AT_THE_END, timeout=PAGE_MS)
