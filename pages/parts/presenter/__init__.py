"""Presenter mode: large type, nothing but the page, and its steps a key away; `present` in a link.

What is hidden, and how large all else is, stands in presenter.css; the keys in presenter.js. A page
says with `is_walk` which of its controls are its steps (see `pages.parts.bound.walks`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NoReturn

import streamlit as st

from pages.parts import bound
from pages.parts.words import plain

_KEY, _COMPONENT = "present", "presenter"
_TOLD = "presenter_told"  # how many moves of the browser this session has heard of
_WAYS = ("before", "after")  # as in presenter.css and presenter.js

_HERE = Path(__file__).parent
_STYLE = _HERE / "presenter.css"
_presenter = st.components.v2.component(
    "mha_presenter",
    html=(_HERE / "markup.html").read_text("utf-8"),
    css=(_HERE / "bar.css").read_text("utf-8"),
    js="\n".join((_HERE / f"{name}.js").read_text("utf-8") for name in ("measure", "presenter")),
)


def toggle() -> None:
    """Draw the switch that the link keeps; a page in presenter mode hides it with the sidebar."""
    bound.turn(
        "Present",
        key=_KEY,
        help="For a projector: large type, no controls. → and ← or a remote walk through the "
        "steps, Escape ends it, ? lists all keys.",
    )


def is_on() -> bool:
    """Whether this visitor presents."""
    return bool(st.session_state.get(_KEY))


def aside(name: str) -> bound.Place:
    """A place for what is no part of a presentation: what to press, and headings of controls."""
    return st.container(key=f"aside_{name}")


def shared_by_steps() -> bound.Place:
    """A place for the picture that all steps share; one a page."""
    return st.container(key="shared_by_steps")


def of_step(leads: bool) -> bound.Place:
    """A place for what a step adds; where it leads, it comes first in a presentation."""
    return st.container(key="leading_step" if leads else None)


def named(name: str, text: str) -> str:
    """A text as Markdown, under the name of what it is about where the control with it is away."""
    return f"**{plain(name)}**: {text}" if is_on() else text


def options(names: Sequence[str]) -> None:
    """Say what there is to choose where the control for it is away."""
    if is_on():
        st.markdown(f"{', '.join(names[:-1])} or {names[-1]}?".capitalize())


class _End(Exception):  # noqa: N818 - it is no error
    """A page has no more to show."""


def end() -> NoReturn:
    """End the page here. After `st.stop()` nothing could be drawn, and the bar would be gone."""
    raise _End


@contextmanager
def around(page: st.Page, pages: Sequence[st.Page]) -> Iterator[None]:
    """Run a page inside, and draw the bar with its steps once they are known.

    Args:
        page: the one that runs.
        pages: all of them, in the order in which they are presented.
    """
    if is_on():
        st.html(_STYLE)
        bar = st.container(key=_COMPONENT)  # before the page, so that it stays while pages change
    with suppress(_End):
        yield
    if is_on():
        _fill(bar, page, pages)


def _fill(bar: bound.Place, page: st.Page, pages: Sequence[st.Page]) -> None:
    here = [one.url_path for one in pages].index(page.url_path)
    beside = dict(zip(_WAYS, ([None, *pages][here], [*pages, None][here + 1]), strict=True))
    with bar:
        for way, other in beside.items():
            if other is not None:
                with st.container(key=f"presenter_{way}"):
                    st.page_link(other)
        _presenter(
            data={
                "page": page.title,
                "walks": [
                    {"key": walk.key, "names": walk.names, "at": walk.at} for walk in bound.walks()
                ],
                **{way: other and other.title for way, other in beside.items()},
                "told": st.session_state.get(_TOLD, 0),
            },
            key=f"{_COMPONENT}_bar",
            height="content",
            on_asked_change=_asked,
            on_left_change=_left,
        )


def _asked() -> None:
    """Go to the step that the browser shows already."""
    asked = bound.said(f"{_COMPONENT}_bar", "asked")
    if isinstance(asked, dict) and isinstance(asked.get("told"), int):
        st.session_state[_TOLD] = asked["told"]
        bound.walk_to(asked.get("key"), asked.get("at"))


def _left() -> None:
    bound.assign(_KEY, False)
