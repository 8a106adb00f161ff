"""Pasted masks: read as data alone, given to PyTorch, and told what is wrong with them."""

from __future__ import annotations

import builtins
import re
from itertools import product

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from hypothesis import example, given, settings
from hypothesis import strategies as st

from mha.mask_doctor import (
    COUNTS,
    DTYPES,
    FUNCTIONS,
    KINDS,
    MAX_MASK,
    MAX_MASK_TEXT,
    PROBLEMS,
    Diagnosis,
    MaskTextError,
    PastedMask,
    diagnose,
    read_mask,
    seeded_scores,
)
from mha.mask_doctor.reading import lines
from mha.reference import causal_mask, softmax
from tests.unit.draw import seeds, texts
from tests.unit.says import says

SDPA, MODULE = FUNCTIONS
A_SEQUENCE, A_HEAD, BOTH = COUNTS
BOOL, NUMBERS, ADDED = KINDS
OTHER_AXES, UPSIDE_DOWN, OFF_BY_ONE, WAS_ADDED, EMPTY_ROW, MISALIGNED = PROBLEMS
INF = np.inf

few = settings(max_examples=20)  # each calls PyTorch several times
Ts = st.integers(1, MAX_MASK)
any_mask = st.tuples(Ts, Ts, seeds).map(
    lambda drawn: np.random.default_rng(drawn[2]).random(drawn[:2]) < 0.5
)


def as_bool(sees: np.ndarray, hides: bool = False) -> PastedMask:
    """A mask of True and False that shows what `sees` says; or hides the rest, for the module."""
    return PastedMask(BOOL, (sees ^ hides).astype(np.float64))


def as_added(sees: np.ndarray) -> PastedMask:
    return PastedMask(ADDED, np.where(sees, 0, -INF))


def problems(diagnosis: Diagnosis) -> tuple[list[str], list[str]]:
    """The names of what was found for each of the two functions."""
    readings = (diagnosis.sdpa, diagnosis.module)
    return tuple([finding.problem for finding in r.findings] for r in readings)


def every_way(sees: np.ndarray) -> list[list[str]]:
    """What is found where the mask shows `sees`, by each function and in each type that can."""
    by_bool = problems(diagnose(as_bool(sees)))[0], problems(diagnose(as_bool(sees, hides=True)))[1]
    return [*by_bool, *problems(diagnose(as_added(sees)))]


# Reading


@pytest.mark.parametrize(
    ("text", "kind", "values"),
    [
        ("1 0\n1 1", NUMBERS, [[1, 0], [1, 1]]),
        ("1,0\n1,1", NUMBERS, [[1, 0], [1, 1]]),
        ("1, 0,\r\n1, 1,\r\n", NUMBERS, [[1, 0], [1, 1]]),
        ("\n\n  1\t0 \n\n 1 1\n", NUMBERS, [[1, 0], [1, 1]]),
        ("[[1, 0], [1, 1]]", NUMBERS, [[1, 0], [1, 1]]),
        ("[1 0]\n[1 1]", NUMBERS, [[1, 0], [1, 1]]),
        ("[[1,\n 0], [1,\n 1]],", NUMBERS, [[1, 0], [1, 1]]),
        ("[1, 0, 1]", NUMBERS, [[1, 0, 1]]),
        ("1. 0.\n1.0 -0.", NUMBERS, [[1, 0], [1, 0]]),
        ("0 0", NUMBERS, [[0, 0]]),
        ("True false\nTRUE true", BOOL, [[1, 0], [1, 1]]),
        ("0 -inf\n0 0", ADDED, [[0, -INF], [0, 0]]),
        ("-inf -Infinity", ADDED, [[-INF, -INF]]),
        ("[0, float('-inf'), -math.inf, -torch.inf]", ADDED, [[0, -INF, -INF, -INF]]),
        (
            "tensor([[0., -inf],\n        [0., 0.]], dtype=torch.float64)",
            ADDED,
            [[0, -INF], [0, 0]],
        ),
        ("np.array([[ True, False]])", BOOL, [[1, 0]]),
        ("torch.tensor([[1, 0],\n[1, 1]])\n", NUMBERS, [[1, 0], [1, 1]]),
        ("[[[1, 0]]]", NUMBERS, [[[1, 0]]]),
        ("[[1 0]]\n[[1 1]]", NUMBERS, [[[1, 0]], [[1, 1]]]),
        ("tensor([[[[True]], [[False]]]])", BOOL, [[[[1]], [[0]]]]),
        ("array([[[ 0., -inf],\n        [ 0.,  0.]]])", ADDED, [[[0, -INF], [0, 0]]]),
    ],
)
def test_a_mask_is_read_as_it_is_usually_written(text, kind, values):
    mask = read_mask(text)
    assert mask.kind == kind
    assert mask.values.dtype == np.float64
    assert mask.values.tolist() == values
    assert not np.signbit(mask.values[mask.values == 0]).any()


