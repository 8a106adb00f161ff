"""Widgets that the link keeps, with a message where a link asks one of them for what cannot be.

The browser writes a widget's change into the link by itself. Where a callback sets a widget,
Streamlit writes the whole link anew from what it knows of it, and that is only what it wrote
before. So `changed` notes what the browser has written since, and `assign` sets it again too.

Streamlit shows the default for such a value without a word. A link is judged when its widget is
first drawn; the message stays until the visitor chooses a value or leaves the page.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import streamlit as st

from pages.parts.link import message
from pages.parts.words import plain

Option = TypeVar("Option")
Place = st.delta_generator.DeltaGenerator
_PAGE, _NOTES = "page", "notes_of_the_page"  # notes by key
_UNTOLD, _WRITTEN = "changed_by_the_browser", "link_written_at"
_ON_ITS_WAY_SECONDS = 2.0
_MOST_LISTED = 6


def assign(key: str, value: object) -> None:
    """Set a bound widget's value from a callback, and keep what the browser wrote into the link."""
    untold = st.session_state.get(_UNTOLD, set())
    for other in untold & set(st.session_state):
        st.session_state[other] = st.session_state[other]
    st.session_state[_UNTOLD] = set()
    st.session_state[_WRITTEN] = time.monotonic()
    st.session_state[key] = value


def changed(key: str) -> None:
    """Note that the browser has changed this widget; every bound widget's callback calls this.

    A link that was written here a moment ago may reach the browser after its own and undo it, so
    that it is written once more.
    """
    st.session_state.setdefault(_UNTOLD, set()).add(key)
    if time.monotonic() - st.session_state.get(_WRITTEN, -math.inf) < _ON_ITS_WAY_SECONDS:
        assign(key, st.session_state[key])


def note(key: str, text: str) -> None:
    """Show a message at this widget until it is changed, from another one's callback."""
    st.session_state[_NOTES][key] = text


def arrive(page: str) -> None:
    """Forget the messages of the page that the visitor comes from; called before a page runs."""
    if st.session_state.get(_PAGE) != page:
        st.session_state[_PAGE], st.session_state[_NOTES] = page, {}


def segments(
    label: str,
    options: Sequence[Option],
    *,
    key: str,
    format_func: Callable[[Option], str] = str,
    on_change: Callable[..., None] | None = None,
    args: tuple[Any, ...] = (),
    tell_in: Place = st,
    **look: Any,
) -> Option:
    """A segmented control with a choice always made; the first option is the default."""
    default = options[0]
    names = [format_func(option) for option in options]
    _judge(key, _rule(names), names.__contains__, shown=names[0])
    value = st.segmented_control(
        label,
        options,
        default=default,
        required=True,
        format_func=format_func,
        key=key,
        bind="query-params",
        on_change=_answered,
        args=(key, on_change, args),
        **look,
    )
    _tell(key, tell_in)
    return default if value is None else value  # an empty value in the link clears the choice


def pick(
    label: str,
    options: Sequence[str],
    *,
    key: str,
    index: int | None = 0,
    what: str | None = None,
    placeholder: str | None = None,
    on_change: Callable[..., None] | None = None,
    args: tuple[Any, ...] = (),
    tell_in: Place = st,
) -> str | None:
    """A list to choose from; without an index, nothing is chosen at first.

    what: "one of …", as the message names the options where they are too many to be listed.
    """
    shown = (placeholder or "none") if index is None else options[index]
    _judge(key, what or _rule(options), list(options).__contains__, shown=shown)
    value = st.selectbox(
        label,
        options,
        index=index,
        placeholder=placeholder,
        key=key,
        bind="query-params",
        on_change=_answered,
        args=(key, on_change, args),
    )
    _tell(key, tell_in)
    return value


def slide(
    label: str,
    low: float,
    high: float,
    *,
    value: float,
    key: str,
    tell_in: Place = st,
    **look: Any,
) -> float:
    """A slider over whole numbers, or over any where low, high and value are floats."""
    kind = "a number" if isinstance(low, float) else "a whole number"

    def fits(text: str) -> bool:
        try:
            number = type(low)(text)
        except ValueError:
            return False
        return math.isfinite(number) and low <= number <= high

    _judge(key, f"{kind} from {low:g} to {high:g}", fits, shown=f"{value:g}")
    got = st.slider(
        label,
        low,
        high,
        value=value,
        key=key,
        bind="query-params",
        on_change=_answered,
        args=(key, None, ()),
        **look,
    )
    _tell(key, tell_in)
    return got


def stop(
    label: str,
    options: Sequence[int],
    *,
    value: int,
    nearest: Callable[[int], int],
    rule: str,
    key: str,
    tell_in: Place = st,
    **look: Any,
) -> int:
    """A slider that stops at certain numbers, which may be others at the next run.

    Args:
        nearest: the number to take in place of one that the options have just lost.
        rule: "one of …", for the message about a number that is none of them.
    """
    _judge(key, rule, [str(option) for option in options].__contains__, shown=str(value))
    got = st.select_slider(
        label,
        options,
        value=value,
        key=key,
        bind="query-params",
        on_change=_answered,
        args=(key, None, ()),
        **look,
    )
    _tell(key, tell_in)
    return got if got in options else nearest(got)


def number(
    label: str,
    low: int,
    high: int,
    *,
    value: int | None,
    key: str,
    step: int = 1,
    tell_in: Place = st,
    **look: Any,
) -> int | None:
    """A whole number to be typed; without a value, none is there at first."""
    rule = f"a whole number from {low:,} to {high:,}"

    def fits(text: str) -> bool:
        return text.isascii() and text.isdigit() and len(text) < 9 and low <= int(text) <= high

    _judge(key, rule, fits, shown="none" if value is None else str(value))
    got = st.number_input(
        label,
        low,
        high,
        value=value,
        step=step,
        key=key,
        bind="query-params",
        on_change=_answered,
        args=(key, None, ()),
        **look,
    )
    _tell(key, tell_in)
    return got


def turn(label: str, *, key: str, tell_in: Place = st, **look: Any) -> bool:
    """A toggle, off at first."""
    _judge(key, "true or false", lambda text: text.lower() in ("true", "false"), shown="false")
    value = st.toggle(
        label,
        key=key,
        bind="query-params",
        on_change=_answered,
        args=(key, None, ()),
        **look,
    )
    _tell(key, tell_in)
    return value


def _rule(names: Sequence[str]) -> str:
    if len(names) > _MOST_LISTED:
        return "one of those in its list"
    return f"one of {', '.join(names)}"


def _judge(key: str, rule: str, fits: Callable[[str], bool], *, shown: str) -> None:
    """Note what the link asks wrongly, if this is the first time that the widget is drawn."""
    if key in st.session_state:
        return
    st.session_state[_NOTES].pop(key, None)
    asked = st.query_params.get(key)
    if asked and not fits(asked):
        st.session_state[_NOTES][key] = message(key, rule, asked, shown)


def _tell(key: str, place: Place) -> None:
    note = st.session_state[_NOTES].get(key)
    if note is not None:
        place.warning(plain(note), icon=":material/info:")


def _answered(key: str, on_change: Callable[..., None] | None, args: tuple[Any, ...]) -> None:
    """A visitor's own choice makes the message about the link's old news."""
    st.session_state[_NOTES].pop(key, None)
    changed(key)
    if on_change is not None:
        on_change(*args)
