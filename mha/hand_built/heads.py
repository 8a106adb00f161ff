"""Heads whose matrices are written by hand, so that one can read off why each does its job.

    X = [one-hot position | one-hot category]        (T, T + 3)
    Q = X W_Q,  K = X W_K,  V = X W_V
    weights = softmax(Q K^T, masked),  z = weights V

There is no 1/sqrt(d_head) here: with one-hot features the scores are small whole numbers, and a
head's sharpness says how far the wanted key stands above the others.

Because every position is one-hot, row i of W_Q is what the token at position i asks for, and row j
of W_K is what the token at position j answers to.

Every builder wants T of at least 1 and a sharpness that is a finite number (0 makes a head that
does not care, a negative one a head that looks anywhere else); a ValueError says so.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from mha.checks import (
    require_axes,
    require_finite,
    require_index,
    require_positive_int,
    require_shape,
    require_whole_number,
)
from mha.hand_built.edits import Edits
from mha.reference import Array, HeadTrace, attend, causal_mask
from mha.sentence import CATEGORY_NAMES, Sentence

N_CATEGORIES = len(CATEGORY_NAMES)
MAX_SHARPNESS = 10.0
TIE_TOLERANCE = 1e-9


def features(sentence: Sentence) -> Array:
    """X (T, T + 3): a 1 at the token's own position, and a 1 at its category."""
    T = len(sentence)
    return np.hstack([np.eye(T), np.eye(N_CATEGORIES)[list(sentence.categories)]])


def feature_names(T: int) -> tuple[str, ...]:
    """The names of X's T + 3 columns."""
    return (*(f"pos {i}" for i in range(T)), *CATEGORY_NAMES)


@dataclass(frozen=True, eq=False)
class HandBuiltHead:
    """One head: its name, its job in a sentence, and its three matrices.

    W_Q, W_K (T + 3, d_k): what a token asks for, and what it answers to.
    W_V (T + 3, d_v): what it hands on; the identity where nothing else is said.
    slots: the names of the d_k columns of W_Q and W_K.

    Two heads are equal where they are the same object; compare their matrices for more.

    Raises:
        ValueError: matrices that do not fit each other, or a number of slots that is not d_k.
    """

    name: str
    job: str
    W_Q: Array
    W_K: Array
    W_V: Array
    slots: tuple[str, ...] = field(repr=False)

    def __post_init__(self) -> None:
        n_features, d_k = require_axes("W_Q", self.W_Q, ("T + 3", "d_k"))
        require_axes("W_K", self.W_K, ("T + 3", "d_k"))
        require_axes("W_V", self.W_V, ("T + 3", "d_v"))
        require_shape("W_K", self.W_K, (n_features, d_k))
        require_shape("W_V", self.W_V, (n_features, None))
        if len(self.slots) != d_k:
            raise ValueError(
                f"slots must name each of the d_k columns of W_Q; got {len(self.slots)} names, "
                f"d_k={d_k}. Try {d_k} names."
            )

    def queries_keys_values(self, X: Array) -> tuple[Array, Array, Array]:
        """Q (T, d_k), K (T, d_k) and V (T, d_v) of the features X (T, T + 3)."""
        require_axes("X", X, ("T", "T + 3"))
        require_shape("X", X, (None, self.W_Q.shape[0]))
        return X @ self.W_Q, X @ self.W_K, X @ self.W_V

    def attend(self, X: Array, causal: bool = True) -> HeadTrace:
        """Scores, weights and z of this head on the features X (T, T + 3)."""
        q, k, v = self.queries_keys_values(X)
        return attend(q, k, v, mask=causal_mask(len(X)) if causal else None, scale=1.0)

    def weights(self, X: Array, causal: bool = True) -> Array:
        """Weights (T, T) of this head on the features X (T, T + 3); every row sums to 1."""
        return self.attend(X, causal).weights


def most_attended(weights: Array) -> tuple[int, ...]:
    """The positions that share the largest of a row's weights (T,); more than one is a tie."""
    return tuple(np.flatnonzero(weights >= weights.max() - TIE_TOLERANCE).tolist())


