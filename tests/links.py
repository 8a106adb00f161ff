"""python -m tests.links: thousands of random and hostile links, and what each of them costs.

    --links N      links opened without a browser, shared out among the pages (10,000)
    --browser N    links opened in a real Chromium (100)
    --seed S       other links
    --workers W    processes that share the work

Every key of every page is drawn, most often with the others of its page, and with those of others
too: doubled, wrong, huge, empty, very long, and with markup in it. The ordinary tests draw from the
same keys; here are more of them, and time and memory are watched, which on a busy machine no test
may do. A run's time is that of the processor, and the slowest are run again before they count.
"""

from __future__ import annotations

import argparse
import logging
import resource
import sys
import time
import traceback
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from multiprocessing import get_context
from typing import Any
from urllib.parse import urlencode

import streamlit
from hypothesis import HealthCheck, Phase, assume, given, settings
from hypothesis import seed as seeded
from hypothesis import strategies as st
from playwright.sync_api import sync_playwright

from mha.training import Settings
from pages.parts.training.shelf import shelf
from tests.browser.chromium import launch_options
from tests.browser.server import serve
from tests.browser.visit import Visit
from tests.pages.app import PAGES, markdown, on_a_visited_server, open_page, protos
from tests.pages.test_links import (
    KEYS,
    MARKUP,
    assert_stands,
    is_shown_as_it_is,
    keys_of_page,
    links,
)

Link = dict[str, Any]
MOST_SECONDS = 1.0  # of the processor, for a run
PORTION = 500  # links of one process, since Hypothesis remembers what it drew
MOST_MEBIBYTES = 256  # by which a process may grow, once every page has been open
MOST_KEYS = 30  # of one link
MOST_ADDRESS = 30_000  # characters; a server may refuse a longer one
KEPT = 5  # of the slowest
TINY = Settings(("copy", "brackets"), d_model=8, n_heads=2, steps=6)  # a run that is there
TRAINED: Link = {
    **{"train_tasks": ["copy", "brackets"], "train_size": "as in the sidebar"},
    **{"train_steps": "6", "d_model": "8", "heads": "2"},
}

# What no sentence of ours has in it.
ALIVE = [markup for markup in MARKUP if len(markup) > 6 and not markup.isalpha()]
# What a browser would have made of it.
MADE = """() => [...document.querySelectorAll(
    '[onerror], [src="x"], [src^="http://x"], [href^="javascript:"]'
)].map(element => element.outerHTML.slice(0, 200))"""


@dataclass
class Seen:
    """What some links cost: the slowest runs, and the largest of everything else."""

    links: int = 0
    slowest: list[tuple[float, str, Link]] = field(default_factory=list)
    message: tuple[int, str, Link] = (0, "", {})  # bytes of the largest that a page was sent
    grown: float = 0.0  # MiB
    faults: list[str] = field(default_factory=list)

    def add(self, other: Seen) -> None:
        self.links += other.links
        slowest = [*self.slowest, *other.slowest]
        self.slowest = sorted(slowest, key=lambda run: -run[0])[:KEPT]
        self.message = max(self.message, other.message, key=lambda one: one[0])
        self.grown = max(self.grown, other.grown)
        self.faults += other.faults


@st.composite
def visits(draw, by_page: dict[str, list[str]]) -> tuple[str, Link]:
    """A page and a link to it: with the page's own keys most often, or with anybody's."""
    page = draw(st.sampled_from(PAGES))
    keys = draw(st.sampled_from([by_page[page], by_page[page], list(KEYS)]))
    link = draw(links(keys, MOST_KEYS))
    if page == "training" and draw(st.booleans()):
        link |= TRAINED
    return page, link


def run(page: str, link: Link) -> tuple[float, Any]:
    """Open the page, and the processor's seconds that it took."""
    began = time.process_time()
    app = open_page(page, **link)
    return time.process_time() - began, app


def run_anew(page: str, link: Link) -> float:
    """The seconds, with nothing in the caches of data."""
    streamlit.cache_data.clear()
    return run(page, link)[0]


def judge(page: str, link: Link, seen: Seen) -> None:
    """Open the page by the link, hold it to what every page is held to, and note what it cost."""
    seconds, app = run(page, link)
    assert_stands(app)
    alive = [
        (markup, text)
        for text in markdown(app)
        for markup in ALIVE
        if markup in text and not is_shown_as_it_is(markup, text)
    ]
    assert not alive
    began = time.process_time()
    app.run()  # as at the visitor's next click
    again = time.process_time() - began
    assert_stands(app)
    largest = max(proto.ByteSize() for proto in protos(app))
    cost = Seen(1, [(max(seconds, again), page, link)], (largest, page, link))
    seen.add(cost)


