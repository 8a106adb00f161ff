"""Which mistake is looked at: a list of all, what it is run on, and a search."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import streamlit as st

from pages.parts import bound
from pages.parts.link import message
from pages.parts.pitfalls import guess
from pages.parts.pytorch import load_torch
from pages.parts.words import plain

if TYPE_CHECKING:  # it runs torch, which is loaded when the page has been painted
    from mha.pitfalls import Input, Pitfall

EVERY = "all"
_CASE, _UNNAMED = "case", "puzzle"
_INPUT_PIXELS = 230  # of a slider; four have room side by side


def choose() -> Pitfall:
    """Draw the list of mistakes, by name."""
    return _choose_from("Mistake", by_name(), key=_CASE, what="one of the mistakes in its list")


def choose_unnamed() -> Pitfall:
    """Draw the list of mistakes by numbers, which tell nothing, in no order that would tell."""
    named = st.query_params.get(_CASE)
    if named is not None and _CASE not in st.session_state:  # a link that gives the answer away
        del st.query_params[_CASE]
        if named in by_name() and _UNNAMED not in st.query_params:
            st.query_params[_UNNAMED] = unnamed(by_name()[named])
        st.rerun()  # the widgets read the link as it was when the run began
    return _choose_from("Case", by_number(), key=_UNNAMED, what="one of the cases in its list")


def by_name() -> dict[str, Pitfall]:
    """The mistakes by their names, in the order of the catalogue."""
    return {pitfall.name: pitfall for pitfall in pitfalls().values()}


def by_number() -> dict[str, Pitfall]:
    """The mistakes by what each is called where its name would tell: Case 1, Case 2, …"""
    in_order = sorted(pitfalls().values(), key=lambda pitfall: pitfall.number)
    return {unnamed(pitfall): pitfall for pitfall in in_order}


def unnamed(pitfall: Pitfall) -> str:
    return f"Case {pitfall.number}"


def _choose_from(label: str, known: dict[str, Pitfall], *, key: str, what: str) -> Pitfall:
    name = bound.pick(
        label, list(known), what=what, key=key, on_change=_begin_anew, args=(known, key)
    )
    return known[name]


def inputs(pitfall: Pitfall) -> dict[str, Any]:
    """Draw a slider for each of its inputs; they start where the mistake shows."""
    with st.container(horizontal=True, gap="medium"):
        return {
            name: _choose(_key(i), entry)
            for i, (name, entry) in enumerate(pitfall.inputs.items(), start=1)
        }


def _choose(key: str, entry: Input) -> Any:
    options, start = {written(option): option for option in entry.options}, written(entry.start)

    def fit(asked: str) -> tuple[str, str]:
        return start, message(key, f"one of {', '.join(options)}", asked, start)

    stops = list(options)
    at = stops.index(start)
    return options[bound.stops(entry.label, stops, index=at, key=key, fit=fit, width=_INPUT_PIXELS)]


def go_on(pitfall: Pitfall, *, is_told: bool, named_step: str) -> None:
    """Draw the ways on from a case without a name: to the next, and once it is told to its name."""
    with st.container(horizontal=True):
        st.button("Next case", key="next_case", on_click=_take_next, args=(pitfall,))
        if is_told:
            st.button(
                "See all of this mistake",
                key="see_case",
                on_click=_see,
                args=(pitfall, named_step),
            )


def find() -> None:
    """Draw the search, and a button for every mistake that it finds."""
    load_torch()
    from mha.pitfalls import PITFALLS, TOPICS, search

    st.subheader("Find a mistake")
    with st.container(horizontal=True, vertical_alignment="bottom"):
        text = bound.write(
            "Search", key="find_case", longest=40, placeholder="causal, reshape, nan", width=260
        )
        topic = bound.segments("About", (EVERY, *TOPICS), key="topic")
    found = [pitfall for pitfall in search(text) if topic in (EVERY, pitfall.topic)]
    if not found:
        st.info("No mistake has all of these words. Try fewer.", icon=":material/info:")
        return
    st.markdown(f"**{len(found)} of {len(PITFALLS)} mistakes**. Choose one:")
    with st.container(horizontal=True):
        for pitfall in found:
            st.button(
                pitfall.name.replace("_", r"\_"),
                key=f"take_{pitfall.key}",
                on_click=_take_found,
                args=(pitfall,),
            )


def pitfalls() -> Mapping[str, Pitfall]:
    """All mistakes, by key. The first call loads torch."""
    load_torch()
    from mha.pitfalls import PITFALLS

    return PITFALLS


def written(value: Any) -> str:
    """A value of an input as its slider and the link write it."""
    return f"{value:g}" if isinstance(value, float) else str(value)


def _key(i: int) -> str:
    return f"with_{i}"


def _take(pitfall: Pitfall) -> None:
    bound.assign(_CASE, pitfall.name)
    _start(pitfall)


def _take_found(pitfall: Pitfall) -> None:
    _take(pitfall)
    # The button is far below what it changes.
    st.toast(f"**{plain(pitfall.name)}** is shown at the top.", icon=":material/arrow_upward:")


def _see(pitfall: Pitfall, named_step: str) -> None:
    bound.assign("pitfalls_step", named_step)
    _take(pitfall)


def _take_next(pitfall: Pitfall) -> None:
    known = list(by_number().values())
    following = known[(known.index(pitfall) + 1) % len(known)]
    bound.assign(_UNNAMED, unnamed(following))
    _start(following)


def arrive(unnamed_step: str) -> None:
    """Another step, in a callback: its list has a choice of its own, which begins anew."""
    is_unnamed = st.session_state["pitfalls_step"] == unnamed_step
    known, key = (by_number(), _UNNAMED) if is_unnamed else (by_name(), _CASE)
    _start(known[st.session_state.get(key) or next(iter(known))])


def _begin_anew(known: dict[str, Pitfall], key: str) -> None:
    _start(known[st.session_state[key]])


def _start(pitfall: Pitfall) -> None:
    """Another mistake brings the inputs that it starts with, and nothing of it is given away."""
    for i, entry in enumerate(pitfall.inputs.values(), start=1):
        start = written(entry.start)
        if st.session_state.get(_key(i), start) != start:
            bound.assign(_key(i), start)
    guess.forget()
