"""A guess held against a row of weights: right, wrong, or one of several that tie."""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np

from mha.checks import require_axes, require_index
from mha.hand_built.heads import most_attended
from mha.reference import HeadTrace


class Verdict(NamedTuple):
    """What became of a guess.

    kind: "right"; "tie" (the guess is one of several with the largest weight); "wrong"; or
        "masked" (the guess may not be looked at, so that its weight is 0 whatever its score).
    best: the positions with the largest weight; more than one is a tie.
    guess_weight, best_weight: probabilities.
    guess_score, best_score: before the softmax; -inf where masked.
    """

    kind: Literal["right", "tie", "wrong", "masked"]
    best: tuple[int, ...]
    guess_weight: float
    best_weight: float
    guess_score: float
    best_score: float


def judge(trace: HeadTrace, query: int, guess: int) -> Verdict:
    """Judge the guess that `query` looks most at the position `guess`.

    Args:
        trace: of one head, (T_q, T_k).

    Raises:
        ValueError: a position that is not there.
    """
    T_q, T_k = require_axes("weights", trace.weights, ("T_q", "T_k"))
    query, guess = require_index("query", query, T_q), require_index("guess", guess, T_k)
    weights, scores = trace.weights[query], trace.scores[query]
    best = most_attended(weights)
    if np.isneginf(scores[guess]):
        kind = "masked"
    elif guess not in best:
        kind = "wrong"
    else:
        kind = "right" if len(best) == 1 else "tie"
    numbers = (weights[guess], weights[best[0]], scores[guess], scores[best[0]])
    return Verdict(kind, best, *map(float, numbers))