def previous_token_head(T: int, sharpness: float = 6.0) -> HandBuiltHead:
    """Every token looks at its left neighbour; the first, having none, at itself."""
    head = n_back_head(T, n=1, sharpness=sharpness)
    return replace(head, name="previous token", job="Look at the token just before.")


def same_category_head(T: int, sharpness: float = 4.0) -> HandBuiltHead:
    """Every token looks at the tokens of its own category, itself among them, evenly.

    Sharpness is on both sides, so that the score of a match is its square.
    """
    T, sharpness = require_positive_int("T", T), _sharpness(sharpness)
    by_category = np.vstack([np.zeros((T, N_CATEGORIES)), np.eye(N_CATEGORIES)]) * sharpness
    return HandBuiltHead(
        "same category",
        "Look at the tokens of the same category.",
        W_Q=by_category,
        W_K=by_category.copy(),
        W_V=np.eye(T + N_CATEGORIES),
        slots=CATEGORY_NAMES,
    )


def n_back_head(T: int, n: int = 2, sharpness: float = 6.0) -> HandBuiltHead:
    """Every token looks n positions back; a token with nothing there asks for nothing.

    None back (n=0) is the token itself; a negative n would be ahead, and is refused.
    """
    n = require_whole_number("n", n)
    T, sharpness = require_positive_int("T", T), _sharpness(sharpness)
    asks = np.eye(T, k=-min(n, T)) * sharpness  # beyond T there is nothing either
    return _position_head(f"{n} back", f"Look {n} back.", asks)


def next_token_head(T: int, sharpness: float = 6.0) -> HandBuiltHead:
    """Every token asks for its right neighbour, which a causal mask forbids."""
    T, sharpness = require_positive_int("T", T), _sharpness(sharpness)
    job = "Look at the token just after, which a causal mask hides."
    return _position_head("next token", job, asks=np.eye(T, k=1) * sharpness)


def self_head(T: int, sharpness: float = 6.0) -> HandBuiltHead:
    """Every token looks at itself."""
    T, sharpness = require_positive_int("T", T), _sharpness(sharpness)
    return _position_head("the token itself", "Look at yourself.", asks=np.eye(T) * sharpness)


def first_token_head(T: int, sharpness: float = 6.0) -> HandBuiltHead:
    """Every token looks at the first one, as many trained heads do when they have no job."""
    T, sharpness = require_positive_int("T", T), _sharpness(sharpness)
    asks = np.zeros((T, T))
    asks[:, 0] = sharpness
    return _position_head("first token", "Look at the first token.", asks)


def uniform_head(T: int) -> HandBuiltHead:
    """Every token asks for nothing, so that all it may see weighs the same: a plain average."""
    T = require_positive_int("T", T)
    job = "Ask for nothing: average all that may be seen."
    return _position_head("uniform", job, asks=np.zeros((T, T)))


def same_word_head(sentence: Sentence, sharpness: float = 6.0) -> HandBuiltHead:
    """Every token looks at the tokens that are the same word, itself among them, evenly.

    X does not hold the words, only positions and categories; so both matrices look the word up by
    its position, and they fit this sentence alone. A trained model has the word in X itself.
    """
    T, sharpness = len(sentence), _sharpness(sharpness)
    words = tuple(dict.fromkeys(sentence.tokens))
    spells = np.eye(len(words))[[words.index(token) for token in sentence.tokens]]
    lookup = np.vstack([spells, np.zeros((N_CATEGORIES, len(words)))])
    return HandBuiltHead(
        "same word",
        "Look at every place where this word stands.",
        W_Q=lookup * sharpness,
        W_K=lookup,
        W_V=np.eye(T + N_CATEGORIES),
        slots=tuple(f"word {i}" for i in range(len(words))),
    )


