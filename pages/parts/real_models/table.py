"""All models in one table: searched, filtered, sorted, and one of them loaded into the sliders."""

from __future__ import annotations

import streamlit as st

from mha.config import AttentionConfig
from mha.models import MODELS, SHARINGS, Model
from mha.models_table import SORTED_BY, matching, models_table, ordered
from pages.parts import bound
from pages.parts.export import Takeaway
from pages.parts.export.models import of_all
from pages.parts.kv_heads import ALL
from pages.parts.link import D_MODEL_RANGE
from pages.parts.real_models import choose
from pages.parts.words import plain

EVERY = "all"
_TABLE, _SHOWN = "models_table", "models_shown"
_COLUMNS = {
    "title": "model",
    "year": "year",
    "sharing": "keys and values",
    "layers": "layers",
    "d_model": "d_model",
    "heads": "heads",
    "kv_heads": "kv heads",
    "d_head": "d_head",
    "attention": "in attention",
    "parameters": "parameters",
    "cache_bytes": "cache, bytes a token",
    "window": "window",
    "window_layers": "layers with it",
    "kind": "kind",
    "source": "source",
    "note": "note",
}
_WORDS = ("title", "sharing", "kind", "source", "note")
# A total is rounded by its makers: 8B, not 8,000,000,000.
_FORMATS = {"year": "plain", "parameters": "compact"}
_HEIGHT = 460


def show(model: Model, place: bound.Place) -> Takeaway | None:
    """The table, what it is narrowed to, and the chosen model.

    Returns the table, where anything was found, to be taken away.
    """
    with st.container(horizontal=True, vertical_alignment="bottom"):
        text = bound.write(
            "Search", key="find", longest=40, placeholder="a name, a year, a kind", width=260
        )
        order = bound.pick("Order", list(SORTED_BY), key="order")
    kind = bound.segments("Keys and values", (EVERY, *SHARINGS), key="sharing")
    sharing = None if kind == EVERY else kind
    found = matching(MODELS.values(), text, sharing)
    table = ordered(models_table(found), order)
    titles = table["title"].tolist()
    with place:
        st.markdown(
            f"**{len(found)} of {len(MODELS)} models**, each with the source that its sizes were "
            "read in. Choose one by its row."
        )
        if found:
            st.session_state[_SHOWN] = titles
            st.dataframe(
                table[list(_COLUMNS)],
                hide_index=True,
                height=_HEIGHT,
                key=_TABLE,
                on_select=_take_row,
                selection_mode="single-row",
                column_config={
                    name: st.column_config.TextColumn(title)
                    if name in _WORDS
                    else st.column_config.NumberColumn(
                        title, format=_FORMATS.get(name, "localized")
                    )
                    for name, title in _COLUMNS.items()
                },
                alt=f"The sizes of {len(found)} models, a row for each.",
            )
        else:
            st.info("No model has all of these words. Try fewer.")
        _chosen(model)
    return of_all(table) if found else None


def _chosen(model: Model) -> None:
    """The chosen model in words, and the way into the sliders."""
    small = model.narrowed(D_MODEL_RANGE[1])
    own = f"d_head {model.d_head:,}"
    if model.has_own_d_head:
        own += f" (its own: d_model / heads would be {model.config.d_head:,})"
    sizes = (
        f"{model.year}, {model.n_layers} layers, d_model {model.d_model:,}, "
        f"{model.n_heads:,} heads, {model.n_kv_heads:,} kv heads, {own}."
    )
    text, button = st.columns([5, 2], gap="medium", vertical_alignment="center")
    with text:
        st.markdown(f"**{plain(model.title)}**: {plain(sizes)} Read in: {plain(model.source)}.")
    with button:
        st.button(
            "Load into the sliders",
            on_click=_load,
            args=(model, small),
            help="Its sizes on the page about parameters. "
            + (
                f"The sidebar takes its heads, at d\\_model {small.d_model}."
                if small
                else "The sidebar has no room for so many heads."
            ),
        )


def _take_row() -> None:
    rows = st.session_state[_TABLE].selection.rows
    titles = st.session_state[_SHOWN]
    if rows and 0 <= rows[0] < len(titles):
        choose.take(titles[rows[0]])


def _load(model: Model, small: AttentionConfig | None) -> None:
    """The page about parameters gets the sizes themselves, the sidebar as many narrower heads."""
    bound.assign("width", model.d_model)
    bound.assign("width_heads", model.n_heads)
    bound.assign("d_head", model.d_head if model.has_own_d_head else None)
    bound.assign("bias", model.config.bias)
    shared = model.n_kv_heads < model.n_heads
    bound.assign("kv_heads", str(model.n_kv_heads) if shared else ALL)
    if small is not None:
        bound.assign("d_model", small.d_model)
        bound.assign("heads", small.n_heads)
