"""What one attention layer costs, counted exactly and term by term.

    W_Q  C * h * d_head        one share of C * d_head for each query head
    W_K  C * h_kv * d_head     one share for each key/value head, shared by its group or not
    W_V  C * h_kv * d_head
    W_O  h * d_head * C        one share for each query head

With d_head = C / h and h_kv = h each of the four is C * C, whatever h is: the number of heads
cancels out. A bias adds h * d_head (b_Q), h_kv * d_head (b_K, b_V) and C (b_O).

Axes: B batch, T_q and T_k tokens, C = d_model, h heads, h_kv key/value heads. All counts are Python
integers, which have no largest number and never round.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from numbers import Real
from typing import NamedTuple

from mha.checks import divisors, require_positive_int
from mha.config import AttentionConfig

BYTES = (4, 2, 1, 0.5)  # of one number: formats of 32, 16, 8 and 4 bits


@dataclass(frozen=True)
class ParameterCount:
    """The parameters of one layer: total = h * per_head + h_kv * per_kv_head + common.

    Args:
        n_heads, n_kv_heads: how many shares there are of each kind.
        per_head: one query head's share of W_Q, W_O and, with a bias, of b_Q.
        per_kv_head: one key/value head's share of W_K, W_V and, with a bias, of b_K and b_V.
        common: what belongs to no head: b_O, with a bias.
    """

    n_heads: int
    n_kv_heads: int
    per_head: Mapping[str, int]
    per_kv_head: Mapping[str, int]
    common: Mapping[str, int]

    @property
    def terms(self) -> dict[str, int]:
        """Parameters by name, every head's together, in the order W_Q, W_K, W_V, W_O, b_Q, …"""
        shares = (
            {name: self.n_heads * count for name, count in self.per_head.items()}
            | {name: self.n_kv_heads * count for name, count in self.per_kv_head.items()}
            | dict(self.common)
        )
        order = [kind + which for kind in ("W_", "b_") for which in "QKVO"]
        return {name: shares[name] for name in order if name in shares}

    @property
    def total(self) -> int:
        return sum(self.terms.values())


def count_parameters(config: AttentionConfig, *, d_head: int | None = None) -> ParameterCount:
    """Count the parameters of one layer, heads that share a key/value head counting it once.

    Args:
        d_head: a head size of its own, as Keras and many recent models have; W_Q is then
            C × h·d_head and W_O is h·d_head × C. None means C / h.

    Raises:
        ValueError: d_head is not a positive whole number.
    """
    C, d_head = config.d_model, _head_size(config, d_head)
    per_head = {"W_Q": C * d_head, "W_O": d_head * C}
    per_kv_head = {"W_K": C * d_head, "W_V": C * d_head}
    common = {}
    if config.bias:
        per_head["b_Q"] = per_kv_head["b_K"] = per_kv_head["b_V"] = d_head
        common["b_O"] = C
    return ParameterCount(config.n_heads, config.n_kv_heads, per_head, per_kv_head, common)


def every_head_count(config: AttentionConfig) -> tuple[AttentionConfig, ...]:
    """The same layer with every number of heads that it can have, fewest first.

    Where each head has keys and values of its own, so it has in all of them; otherwise the number
    of key/value heads stays, and a number of heads that it does not divide is left out.
    """
    C, bias = config.d_model, config.bias
    if config.n_kv_heads == config.n_heads:
        return tuple(AttentionConfig(C, h, bias=bias) for h in divisors(C))
    h_kv = config.n_kv_heads
    return tuple(AttentionConfig(C, h, h_kv, bias) for h in divisors(C) if h % h_kv == 0)


def kv_cache_bytes(
    config: AttentionConfig,
    *,
    n_layers: int,
    T: int,
    batch: int = 1,
    bytes_per_number: float = 2,
    d_head: int | None = None,
    window: int | None = None,
) -> int:
    """Bytes that the keys and values of T tokens take in every layer of a model.

    2 · n_layers · batch · h_kv · d_head · T · bytes_per_number: a key and a value for each token.
    The 2 makes numbers of half a byte whole too.

    Args:
        bytes_per_number: 4, 2, 1 or 0.5.
        d_head: a head size of its own; None means C / h.
        window: the most tokens that a layer keeps (sliding-window attention); None means all.
            For a model that mixes both kinds of layer, add up one call for each kind.

    Raises:
        ValueError: a size that is not a positive whole number, or another bytes_per_number.
    """
    d_head = _head_size(config, d_head)
    sizes = {"n_layers": n_layers, "T": T, "batch": batch}
    n_layers, T, batch = (require_positive_int(*size) for size in sizes.items())
    kept = T if window is None else min(T, require_positive_int("window", window))
    numbers = 2 * n_layers * batch * config.n_kv_heads * d_head * kept
    return bytes_needed(numbers, bytes_per_number)


