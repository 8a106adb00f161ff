"""Where one number of a step's tensor comes from, written out."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from mha.origin import Dot, Given, Index, Same, explain_number
from pages.parts import formula
from pages.parts.formula import rounded
from pages.parts.fused_module.panels import PAIRS, Panel
from pages.parts.weight import show_weight
from pages.parts.words import bold, listed

if TYPE_CHECKING:
    from pages.parts.fused_module.run import Run

_MOST_TERMS = 3
_DIGITS = 4


def show_arithmetic(run: Run, name: str, panel: Panel, row: int, column: int) -> None:
    """The number at this row and column of the panel, under the words that it belongs to."""
    labels, index = run.sentence.labels, panel.index(row, column)
    other = f" → {bold(labels[column])}" if name in PAIRS else f", column {column}"
    st.markdown(f"**{panel.title}** · {bold(labels[row])}{other}")
    match explain_number(run.module, run.steps, name, index):
        case Given() as origin:
            st.markdown(_given(run, index, origin))
        case Same() as origin:
            st.markdown(_same(run, name, index, origin))
        case Dot() as origin:
            _show_sum(run, name, origin)
        case cell:
            show_weight(cell, divisor=run.config.d_head)


def _given(run: Run, index: Index, origin: Given) -> str:
    item, row, column = index
    word = bold(run.sentence.tokens[row])
    return (
        f"{_code('x', index)} = **{_number(origin.value)}**: number {column} of the "
        f"{run.config.d_model} in the vector of {word}. "
        f"The word, the seed {run.seed} and sentence {item} of the batch decide the whole vector, "
        "drawn from the normal distribution; where the word stands adds nothing."
    )


def _same(run: Run, name: str, index: Index, origin: Same) -> str:
    """Which number of which tensor it is, and where that lies in memory."""
    told = [
        f"{_code(name, index)} is {_code(origin.source, origin.source_index)}, "
        f"**{_number(origin.value)}**: nothing is computed."
    ]
    if name in ("k_all", "v_all"):
        head, size = index[1], run.config.group_size
        told.append(f"Query head {head} reads kv head {head} // {size} = {origin.source_index[1]}.")
    if origin.is_view:
        told.append(
            f"It stays where it is in memory: address {origin.address:,}, counted in numbers."
        )
    else:
        told.append(
            f"It was copied from address {origin.source_address:,} to address {origin.address:,} "
            "of new memory, counted in numbers."
        )
    return " ".join(told)


def _show_sum(run: Run, name: str, origin: Dot) -> None:
    left, right = origin.left, origin.right
    told = f"{_code(*left[:2])} · {_code(*right[:2])}: {left.numbers.size} products"
    words = [run.sentence.labels[i] for i in origin.order[:_MOST_TERMS] if name == "z"]
    if words:
        told += f"; the largest weight{'s are' if len(words) > 1 else ' is'} on {listed(words)}"
    st.markdown(f"{told}.")
    factors = zip(left.numbers[origin.order], right.numbers[origin.order], strict=True)
    total = rounded(origin.value, _DIGITS)
    name = rf"\text{{{name}}}"
    formula.show(formula.sum_lines(name, factors, total, most=_MOST_TERMS, bias=origin.bias))


def _number(value: float) -> str:
    return rounded(value, _DIGITS).replace("-", "−")


def _code(name: str, index: tuple[int | None, ...]) -> str:
    """As one writes it in PyTorch, without a space where a line might break: `x[0,5,:]`."""
    places = ",".join(":" if place is None else str(place) for place in index)
    return f"`{name}[{places}]`"
