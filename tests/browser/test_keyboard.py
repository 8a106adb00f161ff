"""The keyboard alone: Tab reaches every control of a page, and each shows that it is there."""

from __future__ import annotations

from tests.browser.reading import HEADS
from tests.browser.visit import resize

MOST_STOPS = 150

# Of a group of radio buttons Tab reaches the chosen one, and arrow keys the others.
CONTROLS = """() => [...document.querySelectorAll(
    'a[href], button, input, select, textarea, summary, [tabindex="0"]'
)].filter(at => at.checkVisibility({visibilityProperty: true}) && !at.disabled && at.tabIndex >= 0)
    .filter(at => at.getBoundingClientRect().width > 0)
    .filter(at => at.role !== "radio" || at.ariaChecked === "true")
    .map(at => at.ariaLabel ?? at.innerText)"""
# Where the keyboard is, by name; what it and its surroundings look like is kept for later.
STOP = """() => {
    const inner = (at) => at?.shadowRoot?.activeElement ? inner(at.shadowRoot.activeElement) : at;
    const at = inner(document.activeElement);
    if (!at || at === document.body) return null;
    window.looks ??= (at) => {
        let around = at;
        for (let up = 0; up < 3; up++) around = around.parentElement ?? around;
        return [around, ...[...around.querySelectorAll("*")].slice(0, 60)].flatMap(part =>
            [null, "::after"].map(pseudo => {
                const look = getComputedStyle(part, pseudo);
                const ring = look.outlineStyle === "none" ? "" : look.outline;
                return [ring, look.boxShadow, look.borderColor, look.borderWidth].join();
            })).join(";");
    };
    // A canvas draws a ring of its own; the page itself is a stop, so that arrow keys scroll it.
    const own = ["CANVAS", "TD", "MAIN"].includes(at.tagName);
    (window.stops ??= []).push([at, own ? null : window.looks(at)]);
    return at.ariaLabel ?? at.innerText;
}"""
UNSEEN = """() => {
    document.activeElement.blur();
    return window.stops.filter(([at, look]) => look !== null && look === window.looks(at))
        .map(([at]) => at.ariaLabel ?? at.innerText);
}"""


def test_tab_reaches_every_control_of_a_page_and_each_shows_it(open_page):
    page = open_page(HEADS, reduced_motion=True)
    resize(page, 1280, 1800)  # nothing has to be scrolled to
    page.add_style_tag(content="* { transition: none !important; }")
    controls = page.evaluate(CONTROLS)
    reached = []
    for _ in range(MOST_STOPS):
        page.keyboard.press("Tab")
        name = page.evaluate(STOP)
        if name is None:  # past the last one
            break
        reached.append(name)
    assert name is None
    assert len(reached) > 40
    assert set(controls) - set(reached) == set()
    assert page.evaluate(UNSEEN) == []
