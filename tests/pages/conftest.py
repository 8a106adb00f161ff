"""How the tests of the pages run the app."""

from collections.abc import Iterator

import pytest
from streamlit.components.v2.component_manager import BidiComponentManager
from streamlit.runtime.pages_manager import PagesManager
from streamlit.testing.v1 import app_test


class _Forgetful(PagesManager):
    """Takes what AppTest forgets before each run, so that the server's own manager does not."""


def _find_nothing(*_: object, **__: object) -> None:
    pass


@pytest.fixture(autouse=True, scope="session")
def visited_server() -> Iterator[None]:
    """Let every run happen on a server that somebody has visited.

    A server learns at its first visit that the app names its pages itself, and keeps that. AppTest
    makes it forget before every run, so that each would begin as the first on a fresh server does.
    It also looks through every installed package for components, anew for every visitor; the app
    has its own components only.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(BidiComponentManager, "discover_and_register_components", _find_nothing)
        patch.setattr(app_test, "PagesManager", _Forgetful)
        patch.setattr(PagesManager, "uses_pages_directory", False)
        yield


@pytest.fixture
def fresh_server(monkeypatch: pytest.MonkeyPatch) -> None:
    """A server that nobody has visited; the first run of the test is its first."""
    monkeypatch.setattr(PagesManager, "uses_pages_directory", None)
