"""`reference.attend` against the few lines that a lesson would write, and against PyTorch."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import torch
import torch.nn.functional as F

from mha.reference import attend, causal_mask
from tests.benchmarks.pairs import Pair

D_HEAD = 64


def pairs() -> Iterator[Pair]:
    """One head, float64, causal; T = 6, 64, 512."""
    torch.set_num_threads(1)
    for T in (6, 64, 512):
        q, k, v = np.random.default_rng(T).normal(size=(3, T, D_HEAD))
        mask = causal_mask(T)
        torch_mask = torch.from_numpy(mask)
        tensors = [torch.from_numpy(a)[None, None] for a in (q, k, v)]
        what = f"attend (scores, weights, z), T={T}"
        yield Pair(
            what,
            lambda q=q, k=k, v=v, mask=mask: attend(q, k, v, mask=mask),
            "the lesson's function, and weights · v",
            lambda q=q, k=k, v=v, T=T: lesson_attention(q, k, T) @ v,
        )
        yield Pair(
            what,
            lambda q=q, k=k, v=v, mask=mask: attend(q, k, v, mask=mask),
            "torch, the same steps",
            lambda t=tensors, mask=torch_mask: torch_steps(*t, mask),
        )
        yield Pair(
            what,
            lambda q=q, k=k, v=v, mask=mask: attend(q, k, v, mask=mask),
            "torch, fused (z only)",
            lambda t=tensors: F.scaled_dot_product_attention(*t, is_causal=True),
        )


def lesson_attention(q: np.ndarray, k: np.ndarray, T: int) -> np.ndarray:
    """Weights as one writes them the first time: the mask made at every call."""
    scores = q @ k.T
    scores = np.where(np.tril(np.ones((T, T))) == 1, scores, -np.inf)
    exponentials = np.exp(scores - scores.max(axis=1, keepdims=True))
    return exponentials / exponentials.sum(axis=1, keepdims=True)


def torch_steps(
    q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, mask: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Scores, weights and z in torch, step by step."""
    scores = q @ k.transpose(-2, -1) / D_HEAD**0.5
    scores = scores.masked_fill(~mask, float("-inf"))
    weights = torch.softmax(scores, dim=-1)
    return scores, weights, weights @ v
