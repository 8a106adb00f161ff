"""What is wrong with a mask, where a causal one was meant, and with the axes that it has.

Each finding is for one function: bool means opposite things to the two, and so do three axes.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

Function = Literal["scaled_dot_product_attention", "nn.MultiheadAttention"]
Counts = Literal["sequences", "heads", "sequences * heads"]
Problem = Literal[
    "axes that it reads otherwise",
    "upside down",
    "off by one",
    "added instead of applied",
    "a row that sees nothing",
    "not aligned to the cache",
]
SDPA, MODULE = FUNCTIONS = get_args(Function)
A_SEQUENCE, A_HEAD, BOTH = COUNTS = get_args(Counts)
PROBLEMS: tuple[Problem, ...] = get_args(Problem)
OTHER_AXES, UPSIDE_DOWN, OFF_BY_ONE, WAS_ADDED, EMPTY_ROW, MISALIGNED = PROBLEMS


@dataclass(frozen=True)
class Finding:
    """One thing that is wrong. problem: its name. says: what it does, and what to try."""

    problem: Problem
    says: str


def axes_findings(function: Function, shape: tuple[int, ...], counts: Counts) -> Iterator[Finding]:
    """Whether the function reads the axes before (T_q, T_k) as they are meant.

    Args:
        shape: of the whole mask.
        counts: what the first of three axes counts. Two or four axes leave no doubt.
    """
    if function == SDPA:
        if len(shape) == 3 and shape[0] > 1 and counts != A_HEAD:
            wanted, instead = {
                A_SEQUENCE: ("(B, 1, T_q, T_k)", "mask[:, None]"),
                BOTH: ("(B, h, T_q, T_k)", "mask.view(B, h, T_q, T_k)"),
            }[counts]
            yield Finding(
                OTHER_AXES,
                f"a mask that differs by sequence must be {wanted} for a q of "
                f"(B, h, T_q, d_head); got {shape}, whose first axis is taken for heads. "
                f"Try {instead}.",
            )
    elif len(shape) == 4:
        yield Finding(
            OTHER_AXES,
            f"a mask must have two axes, or be (B * h, T_q, T_k), sequence by sequence; got "
            f"{shape}, which raises. Try mask.expand(B, h, T_q, T_k).flatten(0, 1).",
        )
    elif len(shape) == 3 and counts != BOTH:
        each, instead = {
            A_SEQUENCE: ("sequence", "mask.repeat_interleave(h, dim=0)"),
            A_HEAD: ("head", "mask.repeat(B, 1, 1)"),
        }[counts]
        yield Finding(
            OTHER_AXES,
            f"a mask of three axes must be (B * h, T_q, T_k), sequence by sequence; got {shape}, a "
            f"matrix for each {each}. Try {instead}.",
        )


def matrix_findings(function: Function, values: np.ndarray, sees: np.ndarray) -> Iterator[Finding]:
    """What is wrong with one matrix (T_q, T_k), if it is meant to be causal.

    Args:
        values: as the function gets them, bool or float.
        sees: bool, where a query may look.
    """
    if values.dtype != bool and (values == 1).any():
        ones = values == 1
        means_hidden = (ones & ~causal(ones)).sum() > (ones & causal(ones)).sum()
        if function == SDPA:
            instead = "mask == 0, since True shows here" if means_hidden else "mask.bool()"
        else:
            instead = "mask.bool()" if means_hidden else "mask == 0, since True hides here"
        yield Finding(
            WAS_ADDED,
            f"a mask of 0 and 1 must be bool to hide anything; got floating point numbers, which "
            f"are added: a score that gets 1 weighs e times as much. Try {instead}.",
        )
    yield from _shape_findings(function, values, sees)
    empty = np.flatnonzero(~sees.any(axis=1))
    if len(empty):
        rows = ("row " if len(empty) == 1 else "rows ") + ", ".join(map(str, empty))
        yield Finding(
            EMPTY_ROW,
            f"every query must see one key at least; got {rows} of the mask with none, counted "
            f"from 0. Try to let it see its own token.",
        )


def _shape_findings(function: Function, values: np.ndarray, sees: np.ndarray) -> Iterator[Finding]:
    """How the mask departs from a causal one; nothing where it is no such triangle at all."""
    T_q, T_k = sees.shape
    if T_k < T_q:
        return
    upside_down, diagonal = triangle(sees)
    cached = T_k - T_q
    if upside_down:
        instead = "~mask" if values.dtype == bool else "0 where it has -inf, and -inf where 0"
        yield Finding(
            UPSIDE_DOWN,
            f"a query must see what came before it; got a mask by which {function} hides that "
            f"and shows the rest. Try {instead}.",
        )
    if diagonal is None or diagonal == cached:
        return
    got = "got, once turned," if upside_down else "got"
    if cached and diagonal == 0:
        yield Finding(
            MISALIGNED,
            f"the last query must see all {T_k} keys; {got} a triangle aligned top left, whose "
            f"last row ends after {T_q}. Try tril(T_k - T_q), here tril({cached}).",
        )
    else:
        does = "hides that token too" if diagonal < cached else "shows the token after it as well"
        yield Finding(
            OFF_BY_ONE,
            f"a query must see what came before and its own token; {got} a triangle that {does}. "
            f"Try tril({cached}) for what may be seen, or triu({cached + 1}) for what may not.",
        )


def causal(sees: np.ndarray) -> np.ndarray:
    """The causal mask of this shape, aligned to the end."""
    T_q, T_k = sees.shape
    return np.tri(T_q, T_k, T_k - T_q, dtype=bool)


def triangle(sees: np.ndarray) -> tuple[bool, int | None]:
    """Whether the mask is upside down, and the last diagonal that is seen when turned right.

    The likeliest reading comes first: right, upside down, aligned top left as without a cache, one
    off. None where the mask is no triangle of these, as one that hides all or nothing is none.
    """
    T_q, T_k = sees.shape
    cached = T_k - T_q
    is_plain = sees.all() or not sees.any()
    for diagonal in (cached,) if is_plain else (cached, 0, cached - 1, cached + 1):
        lower = np.tri(T_q, T_k, diagonal, dtype=bool)
        for upside_down in (False, True):
            if np.array_equal(sees, lower ^ upside_down):
                return upside_down, diagonal
    return False, None
