"""Mistakes in splitting and merging heads: the shape is right, the numbers are elsewhere.

The functions are written as people write them, without types, since their source is shown.
"""

from __future__ import annotations

from typing import Any

import torch
import torch.nn.functional as F

from mha.pitfalls.case import Input, Pitfall

_B = Input("sequences B", 1, range(1, 3))
_T = Input("tokens T", 4, range(1, 9))
_H = Input("heads h", 3, range(1, 7))
_D_HEAD = Input("numbers a head d_head", 2, range(1, 5))
BY_HEAD = ("B", "h", "T", "d_head")


# Split with a bare view


def split_wrong(x, n_heads):
    B, T, C = x.shape
    return x.view(B, n_heads, T, C // n_heads)


def split_right(x, n_heads):
    B, T, C = x.shape
    return x.view(B, T, n_heads, C // n_heads).transpose(1, 2)


def check_split(split):
    x = torch.arange(24).view(1, 4, 6)  # token t holds 6t to 6t + 5
    heads = split(x, 3)
    assert heads.shape == (1, 3, 4, 2)
    assert torch.equal(heads[0, 0], x[0, :, :2]), "head 0 must see a part of every token"


def _numbered_tokens(B: int, T: int, n_heads: int, d_head: int) -> dict[str, Any]:
    C = n_heads * d_head
    return {"x": torch.arange(B * T * C).view(B, T, C), "n_heads": n_heads}


# Merge without transposing back


def merge_wrong(z):
    B, h, T, d_head = z.shape
    return z.reshape(B, T, h * d_head)


def merge_right(z):
    B, h, T, d_head = z.shape
    return z.transpose(1, 2).reshape(B, T, h * d_head)


def check_merge(merge):
    z = torch.arange(8).view(1, 2, 2, 2)  # head 0 holds 0 to 3, head 1 holds 4 to 7
    side_by_side = torch.cat([z[:, 0], z[:, 1]], dim=-1)
    assert torch.equal(merge(z), side_by_side), "a token must get its own part of every head"


def _numbered_heads(B: int, n_heads: int, T: int, d_head: int) -> dict[str, Any]:
    return {"z": torch.arange(B * n_heads * T * d_head).view(B, n_heads, T, d_head)}


# A view after a transpose


def join_wrong(z):
    B, h, T, d_head = z.shape
    return z.transpose(1, 2).view(B, T, h * d_head)


def join_right(z):
    B, h, T, d_head = z.shape
    return z.transpose(1, 2).reshape(B, T, h * d_head)


def check_join(join):
    z = torch.arange(12).view(1, 2, 3, 2)
    side_by_side = torch.cat([z[:, 0], z[:, 1]], dim=-1)
    assert torch.equal(join(z), side_by_side), "heads must stand side by side"


# Key and value heads tiled, not repeated


def repeat_kv_wrong(x, n_repeats):
    return x.repeat(1, n_repeats, 1, 1)


def repeat_kv_right(x, n_repeats):
    return x.repeat_interleave(n_repeats, dim=1)


def check_repeat_kv(repeat_kv):
    x = torch.arange(2).view(1, 2, 1, 1)  # key and value head 0, then head 1
    used = repeat_kv(x, 2).flatten().tolist()
    assert used == [0, 0, 1, 1], "neighbouring query heads must share a key and value head"


def _numbered_kv_heads(n_kv_heads: int, n_repeats: int) -> dict[str, Any]:
    return {"x": torch.arange(n_kv_heads).view(1, -1, 1, 1), "n_repeats": n_repeats}


# Queries read from the wrong places of a packed layer


def queries_wrong(qkv, n_heads):
    B, T, _ = qkv.shape
    q, _, _ = qkv.chunk(3, dim=-1)
    return q.view(B, T, n_heads, -1)


def queries_right(qkv, n_heads):
    B, T, _ = qkv.shape
    q, _, _ = qkv.view(B, T, n_heads, 3, -1).unbind(3)
    return q


def check_queries(queries):
    head_by_head = torch.arange(6).view(1, 1, 6)  # q0 k0 v0 q1 k1 v1, one number each
    assert queries(head_by_head, 2).flatten().tolist() == [0, 3], "q of head 0, then q of head 1"


def _packed_by_head(n_heads: int, d_head: int) -> dict[str, Any]:
    return {"qkv": torch.arange(3 * n_heads * d_head).view(1, 1, -1), "n_heads": n_heads}


# Tokens and heads in each other's place


def attend_wrong(q, k, v):
    # (B, T, h, d_head)
    return F.scaled_dot_product_attention(q, k, v)


def attend_right(q, k, v):
    # (B, T, h, d_head)
    q, k, v = (x.transpose(1, 2) for x in (q, k, v))
    return F.scaled_dot_product_attention(q, k, v).transpose(1, 2)


def check_attend(attend):
    q = torch.zeros(1, 3, 2, 1)  # three tokens, two heads; every key suits as well as the next
    v = torch.arange(3.0).view(1, 3, 1, 1).expand(1, 3, 2, 1)  # each token hands on its number
    assert torch.allclose(attend(q, q, v), torch.ones(1, 3, 2, 1)), "tokens must mix: 0, 1, 2 → 1"


def _tokens_that_say_their_number(T: int, n_heads: int) -> dict[str, Any]:
    q = torch.zeros(1, T, n_heads, 1)
    v = torch.arange(float(T)).view(1, T, 1, 1).expand(1, T, n_heads, 1)
    return {"q": q, "k": q, "v": v}


SPLITTING = (
    Pitfall(
        key="bare_view",
        name="Split with a bare view",
        topic="shapes",
        number=29,
        task="Split the tokens x (B, T, C) into heads (B, h, T, d_head): each head gets its own "
        "part of every token.",
        sentence="Without the transpose a head gets whole tokens instead of a part of every token; "
        "the shape is right and nothing is raised, so only the numbers tell.",
        wrong=split_wrong,
        right=split_right,
        arguments=_numbered_tokens,
        inputs={"B": _B, "T": _T, "n_heads": _H, "d_head": _D_HEAD},
        check=check_split,
        axes=BY_HEAD,
        report="https://github.com/hyunwoongko/transformer/issues/15",
        page="split_merge",
    ),
    Pitfall(
        key="merge_without_transpose",
        name="Merge without transposing back",
        topic="shapes",
        number=6,
        task="Merge heads z (B, h, T, d_head) into tokens (B, T, C): each token gets its part of "
        "head 0, then its part of head 1.",
        sentence="A token gets the numbers of other tokens, since a reshape reads heads one after "
        "the other; training still works on easy tasks, so only the numbers tell.",
        wrong=merge_wrong,
        right=merge_right,
        arguments=_numbered_heads,
        inputs={
            "B": _B,
            "n_heads": Input("heads h", 2, range(1, 7)),
            "T": Input("tokens T", 2, range(1, 9)),
            "d_head": _D_HEAD,
        },
        check=check_merge,
        axes=("B", "T", "C"),
        report="https://github.com/jsbaan/transformer-from-scratch/pull/6",
        page="split_merge",
    ),
    Pitfall(
        key="view_after_transpose",
        name="A view after a transpose",
        topic="shapes",
        number=24,
        task="Lay the heads of z (B, h, T, d_head) side by side: each token gets C numbers, (B, "
        "T, C).",
        sentence="No strides can show transposed heads as one axis, so `view` raises; `reshape` "
        "copies where it must.",
        wrong=join_wrong,
        right=join_right,
        arguments=_numbered_heads,
        inputs={
            "B": _B,
            "n_heads": Input("heads h", 2, range(2, 7)),
            "T": Input("tokens T", 3, range(2, 9)),
            "d_head": Input("numbers a head d_head", 2, range(2, 5)),
        },
        check=check_join,
        axes=("B", "T", "C"),
        report="https://github.com/facebookresearch/fairseq/issues/2598",
        page="split_merge",
    ),
    Pitfall(
        key="tiled_kv",
        name="Grouped heads tiled, not repeated",
        topic="shapes",
        number=10,
        task="Give each query head the key and value head that it reads, where neighbouring query "
        "heads share one.",
        sentence="Query heads read the keys of another group, 0, 1, 0, 1 where the weights were "
        "trained for 0, 0, 1, 1; a checkpoint then writes nonsense and nothing is raised.",
        wrong=repeat_kv_wrong,
        right=repeat_kv_right,
        arguments=_numbered_kv_heads,
        inputs={
            "n_kv_heads": Input("key and value heads h_kv", 2, range(1, 5)),
            "n_repeats": Input("query heads that share one", 2, range(1, 5)),
        },
        check=check_repeat_kv,
        axes=BY_HEAD,
        report="https://github.com/onnx/onnx/pull/7274",
        page="fused_module",
    ),
    Pitfall(
        key="packed_by_head",
        name="A packed layer cut in three",
        topic="shapes",
        number=8,
        task="Take the queries out of qkv, a layer trained to give q, k and v of head 0, then "
        "those of head 1, and so on.",
        sentence="Where a checkpoint packs q, k and v head by head, cutting its output in three "
        "takes keys and values for queries; the shapes fit, and the model talks nonsense.",
        wrong=queries_wrong,
        right=queries_right,
        arguments=_packed_by_head,
        inputs={
            "n_heads": Input("heads h", 2, range(1, 7)),
            "d_head": _D_HEAD,
        },
        check=check_queries,
        axes=("B", "T", "h", "d_head"),
        report="https://github.com/awslabs/slapo/pull/46",
        page="fused_module",
    ),
    Pitfall(
        key="heads_for_tokens",
        name="Attention over heads, not tokens",
        topic="shapes",
        number=28,
        task="Let the tokens of q, k and v (B, T, h, d_head) look at one another; all suit "
        "equally well, and token t hands on the number t.",
        sentence="`scaled_dot_product_attention` attends along the last axis but one; given "
        "(B, T, h, d_head) it mixes heads and no token sees another, while the shape is right.",
        wrong=attend_wrong,
        right=attend_right,
        arguments=_tokens_that_say_their_number,
        inputs={"T": _T, "n_heads": Input("heads h", 2, range(1, 7))},
        check=check_attend,
        axes=("B", "T", "h", "d_head"),
        report="https://github.com/NVlabs/FoundationStereo/pull/217",
        page="fused_module",
    ),
)
