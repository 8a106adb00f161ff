"""Laws of features and heads, and the lesson's figures."""

from __future__ import annotations

import math
from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mha.hand_built import (
    GALLERY,
    HandBuiltHead,
    copy_what_followed,
    feature_names,
    features,
    first_token_head,
    most_attended,
    n_back_head,
    nearest_of_category_head,
    next_token_head,
    own_edits,
    own_head,
    previous_token_head,
    same_category_head,
    same_word_head,
    self_head,
    uniform_head,
)
from mha.reference import attend, causal_mask
from mha.sentence import CATEGORY_NAMES, Sentence
from tests.unit.draw import edits, normal, patient, seeds, sentences
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


@pytest.mark.parametrize("name", GALLERY)
@given(sentence=sentences(), edits=edits(most=20), n=st.integers(0, 9))
@patient
def test_the_own_head_can_start_from_every_head_whose_slots_are_features(name, sentence, edits, n):
    head = GALLERY[name](sentence, edits=edits, n=n)
    start, X = own_edits(head), features(sentence)
    if name in ("same word", "nearest of a category"):
        assert start is None
        return
    own = own_head(len(sentence), start)
    np.testing.assert_allclose(
        own.attend(X, causal=False).scores, head.attend(X, causal=False).scores, atol=1e-9
    )
    # What it never asks for still answers, so that one can go on from there.
    never_asked = ~own.W_Q.any(axis=0)
    assert np.array_equal(own.W_K[:, never_asked], np.eye(len(X.T))[:, never_asked])


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: previous_token_head(0),
            "T must be a whole number of at least 1; got T=0. Try T=1.",
        ),
        (
            lambda: previous_token_head(6).weights(np.zeros((6, 8))),
            "X must have a shape that ends in (any, 9); got X.shape=(6, 8). "
            "Try an array whose last 2 axes are these.",
        ),
        (
            lambda: previous_token_head(6).weights(np.zeros((2, 6, 9))),
            "X must have the 2 axes (T, T + 3); got X.shape=(2, 6, 9). "
            "Try X[0] for the first of them.",
        ),
        (
            lambda: HandBuiltHead(
                "a", "b", np.zeros((1, 5, 2)), np.zeros((5, 2)), np.eye(5), slots=("x", "y")
            ),
            "W_Q must have the 2 axes (T + 3, d_k); got W_Q.shape=(1, 5, 2). "
            "Try W_Q[0] for the first of them.",
        ),
        (
            lambda: HandBuiltHead(
                "a", "b", np.zeros((5, 2)), np.zeros((5, 2)), np.eye(5), slots=("x",)
            ),
            "slots must name each of the d_k columns of W_Q; got 1 names, d_k=2. Try 2 names.",
        ),
        (
            lambda: own_head(2, {("V", 0, 0): 1.0}),
            "matrix must be 'Q' or 'K'; got matrix='V'. Try matrix='Q'.",
        ),
        (
            lambda: own_head(2, {("Q", -1, 0): 1.0}),
            "row must be a whole number of at least 0; got row=-1. Try row=0.",
        ),
        (
            lambda: own_head(2, {("K", 0, 1.5): 1.0}),
            "column must be a whole number of at least 0; got column=1.5. Try column=0.",
        ),
        (
            lambda: own_head(2, {("Q", 0, 0): math.nan}),
            "number must be a finite number; got number=nan. Try number=6.",
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


BY_LENGTH = (
    previous_token_head,
    same_category_head,
    n_back_head,
    next_token_head,
    self_head,
    first_token_head,
    uniform_head,
    nearest_of_category_head,
    own_head,
)
SHARP = (
    *(partial(build, 6) for build in BY_LENGTH if build not in (uniform_head, own_head)),
    partial(same_word_head, LESSON),
    partial(copy_what_followed, LESSON),
)


@pytest.mark.parametrize("build", BY_LENGTH)
@pytest.mark.parametrize("T", [0, -1, True, 2.0, "6", None])
def test_a_head_for_no_tokens_is_refused_by_every_builder(build, T):
    with says(f"T must be a whole number of at least 1; got T={T!r}. Try T=1."):
        build(T)


@pytest.mark.parametrize("build", SHARP)
@pytest.mark.parametrize("sharpness", [math.nan, math.inf, -math.inf, "6", True, None])
def test_a_sharpness_that_is_no_finite_number_is_refused_by_every_builder(build, sharpness):
    usual = 10 if build.func is copy_what_followed else 6
    with says(
        f"sharpness must be a finite number; got sharpness={sharpness!r}. Try sharpness={usual}."
    ):
        build(sharpness=sharpness)


@pytest.mark.parametrize("build", SHARP)
def test_any_finite_sharpness_makes_a_head(build):
    for sharpness in (0, -2, np.float32(0.5), 40):
        made = build(sharpness=sharpness)
        if isinstance(made, HandBuiltHead):
            np.testing.assert_allclose(made.weights(features(LESSON)).sum(-1), 1, atol=1e-12)


@pytest.mark.parametrize("category", [3, -1, True, 1.0, None, "feature"])
def test_a_category_that_is_none_of_the_three_is_refused(category):
    with says(
        f"category must be a whole number from 0 to 2; got category={category!r}. Try category=2."
    ):
        nearest_of_category_head(6, category)


@pytest.mark.parametrize("n", [-1, 1.0, True, None])
def test_looking_ahead_is_not_looking_back(n):
    with says(f"n must be a whole number of at least 0; got n={n!r}. Try n=0."):
        n_back_head(6, n)


@given(T=st.integers(1, 9), beyond=st.integers(0, 10**20))
def test_beyond_the_first_token_there_is_nothing_to_ask_for(T, beyond):
    assert not n_back_head(T, T + beyond).W_Q.any()


def test_a_head_equals_itself_and_can_stand_in_a_set():
    head, other = previous_token_head(6), previous_token_head(6)
    assert head == head
    assert head != other
    assert len({head, other, head}) == 2
