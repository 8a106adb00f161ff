"""A visitor's words as tokens with categories; `words` reads them, `lexicon` guesses a category."""

from mha.sentence.words import (
    CATEGORY_NAMES,
    EXAMPLE,
    MAX_CLUSTERS,
    MAX_TEXT,
    MAX_TOKENS,
    Sentence,
    carry_categories,
    grapheme_clusters,
    shorten,
    visible,
)

__all__ = [
    "CATEGORY_NAMES",
    "EXAMPLE",
    "MAX_CLUSTERS",
    "MAX_TEXT",
    "MAX_TOKENS",
    "Sentence",
    "carry_categories",
    "grapheme_clusters",
    "shorten",
    "visible",
]