def walk(how_many: int, seed: int) -> Seen:
    """So many links, one after the other, in this process."""
    logging.disable(logging.WARNING)
    seen = Seen()
    with on_a_visited_server():
        by_page = {page: sorted(keys_of_page(page)) for page in PAGES}  # loads all there is
        shelf().begin(TINY).work(60, lambda: None)
        for page in PAGES:
            open_page(page, **(TRAINED if page == "training" else {}))
        before = peak_mebibytes()

        @seeded(seed)
        @settings(
            max_examples=how_many,
            database=None,
            deadline=None,
            phases=[Phase.generate, Phase.shrink],
            suppress_health_check=list(HealthCheck),
        )
        @given(visits(by_page))
        def every_link(visit: tuple[str, Link]) -> None:
            judge(*visit, seen)

        try:
            every_link()
        except BaseException as fault:  # told at the end, with what was measured until then
            seen.faults.append("".join(traceback.format_exception(fault)))
        seen.grown = peak_mebibytes() - before
        # A processor that others use is slow now and then: the least of three counts. What a
        # visit has left in the caches must not help the next.
        seen.slowest = sorted(
            [
                (min(seconds, *(run_anew(page, link) for _ in range(2))), page, link)
                for seconds, page, link in seen.slowest
            ],
            key=lambda one: -one[0],
        )
        if len(shelf()) != 1:
            seen.faults.append(f"A link must start no training; got {len(shelf())} runs, not 1.")
    return seen


def peak_mebibytes() -> float:
    """The most memory that this process has held so far."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / 2**20 if sys.platform == "darwin" else peak / 2**10


def look(how_many: int, seed: int) -> list[str]:
    """Open so many links in a real browser; what went wrong there."""
    faults: list[str] = []
    by_page = {page: list(KEYS) for page in PAGES}
    with serve() as server, sync_playwright() as playwright:
        browser = playwright.chromium.launch(**launch_options())
        tab = browser.new_page()

        @seeded(seed)
        @settings(
            max_examples=how_many,
            database=None,
            deadline=None,
            phases=[Phase.generate],
            suppress_health_check=list(HealthCheck),
        )
        @given(visits(by_page))
        def every_link(visited: tuple[str, Link]) -> None:
            page, link = visited
            address = f"/{'' if page == 'overview' else page}?{urlencode(link, doseq=True)}"
            assume(len(address) <= MOST_ADDRESS)
            visit = Visit(tab, server.url)
            try:
                visit.open(address)
                made = tab.evaluate(MADE)
                title = tab.get_by_role("heading", level=1).count()
            finally:
                visit.leave()
            if visit.problems or made or title != 1:
                faults.append(f"{address[:300]}: {visit.problems}, {made}, {title} titles")

        every_link()
        browser.close()
    return faults


def tell(seen: Seen, browsed: int) -> bool:
    """Print what was seen; whether all of it is within its bounds."""
    print(f"{seen.links:,} links, and {browsed:,} in a browser")
    seconds, *slowest = seen.slowest[0]
    size, *largest = seen.message
    print(f"slowest run {seconds:.2f} s of the processor, at most {MOST_SECONDS:g}")
    print(f"    {shortened(*slowest)}")
    print(f"largest message {size:,} bytes")
    print(f"    {shortened(*largest)}")
    print(f"memory of a process grew by {seen.grown:.0f} MiB, at most {MOST_MEBIBYTES}")
    for fault in seen.faults:
        print(f"\n{fault}")
    return not seen.faults and seconds <= MOST_SECONDS and seen.grown <= MOST_MEBIBYTES


def shortened(page: str, link: Link) -> str:
    """A link in so few words that one can read them."""
    values = [f"{key}={str(value)[:24]!r}" for key, value in link.items()]
    return f"{page}: {', '.join(values)}"


def main() -> None:
    parser = argparse.ArgumentParser(description="Open hostile links, and watch what they cost.")
    parser.add_argument("--links", type=int, default=10_000)
    parser.add_argument("--browser", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--workers", type=int, default=2)
    asked = parser.parse_args()
    seen = Seen()
    shares = [PORTION] * (asked.links // PORTION) + [asked.links % PORTION]
    shares = list(filter(None, shares))
    seeds = range(asked.seed, asked.seed + len(shares))
    with ProcessPoolExecutor(
        asked.workers, mp_context=get_context("spawn"), max_tasks_per_child=1
    ) as workers:
        for one in workers.map(walk, shares, seeds):
            seen.add(one)
    if asked.browser:
        seen.faults += look(asked.browser, asked.seed)
    sys.exit(0 if tell(seen, asked.browser) else 1)


if __name__ == "__main__":
    main()
