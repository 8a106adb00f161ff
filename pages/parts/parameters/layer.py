"""The layer that this page counts: the scene's, or one of a width typed here."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import streamlit as st

from mha.checks import divisors, nearest_divisors
from mha.config import AttentionConfig
from mha.ledger import ParameterCount, count_parameters, every_head_count
from pages.parts import scene
from pages.parts.parameters import own_link
from pages.parts.parameters.own_link import MAX_D_HEAD, MAX_WIDTH
from pages.parts.scene import Scene
from pages.parts.words import plain

GPT2_SMALL = (768, 12)


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
    with st.container(horizontal=True, vertical_alignment="bottom"):
        C, h, fitted = _width(shared.config)
        asked = st.number_input(
            "Key/value heads",
            **_typed("kv_heads", MAX_WIDTH, h),
            on_change=_kv_heads_changed,
            help="Key/value heads, each shared by a group of heads: a number that divides the "
            "heads. Empty: every head has its own.",
        )
        d_head = st.number_input(
            "Own head size",
            **_typed("d_head", MAX_D_HEAD, C // h),
            on_change=own_link.forget,
            args=("d_head",),
            help="Empty: d_head is d_model / h. Some models choose it freely, as Keras lets one.",
        )
        bias = st.toggle(
            "Bias", key="bias", bind="query-params", on_change=own_link.forget, args=("bias",)
        )
    kv_heads = nearest_divisors(h, asked)[0] if asked else h
    if asked and kv_heads != asked:
        fitted.append(_not_divided(lambda: AttentionConfig(C, h, asked), kv_heads))
    st.session_state["kv_heads_shown"] = (kv_heads, h)
    for note in (*own_link.notes(), *fitted):
        st.warning(plain(note), icon=":material/info:")
    return Layer(AttentionConfig(C, h, kv_heads, bias), d_head, len(shared.sentence))


def _width(shared: AttentionConfig) -> tuple[int, int, list[str]]:
    """The width and the heads, and a message where the heads are not the ones asked for."""
    width = st.number_input(
        "Width",
        **_typed("width", MAX_WIDTH, shared.d_model),
        on_change=own_link.forget,
        args=("width",),
        help=f"d_model of this page alone, up to {MAX_WIDTH:,}. Empty: the sidebar’s.",
    )
    C = width or shared.d_model
    nearest = nearest_divisors(C, shared.n_heads)[0]
    heads = st.number_input(
        "Its heads",
        **_typed("width_heads", MAX_WIDTH, nearest),
        on_change=own_link.forget,
        args=("width_heads",),
        disabled=width is None,
        help="Without a width of this page the heads are the sidebar’s.",
    )
    st.button("GPT-2 small", on_click=_take, args=GPT2_SMALL, help="768 wide, 12 heads")
    if not width or not heads:
        return C, nearest, []
    h = nearest_divisors(C, heads)[0]
    return C, h, [] if h == heads else [_not_divided(lambda: AttentionConfig(C, heads), h)]


def _typed(key: str, most: int, empty: int) -> dict[str, Any]:
    """A number of the link that may be left empty; the placeholder is what that then means."""
    bounds = {"min_value": 1, "max_value": most, "step": 1, "value": None}
    look = {"placeholder": f"{empty:,}", "width": 164}
    return {**bounds, **look, "key": key, "bind": "query-params"}


def _not_divided(build: Callable[[], object], shown: int) -> str:
    """The core's own words about heads that do not divide, and what is shown instead."""
    try:
        build()
    except ValueError as error:
        return f"{error} Showing {shown}."
    raise AssertionError("sizes that fit need no message")


def _take(width: int, heads: int) -> None:
    for key, value in (("width", width), ("width_heads", heads)):
        own_link.forget(key)
        scene.assign(key, value)


def _kv_heads_changed() -> None:
    """Step to the next number that divides the heads, in the direction that was taken."""
    own_link.forget("kv_heads")
    asked = st.session_state["kv_heads"]
    shown, h = st.session_state["kv_heads_shown"]
    if asked and h % asked:
        larger = [d for d in divisors(h) if d > asked] or [h]
        smaller = [d for d in divisors(h) if d < asked]
        scene.assign("kv_heads", larger[0] if asked > shown else smaller[-1])
