"""A visitor's words as tokens with categories.

`words` reads them, `lexicon` guesses a category, `anatomy` takes a word apart.
"""

from mha.sentence.anatomy import Anatomy, Cluster, CodePoint, Direction, Run, dissect
from mha.sentence.words import (
    CATEGORY_NAMES,
    EXAMPLE,
    MAX_CLUSTERS,
    MAX_CODE_POINTS,
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
    "MAX_CODE_POINTS",
    "MAX_TEXT",
    "MAX_TOKENS",
    "Anatomy",
    "Cluster",
    "CodePoint",
    "Direction",
    "Run",
    "Sentence",
    "carry_categories",
    "dissect",
    "grapheme_clusters",
    "shorten",
    "visible",
]
