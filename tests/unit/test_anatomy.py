"""A word taken apart: bytes, code points, what a reader sees, and the way that it runs."""

from __future__ import annotations

import unicodedata
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mha.sentence import MAX_CODE_POINTS, dissect, grapheme_clusters
from tests.unit.draw import ACCENTED, FAMILY, FLAGS, KISS, texts
from tests.unit.says import says

words = texts().map(lambda text: text[:MAX_CODE_POINTS]).filter(bool)
any_character = st.characters(exclude_categories=())


@given(word=words)
def test_the_parts_of_a_word_are_the_word(word):
    anatomy = dissect(word)
    assert anatomy.word == word
    assert [cluster.text for cluster in anatomy.clusters] == grapheme_clusters(word)
    assert "".join(point.character for point in anatomy.code_points) == word
    for cluster in anatomy.clusters:
        assert cluster.text == "".join(point.character for point in cluster.code_points)
    assert 1 <= len(anatomy.clusters) <= anatomy.n_code_points == len(word)


@given(word=words)
def test_bytes_and_units_are_those_of_the_encodings(word):
    anatomy = dissect(word)
    stored = b"".join(point.utf8 for point in anatomy.code_points)
    assert stored == word.encode("utf-8", "ignore")  # which leaves surrogates out
    assert anatomy.n_bytes == len(stored)
    assert anatomy.n_utf16 == len(word.encode("utf-16-le", "surrogatepass")) // 2


@given(character=any_character)
def test_every_character_has_a_number_and_a_name(character):
    (point,) = dissect(character).code_points
    assert chr(int(point.number.removeprefix("U+"), 16)) == character
    assert len(point.number) >= 6
    assert point.name.isascii()
    assert point.name.isprintable()
    if point.name.startswith("<"):
        assert unicodedata.name(character, None) is None
        assert point.name.endswith(f"-{point.number[2:]}>")
    else:
        assert unicodedata.lookup(point.name) == character


@pytest.mark.parametrize(
    ("character", "name"),
    [
        ("a", "LATIN SMALL LETTER A"),
        ("\t", "<control-0009>"),
        ("\ud800", "<surrogate-D800>"),
        ("\ue000", "<private use-E000>"),
        ("\U0010ffff", "<unassigned-10FFFF>"),
        ("\u202e", "RIGHT-TO-LEFT OVERRIDE"),
        ("雨", "CJK UNIFIED IDEOGRAPH-96E8"),
    ],
)
def test_what_has_no_name_is_called_by_its_kind(character, name):
    assert dissect(character).code_points[0].name == name


@pytest.mark.parametrize(
    ("word", "n_bytes", "n_utf16", "n_code_points", "n_clusters"),
    [
        ("light", 5, 5, 5, 5),
        ("é", 2, 1, 1, 1),
        (ACCENTED, 5, 3, 3, 1),
        (FAMILY, 18, 8, 5, 1),
        (KISS, 35, 15, 10, 1),
        (FLAGS, 16, 8, 4, 2),
        ("雨衣", 6, 2, 2, 2),
        ("\uffff\U00010000", 7, 3, 2, 2),
        ("\ud800", 0, 1, 1, 1),
    ],
)
def test_a_word_has_as_many_of_each_as_it_is_known_to_have(
    word, n_bytes, n_utf16, n_code_points, n_clusters
):
    anatomy = dissect(word)
    assert (anatomy.n_bytes, anatomy.n_utf16, anatomy.n_code_points, len(anatomy.clusters)) == (
        n_bytes,
        n_utf16,
        n_code_points,
        n_clusters,
    )


def test_the_family_is_made_of_three_people_and_two_joiners():
    names = [point.name for point in dissect(FAMILY).code_points]
    assert names == ["MAN", "ZERO WIDTH JOINER", "WOMAN", "ZERO WIDTH JOINER", "GIRL"]


