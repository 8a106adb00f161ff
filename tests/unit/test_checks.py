"""Laws of the checks, and the full text of every message."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from mha.checks import (
    MOST_TO_DIVIDE,
    divisors,
    nearest_divisors,
    require_axes,
    require_broadcast,
    require_divisible,
    require_finite,
    require_index,
    require_mask,
    require_positive_int,
    require_shape,
    require_whole_number,
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


@given(least=st.integers(-3, 3), number=st.integers(-9, 9))
def test_a_whole_number_may_have_any_least(least, number):
    if number >= least:
        assert require_whole_number("n", number, least=least) == number
        return
    with says(f"n must be a whole number of at least {least}; got n={number}. Try n={least}."):
        require_whole_number("n", number, least=least)


@pytest.mark.parametrize("value", [False, True, 0.0, "0", None])
def test_what_is_no_whole_number_is_refused_even_where_it_equals_zero(value):
    with says(f"n must be a whole number of at least 0; got n={value!r}. Try n=0."):
        require_whole_number("n", value)


@given(length=st.integers(1, 40), value=st.integers(-50, 50))
def test_a_position_lies_inside_and_is_never_counted_from_the_end(length, value):
    if 0 <= value < length:
        for given_as in (value, np.int64(value)):
            assert require_index("key", given_as, length) == value
        return
    with says(
        f"key must be a whole number from 0 to {length - 1}; got key={value}. Try key={length - 1}."
    ):
        require_index("key", value, length)


@pytest.mark.parametrize("value", [True, 1.0, "1", None, np.True_])
def test_what_is_no_position_is_refused(value):
    with says(f"key must be a whole number from 0 to 2; got key={value!r}. Try key=2."):
        require_index("key", value, 3)


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_finite_number_comes_back_as_a_python_float(number):
    for given_as in (number, np.float64(number)):
        returned = require_finite("scale", given_as, instead="scale=1")
        assert returned == number
        assert type(returned) is float


def test_every_kind_of_real_number_is_finite():
    for number in (3, np.int8(3), np.float32(3), Fraction(3)):
        assert require_finite("scale", number, instead="scale=1") == 3.0


@pytest.mark.parametrize(
    "value", [math.nan, math.inf, -math.inf, np.float32("nan"), True, np.True_, "1", None, 1j, [1]]
)
def test_what_is_no_finite_number_is_refused(value):
    with says(f"scale must be a finite number; got scale={value!r}. Try scale=1 or so."):
        require_finite("scale", value, instead="scale=1 or so")


def test_what_was_got_is_shown_however_long_it_is():
    with says("scale must be a finite number; got scale=a number of 16610 bits. Try scale=1."):
        require_finite("scale", 10**5000, instead="scale=1")
    with says("T must be a whole number of at least 1; got T=a number of 16610 bits. Try T=1."):
        require_positive_int("T", -(10**5000))
    with says(f"T must be a whole number of at least 1; got T='{'x' * 78}…. Try T=1."):
        require_positive_int("T", "x" * 1_000_000)


@given(number=numbers)
def test_divisors_are_those_that_divide(number):
    assert divisors(number) == tuple(d for d in range(1, number + 1) if number % d == 0)


@pytest.mark.parametrize("number", [999_999_937, 31_607**2, 10**9, 31_607 * 31_627])
def test_divisors_of_large_numbers_are_exact(number):
    found = divisors(number)
    assert all(number % d == 0 for d in found)
    assert [number // d for d in reversed(found)] == list(found)
    primes = {999_999_937: 2, 31_607**2: 3, 10**9: 100, 31_607 * 31_627: 4}
    assert len(found) == primes[number]


def test_the_work_for_divisors_is_bounded():
    assert MOST_TO_DIVIDE == 10**9
    for call in (divisors, lambda number: nearest_divisors(number, 3)):
        with says(
            "number must be at most 1000000000; got number=1000000001. Try number=1000000000."
        ):
            call(10**9 + 1)
        with says("number must be a whole number of at least 1; got number=0. Try number=1."):
            call(0)
    with says("wanted must be a whole number of at least 1; got wanted=-2. Try wanted=1."):
        nearest_divisors(12, -2)


def test_a_number_too_large_to_search_is_still_refused_by_its_name():
    require_divisible("d_model", 2**80, "n_heads", 2**40)
    with says(
        f"d_model must be divisible by n_heads; got d_model={2**80}, n_heads=3. Try n_heads=1."
    ):
        require_divisible("d_model", 2**80, "n_heads", 3)


@pytest.mark.parametrize(
    ("total", "parts", "message"),
    [
        (8, 0, "n_heads must be a whole number of at least 1; got n_heads=0. Try n_heads=1."),
        (0, 8, "d_model must be a whole number of at least 1; got d_model=0. Try d_model=1."),
        (8, 2.0, "n_heads must be a whole number of at least 1; got n_heads=2.0. Try n_heads=1."),
    ],
)
def test_what_is_no_size_divides_nothing(total, parts, message):
    with says(message):
        require_divisible("d_model", total, "n_heads", parts)


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


@pytest.mark.parametrize(
    ("shape", "axes", "message"),
    [
        (
            (3, 4),
            ("B", "T", "C"),
            "x must have the 3 axes (B, T, C); got x.shape=(3, 4). Try x[None] for a batch of one.",
        ),
        (
            (2, 6, 6),
            ("T_q", "T_k"),
            "x must have the 2 axes (T_q, T_k); got x.shape=(2, 6, 6). "
            "Try x[0] for the first of them.",
        ),
        (
            (6,),
            ("T_q", "T_k"),
            "x must have the 2 axes (T_q, T_k); got x.shape=(6,). Try an array with these axes.",
        ),
        (
            (),
            ("B", "T", "C"),
            "x must have the 3 axes (B, T, C); got x.shape=(). Try an array with these axes.",
        ),
        (
            (2, 3),
            ("T",),
            "x must have the one axis (T); got x.shape=(2, 3). Try x[0] for the first of them.",
        ),
    ],
)
def test_axes_that_are_too_many_or_too_few_are_named(shape, axes, message):
    with says(message):
        require_axes("x", np.zeros(shape), axes)


@given(st.lists(st.integers(0, 4), max_size=4).map(tuple))
def test_the_right_number_of_axes_gives_the_shape(shape):
    assert require_axes("x", np.zeros(shape), tuple("abcd"[: len(shape)])) == shape


@given(st.lists(st.lists(st.integers(0, 3), max_size=3).map(tuple), min_size=1, max_size=4))
def test_leading_axes_broadcast_where_numpy_says_so(leads):
    arrays = {f"x{i}": np.zeros((*lead, 2, i + 1)) for i, lead in enumerate(leads)}
    try:
        np.broadcast_shapes(*leads)
    except ValueError:
        got = ", ".join(f"{name}.shape={array.shape}" for name, array in arrays.items())
        with says(
            "the axes before the last two must be equal, or 1, so that they broadcast; "
            f"got {got}. Try the same leading axes for all."
        ):
            require_broadcast(arrays)
    else:
        require_broadcast(arrays)


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
