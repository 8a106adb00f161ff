"""Mistakes with masks: upside down, added, off by one, shifted, tiled, or applied too late.

The functions are written as people write them, without types, since their source is shown.
"""

from __future__ import annotations

from typing import Any

import torch
import torch.nn.functional as F
from torch import nn

from mha.pitfalls.case import Input, Pitfall

WEIGHTS = ("T_q", "T_k")


def _equal_keys(T: int, T_k: int | None = None) -> dict[str, Any]:
    """Scores that are all 0, and values that make the output show the weights."""
    T_k = T if T_k is None else T_k
    return {"q": torch.zeros(T, 2), "k": torch.zeros(T_k, 2), "v": torch.eye(T_k)}


# The boolean mask upside down


def causal_attention_wrong(q, k, v):
    T = q.shape[-2]
    mask = torch.ones(T, T, dtype=torch.bool).triu(1)
    return F.scaled_dot_product_attention(q, k, v, attn_mask=mask)


def causal_attention_right(q, k, v):
    T = q.shape[-2]
    mask = torch.ones(T, T, dtype=torch.bool).tril()
    return F.scaled_dot_product_attention(q, k, v, attn_mask=mask)


def check_causal_attention(attend):
    q, v = torch.zeros(3, 2), torch.eye(3)  # with these values the output is the weights
    weights = attend(q, q, v)
    assert not weights.triu(1).any(), "no token may look at what comes after it"
    assert weights[0, 0] == 1, "the first token sees itself alone"


# A mask of 0 and 1 that is added


def look_back_wrong(q, k, v):
    T = q.shape[-2]
    mask = torch.ones(T, T).tril()
    return F.scaled_dot_product_attention(q, k, v, attn_mask=mask)


def look_back_right(q, k, v):
    T = q.shape[-2]
    mask = torch.ones(T, T).tril().bool()
    return F.scaled_dot_product_attention(q, k, v, attn_mask=mask)


# A causal mask with a cache


def next_token_wrong(q, k, v):
    # the last queries; keys and values of all tokens
    return F.scaled_dot_product_attention(q, k, v, is_causal=True)


def next_token_right(q, k, v):
    # the last queries; keys and values of all tokens
    T_q, T_k = q.shape[-2], k.shape[-2]
    mask = torch.ones(T_q, T_k, dtype=torch.bool).tril(T_k - T_q)
    return F.scaled_dot_product_attention(q, k, v, attn_mask=mask)


def check_next_token(attend):
    q, k, v = torch.zeros(1, 2), torch.zeros(5, 2), torch.eye(5)
    weights = attend(q, k, v)
    assert torch.allclose(weights, torch.full((1, 5), 0.2)), "the last token sees all five"


def _cached(T_q: int, cached: int) -> dict[str, Any]:
    return _equal_keys(T_q, T_q + cached)


# One mask a sequence, for every head


def masks_of_heads_wrong(masks, n_heads):
    # (B, T, T) → (B * h, T, T), as nn.MultiheadAttention takes them
    return masks.repeat(n_heads, 1, 1)


def masks_of_heads_right(masks, n_heads):
    # (B, T, T) → (B * h, T, T), as nn.MultiheadAttention takes them
    return masks.repeat_interleave(n_heads, dim=0)


def check_masks_of_heads(masks_of_heads):
    masks = torch.tensor([True, False]).view(2, 1, 1)  # two sequences of one token
    given = masks_of_heads(masks, 2).flatten().tolist()
    assert given == [True, True, False, False], "all heads of a sequence must get its own mask"


def _padded(B: int, n_heads: int, T: int) -> dict[str, Any]:
    """Sequence b ends in b tokens of padding, which True hides."""
    ends = T - torch.arange(B).view(B, 1, 1)
    return {"masks": (torch.arange(T) >= ends).expand(B, T, T), "n_heads": n_heads}


# is_causal is only a hint


def causal_module_wrong(x, n_heads):
    module = nn.MultiheadAttention(x.shape[-1], n_heads, batch_first=True)
    _, weights = module(x, x, x, is_causal=True)
    return weights


def causal_module_right(x, n_heads):
    module = nn.MultiheadAttention(x.shape[-1], n_heads, batch_first=True)
    T = x.shape[1]
    hidden = torch.ones(T, T, dtype=torch.bool).triu(1)  # True hides
    _, weights = module(x, x, x, attn_mask=hidden, is_causal=True)
    return weights


