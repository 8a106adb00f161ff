"""The app under the headers of deploy/nginx.conf: their policy forbids nothing that is used."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Page

from tests.browser.headers import behind, headers_of
from tests.browser.reading import addresses, go_to
from tests.browser.server import Server
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


@pytest.fixture
def headed(server: Server) -> Iterator[Server]:
    """The app's server, seen through nginx's headers."""
    with behind(server, headers_of()) as running:
        yield running


def forbidden(page: Page) -> list[str]:
    *found, last = page.evaluate(FORBIDDEN)
    assert last == "connect-src http://last.invalid/"
    return found


def test_the_policy_forbids_nothing_that_a_page_does(headed, open_page):
    page = open_page("/", server=headed, allow=("last.invalid",))
    for address in addresses():
        go_to(page, address)
        sliders = page.get_by_test_id("stMain").get_by_role("slider")
        if sliders.count():
            sliders.last.press("ArrowRight")
            settle(page)
    assert forbidden(page) == []
