"""What the page is about: a model, how many key and value heads, and how much is to be kept."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st

from mha.amounts import context_text
from mha.checks import nearest_divisors
from mha.ledger import BYTES
from mha.models import MODELS, Model
from pages.parts import bound
from pages.parts.kv_heads import downwards
from pages.parts.link import message, not_dividing, whole

FIRST = "llama-3-8b"
MAX_T, MAX_BATCH = 2**24, 1024
_MODEL, _KV_HEADS = "model", "model_kv"
_BY_TITLE = {model.title: model for model in MODELS.values()}
_FORMATS = {f"{8 * size:g} bits": size for size in sorted(BYTES, key=lambda size: abs(size - 2))}


@dataclass(frozen=True)
class Asked:
    """How much the cache is to keep, and in which numbers."""

    T: int
    batch: int
    bytes_per_number: float

    @property
    def words(self) -> str:
        sequences = "one sequence" if self.batch == 1 else f"{self.batch:,} sequences"
        tokens = "1 token" if self.T == 1 else f"{context_text(self.T)} tokens"
        return f"{tokens}, {sequences}, {8 * self.bytes_per_number:g} bits"


def model() -> Model:
    """Draw the list of models."""
    titles = list(_BY_TITLE)
    with st.container(width=360):
        title = bound.pick(
            "Model",
            titles,
            index=titles.index(MODELS[FIRST].title),
            what="one of the models in its list",
            key=_MODEL,
            on_change=_take_its_own,
        )
    return _BY_TITLE[title]


def take(title: str) -> None:
    """Choose the model with this title, from a callback."""
    bound.assign(_MODEL, title)
    _take_its_own()


def kv_heads(model: Model) -> int:
    """Draw the slider from as many as heads down to one; it starts at the model's own."""
    stops = downwards(model.n_heads)
    if model.latent is not None:
        return model.n_kv_heads

    def fit(asked: str) -> tuple[str, str]:
        number = whole(asked, 1)
        if number is None:
            own = str(model.n_kv_heads)
            return own, message(_KV_HEADS, "a number that divides the heads", asked, own)
        nearest = nearest_divisors(model.n_heads, number)[0]
        return str(nearest), not_dividing("heads", model.n_heads, _KV_HEADS, number)

    stop = bound.stops(
        f"Key and value heads of {model.title}: it has {model.n_kv_heads}",
        stops,
        index=stops.index(str(model.n_kv_heads)),
        key=_KV_HEADS,
        fit=fit,
    )
    return int(stop)


def how_much() -> Asked:
    """Draw what the cache is asked to keep."""
    context, batch, size = st.columns([2, 2, 3], gap="medium")
    with context:
        T = bound.number(
            "Context, in tokens", 1, MAX_T, value=8192, key="context", help=f"Up to {MAX_T:,}."
        )
    with batch:
        sequences = bound.number("Sequences at once", 1, MAX_BATCH, value=1, key="sequences")
    with size:
        name = bound.segments("A number of the cache has", list(_FORMATS), key="format")
    return Asked(T or 8192, sequences or 1, _FORMATS[name])


def _take_its_own() -> None:
    """Another model brings its own number of key and value heads."""
    own = _BY_TITLE[st.session_state[_MODEL]].n_kv_heads
    if st.session_state.get(_KV_HEADS, str(own)) != str(own):
        bound.assign(_KV_HEADS, str(own))
