"""Laws of attention in NumPy, to which everything else is held."""

from __future__ import annotations

import math
import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mha.reference import attend, causal_mask, explain_weight, softmax
from tests.unit.draw import Ts, d_heads, dtypes, leads, masks, normal, patient, seeds, tolerance
from tests.unit.says import says

T, F = True, False


def same(a, b, dtype=np.float64) -> None:
    """Assert that two arrays agree in shape, dtype and numbers."""
    assert a.shape == b.shape
    assert a.dtype == b.dtype == dtype
    np.testing.assert_allclose(a, b, rtol=tolerance(dtype), atol=tolerance(dtype))


def same_trace(a, b, dtype=np.float64) -> None:
    for ours, theirs in zip(a, b, strict=True):
        same(ours, theirs, dtype)


# The causal mask


def test_the_causal_mask_is_this_picture():
    assert causal_mask(4).tolist() == [
        [T, F, F, F],
        [T, T, F, F],
        [T, T, T, F],
        [T, T, T, T],
    ]
    assert causal_mask(2, 5).tolist() == [
        [T, T, T, T, F],
        [T, T, T, T, T],
    ]
    assert causal_mask(1, 3).tolist() == [[T, T, T]]


@given(T_q=Ts, waiting=st.integers(0, 5))
def test_the_queries_are_the_last_positions(T_q, waiting):
    T_k = T_q + waiting
    mask = causal_mask(T_q, T_k)
    assert mask.dtype == bool
    assert np.array_equal(mask, causal_mask(T_k)[waiting:])
    for i in range(T_q):
        assert np.flatnonzero(mask[i]).tolist() == list(range(waiting + i + 1))


@pytest.mark.parametrize(
    ("lengths", "message"),
    [
        (
            (3, 2),
            "a causal mask needs at least as many keys as queries; got T_q=3, T_k=2. Try T_k=3.",
        ),
        ((0,), "T_q must be a whole number of at least 1; got T_q=0. Try T_q=1."),
        ((1, 0), "T_k must be a whole number of at least 1; got T_k=0. Try T_k=1."),
        ((2.0,), "T_q must be a whole number of at least 1; got T_q=2.0. Try T_q=1."),
    ],
)
def test_a_causal_mask_that_cannot_be_is_refused(lengths, message):
    with says(message):
        causal_mask(*lengths)


def test_one_query_with_a_cache_of_five_keys_averages_all_five():
    q, k = np.zeros((1, 2)), np.zeros((5, 2))
    assert attend(q, k, k, mask=causal_mask(1, 5)).weights.tolist() == [[0.2] * 5]


def test_the_first_of_equal_tokens_sees_itself_alone():
    q = np.zeros((3, 2))
    weights = attend(q, q, q, mask=causal_mask(3)).weights
    assert weights[0].tolist() == [1, 0, 0]
    assert weights[1].tolist() == [0.5, 0.5, 0]


# Softmax


@given(lead=leads, T_k=Ts, seed=seeds, dtype=dtypes, size=st.sampled_from([1e-4, 1.0, 1e2, 1e4]))
@patient
def test_softmax_sums_to_one_and_never_overflows(lead, T_k, seed, dtype, size):
    scores = np.random.default_rng(seed).uniform(-size, size, (*lead, T_k)).astype(dtype)
    with warnings.catch_warnings(), np.errstate(over="raise", invalid="raise", divide="raise"):
        warnings.simplefilter("error")
        weights = softmax(scores)
    assert weights.dtype == dtype
    assert (weights >= 0).all()
    np.testing.assert_allclose(weights.sum(-1), 1, atol=tolerance(dtype))


def test_softmax_of_the_largest_and_smallest_scores_together():
    weights = softmax(np.array([1e4, -1e4, 1e4 - math.log(3), -np.inf]))
    np.testing.assert_allclose(weights, [0.75, 0, 0.25, 0], atol=1e-11)
    assert weights[3] == 0


@given(T_k=Ts, seed=seeds)
def test_softmax_is_each_exponential_over_their_sum(T_k, seed):
    (scores,) = normal(seed, (T_k,))
    exponentials = [math.exp(s) for s in scores]
    expected = [e / math.fsum(exponentials) for e in exponentials]
    np.testing.assert_allclose(softmax(scores), expected, rtol=1e-12)


