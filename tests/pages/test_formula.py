"""Sums written as lines of a formula: what is told, what is left out, and its signs."""

from __future__ import annotations

import pytest

from pages.parts.formula import rounded, sum_lines


@pytest.mark.parametrize(
    ("factors", "bias", "lines"),
    [
        ([], None, ["z &= 0.50"]),
        ([(2, 0.25)], None, [r"z &= 2 \times 0.25 = 0.50"]),
        (
            [(2, -0.25), (0, 3), (-1, 1)],
            None,
            [r"z &= 2 \times (-0.25)", r"&+ (-1) \times 1", "&= 0.50"],
        ),
        (
            [(1, 1), (2, 2), (3, 3)],
            None,
            [r"z &= 1 \times 1", r"&+ 2 \times 2", r"&+ \dots", "&= 0.50"],
        ),
        ([(1, 1), (0, 2)], -0.125, [r"z &= 1 \times 1", r"&+ (-0.12) \; (\text{bias})", "&= 0.50"]),
        ([(-0.004, 1.006)], None, [r"z &= (-0.004) \times 1.01 = 0.50"]),
        ([(-0.00004, 1)], None, [r"z &= 0 \times 1 = 0.50"]),
    ],
)
def test_a_sum_is_told_a_term_a_line(factors, bias, lines):
    assert sum_lines("z", factors, "0.50", most=2, bias=bias) == lines


@pytest.mark.parametrize(
    ("number", "digits", "text"), [(-0.001, 2, "0.00"), (1.25, 4, "1.2500"), (-2.346, 2, "-2.35")]
)
def test_a_number_is_rounded_and_never_minus_nothing(number, digits, text):
    assert rounded(number, digits) == text
