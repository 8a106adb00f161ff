"""Every hand-built head on random sentences: its shapes, its options, and the job in its name."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mha.hand_built import (
    GALLERY,
    MAX_SHARPNESS,
    HandBuiltHead,
    feature_names,
    features,
    most_attended,
)
from mha.sentence import CATEGORY_NAMES, Sentence
from tests.unit.draw import edits, patient, sentences

every_head = pytest.mark.parametrize("name", GALLERY)
causal_or_not = pytest.mark.parametrize("causal", [True, False])


def seen(T: int, i: int, causal: bool) -> list[int]:
    return list(range(i + 1 if causal else T))


# Each head's job: where token i should look, among the positions that it sees. Where it finds
# nothing to look at, it looks at all of them.
Job = Callable[[Sentence, int, Sequence[int], int, int], Sequence[int]]


def at(position: int, seen: Sequence[int]) -> Sequence[int]:
    return [position] if position in seen else seen


JOBS: dict[str, Job] = {
    "previous token": lambda s, i, seen, n, category: at(i - 1, seen),
    "same category": lambda s, i, seen, n, category: [
        j for j in seen if s.categories[j] == s.categories[i]
    ],
    "the token itself": lambda s, i, seen, n, category: [i],
    "first token": lambda s, i, seen, n, category: [0],
    "n back": lambda s, i, seen, n, category: at(i - n, seen),
    "same word": lambda s, i, seen, n, category: [j for j in seen if s.tokens[j] == s.tokens[i]],
    "uniform": lambda s, i, seen, n, category: seen,
    "nearest of a category": lambda s, i, seen, n, category: [
        max([j for j in seen if s.categories[j] == category] or seen)
    ],
    "next token": lambda s, i, seen, n, category: at(i + 1, seen),
    "your own": lambda s, i, seen, n, category: seen,
}
# How far the wanted key stands above the others, by the head's sharpness.
ABOVE: dict[str, Callable[[float], float]] = {
    "same category": lambda sharpness: sharpness**2,
    "uniform": lambda sharpness: 0,
    "your own": lambda sharpness: 0,
}


def test_every_head_of_the_gallery_has_a_job_to_be_tested_by():
    assert list(JOBS) == list(GALLERY)


@every_head
@causal_or_not
@given(
    sentence=sentences(),
    n=st.integers(0, 32),
    category=st.integers(0, 2),
    sharpness=st.none() | st.floats(1, MAX_SHARPNESS),
)
@patient
def test_every_head_does_the_job_in_its_name(name, causal, sentence, n, category, sharpness):
    T = len(sentence)
    kind = GALLERY[name]
    head = kind(sentence, sharpness=sharpness, n=n, category=category)
    weights = head.weights(features(sentence), causal)
    above = kind.sharpness if sharpness is None else sharpness
    above = ABOVE.get(name, lambda sharpness: sharpness)(above or 0)
    for i in range(T):
        sees = seen(T, i, causal)
        targets = JOBS[name](sentence, i, sees, n, category)
        assert most_attended(weights[i]) == tuple(targets)
        if name == "nearest of a category":  # each other key is a step of sharpness further down
            assert weights[i, targets[0]] >= 1 - math.exp(-above) - 1e-12
        else:
            others = len(sees) - len(targets)
            share = 1 / (len(targets) + others * math.exp(-above))
            np.testing.assert_allclose(weights[i, targets], share, rtol=1e-12)


@every_head
@given(sentence=sentences(), data=st.data())
@patient
def test_every_row_sums_to_one_and_nothing_after_the_token_weighs(name, sentence, data):
    options = {
        "sharpness": data.draw(st.none() | st.floats(0, MAX_SHARPNESS)),
        "n": data.draw(st.integers(0, 40)),
        "category": data.draw(st.integers(0, 2)),
        "edits": data.draw(edits(most=40)),
    }
    head, X = GALLERY[name](sentence, **options), features(sentence)
    causal, whole = head.weights(X), head.weights(X, causal=False)
    for weights in (causal, whole):
        assert (weights >= 0).all()
        np.testing.assert_allclose(weights.sum(-1), 1, atol=1e-12)
    assert not np.triu(causal, 1).any()


@every_head
@given(sentence=sentences())
def test_matrices_run_from_features_to_slots_and_each_slot_has_a_name(name, sentence):
    T = len(sentence)
    head = GALLERY[name](sentence)
    assert isinstance(head, HandBuiltHead)
    assert head.W_Q.shape == head.W_K.shape == (T + 3, len(head.slots))
    assert len(set(head.slots)) == len(head.slots)
    assert np.array_equal(head.W_V, np.eye(T + 3))
    assert head.name == ("2 back" if name == "n back" else name)
    assert head.job.endswith(".")


@given(sentence=sentences())
def test_slots_are_named_by_what_they_hold(sentence):
    T = len(sentence)
    slots = {name: head(sentence).slots for name, head in GALLERY.items()}
    words = len(set(sentence.tokens))
    assert slots.pop("same category") == CATEGORY_NAMES
    assert slots.pop("nearest of a category") == (*CATEGORY_NAMES, "lateness")
    assert slots.pop("your own") == feature_names(T)
    assert slots.pop("same word") == tuple(f"word {i}" for i in range(words))
    assert set(slots.values()) == {feature_names(T)[:T]}


@every_head
@given(sentence=sentences(least=3))
@patient
def test_an_option_that_a_head_does_not_read_changes_nothing(name, sentence):
    kind = GALLERY[name]
    plain = kind(sentence)
    other = {
        "n": 1,
        "category": 2,
        "edits": {("Q", 0, 0): 7.0, ("K", 1, 1): 2.0},
        "sharpness": 1.25,
    }
    reads = {*kind.knobs, *(["sharpness"] if kind.sharpness is not None else [])}
    for option, value in other.items():
        turned = kind(sentence, **{option: value})
        unchanged = np.array_equal(plain.W_Q, turned.W_Q) and np.array_equal(plain.W_K, turned.W_K)
        assert unchanged == (option not in reads)


@every_head
def test_a_head_says_what_it_reads(name):
    kind = GALLERY[name]
    assert kind.name == name
    assert kind.note.endswith(".")
    reads = {"n back": ("n",), "nearest of a category": ("category",), "your own": ("edits",)}
    assert kind.knobs == reads.get(name, ())
    assert (kind.sharpness is None) == (name in ("uniform", "your own"))
    assert kind.sharpness is None or 0 < kind.sharpness <= MAX_SHARPNESS


@given(sentences(least=2))
def test_the_mask_alone_keeps_a_head_from_the_next_token(sentence):
    T, X = len(sentence), features(sentence)
    head = GALLERY["next token"](sentence)
    masked = head.weights(X)
    np.testing.assert_allclose(masked, np.tri(T) / np.arange(1, T + 1)[:, None], atol=1e-12)
    whole = head.weights(X, causal=False)
    assert (whole[:-1].argmax(-1) == np.arange(1, T)).all()


@given(sentences())
def test_a_head_that_asks_for_nothing_averages_all_that_it_sees(sentence):
    T, X = len(sentence), features(sentence)
    head = GALLERY["uniform"](sentence)
    for i, row in enumerate(head.weights(X)):
        np.testing.assert_allclose(row, [1 / (i + 1)] * (i + 1) + [0] * (T - i - 1), atol=1e-12)
    np.testing.assert_allclose(head.weights(X, causal=False), 1 / T, atol=1e-12)
    np.testing.assert_allclose(head.attend(X, causal=False).z, [X.mean(0)] * T, atol=1e-12)


def test_the_gallery_cannot_be_changed():
    with pytest.raises(TypeError, match="'mappingproxy' object does not support item assignment"):
        GALLERY["uniform"] = None
