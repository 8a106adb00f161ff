"""The KV cache and decoding in numbers → tidy tables; the ledger and the models count.

    cache     bytes over context length, sliding windows and latent attention by their own rules
    memories  the longest context that fits a memory, alone and beside the weights
    decoding  multiply-adds of token n, with a cache and without one
    readers   which query head reads which key and value head

1 GB is 10^9 bytes throughout.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import accumulate

import numpy as np
import pandas as pd

from mha.amounts import GB
from mha.checks import require_positive_int
from mha.config import AttentionConfig
from mha.ledger import bytes_needed, count_decoding
from mha.models import Model

MEMORIES = (8, 16, 24, 80, 141)  # GB, of a laptop or phone, two graphics cards, an A100, an H200
LONGEST = 2**20  # tokens that a table of contexts reaches at least
MOST_DECODED = 4096  # tokens of a table of decoding, one row each and way
WAYS = {True: "with a cache", False: "without a cache"}


def cache_table(
    models: Iterable[Model], T: int, *, batch: int = 1, bytes_per_number: float = 2
) -> pd.DataFrame:
    """The bytes of each model's cache, for contexts of 1, 2, 4, … tokens and of T.

    Returns:
        model (its title), context (tokens, up to LONGEST or the next power of two after T), bytes,
        chosen (whether the context is T). An encoder keeps 0 bytes.

    Raises:
        ValueError: T or batch is not a positive whole number, or an unknown bytes_per_number.
    """
    T = require_positive_int("T", T)
    powers = (2**i for i in range(max(LONGEST, T - 1).bit_length() + (T > LONGEST)))
    contexts = sorted({*powers, T})
    rows = [
        (model.title, context, model.kv_cache_bytes(context, batch, bytes_per_number), context == T)
        for model in models
        for context in contexts
    ]
    return pd.DataFrame(rows, columns=["model", "context", "bytes", "chosen"])


def weight_bytes(model: Model, bytes_per_number: float = 2) -> int | None:
    """Bytes of all parameters of the model; None where no total was read."""
    if model.n_parameters is None:
        return None
    return bytes_needed(model.n_parameters, bytes_per_number)


def largest_context(
    model: Model, budget: int, *, batch: int = 1, bytes_per_number: float = 2
) -> int | None:
    """The most tokens whose cache takes at most `budget` bytes.

    Returns:
        tokens; 0 where the cache of one token is too much; None where every context fits, because
        the model keeps no cache or all its layers have a window.
    """

    def exceeds(T: int) -> bool:
        return model.kv_cache_bytes(T, batch, bytes_per_number) > budget

    if (full := _full_at(model)) is not None and not exceeds(full):
        return None
    too_many = 1
    while not exceeds(too_many):
        too_many *= 2
    return bisect_left(range(1, too_many + 1), True, key=exceeds)


def outgrowing_context(
    model: Model,
    *,
    batch: int = 1,
    bytes_per_number: float = 2,
    weight_bytes_per_number: float = 2,
) -> int | None:
    """The fewest tokens whose cache takes more bytes than the model's weights.

    Returns:
        tokens; None where the cache never does, or where no total of parameters was read.
    """
    weights = weight_bytes(model, weight_bytes_per_number)
    if weights is None:
        return None
    fits = largest_context(model, weights, batch=batch, bytes_per_number=bytes_per_number)
    return None if fits is None else fits + 1


def memories_table(
    model: Model,
    *,
    batch: int = 1,
    bytes_per_number: float = 2,
    weight_bytes_per_number: float = 2,
    memories: Sequence[int] = MEMORIES,
) -> pd.DataFrame:
    """The longest context that fits each memory.

    Args:
        memories: in GB, of 10^9 bytes.

    Returns:
        memory_gb; memory_bytes; weight_bytes (missing where no total was read); and two numbers of
        tokens, alone for the cache without the weights and beside_weights for both: 0 where one
        token is too much, missing where every context fits, and where weight_bytes is missing.
    """
    weights = weight_bytes(model, weight_bytes_per_number)
    how = {"batch": batch, "bytes_per_number": bytes_per_number}
    rows = []
    for memory in memories:
        size = memory * GB
        alone = largest_context(model, size, **how)
        beside = None
        if weights is not None:
            # A model without a cache fits every context, but only where its weights do.
            beside = 0 if weights > size else largest_context(model, size - weights, **how)
        rows.append((memory, size, weights, alone, beside))
    names = "memory_gb memory_bytes weight_bytes alone beside_weights".split()
    return pd.DataFrame(rows, columns=names, dtype="Int64")


def decoding_table(
    config: AttentionConfig,
    T: int,
    *,
    n_layers: int = 1,
    batch: int = 1,
    d_head: int | None = None,
    seconds: Mapping[bool, Sequence[float]] | None = None,
) -> pd.DataFrame:
    """What decoding T tokens costs, one row a token and way.

    Args:
        d_head: a head size of its own; None means C / h.
        seconds: measured for each token, by whether there was a cache.

    Returns:
        way (of WAYS); n, from 1; multiply_adds of token n in all layers; so_far, of it and all
        before it; and seconds, where they were given.

    Raises:
        ValueError: a size that is not a positive whole number, or T above MOST_DECODED.
    """
    T = require_positive_int("T", T, most=MOST_DECODED)
    n_layers = require_positive_int("n_layers", n_layers)
    ways = []
    for cached, way in WAYS.items():
        costs = [
            n_layers * count_decoding(config, n, cached=cached, batch=batch, d_head=d_head).total
            for n in range(1, T + 1)
        ]
        columns = {"way": way, "n": range(1, T + 1), "multiply_adds": costs}
        columns["so_far"] = list(accumulate(costs))
        if seconds is not None:
            columns["seconds"] = list(seconds[cached])
        ways.append(pd.DataFrame(columns))
    return pd.concat(ways, ignore_index=True)


def sharing_table(
    model: Model,
    kv_heads: Iterable[int],
    T: int,
    *,
    batch: int = 1,
    bytes_per_number: float = 2,
) -> pd.DataFrame:
    """What sharing keys and values does to a model, one row a number of key and value heads.

    Returns:
        kv_heads; W_Q, W_K, W_V and W_O (parameters of one layer); layer, of all its projections and
        biases; layers, of all attention layers; and bytes of the cache, token_bytes of one token
        and cache_bytes of T in all sequences: 0 for an encoder.

    Raises:
        ValueError: a number that does not divide the heads, T or batch is not a positive whole
            number, or an unknown bytes_per_number.
    """
    rows = []
    for one in (replace(model, n_kv_heads=n) for n in kv_heads):
        weights = {name: n for name, n in one.layer_terms.items() if name.startswith("W_")}
        rows.append(
            {"kv_heads": one.n_kv_heads}
            | weights
            | {"layer": one.layer_parameters, "layers": one.attention_parameters}
            | {"token_bytes": one.kv_cache_bytes(1, 1, bytes_per_number)}
            | {"cache_bytes": one.kv_cache_bytes(T, batch, bytes_per_number)}
        )
    return pd.DataFrame(rows)


def kv_readers_table(config: AttentionConfig) -> pd.DataFrame:
    """Which query head reads which key and value head: neighbours share one, 0, 0, 1, 1.

    Returns:
        one row a query head: head; kv_head, head // group_size; first, once for each kv head; and
        readers, all query heads of that kv head, "2 to 3".
    """
    heads = np.arange(config.n_heads)
    kv_heads = heads // config.group_size
    first = kv_heads * config.group_size
    last = first + config.group_size - 1
    readers = [f"{a}" if a == b else f"{a} to {b}" for a, b in zip(first, last, strict=True)]
    return pd.DataFrame(
        {"head": heads, "kv_head": kv_heads, "first": heads == first, "readers": readers}
    )


def _full_at(model: Model) -> int | None:
    """The context from which the cache grows no further; None where it always does."""
    if model.kind == "encoder":
        return 1
    return model.window if model.n_window_layers == model.n_layers else None