@pytest.mark.parametrize(
    ("word", "direction", "is_mixed"),
    [
        ("jacket", "left to right", False),
        ("雨衣", "left to right", False),
        ("جاكيت", "right to left", False),
        ("מעיל", "right to left", False),
        ("abcמעיל", "left to right", True),
        ("מעילabc", "right to left", True),
        ("42%", "neutral", False),
        ("42מ", "right to left", False),
        (FAMILY, "neutral", False),
        ("\u202eabc", "left to right", False),  # an override turns letters, it is none
        ("\u2067abc\u2069מ", "right to left", True),  # what is isolated does not decide
        ("\u2066מ\u2069", "neutral", False),
        ("\u2069abc", "left to right", False),
        ("\u2067\u2066a\u2069b\u2069מ", "right to left", True),
    ],
)
def test_a_word_runs_the_way_of_its_first_letter(word, direction, is_mixed):
    anatomy = dissect(word)
    assert (anatomy.direction, anatomy.is_mixed) == (direction, is_mixed)


def test_a_code_point_has_a_direction_of_its_own():
    directions = [point.direction for point in dissect("aמ1\u0301").code_points]
    assert directions == ["left to right", "right to left", "neutral", "neutral"]


@given(word=words)
def test_a_mixed_word_has_letters_of_both_directions(word):
    anatomy = dissect(word)
    own = {point.direction for point in anatomy.code_points}
    assert anatomy.is_mixed == ({"left to right", "right to left"} <= own)
    assert anatomy.direction in {*own, "neutral"}


@given(word=words)
def test_the_runs_of_a_word_are_the_word_as_it_is_stored(word):
    anatomy = dissect(word)
    runs = anatomy.runs
    assert "".join(run.text for run in runs) == word
    assert [n for run in runs for n in range(run.first, run.last + 1)] == list(
        range(1, len(anatomy.clusters) + 1)
    )
    for run in runs:
        clusters = anatomy.clusters[run.first - 1 : run.last]
        assert run.text == "".join(cluster.text for cluster in clusters)
    assert all(a.direction != b.direction for a, b in pairwise(runs))
    assert anatomy.runs_leftward == any(run.direction == "right to left" for run in runs)
    if any(run.direction == "neutral" for run in runs):
        assert len(runs) == 1


LEFT, RIGHT = "right to left", "left to right"


@pytest.mark.parametrize(
    ("word", "runs"),
    [
        ("abcמעיל", [(RIGHT, 1, 3, "abc"), (LEFT, 4, 7, "מעיל")]),
        ("מעילabc", [(LEFT, 1, 4, "מעיל"), (RIGHT, 5, 7, "abc")]),
        ("מעיל12", [(LEFT, 1, 4, "מעיל"), (RIGHT, 5, 6, "12")]),
        ("-מ.a!", [(LEFT, 1, 3, "-מ."), (RIGHT, 4, 5, "a!")]),
        ("12%", [(RIGHT, 1, 3, "12%")]),
        ("e\u0301מ", [(RIGHT, 1, 1, "e\u0301"), (LEFT, 2, 2, "מ")]),
        (FAMILY, [("neutral", 1, 1, FAMILY)]),
    ],
)
def test_a_word_is_cut_where_its_direction_changes(word, runs):
    assert [tuple(vars(run).values()) for run in dissect(word).runs] == runs


@pytest.mark.parametrize(
    ("word", "reason"),
    [
        (FAMILY, "18 bytes, 5 code points, 1 character to a reader"),
        ("a", "1 byte, 1 code point, 1 character to a reader"),
        ("é", "2 bytes, 1 code point, 1 character to a reader"),
        ("light", "5 bytes, 5 code points, 5 characters to a reader"),
    ],
)
def test_the_reason_for_one_label_is_said_in_numbers(word, reason):
    assert dissect(word).reason == f"{reason}; one token, so one row, one column and one label."


def test_a_word_has_a_character_and_no_more_than_a_token_may_have():
    message = "a word must have 1 to 192 code points; got {}. Try one word of a sentence."
    with says(message.format(0)):
        dissect("")
    with says(message.format("4,000")):
        dissect("x" * 4000)
    assert dissect("x" * MAX_CODE_POINTS).n_code_points == MAX_CODE_POINTS
