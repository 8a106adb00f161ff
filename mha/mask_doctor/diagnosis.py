"""What PyTorch makes of a mask, and what is wrong with it where a causal mask was meant.

    bool     scaled_dot_product_attention: True = may look     nn.MultiheadAttention: True = hidden
    float    both add it to the scores: 0 changes nothing, -inf hides, 1 only favours
    int      both refuse it

The weights are PyTorch's own: each of the two is called with the mask as it was written. Of a mask
of more axes, one matrix (T_q, T_k) at a time is looked at, and the axes are judged apart.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, get_args

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

from mha.checks import require_axes, require_shape
from mha.mask_doctor.findings import (
    A_SEQUENCE,
    COUNTS,
    MODULE,
    OTHER_AXES,
    SDPA,
    Counts,
    Finding,
    Function,
    axes_findings,
    causal,
    matrix_findings,
)
from mha.mask_doctor.pasted import BOOL, PastedMask, Place
from mha.mask_doctor.reading import MAX_MASK

DType = Literal["bool", "float", "int"]
DTYPES: tuple[DType, ...] = get_args(DType)

_TORCH = {"bool": torch.bool, "float": torch.float64, "int": torch.int64}


@dataclass(frozen=True, eq=False)
class Reading:
    """A mask as one function reads it, or one of its matrices.

    function: which. rule: how it reads a mask of this type, in a sentence.
    sees: bool (T_q, T_k), where a query may look; None where the mask is refused.
    weights: (T_q, T_k), what the function gives; None where it refuses the mask.
    error: the text of its refusal, or None.
    findings: what is wrong; none for a causal mask that is right, nor for one that hides nothing.
    others: where the mask's other matrices stand in which something is wrong too.
    """

    function: Function
    rule: str
    sees: np.ndarray | None
    weights: np.ndarray | None
    error: str | None
    findings: tuple[Finding, ...]
    others: tuple[Place, ...]

    @property
    def takes_its_axes(self) -> bool:
        """Whether it reads the axes of the whole mask as they are meant.

        Otherwise the weights are those that it gives once they are mended.
        """
        return all(finding.problem != OTHER_AXES for finding in self.findings)

    @property
    def seen_ahead(self) -> int:
        """Pairs of a query and a key that it sees though the key comes after it."""
        return int((self.sees & ~causal(self.sees)).sum())

    @property
    def hidden_behind(self) -> int:
        """Pairs of a query and a key, its own or an earlier one, that it does not see."""
        return int((~self.sees & causal(self.sees)).sum())


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
    mask: PastedMask,
    *,
    dtype: DType | None = None,
    scores: np.ndarray | None = None,
    place: Place | None = None,
    counts: Counts = A_SEQUENCE,
) -> Diagnosis:
    """Give a mask to both functions, and say what is wrong with it if it is meant to be causal.

    Args:
        mask: as it was written.
        dtype: the type of the tensor that it becomes; None is bool for True and False, otherwise
            float.
        scores: (T_q, T_k), q·k after scaling; None takes those of seed 0.
        place: of the matrix to look at, one of `mask.places`; None is the first.
        counts: what the first axis of a mask of three counts.

    Raises:
        ValueError: a dtype that is not there, -inf as whole numbers, scores of another shape, a
            place that is not there, or another thing to count.
    """
    if counts not in COUNTS:
        known = ", ".join(map(repr, COUNTS))
        raise ValueError(f"counts must be one of {known}; got {counts=}. Try counts={COUNTS[0]!r}.")
    place = mask.places[0] if place is None else place
    T_q, T_k = mask.at(place).shape
    scores = seeded_scores(T_q, T_k) if scores is None else np.asarray(scores, dtype=np.float64)
    require_axes("scores", scores, ("T_q", "T_k"))
    require_shape("scores", scores, (T_q, T_k))
    tensor = _as_tensor(mask, dtype or usual_dtype(mask))
    return Diagnosis(
        scores,
        *(_read(function, tensor, scores, place, counts) for function in (SDPA, MODULE)),
    )


def usual_dtype(mask: PastedMask) -> DType:
    """The type of the tensor that a mask becomes where none is named."""
    return "bool" if mask.kind == BOOL else "float"


def _as_tensor(mask: PastedMask, dtype: DType) -> torch.Tensor:
    if dtype not in DTYPES:
        known = ", ".join(map(repr, DTYPES))
        raise ValueError(f"dtype must be one of {known}; got {dtype=}. Try dtype='bool'.")
    if dtype == "int" and np.isinf(mask.values).any():
        raise ValueError(
            "a mask of whole numbers must hold no -inf; got dtype='int'. Try dtype='float'."
        )
    return torch.from_numpy(mask.values).to(_TORCH[dtype])


def _read(
    function: Function, tensor: torch.Tensor, scores: np.ndarray, place: Place, counts: Counts
) -> Reading:
    call = sdpa_weights if function == SDPA else module_weights
    try:
        weights = call(torch.from_numpy(scores), tensor[place]).numpy()
    except (RuntimeError, AssertionError) as error:  # by which the two refuse a mask
        rule = "Whole numbers are refused."
        return Reading(function, rule, None, None, f"{type(error).__name__}: {error}", (), ())
    if tensor.dtype != torch.bool:
        sees = ~torch.isinf(tensor)
        rule = "The numbers are added to the scores."
    elif function == SDPA:
        sees, rule = tensor, "True lets a query look at a key."
    else:
        sees, rule = ~tensor, "True hides a key from a query."
    values, sees = tensor.numpy(), sees.numpy()
    found = {
        at: tuple(matrix_findings(function, values[at], sees[at]))
        for at in np.ndindex(*values.shape[:-2])
    }
    findings = (*axes_findings(function, values.shape, counts), *found[place])
    others = tuple(at for at, wrong in found.items() if wrong and at != place)
    return Reading(function, rule, sees[place], weights, None, findings, others)


def sdpa_weights(scores: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    """The weights for these scores: keys and values are one-hot, so that the output shows them."""
    one_hot = torch.eye(scores.shape[1], dtype=scores.dtype)
    return F.scaled_dot_product_attention(scores, one_hot, one_hot, attn_mask=mask, scale=1.0)


def module_weights(scores: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    """The weights for these scores, from a module whose keys are one-hot."""
    one_hot = torch.eye(scores.shape[1], dtype=scores.dtype)
    with torch.no_grad():
        _, weights = one_hot_module(scores.shape[1])(scores, one_hot, one_hot, attn_mask=mask)
    return weights


@lru_cache(MAX_MASK)
def one_hot_module(T_k: int) -> nn.MultiheadAttention:
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
