"""How one weight comes about, written out: q·k, the mask, the softmax."""

from __future__ import annotations

import math

from mha.reference import WeightArithmetic
from pages.parts import formula
from pages.parts.formula import rounded

_MOST_TERMS = 2


def show_weight(cell: WeightArithmetic, *, divisor: int | None = None) -> None:
    """The arithmetic as a formula, in short lines, so that they fit a phone's width.

    divisor: the d_head by whose root q·k is divided; None where it is not.
    """
    factors = zip(cell.q, cell.k, strict=True)
    lines = formula.sum_lines(r"q \cdot k", factors, rounded(cell.dot), most=_MOST_TERMS)
    if divisor is not None:
        lines.append(rf"/ \sqrt{{{divisor}}} &= {rounded(cell.dot / math.sqrt(divisor))}")
    if math.isinf(cell.score):
        lines.append(r"\text{mask} &: \text{hidden: score } -\infty")
        lines.append(r"e^{-\infty} &= 0")
    else:
        lines.append(r"\text{mask} &: \text{may look}")
        largest = rounded(cell.largest)
        exponent = f"{rounded(cell.score)} - {f'({largest})' if cell.largest < 0 else largest}"
        lines.append(rf"e^{{{exponent}}} &= {cell.exponential:.4f}")
    lines.append(rf"\text{{row's sum}} &= {cell.row_sum:.4f}")
    fraction = rf"\frac{{{cell.exponential:.4f}}}{{{cell.row_sum:.4f}}}"
    lines.append(rf"\text{{weight}} &= {fraction} = {cell.weight:.4f}")
    formula.show(lines)
