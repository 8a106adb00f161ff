"""Numbers and sums of products as lines of a formula, each short enough for a phone's width."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import streamlit as st


def show(lines: Sequence[str]) -> None:
    """Lines under one another, aligned where each has its `&`."""
    st.latex(r"\begin{aligned}" + r" \\[2pt] ".join(lines) + r"\end{aligned}")


def sum_lines(
    name: str,
    factors: Iterable[tuple[float, float]],
    total: str,
    *,
    most: int,
    bias: float | None = None,
) -> list[str]:
    """name = a × b + c × d + … = total, a term a line; all on one where there is one term.

    Args:
        factors: of each term, in the order in which they are told; terms of 0 are left out.
        most: how many terms are told.
        bias: what is added to them, if anything is.
    """
    products = [rf"{_signed(a)} \times {_signed(b)}" for a, b in factors if a * b]
    terms = products[:most]
    if len(products) > most:
        terms.append(r"\dots")
    if bias is not None:
        terms.append(rf"{_signed(bias)} \; (\text{{bias}})")
    if not terms:
        return [f"{name} &= {total}"]
    if len(terms) == 1:  # one line has room for it
        return [f"{name} &= {terms[0]} = {total}"]
    return [f"{name} &= {terms[0]}", *(f"&+ {term}" for term in terms[1:]), f"&= {total}"]


def rounded(number: float, digits: int = 2) -> str:
    """To so many decimals, and never "-0.00"."""
    return f"{round(number, digits) + 0.0:.{digits}f}"


def _signed(number: float) -> str:
    """To two decimals, or four if that is 0, in brackets where it is negative."""
    number = float(number)
    short = f"{(round(number, 2) or round(number, 4)) + 0.0:g}"
    return f"({short})" if short.startswith("-") else short
