"""How one weight comes about, written out: q·k, the mask, the softmax."""

from __future__ import annotations

import math

import streamlit as st

from mha.reference import WeightArithmetic

_MOST_TERMS = 2


def show_weight(cell: WeightArithmetic, *, divisor: int | None = None) -> None:
    """The arithmetic as a formula, in short lines, so that they fit a phone's width.

    divisor: the d_head by whose root q·k is divided; None where it is not.
    """
    factors = [
        (round(float(q), 2), round(float(k), 2)) for q, k in zip(cell.q, cell.k, strict=True)
    ]
    terms = [rf"{_signed(q, 'g')} \times {_signed(k, 'g')}" for q, k in factors if q * k]
    spelled = " + ".join(terms[:_MOST_TERMS]) + (r" + \dots" if len(terms) > _MOST_TERMS else "")
    lines = [rf"q \cdot k &= {spelled + ' = ' if terms else ''}{_rounded(cell.dot)}"]
    if divisor is not None:
        lines.append(rf"/ \sqrt{{{divisor}}} &= {_rounded(cell.dot / math.sqrt(divisor))}")
    if math.isinf(cell.score):
        lines.append(r"\text{mask} &: \text{hidden: score } -\infty")
        lines.append(r"e^{-\infty} &= 0")
    else:
        lines.append(r"\text{mask} &: \text{may look}")
        largest = _rounded(cell.largest)
        exponent = f"{_rounded(cell.score)} - {f'({largest})' if cell.largest < 0 else largest}"
        lines.append(rf"e^{{{exponent}}} &= {cell.exponential:.4f}")
    lines.append(rf"\text{{row's sum}} &= {cell.row_sum:.4f}")
    fraction = rf"\frac{{{cell.exponential:.4f}}}{{{cell.row_sum:.4f}}}"
    lines.append(rf"\text{{weight}} &= {fraction} = {cell.weight:.4f}")
    st.latex(r"\begin{aligned}" + r" \\[2pt] ".join(lines) + r"\end{aligned}")


def _rounded(number: float) -> str:
    """To two decimals, and never "-0.00"."""
    return f"{round(number, 2) + 0.0:.2f}"


def _signed(number: float, form: str) -> str:
    """A number as it stands behind a sign: in brackets where it is negative."""
    return f"({number:{form}})" if number < 0 else f"{number:{form}}"
