"""Which two heads are shown, and which cell of them is chosen; all of it in the link."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import streamlit as st

from mha.charts import HEAD_HUES
from mha.hand_built import GALLERY, MAX_SHARPNESS, Edits, HandBuiltHead
from mha.reference import Array, HeadTrace
from mha.sentence import CATEGORY_NAMES, Sentence
from pages.parts import bound, presenter

Place = st.delta_generator.DeltaGenerator
SIDES = {"left": "Head 1", "right": "Head 2"}
_FIRST_HEADS = {"left": "previous token", "right": "same category"}
_MOST_BACK = 8


@dataclass(frozen=True)
class Shown:
    """A head on the page: its side, its kind, how that is turned, what it computed, its place."""

    side: str
    kind: str
    options: Mapping[str, Any]
    q: Array
    k: Array
    head: HandBuiltHead
    trace: HeadTrace
    slot: Place

    @property
    def title(self) -> str:
        return f"{SIDES[self.side]}: {self.head.name}"

    @property
    def hue(self) -> str:
        return HEAD_HUES[list(SIDES).index(self.side)]


def choose_head(side: str, sentence: Sentence, X: Array, edits: Edits, causal: bool) -> Shown:
    """Draw one head's name above a slot for its picture, and what can be turned on it below."""
    name = bound.pick(
        SIDES[side],
        list(GALLERY),
        index=list(GALLERY).index(_FIRST_HEADS[side]),
        what="one of the heads in its list",
        key=side,
        on_change=_head_changed,
        args=(side,),
    )
    kind = GALLERY[name]
    job, slot = st.empty(), st.container()
    options = _knobs(side, name)
    options["edits"] = edits
    head = kind(sentence, **options)
    job.markdown(presenter.named(name, head.job))
    q, k, _ = head.queries_keys_values(X)
    return Shown(side, name, options, q, k, head, head.attend(X, causal), slot)


def _head_changed(side: str) -> None:
    """Start the new head with the sharpness that is its own."""
    own = GALLERY[st.session_state[side]].sharpness or 0.0
    bound.assign(f"sharp_{side}", own)


def _knobs(side: str, name: str) -> dict[str, Any]:
    kind = GALLERY[name]
    options: dict[str, Any] = {}
    sharp, other = st.columns(2) if kind.knobs not in ((), ("edits",)) else (st.container(), None)
    with sharp:
        key = f"sharp_{side}"
        options["sharpness"] = bound.slide(
            "Sharpness",
            0.0,
            MAX_SHARPNESS,
            value=kind.sharpness or 0.0,  # a link that is silent of it means the head's own
            step=0.5,
            key=key,
            disabled=kind.sharpness is None,
            help="How far the wanted score stands above the others. At 0 every weight is the same.",
        )
    if other is None:
        return options
    with other:
        if "n" in kind.knobs:
            options["n"] = bound.slide("How far back", 1, _MOST_BACK, value=2, key=f"back_{side}")
        if "category" in kind.knobs:
            chosen = bound.pick("Category", CATEGORY_NAMES, index=1, key=f"category_{side}")
            options["category"] = CATEGORY_NAMES.index(chosen)
    return options
