"""The KV cache of a model: its bytes over context length, the formula, and what fits where."""

from __future__ import annotations

from dataclasses import replace

import pandas as pd
import streamlit as st

from mha.amounts import about_text, bytes_text, context_text
from mha.cache_marks import cache_marks
from mha.cache_tables import cache_table, memories_table, outgrowing_context, weight_bytes
from mha.charts.cache import cache_spec
from mha.models import Model
from pages.parts import bound, look
from pages.parts.export import Takeaway
from pages.parts.export.models import of_cache
from pages.parts.real_models.choose import Asked
from pages.parts.words import plain

_NO_CACHE = "It is an encoder: it writes nothing, and keeps no cache. Choose another model."
_PIXELS = 440  # of a presenter's picture


def show(model: Model, asked: Asked, picture_place: bound.Place) -> Takeaway | None:
    """The chart over context length, the formula, and the longest context for each memory.

    Returns what of it can be taken away: of a model without a cache, nothing.
    """
    how = {"batch": asked.batch, "bytes_per_number": asked.bytes_per_number}
    if model.kind == "encoder":
        picture_place.markdown(f"**{plain(model.title)}.** {_NO_CACHE}")
        return None
    kept = model.kv_cache_bytes(asked.T, asked.batch, asked.bytes_per_number)
    picture = cache_marks(model, asked.T, **how), cache_spec(look.theme())
    with picture_place:
        st.markdown(
            f"**{plain(model.title)} keeps {bytes_text(kept)}** of {asked.words}"
            f"{_with_own(model)}. {_outgrows(model, outgrowing_context(model, **how))}"
        )
        look.picture(*picture, alt=_alt(model, asked, kept), at_most=_PIXELS)
    memories = memories_table(model, **how)
    left, right = st.columns([1, 1], gap="large")
    with left:
        st.latex(formula_of(model, asked))
        st.markdown(_of_a_token(model, asked.bytes_per_number))
        if model.note:
            st.markdown(plain(model.note))
    with right:
        st.markdown(_memories(memories))
        st.markdown(
            "1 GB is 10⁹ bytes, and 1K tokens are 1,024. The weights are counted at 16 bits a "
            "number, by the rounded total that their makers give. A model may be made for fewer "
            "tokens than are drawn here."
        )
    numbers = cache_table([model], asked.T, **how)
    return of_cache(model, asked, numbers, picture, memories=memories)


def _with_own(model: Model) -> str:
    if model.latent is not None:
        return ", with its latent attention"
    heads = "key and value head" if model.n_kv_heads == 1 else "key and value heads"
    return f", with its own {model.n_kv_heads} {heads}"


def _of_a_token(model: Model, bytes_per_number: float) -> str:
    """What one token takes: in all, in a layer, and for a key and value head of it."""
    layer = replace(model, n_layers=1, window=None, n_window_layers=None)
    rows = [(f"all {model.n_layers} layers", model), ("one layer", layer)]
    if model.latent is None:
        rows.append(("one key and value head of it", replace(layer, n_kv_heads=1)))
    lines = [
        f"| {name} | {one.kv_cache_bytes(1, 1, bytes_per_number):,} bytes |" for name, one in rows
    ]
    return "\n".join(["| of one token, in | |", "|:--|--:|", *lines])


def formula_of(model: Model, asked: Asked) -> str:
    """The bytes as a product, or as a sum of two where some layers have a window."""
    size = f"{asked.bytes_per_number:g}"
    kept = model.kv_cache_bytes(asked.T, asked.batch, asked.bytes_per_number)
    if model.latent is not None:
        names = r"\text{layers} \cdot \text{batch} \cdot (\text{latent} + \text{rope})"
        names += r" \cdot T \cdot \text{bytes}"
        latent = rf"({model.latent.kv_rank} + {model.latent.rope})"
        terms = [[model.n_layers, asked.batch, latent, asked.T, size]]
    else:
        names = r"2 \cdot \text{layers} \cdot \text{batch} \cdot h_{kv} \cdot d_{\text{head}}"
        names += r" \cdot T \cdot \text{bytes}"
        layers = {
            asked.T: model.n_layers - model.n_window_layers,
            min(asked.T, model.window or asked.T): model.n_window_layers,
        }
        if len(layers) == 1:  # the context is no longer than the window
            layers = {asked.T: model.n_layers}
        terms = [
            [2, n, asked.batch, model.n_kv_heads, model.d_head, T, size]
            for T, n in layers.items()
            if n
        ]
    products = [r" \cdot ".join(map(_latex, term)) for term in terms]
    lines = [f"&{names}", f"&= {products[0]}", *(rf"&\quad + {more}" for more in products[1:])]
    lines.append(rf"&= {_latex(kept)} \text{{ bytes}}")
    return r"\begin{aligned}" + r" \\[4pt] ".join(lines) + r"\end{aligned}"


def _outgrows(model: Model, context: int | None) -> str:
    weights = weight_bytes(model)
    if weights is None:
        return "How many parameters it has in all was not read."
    if context is None:
        return f"It never outgrows the weights ({bytes_text(weights)}): every layer has a window."
    return f"At about {about_text(context)} tokens it outgrows the weights ({bytes_text(weights)})."


def _memories(table: pd.DataFrame) -> str:
    rows = ["| memory | cache alone | beside the weights |", "|--:|--:|--:|"]
    for row in table.itertuples():
        rows.append(f"| {row.memory_gb} GB | {_fits(row.alone)} | {_fits(row.beside_weights)} |")
    return "\n".join(rows)


def _fits(tokens: object) -> str:
    if pd.isna(tokens):
        return "any context"
    return f"{tokens:,} {'token' if tokens == 1 else 'tokens'}" if tokens else "nothing"


def _alt(model: Model, asked: Asked, kept: int) -> str:
    return (
        f"Bytes of the cache over context length, both on a log scale, with lines for memories. "
        f"{model.title} keeps {bytes_text(kept)} at {context_text(asked.T)} tokens."
    )


def _latex(part: object) -> str:
    return f"{part:,}".replace(",", "{,}") if isinstance(part, int) else str(part)
