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

from mha.checks import require_mask, require_positive_int, require_shape

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
    below. Keeps float32 and float64.

    Raises:
        ValueError: a row of -inf only; its sum would be 0.
    """
    scores = _floating(scores)
    largest = scores.max(axis=axis, keepdims=True)
    if np.isneginf(largest).any():
        row = int(np.isneginf(largest).squeeze(axis).nonzero()[-1][0]) if scores.ndim > 1 else 0
        raise ValueError(
            f"softmax needs one score above -inf in every row; got row {row} all -inf. "
            f"Try a mask that leaves row {row} something to look at."
        )
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
        mask: bool (..., T_q, T_k), True where a query may look at a key; None lets all look.
            `nn.MultiheadAttention` means the opposite by True.
        scale: what q·k is multiplied by; None is 1/sqrt(d_head).

    Returns:
        scores, weights and z, in the dtype of the inputs (integers become float64).

    Raises:
        ValueError: a shape that does not fit q's, a scale that is not a finite number, or a query
            that may look at no key.

    Source: Vaswani et al. 2017, equation 1, arXiv:1706.03762.
    """
    q, k, v = _floating(q), _floating(k), _floating(v)
    require_shape("q", q, (None, None))
    T_q, d_head = q.shape[-2:]
    require_shape("k", k, (None, d_head))
    T_k = k.shape[-2]
    require_shape("v", v, (T_k, None))
    scale = _scale(scale, d_head)

    scores = q @ k.swapaxes(-2, -1)
    scores *= scale
    if mask is not None:
        mask = np.asarray(mask)
        require_mask(mask, T_q, T_k)
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
    """
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


def _floating(array: Any) -> Array:
    array = np.asarray(array)
    return array if np.issubdtype(array.dtype, np.floating) else array.astype(np.float64)


def _scale(scale: float | None, d_head: int) -> float:
    if scale is None:
        return 1 / math.sqrt(require_positive_int("d_head", d_head))
    if not math.isfinite(scale):
        raise ValueError(
            f"scale must be a finite number; got scale={scale!r}. "
            f"Try scale=None for 1/sqrt(d_head)."
        )
    return float(scale)