@given(T_q=Ts, T_k=Ts, seed=seeds, shift=st.floats(-100, 100))
def test_a_shift_of_every_score_changes_nothing(T_q, T_k, seed, shift):
    (scores,) = normal(seed, (T_q, T_k))
    same(softmax(scores + shift), softmax(scores))


@given(shape=st.tuples(Ts, Ts, Ts), axis=st.integers(-3, 2), seed=seeds)
def test_softmax_along_any_axis_is_the_last_axis_turned(shape, axis, seed):
    (scores,) = normal(seed, shape)
    same(softmax(scores, axis=axis), np.moveaxis(softmax(np.moveaxis(scores, axis, -1)), -1, axis))


@pytest.mark.parametrize(
    ("scores", "row"),
    [
        ([-np.inf], 0),
        ([[0, 1], [-np.inf, -np.inf]], 1),
        ([[[0, 1], [0, 1], [0, -np.inf]], [[0, 1], [0, 1], [-np.inf, -np.inf]]], 2),
    ],
)
def test_softmax_of_nothing_is_refused_and_the_row_named(scores, row):
    with says(
        f"softmax needs one score above -inf in every row; got row {row} all -inf. "
        f"Try a mask that leaves row {row} something to look at."
    ):
        softmax(np.array(scores))


# Shapes and dtypes


@st.composite
def inputs(draw, dtype=None, masked=True):
    """q, k, v and a mask that fit each other, with the dtype of all three."""
    lead, T_q, T_k, d_head, d_v = (draw(s) for s in (leads, Ts, Ts, d_heads, d_heads))
    dtype = draw(dtypes) if dtype is None else dtype
    q, k, v = normal(
        draw(seeds), (*lead, T_q, d_head), (*lead, T_k, d_head), (*lead, T_k, d_v), dtype=dtype
    )
    mask = draw(masks(T_q, T_k, draw(st.sampled_from([(), lead])))) if masked else None
    return q, k, v, mask


@given(inputs())
@patient
def test_all_heads_at_once_equal_a_loop_over_single_heads(drawn):
    q, k, v, mask = drawn
    trace = attend(q, k, v, mask=mask)
    *lead, T_q, _ = q.shape
    T_k, d_v = v.shape[-2:]
    assert trace.scores.shape == trace.weights.shape == (*lead, T_q, T_k)
    assert trace.z.shape == (*lead, T_q, d_v)
    for at in np.ndindex(*lead):
        its_mask = mask if mask is None or mask.ndim == 2 else mask[at]
        single = attend(q[at], k[at], v[at], mask=its_mask)
        same_trace([part[at] for part in trace], single, q.dtype)


@given(inputs(dtype=np.float64))
@patient
def test_every_number_is_the_formulas(drawn):
    q, k, v, mask = drawn
    trace = attend(q, k, v, mask=mask)
    *lead, T_q, d_head = q.shape
    T_k = k.shape[-2]
    may_look = np.broadcast_to(T if mask is None else mask, (*lead, T_q, T_k))
    for at in np.ndindex(*lead, T_q):
        here = at[:-1]
        scores = [
            math.fsum(q[at] * k[(*here, j)]) / math.sqrt(d_head) if may_look[(*at, j)] else -np.inf
            for j in range(T_k)
        ]
        exponentials = [math.exp(score) for score in scores]
        weights = [e / math.fsum(exponentials) for e in exponentials]
        np.testing.assert_allclose(trace.scores[at], scores, atol=1e-12)
        np.testing.assert_allclose(trace.weights[at], weights, atol=1e-12)
        z = [math.fsum(column) for column in np.multiply(weights, v[here].T)]
        np.testing.assert_allclose(trace.z[at], z, atol=1e-12)


@given(inputs())
@patient
def test_every_row_sums_to_one(drawn):
    q, k, v, mask = drawn
    weights = attend(q, k, v, mask=mask).weights
    assert (weights >= 0).all()
    np.testing.assert_allclose(weights.sum(-1), 1, atol=tolerance(q.dtype))


@given(B=st.integers(1, 3), h=st.integers(1, 3), T_q=Ts, T_k=Ts, d_head=d_heads, seed=seeds)
@patient
def test_leading_axes_broadcast(B, h, T_q, T_k, d_head, seed):
    shapes = ((B, h, T_q, d_head), (h, T_k, d_head), (B, 1, T_k, d_head))
    q, k, v = normal(seed, *shapes)
    whole = (B, h, T_k, d_head)
    trace = attend(q, np.broadcast_to(k, whole), np.broadcast_to(v, whole))
    same_trace(attend(q, k, v), trace)


