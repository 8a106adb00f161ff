"""Mistakes with the scores and weights themselves: which axis, which scale, which ones are shown.

The functions are written as people write them, without types, since their source is shown.
"""

from __future__ import annotations

import math
from typing import Any

import torch
import torch.nn.functional as F
from torch import nn

from mha.pitfalls.case import Input, Pitfall

WEIGHTS = ("T_q", "T_k")
_T = Input("tokens T", 4, range(2, 9))
_P = Input("dropout p", 0.2, (0.1, 0.2, 0.5))


# Weights averaged over the heads


def weights_of_heads_wrong(x, n_heads):
    # x (T, B, C)
    module = nn.MultiheadAttention(x.shape[-1], n_heads)
    _, weights = module(x, x, x)
    return weights


def weights_of_heads_right(x, n_heads):
    # x (T, B, C)
    module = nn.MultiheadAttention(x.shape[-1], n_heads)
    _, weights = module(x, x, x, average_attn_weights=False)
    return weights


def check_weights_of_heads(weights_of_heads):
    weights = weights_of_heads(torch.randn(6, 5, 100), 4)
    assert weights.shape == (5, 4, 6, 6), "every head has weights of its own"


def _tokens_first(T: int, B: int, n_heads: int) -> dict[str, Any]:
    return {"x": torch.randn(T, B, 25 * n_heads), "n_heads": n_heads}


# Batch and time in each other's place


def token_weights_wrong(x, n_heads):
    # x (B, T, C)
    module = nn.MultiheadAttention(x.shape[-1], n_heads)
    _, weights = module(x, x, x)
    return weights


def token_weights_right(x, n_heads):
    # x (B, T, C)
    module = nn.MultiheadAttention(x.shape[-1], n_heads, batch_first=True)
    _, weights = module(x, x, x)
    return weights


def check_token_weights(token_weights):
    weights = token_weights(torch.randn(2, 7, 8), 2)
    assert weights.shape == (2, 7, 7), "a token must look at the tokens of its own sequence"


def _batch_first(B: int, T: int, n_heads: int) -> dict[str, Any]:
    return {"x": torch.randn(B, T, 4 * n_heads), "n_heads": n_heads}


# The softmax along the queries


def normalize_wrong(scores):
    return scores.softmax(dim=-2)


def normalize_right(scores):
    return scores.softmax(dim=-1)


def check_normalize(normalize):
    weights = normalize(torch.randn(4, 4))
    assert torch.allclose(weights.sum(dim=-1), torch.ones(4)), "every row must sum to 1"


def _random_scores(T: int) -> dict[str, Any]:
    return {"scores": torch.randn(T, T)}


# Dropout on the weights that are shown


def shown_weights_wrong(scores, p):
    return F.dropout(scores.softmax(dim=-1), p)


def shown_weights_right(scores, p):
    return F.dropout(scores.softmax(dim=-1), p, training=False)


def check_shown_weights(shown_weights):
    weights = shown_weights(torch.zeros(4, 4), 0.2)
    assert torch.allclose(weights.sum(dim=-1), torch.ones(4)), "every row must sum to 1"


def _equal_scores(T: int, p: float) -> dict[str, Any]:
    return {"scores": torch.zeros(T, T), "p": p}


# Dropout that evaluation does not switch off


def drop_wrong(q, k, v, p, training):
    return F.scaled_dot_product_attention(q, k, v, dropout_p=p)


def drop_right(q, k, v, p, training):
    return F.scaled_dot_product_attention(q, k, v, dropout_p=p if training else 0.0)


def check_drop(drop):
    q, v = torch.zeros(8, 2), torch.eye(8)
    once, again = (drop(q, q, v, 0.5, training=False) for _ in range(2))
    assert torch.equal(once, again), "evaluation must give the same answer twice"


def _evaluated(T: int, p: float) -> dict[str, Any]:
    q = torch.zeros(T, 2)
    return {"q": q, "k": q, "v": torch.eye(T), "p": p, "training": False}


# Scores divided by the square root of the whole width


def spread_of_scores_wrong(q, k):
    n_heads, _, d_head = q.shape
    scores = q @ k.transpose(1, 2) / math.sqrt(n_heads * d_head)
    return scores.std(dim=(1, 2))


def spread_of_scores_right(q, k):
    scores = q @ k.transpose(1, 2) / math.sqrt(q.shape[-1])
    return scores.std(dim=(1, 2))


def check_spread_of_scores(spread_of_scores):
    q, k = torch.randn(2, 8, 256, 64)  # of unit variance
    spread = spread_of_scores(q, k)
    assert (spread - 1).abs().max() < 0.1, "scores of unit variance keep the softmax awake"