few_axes = st.lists(st.integers(1, 3), max_size=2).map(tuple)
small_mask = st.tuples(few_axes, st.integers(1, 5), st.integers(1, 5), seeds).map(
    lambda drawn: np.random.default_rng(drawn[3]).random((*drawn[0], *drawn[1:3])) < 0.5
)


@given(sees=st.one_of(any_mask, small_mask))
@pytest.mark.parametrize("kind", KINDS)
def test_what_print_shows_is_read_back(kind, sees):
    array = {BOOL: sees, NUMBERS: sees.astype(int), ADDED: np.where(sees, 0, -INF)}[kind]
    wide = {"linewidth": 200}
    with np.printoptions(**wide):
        written = [str(array), repr(array), str(array.tolist()), str(array.astype(object))]
    torch.set_printoptions(**wide)
    written += [str(torch.from_numpy(array))]
    if array.ndim == 2:
        written += ["\n".join(" ".join(map(str, row)) for row in array)]
    torch.set_printoptions(profile="default")
    # As on a graphics card, with gradients, and in JAX.
    written += [f"{written[4][:-1]}, device='cuda:0', requires_grad=True)", f"A{written[1][1:]}"]
    for text in written:
        mask = read_mask(text)
        assert np.array_equal(mask.values, array)
        assert mask.kind == kind or (kind == ADDED and sees.all())


HOLDS = "a mask must hold 0, 1, True, False and -inf alone; got "
EXAMPLE = "Try 1 0 in the first line and 1 1 in the second."
ROWS = "Try [[1, 0], [1, 1]]."
ONE_KIND = "a mask must be of True and False, of 0 and 1, or of 0 and -inf; got "


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", f"a mask must have one row at least; got nothing at line 1, column 1. {EXAMPLE}"),
        (" \n ", f"a mask must have one row at least; got nothing at line 2, column 2. {EXAMPLE}"),
        ("1 0\n1 2", f"{HOLDS}'2' at line 2, column 3. {EXAMPLE}"),
        ("1 0\r\n1 2", f"{HOLDS}'2' at line 2, column 3. {EXAMPLE}"),
        ("1 0\r1 2", f"{HOLDS}'2' at line 2, column 3. {EXAMPLE}"),
        ("\r\ntensor(\r[x])", f"{HOLDS}'x' at line 3, column 2. {EXAMPLE}"),
        ("\rtensor([x])", f"{HOLDS}'x' at line 2, column 9. {EXAMPLE}"),
        ("inf", f"{HOLDS}'inf' at line 1, column 1. {EXAMPLE}"),
        ("10", f"{HOLDS}'10' at line 1, column 1. {EXAMPLE}"),
        ("-1", f"{HOLDS}'-1' at line 1, column 1. {EXAMPLE}"),
        ("٠ ١", f"{HOLDS}'\\u0660' at line 1, column 1. {EXAMPLE}"),
        ("1 \u202e", f"{HOLDS}'\\u202e' at line 1, column 3. {EXAMPLE}"),
        ("__import__('os')", f"{HOLDS}\"__import__('...\" at line 1, column 1. {EXAMPLE}"),
        ("1 0\n1", "every row must have as many numbers as the first, 2; got 1 at line 2, "
         "column 1. Try rows of one length."),
        ("[[1], [1, 0]]", "every row must have as many numbers as the first, 1; got 2 at line 1, "
         "column 8. Try rows of one length."),
        ("1 " * 13, "a row must have at most 12 numbers; got one more at line 1, column 25. "
         "Try a smaller mask."),
        ("1\n" * 13, "a mask must have at most 12 rows; got one more at line 13, column 1. "
         "Try a smaller mask."),
        ("[1]" * 13, "a mask must have at most 12 rows; got one more at line 1, column 38. "
         "Try a smaller mask."),
        ("True 0", f"{ONE_KIND}'0' at line 1, column 6. Try one kind alone."),
        ("0\nFalse", f"{ONE_KIND}'False' at line 2, column 1. Try one kind alone."),
        ("0 -inf 1", f"{ONE_KIND}'1' at line 1, column 8. Try one kind alone."),
        ("1 0 -inf", f"{ONE_KIND}'-inf' at line 1, column 5. Try one kind alone."),
        (", 1", f"a comma must follow a number or a row; got ',' at line 1, column 1. {ROWS}"),
        ("1,, 1", f"a comma must follow a number or a row; got ',' at line 1, column 3. {ROWS}"),
        ("[, 1]", f"a comma must follow a number or a row; got ',' at line 1, column 2. {ROWS}"),
        ("[1 [0]]", f"a row must hold numbers alone; got '[' at line 1, column 4. {ROWS}"),
        ("[[[[[1]]]]]", "a mask must have at most 4 axes; got '[' at line 1, column 5. "
         "Try mask[0]."),
        ("[[[[1]]]]\n[1]", "a mask must have at most 4 axes; got '[' at line 2, column 1. "
         "Try mask[0]."),
        ("[[[1]], [1]]", "every row must stand in as many brackets as the first, 3; got 2 at "
         "line 1, column 10. Try the same brackets around each."),
        ("[[1], [[1]]]", "every row must stand in as many brackets as the first, 2; got 3 at "
         "line 1, column 7. Try the same brackets around each."),
        ("[[[1 0]\n[1 1]]\n[[1 1]]]", "every matrix must have as many rows as the first, 2; got 1 "
         "at line 3, column 1. Try matrices of one shape."),
        ("[[[1 0]]\n[[1]]]", "every row must have as many numbers as the first, 2; got 1 at "
         "line 2, column 3. Try rows of one length."),
        ("[[[[1]]],\n[[[1]], [[1]]]]", "every sequence must have as many matrices as the first, "
         "1; got 2 at line 2, column 1. Try matrices of one shape."),
        ("[[1]]" * 33, "a mask must have at most 32 matrices; got one more at line 1, "
         "column 161. Try a smaller mask."),
        ("\n".join(["[" + "[1 1 1 1 1 1 1 1 1 1 1 1]" * 12 + "]"] * 4), "a mask must have at most "
         "512 numbers; got one more at line 4, column 169. Try a smaller mask."),
        ("tensor([[[True, True],\n  [True, 2]]])", f"{HOLDS}'2' at line 2, column 10. {EXAMPLE}"),
        ("tensor([[1, 0],\n        ...,\n        [1, 1]])", "a mask must be printed whole; got "
         "'...' at line 2, column 9. Try torch.set_printoptions(profile='full')."),
        ("1]", f"every number must stand in a row's brackets; got '1' at line 1, column 1. {ROWS}"),
        ("[[1], 0]", "every number must stand in a row's brackets; got '0' at line 1, column 7. "
         f"{ROWS}"),
        ("[1]]", f"every bracket that closes must have been opened; got ']' at line 1, column 4. "
         f"{ROWS}"),
        ("[[1]\n[0]", f"every bracket must be closed; got '[' at line 1, column 1. {ROWS}"),
        ("[[1], []]", "every row must hold one number at least; got ']' at line 1, column 8. "
         f"{ROWS}"),
        ("x" * 4097, "a mask must be written in at most 4,096 characters; got more at line 1, "
         "column 4097. Try the numbers alone."),
        ("tensor([[1, x]])", f"{HOLDS}'x' at line 1, column 13. {EXAMPLE}"),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_said_with_its_line_and_column(text, message):
    with says(message):
        read_mask(text)


