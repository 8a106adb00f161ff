"""The layer that this page counts: the scene's, or one of a width typed here."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import streamlit as st

from mha.checks import divisors, nearest_divisors
from mha.config import AttentionConfig
from mha.ledger import ParameterCount, count_parameters, every_head_count
from pages.parts import bound
from pages.parts.kv_heads import choose_kv_heads
from pages.parts.link import not_dividing
from pages.parts.scene import Scene

MAX_WIDTH, MAX_D_HEAD = 16_384, 1_024
GPT2_SMALL = (768, 12)
_WIDE = 164  # pixels of a number's box
_TAKEN = "width_heads_taken"  # the number of heads that the visitor saw last


@dataclass(frozen=True)
class Layer:
    """A layer, and how many tokens pass through it; d_head is None where it is C / h."""

    config: AttentionConfig
    d_head: int | None
    T: int

    @property
    def head_size(self) -> int:
        return self.d_head or self.config.d_head

    @property
    def is_grouped(self) -> bool:
        return self.config.n_kv_heads != self.config.n_heads

    @cached_property
    def count(self) -> ParameterCount:
        return count_parameters(self.config, d_head=self.d_head)

    @cached_property
    def family(self) -> tuple[AttentionConfig, ...]:
        """This layer with every number of heads that it can have."""
        return every_head_count(self.config)

    @cached_property
    def totals(self) -> dict[int, int]:
        """Parameters by the number of heads."""
        return {one.n_heads: count_parameters(one, d_head=self.d_head).total for one in self.family}


def choose(shared: Scene) -> Layer:
    """Draw what can be set on this page, say what does not fit, and return the layer."""
    notes = st.container()
    with st.container(horizontal=True, vertical_alignment="bottom"):
        C, h = _width(shared.config, notes)
        config = choose_kv_heads(AttentionConfig(C, h), tell_in=notes, width=_WIDE)
        d_head = bound.number(
            "Own head size",
            1,
            MAX_D_HEAD,
            value=None,
            key="d_head",
            tell_in=notes,
            placeholder=f"{C // h:,}",
            width=_WIDE,
            help="Empty: d_head is d_model / h. Some models choose it freely, as Keras lets one.",
        )
        bias = bound.turn("Bias", key="bias", tell_in=notes)
    config = AttentionConfig(C, h, config.n_kv_heads, bias)
    return Layer(config, d_head, len(shared.sentence))


def _width(shared: AttentionConfig, notes: bound.Place) -> tuple[int, int]:
    """The width and the heads; a note where the heads are not the ones asked for."""
    width = bound.number(
        "Width",
        1,
        MAX_WIDTH,
        value=None,
        key="width",
        tell_in=notes,
        placeholder=f"{shared.d_model:,}",
        on_change=bound.forget,
        args=("width_heads",),
        width=_WIDE,
        help=f"d_model of this page alone, up to {MAX_WIDTH:,}. Empty: the sidebar’s.",
    )
    C = width or shared.d_model
    nearest = nearest_divisors(C, shared.n_heads)[0]

    def fit(asked: int) -> tuple[int, str | None]:
        return _fit(C, asked)

    heads = bound.number(
        "Its heads",
        1,
        MAX_WIDTH,
        value=None,
        key="width_heads",
        tell_in=notes,
        placeholder=f"{nearest:,}",
        width=_WIDE,
        fit=fit if width else None,
        disabled=width is None,
        help="Without a width of this page the heads are the sidebar’s.",
    )
    st.button("GPT-2 small", on_click=_take, args=GPT2_SMALL, help="768 wide, 12 heads")
    h = heads if width and heads else nearest
    st.session_state[_TAKEN] = h
    return C, h


def _fit(C: int, asked: int) -> tuple[int, str | None]:
    """The number of heads for one that may not divide the width, and what to say of it.

    One step up or down goes to the next that divides, without a word.
    """
    nearest = nearest_divisors(C, asked)[0]
    if nearest == asked:
        return asked, None
    before, possible = st.session_state.get(_TAKEN), divisors(C)
    if before in possible:
        at = possible.index(before)
        if asked == before + 1 and before != C:
            return possible[at + 1], None
        if asked == before - 1:  # 1 divides all, so that another is below
            return possible[at - 1], None
    return nearest, not_dividing("width", C, "width_heads", asked)


def _take(width: int, heads: int) -> None:
    bound.assign("width", width)
    bound.assign("width_heads", heads)
