"""The rig itself, tried on a small app whose every run takes longer than the rig's own pauses."""

import os
import re
import shutil
import signal
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from tests.browser import chromium
from tests.browser.a11y import serious_findings
from tests.browser.server import ROOT, Server, serve
from tests.browser.visit import Visit, settle

APP = """
import time
import streamlit as st

with st.sidebar:
    sharpness = st.slider("Sharpness", 0, 10, 4)
    word = st.text_input("Word", "rain")
time.sleep(0.6)
st.title(f"Sharpness is {sharpness}, word is {word}")

@st.fragment
def count():
    times = st.number_input("Times", 0, 9)
    time.sleep(0.6)
    st.subheader(f"Times is {times}")

count()
if st.button("Twice"):
    st.session_state.twice = True
    st.rerun()
if "twice" in st.session_state:
    st.header("Ran again")
st.vega_lite_chart({"a": [1, 2]}, {"mark": "bar", "encoding": {"y": {"field": "a"}}})
st.container(height=1200)
st.markdown('<p style="color: #aaa; background: #bbb">hard to read</p>', unsafe_allow_html=True)
"""


TWO_PAGES = """
import streamlit as st

def first():
    st.title("First")

def second():
    st.title("Second")

st.navigation([st.Page(first), st.Page(second)]).run()
"""


def write_app(text: str, folder: Path) -> Path:
    """Write an app, with the real app's configuration, and return its folder.

    Without that configuration Streamlit reports to its maker, which a visit notes.
    """
    (folder / "app.py").write_text(text)
    shutil.copytree(ROOT / ".streamlit", folder / ".streamlit")
    return folder


@pytest.fixture(scope="module")
def small_app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder = write_app(APP, tmp_path_factory.mktemp("small_app"))
    with serve("app.py", folder=folder) as running:
        yield running


def test_a_page_is_complete_when_it_opens(open_page, small_app):
    page = open_page(server=small_app)
    assert page.locator("h1").inner_text() == "Sharpness is 4, word is rain"
    assert page.locator("[data-testid=stVegaLiteChart] svg, canvas").count() == 1


def test_settling_waits_for_the_run_that_a_slider_starts(open_page, small_app):
    page = open_page(server=small_app)
    for expected in (5, 6, 7):
        page.get_by_role("slider").press("ArrowRight")
        settle(page)
        assert page.locator("h1").inner_text() == f"Sharpness is {expected}, word is rain"


def test_settling_waits_for_the_last_of_several_changes(open_page, small_app):
    page = open_page(server=small_app)
    word = page.get_by_role("textbox", name="Word")
    word.fill("jacket")
    word.press("Enter")
    for _ in range(4):
        page.get_by_role("slider").press("ArrowRight")
    settle(page)
    assert page.locator("h1").inner_text() == "Sharpness is 8, word is jacket"


def test_settling_waits_for_a_server_that_is_slow_to_answer(open_page, small_app):
    page = open_page(server=small_app)
    os.kill(small_app.pid, signal.SIGSTOP)
    threading.Timer(1.5, os.kill, (small_app.pid, signal.SIGCONT)).start()
    page.get_by_role("slider").press("ArrowRight")
    settle(page)
    assert page.locator("h1").inner_text() == "Sharpness is 5, word is rain"


def test_settling_waits_for_a_fragment(open_page, small_app):
    page = open_page(server=small_app)
    page.get_by_test_id("stNumberInputStepUp").click()
    settle(page)
    assert page.locator("h3").inner_text() == "Times is 1"


def test_settling_waits_for_a_run_that_asks_for_another(open_page, small_app):
    page = open_page(server=small_app)
    page.get_by_role("button", name="Twice").click()
    settle(page)
    assert page.locator("h2").inner_text() == "Ran again"


def test_settling_waits_for_a_page_that_is_loading_anew(open_page, small_app):
    page = open_page(server=small_app)
    with page.expect_navigation(url="**/?again=1", wait_until="commit"):
        page.evaluate("() => { setTimeout(() => location.assign('?again=1')) }")
    settle(page)
    assert page.locator("h1").inner_text() == "Sharpness is 4, word is rain"


def test_a_deep_link_to_a_fresh_server_is_no_problem(open_page, start_server, tmp_path: Path):
    server = start_server("app.py", folder=write_app(TWO_PAGES, tmp_path))
    page = open_page("/second", server=server)
    assert page.locator("h1").inner_text() == "Second"


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_visit_has_the_theme_and_the_motion_it_asks_for(open_page, small_app, theme):
    page = open_page(server=small_app, theme=theme, width=390, height=844, reduced_motion=True)
    for query in (f"(prefers-color-scheme: {theme})", "(prefers-reduced-motion: reduce)"):
        assert page.evaluate("query => matchMedia(query).matches", query)
    assert page.evaluate("[innerWidth, innerHeight, devicePixelRatio]") == [390, 844, 1]


@pytest.mark.parametrize(
    ("script", "noted"),
    [
        ("() => console.error('chart broke')", r"console error: chart broke"),
        ("() => console.warn('Infinite extent for field')", r"console warning: Infinite extent"),
        ("() => { setTimeout(() => { throw Error('oops') }) }", r"uncaught error: .*oops"),
        ("() => { setTimeout(() => alert('hello')) }", r"dialog: hello"),
        (
            "() => { new Image().src = 'http://localhost:9/x' }",
            r"another host: http://localhost:9/x",
        ),
    ],
)
def test_a_visit_notes_what_should_not_happen(browser: Browser, small_app, script, noted):
    visit = Visit(browser.new_page(), small_app.url)
    page = visit.open("/")
    assert visit.problems == []
    page.evaluate(script)
    page.wait_for_timeout(200)
    visit.page.close()
    assert any(re.search(noted, problem) for problem in visit.problems), visit.problems


def test_axe_sees_what_is_scrolled_out_of_sight(open_page, small_app):
    page = open_page(server=small_app)
    findings = serious_findings(page)
    assert any("hard to read" in finding for finding in findings), findings
    assert page.viewport_size == {"width": 1280, "height": 800}


def test_a_server_stops_with_its_block(tmp_path: Path):
    with serve("app.py", folder=write_app("", tmp_path)) as server:
        os.kill(server.pid, 0)
    with pytest.raises(ProcessLookupError):
        os.kill(server.pid, 0)


def test_a_server_that_cannot_start_shows_its_log(tmp_path: Path):
    message = r"(?s)The server ended\. Its log:.*missing\.py"
    with pytest.raises(RuntimeError, match=message), serve("missing.py", folder=tmp_path):
        pass


def test_a_chromium_that_is_not_there_is_an_error(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("CHROMIUM", "/nowhere/chromium")
    with pytest.raises(FileNotFoundError, match="CHROMIUM must be the path of a browser; got"):
        chromium.executable()