@given(B=st.integers(1, 3), T_q=Ts, T_k=Ts, seed=seeds)
@patient
def test_several_masks_over_one_head_give_a_trace_each(B, T_q, T_k, seed):
    q, k, v = normal(seed, (T_q, 4), (T_k, 4), (T_k, 4))
    several = np.random.default_rng(seed).random((B, T_q, T_k)) < 0.5
    several[..., 0] = True
    trace = attend(q, k, v, mask=several)
    for b in range(B):
        same_trace([part[b] for part in trace], attend(q, k, v, mask=several[b]))


@given(inputs())
@patient
def test_float32_and_float64_keep_their_dtype(drawn):
    q, k, v, mask = drawn
    for scale in (None, 0.5, np.float64(0.5)):
        trace = attend(q, k, v, mask=mask, scale=scale)
        assert {part.dtype for part in trace} == {q.dtype}


@given(T_q=Ts, T_k=Ts, d_head=d_heads, seed=seeds)
@patient
def test_whole_numbers_become_float64(T_q, T_k, d_head, seed):
    generator = np.random.default_rng(seed)
    q, k, v = (generator.integers(-3, 4, (n, d_head)) for n in (T_q, T_k, T_k))
    expected = attend(*(array.astype(np.float64) for array in (q, k, v)))
    for dtype in (np.int64, np.int8):
        same_trace(attend(*(array.astype(dtype) for array in (q, k, v))), expected)
    same_trace(attend(q.tolist(), k.tolist(), v.tolist()), expected)


@given(inputs())
@patient
def test_attend_leaves_its_inputs_alone(drawn):
    copies = [None if array is None else array.copy() for array in drawn]
    q, k, v, mask = drawn
    attend(q, k, v, mask=mask)
    for array, copy in zip(drawn, copies, strict=True):
        assert array is None or np.array_equal(array, copy)


# Laws of attention


@given(inputs(dtype=np.float64), seeds)
@patient
def test_the_order_of_the_keys_changes_nothing_but_their_order(drawn, seed):
    q, k, v, mask = drawn
    order = np.random.default_rng(seed).permutation(k.shape[-2])
    trace = attend(q, k, v, mask=mask)
    mask = None if mask is None else mask[..., order]
    turned = attend(q, k[..., order, :], v[..., order, :], mask=mask)
    same(turned.scores, trace.scores[..., order])
    same(turned.weights, trace.weights[..., order])
    same(turned.z, trace.z)


@given(inputs(dtype=np.float64), seeds)
@patient
def test_every_query_is_answered_for_itself(drawn, seed):
    q, k, v, mask = drawn
    order = np.random.default_rng(seed).permutation(q.shape[-2])
    trace = attend(q, k, v, mask=mask)
    mask = None if mask is None else mask[..., order, :]
    turned = attend(q[..., order, :], k, v, mask=mask)
    same_trace(turned, [part[..., order, :] for part in trace])


@given(inputs())
@patient
def test_what_is_masked_weighs_exactly_nothing_and_what_is_not_is_as_if_alone(drawn):
    q, k, v, mask = drawn
    if mask is None:
        mask = np.ones((q.shape[-2], k.shape[-2]), bool)
    trace = attend(q, k, v, mask=mask)
    mask = np.broadcast_to(mask, trace.weights.shape)
    assert (trace.weights[~mask] == 0).all()
    assert (trace.scores[~mask] == -np.inf).all()
    assert np.isfinite(trace.scores[mask]).all()
    for *at, i in np.ndindex(mask.shape[:-1]):
        at = tuple(at)
        seen = mask[at][i]
        alone = attend(q[at][i : i + 1], k[at][seen], v[at][seen])
        same(trace.weights[at][i : i + 1, seen], alone.weights, q.dtype)
        same(trace.z[at][i : i + 1], alone.z, q.dtype)


@given(length=st.integers(2, 9), d_head=d_heads, seed=seeds, data=st.data())
@patient
def test_future_tokens_change_nothing(length, d_head, seed, data):
    q, k, v, other_k, other_v = normal(seed, *[(length, d_head)] * 5)
    now = data.draw(st.integers(1, length - 1))
    other_k[:now], other_v[:now] = k[:now], v[:now]
    before = attend(q, k, v, mask=causal_mask(length))
    after = attend(q, other_k, other_v, mask=causal_mask(length))
    assert np.array_equal(before.weights[:now], after.weights[:now])
    same(before.z[:now], after.z[:now])
    assert not np.allclose(before.weights[now:], after.weights[now:])


