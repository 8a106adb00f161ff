"""Copying what followed last time: a job for two heads in two layers, and for no single one.

    layer 1, previous token:  z[j] = the word at j - 1, written into token j
    layer 2, same word:       q[i] = the word at i,  k[j] = the word at j - 1, from layer 1

A score is made of two tokens' own vectors, x_i W_Q W_K^T x_j. "The token after the one that is the
same word as me" needs a third, the word before j, which x_j does not hold until a head in an
earlier layer has put it there. Elhage et al. 2021 call the second head an induction head.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from mha.checks import require_finite
from mha.hand_built.heads import previous_token_head
from mha.reference import Array, HeadTrace, attend, causal_mask
from mha.sentence import Sentence


class CopyingTrace(NamedTuple):
    """Both layers' traces (T, T), and what layer 1 wrote: the word before each token, (T, words).

    words: the distinct words, in order, that name the columns of `word_before`.
    """

    previous: HeadTrace
    word_before: Array
    induction: HeadTrace
    words: tuple[str, ...]


def copy_what_followed(sentence: Sentence, sharpness: float = 10.0) -> CopyingTrace:
    """Run both layers by hand; the second looks at what followed the same word last time.

    A token whose word is new finds no match and averages all that it may see.
    """
    T = len(sentence)
    sharpness = require_finite("sharpness", sharpness, instead="sharpness=10")
    words = tuple(dict.fromkeys(sentence.tokens))
    spells = np.eye(len(words))[[words.index(token) for token in sentence.tokens]]
    positions = np.hstack([np.eye(T), np.zeros((T, 3))])
    previous = previous_token_head(T, sharpness=2 * sharpness).attend(positions)
    word_before = previous.weights @ spells
    word_before[0] = 0  # the first token has none: it looked at itself
    layer_2 = attend(spells, word_before, spells, mask=causal_mask(T), scale=sharpness)
    return CopyingTrace(previous, word_before, layer_2, words)
