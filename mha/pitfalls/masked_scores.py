"""Mistakes between the scores and the softmax: what a mask writes there, and when.

The functions are written as people write them, without types, since their source is shown.
"""

from __future__ import annotations

import math
from typing import Any

import torch

from mha.pitfalls.case import Input, Pitfall

WEIGHTS = ("T_q", "T_k")
_T = Input("tokens T", 4, range(2, 9))


def _random_scores(T: int) -> dict[str, Any]:
    return {"scores": torch.randn(T, T)}


# A query that may look at nothing


def masked_softmax_wrong(scores, mask, fill=-math.inf):
    return scores.masked_fill(~mask, fill).softmax(dim=-1)


def masked_softmax_right(scores, mask, fill=-math.inf):
    for row, sees in enumerate(mask.any(dim=-1).tolist()):
        if not sees:
            raise ValueError(f"every query must see one key at least; got row {row} all False")
    return scores.masked_fill(~mask, fill).softmax(dim=-1)


def check_masked_softmax(masked_softmax):
    mask = torch.tensor([[True, False], [False, False]])
    try:
        masked_softmax(torch.zeros(2, 2), mask)
        message = "none"
    except ValueError as error:
        message = str(error)
    assert "row 1" in message, f"an error must name the row that sees nothing; got {message}"


def _one_empty_row(row: int, fill: float) -> dict[str, Any]:
    mask = torch.ones(3, 3, dtype=torch.bool)
    mask[row] = False
    return {"scores": torch.zeros(3, 3), "mask": mask, "fill": fill}


# A causal mask that is off by one


def causal_softmax_wrong(scores):
    hidden = torch.ones_like(scores, dtype=torch.bool).triu(0)
    return scores.masked_fill(hidden, -math.inf).softmax(dim=-1)


def causal_softmax_right(scores):
    hidden = torch.ones_like(scores, dtype=torch.bool).triu(1)
    return scores.masked_fill(hidden, -math.inf).softmax(dim=-1)


def check_causal_softmax(causal_softmax):
    weights = causal_softmax(torch.zeros(3, 3))
    assert (weights.diagonal() > 0).all(), "every token must see itself"
    assert not weights.triu(1).any(), "no token may look at what comes after it"
    assert torch.allclose(weights.sum(dim=-1), torch.ones(3)), "every row must sum to 1"


def _equal_scores(T: int) -> dict[str, Any]:
    return {"scores": torch.zeros(T, T)}


# The mask after the softmax


def weights_of_wrong(scores):
    return scores.softmax(dim=-1).tril()


def weights_of_right(scores):
    hidden = torch.ones_like(scores, dtype=torch.bool).triu(1)
    return scores.masked_fill(hidden, -math.inf).softmax(dim=-1)


def check_weights_of(weights_of):
    weights = weights_of(torch.zeros(3, 3))
    assert torch.allclose(weights.sum(dim=-1), torch.ones(3)), "every row must sum to 1"


# Zero instead of minus infinity


def causal_weights_wrong(scores):
    return scores.tril().softmax(dim=-1)


def causal_weights_right(scores):
    hidden = torch.ones_like(scores, dtype=torch.bool).triu(1)
    return scores.masked_fill(hidden, -math.inf).softmax(dim=-1)


def check_causal_weights(causal_weights):
    weights = causal_weights(torch.zeros(3, 3))
    assert not weights.triu(1).any(), "no token may look at what comes after it"


MASKED_SCORES = (
    Pitfall(
        key="empty_row",
        name="A query that may look at nothing",
        topic="masks",
        number=23,
        task="Give the weights of equal scores under a mask that cannot be meant: one of its "
        "rows hides every key.",
        sentence="A row of -inf has no softmax and becomes NaN, which spreads through every later "
        "layer; with -1e9 the row is uniform and nothing shows it; some kernels write 0.",
        wrong=masked_softmax_wrong,
        right=masked_softmax_right,
        arguments=_one_empty_row,
        inputs={
            "row": Input("row that sees nothing", 1, range(3)),
            "fill": Input("what hides a key", -math.inf, (-math.inf, -1e9)),
        },
        check=check_masked_softmax,
        axes=WEIGHTS,
        shows="weights",
        report="https://github.com/pytorch/pytorch/issues/41508",
        page="hand_built_heads",
    ),
    Pitfall(
        key="off_by_one",
        name="A causal mask that is off by one",
        topic="masks",
        number=16,
        task="Give the causal weights of equal scores: a token sees itself and what comes before "
        "it, and no more.",
        sentence="`triu(0)` hides the diagonal too, so the first token sees nothing and its row "
        "is NaN, and no other token sees itself.",
        wrong=causal_softmax_wrong,
        right=causal_softmax_right,
        arguments=_equal_scores,
        inputs={"T": Input("tokens T", 3, range(1, 9))},
        check=check_causal_softmax,
        axes=WEIGHTS,
        shows="weights",
        report="https://github.com/TransformerLensOrg/TransformerLens/issues/284",
        page="hand_built_heads",
    ),
    Pitfall(
        key="mask_after_softmax",
        name="The mask after the softmax",
        topic="masks",
        number=20,
        task="Give causal weights: each row shares out 1 among the tokens that it sees, by their "
        "scores.",
        sentence="The future has already taken its share of the softmax, so every row but the "
        "last sums to less than 1; add up a row and one sees it.",
        wrong=weights_of_wrong,
        right=weights_of_right,
        arguments=_random_scores,
        inputs={"T": _T},
        check=check_weights_of,
        axes=WEIGHTS,
        shows="weights",
        report="https://github.com/huggingface/pytorch-image-models/pull/2236",
        page="hand_built_heads",
    ),
    Pitfall(
        key="zero_for_infinity",
        name="Zero instead of minus infinity",
        topic="masks",
        number=7,
        task="Give causal weights: what comes later gets nothing, and the rest share 1 by their "
        "scores.",
        sentence="A score of 0 is a score like any other: its exponential is 1, so the hidden "
        "tokens keep a weight; look at what is above the diagonal.",
        wrong=causal_weights_wrong,
        right=causal_weights_right,
        arguments=_random_scores,
        inputs={"T": _T},
        check=check_causal_weights,
        axes=WEIGHTS,
        shows="weights",
        report="https://github.com/georg-wolflein/good-features/pull/1",
        page="hand_built_heads",
    ),
)