def check_causal_module(attend):
    weights = attend(torch.randn(1, 3, 4), 2)
    assert not weights.triu(1).any(), "no token may look at what comes after it"


def _a_few_tokens(T: int, n_heads: int) -> dict[str, Any]:
    return {"x": torch.randn(1, T, 4 * n_heads), "n_heads": n_heads}


MASKING = (
    Pitfall(
        key="upside_down",
        name="The boolean mask upside down",
        topic="masks",
        number=27,
        task="Give the causal weights of equal scores: a token sees itself and what comes before "
        "it.",
        sentence="In `scaled_dot_product_attention` True lets a query look, in "
        "`nn.MultiheadAttention` it hides; taken for the other, every token sees the future only.",
        wrong=causal_attention_wrong,
        right=causal_attention_right,
        arguments=_equal_keys,
        inputs={"T": Input("tokens T", 3, range(2, 9))},
        check=check_causal_attention,
        axes=WEIGHTS,
        shows="weights",
        report="https://github.com/rasbt/LLMs-from-scratch/issues/1061",
        page="fused_module",
    ),
    Pitfall(
        key="added_mask",
        name="A mask of 0 and 1 that is added",
        topic="masks",
        number=9,
        task="Give the weights of equal scores, where each token looks back only: at itself and "
        "at what comes before it.",
        sentence="A mask of floating point numbers is added to the scores, so 0 and 1 hide "
        "nothing and only make what is allowed e times as heavy; the first token's row shows it.",
        wrong=look_back_wrong,
        right=look_back_right,
        arguments=_equal_keys,
        inputs={"T": Input("tokens T", 8, range(2, 9))},
        check=check_causal_attention,
        axes=WEIGHTS,
        shows="weights",
        report="https://github.com/pytorch/pytorch/issues/21518",
        page="fused_module",
    ),
    Pitfall(
        key="causal_with_cache",
        name="is_causal with a cache",
        topic="masks",
        number=26,
        task="Give the weights of the newest tokens, which look at all tokens so far; every score "
        "is equal.",
        sentence="`is_causal` aligns its triangle top left, so the one new query sees the first "
        "key alone; text that is written with a cache then differs from text without.",
        wrong=next_token_wrong,
        right=next_token_right,
        arguments=_cached,
        inputs={
            "T_q": Input("new queries", 1, range(1, 5)),
            "cached": Input("keys in the cache", 4, range(1, 8)),
        },
        check=check_next_token,
        axes=WEIGHTS,
        shows="weights",
        report="https://github.com/pytorch/pytorch/issues/103082",
        page="fused_module",
    ),
    Pitfall(
        key="tiled_masks",
        name="Masks tiled over the heads",
        topic="masks",
        number=22,
        task="Turn one mask a sequence into one a head, in the order of `nn.MultiheadAttention`; "
        "1 hides. The last sequences end in padding.",
        sentence="`nn.MultiheadAttention` counts heads faster than sequences; tiled masks hide "
        "one sequence's padding in another, so an answer depends on its neighbours in the batch.",
        wrong=masks_of_heads_wrong,
        right=masks_of_heads_right,
        arguments=_padded,
        inputs={
            "B": Input("sequences B", 2, range(1, 4)),
            "n_heads": Input("heads h", 2, range(1, 5)),
            "T": Input("tokens T", 3, range(3, 7)),
        },
        check=check_masks_of_heads,
        axes=("B * h", "T_q", "T_k"),
        report="https://github.com/ArrowLuo/CLIP4Clip/issues/22",
        page="fused_module",
    ),
    Pitfall(
        key="causal_hint",
        name="is_causal without a mask",
        topic="masks",
        number=15,
        task="Get causal weights out of `nn.MultiheadAttention`: no token sees what comes after "
        "it.",
        sentence="`nn.MultiheadAttention` takes `is_causal` as a hint about the mask that it is "
        "given; without one it raises, where `scaled_dot_product_attention` masks by itself.",
        wrong=causal_module_wrong,
        right=causal_module_right,
        arguments=_a_few_tokens,
        inputs={
            "T": Input("tokens T", 4, range(1, 9)),
            "n_heads": Input("heads h", 2, range(1, 5)),
        },
        check=check_causal_module,
        axes=("B", "T_q", "T_k"),
        shows="weights",
        report="https://github.com/pytorch/pytorch/issues/118972",
        page="fused_module",
    ),
)