def test_the_largest_mask_is_read():
    text = "\n".join(["float('-inf'), " * MAX_MASK] * MAX_MASK)
    assert len(text) <= MAX_MASK_TEXT
    assert read_mask(text).values.shape == (MAX_MASK, MAX_MASK)


PIECES = ["\n", " ", "\r", "\r\n", "1 0\n1 1\n", "\u2028", "\x0b", ", dtype=torch.bool)"]
PIECES += "[ [[ [[[ ] ]] ]]] ... , 0 1 1. -inf inf True False tensor( array( ) ( '".split()


def read_or_refuse(text: str) -> PastedMask | MaskTextError:
    try:
        return read_mask(text)
    except MaskTextError as error:
        return error


@given(text=st.lists(st.sampled_from(PIECES), max_size=40).map("".join) | texts())
@example("tensor(\n")
@example("tensor([[1]]) 1")
@example(" " * 4000 + ")x")
def test_any_text_is_a_mask_or_has_an_error_at_a_place_of_the_text(text):
    mask = read_or_refuse(text)
    if isinstance(mask, MaskTextError):
        message, line, column = str(mask), mask.line, mask.column
        assert 1 <= line <= len(lines(text))
        assert 1 <= column <= len(lines(text)[line - 1]) + 1
        assert f" at line {line}, column {column}. Try " in message
        assert message.isascii()
        assert message.isprintable()
        assert len(message) < 250
        quoted = re.search(r"got (['\"])(\S{1,11})\1 at", message)
        if quoted and "\\" not in quoted[2]:  # it stands at that very place
            assert lines(text)[line - 1][column - 1 :].startswith(quoted[2])
    else:
        *before, T_q, T_k = mask.values.shape
        assert 1 <= T_q <= MAX_MASK
        assert 1 <= T_k <= MAX_MASK
        assert len(before) <= 2
        assert 1 <= len(mask.places) <= 32
        assert mask.values.size <= 512
        kept = {BOOL: {0, 1}, NUMBERS: {0, 1}, ADDED: {0, -INF}}[mask.kind]
        assert set(mask.values.ravel().tolist()) <= kept