@dataclass(frozen=True)
class MultiplyAdds:
    """Multiply-adds of one layer, step by step; twice as many floating-point operations.

    Args:
        qkv: the projections of the T_q new tokens to queries, keys and values.
        scores: q·k for every pair.
        weights_v: the weighted sums of the values.
        output: the projection by W_O.
    """

    qkv: int
    scores: int
    weights_v: int
    output: int

    @property
    def terms(self) -> dict[str, int]:
        return dict(vars(self))

    @property
    def total(self) -> int:
        return sum(self.terms.values())


def count_multiply_adds(
    config: AttentionConfig,
    *,
    T_q: int,
    T_k: int | None = None,
    batch: int = 1,
    causal: bool = False,
    d_head: int | None = None,
) -> MultiplyAdds:
    """Count the multiply-adds of T_q tokens that look at T_k, of which the others are cached.

    Scaling, the softmax and the additions of a bias are not multiply-adds and are left out.

    Args:
        T_q: tokens that pass through the layer now: the last of the T_k.
        T_k: tokens looked at, cached ones included; None means T_q, without a cache.
        causal: False counts the full rectangle T_q · T_k, which is what a matrix product computes
            under a causal mask too; True counts only the pairs that the mask lets through, the
            least that a kernel which skips the others can do.
        d_head: a head size of its own; None means C / h.

    Raises:
        ValueError: a size that is not a positive whole number, or fewer keys than queries.
    """
    C, h, d_head = config.d_model, config.n_heads, _head_size(config, d_head)
    batch = require_positive_int("batch", batch)
    T_q, T_k = _lengths(T_q, T_k)
    hidden = T_q * (T_q - 1) // 2 if causal else 0
    mixing = batch * h * (T_q * T_k - hidden) * d_head
    return MultiplyAdds(
        qkv=batch * T_q * C * (h + 2 * config.n_kv_heads) * d_head,
        scores=mixing,
        weights_v=mixing,
        output=batch * T_q * h * d_head * C,
    )


def count_decoding(
    config: AttentionConfig, n: int, *, cached: bool, batch: int = 1, d_head: int | None = None
) -> MultiplyAdds:
    """Count the multiply-adds of decoding token n (the first is 1) in one layer.

    With a cache one token passes and looks at n; without one all n pass again, and all but the last
    of their outputs were known before.

    Raises:
        ValueError: a size that is not a positive whole number.
    """
    n = require_positive_int("n", n)
    T_q = 1 if cached else n
    return count_multiply_adds(config, T_q=T_q, T_k=n, batch=batch, d_head=d_head)


class ScoreCount(NamedTuple):
    """The size of the scores (B, h, T_q, T_k), and of the weights, which are as many.

    numbers: B · h · T_q · T_k, masked ones included.
    bytes: that they take where the whole tensor is kept.
    softmaxes: rows, B · h · T_q; each adds up to 1 on its own.
    """

    numbers: int
    bytes: int
    softmaxes: int


def count_scores(
    config: AttentionConfig,
    *,
    T_q: int,
    T_k: int | None = None,
    batch: int = 1,
    bytes_per_number: float = 4,
) -> ScoreCount:
    """Count the scores of one layer: they grow with the number of heads, whatever d_head is.

    Half a byte left over is a whole one.

    Raises:
        ValueError: a size that is not a positive whole number, fewer keys than queries, or a
            bytes_per_number other than 4, 2, 1 and 0.5.
    """
    batch = require_positive_int("batch", batch)
    T_q, T_k = _lengths(T_q, T_k)
    softmaxes = batch * config.n_heads * T_q
    numbers = softmaxes * T_k
    return ScoreCount(numbers, bytes_needed(numbers, bytes_per_number), softmaxes)


def bytes_needed(numbers: int, bytes_per_number: float) -> int:
    """The whole bytes that so many numbers take, exactly; what is left over takes a whole one.

    Raises:
        ValueError: bytes_per_number is not 4, 2, 1 or 0.5.
    """
    known = isinstance(bytes_per_number, Real) and not isinstance(bytes_per_number, bool)
    if not known or bytes_per_number not in BYTES:
        raise ValueError(
            f"bytes_per_number must be 4, 2, 1 or 0.5 (32, 16, 8 or 4 bits); "
            f"got bytes_per_number={bytes_per_number!r}. Try bytes_per_number=2."
        )
    return math.ceil(numbers * Fraction(float(bytes_per_number)))


def _head_size(config: AttentionConfig, d_head: int | None) -> int:
    return config.d_head if d_head is None else require_positive_int("d_head", d_head)


def _lengths(T_q: int, T_k: int | None) -> tuple[int, int]:
    T_q = require_positive_int("T_q", T_q)
    T_k = T_q if T_k is None else require_positive_int("T_k", T_k)
    if T_k < T_q:
        raise ValueError(
            f"T_k must be at least T_q, whose tokens are the last of the T_k; "
            f"got T_q={T_q}, T_k={T_k}. Try T_k={T_q}."
        )
    return T_q, T_k
