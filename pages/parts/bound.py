"""Widgets that the link keeps, with a message where a link asks one of them for what cannot be.

The browser writes a widget's change into the link by itself. Where a callback sets a widget,
Streamlit writes the whole link anew from what it knows of it, and that is only what it wrote
before. So `changed` notes what the browser has written since, and `assign` sets it again too.

Streamlit shows the default, or the nearest that it can read, without a word. A link is judged just
before its widget is first drawn; the message stays until the visitor chooses a value or leaves.
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
_PAGE, _NOTES, _TOLD = "page", "notes_of_the_page", "notes_told"  # notes by key
_UNTOLD, _WRITTEN = "changed_by_the_browser", "link_written_at"
_DUE, _STOPS = "to_be_set_at_once", "stops_of_sliders"  # values, and options, by key
_ON_ITS_WAY_SECONDS = 0.5
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
    that it is written once more. Not later: what is written here also sets the widget, and a hand
    that is still moving it would be set back.
    """
    st.session_state.setdefault(_UNTOLD, set()).add(key)
    if time.monotonic() - st.session_state.get(_WRITTEN, -math.inf) < _ON_ITS_WAY_SECONDS:
        st.session_state[key] = st.session_state[key]


def arrive(page: str) -> None:
    """Forget the messages of the page that the visitor comes from; called before anything is drawn.

    What a page found that it must set, and could not, since widgets were drawn, is set now.
    """
    if st.session_state.get(_PAGE) != page:
        st.session_state[_PAGE] = page
        st.session_state[_NOTES], st.session_state[_TOLD] = {}, set()
        st.session_state[_STOPS] = {}
    for key, value in st.session_state.pop(_DUE, {}).items():
        assign(key, value)


def segments(
    label: str,
    options: Sequence[Option],
    *,
    key: str,
    required: bool = True,
    format_func: Callable[[Option], str] = str,
    on_change: Callable[..., None] | None = None,
    args: tuple[Any, ...] = (),
    tell_in: Place = st,
    **look: Any,
) -> Option | None:
    """A segmented control whose first option is the default; or none, if that is not required."""
    default = options[0] if required else None
    names = [format_func(option) for option in options]
    _judge(key, _rule(names), names.__contains__, shown=names[0] if required else None)
    value = st.segmented_control(
        label,
        options,
        default=default,
        required=required,
        format_func=format_func,
        **_kept(key, on_change, args),
        **look,
    )
    _tell(key, tell_in)
    return default if value is None else value  # an empty value in the link clears the choice


def several(
    label: str,
    options: Sequence[str],
    *,
    key: str,
    default: Sequence[str] = (),
    on_change: Callable[..., None] | None = None,
    args: tuple[Any, ...] = (),
    tell_in: Place = st,
    **look: Any,
) -> list[str]:
    """Any number of the options, in their order; the link holds the key once for each."""
    rule = f"any of {', '.join(options)}" if len(options) <= _MOST_LISTED else _rule(options)
    if key not in st.session_state:
        asked = st.query_params.get_all(key)
        kept = [option for option in options if option in asked]
        wrong = [text for text in asked if text and text not in options]
        if wrong:
            shown = ", ".join(kept or default) or None
            st.session_state[_NOTES][key] = message(key, rule, wrong[0], shown)
            st.query_params[key] = kept
            st.rerun()  # the widgets read the link as it was when the run began
    else:  # options may have gone from under the choice
        gone = set(st.session_state[key]) - set(options)
        if gone:
            st.session_state[key] = [one for one in st.session_state[key] if one not in gone]
    value = st.pills(
        label,
        options,
        selection_mode="multi",
        default=list(default),
        wrap=True,
        **_kept(key, on_change, args),
        **look,
    )
    _tell(key, tell_in)
    return [option for option in options if option in value]


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
    shown = placeholder if index is None else options[index]
    _judge(key, what or _rule(options), list(options).__contains__, shown=shown)
    value = st.selectbox(
        label,
        options,
        index=index,
        placeholder=placeholder,
        **_kept(key, on_change, args),
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
        **_kept(key),
        **look,
    )
    _tell(key, tell_in)
    return got


