"""Each challenge has a solution that a link can hold, and its score is the weight on its target."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given

from mha.hand_built import (
    CHALLENGES,
    DONE,
    GALLERY,
    MAX_EDIT,
    MAX_EDITS,
    Edits,
    features,
    own_edits,
    own_head,
    read_edits,
    write_edits,
)
from mha.sentence import CATEGORY_NAMES, EXAMPLE, Sentence
from tests.unit.draw import patient, seeds, sentences
from tests.unit.says import says

PRODUCT, FEATURE, FILLER = range(3)
every_challenge = pytest.mark.parametrize("name", CHALLENGES)


# Where the weight of token i should lie, said again without the package's arrays.
TARGETS = {
    "the first token": lambda kinds, i: [0] if i else [],
    "two back": lambda kinds, i: [i - 2] if i >= 2 else [],
    "the latest product word before you": lambda kinds, i: [
        j for j in range(i) if kinds[j] == PRODUCT and PRODUCT not in kinds[j + 1 : i]
    ],
    "yourself, unless you are a filler": lambda kinds, i: (
        list(range(i)) if kinds[i] == FILLER else [i]
    ),
    "your category, never yourself": lambda kinds, i: [j for j in range(i) if kinds[j] == kinds[i]],
}


# A solution of each: what its hint says, to the letter. "Q" asks, "K" answers.


def ask_for_the_first(sentence: Sentence) -> Edits:
    return {("Q", i, 0): 6.0 for i in range(len(sentence))}


def ask_two_back(sentence: Sentence) -> Edits:
    return {("Q", i, i - 2): 6.0 for i in range(2, len(sentence))}


def ask_for_products_and_for_lateness_but_not_for_oneself(sentence: Sentence) -> Edits:
    T = len(sentence)
    product, lateness = T + PRODUCT, 0
    asks = {("Q", T + kind, product): 100.0 for kind in range(3)}
    asks |= {("Q", T + kind, lateness): 1.0 for kind in range(3)}
    grows = {("K", j, lateness): 3.0 * j for j in range(T)}
    return {**asks, **grows, **{("Q", i, i): -100.0 for i in range(1, T)}}


def ask_for_oneself_unless_a_filler(sentence: Sentence) -> Edits:
    return {
        ("Q", i, i): -10.0 if category == FILLER else 10.0
        for i, category in enumerate(sentence.categories)
    }


def ask_for_the_category_but_not_oneself(sentence: Sentence) -> Edits:
    T = len(sentence)
    same_category = own_edits(GALLERY["same category"](sentence))
    return {**same_category, **{("Q", i, i): -100.0 for i in range(T)}}


SOLUTIONS = {
    "the first token": ask_for_the_first,
    "two back": ask_two_back,
    "the latest product word before you": ask_for_products_and_for_lateness_but_not_for_oneself,
    "yourself, unless you are a filler": ask_for_oneself_unless_a_filler,
    "your category, never yourself": ask_for_the_category_but_not_oneself,
}

# The heads whose job the challenge is; no other may meet it.
SAME_JOB = {"the first token": "first token", "two back": "n back"}


def run(edits: Edits, sentence: Sentence) -> np.ndarray:
    return own_head(len(sentence), edits).weights(features(sentence))


def some_weights(sentence: Sentence, seed: int) -> np.ndarray:
    """Any causal weights at all."""
    numbers = np.tril(np.random.default_rng(seed).random((len(sentence),) * 2) + 1e-9)
    return numbers / numbers.sum(-1, keepdims=True)


def test_there_are_five_challenges_and_each_is_tested():
    assert list(CHALLENGES) == list(TARGETS) == list(SOLUTIONS)
    assert len(CHALLENGES) == 5


@every_challenge
@given(sentence=sentences())
@patient
def test_the_hint_of_every_challenge_solves_it_on_every_sentence(name, sentence):
    edits = SOLUTIONS[name](sentence)
    challenge = CHALLENGES[name]
    score = challenge.score(run(edits, sentence), sentence)
    if challenge.rows_that_count(sentence).any():
        assert DONE <= score <= 1
    else:
        assert score is None
    # The solution fits in a link, and comes back from it.
    assert len(edits) <= MAX_EDITS
    assert all(abs(number) <= MAX_EDIT for number in edits.values())
    text = write_edits(edits)
    assert CHALLENGES[name].score(run(read_edits(text)[0], sentence), sentence) == score


@every_challenge
@pytest.mark.parametrize("head", GALLERY)
def test_no_head_of_the_gallery_meets_a_challenge_that_is_not_its_job(name, head):
    sentence = Sentence.parse(EXAMPLE)
    score = CHALLENGES[name].score(GALLERY[head](sentence).weights(features(sentence)), sentence)
    assert (score >= DONE) == (SAME_JOB.get(name) == head)


@pytest.mark.parametrize(
    ("categories", "targets"),
    [
        ("200211", {2: 1, 3: 2, 4: 2, 5: 2}),
        ("0000", {1: 0, 2: 1, 3: 2}),
        ("1120", {}),
        ("0121", {1: 0, 2: 0, 3: 0}),
    ],
)
def test_a_product_is_never_its_own_latest_product(categories, targets):
    found = CHALLENGES["the latest product word before you"].targets(
        np.array([*map(int, categories)])
    )
    assert dict(np.argwhere(found).tolist()) == targets


@every_challenge
@given(sentence=sentences(least=4))
@patient
def test_a_head_that_was_not_touched_solves_no_challenge(name, sentence):
    score = CHALLENGES[name].score(run({}, sentence), sentence)
    assert score is None or 0 < score < DONE


@every_challenge
@given(sentence=sentences(), seed=seeds)
@patient
def test_the_score_is_the_mean_weight_on_the_target(name, sentence, seed):
    weights = some_weights(sentence, seed)
    T = len(sentence)
    targets = [TARGETS[name](sentence.categories, i) for i in range(T)]
    on_target = [sum(weights[i, j] for j in js) for i, js in enumerate(targets) if js]
    challenge = CHALLENGES[name]
    assert challenge.rows_that_count(sentence).tolist() == [bool(js) for js in targets]
    score = challenge.score(weights, sentence)
    if on_target:
        assert score == pytest.approx(sum(on_target) / len(on_target), abs=1e-12)
        assert 0 <= score <= 1
    else:
        assert score is None


@pytest.mark.parametrize(
    ("name", "categories"),
    [
        ("the first token", "0"),
        ("two back", "01"),
        ("the latest product word before you", "1220"),
        ("yourself, unless you are a filler", "2"),
        ("your category, never yourself", "012"),
    ],
)
def test_where_no_token_can_do_the_job_there_is_no_score(name, categories):
    sentence = Sentence.parse(" ".join("w" * len(categories)), categories)
    assert not CHALLENGES[name].rows_that_count(sentence).any()
    assert CHALLENGES[name].score(run({}, sentence), sentence) is None


@every_challenge
def test_weights_of_another_sentence_are_refused(name):
    with says(
        "weights must have a shape that ends in (3, 3); got weights.shape=(4, 4). "
        "Try an array whose last 2 axes are these."
    ):
        CHALLENGES[name].score(np.eye(4), Sentence.parse("a b c", "012"))


@every_challenge
def test_a_challenge_says_where_to_begin(name):
    assert CHALLENGES[name].name == name
    assert CHALLENGES[name].hint.endswith(".")


def test_the_categories_are_those_of_this_file():
    assert [CATEGORY_NAMES[kind] for kind in (PRODUCT, FEATURE, FILLER)] == [
        "product",
        "feature",
        "filler",
    ]
