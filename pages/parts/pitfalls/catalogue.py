"""Which mistake is looked at: a list of all, what it is run on, and a search."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import streamlit as st

from pages.parts import bound
from pages.parts.link import message
from pages.parts.pitfalls import guess

if TYPE_CHECKING:  # it runs torch, which is loaded when the page has been painted
    from mha.pitfalls import Input, Pitfall

EVERY = "all"
_CASE = "case"
_ACROSS = 4  # inputs side by side; no mistake has more


def choose() -> Pitfall:
    """Draw the list of mistakes."""
    by_name = {pitfall.name: pitfall for pitfall in pitfalls().values()}
    name = bound.pick(
        "Mistake",
        list(by_name),
        what="one of the mistakes in its list",
        key=_CASE,
        on_change=_begin_anew,
    )
    return by_name[name]


def inputs(pitfall: Pitfall) -> dict[str, Any]:
    """Draw a slider for each of its inputs; they start where the mistake shows."""
    chosen = {}
    places = zip(pitfall.inputs.items(), st.columns(_ACROSS, gap="medium"), strict=False)
    for i, ((name, entry), place) in enumerate(places, start=1):
        with place:
            chosen[name] = _choose(_key(i), entry)
    return chosen


def _choose(key: str, entry: Input) -> Any:
    options, start = {written(option): option for option in entry.options}, written(entry.start)

    def fit(asked: str) -> tuple[str, str]:
        return start, message(key, f"one of {', '.join(options)}", asked, start)

    stops = list(options)
    return options[bound.stops(entry.label, stops, index=stops.index(start), key=key, fit=fit)]


def find() -> None:
    """Draw the search, and a button for every mistake that it finds."""
    with st.spinner("Loading PyTorch …"):
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
                on_click=_take,
                args=(pitfall.name,),
            )


def pitfalls() -> Mapping[str, Pitfall]:
    """All mistakes, by key. The first call loads torch."""
    with st.spinner("Loading PyTorch …"):
        from mha.pitfalls import PITFALLS
    return PITFALLS


def written(value: Any) -> str:
    """A value of an input as its slider and the link write it."""
    return f"{value:g}" if isinstance(value, float) else str(value)


def _key(i: int) -> str:
    return f"with_{i}"


def _take(name: str) -> None:
    bound.assign(_CASE, name)
    _begin_anew()


def _begin_anew() -> None:
    """Another mistake brings the inputs that it starts with, and nothing of it is given away."""
    name = st.session_state[_CASE]
    (pitfall,) = (one for one in pitfalls().values() if one.name == name)
    for i, entry in enumerate(pitfall.inputs.values(), start=1):
        start = written(entry.start)
        if st.session_state.get(_key(i), start) != start:
            bound.assign(_key(i), start)
    guess.forget()