@given(waiting=st.integers(0, 5), T_q=Ts, d_head=d_heads, seed=seeds)
@patient
def test_a_cache_gives_the_last_rows_of_the_whole(waiting, T_q, d_head, seed):
    T_k = waiting + T_q
    q, k, v = normal(seed, *[(T_k, d_head)] * 3)
    whole = attend(q, k, v, mask=causal_mask(T_k))
    same_trace(
        attend(q[waiting:], k, v, mask=causal_mask(T_q, T_k)), [part[waiting:] for part in whole]
    )


@given(inputs(dtype=np.float64))
@patient
def test_z_is_a_mean_of_the_values(drawn):
    q, k, v, mask = drawn
    z = attend(q, k, v, mask=mask).z
    assert (z <= v.max(axis=-2, keepdims=True) + 1e-12).all()
    assert (z >= v.min(axis=-2, keepdims=True) - 1e-12).all()
    same(attend(q, k, np.ones_like(v), mask=mask).z, np.ones_like(z))


# NaN and infinity


@given(inputs(dtype=np.float64), st.sampled_from("qk"), st.data())
@patient
def test_nan_in_a_query_or_a_key_reaches_the_rows_that_may_look_at_it_and_no_other(
    drawn, which, data
):
    q, k, v, mask = drawn
    at = (0,) * (q.ndim - 2)
    q, k, v, mask = q[at], k[at], v[at], mask if mask is None or mask.ndim == 2 else mask[at]
    may_look = np.ones((len(q), len(k)), bool) if mask is None else mask
    before = attend(q, k, v, mask=mask)
    spoilt = {"q": q, "k": k}[which]
    place = data.draw(st.integers(0, len(spoilt) - 1))
    spoilt[place] = np.nan
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        after = attend(q, k, v, mask=mask)
    reached = np.arange(len(q)) == place if which == "q" else may_look[:, place]
    assert np.isnan(after.weights[reached]).all()
    assert np.isnan(after.z[reached]).all()
    same(after.weights[~reached], before.weights[~reached])
    same(after.z[~reached], before.z[~reached])


def test_nan_in_a_value_reaches_every_query_since_nothing_times_nan_is_nan():
    q, k, v = normal(0, (3, 2), (3, 2), (3, 2))
    v[2, 0] = np.nan
    trace = attend(q, k, v, mask=causal_mask(3))
    assert np.isnan(trace.z[:, 0]).all()
    assert np.isfinite(trace.z[:, 1]).all()
    assert np.isfinite(trace.weights).all()


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_softmax_of_nan_or_of_infinity_is_nan_and_never_called_all_minus_infinity(bad):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        weights = softmax(np.array([[bad, -np.inf], [0.0, 0.0], [bad, bad]]))
    assert np.isnan(weights).tolist() == [[T, T], [F, F], [T, T]]


@pytest.mark.parametrize("shape", [(), (0,), (3, 0)])
def test_softmax_of_no_scores_is_refused(shape):
    with says(
        f"softmax needs one score at least in every row; got scores.shape={shape}. "
        "Try a row of one score, whose weight is 1."
    ):
        softmax(np.zeros(shape))


def test_a_batch_of_nothing_has_a_trace_of_nothing():
    trace = attend(np.zeros((0, 3, 2)), np.zeros((0, 4, 2)), np.zeros((0, 4, 5)))
    assert [part.shape for part in trace] == [(0, 3, 4), (0, 3, 4), (0, 3, 5)]


# Scale


@given(inputs(dtype=np.float64))
@patient
def test_the_scale_is_one_over_the_root_of_d_head_unless_told(drawn):
    q, k, v, mask = drawn
    trace = attend(q, k, v, mask=mask)
    same_trace(trace, attend(q, k, v, mask=mask, scale=1 / math.sqrt(q.shape[-1])))
    same_trace(attend(q, k, v, mask=mask, scale=0.3), attend(0.3 * q, k, v, mask=mask, scale=1.0))


@pytest.mark.parametrize("d_head", [16, 64, 256])
def test_scores_of_unit_variance_stay_near_one_by_the_root_of_d_head(d_head):
    q, k = normal(0, (400, d_head), (400, d_head))
    assert attend(q, k, k).scores.std() == pytest.approx(1, abs=0.05)