def test_no_text_is_run(monkeypatch):
    def forbidden(*args, **kwargs):
        raise AssertionError("a text was run")

    for name in ("eval", "exec", "compile"):
        monkeypatch.setattr(builtins, name, forbidden)
    assert read_mask("[[1, 0], [1, 1]]").values.shape == (2, 2)
    assert isinstance(read_or_refuse("[print(1)]"), MaskTextError)


# The weights that PyTorch gives


@given(sees=any_mask, seed=seeds)
@few
def test_the_weights_are_those_of_the_masked_scores(sees, seed):
    scores = seeded_scores(*sees.shape, seed)
    hidden = np.where(sees, scores, -INF)
    full = sees.any(axis=1)
    for mask, hides in (
        (as_bool(sees), False),
        (as_bool(sees, True), True),
        (as_added(sees), None),
    ):
        diagnosis = diagnose(mask, scores=scores)
        for reading in (diagnosis.sdpa, diagnosis.module):
            if hides is not None and hides != (reading.function == MODULE):
                continue  # read the other way round
            assert np.array_equal(reading.sees, sees)
            np.testing.assert_allclose(
                reading.weights[full], softmax(hidden[full]), rtol=0, atol=1e-12
            )
        # A row that sees nothing: one function writes 0, the other NaN.
        if hides is None:
            assert not diagnosis.sdpa.weights[~full].any()
            assert np.isnan(diagnosis.module.weights[~full]).all()


@given(sees=any_mask, seed=seeds)
@few
def test_numbers_are_added_by_both(sees, seed):
    scores = seeded_scores(*sees.shape, seed)
    diagnosis = diagnose(PastedMask(NUMBERS, sees.astype(float)), scores=scores)
    for reading in (diagnosis.sdpa, diagnosis.module):
        assert reading.sees.all()
        np.testing.assert_allclose(reading.weights, softmax(scores + sees), rtol=0, atol=1e-12)
        assert reading.rule == "The numbers are added to the scores."


@given(sees=any_mask)
@few
def test_the_two_functions_mean_opposite_things_by_true(sees):
    diagnosis = diagnose(as_bool(sees))
    assert np.array_equal(diagnosis.sdpa.sees, ~diagnosis.module.sees)
    assert np.array_equal(diagnosis.sdpa.sees, sees)
    assert diagnosis.sdpa.rule == "True lets a query look at a key."
    assert diagnosis.module.rule == "True hides a key from a query."
    turned = diagnose(as_bool(~sees))
    full = sees.any(axis=1)
    np.testing.assert_allclose(
        turned.module.weights[full], diagnosis.sdpa.weights[full], rtol=0, atol=1e-12
    )


def test_weights_are_what_a_plain_call_gives():
    mask = read_mask("1 0 0\n1 1 0\n1 1 1")
    scores = torch.from_numpy(seeded_scores(3, 3))
    expected = F.scaled_dot_product_attention(
        scores, torch.eye(3).double(), torch.eye(3).double(), scale=1.0,
        attn_mask=torch.ones(3, 3).tril().bool(),
    )  # fmt: skip
    assert np.array_equal(diagnose(mask, dtype="bool").sdpa.weights, expected.numpy())


def test_whole_numbers_are_refused_in_the_functions_own_words():
    diagnosis = diagnose(read_mask("1 0\n1 1"), dtype="int")
    assert diagnosis.sdpa.error == (
        "RuntimeError: Expected attn_mask dtype to be bool or float or to match query dtype, but "
        "got attn_mask.dtype: long int and  query.dtype: double instead."
    )
    assert diagnosis.module.error == (
        "AssertionError: only bool and floating types of attn_mask are supported"
    )
    for reading in (diagnosis.sdpa, diagnosis.module):
        assert (reading.sees, reading.weights, reading.findings) == (None, None, ())
        assert reading.rule == "Whole numbers are refused."


def test_a_mask_takes_the_type_that_it_is_written_in_unless_told():
    for text, dtype in (("True", "bool"), ("1", "float"), ("0 -inf", "float")):
        mask = read_mask(text)
        plain, told = diagnose(mask), diagnose(mask, dtype=dtype)
        assert plain.sdpa.rule == told.sdpa.rule
        assert np.array_equal(plain.sdpa.weights, told.sdpa.weights)
    # -inf is not 0, and so becomes True.
    assert diagnose(read_mask("0 -inf"), dtype="bool").sdpa.sees.tolist() == [[False, True]]
    with says("dtype must be one of 'bool', 'float', 'int'; got dtype='half'. Try dtype='bool'."):
        diagnose(read_mask("1"), dtype="half")
    with says("a mask of whole numbers must hold no -inf; got dtype='int'. Try dtype='float'."):
        diagnose(read_mask("0 -inf"), dtype="int")


