"""A guess is right, wrong, one of several that tie, or hidden by the mask."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mha.hand_built import GALLERY, features, judge, most_attended
from mha.sentence import Sentence
from tests.unit.draw import patient, sentences
from tests.unit.says import says

LESSON = Sentence.parse("the rain jacket is light packable", "200211")


@pytest.mark.parametrize(
    ("head", "causal", "query", "guess", "kind", "best"),
    [
        ("previous token", True, 5, 4, "right", (4,)),
        ("previous token", True, 5, 5, "wrong", (4,)),
        ("previous token", True, 0, 0, "right", (0,)),
        ("same category", True, 5, 4, "tie", (4, 5)),
        ("same category", True, 5, 5, "tie", (4, 5)),
        ("same category", True, 5, 1, "wrong", (4, 5)),
        ("same category", True, 4, 5, "masked", (4,)),
        ("same category", False, 4, 5, "tie", (4, 5)),
        ("next token", True, 2, 3, "masked", (0, 1, 2)),
        ("next token", False, 2, 3, "right", (3,)),
    ],
)
def test_the_verdict_on_the_lessons_sentence(head, causal, query, guess, kind, best):
    verdict = judge(GALLERY[head](LESSON).attend(features(LESSON), causal), query, guess)
    assert (verdict.kind, verdict.best) == (kind, best)


@pytest.mark.parametrize("name", GALLERY)
@given(sentence=sentences(), causal=st.booleans(), data=st.data())
@patient
def test_a_verdict_holds_the_guess_against_the_largest_weight(name, sentence, causal, data):
    positions = st.integers(0, len(sentence) - 1)
    query, guess = data.draw(positions), data.draw(positions)
    trace = GALLERY[name](sentence).attend(features(sentence), causal)
    verdict = judge(trace, query, guess)
    row = trace.weights[query]
    assert verdict.best == most_attended(row)
    assert verdict.guess_weight == row[guess]
    assert verdict.best_weight == pytest.approx(row.max(), abs=1e-9)
    assert verdict.guess_score == trace.scores[query, guess]
    assert verdict.best_score == trace.scores[query, verdict.best[0]]
    assert {type(number) for number in verdict[2:]} == {float}
    assert (verdict.kind == "masked") == (causal and guess > query)
    assert (verdict.kind in ("right", "tie")) == (guess in verdict.best)
    assert (verdict.kind == "tie") == (guess in verdict.best and len(verdict.best) > 1)
    if verdict.kind == "masked":
        assert (verdict.guess_weight, verdict.guess_score) == (0, -np.inf)


@pytest.mark.parametrize(
    ("query", "guess", "message"),
    [
        (6, 0, "query must be a whole number from 0 to 5; got query=6. Try query=5."),
        (0, -1, "guess must be a whole number from 0 to 5; got guess=-1. Try guess=5."),
    ],
)
def test_a_position_that_is_not_there_is_no_guess(query, guess, message):
    trace = GALLERY["uniform"](LESSON).attend(features(LESSON))
    with says(message):
        judge(trace, query, guess)
