"""Attention in NumPy, written to be read; pictures and other implementations are held to it.

    scores  = q·k · scale              (..., T_q, T_k), -inf where the mask says no
    weights = softmax(scores)          (..., T_q, T_k), every row sums to 1
    z       = weights · v              (..., T_q, d_v)

Axes before the last two are free: a batch, heads, both or neither.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from mha.checks import (
    require_axes,
    require_broadcast,
    require_finite,
    require_index,
    require_mask,
    require_positive_int,
    require_shape,
)

Array = np.ndarray


class HeadTrace(NamedTuple):
    """What a head computed on the way to its output.

    scores (..., T_q, T_k): before the softmax, -inf where masked.
    weights (..., T_q, T_k): probabilities; every row sums to 1.
    z (..., T_q, d_v): each query's weighted mean of the values, before W_O.
    """

    scores: Array
    weights: Array
    z: Array


def causal_mask(T_q: int, T_k: int | None = None) -> Array:
    """The mask of a model that reads from left to right: a token sees itself and what came before.

    Args:
        T_q: number of queries.
        T_k: number of keys, T_q unless told. With more keys than queries the queries are the
            **last** T_q positions, as they are when earlier keys wait in a cache.

    Returns:
        bool (T_q, T_k), True = may look: query i sees key j where j <= i + T_k - T_q.

    Raises:
        ValueError: fewer keys than queries; the first query would see nothing.
    """
    T_q = require_positive_int("T_q", T_q)
    T_k = T_q if T_k is None else require_positive_int("T_k", T_k)
    if T_k < T_q:
        raise ValueError(
            f"a causal mask needs at least as many keys as queries; got T_q={T_q}, T_k={T_k}. "
            f"Try T_k={T_q}."
        )
    return np.tri(T_q, T_k, T_k - T_q, dtype=bool)


def softmax(scores: Array, axis: int = -1) -> Array:
    """exp(score) over the sum of exp(score), along one axis, without overflow.

    The largest score is taken off first, which changes no ratio and keeps every exponent at 0 or
    below. Keeps float32 and float64. A row that holds a NaN, or +inf, becomes NaN throughout.

    Raises:
        ValueError: a row of -inf only, whose sum would be 0; a row of no scores; or scores that are
            no real numbers.
    """
    scores = _floating("scores", scores)
    if scores.ndim == 0 or scores.shape[axis] == 0:
        raise ValueError(
            f"softmax needs one score at least in every row; got scores.shape={scores.shape}. "
            f"Try a row of one score, whose weight is 1."
        )
    largest = scores.max(axis=axis, keepdims=True)
    if np.isneginf(largest).any():
        row = int(np.isneginf(largest).squeeze(axis).nonzero()[-1][0]) if scores.ndim > 1 else 0
        raise ValueError(
            f"softmax needs one score above -inf in every row; got row {row} all -inf. "
            f"Try a mask that leaves row {row} something to look at."
        )
    with np.errstate(invalid="ignore"):  # inf - inf is NaN, as said
        weights = scores - largest
    np.exp(weights, out=weights)
    weights /= weights.sum(axis=axis, keepdims=True)
    return weights


def attend(
    q: Array, k: Array, v: Array, *, mask: Array | None = None, scale: float | None = None
) -> HeadTrace:
    """Attend in every head of every batch at once, keeping each step so that it can be drawn.

    Args:
        q: queries, (..., T_q, d_head).
        k: keys, (..., T_k, d_head); leading axes equal q's or broadcast to them.
        v: values, (..., T_k, d_v).
        mask: bool (..., T_q, T_k), True where a query may look at a key; None lets all look. Its
            leading axes broadcast with the others'.
            `nn.MultiheadAttention` means the opposite by True.
        scale: what q·k is multiplied by; None is 1/sqrt(d_head).

    Returns:
        scores, weights and z, in the dtype of the inputs (integers become float64). NaN is never
        hidden: one in q or k makes each row NaN that may look at it, one in v makes z NaN for every
        query, since even a weight of 0 times NaN is NaN, as in PyTorch.

    Raises:
        ValueError: a shape that does not fit q's, an axis of no length, inputs that are no real
            numbers, a scale that is not a finite number, or a query that may look at no key.

    Source: Vaswani et al. 2017, equation 1, arXiv:1706.03762.
    """
    q, k, v = _floating("q", q), _floating("k", k), _floating("v", v)
    require_shape("q", q, (None, None))
    T_q, d_head = q.shape[-2:]
    require_shape("k", k, (None, d_head))
    T_k = k.shape[-2]
    require_shape("v", v, (T_k, None))
    for name, length in {"T_q": T_q, "T_k": T_k, "d_head": d_head}.items():
        require_positive_int(name, length)
    if scale is None:
        scale = 1 / math.sqrt(d_head)
    scale = require_finite("scale", scale, instead="scale=None for 1/sqrt(d_head)")
    arrays = {"q": q, "k": k, "v": v}
    if mask is not None:
        arrays["mask"] = mask = np.asarray(mask)
        require_mask(mask, T_q, T_k)
    require_broadcast(arrays)

    scores = q @ k.swapaxes(-2, -1)
    scores *= scale
    if mask is not None:
        scores = np.where(mask, scores, scores.dtype.type(-np.inf))  # the mask may add axes
    weights = softmax(scores)
    return HeadTrace(scores, weights, z=weights @ v)


class WeightArithmetic(NamedTuple):
    """How one weight comes about; multiplied and added up, it is the weight.

    q, k (d_head,): the query and the key. dot: their dot product; times `scale`, it is the score.
    score: -inf where masked. largest: the row's largest score, taken off before exp.
    exponential: exp(score - largest). row_sum: the sum of the row's exponentials.
    weight: exponential / row_sum.
    """

    q: Array
    k: Array
    dot: float
    score: float
    largest: float
    exponential: float
    row_sum: float
    weight: float


def explain_weight(q: Array, k: Array, trace: HeadTrace, query: int, key: int) -> WeightArithmetic:
    """The arithmetic of one cell of a single head.

    Args:
        q, k: (T_q, d_head) and (T_k, d_head), as given to `attend`.
        trace: what `attend` returned for them, without leading axes.
        query, key: row and column.

    Raises:
        ValueError: arrays of another shape, or a row or column that is not there.
    """
    T_q, _ = require_axes("q", q, ("T_q", "d_head"))
    T_k, _ = require_axes("k", k, ("T_k", "d_head"))
    require_axes("scores", trace.scores, ("T_q", "T_k"))
    require_shape("scores", trace.scores, (T_q, T_k))
    query, key = require_index("query", query, T_q), require_index("key", key, T_k)
    scores = trace.scores[query]
    exponentials = np.exp(scores - scores.max())
    return WeightArithmetic(
        q[query],
        k[key],
        dot=float(q[query] @ k[key]),
        score=float(scores[key]),
        largest=float(scores.max()),
        exponential=float(exponentials[key]),
        row_sum=float(exponentials.sum()),
        weight=float(trace.weights[query, key]),
    )


def _floating(name: str, array: Any) -> Array:
    """The array in floating point: as it is, or whole numbers as float64."""
    array = np.asarray(array)
    if array.dtype.kind not in "fiub":
        raise ValueError(
            f"{name} must hold real numbers; got {name}.dtype={array.dtype}. "
            f"Try {name}.astype(float)."
        )
    return array if array.dtype.kind == "f" else array.astype(np.float64)