def test_scores_must_have_the_shape_of_the_mask():
    with says(
        "scores must have a shape that ends in (1, 2); got scores.shape=(2, 2). "
        "Try an array whose last 2 axes are these."
    ):
        diagnose(read_mask("1 0"), scores=np.zeros((2, 2)))


@given(T_q=Ts, T_k=Ts, seed=seeds)
@few
def test_scores_come_from_the_sizes_and_the_seed_alone(T_q, T_k, seed):
    once, again = seeded_scores(T_q, T_k, seed), seeded_scores(T_q, T_k, seed)
    assert once.shape == (T_q, T_k)
    assert np.array_equal(once, again)
    torch.manual_seed(3)
    expected = torch.rand(2)
    torch.manual_seed(3)
    diagnose(as_bool(np.ones((T_q, T_k), dtype=bool)))
    assert torch.equal(torch.rand(2), expected)


# Findings


@given(T_q=Ts, cached=st.integers(0, 6))
@few
def test_nothing_is_found_on_a_right_mask(T_q, cached):
    T_k = min(T_q + cached, MAX_MASK)
    assert every_way(causal_mask(T_q, T_k)) == [[]] * 4
    assert every_way(np.ones((T_q, T_k), dtype=bool)) == [[]] * 4
    as_numbers = PastedMask(NUMBERS, causal_mask(T_q, T_k).astype(float))
    assert problems(diagnose(as_numbers, dtype="bool"))[0] == []


@given(T_q=st.integers(2, MAX_MASK), seen=st.integers(2, MAX_MASK), hidden=st.integers(1, 6))
@few
def test_nothing_is_found_on_a_mask_of_padding(T_q, seen, hidden):
    T_k = min(seen + hidden, MAX_MASK)
    sees = np.zeros((T_q, T_k), dtype=bool)
    sees[:, : min(seen, T_k - 1)] = True
    assert every_way(sees) == [[]] * 4


@given(T_q=st.integers(2, MAX_MASK), cached=st.integers(0, 6))
@few
def test_a_mask_that_is_upside_down_is_found(T_q, cached):
    T_k = min(T_q + cached, MAX_MASK)
    sees = ~causal_mask(T_q, T_k)
    assert every_way(sees) == [[UPSIDE_DOWN, EMPTY_ROW]] * 4  # the last token sees nothing
    # As it comes about: the mask of one function, given to the other.
    right_for_sdpa = problems(diagnose(as_bool(causal_mask(T_q, T_k))))
    assert right_for_sdpa == ([], [UPSIDE_DOWN, EMPTY_ROW])
    right_for_module = problems(diagnose(as_bool(causal_mask(T_q, T_k), hides=True)))
    assert right_for_module == ([UPSIDE_DOWN, EMPTY_ROW], [])


@given(T=st.integers(3, MAX_MASK))
@few
def test_a_mask_that_is_off_by_one_is_found(T):
    strict, loose = (np.tri(T, T, k, dtype=bool) for k in (-1, 1))
    assert every_way(strict) == [[OFF_BY_ONE, EMPTY_ROW]] * 4  # the first token sees nothing
    assert every_way(loose) == [[OFF_BY_ONE]] * 4
    assert every_way(~strict) == [[UPSIDE_DOWN, OFF_BY_ONE]] * 4
    assert every_way(~loose) == [[UPSIDE_DOWN, OFF_BY_ONE, EMPTY_ROW]] * 4


@given(T_q=st.integers(1, 6), cached=st.integers(3, 6))
@few
def test_with_a_cache_too_a_mask_that_is_off_by_one_is_found(T_q, cached):
    T_k = T_q + cached
    assert every_way(np.tri(T_q, T_k, cached - 1, dtype=bool)) == [[OFF_BY_ONE]] * 4
    if T_q > 2:
        assert every_way(np.tri(T_q, T_k, cached + 1, dtype=bool)) == [[OFF_BY_ONE]] * 4


@given(T_q=st.integers(1, 6), cached=st.integers(1, 6))
@few
def test_a_causal_mask_that_is_not_aligned_to_the_cache_is_found(T_q, cached):
    sees = np.tri(T_q, T_q + cached, dtype=bool)  # as is_causal aligns it
    assert every_way(sees) == [[MISALIGNED]] * 4
    assert every_way(~sees) == [[UPSIDE_DOWN, MISALIGNED]] * 4


@given(sees=any_mask)
@few
def test_a_mask_of_0_and_1_that_is_added_is_found(sees):
    expected = [WAS_ADDED] if sees.any() else []
    assert problems(diagnose(PastedMask(NUMBERS, sees.astype(float)))) == (expected, expected)
    assert problems(diagnose(as_bool(sees), dtype="float")) == (expected, expected)
    never_added = [*every_way(sees), *problems(diagnose(as_bool(sees)))]
    assert not any(WAS_ADDED in found for found in never_added)


