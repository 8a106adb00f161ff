"""Fixtures of the browser tests: each test also fails on what its visits note."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, Playwright, sync_playwright

from tests.browser.chromium import launch_options
from tests.browser.server import Server, serve
from tests.browser.visit import Visit


@pytest.fixture(scope="session")
def server() -> Iterator[Server]:
    """Serve the app for the whole session."""
    with serve() as running:
        yield running


@pytest.fixture(scope="session")
def playwright() -> Iterator[Playwright]:
    with sync_playwright() as running:
        yield running


@pytest.fixture(scope="session")
def browser(playwright: Playwright) -> Iterator[Browser]:
    chromium = playwright.chromium.launch(**launch_options())
    yield chromium
    chromium.close()


@pytest.fixture(scope="session")
def returning_visitor(
    playwright: Playwright, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[BrowserContext]:
    """Somebody who has loaded the app's files before, as most visitors of a page have.

    Kept in a folder, where Chromium also keeps those files compiled: a page then opens with a
    quarter less work.
    """
    folder = tmp_path_factory.mktemp("chromium")
    context = playwright.chromium.launch_persistent_context(folder, **launch_options())
    yield context
    context.close()


@pytest.fixture(scope="session")
def tabs() -> list[Page]:
    """The tab that an earlier test left empty, if any: the app opens there with half the work."""
    return []


@pytest.fixture
def start_server() -> Iterator[Callable[..., Server]]:
    """Start fresh servers, as `serve(script, folder=...)` does, that run until the test is over."""
    with ExitStack() as servers:
        yield lambda *args, **kwargs: servers.enter_context(serve(*args, **kwargs))


# Asks for start_server so that its pages close before their server stops, which they would report.
@pytest.fixture
def open_page(
    returning_visitor: BrowserContext,
    tabs: list[Page],
    start_server: Callable[..., Server],
    request: pytest.FixtureRequest,
) -> Iterator[Callable[..., Page]]:
    """Open pages of the app, each in a window of its own, and wait until they have settled.

        open_page(path, *, width=1280, height=800, theme="light", server=None,
                  reduced_motion=False, allow=())

    At the end of the test it is an error if any of them logged an error, threw one, or asked
    another host for something, unless the note contains one of the texts in `allow`.
    """
    visits: list[tuple[Visit, tuple[str, ...]]] = []

    def open_one(
        path: str = "/",
        *,
        width: int = 1280,
        height: int = 800,
        theme: str = "light",
        server: Server | None = None,
        reduced_motion: bool = False,
        allow: tuple[str, ...] = (),
    ) -> Page:
        # Asked for only here: a test with servers of its own does not wait for the shared one.
        server = server or request.getfixturevalue("server")
        visit = Visit(
            tabs.pop() if tabs else returning_visitor.new_page(),
            server.url,
            width=width,
            height=height,
            theme=theme,
            reduced_motion=reduced_motion,
        )
        visits.append((visit, allow))
        return visit.open(path)

    yield open_one
    problems = []
    for visit, allow in visits:
        visit.leave()
        if tabs:
            visit.page.close()
        else:
            tabs.append(visit.page)
        problems += [p for p in visit.problems if not any(text in p for text in allow)]
    assert not problems, "\n".join(problems)


@pytest.fixture
def page(open_page: Callable[..., Page]) -> Page:
    """The app's front page, settled, in a window of 1280 x 800."""
    return open_page("/")
