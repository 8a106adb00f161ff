"""Decoding step by step: with a cache of keys and values, and without one.

    with     one token passes; its q looks at the n keys and values kept, its own the last of them
    without  all n tokens pass again, though all but the last of their outputs were known before

A token's keys and values depend on that token alone, and the causal mask hides what comes later. So
nothing that was kept is ever out of date, and both ways give what the module gives for all tokens
at once.

Axes: B batch, C = d_model, h heads, h_kv key/value heads, T_q tokens that pass, T_k tokens that
they look at. The cache holds h_kv heads: sharing them is what makes it small.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import torch
from torch import Tensor

from mha.checks import require_positive_int
from mha.ledger import MultiplyAdds, count_multiply_adds
from mha.module import MultiHeadAttention


@dataclass(frozen=True, eq=False)
class Decoded:
    """What one step of decoding gave, kept and cost.

    Args:
        n: tokens so far, this step's included.
        out: the outputs that are new, (B, 1, C); after a prefill, those of all its tokens.
        keys, values: what is kept afterwards, (B, h_kv, n, d_head); n is 0 without a cache.
        multiply_adds: what the ledger counts for this step.
        seconds: that it took, the least of its runs.
    """

    n: int
    out: Tensor
    keys: Tensor
    values: Tensor
    multiply_adds: MultiplyAdds
    seconds: float

    @property
    def cache_bytes(self) -> int:
        """Bytes of the keys and values kept in this one layer."""
        return self.keys.nbytes + self.values.nbytes


def decode(
    module: MultiHeadAttention, x: Tensor, *, cached: bool, prefill: int = 1, repeats: int = 1
) -> Iterator[Decoded]:
    """Pass the tokens of x through the module one after another, as a model does that writes.

    Both ways run the same lines; only the tokens that pass differ. No gradient is recorded.

    Args:
        x: (B, T, C), in the dtype of the weights.
        cached: whether keys and values are kept, or all tokens pass again for each new one.
        prefill: tokens that pass together first, as those of a prompt do.
        repeats: runs of each step. The least time is the one that other work disturbed least.

    Returns:
        an iterator of T - prefill + 1 steps; what their `out` hold is, one after another,
        `module(x)`.

    Raises:
        ValueError: x is no such tensor, prefill is not a whole number from 1 to T, or repeats is
            not a positive whole number.
    """
    B, T, _ = module.require_input(x)
    prefill = require_positive_int("prefill", prefill, most=T)
    repeats = require_positive_int("repeats", repeats)
    h_kv, d_head = module.config.n_kv_heads, module.config.d_head
    # Room for all tokens from the start, so that adding one copies none of the others.
    room = T if cached else 0
    keys, values = x.new_empty(2, B, h_kv, room, d_head).unbind()

    pass_through(module, x[:, :1])  # a first run is slower, and no step is to pay for it

    def steps() -> Iterator[Decoded]:
        known = 0
        for n in range(prefill, T + 1):
            if cached:
                passing, kept = x[:, known:n], (keys[:, :, :n], values[:, :, :n])
            else:
                passing, kept = x[:, :n], (None, None)
            out, seconds = _timed(lambda p=passing, k=kept: pass_through(module, p, *k), repeats)
            yield Decoded(
                n,
                out=out[:, known - n :],
                keys=keys[:, :, :n],
                values=values[:, :, :n],
                multiply_adds=count_multiply_adds(
                    module.config, T_q=passing.shape[1], T_k=n, batch=B
                ),
                seconds=seconds,
            )
            known = n

    return steps()


@torch.no_grad()
def pass_through(
    module: MultiHeadAttention,
    x: Tensor,
    keys: Tensor | None = None,
    values: Tensor | None = None,
) -> Tensor:
    """Attend from the tokens of x to all that are kept, after theirs were written behind them.

    Args:
        x: the last T_q of T_k tokens, (B, T_q, C).
        keys, values: the cache, (B, h_kv, T_k, d_head). Its last T_q places are filled here; those
            before must be filled already. None means that x is all there is.

    Returns:
        (B, T_q, C).
    """
    B, T_q, C = x.shape
    h, h_kv, d_head = module.config.n_heads, module.config.n_kv_heads, module.config.d_head
    q, k, v = module.qkv(x).split([C, h_kv * d_head, h_kv * d_head], dim=-1)
    q = q.view(B, T_q, h, d_head).transpose(1, 2)  # (B, h, T_q, d_head)
    k = k.view(B, T_q, h_kv, d_head).transpose(1, 2)  # (B, h_kv, T_q, d_head)
    v = v.view(B, T_q, h_kv, d_head).transpose(1, 2)
    if keys is not None:
        keys[:, :, -T_q:], values[:, :, -T_q:] = k, v
        k, v = keys, values  # (B, h_kv, T_k, d_head)
    T_k = k.shape[2]
    # Neighbours share a kv head: their queries stand below one another, and no key is repeated.
    q = q.reshape(B, h_kv, -1, d_head)  # (B, h_kv, group · T_q, d_head)
    scores = (q @ k.transpose(2, 3) / math.sqrt(d_head)).view(B, h, T_q, T_k)
    # True where a query may look: the last query, aligned to the end, sees every key.
    mask = torch.ones(T_q, T_k, dtype=torch.bool, device=x.device).tril(T_k - T_q)
    weights = scores.masked_fill(~mask, -math.inf).softmax(dim=-1)
    z = weights.view(B, h_kv, -1, T_k) @ v  # (B, h_kv, group · T_q, d_head)
    return module.out(z.view(B, h, T_q, d_head).transpose(1, 2).reshape(B, T_q, C))


def _timed(run: Callable[[], Tensor], repeats: int) -> tuple[Tensor, float]:
    """What the run gives, and the seconds of its fastest repeat."""
    seconds = math.inf
    for _ in range(repeats):
        start = time.perf_counter()
        out = run()
        seconds = min(seconds, time.perf_counter() - start)
    return out, seconds
