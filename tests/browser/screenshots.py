"""Pictures of every page of the app.

python -m tests.browser.screenshots             docs/screenshots, for the documentation
python -m tests.browser.screenshots --all DIR   projector and phone, light and dark, to look at
"""

import argparse
from itertools import product
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright

from tests.browser.a11y import show_everything
from tests.browser.chromium import launch_options
from tests.browser.server import ROOT, Server, serve
from tests.browser.visit import Visit

PAGES = [
    ("overview", "/"),
    ("hand_built_heads", "/hand_built_heads"),
    ("split_merge", "/split_merge?stage=attention"),
]
DOCUMENTATION = ROOT / "docs" / "screenshots"
SIZES = [(1920, 1080), (390, 844)]
THEMES = ["light", "dark"]


def draw_documentation(browser: Browser, server: Server) -> None:
    """Write <page>.png for each page into docs/screenshots."""
    for name, link in PAGES:
        visit = Visit(browser, server.url, reduced_motion=True)
        visit.open(link).screenshot(path=DOCUMENTATION / f"{name}.png")
        visit.close()


def draw_all(browser: Browser, server: Server, folder: Path) -> None:
    """Write <page>-<width>-<theme>.png, what one sees first, and -full.png, the whole page."""
    for (name, link), (width, height), theme in product(PAGES, SIZES, THEMES):
        visit = Visit(
            browser, server.url, width=width, height=height, theme=theme, reduced_motion=True
        )
        page = visit.open(link)
        page.screenshot(path=folder / f"{name}-{width}-{theme}.png")
        show_everything(page)
        page.screenshot(path=folder / f"{name}-{width}-{theme}-full.png")
        visit.close()
        for problem in visit.problems:
            print(f"{name} {width} {theme}: {problem}")


def main() -> None:
    parser = argparse.ArgumentParser(description="Draw pictures of every page of the app.")
    parser.add_argument("--all", type=Path, metavar="DIR", help="every size and theme, into DIR")
    folder = parser.parse_args().all
    with serve() as server, sync_playwright() as playwright:
        browser = playwright.chromium.launch(**launch_options())
        if folder:
            draw_all(browser, server, folder)
        else:
            draw_documentation(browser, server)
        browser.close()


if __name__ == "__main__":
    main()
