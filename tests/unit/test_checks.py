"""Laws of the checks, and the full text of every message."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from mha.checks import (
    divisors,
    nearest_divisors,
    require_divisible,
    require_mask,
    require_positive_int,
    require_shape,
)
from tests.unit.draw import patient, seeds
from tests.unit.says import says

numbers = st.integers(1, 3000)


@given(number=numbers)
def test_a_positive_int_comes_back_as_a_python_int(number):
    for given_as in (number, np.int64(number), np.array(number)):
        returned = require_positive_int("T", given_as)
        assert returned == number
        assert type(returned) is int


@pytest.mark.parametrize(
    "value", [0, -1, True, False, np.True_, 1.0, np.float64(2), "3", None, [4], 1e99, float("nan")]
)
def test_what_is_no_positive_int_is_refused(value):
    with says(
        f"n_heads must be a whole number of at least 1; got n_heads={value!r}. Try n_heads=1."
    ):
        require_positive_int("n_heads", value)


def test_a_limit_is_kept_to():
    assert require_positive_int("T", 512, most=512) == 512
    with says("T must be at most 512; got T=513. Try T=512."):
        require_positive_int("T", 513, most=512)


@given(number=numbers)
def test_divisors_are_those_that_divide(number):
    assert divisors(number) == tuple(d for d in range(1, number + 1) if number % d == 0)


@given(number=numbers, wanted=numbers)
@example(number=10, wanted=4)
@example(number=8, wanted=3)
def test_nearest_divisors_lie_on_either_side_and_the_nearer_comes_first(number, wanted):
    dividing = [d for d in range(1, number + 1) if number % d == 0]
    below = [d for d in dividing if d < wanted]
    above = [d for d in dividing if d > wanted]
    nearest = nearest_divisors(number, wanted)
    if wanted in dividing:
        assert nearest == (wanted,)
    else:
        assert sorted(nearest) == below[-1:] + above[:1]
        distances = [(abs(d - wanted), d) for d in nearest]
        assert distances == sorted(distances)


@given(total=numbers, parts=numbers)
def test_only_divisors_divide_and_the_message_names_the_nearest(total, parts):
    if total % parts == 0:
        require_divisible("d_model", total, "n_heads", parts)
        return
    nearest = sorted(nearest_divisors(total, parts))
    with says(
        f"d_model must be divisible by n_heads; got d_model={total}, n_heads={parts}. "
        f"Try n_heads={' or '.join(map(str, nearest))}."
    ):
        require_divisible("d_model", total, "n_heads", parts)
    for number in nearest:
        require_divisible("d_model", total, "n_heads", number)


@pytest.mark.parametrize(
    ("d_model", "n_heads", "tries"), [(10, 3, "2 or 5"), (1600, 48, "40 or 50"), (8, 9, "8")]
)
def test_sizes_that_do_not_fit_are_named_with_those_that_do(d_model, n_heads, tries):
    with says(
        f"d_model must be divisible by n_heads; got d_model={d_model}, n_heads={n_heads}. "
        f"Try n_heads={tries}."
    ):
        require_divisible("d_model", d_model, "n_heads", n_heads)


@given(
    shape=st.lists(st.integers(0, 3), max_size=4).map(tuple),
    wanted=st.lists(st.none() | st.integers(0, 3), min_size=1, max_size=3).map(tuple),
)
def test_a_shape_fits_where_its_last_axes_do(shape, wanted):
    last = shape[-len(wanted) :]
    fits = len(shape) >= len(wanted) and all(
        w in (None, length) for w, length in zip(wanted, last, strict=True)
    )
    if fits:
        require_shape("k", np.zeros(shape), wanted)
        return
    axes = ", ".join("any" if w is None else str(w) for w in wanted)
    with says(
        f"k must have a shape that ends in ({axes}); "
        f"got k.shape={shape}. Try an array whose last {len(wanted)} axes are these."
    ):
        require_shape("k", np.zeros(shape), wanted)


def test_a_shape_that_does_not_fit_is_named():
    with says(
        "k must have a shape that ends in (any, 4); got k.shape=(2, 5, 3). "
        "Try an array whose last 2 axes are these."
    ):
        require_shape("k", np.zeros((2, 5, 3)), (None, 4))


@given(B=st.integers(1, 3), T_q=st.integers(1, 4), T_k=st.integers(1, 4), seed=seeds)
@patient
def test_a_mask_is_refused_where_some_query_sees_nothing_and_its_first_row_is_named(
    B, T_q, T_k, seed
):
    mask = np.random.default_rng(seed).random((B, T_q, T_k)) < 0.5
    blind = [i for b in range(B) for i in range(T_q) if not any(mask[b, i])]
    if not blind:
        require_mask(mask, T_q, T_k)
        return
    row = blind[0]
    with says(
        f"every query must be allowed to look at one key at least; got row {row} of the mask all "
        f"False. Try mask[..., {row}, {min(row, T_k - 1)}] = True."
    ):
        require_mask(mask, T_q, T_k)


@pytest.mark.parametrize("dtype", ["float64", "int64", "uint8"])
def test_a_mask_that_is_not_bool_is_refused(dtype):
    with says(
        f"mask must be bool, True where a query may look; got dtype={dtype}. "
        "Try mask.astype(bool) if 1 means 'may look', or mask == 0 for a mask that is added."
    ):
        require_mask(np.ones((2, 2), dtype), 2, 2)


def test_a_mask_of_another_shape_is_refused():
    with says(
        "mask must have a shape that ends in (3, 3); got mask.shape=(2, 3). "
        "Try an array whose last 2 axes are these."
    ):
        require_mask(np.ones((2, 3), bool), 3, 3)
