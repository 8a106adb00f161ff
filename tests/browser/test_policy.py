"""The headers of every answer: they are sent, and their policy forbids nothing that is used."""

from __future__ import annotations

from urllib.request import urlopen

import pytest
from playwright.sync_api import Page

from pages.parts.server import HEADERS
from tests.browser.reading import addresses, go_to
from tests.browser.visit import settle

# What the policy has forbidden since the page was loaded, whether or not anybody looked. Reports
# are delivered one turn of the event loop later, and a report of ours is the last of them.
FORBIDDEN = """() => new Promise((resolve) => {
    const found = [];
    new ReportingObserver((reports) => {
        found.push(...reports.map(({body}) => `${body.effectiveDirective} ${body.blockedURL}`));
        if (found.some((text) => text.includes("last.invalid"))) resolve(found);
    }, {types: ["csp-violation"], buffered: true}).observe();
    fetch("http://last.invalid/").catch(() => {});
})"""


def forbidden(page: Page) -> list[str]:
    *found, last = page.evaluate(FORBIDDEN)
    assert last == "connect-src http://last.invalid/"
    return found


@pytest.mark.parametrize("address", ["/", "/favicon.png", "/_stcore/health", "/tour?heads=8"])
def test_every_answer_has_the_headers(server, address):
    with urlopen(f"{server.url}{address}") as answer:
        assert {name: answer.headers.get_all(name) for name in HEADERS} == {
            name: [value] for name, value in HEADERS.items()
        }


def test_nothing_may_come_from_another_host_and_nothing_is_evaluated():
    for part in HEADERS["Content-Security-Policy"].split("; "):
        what, *allowed = part.split()
        assert {where for where in allowed if not where.startswith("'sha256-")} <= {
            *("'none'", "'self'", "'wasm-unsafe-eval'", "blob:"),
            *(("'unsafe-inline'",) if what == "style-src" else ()),
            *(("data:",) if what in ("img-src", "font-src") else ()),
        }


def test_the_policy_forbids_nothing_that_a_page_does(open_page):
    page = open_page("/", allow=("last.invalid",))
    for address in addresses():
        go_to(page, address)
        sliders = page.get_by_test_id("stMain").get_by_role("slider")
        if sliders.count():
            sliders.last.press("ArrowRight")
            settle(page)
    assert forbidden(page) == []
