"""Grouped queries: who reads whom, and what sharing does to parameters and to the cache."""

from __future__ import annotations

from dataclasses import replace
from typing import Any
from urllib.parse import urlencode

import pandas as pd
import streamlit as st

from mha.amounts import bytes_text, count_text
from mha.cache_marks import kv_readers_marks
from mha.cache_tables import kv_readers_table, sharing_table
from mha.charts.readers import kv_readers_spec, with_hues
from mha.config import AttentionConfig
from mha.models import Model
from pages.parts import look
from pages.parts.export import Takeaway
from pages.parts.export.models import of_groups, of_latent
from pages.parts.link import D_MODEL_RANGE
from pages.parts.real_models.choose import Asked
from pages.parts.words import plain

Picture = tuple[pd.DataFrame, dict[str, Any]]
_KEPT = ("tokens", "categories", "causal")


def draw(model: Model, kv_heads: int, asked: Asked) -> Picture | None:
    """The sentence and the picture of the heads, which is returned; none for latent attention."""
    if model.latent is not None:
        st.markdown(_latent_words(model, asked))
        return None
    shared, own = (replace(model, n_kv_heads=n) for n in (kv_heads, model.n_heads))
    st.markdown(_sentence(shared, own, asked))
    picture = with_hues(kv_readers_marks(shared.config)), kv_readers_spec()
    look.picture(*picture, alt=_alt(shared))
    return picture


def tell(model: Model, kv_heads: int, asked: Asked, picture: Picture | None) -> Takeaway:
    """The ledger and the cache: with a key and value head each, and with as many as chosen.

    Returns what of it can be taken away.
    """
    if picture is None:
        _tell_latent(model)
        return of_latent(model, asked)
    shared = sharing_table(
        model,
        dict.fromkeys([model.n_heads, kv_heads]),
        asked.T,
        batch=asked.batch,
        bytes_per_number=asked.bytes_per_number,
    )
    ledger, beside = st.columns([3, 2], gap="large")
    with ledger:
        st.markdown(_ledger(shared, model.n_attention_layers))
    with beside:
        st.markdown(
            "Every query head reads a key and value head of its own: nothing is shared."
            if kv_heads == model.n_heads
            else f"Query head i reads key and value head i // {model.n_heads // kv_heads}: "
            "neighbours share. Queries and W_O stay as they are; W_K and W_V shrink, and so does "
            "all that is kept of a token.".replace("_", r"\_")
        )
        if model.kind == "encoder":
            st.markdown("It is an encoder: it writes nothing, and keeps no cache.")
        small = model.narrowed(D_MODEL_RANGE[1])
        if small is not None:
            st.link_button(
                "See the keys repeated: step k_all ↗",
                _module_link(small, kv_heads),
                help="The fused module, opened beside this page: as many heads, each with fewer "
                "numbers.",
            )
    readers = kv_readers_table(replace(model, n_kv_heads=kv_heads).config)
    return of_groups(model, kv_heads, asked, readers, picture, ledger=shared)


def _sentence(shared: Model, own: Model, asked: Asked) -> str:
    h, h_kv = shared.n_heads, shared.n_kv_heads
    if h_kv == h:
        who = f"**{_heads(h)}, and each has keys and values of its own.**"
    else:
        who = f"**{_heads(h)} read {_kv_heads(h_kv)}: {h // h_kv} share each.**"
    kept = shared.kv_cache_bytes(asked.T, asked.batch, asked.bytes_per_number)
    if not kept:
        return who
    text = f"{who} The cache takes **{bytes_text(kept)}** ({asked.words})"
    if h_kv < h:
        whole = own.kv_cache_bytes(asked.T, asked.batch, asked.bytes_per_number)
        text += f", {h // h_kv} times less than the {bytes_text(whole)} without sharing"
    return text + "."


def _ledger(shared: pd.DataFrame, n_layers: int) -> str:
    """A table in Markdown: a column for each number of key and value heads, the last one chosen."""
    names = {name: (name, "{:,}".format) for name in shared if name.startswith("W_")}
    names |= {"layer": ("one layer", "{:,}".format)}
    names |= {"layers": (f"all {n_layers} layers", count_text)}
    names |= {"token_bytes": ("cache of a token", _bytes), "cache_bytes": ("cache in all", _bytes)}
    head = " | ".join(f"{n:,}" for n in shared["kv_heads"])
    rows = [f"| key and value heads | {head} |", "|:--|" + "--:|" * len(shared)]
    for column, (name, written) in names.items():
        *others, chosen = map(written, shared[column].tolist())
        rows.append(f"| {name} | " + " | ".join([*others, f"**{chosen}**"]) + " |")
    return "\n".join(rows).replace("_", r"\_")


def _bytes(size: int) -> str:
    return bytes_text(size) if size else "none"


def _latent_words(model: Model, asked: Asked) -> str:
    kept = model.kv_cache_bytes(asked.T, asked.batch, asked.bytes_per_number)
    plainly = replace(model, latent=None)
    whole = plainly.kv_cache_bytes(asked.T, asked.batch, asked.bytes_per_number)
    return (
        f"**{plain(model.title)} has latent attention: no key or value head is kept.** Of each "
        f"token and layer it keeps one vector of {model.latent.kv_rank} numbers, from which all "
        f"{model.n_heads} heads rebuild their keys and values, and one key of "
        f"{model.latent.rope} numbers for the positions, which they share. The cache takes "
        f"**{bytes_text(kept)}** ({asked.words}); keys and values of {model.n_heads} heads would "
        f"take {bytes_text(whole)}."
    )


def _tell_latent(model: Model) -> None:
    rows = [f"| {name} | {count:,} |" for name, count in model.layer_terms.items()]
    rows.append(f"| **one layer** | **{model.layer_parameters:,}** |")
    table = "\n".join(["| part | parameters |", "|:--|--:|", *rows])
    st.markdown(table.replace("_", r"\_"))


def _alt(model: Model) -> str:
    group = model.group_size
    readers = "; ".join(
        f"key and value head {n} is read by {_readers(n * group, group)}"
        for n in range(model.n_kv_heads)
    )
    return f"{_heads(model.n_heads)} above {_kv_heads(model.n_kv_heads)}: {readers}."


def _readers(first: int, group: int) -> str:
    return f"query head {first}" if group == 1 else f"query heads {first} to {first + group - 1}"


def _heads(h: int) -> str:
    return f"{h:,} query {'head' if h == 1 else 'heads'}"


def _kv_heads(h_kv: int) -> str:
    return f"{h_kv:,} key and value {'head' if h_kv == 1 else 'heads'}"


def _module_link(small: AttentionConfig, kv_heads: int) -> str:
    """The fused module with the model's heads, on the words and the mask of this page.

    A link of its own: Streamlit's links between pages cannot set what is bound to the address.
    """
    kept = {key: st.query_params[key] for key in _KEPT if key in st.query_params}
    sizes = {"d_model": small.d_model, "heads": small.n_heads, "kv_heads": kv_heads, "at": "k_all"}
    return f"fused_module?{urlencode(kept | sizes)}"
