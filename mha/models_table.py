"""The models' rows → one tidy table, searched, filtered and sorted."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import pandas as pd

from mha.models import Model

COLUMNS = (
    "title year kind sharing layers d_model heads kv_heads d_head attention parameters "
    "cache_bytes window window_layers source note"
).split()
# What each model can be sorted by: a column, and whether the largest comes first.
SORTED_BY: Mapping[str, tuple[str, bool]] = {
    "newest first": ("year", True),
    "largest first": ("parameters", True),
    "smallest first": ("parameters", False),
    "widest first": ("d_model", True),
    "most heads first": ("heads", True),
    "smallest cache first": ("cache_bytes", False),
    "largest cache first": ("cache_bytes", True),
}


def models_table(models: Iterable[Model]) -> pd.DataFrame:
    """One row a model, in the order given.

    Returns:
        title; year; kind; sharing (how query heads share keys and values); layers; d_model; heads;
        kv_heads; d_head; attention (parameters of all attention layers); parameters (of the whole
        model, missing where no total was read); cache_bytes (of one token in all layers at 16 bits,
        while every window has it; missing for an encoder, which keeps none); window (tokens,
        missing where no layer has one); window_layers; source; note.
    """
    rows = [
        {
            "title": model.title,
            "year": model.year,
            "kind": model.kind,
            "sharing": model.sharing,
            "layers": model.n_layers,
            "d_model": model.d_model,
            "heads": model.n_heads,
            "kv_heads": model.n_kv_heads,
            "d_head": model.d_head,
            "attention": model.attention_parameters,
            "parameters": model.n_parameters,
            "cache_bytes": model.kv_cache_bytes(1) or None,
            "window": model.window,
            "window_layers": model.n_window_layers,
            "source": model.source,
            "note": model.note,
        }
        for model in models
    ]
    table = pd.DataFrame(rows, columns=COLUMNS)
    return table.astype(dict.fromkeys(("parameters", "cache_bytes", "window"), "Int64"))


def matching(models: Iterable[Model], text: str = "", sharing: str | None = None) -> list[Model]:
    """The models that have every word of the text in their title, family, year, kind or sharing.

    Args:
        text: words in any order; capitals do not matter. An empty text finds all.
        sharing: one of SHARINGS, or None for all.
    """
    words = text.casefold().split()

    def is_found(model: Model) -> bool:
        described = (model.title, model.family, str(model.year), model.kind, model.sharing)
        return all(word in " ".join(described).casefold() for word in words)

    return [m for m in models if sharing in (None, m.sharing) and is_found(m)]


def ordered(table: pd.DataFrame, order: str) -> pd.DataFrame:
    """The table in one of the orders of SORTED_BY; equals keep theirs, missing values come last.

    Raises:
        ValueError: an unknown order.
    """
    if order not in SORTED_BY:
        raise ValueError(
            f"order must be one of {', '.join(SORTED_BY)}; got order={order}. "
            f"Try {next(iter(SORTED_BY))}."
        )
    column, is_descending = SORTED_BY[order]
    return table.sort_values(
        column, ascending=not is_descending, kind="stable", na_position="last", ignore_index=True
    )
