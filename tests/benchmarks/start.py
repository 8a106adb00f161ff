"""From the start of the server's process to its first page in a browser, against a one-line app."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

from playwright.sync_api import Browser, expect, sync_playwright

from tests.benchmarks.pairs import Measured, Pair, measure
from tests.browser.chromium import launch_options
from tests.browser.server import ROOT, serve

WHAT = ("process start to first page, in a browser", "the same, a one-line app")
ROUNDS = 5
ONE_LINE = 'import streamlit as st; st.title("Hello")\n'


def measured() -> Measured:
    """Both in turn; a new server and a new window each time, in a browser that runs already."""
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        (Path(folder) / "app.py").write_text(ONE_LINE)
        shutil.copytree(ROOT / ".streamlit", Path(folder) / ".streamlit")
        browser = playwright.chromium.launch(**launch_options())
        pair = Pair(
            WHAT[0],
            lambda: first_page(browser, ROOT, "streamlit_app.py"),
            WHAT[1],
            lambda: first_page(browser, Path(folder), "app.py"),
            aim=1.3,
        )
        result = measure(pair, rounds=ROUNDS)
        browser.close()
    return result


def first_page(browser: Browser, folder: Path, script: str) -> None:
    """Start a server and open its front page in a new window, until its last element is there.

    Torch is loaded by the pages that work with it, and so not by then.
    """
    with serve(script, folder=folder) as server, browser.new_context() as context:
        page = context.new_page()
        page.goto(server.url)
        app = page.get_by_test_id("stApp")
        expect(page.get_by_role("heading", level=1)).to_be_visible(timeout=60_000)
        expect(app).to_have_attribute("data-test-script-state", "notRunning", timeout=60_000)
