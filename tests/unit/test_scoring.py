"""Scores of heads by their weights: laws of every job, and heads that are perfect, even, built."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mha.hand_built import (
    GALLERY,
    copy_what_followed,
    features,
    first_token_head,
    previous_token_head,
    same_word_head,
    self_head,
)
from mha.reference import causal_mask, softmax
from mha.scoring import (
    MIXED,
    STANDS_OUT,
    duplicate_token_score,
    first_token_score,
    induction_score,
    label,
    lift,
    matching_bracket_score,
    previous_token_score,
    pronoun_name_score,
    score,
    self_score,
    uniform_weights,
)
from mha.sentence import Sentence
from tests.unit.draw import leads, normal, seeds, sentences
from tests.unit.says import says

CLOSING = {"(": ")", "[": "]"}
PRONOUN_OF = {"Ada": "she", "Eve": "she", "Ben": "he"}
WORDS = ("(", ")", "[", "]", "Ada", "Eve", "Ben", "she", "he", "so")

JOBS = {
    "previous token": lambda weights, tokens: previous_token_score(weights),
    "same symbol": duplicate_token_score,
    "induction": induction_score,
    "matching bracket": lambda weights, tokens: matching_bracket_score(weights, tokens, CLOSING),
    "pronoun's name": lambda weights, tokens: pronoun_name_score(weights, tokens, PRONOUN_OF),
    "first token": lambda weights, tokens: first_token_score(weights),
    "itself": lambda weights, tokens: self_score(weights),
}
some = settings(deadline=None, max_examples=25)
every_job = pytest.mark.parametrize("job", JOBS)

texts = st.lists(st.sampled_from(WORDS), min_size=1, max_size=12)


def open_bracket(tokens: list[str], i: int) -> list[int]:
    """The innermost bracket that is open after i, found by taking matched pairs out of the text."""
    left = [(j, token) for j, token in enumerate(tokens[: i + 1]) if token in "()[]"]
    kept: list[tuple[int, str]] = []
    for j, token in left:
        if token in CLOSING:
            kept.append((j, token))
        elif kept and CLOSING[kept[-1][1]] == token:
            kept = kept[:-1]
    return [kept[-1][0]] if kept and kept[-1][0] < i else []


def looked_for(job: str, tokens: list[str], i: int) -> list[int]:
    """The keys that the job wants query i to look at, said once more in another way."""
    before = range(i)
    match job:
        case "previous token":
            return [i - 1] if i else []
        case "same symbol":
            return [j for j in before if tokens[j] == tokens[i]]
        case "induction":
            return [j + 1 for j in before if tokens[j] == tokens[i]]
        case "matching bracket":
            return open_bracket(tokens, i)
        case "pronoun's name":
            return [j for j in before if PRONOUN_OF.get(tokens[j]) == tokens[i]][-1:]
        case "first token":
            return [0] if i else []
        case "itself":
            return [i] if i else []


def random_weights(seed: int, T: int, lead: tuple[int, ...] = ()) -> np.ndarray:
    scores = normal(seed, (*lead, T, T))[0] * 3
    return softmax(np.where(causal_mask(T), scores, -np.inf))


# Laws of every job


@every_job
@given(tokens=texts, seed=seeds, lead=leads)
@some
def test_a_score_is_the_mean_weight_on_the_targets_of_the_queries_that_have_one(
    job, tokens, seed, lead
):
    weights = random_weights(seed, len(tokens), lead)
    scores = JOBS[job](weights, tokens)
    assert scores.shape == lead
    assert ((scores >= 0) & (scores <= 1)).all()
    keys = {i: looked_for(job, tokens, i) for i in range(len(tokens))}
    on_target = [weights[..., i, js].sum(-1) for i, js in keys.items() if js]
    mean = np.mean(on_target, axis=0) if on_target else np.zeros(lead)
    np.testing.assert_allclose(scores, mean, rtol=0, atol=1e-12)


@every_job
@given(tokens=texts, data=st.data())
@some
def test_a_head_that_does_the_job_scores_one_and_one_that_looks_elsewhere_nothing(
    job, tokens, data
):
    T = len(tokens)
    does, avoids = np.zeros((T, T)), np.zeros((T, T))
    keys = [looked_for(job, tokens, i) for i in range(T)]
    for i in range(T):
        does[i, data.draw(st.sampled_from(keys[i] or [i]))] = 1
        avoids[i, data.draw(st.sampled_from(sorted({*range(T)} - {*keys[i]})))] = 1
    assert JOBS[job](does, tokens) == any(keys)
    assert JOBS[job](avoids, tokens) == 0


@every_job
@given(tokens=texts)
@some
def test_an_even_head_scores_the_share_of_what_it_sees(job, tokens):
    T = len(tokens)
    shares = [len(js) / (i + 1) for i in range(T) if (js := looked_for(job, tokens, i))]
    uniform = JOBS[job](uniform_weights(T), tokens)
    np.testing.assert_allclose(uniform, np.mean(shares) if shares else 0, atol=1e-12)


@given(T=st.integers(1, 12))
@some
def test_the_even_head_is_the_hand_built_one(T):
    sentence = Sentence.parse("a " * T)
    head = GALLERY["uniform"](sentence)
    np.testing.assert_allclose(uniform_weights(T), head.weights(features(sentence)), atol=1e-12)


@pytest.mark.parametrize("job", ["previous token", "same symbol", "induction", "first token"])
@given(tokens=st.lists(st.integers(0, 4), min_size=1, max_size=12), seed=seeds, data=st.data())
@some
def test_other_names_for_the_symbols_change_nothing(job, tokens, seed, data):
    weights = random_weights(seed, len(tokens))
    names = data.draw(st.permutations(["a", "bb", "雨", "", "z z"]))
    assert JOBS[job](weights, tokens) == JOBS[job](weights, [names[token] for token in tokens])


@every_job
@given(seed=seeds, T=st.integers(1, 9), B=st.integers(1, 3), h=st.integers(1, 3))
@some
def test_a_batch_of_texts_is_each_text_by_itself(job, seed, T, B, h):
    texts = np.random.default_rng(seed).choice(WORDS, size=(B, 1, T))
    weights = random_weights(seed, T, (B, h))
    together = JOBS[job](weights, texts)
    for b in range(B):
        np.testing.assert_allclose(together[b], JOBS[job](weights[b], texts[b, 0]), atol=1e-12)


@every_job
def test_a_text_without_a_query_scores_nothing_to_an_even_head_too(job):
    assert JOBS[job](np.ones((1, 1)), ["so"]) == 0
    assert JOBS[job](uniform_weights(1), ["so"]) == 0


def test_brackets_and_pronouns_by_hand():
    def at(*keys: int) -> np.ndarray:
        return np.eye(len(keys))[list(keys)]

    #                    (  [  ]  [  ]  )  (
    weights = at(0, 0, 0, 0, 0, 0, 0)
    # Queries 2 and 4: after each inner pair the outer bracket is open still.
    assert matching_bracket_score(weights, list("([][])("), CLOSING) == 1
    assert matching_bracket_score(at(0, 1, 0, 1, 1, 0, 0), list("([][])("), CLOSING) == 0.5
    # The first closes nothing, and ] does not close (.
    assert matching_bracket_score(at(0, 0, 1), list(")(]"), CLOSING) == 1
    tokens = "Ada so Eve she Ben she he".split()
    assert pronoun_name_score(at(0, 0, 0, 2, 0, 2, 4), tokens, PRONOUN_OF) == 1
    assert pronoun_name_score(at(0, 0, 0, 0, 0, 0, 4), tokens, PRONOUN_OF) == pytest.approx(1 / 3)


# Heads that were built by hand for the same job


@given(sentence=sentences(least=2))
@some
def test_hand_built_heads_score_high_at_their_job_by_exactly_their_weights(sentence):
    T, X = len(sentence), features(sentence)
    share = 1 / (1 + (np.arange(1, T + 1) - 1) * np.exp(-6.0))  # of one key among i + 1
    for head, measured in (
        (previous_token_head(T), previous_token_score),
        (first_token_head(T), first_token_score),
        (self_head(T), self_score),
    ):
        np.testing.assert_allclose(measured(head.weights(X)), share[1:].mean(), atol=1e-12)


@given(sentence=sentences(least=2))
@some
def test_the_same_word_head_shares_itself_out_and_so_scores_what_itself_leaves(sentence):
    tokens = sentence.tokens
    weights = same_word_head(sentence, sharpness=30.0).weights(features(sentence))
    counts = [tokens[: i + 1].count(token) for i, token in enumerate(tokens)]
    left = [(n - 1) / n for n in counts if n > 1]
    expected = np.mean(left) if left else 0
    np.testing.assert_allclose(duplicate_token_score(weights, tokens), expected, atol=1e-10)


@given(sentence=sentences(least=2))
@some
def test_the_hand_built_induction_head_scores_one_and_its_helper_is_a_previous_token_head(sentence):
    trace = copy_what_followed(sentence, sharpness=40.0)
    has_query = len(set(sentence.tokens)) < len(sentence)
    scored = induction_score(trace.induction.weights, sentence.tokens)
    np.testing.assert_allclose(scored, has_query, atol=1e-10)
    np.testing.assert_allclose(previous_token_score(trace.previous.weights), 1, atol=1e-10)


# The name of what a head does

UNIFORM = {"previous token": 0.1, "induction": 0.1, "itself": 0.1}


@pytest.mark.parametrize(
    ("scores", "name"),
    [
        ((1.0, 0.0, 0.0), "previous token"),
        ((0.1, 0.9, 0.1), "induction"),
        ((0.1, 0.1, 0.1), MIXED),
        ((0.36, 0.1, 0.1), MIXED),  # a lift of 0.29
        ((0.38, 0.1, 0.1), "previous token"),  # of 0.31
        ((0.6, 0.4, 0.0), MIXED),  # 0.56 is not twice 0.33
        ((0.8, 0.4, 0.0), "previous token"),
    ],
)
def test_a_label_is_the_job_that_stands_out(scores, name):
    assert label(dict(zip(UNIFORM, scores, strict=True)), UNIFORM) == name


def test_a_uniform_head_is_mixed_whatever_the_text():
    tokens = list("a a a a a a")
    uniform = {job: float(JOBS[job](uniform_weights(len(tokens)), tokens)) for job in JOBS}
    assert label(uniform, uniform) == MIXED


@given(seed=seeds)
@some
def test_labels_do_not_depend_on_the_order_of_the_jobs(seed):
    generator = np.random.default_rng(seed)
    scores = dict(zip(UNIFORM, generator.dirichlet([0.5] * 3).tolist(), strict=True))
    assert label(scores, UNIFORM) == label(dict(reversed(scores.items())), UNIFORM)


def test_the_lift_is_the_way_from_even_to_perfect():
    assert lift(1.0, 0.25) == 1
    assert lift(0.25, 0.25) == 0
    assert lift(0.625, 0.25) == 0.5
    assert lift(0.0, 0.5) == -1
    assert lift(1.0, 1.0) == 0
    assert 0 < STANDS_OUT < 1


# Errors


@every_job
@pytest.mark.parametrize(
    ("weights", "message"),
    [
        (
            np.ones((2, 1)),
            "weights must have a shape that ends in (1, 1); got weights.shape=(2, 1). "
            "Try an array whose last 2 axes are these.",
        ),
        (
            np.ones(2),
            "weights must have a shape that ends in (any, any); got weights.shape=(2,). "
            "Try an array whose last 2 axes are these.",
        ),
        (
            np.ones((0, 0)),
            "T must be a whole number of at least 1; got T=0. Try T=1.",
        ),
        (
            np.array([[1.0, 0.0], [0.5, 0.25]]),
            "every row of weights must be probabilities that sum to 1; got row 1 with the sum 0.75 "
            "and the least 0.25. Try the weights after the softmax, not the scores.",
        ),
        (
            np.array([[2.0, -1.0], [0.5, 0.5]]),
            "every row of weights must be probabilities that sum to 1; got row 0 with the sum 1 "
            "and the least -1. Try the weights after the softmax, not the scores.",
        ),
        (
            np.array([[1.0, 0.0], [np.nan, 1.0]]),
            "every row of weights must be probabilities that sum to 1; got row 1 with the sum nan "
            "and the least nan. Try the weights after the softmax, not the scores.",
        ),
        (
            np.array([["a"]]),
            "weights must hold real numbers; got weights.dtype=<U1. Try weights.astype(float).",
        ),
    ],
)
def test_what_is_no_square_of_probabilities_is_refused(job, weights, message):
    with says(message):
        JOBS[job](weights, ["so"] * len(weights))


@pytest.mark.parametrize("job", ["same symbol", "induction", "matching bracket", "pronoun's name"])
def test_tokens_that_are_not_as_many_as_the_weights_are_refused(job):
    with says(
        "tokens must have a shape that ends in (3); got tokens.shape=(2,). "
        "Try an array whose last 1 axes are these."
    ):
        JOBS[job](uniform_weights(3), ["a", "b"])


def test_targets_of_another_size_are_refused():
    with says(
        "targets must have a shape that ends in (3, 3); got targets.shape=(2, 2). "
        "Try an array whose last 2 axes are these."
    ):
        score(uniform_weights(3), np.eye(2, dtype=bool))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: label({"itself": 1.0}, {}),
            "scores and uniform must name the same jobs, one at least; got scores=['itself'], "
            "uniform=[]. Try the scores of uniform_weights(T) on the same text.",
        ),
        (
            lambda: label({}, {}),
            "scores and uniform must name the same jobs, one at least; got scores=[], uniform=[]. "
            "Try the scores of uniform_weights(T) on the same text.",
        ),
        (
            lambda: lift(float("nan"), 0.1),
            "score must be a finite number; got score=nan. Try a score in [0, 1].",
        ),
        (
            lambda: lift(0.5, "even"),
            "uniform must be a finite number; got uniform='even'. Try a score in [0, 1].",
        ),
        (lambda: uniform_weights(0), "T must be a whole number of at least 1; got T=0. Try T=1."),
    ],
)
def test_what_cannot_be_judged_is_refused(call, message):
    with says(message):
        call()
