"""The steps of the page in sight: which of its controls a lecturer walks through, key by key.

A control is a walk where the page says so: `bound.segments(…, is_walk=True)`. A page may have a
walk inside another; the inner one is drawn later, and is walked first.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import streamlit as st

from pages.parts.bound.state import DRAWN_WALKS, WALKS, assign


class Walk(NamedTuple):
    """A control with steps: its key in the link, its values in order, their names, where it is."""

    key: str
    values: tuple[Any, ...]
    names: tuple[str, ...]
    at: int


def walk(key: str, values: Sequence[Any], names: Sequence[str], value: Any) -> None:
    """Note that the control with this key, now at this value, is one to walk through."""
    at = list(values).index(value)
    st.session_state[DRAWN_WALKS].append(Walk(key, tuple(values), tuple(names), at))


def walks() -> list[Walk]:
    """The walks of the page that has just been drawn, the outer before the inner.

    They are those that a browser may ask for, until the page is drawn whole once more: a run that
    another one replaces may have drawn none of them.
    """
    st.session_state[WALKS] = st.session_state[DRAWN_WALKS]
    return list(st.session_state[WALKS])


def walk_to(key: object, at: object) -> None:
    """Bring a walk to one of its steps, from a callback.

    Both come from a browser, where any JSON may be in them; what is no step changes nothing.
    """
    for one in st.session_state.get(WALKS, ()):
        if one.key == key and isinstance(at, int) and 0 <= at < len(one.values):
            assign(one.key, one.values[at])
