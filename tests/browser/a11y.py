"""Accessibility: what axe finds on a whole page, in words."""

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

from tests.browser.visit import resize, settle

SERIOUS = ("serious", "critical")
# A collapsed sidebar lies to the left of the window, squeezed, and so very tall.
CONTENT_HEIGHT = """() => Math.max(
    ...[...document.querySelectorAll('[data-testid="stMain"], [data-testid="stSidebarContent"]')]
        .filter((part) => part.getBoundingClientRect().right > 0)
        .map((part) => part.scrollHeight)
)"""

IS_DARK = "() => matchMedia('(prefers-color-scheme: dark)').matches"


def serious_findings(page: Page, *themes: str) -> list[str]:
    """Return axe's serious and critical findings, one line for each element.

    A rule that axe could not finish is a finding too, since it has judged nothing.

    themes: in which to look, one after the other; the page stays in the last. By default as it is.
    """
    size = page.viewport_size
    # Axe does not judge the contrast of text that is scrolled out of sight.
    show_everything(page)
    found = []
    for theme in themes or (None,):
        if theme is not None and page.evaluate(IS_DARK) != (theme == "dark"):
            page.emulate_media(color_scheme=theme)
            settle(page)
        result = Axe().run(page).response
        rules = [rule for rule in result["violations"] if rule["impact"] in SERIOUS]
        rules += [rule for rule in result["incomplete"] if "error" in rule]
        where = f"{theme}: " if theme else ""
        found += [where + describe(rule, node) for rule in rules for node in rule["nodes"]]
    resize(page, size["width"], size["height"])
    return found


def show_everything(page: Page) -> None:
    """Make the window as tall as the page, so that nothing is scrolled out of sight."""
    size = page.viewport_size
    resize(page, size["width"], max(size["height"], page.evaluate(CONTENT_HEIGHT)))


def describe(rule: dict, node: dict) -> str:
    """Say which rule, why and where: the element, then the end of its selector."""
    checks = node["any"] + node["all"] + node["none"]
    why = checks[0]["message"] if checks else rule["help"]
    where = " ".join(node["target"])[-120:]
    return f"{rule['id']} ({rule['impact']}): {why}: {node['html'][:160]} at {where}"