@given(sees=any_mask)
@few
def test_a_row_that_sees_nothing_is_found_and_named(sees):
    empty = np.flatnonzero(~sees.any(axis=1))
    for found in every_way(sees):
        assert (EMPTY_ROW in found) == (len(empty) > 0)
    if len(empty):
        says_so = diagnose(as_bool(sees)).sdpa.findings[-1].says
        named = re.search(r"got rows? ([\d, ]+) of the mask", says_so)
        assert named[1] == ", ".join(map(str, empty))


def test_every_finding_says_what_it_does_and_what_to_try():
    def all_said(text: str, dtype: str | None = None) -> list[list[str]]:
        diagnosis = diagnose(read_mask(text), dtype=dtype)
        return [[f.says for f in r.findings] for r in (diagnosis.sdpa, diagnosis.module)]

    added = (
        "a mask of 0 and 1 must be bool to hide anything; got floating point numbers, which are "
        "added: a score that gets 1 weighs e times as much. Try "
    )
    assert all_said("1 0\n1 1") == [
        [f"{added}mask.bool()."],
        [f"{added}mask == 0, since True hides here."],
    ]
    before = "a query must see what came before it; got a mask by which "
    empty = (
        "every query must see one key at least; got row {} of the mask with none, counted from 0. "
        "Try to let it see its own token."
    )
    assert all_said("True False\nTrue True") == [
        [],
        [
            f"{before}nn.MultiheadAttention hides that and shows the rest. Try ~mask.",
            empty.format(1),
        ],
    ]
    sdpa, module = all_said("-inf 0\n-inf -inf")
    turned = " hides that and shows the rest. Try 0 where it has -inf, and -inf where 0."
    assert sdpa == [f"{before}scaled_dot_product_attention{turned}", empty.format(1)]
    assert module == [f"{before}nn.MultiheadAttention{turned}", empty.format(1)]
    own = "a query must see what came before and its own token; "
    tried = "Try tril(0) for what may be seen, or triu(1) for what may not."
    assert all_said("0 0 0\n1 0 0\n1 1 0", "bool")[0] == [
        f"{own}got a triangle that hides that token too. {tried}",
        empty.format(0),
    ]
    assert all_said("1 1 0\n1 1 1\n1 1 1", "bool")[0] == [
        f"{own}got a triangle that shows the token after it as well. {tried}"
    ]
    assert all_said("1 1 1\n0 1 1\n0 0 1", "bool")[0][1] == (
        f"{own}got, once turned, a triangle that hides that token too. {tried}"
    )
    aligned = "a triangle aligned top left, whose last row ends after 1. Try tril(T_k - T_q), here "
    assert all_said("True False False")[0] == [
        f"the last query must see all 3 keys; got {aligned}tril(2)."
    ]
    assert all_said("True False False")[1][1] == (
        f"the last query must see all 3 keys; got, once turned, {aligned}tril(2)."
    )
    assert all_said("0 0\n0 0", "bool")[0] == [
        "every query must see one key at least; got rows 0, 1 of the mask with none, counted from "
        "0. Try to let it see its own token."
    ]


@given(T_k=st.integers(1, 5), more=st.integers(1, 5), seed=seeds)
@few
def test_with_fewer_keys_than_queries_no_causal_mask_is_looked_for(T_k, more, seed):
    sees = np.random.default_rng(seed).random((T_k + more, T_k)) < 0.5
    for found in every_way(sees):
        assert set(found) <= {EMPTY_ROW}
    assert every_way(np.tri(T_k + more, T_k, dtype=bool)) == [[]] * 4


def test_every_problem_and_type_has_a_name():
    assert len(set(PROBLEMS)) == 6
    assert DTYPES == ("bool", "float", "int")


# More axes than two


@given(sees=small_mask, kind=st.sampled_from(KINDS), data=st.data())
@few
def test_each_matrix_is_read_as_if_it_stood_alone(sees, kind, data):
    mask = PastedMask(kind, np.where(sees, 0.0, -INF) if kind == ADDED else sees.astype(float))
    place = data.draw(st.sampled_from(mask.places))
    alone = diagnose(PastedMask(kind, mask.at(place)))
    found = diagnose(mask, place=place)
    for one, reading in ((alone.sdpa, found.sdpa), (alone.module, found.module)):
        np.testing.assert_array_equal(reading.weights, one.weights)
        np.testing.assert_array_equal(reading.sees, one.sees)
        assert reading.rule == one.rule
        about_axes = [f for f in reading.findings if f.problem == OTHER_AXES]
        assert [f for f in reading.findings if f.problem != OTHER_AXES] == list(one.findings)
        assert len(about_axes) == (not reading.takes_its_axes)
        assert reading.findings[: len(about_axes)] == tuple(about_axes)
        wrong = {at for at in mask.places if diagnose_alone(mask, at, reading.function).findings}
        assert set(reading.others) == wrong - {place}
    assert (
        diagnose(mask).sdpa.weights.tolist()
        == diagnose(mask, place=mask.places[0]).sdpa.weights.tolist()
    )


