"""Copying what followed last time, in two layers."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given

from mha.hand_built import GALLERY, copy_what_followed, features, most_attended
from mha.sentence import Sentence
from tests.unit.draw import patient, sentences

A_B_C_A_B = Sentence.parse("A B C A B")


def test_the_second_layer_looks_at_what_followed_the_same_word():
    trace = copy_what_followed(A_B_C_A_B)
    assert trace.words == ("A", "B", "C")
    assert most_attended(trace.induction.weights[3]) == (1,)  # A: last time B followed
    assert most_attended(trace.induction.weights[4]) == (2,)  # B: last time C followed
    assert trace.induction.weights[3, 1] > 0.999
    assert trace.induction.weights[4, 2] > 0.999


def test_the_first_layer_writes_the_word_before():
    trace = copy_what_followed(A_B_C_A_B)
    expected = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 0, 0]]
    np.testing.assert_allclose(trace.word_before, expected, atol=1e-6)


@given(sentences())
@patient
def test_a_word_that_came_before_looks_at_what_followed_it_and_a_new_one_at_all(sentence):
    trace, T = copy_what_followed(sentence), len(sentence)
    for i, word in enumerate(sentence.tokens):
        followed = [j for j in range(1, i + 1) if sentence.tokens[j - 1] == word]
        if followed:
            assert trace.induction.weights[i, followed].sum() > 0.99
            np.testing.assert_allclose(
                trace.induction.weights[i, followed], 1 / len(followed), atol=0.01
            )
        else:
            np.testing.assert_allclose(trace.induction.weights[i, : i + 1], 1 / (i + 1), atol=1e-5)
    assert trace.induction.weights.shape == trace.previous.weights.shape == (T, T)
    assert trace.word_before.shape == (T, len(trace.words))


@given(sentences())
@patient
def test_both_layers_are_causal_and_every_row_sums_to_one(sentence):
    trace = copy_what_followed(sentence)
    for weights in (trace.previous.weights, trace.induction.weights):
        assert not np.triu(weights, 1).any()
        np.testing.assert_allclose(weights.sum(-1), 1, atol=1e-12)


@given(sentences(least=2))
@patient
def test_the_first_layer_is_the_previous_token_head(sentence):
    previous = copy_what_followed(sentence, sharpness=4).previous
    head = GALLERY["previous token"](sentence, sharpness=8)
    for ours, theirs in zip(previous[:2], head.attend(features(sentence))[:2], strict=True):
        np.testing.assert_allclose(ours, theirs, atol=1e-12)


@pytest.mark.parametrize("name", GALLERY)
@given(sentence=sentences(least=3))
@patient
def test_a_score_of_one_head_does_not_depend_on_the_word_before_the_key(name, sentence):
    T, X = len(sentence), features(sentence)
    head = GALLERY[name](sentence, edits={("Q", T, T): 3.0, ("Q", 1, T + 1): 2.0})
    changed = X.copy()
    changed[1] = features(sentence.with_category(1, (sentence.categories[1] + 1) % 3))[1]
    before, after = head.attend(X, causal=False).scores, head.attend(changed, causal=False).scores
    # Position 2 comes after the changed token; no third token sees the change in its score.
    others = [i for i in range(T) if i != 1]
    assert np.array_equal(before[np.ix_(others, [2])], after[np.ix_(others, [2])])


def test_what_followed_does_depend_on_the_word_before_the_key():
    after_a = copy_what_followed(A_B_C_A_B).induction.weights
    after_d = copy_what_followed(Sentence.parse("D B C A B")).induction.weights
    assert after_a[3, 1] > 0.999  # A B C A: the word before position 1 is A too
    np.testing.assert_allclose(after_d[3, :4], 0.25, atol=1e-5)  # D B C A: it is not