def test_the_root_of_d_model_makes_scores_too_small():
    q, k = normal(0, (8, 200, 64), (8, 200, 64))
    wrong = attend(q, k, k, scale=1 / math.sqrt(512)).scores.std()
    assert wrong == pytest.approx(0.36, abs=0.02)
    assert attend(q, k, k).scores.std() == pytest.approx(1, abs=0.02)


def test_attend_is_stable_where_scores_reach_ten_thousand():
    q, k = np.array([[1e4]], np.float32), np.array([[1.0], [-1.0], [1.0]], np.float32)
    with warnings.catch_warnings(), np.errstate(over="raise", invalid="raise", divide="raise"):
        warnings.simplefilter("error")
        trace = attend(q, k, k)
    assert trace.scores.tolist() == [[1e4, -1e4, 1e4]]
    assert trace.weights.tolist() == [[0.5, 0, 0.5]]


# The arithmetic of one weight


@given(inputs(dtype=np.float64), st.floats(0.1, 2), st.data())
@patient
def test_the_arithmetic_of_a_weight_adds_up_to_it(drawn, scale, data):
    q, k, v, mask = drawn
    at = (0,) * (q.ndim - 2)
    q, k, v, mask = q[at], k[at], v[at], mask if mask is None or mask.ndim == 2 else mask[at]
    trace = attend(q, k, v, mask=mask, scale=scale)
    query, key = data.draw(st.integers(0, len(q) - 1)), data.draw(st.integers(0, len(k) - 1))
    one = explain_weight(q, k, trace, query, key)
    assert np.array_equal(one.q, q[query])
    assert np.array_equal(one.k, k[key])
    assert one.dot == pytest.approx(math.fsum(q[query] * k[key]), abs=1e-12)
    if mask is None or mask[query, key]:
        assert one.score == pytest.approx(one.dot * scale, abs=1e-12)
    else:
        assert one.score == -math.inf
    assert one.largest == max(trace.scores[query])
    assert one.exponential == pytest.approx(math.exp(one.score - one.largest), abs=1e-12)
    row = [explain_weight(q, k, trace, query, j).exponential for j in range(len(k))]
    assert one.row_sum == pytest.approx(math.fsum(row), abs=1e-12)
    assert one.weight == trace.weights[query, key]
    assert one.weight == pytest.approx(one.exponential / one.row_sum, abs=1e-12)
    assert {type(number) for number in one[2:]} == {float}


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"query": 3}, "query must be a whole number from 0 to 2; got query=3. Try query=2."),
        ({"query": -1}, "query must be a whole number from 0 to 2; got query=-1. Try query=2."),
        ({"query": True}, "query must be a whole number from 0 to 2; got query=True. Try query=2."),
        ({"key": 4}, "key must be a whole number from 0 to 3; got key=4. Try key=3."),
        ({"key": None}, "key must be a whole number from 0 to 3; got key=None. Try key=3."),
        (
            {"q": np.zeros((1, 3, 2))},
            "q must have the 2 axes (T_q, d_head); got q.shape=(1, 3, 2). "
            "Try q[0] for the first of them.",
        ),
        (
            {"k": np.zeros((3, 2))},
            "scores must have a shape that ends in (3, 3); got scores.shape=(3, 4). "
            "Try an array whose last 2 axes are these.",
        ),
    ],
)
def test_a_cell_that_is_not_there_has_no_arithmetic(given, message):
    q, k, v = normal(0, (3, 2), (4, 2), (4, 2))
    with says(message):
        explain_weight(**{"q": q, "k": k, "trace": attend(q, k, v), "query": 0, "key": 0, **given})


# Errors


def hides(*rows: list[bool]):
    x = np.zeros((len(rows), 2))
    return lambda: attend(x, np.zeros((len(rows[0]), 2)), np.zeros((len(rows[0]), 2)), mask=rows)


def shaped(q, k, v, **more):
    return lambda: attend(np.zeros(q), np.zeros(k), np.zeros(v), **more)


