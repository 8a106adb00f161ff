"""The bars: parameters for every number of heads, and beside them what does change."""

from __future__ import annotations

import streamlit as st

from mha.charts.ledger import changes_spec, parameters_spec, with_hues
from mha.ledger import count_scores
from mha.ledger_tables import MOST_SLICES, changes_table, parameters_table
from pages.parts import bound, look
from pages.parts.parameters.layer import Layer

_BELOW_CLAIM, _BELOW_QUESTION, _BELOW_ANSWER = 470, 380, 300  # pixels of a presenter's pictures
STACKS = ("by projection", "by head")


def choose_stack() -> bool:
    """Whether the bars are cut into heads."""
    stack = bound.segments("Stacked", STACKS, key="stack", label_visibility="collapsed")
    return stack == STACKS[1]


def draw(layer: Layer, *, by_head: bool, predicts: bool, hidden: bool) -> None:
    """Draw both charts; `hidden` keeps from the first every number of heads but the chosen one.

    predicts: whether a question stands above them.
    """
    at_most = _BELOW_CLAIM if not predicts else _BELOW_QUESTION if hidden else _BELOW_ANSWER
    h = layer.config.n_heads
    family = (layer.config,) if hidden else layer.family
    left, right = st.columns([3, 2], gap="medium")
    with left:
        table = parameters_table(family, h, d_head=layer.d_head, by_head=by_head)
        look.picture(
            with_hues(table, look.theme()),
            parameters_spec(),
            alt=_parameters_in_words(layer, hidden),
            at_most=at_most,
        )
        if by_head and max(one.n_heads for one in family) > MOST_SLICES:
            st.markdown(f"Bars of more than {MOST_SLICES} heads are not cut into heads.")
    with right:
        table = changes_table(layer.family, h, layer.T, d_head=layer.d_head)
        look.picture(table, changes_spec(), alt=_changes_in_words(layer), at_most=at_most)


def _parameters_in_words(layer: Layer, hidden: bool) -> str:
    parts = ", ".join(f"{name} {count:,}" for name, count in layer.count.terms.items())
    own = f"h = {layer.config.n_heads:,}: {layer.count.total:,} parameters ({parts})."
    if hidden:
        return f"{own} Other numbers of heads are hidden until a guess is made."
    if len(set(layer.totals.values())) == 1:
        return f"{own} As many for every number of heads: {_listed(layer.totals)}."
    others = "; ".join(f"h = {h:,}: {total:,}" for h, total in layer.totals.items())
    return f"{own} The total changes with the heads: {others}."


def _changes_in_words(layer: Layer) -> str:
    h, T = layer.config.n_heads, layer.T
    scores = count_scores(layer.config, T_q=T)
    return (
        f"For h = {h:,} and T = {T}: d_head {layer.head_size:,}, "
        f"{scores.softmaxes:,} softmaxes, {scores.numbers:,} scores. "
        "Softmaxes and scores grow with the number of heads."
    )


def _listed(totals: dict[int, int]) -> str:
    return ", ".join(f"{h:,}" for h in totals)
