"""What an attention layer costs, in exact whole numbers, term by term.

    parameters   W_Q C·h·d_head + W_K C·h_kv·d_head + W_V C·h_kv·d_head + W_O h·d_head·C
    multiply-adds of T_q queries over T_k keys: what the projections, the scores and z take
    KV cache     2 · layers · B · h_kv · T · d_head numbers

With d_head = C / h and as many kv heads as heads, the parameters are 4·C²: h cancels out.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from types import MappingProxyType
from typing import Any

from mha.checks import require_positive_int
from mha.config import AttentionConfig

BYTES_PER_NUMBER: Mapping[int, Fraction] = MappingProxyType(  # by bits
    {bits: Fraction(bits, 8) for bits in (32, 16, 8, 4)}
)


@dataclass(frozen=True)
class Ledger:
    """Terms that add up to a total; read-only."""

    terms: Mapping[str, int]

    @property
    def total(self) -> int:
        return sum(self.terms.values())


def count_parameters(config: AttentionConfig, *, d_head: int | None = None) -> Ledger:
    """The parameters of one attention layer, a term for each weight and, with bias, each bias.

    A key head that several query heads share is there once.

    Args:
        config: the sizes.
        d_head: a head size of its own; None is d_model / n_heads.

    Raises:
        ValueError: d_head is not a positive whole number.
    """
    C, d_head = config.d_model, _head_size(config, d_head)
    width, kv_width = config.n_heads * d_head, config.n_kv_heads * d_head
    terms = {"W_Q": C * width, "W_K": C * kv_width, "W_V": C * kv_width, "W_O": width * C}
    if config.bias:
        terms |= {"b_Q": width, "b_K": kv_width, "b_V": kv_width, "b_O": C}
    return Ledger(MappingProxyType(terms))


def parameters_by_head(config: AttentionConfig, *, d_head: int | None = None) -> tuple[Ledger, ...]:
    """The same weights by the heads that they belong to: one ledger for each query head.

    A shared key or value head stands with the first query head of its group. Biases are left out:
    b_O belongs to no head.
    """
    C, d_head = config.d_model, _head_size(config, d_head)
    block = C * d_head
    return tuple(
        Ledger(
            MappingProxyType(
                {
                    "W_Q": block,
                    "W_K": block if head % config.group_size == 0 else 0,
                    "W_V": block if head % config.group_size == 0 else 0,
                    "W_O": block,
                }
            )
        )
        for head in range(config.n_heads)
    )


def count_multiply_adds(
    config: AttentionConfig, *, T_q: int, T_k: int | None = None, B: int = 1
) -> Ledger:
    """The multiply-adds of one layer, a term for each product; biases and softmax are left out.

    Scores are counted for every pair of query and key: the mask hides, it does not save.

    Args:
        T_q: tokens that are projected and ask.
        T_k: tokens that answer, T_q unless told; with a cache more, whose keys are there already.
        B: batch.

    Raises:
        ValueError: a size that is not a positive whole number, or fewer keys than queries.
    """
    T_q, B = require_positive_int("T_q", T_q), require_positive_int("B", B)
    T_k = T_q if T_k is None else require_positive_int("T_k", T_k)
    if T_k < T_q:
        raise ValueError(
            f"T_k must be at least T_q, whose keys are among them; got T_q={T_q}, T_k={T_k}. "
            f"Try T_k={T_q}."
        )
    C, d_head = config.d_model, config.d_head
    pairs = B * config.n_heads * T_q * T_k * d_head
    return Ledger(
        MappingProxyType(
            {
                "qkv": B * T_q * C * (C + 2 * config.n_kv_heads * d_head),
                "scores": pairs,
                "z": pairs,
                "out": B * T_q * C * C,
            }
        )
    )


def count_scores(config: AttentionConfig, *, T: int, B: int = 1) -> tuple[int, int]:
    """How many softmaxes run, one for each query of each head, and how many scores they are over.

    Raises:
        ValueError: T or B is not a positive whole number.
    """
    T, B = require_positive_int("T", T), require_positive_int("B", B)
    softmaxes = B * config.n_heads * T
    return softmaxes, softmaxes * T


def kv_cache_bytes(
    config: AttentionConfig,
    *,
    n_layers: int,
    T: int,
    batch: int = 1,
    bytes_per_number: float | Fraction = 2,
    d_head: int | None = None,
    window: int | None = None,
) -> int:
    """Bytes that the keys and values of T tokens take in all layers.

    Args:
        bytes_per_number: 4, 2, 1 or 0.5, for 32, 16, 8 or 4 bits.
        d_head: a head size of its own; None is d_model / n_heads.
        window: the tokens that a layer with a sliding window keeps at most; None keeps all.

    Returns:
        2 · n_layers · batch · n_kv_heads · d_head · T · bytes_per_number. It is whole: keys and
        values are an even number of numbers.

    Raises:
        ValueError: a size that is not a positive whole number, or another number of bytes.
    """
    sizes = {"n_layers": n_layers, "T": T, "batch": batch}
    if window is not None:
        sizes["window"] = window
    sizes = {name: require_positive_int(name, value) for name, value in sizes.items()}
    tokens = min(sizes["T"], sizes.get("window", sizes["T"]))
    numbers = 2 * sizes["n_layers"] * sizes["batch"] * config.n_kv_heads * tokens
    return int(numbers * _head_size(config, d_head) * _require_bytes(bytes_per_number))


def _head_size(config: AttentionConfig, d_head: int | None) -> int:
    return config.d_head if d_head is None else require_positive_int("d_head", d_head)


def _require_bytes(number: Any) -> Fraction:
    known = BYTES_PER_NUMBER.values()
    if isinstance(number, bool) or number not in known:
        tries = ", ".join(f"{float(n):g}" for n in known)
        raise ValueError(
            f"bytes_per_number must be one of {tries}; got bytes_per_number={number!r}. "
            f"Try 2, for 16 bits."
        )
    return Fraction(number)
