"""How the tests of the pages run the app."""

from collections.abc import Iterator

import pytest
from streamlit.runtime.pages_manager import PagesManager

from tests.pages.app import on_a_visited_server


@pytest.fixture(autouse=True, scope="session")
def visited_server() -> Iterator[None]:
    """Let every run happen on a server that somebody has visited."""
    with on_a_visited_server():
        yield


@pytest.fixture
def fresh_server(monkeypatch: pytest.MonkeyPatch) -> None:
    """A server that nobody has visited; the first run of the test is its first."""
    monkeypatch.setattr(PagesManager, "uses_pages_directory", None)
