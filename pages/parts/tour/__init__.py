"""The tour of a talk: an ordered list of links, each with a line of notes, kept by the browser.

A stop is {"link": "/split_merge?heads=8", "note": "What the lecturer says."}. The server holds
nothing: the list lies in the browser's storage, the place in it in the tab's, and going to a stop
is a plain load of its link. While a tour plays, a bar at the bottom of every page moves it; so does
the event `explorer:move`, which the keys of presenter mode send.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import streamlit as st

from pages.parts import scene

_HERE = Path(__file__).parent
_WATCH = "tour_watch"
_SHARED = ("rules", "store", "elements")


def _component(name: str, html: str, *more: str) -> Any:
    """The parts of one module in order, since Streamlit takes its script as one text."""
    return st.components.v2.component(
        f"mha_tour_{name}",
        html=html,
        css=(_HERE / "tour.css").read_text("utf-8"),
        js="\n".join((_HERE / f"{part}.js").read_text("utf-8") for part in (*_SHARED, *more, name)),
    )


_watch = st.components.v2.component(
    "mha_tour_watch", js=(_HERE / "watch.js").read_text("utf-8"), isolate_styles=False
)
_bar = _component("bar", '<div class="bar" role="region" aria-label="Tour" hidden></div>')
_add = _component("add", '<form class="add"></form>')
_start = _component("start", '<div class="start"></div>')
_editor = _component("editor", '<div class="editor"></div>', "drag")


def default() -> list[dict[str, str]]:
    """The tour that comes with the app: the whole lesson."""
    return json.loads((_HERE / "default.json").read_text("utf-8"))


def bar() -> None:
    """Mount the bar where this tab plays a tour; else only what watches for one."""
    plays = st.session_state.get(_WATCH, {}).get("plays") is True
    with st.container(key="tour_bar"):
        _watch(data={"plays": plays}, key=_WATCH, on_plays_change=_nothing_more)
        if plays:
            _bar(data={"pages": _pages()}, key="tour_bar_component", height="content")


def _nothing_more() -> None:
    """The run that follows is all that a change asks for."""


@st.dialog("Add this view to your tour", width="medium")
def add(link: str, title: str) -> None:
    """Ask for a line of notes, and let the browser keep the stop.

    link: within the app, as `/page?query`.
    title: the page's.
    """
    _add(data={"pages": _pages(), "link": link, "title": title}, key="tour_add", height="content")


def start() -> None:
    """Draw the button that starts the visitor's own tour, or else the lesson."""
    _start(data={"pages": _pages(), "lesson": default()}, key="tour_start", height="content")


def editor() -> None:
    """Draw the list of stops, to be changed, saved as a file, loaded and played."""
    _editor(data={"pages": _pages(), "lesson": default()}, key="tour_editor", height="content")


@cache
def _pages() -> list[dict[str, str]]:
    return [{"path": page.url_path, "title": page.title} for page in scene.pages()]
