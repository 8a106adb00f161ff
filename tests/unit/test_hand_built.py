"""Laws of features and heads, and the lesson's figures."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mha.hand_built import (
    HandBuiltHead,
    feature_names,
    features,
    most_attended,
    n_back_head,
    own_head,
    previous_token_head,
    same_category_head,
    self_head,
)
from mha.reference import attend, causal_mask
from mha.sentence import CATEGORY_NAMES, Sentence
from tests.unit.draw import normal, patient, seeds, sentences
from tests.unit.says import says

LESSON = Sentence.parse("the rain jacket is light packable", "200211")
THE, RAIN, JACKET, IS, LIGHT, PACKABLE = range(6)


# Features


@given(sentences())
def test_a_token_is_its_position_and_its_category(sentence):
    T = len(sentence)
    X = features(sentence)
    assert X.shape == (T, T + 3)
    assert set(X.ravel()) == {0, 1}
    for i in range(T):
        assert np.flatnonzero(X[i]).tolist() == [i, T + sentence.categories[i]]


@given(st.integers(1, 32))
def test_every_feature_has_a_name_of_its_own(T):
    names = feature_names(T)
    assert len(set(names)) == len(names) == T + 3
    assert names[:T] == tuple(f"pos {i}" for i in range(T))
    assert names[T:] == CATEGORY_NAMES == ("product", "feature", "filler")


# The lesson


def lessons_weights(asks, answers):
    """Weights as the lesson makes them, number by number: no scale, and only what came before."""
    rows = []
    for i, query in enumerate(asks):
        scores = [sum(q * k for q, k in zip(query, key, strict=True)) for key in answers[: i + 1]]
        exponentials = [math.exp(score) for score in scores]
        row = [e / sum(exponentials) for e in exponentials]
        rows.append(row + [0.0] * (len(asks) - len(row)))
    return np.array(rows)


def test_the_lessons_features():
    assert features(LESSON).tolist() == [
        [1, 0, 0, 0, 0, 0, 0, 0, 1],
        [0, 1, 0, 0, 0, 0, 1, 0, 0],
        [0, 0, 1, 0, 0, 0, 1, 0, 0],
        [0, 0, 0, 1, 0, 0, 0, 0, 1],
        [0, 0, 0, 0, 1, 0, 0, 1, 0],
        [0, 0, 0, 0, 0, 1, 0, 1, 0],
    ]


def test_the_previous_token_head_is_the_lessons():
    head = previous_token_head(6)
    assert head.W_Q.shape == head.W_K.shape == (9, 6)
    asks = np.zeros((9, 6))
    for i in range(1, 6):
        asks[i, i - 1] = 6
    assert np.array_equal(head.W_Q, asks)
    assert np.array_equal(head.W_K, np.eye(9)[:, :6])
    X = features(LESSON)
    expected = lessons_weights((X @ asks).tolist(), np.eye(6).tolist())
    np.testing.assert_allclose(head.weights(X), expected, atol=1e-12)


def test_the_same_category_head_is_the_lessons():
    head = same_category_head(6)
    assert head.W_Q.shape == head.W_K.shape == (9, 3)
    category = [[4.0 * (c == slot) for slot in range(3)] for c in (2, 0, 0, 2, 1, 1)]
    X = features(LESSON)
    np.testing.assert_allclose(head.weights(X), lessons_weights(category, category), atol=1e-12)
    for matrix in (head.W_Q, head.W_K):
        assert (X @ matrix).tolist() == category


def test_packable_puts_nearly_all_its_weight_on_the_word_before_it():
    weights = previous_token_head(6).weights(features(LESSON))
    assert weights[PACKABLE, LIGHT] == pytest.approx(math.exp(6) / (math.exp(6) + 5), abs=1e-12)
    assert round(weights[PACKABLE, LIGHT], 4) == 0.9878
    assert most_attended(weights[THE]) == (THE,)
    for i in range(1, 6):
        assert most_attended(weights[i]) == (i - 1,)


def test_packable_splits_its_weight_between_the_feature_words_and_that_is_a_tie():
    weights = same_category_head(6).weights(features(LESSON))
    np.testing.assert_allclose(weights[PACKABLE, [LIGHT, PACKABLE]], 0.5, atol=1e-6)
    assert weights[PACKABLE, LIGHT] == weights[PACKABLE, PACKABLE]
    assert most_attended(weights[PACKABLE]) == (LIGHT, PACKABLE)
    assert most_attended(weights[JACKET]) == (RAIN, JACKET)
    assert most_attended(weights[IS]) == (THE, IS)
    assert most_attended(weights[LIGHT]) == (LIGHT,)


# Heads


@given(T=st.integers(1, 6), d_k=st.integers(1, 5), d_v=st.integers(1, 5), seed=seeds)
@patient
def test_a_head_is_attention_without_a_scale_on_what_its_matrices_make(T, d_k, d_v, seed):
    X, W_Q, W_K, W_V = normal(seed, (T, T + 3), (T + 3, d_k), (T + 3, d_k), (T + 3, d_v))
    head = HandBuiltHead("any", "Any job.", W_Q, W_K, W_V, slots=tuple(map(str, range(d_k))))
    q, k, v = head.queries_keys_values(X)
    for ours, theirs in ((q, X @ W_Q), (k, X @ W_K), (v, X @ W_V)):
        np.testing.assert_allclose(ours, theirs, atol=1e-12)
    for causal, mask in ((True, causal_mask(T)), (False, None)):
        trace, expected = head.attend(X, causal), attend(q, k, v, mask=mask, scale=1.0)
        for ours, theirs in zip(trace, expected, strict=True):
            np.testing.assert_allclose(ours, theirs, atol=1e-12)
        assert np.array_equal(head.weights(X, causal), trace.weights)
        assert trace.z.shape == (T, d_v)
    assert np.array_equal(head.weights(X), head.weights(X, causal=True))


@given(sentences(least=2))
def test_the_neighbours_position_and_category_arrive(sentence):
    T, X = len(sentence), features(sentence)
    z = previous_token_head(T, sharpness=10).attend(X).z
    np.testing.assert_allclose(z[1:], X[:-1], atol=T * math.exp(-10))


def test_a_sharper_head_is_surer():
    X = features(LESSON)
    sure = [previous_token_head(6, s).weights(X)[PACKABLE, LIGHT] for s in range(11)]
    assert sure == sorted(set(sure))
    assert sure[0] == pytest.approx(1 / 6)
    assert n_back_head(6, n=1, sharpness=3).W_Q.max() == 3


@given(st.integers(1, 32))
def test_previous_is_one_back_and_the_token_itself_is_none_back(T):
    assert np.array_equal(previous_token_head(T).W_Q, n_back_head(T, n=1).W_Q)
    assert np.array_equal(self_head(T).W_Q, n_back_head(T, n=0).W_Q)


@given(T=st.integers(1, 12), places=st.sets(st.integers(0, 11), min_size=1))
def test_the_most_attended_are_all_that_share_the_largest_weight(T, places):
    places = {p % T for p in places}
    row = np.where([i in places for i in range(T)], 0.5, 0.25)
    assert most_attended(row) == tuple(sorted(places))
    row[min(places)] += 1e-12
    assert most_attended(row) == tuple(sorted(places))
    row[max(places)] += 1e-3
    assert most_attended(row) == (max(places),)


def test_an_own_head_asks_for_nothing_and_answers_to_everything_until_edited():
    head = own_head(2)
    assert head.W_Q.tolist() == np.zeros((5, 5)).tolist()
    assert head.W_K.tolist() == np.eye(5).tolist()
    edited = own_head(2, {("Q", 1, 0): 6.0, ("K", 4, 4): -2.5, ("Q", 5, 0): 9.0, ("K", 0, 34): 9.0})
    assert edited.W_Q.tolist() == [[0] * 5, [6, 0, 0, 0, 0], *[[0] * 5] * 3]
    assert edited.W_K.tolist() == np.diag([1, 1, 1, 1, -2.5]).tolist()
    assert own_head(2).W_Q.any() == np.False_


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: previous_token_head(0),
            "T must be a whole number of at least 1; got T=0. Try T=1.",
        ),
        (
            lambda: previous_token_head(6).weights(np.zeros((6, 8))),
            "X must have a shape that ends in (9); got X.shape=(6, 8). "
            "Try an array whose last 1 axes are these.",
        ),
        (
            lambda: HandBuiltHead(
                "a", "b", np.zeros((5, 2)), np.zeros((5, 3)), np.eye(5), slots=("x", "y")
            ),
            "W_K must have a shape that ends in (5, 2); got W_K.shape=(5, 3). "
            "Try an array whose last 2 axes are these.",
        ),
        (
            lambda: HandBuiltHead(
                "a", "b", np.zeros((5, 2)), np.zeros((5, 2)), np.eye(4), slots=("x", "y")
            ),
            "W_V must have a shape that ends in (5, any); got W_V.shape=(4, 4). "
            "Try an array whose last 2 axes are these.",
        ),
    ],
)
def test_a_head_that_does_not_fit_is_refused(call, message):
    with says(message):
        call()