def diagnose_alone(mask: PastedMask, place, function):
    diagnosis = diagnose(PastedMask(mask.kind, mask.at(place)))
    return diagnosis.sdpa if function == SDPA else diagnosis.module


B, H, T = 2, 3, 4
HIDES = np.random.default_rng(0).random((B, H, T, T)) < 0.4
HIDES[..., 0] = False  # so that every query sees a key


def by_sdpa(mask: torch.Tensor) -> torch.Tensor:
    """The weights (B, H, T, T) of scores that are all alike, by the mask as it is given."""
    q, v = torch.zeros(B, H, T, T).double(), torch.eye(T).double().expand(B, H, T, T)
    return F.scaled_dot_product_attention(q, q, v, attn_mask=mask)


def by_module(mask: torch.Tensor) -> torch.Tensor:
    """The same, of a module whose queries and keys are all alike."""
    module = torch.nn.MultiheadAttention(H, H, batch_first=True).double()
    x = torch.zeros(B, T, H).double()
    return module(x, x, x, attn_mask=mask, average_attn_weights=False)[1]


@pytest.mark.parametrize(
    ("counts", "for_sdpa", "for_module"),
    [
        (A_SEQUENCE, "mask[:, None]", "mask.repeat_interleave(h, dim=0)"),
        (A_HEAD, None, "mask.repeat(B, 1, 1)"),
        (BOTH, "mask.view(B, h, T_q, T_k)", None),
        (None, None, "mask.expand(B, h, T_q, T_k).flatten(0, 1)"),
    ],
)
def test_what_is_said_to_mend_the_axes_does_and_without_it_pytorch_refuses_or_errs(
    counts, for_sdpa, for_module
):
    hides = {
        A_SEQUENCE: HIDES[:, 0],
        A_HEAD: HIDES[0],
        BOTH: HIDES.reshape(B * H, T, T),
        None: HIDES,
    }[counts]
    meant = {A_SEQUENCE: HIDES[:, :1], A_HEAD: HIDES[:1]}.get(counts, HIDES)
    expected = by_sdpa(torch.from_numpy(np.broadcast_to(~meant, (B, H, T, T)).copy()))
    given_to = {
        SDPA: (by_sdpa, torch.from_numpy(~hides), for_sdpa),
        MODULE: (by_module, torch.from_numpy(hides.copy()), for_module),
    }
    diagnosis = diagnose(as_bool(~hides), counts=counts or A_SEQUENCE)
    for reading in (diagnosis.sdpa, diagnosis.module):
        call, mask, mend = given_to[reading.function]
        said = [f.says for f in reading.findings if f.problem == OTHER_AXES]
        if mend is None:
            assert said == []
            torch.testing.assert_close(call(mask), expected)
            continue
        assert said[0].endswith(f" Try {mend}.")
        assert f"got {hides.shape}, " in said[0]
        sizes = {"B": B, "h": H, "T_q": T, "T_k": T, "mask": mask}
        torch.testing.assert_close(call(eval(mend, sizes)), expected)
        with pytest.raises((RuntimeError, AssertionError), match=r"shape|size|found 4-D"):
            call(mask)


def test_what_is_said_of_the_axes():
    def said(shape: tuple[int, ...], counts: str = A_SEQUENCE) -> list[list[str]]:
        diagnosis = diagnose(as_bool(np.ones(shape, dtype=bool)), counts=counts)
        found = (diagnosis.sdpa.findings, diagnosis.module.findings)
        return [[f.says for f in fs if f.problem == OTHER_AXES] for fs in found]

    by_sequence = "a mask that differs by sequence must be {} for a q of (B, h, T_q, d_head); got "
    three = "a mask of three axes must be (B * h, T_q, T_k), sequence by sequence; got "
    assert said((2, 2)) == [[], []]
    assert said((2, 3, 3)) == [
        [f"{by_sequence.format('(B, 1, T_q, T_k)')}(2, 3, 3), whose first axis is taken for heads. "
         "Try mask[:, None]."],
        [f"{three}(2, 3, 3), a matrix for each sequence. Try mask.repeat_interleave(h, dim=0)."],
    ]  # fmt: skip
    assert said((2, 3, 3), A_HEAD) == [
        [],
        [f"{three}(2, 3, 3), a matrix for each head. Try mask.repeat(B, 1, 1)."],
    ]
    assert said((2, 3, 3), BOTH) == [
        [f"{by_sequence.format('(B, h, T_q, T_k)')}(2, 3, 3), whose first axis is taken for heads. "
         "Try mask.view(B, h, T_q, T_k)."],
        [],
    ]  # fmt: skip
    assert said((1, 3, 3))[0] == []  # one matrix serves every head
    assert said((2, 1, 3, 3)) == [
        [],
        ["a mask must have two axes, or be (B * h, T_q, T_k), sequence by sequence; got "
         "(2, 1, 3, 3), which raises. Try mask.expand(B, h, T_q, T_k).flatten(0, 1)."],
    ]  # fmt: skip


