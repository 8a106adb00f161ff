"""Mistakes in half precision: numbers that float16 cannot hold.

The functions are written as people write them, without types, since their source is shown.
"""

from __future__ import annotations

import math
from typing import Any

import torch

from mha.pitfalls.case import Input, Pitfall

WEIGHTS = ("T_q", "T_k")


# Minus a thousand million in half precision


def hide_wrong(scores, mask):
    return scores.masked_fill(~mask, -1e9).softmax(dim=-1)


def hide_right(scores, mask):
    return scores.masked_fill(~mask, torch.finfo(scores.dtype).min).softmax(dim=-1)


def check_hide(hide):
    scores, mask = torch.zeros(2, 2), torch.tensor([[True, False], [True, True]])
    for dtype in (torch.float32, torch.bfloat16, torch.float16):
        weights = hide(scores.to(dtype), mask)
        assert weights.tolist() == [[1, 0], [0.5, 0.5]], dtype


def _in_precision(T: int, dtype: str) -> dict[str, Any]:
    mask = torch.ones(T, T, dtype=torch.bool).tril()
    return {"scores": torch.zeros(T, T, dtype=getattr(torch, dtype)), "mask": mask}


# Scores that overflow before they are scaled


def half_weights_wrong(q, k):
    return (q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])).softmax(dim=-1)


def half_weights_right(q, k):
    return (q / math.sqrt(q.shape[-1]) @ k.transpose(-2, -1)).softmax(dim=-1)


def check_half_weights(half_weights):
    q = torch.full((2, 64), 40.0, dtype=torch.float16)  # q·k is 102,400; float16 ends at 65,504
    assert half_weights(q, q).tolist() == [[0.5, 0.5], [0.5, 0.5]]


def _large_in_half_precision(T: int, size: int) -> dict[str, Any]:
    q = torch.full((T, 64), float(size), dtype=torch.float16)
    return {"q": q, "k": q}


PRECISION = (
    Pitfall(
        key="half_precision_fill",
        name="-1e9 in half precision",
        topic="masks",
        number=14,
        task="Give the causal weights of equal scores, in the precision that is chosen.",
        sentence="float16 ends at -65,504, so writing -1e9 into its scores raises as soon as a "
        "model is moved to half precision; the type's own smallest number always fits.",
        wrong=hide_wrong,
        right=hide_right,
        arguments=_in_precision,
        inputs={
            "T": Input("tokens T", 3, range(1, 9)),
            "dtype": Input("precision", "float16", ("float16", "bfloat16", "float32")),
        },
        check=check_hide,
        axes=WEIGHTS,
        shows="weights",
        report="https://github.com/NVIDIA/apex/issues/1052",
        page="fused_module",
    ),
    Pitfall(
        key="scaled_too_late",
        name="Scores scaled after they overflow",
        topic="weights",
        number=18,
        task="Give the weights of equal scores, where q and k are in half precision.",
        sentence="In float16 a large q·k is infinite before the division can make it small, and "
        "infinity minus infinity is NaN; scaling q first keeps every number in range.",
        wrong=half_weights_wrong,
        right=half_weights_right,
        arguments=_large_in_half_precision,
        inputs={
            "T": Input("tokens T", 3, range(1, 9)),
            "size": Input("each number of q and k", 40, range(8, 65, 8)),
        },
        check=check_half_weights,
        axes=WEIGHTS,
        shows="weights",
        report="https://github.com/ultralytics/ultralytics/pull/24990",
        page="fused_module",
    ),
)
