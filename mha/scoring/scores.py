"""The scores: how much of their weight the queries give to where a job would look."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from mha.checks import require_positive_int, require_shape
from mha.scoring.targets import (
    duplicate_token_targets,
    first_token_targets,
    induction_targets,
    matching_bracket_targets,
    previous_token_targets,
    pronoun_name_targets,
    self_targets,
)

Array = np.ndarray

SUM_TOLERANCE = 1e-3  # of a row, which may have been float32 or float16


def previous_token_score(weights: Array) -> Array:
    """How much of its weight a query gives to the token just before it.

    The mean goes over all queries but the first, which has none before it.

    Args:
        weights: (..., T, T), probabilities after the softmax, rows are queries.

    Returns:
        (...), in [0, 1]; 0 for a single token.

    Raises:
        ValueError: no square of weights, or a row that is no distribution.
    """
    weights = _probabilities(weights)
    return score(weights, previous_token_targets(weights.shape[-1]))


def duplicate_token_score(weights: Array, tokens: Sequence[Any] | Array) -> Array:
    """How much of its weight a query gives to earlier places of its own symbol, taken together.

    The mean goes over the queries whose symbol came before; a query's own place is no earlier one.

    Args:
        weights: (..., T, T), as in `previous_token_score`.
        tokens: T symbols, text or numbers; or (..., T), each text with weights of its own.

    Returns:
        (...), in [0, 1]; 0 where no symbol comes twice.

    Raises:
        ValueError: as `previous_token_score`, or tokens that are not T.
    """
    weights = _probabilities(weights)
    return score(weights, duplicate_token_targets(_tokens(tokens, weights)))


def induction_score(weights: Array, tokens: Sequence[Any] | Array) -> Array:
    """How much of its weight a query gives to what followed its symbol before, taken together.

    The mean goes over the queries whose symbol came before. Where it came at the very place before
    the query, what followed is the query itself. Arguments, result and errors are those of
    `duplicate_token_score`.

    Source: Elhage et al. 2021 and Olsson et al. 2022, arXiv:2209.11895.
    """
    weights = _probabilities(weights)
    return score(weights, induction_targets(_tokens(tokens, weights)))


def first_token_score(weights: Array) -> Array:
    """How much of its weight a query gives to the first token.

    The mean goes over all queries but the first, which under a causal mask sees nothing else.

    Arguments, result and errors are those of `previous_token_score`.
    """
    weights = _probabilities(weights)
    return score(weights, first_token_targets(weights.shape[-1]))


def self_score(weights: Array) -> Array:
    """How much of its weight a query gives to itself.

    The mean goes over all queries but the first, which under a causal mask sees nothing else.

    Arguments, result and errors are those of `previous_token_score`.
    """
    weights = _probabilities(weights)
    return score(weights, self_targets(weights.shape[-1]))


def matching_bracket_score(
    weights: Array, tokens: Sequence[str] | Array, closing: Mapping[str, str]
) -> Array:
    """How much of its weight a query gives to the bracket that the next closing one would match.

    The mean goes over the queries at which a bracket is open that is not the query itself. A
    closing bracket that matches nothing closes nothing.

    Args:
        weights, tokens: as in `duplicate_token_score`; it returns and raises the same.
        closing: the closing bracket of each opening one.
    """
    weights = _probabilities(weights)
    return score(weights, matching_bracket_targets(_tokens(tokens, weights), closing))


def pronoun_name_score(
    weights: Array, tokens: Sequence[str] | Array, pronoun_of: Mapping[str, str]
) -> Array:
    """How much of its weight a pronoun gives to the name that it means.

    The mean goes over the pronouns before which a name stands that goes with them; the latest such
    name is meant.

    Args:
        weights, tokens: as in `duplicate_token_score`; it returns and raises the same.
        pronoun_of: the pronoun of each name.
    """
    weights = _probabilities(weights)
    return score(weights, pronoun_name_targets(_tokens(tokens, weights), pronoun_of))


def score(weights: Array, targets: Array) -> Array:
    """The mean, over the queries that have a target, of the weight on their targets.

    Args:
        weights: (..., T, T), probabilities.
        targets: bool (..., T, T), True where the job wants a query to look; leading axes broadcast.

    Returns:
        (...), in [0, 1]; 0 where no query has a target.

    Raises:
        ValueError: no square of weights, a row that is no distribution, or targets that do not fit.
    """
    weights, targets = _probabilities(weights), np.asarray(targets)
    require_shape("targets", targets, weights.shape[-2:])
    on_target = np.where(targets, weights, 0).sum(axis=(-2, -1))
    n_queries = targets.any(axis=-1).sum(axis=-1)
    return np.minimum(on_target / np.maximum(n_queries, 1), 1)


def uniform_weights(T: int) -> Array:
    """The weights (T, T) of a causal head that looks evenly at all it sees, to judge others by.

    Raises:
        ValueError: T is not a positive whole number.
    """
    T = require_positive_int("T", T)
    return np.tri(T) / np.arange(1, T + 1)[:, None]


def _probabilities(weights: Any) -> Array:
    """The weights as float64 (..., T, T), every row a distribution."""
    weights = np.asarray(weights)
    if weights.dtype.kind not in "fiub":
        raise ValueError(
            f"weights must hold real numbers; got weights.dtype={weights.dtype}. "
            f"Try weights.astype(float)."
        )
    weights = weights.astype(np.float64)
    require_shape("weights", weights, (None, None))
    T = require_positive_int("T", weights.shape[-1])
    require_shape("weights", weights, (T, T))
    sums = weights.sum(axis=-1)
    wrong = ~(np.abs(sums - 1) <= SUM_TOLERANCE) | ~(weights >= 0).all(axis=-1)
    if wrong.any():
        place = tuple(int(axis[0]) for axis in wrong.nonzero())
        raise ValueError(
            f"every row of weights must be probabilities that sum to 1; got row {place[-1]} with "
            f"the sum {sums[place]:.3g} and the least {weights[place].min():.3g}. "
            f"Try the weights after the softmax, not the scores."
        )
    return weights


def _tokens(tokens: Any, weights: Array) -> Array:
    """The symbols as an array (..., T) that fits the weights."""
    tokens = np.asarray(tokens)
    require_shape("tokens", tokens, weights.shape[-1:])
    return tokens
