"""A tiny run for the tests of the page of learned heads, and how they press and read."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from mha.training import Settings
from pages.parts.training import watch
from pages.parts.training.choose import SIDEBAR
from pages.parts.training.shelf import shelf
from tests.pages.app import read

PAGE = "training"
TINY = Settings(("copy", "brackets"), d_model=8, n_heads=2, steps=6)
LINK = {"train_tasks": ["copy", "brackets"], "train_size": SIDEBAR, "train_steps": 6}
LINK |= {"d_model": 8, "heads": 2}


@pytest.fixture(autouse=True)
def empty_shelf(one_thread) -> Iterator[None]:
    shelf.cache_clear()
    yield
    shelf.cache_clear()


@pytest.fixture
def step_by_step(monkeypatch) -> None:
    """Each slice of work is one step."""
    monkeypatch.setattr(watch, "SLICE_SECONDS", 0)


def press(app, name: str):
    (button,) = [button for button in app.main.button if button.label == name]
    return button.click().run()


def pictures(app, begins: str) -> list:
    """The pictures of which a screen reader is told words that begin so."""
    return [c for c in app.get("vega_lite_chart") if c.proto.alt.startswith(begins)]


def text(app) -> str:
    return read("\n".join(markdown.value for markdown in app.main.markdown))


def said(boxes) -> list[str]:
    return [read(box.value) for box in boxes]