def test_a_place_or_a_count_that_is_not_there_is_refused():
    mask = read_mask("[[[1]], [[0]]]")
    with says("place[0] must be a whole number from 0 to 1; got place[0]=2. Try place[0]=1."):
        diagnose(mask, place=(2,))
    with says(
        "place must have one number for each axis before the last two, 1; got place=(). "
        "Try place=(0,)."
    ):
        mask.at(())
    with says(
        "counts must be one of 'sequences', 'heads', 'sequences * heads'; got counts='x'. "
        "Try counts='sequences'."
    ):
        diagnose(mask, counts="x")


# Written and drawn


@st.composite
def pasted(draw, sees=any_mask) -> PastedMask:
    """A mask of any kind and size."""
    kind = draw(st.sampled_from(KINDS))
    is_on = draw(sees)
    return PastedMask(kind, np.where(is_on, -INF if kind == ADDED else 1.0, 0.0))


@given(mask=pasted(st.one_of(any_mask, small_mask)))
def test_what_is_written_is_read_back(mask):
    again = read_mask(mask.text)
    np.testing.assert_array_equal(again.values, mask.values)
    assert again.kind == mask.kind or not mask.values.any()
    assert len(mask.text.splitlines()) == mask.values[..., 0].size


def test_the_largest_masks_can_be_written_whole():
    for T_q, T_k in product(range(1, MAX_MASK + 1), repeat=2):
        B = min(32, 512 // (T_q * T_k))
        mask = PastedMask(BOOL, np.zeros((B, 1, T_q, T_k)))
        assert len(mask.text) <= MAX_MASK_TEXT


@given(mask=pasted(small_mask), data=st.data())
def test_a_matrix_is_drawn_in_its_place_and_no_other(mask, data):
    place = data.draw(st.sampled_from(mask.places))
    T_q, T_k = mask.values.shape[-2:]
    is_on = np.random.default_rng(data.draw(seeds)).random((T_q, T_k)) < 0.5
    drawn = mask.drawn(place, is_on)
    assert drawn.kind == mask.kind
    np.testing.assert_array_equal(drawn.at(place) != 0, is_on)
    assert set(drawn.values.ravel()) <= ({0, -INF} if mask.kind == ADDED else {0, 1})
    np.testing.assert_array_equal(drawn.drawn(place, mask.at(place) != 0).values, mask.values)
    for other in set(mask.places) - {place}:
        np.testing.assert_array_equal(drawn.at(other), mask.at(other))


def test_another_shape_cannot_be_drawn():
    with says(
        "is_on must have a shape that ends in (2, 2); got is_on.shape=(1, 2). "
        "Try an array whose last 2 axes are these."
    ):
        read_mask("1 0\n1 1").drawn((), np.ones((1, 2), dtype=bool))


@given(mask=pasted())
@few
def test_what_is_seen_ahead_and_hidden_behind_parts_a_mask_from_the_causal_one(mask):
    diagnosis = diagnose(mask, dtype="bool")
    for reading in (diagnosis.sdpa, diagnosis.module):
        T_q, T_k = reading.sees.shape
        ahead = sum(
            bool(reading.sees[q, k]) for q in range(T_q) for k in range(T_k) if k - q > T_k - T_q
        )
        assert reading.seen_ahead == ahead
        causal = np.tri(T_q, T_k, T_k - T_q, dtype=bool)
        assert reading.seen_ahead + reading.hidden_behind == (reading.sees != causal).sum()


@given(T=st.integers(2, 12))
def test_the_advice_to_make_0_and_1_bool_makes_the_causal_mask_that_was_meant(T):
    lower = np.tri(T, dtype=float)
    for values in (lower, 1 - lower):
        diagnosis = diagnose(PastedMask(NUMBERS, values))
        for reading, shows in ((diagnosis.sdpa, True), (diagnosis.module, False)):
            (advice,) = [
                f.says for f in reading.findings if f.problem == "added instead of applied"
            ]
            meant = values == 0 if "Try mask == 0" in advice else values.astype(bool)
            np.testing.assert_array_equal(meant if shows else ~meant, lower.astype(bool))
