"""What the server knows of the link: what the browser has changed, and what was wrong with it.

The browser writes a widget's change into the link by itself. Where a callback sets a widget,
Streamlit writes the whole link anew from what it knows of it, and that is only what it wrote
before. So `changed` notes what the browser has written since, and `assign` sets it again too.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from typing import Any

import streamlit as st

from pages.parts.link import message, nearest_name, spelled
from pages.parts.words import plain

Place = st.delta_generator.DeltaGenerator
_PAGE, NOTES, TOLD = "page", "notes_of_the_page", "notes_told"  # notes by key
_DRAWN, _SEEN = "bound_since", "bound_in_the_last_run"  # how the link names an option, by key
_UNTOLD, _WRITTEN = "changed_by_the_browser", "link_written_at"
DUE, STOPS = "to_be_set_at_once", "stops_of_sliders"  # values, and options, by key
WALKS, DRAWN_WALKS = "walks_of_the_page", "walks_drawn_so_far"
_ON_ITS_WAY_SECONDS = 0.5


def assign(key: str, value: object) -> None:
    """Set a bound widget's value from a callback, and keep what the browser wrote into the link.

    What was said of an earlier value of it is over.
    """
    st.session_state.get(NOTES, {}).pop(key, None)
    _write(key, value)


def _write(key: str, value: object) -> None:
    untold = st.session_state.get(_UNTOLD, set())
    for other in untold & set(st.session_state):
        st.session_state[other] = st.session_state[other]
    st.session_state[_UNTOLD] = set()
    st.session_state[_WRITTEN] = time.monotonic()
    st.session_state[key] = value


def turn_off(key: str) -> None:
    """Turn a bound toggle off, from a callback: another guess hides the answer again."""
    if st.session_state.get(key):
        assign(key, False)


def changed(key: str) -> None:
    """Note that the browser has changed this widget; every bound widget's callback calls this.

    A link that was written here a moment ago may reach the browser after its own and undo it, so
    that it is written once more. Not later: what is written here also sets the widget, and a hand
    that is still moving it would be set back.
    """
    st.session_state.setdefault(_UNTOLD, set()).add(key)
    if time.monotonic() - st.session_state.get(_WRITTEN, -math.inf) < _ON_ITS_WAY_SECONDS:
        st.session_state[key] = st.session_state[key]


def said(key: str, event: str) -> Any:
    """What the browser says through a component of ours; None where its page has just been left.

    It comes from a browser: any JSON may be in it.
    """
    return getattr(st.session_state.get(key), event, None)


def arrive(page: str) -> None:
    """Forget the messages of the page that the visitor comes from; called before anything is drawn.

    What a page found that it must set, and could not, since widgets were drawn, is set now.
    """
    if st.session_state.get(_PAGE) != page:
        st.session_state[_PAGE] = page
        st.session_state[NOTES], st.session_state[TOLD] = {}, set()
        st.session_state[STOPS] = {}
        st.session_state[_SEEN], st.session_state[_DRAWN] = {}, {}
    st.session_state[DRAWN_WALKS] = []
    for key, value in st.session_state.pop(DUE, {}).items():
        _write(key, value)


def leave() -> None:
    """Note that the page has been drawn to its end; called last of all in a run."""
    st.session_state[_SEEN], st.session_state[_DRAWN] = st.session_state[_DRAWN], {}


def values() -> dict[str, str | list[str]]:
    """What the page's own widgets hold, as the link writes it, by key; nothing chosen is "".

    They are those of the last whole run, and of the runs since then that were cut short.
    """
    keys = st.session_state[_SEEN] | st.session_state[_DRAWN]
    return {
        key: _in_the_link(st.session_state[key], name)
        for key, name in keys.items()
        if key in st.session_state
    }


def _in_the_link(value: Any, name: Callable[[Any], str]) -> str | list[str]:
    match value:
        case None | []:
            return ""
        case bool():
            return str(value).lower()
        case float():
            return f"{value:.15g}"
        case list():
            return [name(one) for one in value]
        case _:
            return name(value)


def judge(
    key: str,
    rule: str,
    fits: Callable[[str], bool],
    *,
    shown: object | None,
    names: Sequence[str] = (),
) -> None:
    """Take a wrong value out of the link, and note it, before the widget is drawn at all.

    Streamlit would read some of them as others: 3.7 as 3. A name is taken whatever its capitals.

    Args:
        names: what the value may be; where the rule does not list them, the nearest is told.
    """
    if key in st.session_state:
        return
    told = st.session_state[TOLD]
    if key in told:  # the widget comes back after a while: its message is old
        told.discard(key)
        st.session_state[NOTES].pop(key, None)
    asked = asked_for(key)
    if asked and not fits(asked):
        taken = spelled(asked, names)
        if taken is None:
            listed = all(name in rule for name in names)
            nearest = None if listed else nearest_name(asked, names)
            st.session_state[NOTES][key] = message(key, rule, asked, shown, nearest)
            del st.query_params[key]
        else:
            st.query_params[key] = taken
        st.rerun()  # the widgets read the link as it was when the run began


def asked_for(key: str) -> Any:
    """What a widget holds; before it is drawn, what the link asks of it, or None.

    Of a key that comes several times the last counts, and it alone stays in the link.
    """
    if key in st.session_state:
        return st.session_state[key]
    values = st.query_params.get_all(key)
    if len(values) > 1:
        st.query_params[key] = values[-1]
        st.rerun()
    return values[0] if values else None


def forget(key: str) -> None:
    """Drop the message about a widget's value, from a callback: what it was held to has changed."""
    st.session_state[NOTES].pop(key, None)


def mend(key: str, taken: object, note: str | None) -> None:
    """Set a widget's value, or what the link asks of it, to the one taken; then begin anew."""
    if note is not None:
        st.session_state[NOTES][key] = note
    if key in st.session_state:
        st.session_state.setdefault(DUE, {})[key] = taken
    else:
        st.query_params[key] = str(taken)
    st.rerun()


def tell(key: str, place: Place) -> None:
    note = st.session_state[NOTES].get(key)
    if note is not None:
        st.session_state[TOLD].add(key)
        place.warning(plain(note), icon=":material/info:")


def kept(
    key: str,
    on_change: Callable[..., None] | None = None,
    args: tuple[Any, ...] = (),
    *,
    name: Callable[[Any], str] = str,
) -> dict[str, Any]:
    """What makes a widget the link's: its key there, and what its change sets off.

    name: how the link writes an option, where that is not the option itself.
    """
    st.session_state.setdefault(_DRAWN, {})[key] = name
    return {
        "key": key,
        "bind": "query-params",
        "on_change": _answered,
        "args": (key, on_change, args),
    }


def _answered(key: str, on_change: Callable[..., None] | None, args: tuple[Any, ...]) -> None:
    """A visitor's own choice makes the message about the link's old news."""
    st.session_state[NOTES].pop(key, None)
    changed(key)
    if on_change is not None:
        on_change(*args)