def nearest_of_category_head(T: int, category: int = 1, sharpness: float = 3.0) -> HandBuiltHead:
    """Every token looks at the latest token of one category that it may see.

    The query is the same for all: the category, worth more than any distance, and lateness, worth
    `sharpness` for each position. Without a causal mask "latest" is the last in the sentence.

    Args:
        category: 0 product, 1 feature or 2 filler.
    """
    T, sharpness = require_positive_int("T", T), _sharpness(sharpness)
    category = require_index("category", category, N_CATEGORIES)
    ramp = np.arange(T)[:, None]
    answers = np.zeros((T + N_CATEGORIES, N_CATEGORIES + 1))
    answers[:T, N_CATEGORIES:] = ramp
    answers[T:, :N_CATEGORIES] = np.eye(N_CATEGORIES)
    asks = np.zeros_like(answers)
    asks[:T, category] = sharpness * T
    asks[:T, N_CATEGORIES] = sharpness
    name = CATEGORY_NAMES[category]
    return HandBuiltHead(
        "nearest of a category",
        f"Look at the latest {name} word.",
        W_Q=asks,
        W_K=answers,
        W_V=np.eye(T + N_CATEGORIES),
        slots=(*CATEGORY_NAMES, "lateness"),
    )


def own_head(T: int, edits: Edits | None = None) -> HandBuiltHead:
    """A head of the visitor's own: W_Q asks for nothing and W_K answers to every feature.

    Both are (T + 3, T + 3), so that a query can ask for any position or category by name.

    Args:
        T: number of tokens.
        edits: new numbers by (matrix "Q" or "K", row, column); those outside the matrices, left
            from a longer sentence, wait unused.

    Raises:
        ValueError: another matrix, a row or column below 0, or a number that is not finite.
    """
    T = require_positive_int("T", T)
    n_features = T + N_CATEGORIES
    matrices = {"Q": np.zeros((n_features, n_features)), "K": np.eye(n_features)}
    for (matrix, row, column), number in (edits or {}).items():
        if matrix not in matrices:
            raise ValueError(f"matrix must be 'Q' or 'K'; got {matrix=}. Try matrix='Q'.")
        row, column = require_whole_number("row", row), require_whole_number("column", column)
        number = require_finite("number", number, instead="number=6")
        if row < n_features and column < n_features:
            matrices[matrix][row, column] = number
    return HandBuiltHead(
        "your own",
        "Look where your matrices say.",
        W_Q=matrices["Q"],
        W_K=matrices["K"],
        W_V=np.eye(n_features),
        slots=feature_names(T),
    )


def own_edits(head: HandBuiltHead) -> Edits | None:
    """The edits that make the visitor's own head do what `head` does, as a place to start from.

    Where `head` asks for nothing, W_K keeps its answers: they change no score and can be asked for.
    None where some slot of `head` is no feature by name, so that the own head has no such column.
    """
    names = feature_names(len(head.W_Q) - N_CATEGORIES)
    if not set(head.slots) <= set(names):
        return None
    blank = own_head(len(names) - N_CATEGORIES)
    columns = [names.index(slot) for slot in head.slots]
    W_Q, W_K = blank.W_Q.copy(), blank.W_K.copy()
    W_Q[:, columns] = head.W_Q
    asked = np.flatnonzero(head.W_Q.any(axis=0)).tolist()
    W_K[:, [columns[slot] for slot in asked]] = head.W_K[:, asked]
    edits = {}
    for matrix, wanted, start in (("Q", W_Q, blank.W_Q), ("K", W_K, blank.W_K)):
        for row, column in np.argwhere(wanted != start).tolist():
            edits[matrix, row, column] = float(wanted[row, column])
    return edits


def _position_head(name: str, job: str, asks: Array) -> HandBuiltHead:
    """A head that looks at positions: row i of `asks` (T, T) is what position i asks for."""
    T = len(asks)
    no_category = np.zeros((N_CATEGORIES, T))
    return HandBuiltHead(
        name,
        job,
        W_Q=np.vstack([asks, no_category]),
        W_K=np.vstack([np.eye(T), no_category]),
        W_V=np.eye(T + N_CATEGORIES),
        slots=feature_names(T)[:T],
    )


def _sharpness(value: float) -> float:
    return require_finite("sharpness", value, instead="sharpness=6")
