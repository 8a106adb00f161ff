"""Pictures of every page of the app.

python -m tests.browser.screenshots             docs/screenshots, for the documentation
python -m tests.browser.screenshots --all DIR   projector and phone, light and dark, to look at
"""

import argparse
from io import BytesIO
from itertools import product
from pathlib import Path

from PIL import Image
from playwright.sync_api import Browser, Page, sync_playwright

from tests.browser.a11y import show_everything
from tests.browser.chromium import launch_options
from tests.browser.server import ROOT, Server, serve
from tests.browser.visit import Visit, settle

PAGES = [
    ("overview", "/"),
    ("hand_built_heads", "/hand_built_heads"),
    ("training", "/training"),
    ("split_merge", "/split_merge?stage=attention"),
    ("fused_module", "/fused_module?kv_heads=2"),
    ("real_models", "/real_models"),
    ("pitfalls", "/pitfalls"),
    ("parameters", "/parameters"),
    ("tour", "/tour"),
]
# The animation in motion: few cells, so that every number can be read.
ANIMATION = "/split_merge?tokens=a+b+c+d&d_model=12&heads=3"
FRAMES_A_STAGE, FRAME_MS, REST_MS, COLORS, MARGIN = 6, 110, 1200, 48, 10
TRAIN_MS = 120_000
DOCUMENTATION = ROOT / "docs" / "screenshots"
SIZES = [(1920, 1080), (390, 844)]
THEMES = ["light", "dark"]


def train(page: Page) -> None:
    """On the page of learned heads, let them learn, unless an earlier visitor has."""
    button = page.get_by_role("button", name="Train", exact=True)
    if button.count():
        button.click()
        stop = page.get_by_role("button", name="Stop", exact=True)
        stop.wait_for()
        stop.wait_for(state="detached", timeout=TRAIN_MS)
        settle(page)


def draw_documentation(browser: Browser, server: Server) -> None:
    """Write <page>.png for each page into docs/screenshots."""
    for name, link in PAGES:
        visit = Visit(browser.new_page(), server.url, reduced_motion=True)
        page = visit.open(link)
        train(page)
        page.screenshot(path=DOCUMENTATION / f"{name}.png")
        page.close()


def draw_animation(browser: Browser, server: Server) -> None:
    """Write split_merge.gif: one play of the animation, its places drawn one by one."""
    visit = Visit(browser.new_page(), server.url, height=1080)
    page = visit.open(ANIMATION)
    stage = page.locator("canvas.stage")
    title, pictures = (page.locator(f".animation .{part}") for part in ("title", "pictures"))
    box, below = title.bounding_box(), pictures.bounding_box()
    clip = {
        "x": box["x"] - MARGIN,
        "y": box["y"] - MARGIN,
        "width": box["width"] + 2 * MARGIN,
        "height": below["y"] + below["height"] - box["y"] + 2 * MARGIN,
    }
    last = page.locator(".scrub").evaluate("scrub => Number(scrub.max)")
    frames, milliseconds = [], []
    for number in range(last * FRAMES_A_STAGE + 1):
        stage.evaluate("(stage, at) => stage.drawAt(at)", number / FRAMES_A_STAGE)
        frames.append(Image.open(BytesIO(page.screenshot(clip=clip))).quantize(COLORS))
        milliseconds.append(FRAME_MS if number % FRAMES_A_STAGE else REST_MS)
    page.close()
    frames[0].save(
        DOCUMENTATION / "split_merge.gif",
        save_all=True,
        append_images=frames[1:],
        duration=milliseconds,
        loop=0,
    )


def draw_all(browser: Browser, server: Server, folder: Path) -> None:
    """Write <page>-<width>-<theme>.png, what one sees first, and -full.png, the whole page."""
    for (name, link), (width, height), theme in product(PAGES, SIZES, THEMES):
        visit = Visit(
            browser.new_page(),
            server.url,
            width=width,
            height=height,
            theme=theme,
            reduced_motion=True,
        )
        page = visit.open(link)
        train(page)
        page.screenshot(path=folder / f"{name}-{width}-{theme}.png")
        show_everything(page)
        page.screenshot(path=folder / f"{name}-{width}-{theme}-full.png")
        page.close()
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
            draw_animation(browser, server)
        browser.close()


if __name__ == "__main__":
    main()
