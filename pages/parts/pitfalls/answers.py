"""What two functions return, as two pictures on one scale, with the differing numbers outlined."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
import streamlit as st

from mha import charts, tables
from pages.parts import look
from pages.parts.words import plain

if TYPE_CHECKING:
    from mha.pitfalls import Answer, Outcome, Pitfall

MOST_ROWS = 18


def draw(pitfall: Pitfall, outcome: Outcome, titles: dict[str, str]) -> None:
    """Both answers, side by side.

    Args:
        titles: over "wrong" and "right", in the order in which they are drawn.
    """
    for (which, title), place in zip(titles.items(), st.columns(2, gap="large"), strict=True):
        with place:
            _draw_one(pitfall, outcome, which, title)


def _draw_one(pitfall: Pitfall, outcome: Outcome, which: str, title: str) -> None:
    answer = getattr(outcome, which)
    if answer.values is None:
        st.markdown(title)
        st.info(f"It raises **{plain(answer.error)}**", icon=":material/bolt:")
        return
    axes = axes_of(pitfall, which)
    st.markdown(f"{title} {plain(sizes_of(answer, axes))}")
    table, shape = table_of(answer.values, axes, outcome.differs, _largest(outcome))
    is_weights = pitfall.shows == "weights"
    table = charts.with_ink(table, "value" if is_weights else "shade", look.theme())
    spec = charts.matrix_spec(*shape, look.theme(), signed=not is_weights, outlined=True)
    look.picture(
        table, spec | look.tall(shape[0]), alt=f"{title.strip('*')}, as a grid: {outcome.summary}."
    )
    n_rows = answer.values.size // max(1, answer.values.shape[-1])
    if n_rows > shape[0]:
        st.markdown(f"The first {shape[0]} of {n_rows:,} rows. {_not_drawn(outcome, shape[0])}")


def _not_drawn(outcome: Outcome, n_drawn: int) -> str:
    """What the rows that are not drawn hide, in a sentence."""
    if outcome.differs is None:
        return "The others are not drawn."
    rows = outcome.differs.reshape(-1, outcome.differs.shape[-1])
    hidden = int(rows[n_drawn:].sum())
    if not hidden:
        return "In those that are not drawn, nothing differs."
    are = "number lies" if hidden == 1 else "numbers lie"
    return f"**{hidden:,} of the differing {are} in those that are not drawn.**"


def axes_of(pitfall: Pitfall, which: str) -> tuple[str, ...]:
    return (pitfall.wrong_axes if which == "wrong" else None) or pitfall.axes


def sizes_of(answer: Answer, axes: tuple[str, ...]) -> str:
    """The shape with its axes' names: `B 1, h 3, T 4, d_head 2`."""
    shape = answer.values.shape
    if not all(map(str.isidentifier, axes)) and len(axes) == 1:
        return f"({axes[0]})"
    return f"({', '.join(f'{axis} {size}' for axis, size in zip(axes, shape, strict=True))})"


def table_of(
    values: np.ndarray, axes: tuple[str, ...], differs: np.ndarray | None, largest: float
) -> tuple[pd.DataFrame, tuple[int, int]]:
    """An array as a matrix: the last axis across, all others down, and its shape.

    What is 0 or no number is written too: here it may be what is wrong.

    Args:
        differs: of the shape of `values`; None where there is nothing to compare one by one.
        largest: the absolute value at the end of the scale.
    """
    matrix = values.reshape(-1, values.shape[-1])[:MOST_ROWS].astype(float)
    row_names = _names_down(values.shape, axes)[:MOST_ROWS]
    table = tables.matrix_table(matrix, row_names, _names_across(values.shape[-1], axes[-1]))
    if differs is None:
        table["chosen"] = False
    else:
        table["chosen"] = differs.reshape(-1, values.shape[-1])[:MOST_ROWS].ravel()
    numbers = table["value"].to_numpy()
    table["text"] = [
        _written(number, short) for number, short in zip(numbers, table["text"], strict=True)
    ]
    table["shade"] = np.nan_to_num(np.clip(numbers / largest, -1, 1))
    return table, matrix.shape


def _written(number: float, short: str) -> str:
    """Whole numbers in full, since a count may differ in its last digit."""
    if np.isnan(number):
        return "NaN"
    is_whole = np.isfinite(number) and number == round(number)
    return f"{number + 0.0:,.0f}" if is_whole else short  # never "-0"


def _names_down(shape: tuple[int, ...], axes: tuple[str, ...]) -> list[str]:
    """A name for each row: the places on all axes but the last, without those of one place."""
    names = [axis.replace(" ", "") for axis in axes[:-1]]
    told = [i for i, n in enumerate(shape[:-1]) if n > 1] or range(len(names))[-1:]
    return [" ".join(f"{names[i]}{at[i]}" for i in told) for at in np.ndindex(*shape[:-1])]


def _names_across(n: int, axis: str) -> list[str]:
    """A name for each column: its own, where the axis lists them, or its place on the axis."""
    if n == 1:
        return [axis]
    for listed in (re.split(", | and ", axis), axis.split(", ", n - 1)):
        if len(listed) == n:
            return listed
    return [f"{axis}{i}" if axis.isidentifier() else str(i) for i in range(n)]


def _largest(outcome: Outcome) -> float:
    """The largest finite absolute value of both answers, so that one colour is one number."""
    both = [a.values.astype(float) for a in (outcome.wrong, outcome.right) if a.values is not None]
    return max((np.abs(v[np.isfinite(v)]).max(initial=0) for v in both), default=0) or 1.0
