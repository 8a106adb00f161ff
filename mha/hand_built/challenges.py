"""Five things to make a head do, each with a score that says how nearly it does it.

score = mean over the rows that count of the weight that lies on the target      in [0, 1]
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np

from mha.checks import require_shape
from mha.reference import Array
from mha.sentence import CATEGORY_NAMES, Sentence

DONE = 0.95
_PRODUCT, _FILLER = CATEGORY_NAMES.index("product"), CATEGORY_NAMES.index("filler")


@dataclass(frozen=True)
class Challenge:
    """A job to build a head for.

    targets: a function of the sentence's categories (T,) that gives a bool array (T, T), True where
        the weight of a row should lie. A row with no target does not count.
    hint: where to begin.
    """

    name: str
    hint: str
    targets: Callable[[Array], Array]

    def rows_that_count(self, sentence: Sentence) -> Array:
        """bool (T,): the tokens for which the job can be done at all."""
        return self.targets(np.array(sentence.categories)).any(axis=-1)

    def score(self, weights: Array, sentence: Sentence) -> float | None:
        """The mean weight on the target, from 0 to 1; None where no row counts.

        Args:
            weights: (T, T), every row summing to 1.

        Raises:
            ValueError: weights that do not fit the sentence.
        """
        T = len(sentence)
        require_shape("weights", weights, (T, T))
        targets = self.targets(np.array(sentence.categories))
        counts = targets.any(axis=-1)
        if not counts.any():
            return None
        return float(np.where(targets, weights, 0).sum(axis=-1)[counts].mean())


def _first_token(categories: Array) -> Array:
    targets = np.zeros((len(categories),) * 2, bool)
    targets[1:, 0] = True  # the first token has no other choice, so that it proves nothing
    return targets


def _two_back(categories: Array) -> Array:
    return np.eye(len(categories), k=-2, dtype=bool)


def _latest_product_before(categories: Array) -> Array:
    T = len(categories)
    latest = np.maximum.accumulate(np.where(categories == _PRODUCT, np.arange(T), -1))
    before = np.concatenate([[-1], latest[:-1]])  # a row itself never counts as its target
    return before[:, None] == np.arange(T)


def _itself_unless_filler(categories: Array) -> Array:
    T = len(categories)
    itself, before = np.eye(T, dtype=bool), np.tri(T, k=-1, dtype=bool)
    return np.where((categories == _FILLER)[:, None], before, itself)


def _category_not_itself(categories: Array) -> Array:
    same = categories[:, None] == categories
    return same & np.tri(len(categories), k=-1, dtype=bool)


_CHALLENGES = (
    Challenge(
        "the first token",
        "One column of W_Q is enough: let every position ask for pos 0 with 6.",
        _first_token,
    ),
    Challenge(
        "two back",
        "Row pos i of W_Q is what position i asks for. Write 6 where it should look.",
        _two_back,
    ),
    Challenge(
        "the latest product word before you",
        "Every category asks for products, with 100. Among several, the later must earn a little "
        "more: let W_K's rows answer with 0, 3, 6, 9 … in column pos 0, and every category ask "
        "for that with 1. Then let each position but the first ask for itself with −100.",
        _latest_product_before,
    ),
    Challenge(
        "yourself, unless you are a filler",
        "A row for each position makes it look at itself: write 10. Where a filler stands, write "
        "−10: it looks anywhere but at itself, and so at what is before it.",
        _itself_unless_filler,
    ),
    Challenge(
        "your category, never yourself",
        "Start from the head same category, in which categories ask for themselves. Then let each "
        "position ask for itself with −100.",
        _category_not_itself,
    ),
)

CHALLENGES: Mapping[str, Challenge] = MappingProxyType({c.name: c for c in _CHALLENGES})
