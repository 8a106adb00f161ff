"""Every hand-built head by name, with what a visitor may turn on it and what it teaches."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from mha.hand_built.edits import Edits
from mha.hand_built.heads import (
    HandBuiltHead,
    first_token_head,
    n_back_head,
    nearest_of_category_head,
    next_token_head,
    own_head,
    previous_token_head,
    same_category_head,
    same_word_head,
    self_head,
    uniform_head,
)
from mha.sentence import Sentence


@dataclass(frozen=True)
class GalleryHead:
    """A kind of head, to be made for any sentence.

    sharpness: what the head starts with; None where it has no sharpness to turn.
    knobs: the names of the other options that it reads, of "n", "category" and "edits".
    note: what to notice, in a sentence or two.
    """

    name: str
    build: Callable[..., HandBuiltHead]
    note: str
    sharpness: float | None = None
    knobs: tuple[str, ...] = ()
    by_sentence: bool = False

    def __call__(
        self,
        sentence: Sentence,
        *,
        sharpness: float | None = None,
        n: int = 2,
        category: int = 1,
        edits: Edits | None = None,
    ) -> HandBuiltHead:
        """The head for this sentence; an option that it does not read changes nothing."""
        given = {"n": n, "category": category, "edits": edits}
        options = {knob: given[knob] for knob in self.knobs}
        if self.sharpness is not None:
            options["sharpness"] = self.sharpness if sharpness is None else sharpness
        return self.build(sentence if self.by_sentence else len(sentence), **options)


_HEADS = (
    GalleryHead(
        "previous token",
        previous_token_head,
        "Row i of W_Q asks for position i − 1. The first token asks for nothing, and sees only "
        "itself. Categories play no part: their rows are zero.",
        sharpness=6.0,
    ),
    GalleryHead(
        "same category",
        same_category_head,
        "Query and key are the category alone, so position plays no part. Tokens of one category "
        "tie, and share the weight evenly.",
        sharpness=4.0,
    ),
    GalleryHead(
        "the token itself",
        self_head,
        "W_Q asks every position for itself. What it hands on is what was there already.",
        sharpness=6.0,
    ),
    GalleryHead(
        "first token",
        first_token_head,
        "Every row of W_Q asks for position 0. Trained heads often rest there when they find "
        "nothing to do, since the softmax makes every row add up to 1 all the same.",
        sharpness=6.0,
    ),
    GalleryHead(
        "n back",
        n_back_head,
        "The stripe moves n to the left. The first n tokens have nobody that far back, ask for "
        "nothing, and so average what they see.",
        sharpness=6.0,
        knobs=("n",),
    ),
    GalleryHead(
        "same word",
        same_word_head,
        "X holds no words, only positions and categories; so these matrices look the word up by "
        "position and fit this sentence alone. A trained model has the word in X.",
        sharpness=6.0,
        by_sentence=True,
    ),
    GalleryHead(
        "uniform",
        uniform_head,
        "W_Q is zero: every score is 0, every weight the same. A head always hands on something.",
    ),
    GalleryHead(
        "nearest of a category",
        nearest_of_category_head,
        "All tokens ask the same: the category, which outweighs any distance, and lateness, which "
        "picks the latest among those.",
        sharpness=3.0,
        knobs=("category",),
    ),
    GalleryHead(
        "next token",
        next_token_head,
        "W_Q asks for position i + 1, which the causal mask hides; what is left ties, and the "
        "head averages. Turn the mask off and the stripe appears.",
        sharpness=6.0,
    ),
    GalleryHead(
        "your own",
        own_head,
        "W_K answers to every feature by its name and W_Q asks for nothing, until you write in it.",
        knobs=("edits",),
    ),
)

GALLERY: Mapping[str, GalleryHead] = MappingProxyType({head.name: head for head in _HEADS})