def stops(
    label: str,
    options: Sequence[str],
    *,
    key: str,
    mend: Callable[[str], tuple[str, str | None]],
    index: int = 0,
    on_change: Callable[..., None] | None = None,
    tell_in: Place = st,
    **look: Any,
) -> str:
    """A slider over options that may change under its value.

    mend: the option to take for a value that is none of them, and what to say of it, if anything.
    """
    if st.session_state[_STOPS].get(key) != options:  # a message about others is old
        st.session_state[_STOPS][key] = options
        st.session_state[_NOTES].pop(key, None)
    is_drawn = key in st.session_state
    asked = st.session_state[key] if is_drawn else st.query_params.get(key)
    if asked and asked not in options:
        taken, note = mend(asked)
        if note is not None:
            st.session_state[_NOTES][key] = note
        if is_drawn:
            st.session_state.setdefault(_DUE, {})[key] = taken
        else:
            st.query_params[key] = taken
        st.rerun()
    value = st.select_slider(label, options, value=options[index], **_kept(key, on_change), **look)
    _tell(key, tell_in)
    return value


def number(
    label: str,
    low: int,
    high: int,
    *,
    value: int | None,
    key: str,
    step: int = 1,
    on_change: Callable[..., None] | None = None,
    args: tuple[Any, ...] = (),
    tell_in: Place = st,
    **look: Any,
) -> int | None:
    """A whole number to be typed; without a value, none is there at first."""
    rule = f"a whole number from {low:,} to {high:,}"

    def fits(text: str) -> bool:
        return text.isascii() and text.isdigit() and len(text) < 9 and low <= int(text) <= high

    _judge(key, rule, fits, shown=value)
    got = st.number_input(
        label,
        low,
        high,
        value=value,
        step=step,
        **_kept(key, on_change, args),
        **look,
    )
    _tell(key, tell_in)
    return got


def write(label: str, *, key: str, longest: int, tell_in: Place = st, **look: Any) -> str:
    """A short text, empty at first, that is told as it is typed."""
    _judge(key, f"at most {longest} characters", lambda text: len(text) <= longest, shown=None)
    text = st.text_input(label, live=True, max_chars=longest, **_kept(key), **look)
    _tell(key, tell_in)
    return text


def area(
    label: str, *, value: str, key: str, longest: int, tell_in: Place = st, **look: Any
) -> str:
    """A text of several lines, told when it is left."""
    _judge(
        key,
        f"at most {longest:,} characters",
        lambda text: len(text) <= longest,
        shown="the example",
    )
    text = st.text_area(label, value=value, max_chars=longest, **_kept(key), **look)
    _tell(key, tell_in)
    return text


def turn(label: str, *, key: str, tell_in: Place = st, **look: Any) -> bool:
    """A toggle, off at first."""
    _judge(key, "true or false", lambda text: text.lower() in ("true", "false"), shown="false")
    value = st.toggle(
        label,
        **_kept(key),
        **look,
    )
    _tell(key, tell_in)
    return value


def _rule(names: Sequence[str]) -> str:
    if len(names) > _MOST_LISTED:
        return "one of those in its list"
    return f"one of {', '.join(names)}"


def _judge(key: str, rule: str, fits: Callable[[str], bool], *, shown: object | None) -> None:
    """Take a wrong value out of the link, and note it, before the widget is drawn at all.

    Streamlit would read some of them as others: 3.7 as 3.
    """
    if key in st.session_state:
        return
    told = st.session_state[_TOLD]
    if key in told:  # the widget comes back after a while: its message is old
        told.discard(key)
        st.session_state[_NOTES].pop(key, None)
    asked = st.query_params.get(key)
    if asked and not fits(asked):
        st.session_state[_NOTES][key] = message(key, rule, asked, shown)
        del st.query_params[key]
        st.rerun()  # the widgets read the link as it was when the run began


def _tell(key: str, place: Place) -> None:
    note = st.session_state[_NOTES].get(key)
    if note is not None:
        st.session_state[_TOLD].add(key)
        place.warning(plain(note), icon=":material/info:")


def _kept(
    key: str, on_change: Callable[..., None] | None = None, args: tuple[Any, ...] = ()
) -> dict[str, Any]:
    """What makes a widget the link's: its key there, and what its change sets off."""
    return {
        "key": key,
        "bind": "query-params",
        "on_change": _answered,
        "args": (key, on_change, args),
    }


def _answered(key: str, on_change: Callable[..., None] | None, args: tuple[Any, ...]) -> None:
    """A visitor's own choice makes the message about the link's old news."""
    st.session_state[_NOTES].pop(key, None)
    changed(key)
    if on_change is not None:
        on_change(*args)
