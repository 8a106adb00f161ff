"""Amounts in words: three digits, the right unit, and never a thousand of one."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mha.amounts import GB, about_text, bytes_text, context_text, count_text, seconds_text
from tests.unit.draw import patient

UNITS = {"bytes": 1, "byte": 1, "kB": 1e3, "MB": 1e6, "GB": 1e9, "TB": 1e12, "PB": 1e15}


@given(st.integers(0, 10**18 - 10**16))
@patient
def test_bytes_are_right_to_three_digits(count):
    digits, unit = bytes_text(count).split()
    assert float(digits) * UNITS[unit] == pytest.approx(count, rel=0.00501)
    assert len(re.sub(r"\D", "", digits.lstrip("0."))) <= 3
    assert float(digits) < 1000


@pytest.mark.parametrize(
    ("count", "text"),
    [
        (0, "0 bytes"),
        (1, "1 byte"),
        (512, "512 bytes"),
        (999, "999 bytes"),
        (1000, "1 kB"),
        (131_072, "131 kB"),
        (999_499, "999 kB"),
        (999_500, "1 MB"),
        (536_870_912, "537 MB"),
        (16 * GB, "16 GB"),
        (1234 * 10**15, "1,234 PB"),
    ],
)
def test_bytes_have_the_units_of_memories(count, text):
    assert bytes_text(count) == text


@pytest.mark.parametrize(
    ("count", "text"),
    [
        (0, "0"),
        (4096, "4,096"),
        (9_999_999, "9,999,999"),
        (10**7, "10 million"),
        (335_544_320, "336 million"),
        (1_204 * 10**9, "1.2 trillion"),
    ],
)
def test_counts_are_whole_until_they_are_long(count, text):
    assert count_text(count) == text


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0, "0 µs"),
        (8.52e-4, "852 µs"),
        (9.996e-4, "1 ms"),
        (0.0042, "4.2 ms"),
        (0.9994, "999 ms"),
        (0.9996, "1 s"),
        (1.354, "1.35 s"),
        (1234.4, "1,234 s"),
    ],
)
def test_seconds_have_their_unit(seconds, text):
    assert seconds_text(seconds) == text


@pytest.mark.parametrize(
    ("tokens", "text"),
    [
        (1, "1"),
        (1000, "1,000"),
        (1024, "1K"),
        (1025, "1,025"),
        (131_072, "128K"),
        (2**20, "1M"),
        (3 * 2**20, "3M"),
    ],
)
def test_contexts_are_named_by_powers_of_two(tokens, text):
    assert context_text(tokens) == text


@pytest.mark.parametrize(
    ("count", "text"),
    [(7, "7"), (999, "999"), (1234, "1,230"), (122_071, "122,000"), (19_097_223, "19,100,000")],
)
def test_a_count_that_rests_on_a_rounded_one_has_three_digits(count, text):
    assert about_text(count) == text


@given(count=st.integers(1, 10**15))
def test_about_is_right_to_half_of_its_last_digit(count):
    about = int(about_text(count).replace(",", ""))
    assert abs(about - count) <= 10 ** max(0, len(str(count)) - 3) / 2