def _unit_variance(d_model: int, n_heads: int) -> dict[str, Any]:
    q, k = torch.randn(2, n_heads, 256, d_model // n_heads)
    return {"q": q, "k": k}


WEIGHING = (
    Pitfall(
        key="averaged_heads",
        name="Weights averaged over the heads",
        topic="weights",
        number=17,
        task="Give the weights of each head, for x (T, B, C): which tokens a token looks at.",
        sentence="`nn.MultiheadAttention` returns the mean over its heads unless told otherwise, "
        "so every head seems to do the same; the shape has no axis for heads.",
        wrong=weights_of_heads_wrong,
        right=weights_of_heads_right,
        arguments=_tokens_first,
        inputs={
            "T": Input("tokens T", 6, range(1, 9)),
            "B": Input("sequences B", 5, range(1, 6)),
            "n_heads": Input("heads h", 4, range(1, 7)),
        },
        check=check_weights_of_heads,
        axes=("B", "h", "T_q", "T_k"),
        wrong_axes=("B", "T_q", "T_k"),
        shows="weights",
        report="https://github.com/pytorch/pytorch/issues/34537",
        page="fused_module",
    ),
    Pitfall(
        key="batch_for_time",
        name="Batch and time in each other's place",
        topic="shapes",
        number=1,
        task="Give the weights with which each token looks at the tokens of its own sequence; x "
        "is (B, T, C).",
        sentence="Without `batch_first=True` the module takes sequences for tokens, and "
        "sequences look at one another; the output's shape looks right, that of the weights not.",
        wrong=token_weights_wrong,
        right=token_weights_right,
        arguments=_batch_first,
        inputs={
            "B": Input("sequences B", 2, range(1, 6)),
            "T": Input("tokens T", 7, range(1, 9)),
            "n_heads": Input("heads h", 2, range(1, 5)),
        },
        check=check_token_weights,
        axes=("B", "T_q", "T_k"),
        shows="weights",
        report="https://github.com/JusperLee/TDANet/issues/3",
        page="fused_module",
    ),
    Pitfall(
        key="softmax_over_queries",
        name="The softmax along the queries",
        topic="weights",
        number=25,
        task="Turn scores (T_q, T_k) into weights: each query shares out 1 among its keys.",
        sentence="Along the wrong axis the columns sum to 1 and not the rows, so queries compete "
        "for a key and an output is no mean of the values; add up a row and one sees it.",
        wrong=normalize_wrong,
        right=normalize_right,
        arguments=_random_scores,
        inputs={"T": _T},
        check=check_normalize,
        axes=WEIGHTS,
        shows="weights",
        report="https://github.com/nerminnuraydogan/vision-transformer/issues/1",
        page="hand_built_heads",
    ),
    Pitfall(
        key="dropout_shown",
        name="Dropout on the weights that are shown",
        topic="weights",
        number=19,
        task="Give the weights to draw them as probabilities; all scores are equal, and training "
        "drops some with probability p.",
        sentence="In training mode some weights are 0 and the others too large by 1 / (1 - p), so "
        "what is drawn is no probability: the rows do not sum to 1.",
        wrong=shown_weights_wrong,
        right=shown_weights_right,
        arguments=_equal_scores,
        inputs={"T": _T, "p": _P},
        check=check_shown_weights,
        axes=WEIGHTS,
        report="https://github.com/pytorch/pytorch/issues/42929",
        page="fused_module",
    ),
    Pitfall(
        key="dropout_in_evaluation",
        name="Dropout that evaluation leaves on",
        topic="weights",
        number=12,
        task="Attend with equal scores, in evaluation; only in training are weights dropped, with "
        "probability p.",
        sentence="`scaled_dot_product_attention` is a function and knows no `eval()`: it drops "
        "whatever `dropout_p` says, so a model in evaluation answers differently each time.",
        wrong=drop_wrong,
        right=drop_right,
        arguments=_evaluated,
        inputs={"T": _T, "p": _P},
        check=check_drop,
        axes=WEIGHTS,
        report="https://github.com/pytorch/pytorch/issues/124464",
        page="fused_module",
    ),
    Pitfall(
        key="scaled_by_d_model",
        name="Scores divided by √d_model",
        topic="weights",
        number=4,
        task="Scale q·k so that it keeps the unit variance of q and k; the standard deviation of "
        "each head's scores is given.",
        sentence="A score adds up d_head products, so √d_model makes it too small by √h and the "
        "softmax nearly uniform; the standard deviation of the scores is far below 1.",
        wrong=spread_of_scores_wrong,
        right=spread_of_scores_right,
        arguments=_unit_variance,
        inputs={
            "d_model": Input("width d_model", 512, (64, 128, 256, 512)),
            "n_heads": Input("heads h", 8, (1, 2, 4, 8, 16)),
        },
        check=check_spread_of_scores,
        axes=("h",),
        report="https://github.com/karpathy/ng-video-lecture/pull/6",
        page="hand_built_heads",
    ),
)
