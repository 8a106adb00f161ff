"""A page that fails: what a visitor sees, the ways on, and what the server's log keeps."""

from __future__ import annotations

from playwright.sync_api import expect

from tests.browser.a11y import serious_findings
from tests.browser.server import ROOT
from tests.browser.visit import settle

SECRET = "a-secret-word"
SCRIPT = f"""
import sys
sys.path.insert(0, {str(ROOT)!r})
import streamlit as st
from pages.parts import mishap

mishap.set_up()
word = st.query_params.get("tokens")

def fail():
    raise ValueError(f"tokens must be words; got tokens={{word}}")

@st.fragment
def piece():
    if st.button("In a fragment"):
        fail()

st.title("A page")
st.button("In a callback", on_click=fail)
piece()
if "fails" in st.query_params:
    fail()
"""


def test_a_page_that_fails_says_so_and_leads_on(open_page, start_server, tmp_path):
    script = tmp_path / "fails.py"
    script.write_text(SCRIPT)
    server = start_server(str(script))
    page = open_page(f"/?tokens={SECRET}", server=server)
    told = page.locator(".st-key-mishap")
    for button in ("In a callback", "In a fragment"):
        page.get_by_role("button", name=button).click()
        expect(told).to_contain_text("a fault of its own")
        told.get_by_role("link", name="This page with your words").click()
        expect(told).to_have_count(0)
        settle(page)
    page.goto(f"{server.url}/?tokens={SECRET}&fails=1")
    settle(page)
    expect(told).to_contain_text("a fault of its own")
    assert serious_findings(page) == []
    told.get_by_role("link", name="The first page").click()
    page.wait_for_url(f"{server.url}/")
    settle(page)
    log = server.log.read_text()
    assert log.count("ValueError; its message is left out") == 3
    assert SECRET not in log
