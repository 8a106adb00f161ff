"""The widgets, each judged just before it is first drawn; its message stands where it belongs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import streamlit as st

from pages.parts.bound.state import NOTES, STOPS, Place, asked_for, judge, kept, mend, tell
from pages.parts.bound.walks import walk
from pages.parts.link import message, spelled, whole

Option = TypeVar("Option")
_MOST_LISTED = 6


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
    is_walk: bool = False,
    **look: Any,
) -> Option | None:
    """A segmented control whose first option is the default; or none, if that is not required.

    is_walk: whether a lecturer walks through the options, one of which must be required.
    """
    default = options[0] if required else None
    names = [format_func(option) for option in options]
    shown = names[0] if required else None
    judge(key, _rule(names), names.__contains__, shown=shown, names=names)
    value = st.segmented_control(
        label,
        options,
        default=default,
        required=required,
        format_func=format_func,
        wrap=True,  # in a row with something else it would be cut off on a phone
        **kept(key, on_change, args, name=format_func),
        **look,
    )
    tell(key, tell_in)
    value = default if value is None else value  # an empty value in the link clears the choice
    if is_walk:
        walk(key, options, names, value)
    return value


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
        asked = list(filter(None, st.query_params.get_all(key)))
        meant = {text: text if text in options else spelled(text, options) for text in asked}
        known = [option for option in options if option in meant.values()]
        wrong = [text for text in asked if meant[text] is None]
        if wrong:
            shown = ", ".join(known or default) or None
            st.session_state[NOTES][key] = message(key, rule, wrong[0], shown)
        if set(asked) - set(known):
            st.query_params[key] = known
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
        **kept(key, on_change, args),
        **look,
    )
    tell(key, tell_in)
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
    is_walk: bool = False,
) -> str | None:
    """A list to choose from; without an index, nothing is chosen at first.

    what: "one of …", as the message names the options where they are too many to be listed.
    is_walk: whether a lecturer walks through the options; it must have an index.
    """
    shown = placeholder if index is None else options[index]
    names = list(options)
    judge(key, what or _rule(names), names.__contains__, shown=shown, names=names)
    value = st.selectbox(
        label,
        options,
        index=index,
        placeholder=placeholder,
        **kept(key, on_change, args),
    )
    tell(key, tell_in)
    if is_walk:
        walk(key, options, options, value)
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
        return low <= number <= high  # and so neither nan nor infinite

    judge(key, f"{kind} from {low:g} to {high:g}", fits, shown=f"{value:g}")
    got = st.slider(
        label,
        low,
        high,
        value=value,
        **kept(key),
        **look,
    )
    tell(key, tell_in)
    return got


def stops(
    label: str,
    options: Sequence[str],
    *,
    key: str,
    fit: Callable[[str], tuple[str, str | None]],
    index: int = 0,
    on_change: Callable[..., None] | None = None,
    tell_in: Place = st,
    **look: Any,
) -> str:
    """A slider over options that may change under its value.

    fit: the option to take for a value that is none of them, and what to say of it, if anything.
    """
    if st.session_state[STOPS].get(key) != options:  # a message about others is old
        st.session_state[STOPS][key] = options
        st.session_state[NOTES].pop(key, None)
    asked = asked_for(key)
    if asked and asked not in options:
        named = spelled(asked, options)
        mend(key, *((named, None) if named is not None else fit(asked)))
    value = st.select_slider(label, options, value=options[index], **kept(key, on_change), **look)
    tell(key, tell_in)
    return value


def number(
    label: str,
    low: int,
    high: int,
    *,
    value: int | None,
    key: str,
    step: int = 1,
    fit: Callable[[int], tuple[int, str | None]] | None = None,
    on_change: Callable[..., None] | None = None,
    args: tuple[Any, ...] = (),
    tell_in: Place = st,
    **look: Any,
) -> int | None:
    """A whole number to be typed; without a value, none is there at first.

    fit: the number to take for one that lies within the bounds, and what to say of it, if anything.
    """
    rule = f"a whole number from {low:,} to {high:,}"

    def fits(text: str) -> bool:
        return whole(text, low, high) is not None

    judge(key, rule, fits, shown=value)
    if fit is not None:
        asked = asked_for(key)
        if asked:
            taken, note = fit(int(asked))
            if taken != int(asked):
                mend(key, taken, note)
    got = st.number_input(
        label,
        low,
        high,
        value=value,
        step=step,
        **kept(key, on_change, args),
        **look,
    )
    tell(key, tell_in)
    return got


def write(label: str, *, key: str, longest: int, tell_in: Place = st, **look: Any) -> str:
    """A short text, empty at first, that is told as it is typed."""
    judge(key, f"at most {longest} characters", lambda text: len(text) <= longest, shown=None)
    text = st.text_input(label, live=True, max_chars=longest, **kept(key), **look)
    tell(key, tell_in)
    return text


def area(
    label: str, *, value: str, key: str, longest: int, tell_in: Place = st, **look: Any
) -> str:
    """A text of several lines, told when it is left."""
    judge(
        key,
        f"at most {longest:,} characters",
        lambda text: len(text) <= longest,
        shown="the example",
    )
    text = st.text_area(label, value=value, max_chars=longest, **kept(key), **look)
    tell(key, tell_in)
    return text


def turn(
    label: str, *, key: str, tell_in: Place = st, is_answer: bool = False, **look: Any
) -> bool:
    """A toggle, off at first.

    is_answer: whether it shows the answer to a question, so that a lecturer walks from the one to
    the other, once there is a guess.
    """
    judge(key, "true or false", lambda text: text.lower() in ("true", "false"), shown="false")
    value = st.toggle(
        label,
        **kept(key),
        **look,
    )
    tell(key, tell_in)
    if is_answer and not look.get("disabled"):
        walk(key, (False, True), ("question", "answer"), value)
    return value


def _rule(names: Sequence[str]) -> str:
    if len(names) > _MOST_LISTED:
        return "one of those in its list"
    return f"one of {', '.join(names)}"
