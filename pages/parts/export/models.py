"""Real models to take away: who reads whom, the cache, decoding, or the table of all."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import pandas as pd

from pages.parts.export.row import Takeaway

if TYPE_CHECKING:
    from mha.config import AttentionConfig
    from mha.export import Script
    from mha.models import Model
    from pages.parts.real_models.choose import Asked

Chart = tuple[pd.DataFrame, Mapping[str, Any]]


def of_groups(
    model: Model, kv_heads: int, asked: Asked, readers: pd.DataFrame, chart: Chart, **more: Any
) -> Takeaway:
    """Who reads whom, and what sharing does."""
    script = _script("grouped_queries", model, kv_heads, asked)
    return _shown("grouped_queries", readers, script, chart, **more)


def of_latent(model: Model, asked: Asked) -> Takeaway:
    """The projections of latent attention, and its cache."""
    terms = pd.DataFrame(model.layer_terms.items(), columns=["part", "parameters"])
    script = _script("grouped_queries", model, model.n_kv_heads, asked)
    return _shown("latent_attention", terms, script)


def of_cache(
    model: Model, asked: Asked, numbers: pd.DataFrame, chart: Chart, **more: Any
) -> Takeaway:
    """The bytes over context length, and what fits which memory."""
    return _shown("kv_cache", numbers, _script("kv_cache", model, asked), chart, **more)


def of_decoding(config: AttentionConfig, T: int, numbers: pd.DataFrame, chart: Chart) -> Takeaway:
    """What each token costs, with a cache and without one."""

    def script() -> Script:
        from mha.export.models import decoding

        return decoding(config, T)

    return _shown("decoding", numbers, script, chart)


def of_all(table: pd.DataFrame) -> Takeaway:
    """The table of the models that were found, which nothing computes: it was read."""
    return _shown("models", table)


def _script(kind: str, *sizes: Any) -> Callable[[], Script]:
    """A script of `mha.export.models`; the last of the sizes is what the cache is to keep."""

    def make() -> Script:
        from mha.export import models

        *of, asked = sizes
        how = {"batch": asked.batch, "bytes_per_number": asked.bytes_per_number}
        return getattr(models, kind)(*of, asked.T, **how)

    return make


def _shown(
    name: str,
    numbers: pd.DataFrame,
    script: Callable[[], Script] | None = None,
    chart: Chart | None = None,
    **more: pd.DataFrame,
) -> Takeaway:
    def arrays():
        from mha.export.files import columns

        return columns(numbers)

    def pictures(_: object):
        from mha.charts.files import Picture

        table, spec = chart
        return [Picture(spec, table)]

    return Takeaway(
        name,
        lambda: numbers,
        arrays,
        script,
        None if chart is None else pictures,
        {title: (lambda table=table: table) for title, table in more.items()},
    )
