"""What PyTorch makes of a mask, and what is wrong with it where a causal mask was meant.

    bool     scaled_dot_product_attention: True = may look     nn.MultiheadAttention: True = hidden
    float    both add it to the scores: 0 changes nothing, -inf hides, 1 only favours
    int      both refuse it

The weights are PyTorch's own: each of the two is called with the mask as it was written.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, get_args

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

from mha.checks import require_axes, require_shape
from mha.mask_doctor.reading import BOOL, MAX_MASK, PastedMask

Function = Literal["scaled_dot_product_attention", "nn.MultiheadAttention"]
DType = Literal["bool", "float", "int"]
Problem = Literal[
    "upside down",
    "off by one",
    "added instead of applied",
    "a row that sees nothing",
    "not aligned to the cache",
]
SDPA, MODULE = FUNCTIONS = get_args(Function)
DTYPES: tuple[DType, ...] = get_args(DType)
PROBLEMS: tuple[Problem, ...] = get_args(Problem)
UPSIDE_DOWN, OFF_BY_ONE, WAS_ADDED, EMPTY_ROW, MISALIGNED = PROBLEMS

_TORCH = {"bool": torch.bool, "float": torch.float64, "int": torch.int64}


@dataclass(frozen=True)
class Finding:
    """One thing that is wrong. problem: its name. says: what it does, and what to try."""

    problem: Problem
    says: str


@dataclass(frozen=True, eq=False)
class Reading:
    """A mask as one function reads it.

    function: which. rule: how it reads a mask of this type, in a sentence.
    sees: bool (T_q, T_k), where a query may look; None where the mask is refused.
    weights: (T_q, T_k), what the function gives; None where it refuses the mask.
    error: the text of its refusal, or None.
    findings: what is wrong; none for a causal mask that is right, nor for one that hides nothing.
    """

    function: Function
    rule: str
    sees: np.ndarray | None
    weights: np.ndarray | None
    error: str | None
    findings: tuple[Finding, ...]

    @property
    def seen_ahead(self) -> int:
        """Pairs of a query and a key that it sees though the key comes after it."""
        return int((self.sees & ~_causal(self.sees)).sum())

    @property
    def hidden_behind(self) -> int:
        """Pairs of a query and a key, its own or an earlier one, that it does not see."""
        return int((~self.sees & _causal(self.sees)).sum())


@dataclass(frozen=True, eq=False)
class Diagnosis:
    """How both functions read one mask, and the scores (T_q, T_k) that they were given."""

    scores: np.ndarray
    sdpa: Reading
    module: Reading


def seeded_scores(T_q: int, T_k: int, seed: int = 0) -> np.ndarray:
    """Scores (T_q, T_k) to try a mask on: normal numbers, from the sizes and the seed alone."""
    return np.random.default_rng(seed).standard_normal((T_q, T_k))


def diagnose(
    mask: PastedMask, *, dtype: DType | None = None, scores: np.ndarray | None = None
) -> Diagnosis:
    """Give a mask to both functions, and say what is wrong with it if it is meant to be causal.

    Args:
        mask: as it was written.
        dtype: the type of the tensor that it becomes; None is bool for True and False, otherwise
            float.
        scores: (T_q, T_k), q·k after scaling; None takes those of seed 0.

    Raises:
        ValueError: a dtype that is not there, -inf as whole numbers, or scores of another shape.
    """
    T_q, T_k = mask.values.shape
    scores = seeded_scores(T_q, T_k) if scores is None else np.asarray(scores, dtype=np.float64)
    require_axes("scores", scores, ("T_q", "T_k"))
    require_shape("scores", scores, (T_q, T_k))
    tensor = _as_tensor(mask, dtype or ("bool" if mask.kind == BOOL else "float"))
    return Diagnosis(scores, _read(SDPA, tensor, scores), _read(MODULE, tensor, scores))


def _as_tensor(mask: PastedMask, dtype: DType) -> torch.Tensor:
    if dtype not in DTYPES:
        known = ", ".join(map(repr, DTYPES))
        raise ValueError(f"dtype must be one of {known}; got {dtype=}. Try dtype='bool'.")
    if dtype == "int" and np.isinf(mask.values).any():
        raise ValueError(
            "a mask of whole numbers must hold no -inf; got dtype='int'. Try dtype='float'."
        )
    return torch.from_numpy(mask.values).to(_TORCH[dtype])


def _read(function: Function, tensor: torch.Tensor, scores: np.ndarray) -> Reading:
    call = _sdpa_weights if function == SDPA else _module_weights
    try:
        weights = call(torch.from_numpy(scores), tensor).numpy()
    except (RuntimeError, AssertionError) as error:  # by which the two refuse a mask
        rule = "Whole numbers are refused."
        return Reading(function, rule, None, None, f"{type(error).__name__}: {error}", ())
    if tensor.dtype != torch.bool:
        sees = ~torch.isinf(tensor)
        rule = "The numbers are added to the scores."
    elif function == SDPA:
        sees, rule = tensor, "True lets a query look at a key."
    else:
        sees, rule = ~tensor, "True hides a key from a query."
    findings = tuple(_findings(function, tensor, sees.numpy()))
    return Reading(function, rule, sees.numpy(), weights, None, findings)


def _sdpa_weights(scores: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    """The weights for these scores: keys and values are one-hot, so that the output shows them."""
    one_hot = torch.eye(scores.shape[1], dtype=scores.dtype)
    return F.scaled_dot_product_attention(scores, one_hot, one_hot, attn_mask=mask, scale=1.0)


def _module_weights(scores: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    """The weights for these scores, from a module whose keys are one-hot."""
    one_hot = torch.eye(scores.shape[1], dtype=scores.dtype)
    with torch.no_grad():
        _, weights = _module(scores.shape[1])(scores, one_hot, one_hot, attn_mask=mask)
    return weights


@lru_cache(MAX_MASK)
def _module(T_k: int) -> nn.MultiheadAttention:
    """One head whose scores are its input, where the keys are one-hot."""
    with torch.device("meta"):  # which draws no random numbers
        module = nn.MultiheadAttention(T_k, 1, bias=False, batch_first=True, dtype=torch.float64)
    module.to_empty(device="cpu").eval()
    one_hot = torch.eye(T_k, dtype=torch.float64)
    with torch.no_grad():
        # It divides by sqrt(T_k), so that its queries must be as much larger.
        module.in_proj_weight.copy_(torch.cat([one_hot * math.sqrt(T_k), one_hot, one_hot]))
        module.out_proj.weight.copy_(one_hot)
    return module


# What is wrong


def _findings(function: Function, tensor: torch.Tensor, sees: np.ndarray) -> Iterator[Finding]:
    if tensor.dtype != torch.bool and (tensor == 1).any():
        ones = (tensor == 1).numpy()
        means_hidden = (ones & ~_causal(ones)).sum() > (ones & _causal(ones)).sum()
        if function == SDPA:
            instead = "mask == 0, since True shows here" if means_hidden else "mask.bool()"
        else:
            instead = "mask.bool()" if means_hidden else "mask == 0, since True hides here"
        yield Finding(
            WAS_ADDED,
            f"a mask of 0 and 1 must be bool to hide anything; got floating point numbers, which "
            f"are added: a score that gets 1 weighs e times as much. Try {instead}.",
        )
    yield from _shape_findings(function, tensor, sees)
    empty = np.flatnonzero(~sees.any(axis=1))
    if len(empty):
        rows = ("row " if len(empty) == 1 else "rows ") + ", ".join(map(str, empty))
        yield Finding(
            EMPTY_ROW,
            f"every query must see one key at least; got {rows} of the mask with none, counted "
            f"from 0. Try to let it see its own token.",
        )


def _shape_findings(
    function: Function, tensor: torch.Tensor, sees: np.ndarray
) -> Iterator[Finding]:
    """How the mask departs from a causal one; nothing where it is no such triangle at all."""
    T_q, T_k = sees.shape
    if T_k < T_q:
        return
    upside_down, diagonal = _triangle(sees)
    cached = T_k - T_q
    if upside_down:
        instead = "~mask" if tensor.dtype == torch.bool else "0 where it has -inf, and -inf where 0"
        yield Finding(
            UPSIDE_DOWN,
            f"a query must see what came before it; got a mask by which {function} hides that "
            f"and shows the rest. Try {instead}.",
        )
    if diagonal is None or diagonal == cached:
        return
    got = "got, once turned," if upside_down else "got"
    if cached and diagonal == 0:
        yield Finding(
            MISALIGNED,
            f"the last query must see all {T_k} keys; {got} a triangle aligned top left, whose "
            f"last row ends after {T_q}. Try tril(T_k - T_q), here tril({cached}).",
        )
    else:
        does = "hides that token too" if diagonal < cached else "shows the token after it as well"
        yield Finding(
            OFF_BY_ONE,
            f"a query must see what came before and its own token; {got} a triangle that {does}. "
            f"Try tril({cached}) for what may be seen, or triu({cached + 1}) for what may not.",
        )


def _causal(sees: np.ndarray) -> np.ndarray:
    """The causal mask of this shape, aligned to the end."""
    T_q, T_k = sees.shape
    return np.tri(T_q, T_k, T_k - T_q, dtype=bool)


def _triangle(sees: np.ndarray) -> tuple[bool, int | None]:
    """Whether the mask is upside down, and the last diagonal that is seen when turned right.

    The likeliest reading comes first: right, upside down, aligned top left as without a cache, one
    off. None where the mask is no triangle of these, as one that hides all or nothing is none.
    """
    T_q, T_k = sees.shape
    cached = T_k - T_q
    is_plain = sees.all() or not sees.any()
    for diagonal in (cached,) if is_plain else (cached, 0, cached - 1, cached + 1):
        lower = np.tri(T_q, T_k, diagonal, dtype=bool)
        for upside_down in (False, True):
            if np.array_equal(sees, lower ^ upside_down):
                return upside_down, diagonal
    return False, None
