"""Where each job would look: bool (..., T, T), one row a query."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

Array = np.ndarray


def previous_token_targets(T: int) -> Array:
    return np.eye(T, k=-1, dtype=bool)


def first_token_targets(T: int) -> Array:
    targets = np.zeros((T, T), dtype=bool)
    targets[1:, 0] = True
    return targets


def self_targets(T: int) -> Array:
    targets = np.eye(T, dtype=bool)
    targets[0] = False
    return targets


def duplicate_token_targets(tokens: Sequence[Any] | Array) -> Array:
    tokens = np.asarray(tokens)
    return np.tril(tokens[..., :, None] == tokens[..., None, :], -1)


def induction_targets(tokens: Sequence[Any] | Array) -> Array:
    """The targets of `duplicate_token_targets`, each one place to the right."""
    targets = np.zeros_like(earlier := duplicate_token_targets(tokens))
    targets[..., 1:] = earlier[..., :-1]
    return targets


def matching_bracket_targets(tokens: Sequence[str] | Array, closing: Mapping[str, str]) -> Array:
    tokens = np.asarray(tokens)
    targets = np.zeros((*tokens.shape, tokens.shape[-1]), dtype=bool)
    for row in np.ndindex(tokens.shape[:-1]):
        still_open: list[int] = []
        for i, token in enumerate(tokens[row].tolist()):
            if token in closing:
                still_open.append(i)
            elif still_open and token == closing[str(tokens[row][still_open[-1]])]:
                still_open.pop()
            if still_open and still_open[-1] != i:
                targets[(*row, i, still_open[-1])] = True
    return targets


def pronoun_name_targets(tokens: Sequence[str] | Array, pronoun_of: Mapping[str, str]) -> Array:
    tokens = np.asarray(tokens)
    targets = np.zeros((*tokens.shape, tokens.shape[-1]), dtype=bool)
    for row in np.ndindex(tokens.shape[:-1]):
        latest: dict[str, int] = {}  # by pronoun, where its latest name stands
        for i, token in enumerate(tokens[row].tolist()):
            if token in latest:
                targets[(*row, i, latest[token])] = True
            elif token in pronoun_of:
                latest[pronoun_of[token]] = i
    return targets
