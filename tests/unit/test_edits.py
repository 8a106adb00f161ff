"""A visitor's own matrices survive the link, and no text can do harm."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from mha.hand_built import (
    MAX_EDIT,
    MAX_EDITS,
    MAX_EDITS_TEXT,
    own_head,
    read_edits,
    write_edits,
)
from tests.unit.draw import edits, patient, seeds, texts

almost_edits = st.lists(
    st.from_regex(r"\A[QKVq]:-?[0-9]{1,3},[0-9]{1,3}=[-+]?[0-9.e]{1,5}\Z") | texts(), max_size=20
).map(" ".join)


def refused(piece: str) -> str:
    return (
        "a changed number must read like Q:3,1=6, with rows and columns below 35 and numbers from "
        f"-100 to 100; got {piece}. Try the table of W_Q; the other numbers are taken."
    )


@given(edits())
@patient
def test_what_was_written_is_read_back(edits):
    assert read_edits(write_edits(edits)) == (edits, ())


@given(seeds)
def test_as_many_edits_as_there_may_be_are_read_back_however_long_their_numbers(seed):
    generator = np.random.default_rng(seed)
    places = generator.choice(2 * 25 * 25, MAX_EDITS, replace=False)
    edits = {
        ("QK"[place % 2], 10 + place // 2 % 25, 10 + place // 50): -99.999 + place // 2 % 9 / 1000
        for place in places.tolist()
    }
    edits = {place: round(number, 3) for place, number in edits.items()}
    assert read_edits(write_edits(edits)) == (edits, ())


def test_edits_are_written_like_this():
    edits = {("Q", 3, 1): 6.0, ("K", 0, 0): -2.5, ("Q", 3, 10): 0.125, ("Q", 0, 34): -100.0}
    text = "K:0,0=-2.5 Q:0,34=-100 Q:3,1=6 Q:3,10=0.125"
    assert write_edits(edits) == text
    assert read_edits(text) == (edits, ())
    assert write_edits({}) == ""
    assert read_edits("") == ({}, ())


@given(st.floats())
@example(math.nan)
@example(-math.inf)
@example(-0.0004)
def test_any_number_is_written_within_bounds_to_three_decimals_or_left_out(number):
    read, complaints = read_edits(write_edits({("Q", 0, 0): number}))
    assert complaints == ()
    if math.isfinite(number):
        assert read[("Q", 0, 0)] == round(min(max(number, -MAX_EDIT), MAX_EDIT), 3)
    else:
        assert read == {}


@given(almost_edits)
@patient
def test_any_text_reads_as_edits_within_bounds(text):
    read, complaints = read_edits(text)
    assert len(read) <= MAX_EDITS
    for (matrix, row, column), number in read.items():
        assert matrix in ("Q", "K")
        assert 0 <= row < 35
        assert 0 <= column < 35
        assert abs(number) <= MAX_EDIT
    assert len(complaints) <= 2
    assert all(len(complaint) < 300 for complaint in complaints)
    assert read_edits(write_edits(read)) == (read, ())
    own_head(3, read)


@given(almost_edits)
@patient
def test_every_message_can_be_sent_to_a_browser(text):
    for complaint in read_edits(text)[1]:
        complaint.encode()


@pytest.mark.parametrize(
    "piece",
    [
        "V:0,0=1",
        "q:0,0=1",
        "Q:35,0=1",
        "Q:0,35=1",
        "Q:-1,0=1",
        "Q:0,0=100.001",
        "Q:0,0=-101",
        "Q:0,0=1e9",
        "Q:0,0=nan",
        "Q:0,0=inf",
        "Q:0,0=1.2345",
        "Q:0,0=",
        "Q:0,0",
        "Q:٣,1=6",
        "__import__('os')",
        "Q:0,0=1;K:0,0=1",
    ],
)
def test_what_is_no_edit_is_refused_and_the_rest_is_taken(piece):
    assert read_edits(f"Q:1,1=1 {piece} K:2,2=2") == (
        {("Q", 1, 1): 1.0, ("K", 2, 2): 2.0},
        (refused(piece[:24]),),
    )


def test_the_first_refusal_is_told_and_cut_short():
    assert read_edits("x" * 40 + " y")[1] == (refused("x" * 24),)


def test_the_last_of_two_edits_of_one_number_holds():
    assert read_edits("Q:1,1=1 Q:1,1=2")[0] == {("Q", 1, 1): 2.0}


def test_too_many_edits_are_cut_and_told():
    pieces = [f"Q:{i // 20},{i % 20}=1" for i in range(401)]
    read, complaints = read_edits(" ".join(pieces))
    assert len(read) == 400
    assert complaints == (
        "your own head takes at most 400 changed numbers; got 401. "
        "Try fewer; the first 400 are taken.",
    )
    assert read_edits(" ".join(pieces[:400]))[1] == ()
    assert read_edits(" ".join(pieces) + " " * 6400)[1] == (
        "your own head takes at most 400 changed numbers; got more. "
        "Try fewer; the first 400 are taken.",
    )
    assert len(write_edits({("Q", i // 20, i % 20): 1.0 for i in range(401)}).split()) == 400


TOO_LONG = (
    "the text of your own head must have at most 6,400 characters; got more. "
    "Try a shorter text; the rest is left out."
)


@pytest.mark.parametrize(
    ("text", "read", "complaints"),
    [
        ("x" * 7000, {}, (TOO_LONG,)),
        (" " * 7000, {}, (TOO_LONG,)),
        ("Q:1,1=1 " + "x" * 7000, {("Q", 1, 1): 1}, (TOO_LONG,)),
        ("Q:1,1=1 x " + " " * 7000, {("Q", 1, 1): 1}, (TOO_LONG, refused("x"))),
        ("x" * 6400, {}, (refused("x" * 24),)),
    ],
)
def test_too_long_a_text_is_called_that(text, read, complaints):
    assert read_edits(text) == (read, complaints)


@given(st.integers(0, 12))
def test_a_number_is_never_read_that_the_cut_has_made_of_another(before):
    """Q:1,1=12.345 cut short would be Q:1,1=12 or Q:1,1=1."""
    piece = "Q:1,1=12.345"
    text = f"{' ' * (MAX_EDITS_TEXT - before)}{piece}{' ' * 20}"
    assert read_edits(text) == ({("Q", 1, 1): 12.345} if before == 12 else {}, (TOO_LONG,))


@pytest.mark.parametrize("text", ["Q:1,1=1 " * 125_000, "x" * 1_000_000, " " * 1_000_000])
def test_a_megabyte_is_read_in_bounds(text):
    read, complaints = read_edits(text)
    assert len(read) <= 1
    assert 1 <= len(complaints) <= 2
    assert all(len(complaint) < 300 for complaint in complaints)
