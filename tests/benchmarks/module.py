"""The fused module against a bare one, PyTorch's own, and the steps as a lesson writes them."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from mha.config import AttentionConfig
from mha.module import MultiHeadAttention
from tests.benchmarks.pairs import Pair

SIZES = ((8, 128, 512, 8), (1, 1024, 768, 12))


def pairs() -> Iterator[Pair]:
    """float32, causal, without gradients, on all cores; the same weights on both sides."""
    torch.set_num_threads(os.cpu_count() or 1)
    for B, T, C, h in SIZES:
        ours = MultiHeadAttention.seeded(AttentionConfig(C, h), 0)
        bare, lesson, theirs = Bare(ours), Lesson(ours), ours.as_torch().eval()
        x = torch.randn(B, T, C)
        hidden = torch.ones(T, T, dtype=torch.bool).triu(1)  # there True means "may not look"

        def run(module: nn.Module, x: Tensor = x) -> Tensor:
            with torch.no_grad():
                return module(x)

        def run_theirs(theirs: nn.Module = theirs, x: Tensor = x, hidden: Tensor = hidden):
            with torch.no_grad():
                return theirs(x, x, x, attn_mask=hidden, is_causal=True, need_weights=False)

        def trace(ours: MultiHeadAttention = ours, x: Tensor = x):
            with torch.no_grad():
                return ours.trace(x)

        what = f"forward, B={B} T={T} C={C} h={h}"
        yield Pair(what, lambda m=ours, run=run: run(m), "a bare module over SDPA",
                   lambda m=bare, run=run: run(m), aim=1.03)  # fmt: skip
        yield Pair(what, lambda m=ours, run=run: run(m), "nn.MultiheadAttention, no weights",
                   run_theirs, aim=1.0)  # fmt: skip
        yield Pair(what, lambda m=ours, run=run: run(m), "the lesson's explicit module",
                   lambda m=lesson, run=run: run(m), aim=1.0)  # fmt: skip
        yield Pair(f"trace, B={B} T={T} C={C} h={h}", trace, "the lesson's explicit module",
                   lambda m=lesson, run=run: run(m), aim=1.2)  # fmt: skip


class Bare(nn.Module):
    """The least that runs: no checks, no groups."""

    def __init__(self, like: MultiHeadAttention) -> None:
        super().__init__()
        self.qkv, self.out, self.h = like.qkv, like.out, like.config.n_heads

    def forward(self, x: Tensor) -> Tensor:
        B, T, C = x.shape
        q, k, v = (
            part.view(B, T, self.h, -1).transpose(1, 2) for part in self.qkv(x).chunk(3, dim=-1)
        )
        z = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        return self.out(z.transpose(1, 2).reshape(B, T, C))


class Lesson(Bare):
    """Scores, mask, softmax and product written out, the mask made at every call."""

    def forward(self, x: Tensor) -> Tensor:
        B, T, C = x.shape
        q, k, v = (
            part.view(B, T, self.h, -1).transpose(1, 2) for part in self.qkv(x).chunk(3, dim=-1)
        )
        scores = q @ k.transpose(-2, -1) / math.sqrt(C // self.h)
        mask = torch.tril(torch.ones(T, T, dtype=torch.bool))
        scores = scores.masked_fill(~mask, float("-inf"))
        z = torch.softmax(scores, dim=-1) @ v
        return self.out(z.transpose(1, 2).contiguous().view(B, T, C))