BLIND = (
    "every query must be allowed to look at one key at least; got row {0} of the mask all False. "
    "Try mask[..., {0}, {0}] = True."
)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (hides([T, T, T], [F, F, F], [T, F, T]), BLIND.format(1)),
        # Upside down: the mask of what may not be seen, given as what may.
        (
            shaped((3, 2), (3, 2), (3, 2), mask=np.triu(np.ones((3, 3), bool), 0) == 0),
            BLIND.format(0),
        ),
        (shaped((3, 2), (3, 2), (3, 2), mask=np.triu(np.ones((3, 3), bool), 1)), BLIND.format(2)),
        (
            shaped((8, 2), (8, 2), (8, 2), mask=np.tri(8)),
            "mask must be bool, True where a query may look; got dtype=float64. "
            "Try mask.astype(bool) if 1 means 'may look', or mask == 0 for a mask that is added.",
        ),
        (
            shaped((3, 2), (4, 2), (4, 2), mask=np.ones((4, 3), bool)),
            "mask must have a shape that ends in (3, 4); got mask.shape=(4, 3). "
            "Try an array whose last 2 axes are these.",
        ),
        (
            shaped((3,), (3, 2), (3, 2)),
            "q must have a shape that ends in (any, any); got q.shape=(3,). "
            "Try an array whose last 2 axes are these.",
        ),
        (
            shaped((3, 2), (3, 4), (3, 4)),
            "k must have a shape that ends in (any, 2); got k.shape=(3, 4). "
            "Try an array whose last 2 axes are these.",
        ),
        (
            shaped((3, 2), (4, 2), (3, 2)),
            "v must have a shape that ends in (4, any); got v.shape=(3, 2). "
            "Try an array whose last 2 axes are these.",
        ),
        (
            shaped((3, 2), (3, 2), (3, 2), scale=math.nan),
            "scale must be a finite number; got scale=nan. Try scale=None for 1/sqrt(d_head).",
        ),
        (
            shaped((3, 2), (3, 2), (3, 2), scale=math.inf),
            "scale must be a finite number; got scale=inf. Try scale=None for 1/sqrt(d_head).",
        ),
        (
            shaped((3, 2), (3, 2), (3, 2), scale="1"),
            "scale must be a finite number; got scale='1'. Try scale=None for 1/sqrt(d_head).",
        ),
        (
            shaped((3, 2), (3, 2), (3, 2), scale=True),
            "scale must be a finite number; got scale=True. Try scale=None for 1/sqrt(d_head).",
        ),
        (
            shaped((2, 3, 4), (3, 3, 4), (3, 3, 4)),
            "the axes before the last two must be equal, or 1, so that they broadcast; "
            "got q.shape=(2, 3, 4), k.shape=(3, 3, 4), v.shape=(3, 3, 4). "
            "Try the same leading axes for all.",
        ),
        (
            shaped((2, 3, 4), (3, 4), (5, 3, 4)),
            "the axes before the last two must be equal, or 1, so that they broadcast; "
            "got q.shape=(2, 3, 4), k.shape=(3, 4), v.shape=(5, 3, 4). "
            "Try the same leading axes for all.",
        ),
        (
            shaped((2, 3, 4), (3, 4), (3, 4), mask=np.ones((3, 3, 3), bool)),
            "the axes before the last two must be equal, or 1, so that they broadcast; "
            "got q.shape=(2, 3, 4), k.shape=(3, 4), v.shape=(3, 4), mask.shape=(3, 3, 3). "
            "Try the same leading axes for all.",
        ),
        (
            shaped((3, 2), (0, 2), (0, 2)),
            "T_k must be a whole number of at least 1; got T_k=0. Try T_k=1.",
        ),
        (
            shaped((0, 2), (3, 2), (3, 2)),
            "T_q must be a whole number of at least 1; got T_q=0. Try T_q=1.",
        ),
        (
            lambda: attend(np.zeros((1, 1)), np.zeros((1, 1), complex), np.zeros((1, 1))),
            "k must hold real numbers; got k.dtype=complex128. Try k.astype(float).",
        ),
        (
            lambda: softmax(np.array(["a"])),
            "scores must hold real numbers; got scores.dtype=<U1. Try scores.astype(float).",
        ),
        (
            shaped((3, 0), (3, 0), (3, 2)),
            "d_head must be a whole number of at least 1; got d_head=0. Try d_head=1.",
        ),
    ],
)
def test_what_does_not_fit_is_refused(call, message):
    with says(message):
        call()


def test_a_zero_one_float_mask_that_is_added_hides_nothing_which_is_why_it_is_refused():
    scores = np.zeros((8, 8)) + np.tri(8)
    np.testing.assert_allclose(softmax(scores)[0].round(3), [0.28] + [0.103] * 7)
    applied = attend(np.zeros((8, 1)), np.zeros((8, 1)), np.zeros((8, 1)), mask=np.tri(8) == 1)
    assert applied.weights[0].tolist() == [1] + [0] * 7
