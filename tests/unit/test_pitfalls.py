"""Every mistake, run: the wrong code gives the wrong value, the right code the right one."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from mha.config import AttentionConfig
from mha.layout import merge_heads, repeat_kv, split_heads
from mha.ledger import count_parameters, kv_cache_bytes
from mha.models import MODELS
from mha.pitfalls import PITFALLS, TOPICS, Answer, Pitfall, search
from mha.pitfalls.source import stem
from mha.reference import attend, causal_mask
from mha.sentence import Sentence, dissect
from tests.unit.says import says

NAN = math.nan
E = math.e

every_pitfall = pytest.mark.parametrize("pitfall", PITFALLS.values(), ids=PITFALLS)


class Row(NamedTuple):
    """What one mistake gives: `where` reads it from either answer. None: that one raises."""

    key: str
    chosen: dict[str, Any]
    where: Callable[[np.ndarray], Any]
    wrong: Any
    right: Any


def whole(values: np.ndarray) -> Any:
    return values.tolist()


def first_row(values: np.ndarray) -> list[float]:
    return values[0].tolist()


def head_0(values: np.ndarray) -> Any:
    return values[0, 0].tolist()


def levels(values: np.ndarray) -> list[float]:
    return sorted(set(values.ravel().tolist()))


def shape(values: np.ndarray) -> tuple[int, ...]:
    return values.shape


# As they were measured, and as arithmetic has them.
TABLE = (
    Row(
        "bare_view",
        {},
        head_0,
        [[0, 1], [2, 3], [4, 5], [6, 7]],
        [[0, 1], [6, 7], [12, 13], [18, 19]],
    ),
    Row("merge_without_transpose", {}, head_0, [0, 1, 2, 3], [0, 1, 4, 5]),
    Row("cost_of_heads", {}, whole, [131072, 1048576, 8388608], [1048576] * 3),
    Row("cost_of_heads", {"bias": True}, whole, [131776, 1050624, 8401408], [1050624] * 3),
    Row("not_divisible", {}, whole, [3, 9], None),
    Row("not_divisible", {"d_model": 1600, "n_heads": 48}, whole, [33, 1584], None),
    Row("not_divisible", {"d_model": 1600, "n_heads": 25}, whole, [64, 1600], [64, 1600]),
    Row("empty_row", {}, whole, [[1 / 3] * 3, [NAN] * 3, [1 / 3] * 3], None),
    Row("empty_row", {"fill": -1e9}, lambda values: values[1].tolist(), [1 / 3] * 3, None),
    Row("upside_down", {}, first_row, [0, 0.5, 0.5], [1, 0, 0]),
    Row("added_mask", {}, first_row, [E / (E + 7)] + [1 / (E + 7)] * 7, [1] + [0] * 7),
    Row("averaged_heads", {}, shape, (5, 6, 6), (5, 4, 6, 6)),
    Row("batch_for_time", {}, shape, (7, 2, 2), (2, 7, 7)),
    Row(
        "off_by_one",
        {},
        lambda v: v[:2].tolist(),
        [[NAN] * 3, [1, 0, 0]],
        [[1, 0, 0], [0.5, 0.5, 0]],
    ),
    Row("causal_with_cache", {}, first_row, [1, 0, 0, 0, 0], [0.2] * 5),
    Row("tiled_kv", {}, lambda values: values.ravel().tolist(), [0, 1, 0, 1], [0, 0, 1, 1]),
    Row("guessed_head_size", {}, whole, [160, 640], [128, 512]),
    Row("repeated_word", {}, shape, (5, 4), (5, 5)),
    Row(
        "dropout_shown",
        {},
        levels,
        [0, 0.3125],
        [0.25],
    ),
    Row("view_after_transpose", {}, lambda v: v[0, 0].tolist(), None, [0, 1, 6, 7]),
    Row("character_count", {}, whole, [5], [1]),
    Row("scaled_by_d_model", {}, np.mean, 0.36, 1.0),
    # Further ones.
    Row("packed_by_head", {}, lambda v: v.ravel().tolist(), [0, 1, 2, 3], [0, 1, 6, 7]),
    Row("heads_for_tokens", {}, lambda v: v[0, :, 0, 0].tolist(), [0, 1, 2, 3], [1.5] * 4),
    Row(
        "tiled_masks",  # sequence 1 ends in padding; its heads come last
        {},
        lambda values: values[:, 0].astype(int).tolist(),
        [[0, 0, 0], [0, 0, 1], [0, 0, 0], [0, 0, 1]],
        [[0, 0, 0], [0, 0, 0], [0, 0, 1], [0, 0, 1]],
    ),
    Row("causal_hint", {}, lambda v: v[0, 0].tolist(), None, [1, 0, 0, 0]),
    Row("half_precision_fill", {}, first_row, None, [1, 0, 0]),
    Row("half_precision_fill", {"dtype": "float32"}, first_row, [1, 0, 0], [1, 0, 0]),
    Row("scaled_too_late", {}, whole, [[NAN] * 3] * 3, [[1 / 3] * 3] * 3),
    Row("scaled_too_late", {"size": 24}, whole, [[1 / 3] * 3] * 3, [[1 / 3] * 3] * 3),
    Row("dropout_in_evaluation", {}, levels, [0, 0.3125], [0.25]),
    Row("heads_in_a_list", {}, whole, [1024], [4096]),
)


@pytest.mark.parametrize("row", TABLE, ids=lambda row: f"{row.key}-{row.chosen}")
def test_the_wrong_code_gives_the_wrong_value_and_the_right_code_the_right_one(row):
    outcome = PITFALLS[row.key].run(**row.chosen)
    for answer, expected in ((outcome.wrong, row.wrong), (outcome.right, row.right)):
        if expected is None:
            assert answer.values is None
        else:
            assert answer.error is None
            # float32 and float16 round, and a spread is measured; all else is exact.
            atol = {"scaled_too_late": 2e-4, "scaled_by_d_model": 0.01}.get(row.key, 1e-7)
            np.testing.assert_allclose(row.where(answer.values), expected, rtol=0, atol=atol)


# The mistakes that the catalogue began with, in the order in which they were collected.
FIRST = (
    "bare_view merge_without_transpose cost_of_heads not_divisible empty_row upside_down "
    "added_mask averaged_heads batch_for_time off_by_one causal_with_cache tiled_kv "
    "guessed_head_size repeated_word dropout_shown scaled_by_d_model view_after_transpose "
    "character_count"
).split()


def test_every_mistake_that_was_collected_first_has_its_values_in_the_table():
    assert len(FIRST) == 18
    assert {row.key for row in TABLE} >= set(FIRST)


def test_a_mask_of_0_and_1_that_is_added_gives_the_first_token_little_more_than_the_rest():
    first, *rest = PITFALLS["added_mask"].run().wrong.values[0]
    assert round(first, 3) == 0.280
    assert [round(weight, 3) for weight in rest] == [0.103] * 7


@pytest.mark.parametrize(
    ("d_model", "n_heads", "tries"), [(10, 3, "2 or 5"), (1600, 48, "40 or 50")]
)
def test_the_error_about_a_width_names_both_sizes_and_the_nearest_that_work(
    d_model, n_heads, tries
):
    outcome = PITFALLS["not_divisible"].run(d_model=d_model, n_heads=n_heads)
    assert outcome.right.error == (
        f"ValueError: d_model must be divisible by n_heads; got d_model={d_model}, "
        f"n_heads={n_heads}. Try n_heads={tries}."
    )


def test_with_batch_and_time_swapped_the_output_has_the_right_shape_all_the_same():
    x = torch.randn(2, 7, 8)
    for batch_first in (False, True):
        module = torch.nn.MultiheadAttention(8, 2, batch_first=batch_first)
        assert module(x, x, x)[0].shape == (2, 7, 8)


def test_some_kernels_write_0_where_a_query_may_look_at_nothing():
    q, v = torch.zeros(1, 2), torch.eye(3)
    sees_nothing = torch.zeros(1, 3, dtype=torch.bool)
    attend_there = torch.nn.functional.scaled_dot_product_attention
    assert attend_there(q, torch.zeros(3, 2), v, attn_mask=sees_nothing).tolist() == [[0, 0, 0]]


def test_scores_divided_by_the_whole_width_are_too_narrow_by_the_square_root_of_the_heads():
    outcome = PITFALLS["scaled_by_d_model"].run(d_model=512, n_heads=8)
    np.testing.assert_allclose(outcome.right.values / outcome.wrong.values, 8**0.5, rtol=1e-5)


def test_the_mask_after_the_softmax_and_the_softmax_along_the_queries_lose_the_sum():
    for key in ("mask_after_softmax", "softmax_over_queries"):
        outcome = PITFALLS[key].run()
        np.testing.assert_allclose(outcome.right.values.sum(-1), 1, atol=1e-6)
        assert (abs(outcome.wrong.values.sum(-1) - 1) > 1e-3).sum() >= 3
    np.testing.assert_allclose(outcome.wrong.values.sum(-2), 1, atol=1e-6)


def test_a_hidden_score_of_zero_keeps_a_weight():
    outcome = PITFALLS["zero_for_infinity"].run()
    assert (outcome.wrong.values[np.triu_indices(4, 1)] > 0.05).all()
    assert not outcome.right.values[np.triu_indices(4, 1)].any()


# What is raised, by its text


VIEW = (
    "RuntimeError: view size is not compatible with input tensor's size and stride (at least one "
    "dimension spans across two contiguous subspaces). Use .reshape(...) instead."
)
HINT = (
    "RuntimeError: Need attn_mask if specifying the is_causal hint. You may use the Transformer "
    "module method `generate_square_subsequent_mask` to create this mask."
)
HALF = "RuntimeError: value cannot be converted to type c10::Half without overflow"
EMPTY = "ValueError: every query must see one key at least; got row {row} all False"
INDIVISIBLE = (
    "ValueError: d_model must be divisible by n_heads; got d_model={d_model}, n_heads={n_heads}. "
)


def expected_errors(pitfall: Pitfall, chosen: dict[str, Any]) -> tuple[str | None, str | None]:
    """How the errors of wrong and right begin; None where none is raised."""
    match pitfall.key:
        case "view_after_transpose":
            return VIEW, None
        case "causal_hint":
            return HINT, None
        case "half_precision_fill" if chosen["dtype"] == "float16":
            return HALF, None
        case "empty_row":
            return None, EMPTY.format(**chosen)
        case "not_divisible" if chosen["d_model"] % chosen["n_heads"]:
            return None, INDIVISIBLE.format(**chosen)
    return None, None


@every_pitfall
@settings(max_examples=10)
@given(data=st.data())
def test_only_what_is_said_to_raise_does_whatever_a_visitor_chooses(pitfall, data):
    chosen = {
        name: data.draw(st.sampled_from(entry.options), label=name)
        for name, entry in pitfall.inputs.items()
    }
    outcome = pitfall.run(**chosen)
    for answer, begins in zip(
        (outcome.wrong, outcome.right), expected_errors(pitfall, chosen), strict=True
    ):
        assert (answer.values is None) == (answer.error is not None) == (begins is not None)
        if begins is not None:
            assert answer.error.startswith(begins)
        else:
            assert answer.values.size <= 4096
    # What comes out has the axes that it is said to have.
    for answer, axes in (
        (outcome.right, pitfall.axes),
        (outcome.wrong, pitfall.wrong_axes or pitfall.axes),
    ):
        assert answer.values is None or answer.values.ndim == len(axes)
    right = outcome.right.values
    if pitfall.shows == "weights" and right is not None:
        np.testing.assert_allclose(right.sum(-1), 1, atol=5e-3)  # bfloat16 has 8 bits


# Laws over the catalogue


def test_there_are_more_than_two_dozen_and_each_is_named_once():
    assert len(PITFALLS) >= 24
    for field in ("name", "task", "sentence", "report", "number"):
        assert len({getattr(pitfall, field) for pitfall in PITFALLS.values()}) == len(PITFALLS)
    assert [pitfall.key for pitfall in PITFALLS.values()] == list(PITFALLS)
    topics = [TOPICS.index(pitfall.topic) for pitfall in PITFALLS.values()]
    assert topics == sorted(topics)
    assert set(topics) == set(range(len(TOPICS)))


@every_pitfall
def test_wrong_and_right_differ_as_it_begins(pitfall):
    outcome = pitfall.run()
    assert outcome.n_differ is None or outcome.n_differ > 0
    if outcome.differs is not None:
        assert outcome.differs.shape == outcome.right.values.shape
        assert outcome.n_differ == outcome.differs.sum()
    else:
        assert (
            outcome.wrong.error or outcome.right.error
        ) or outcome.wrong.values.shape != outcome.right.values.shape


@every_pitfall
def test_the_same_inputs_give_the_same_answers_and_disturb_no_other_random_numbers(pitfall):
    torch.manual_seed(7)
    expected = torch.rand(3)
    torch.manual_seed(7)
    once = pitfall.run()
    assert torch.equal(torch.rand(3), expected)
    again = pitfall.run()
    for a, b in ((once.wrong, again.wrong), (once.right, again.right)):
        assert a.error == b.error
        assert a.values is None or np.array_equal(a.values, b.values, equal_nan=True)


def test_visitors_who_run_at_the_same_time_get_the_same_answers():
    random = [PITFALLS[key] for key in ("batch_for_time", "dropout_shown", "zero_for_infinity")]
    expected = [pitfall.run().wrong.values for pitfall in random]
    with ThreadPoolExecutor(4) as visitors:
        outcomes = list(visitors.map(lambda pitfall: pitfall.run(), random * 20))
    for i, outcome in enumerate(outcomes):
        assert np.array_equal(outcome.wrong.values, expected[i % len(random)])


@every_pitfall
def test_every_input_is_bounded_and_starts_at_one_of_its_options(pitfall):
    assert pitfall.inputs
    for name, entry in pitfall.inputs.items():
        assert name.isidentifier()
        assert entry.start in entry.options
        assert 2 <= len(entry.options) <= 8
        assert len(set(entry.options)) == len(entry.options)


@every_pitfall
def test_the_check_tells_right_from_wrong(pitfall):
    for seed in range(5):
        torch.manual_seed(seed)
        pitfall.check(pitfall.right)
        with pytest.raises((AssertionError, RuntimeError)):
            pitfall.check(pitfall.wrong)


def run_alone(code: str) -> dict[str, Any]:
    """Run code as in a file of its own."""
    names: dict[str, Any] = {}
    exec(compile(code, "<pasted>", "exec"), names)
    return names


@every_pitfall
def test_the_code_that_is_shown_runs_alone_and_so_does_the_check_pasted_after_it(pitfall):
    run_alone(f"{pitfall.right_code}\n\n{pitfall.check_code}")
    with pytest.raises((AssertionError, RuntimeError)):
        run_alone(f"{pitfall.wrong_code}\n\n{pitfall.check_code}")


@every_pitfall
def test_the_code_that_is_shown_does_what_is_run(pitfall):
    for function, code in (
        (pitfall.wrong, pitfall.wrong_code),
        (pitfall.right, pitfall.right_code),
    ):
        shown = run_alone(code)[stem(function)]
        torch.manual_seed(0)
        arguments = pitfall.arguments(**pitfall.start)
        torch.manual_seed(1)
        try:
            expected = function(**arguments)
        except (RuntimeError, ValueError) as error:
            with pytest.raises(type(error), match=re.escape(str(error))):
                shown(**arguments)
        else:
            torch.manual_seed(1)
            got, expected = (torch.as_tensor(x) for x in (shown(**arguments), expected))
            torch.testing.assert_close(got, expected, rtol=0, atol=0, equal_nan=True)


@every_pitfall
def test_the_code_does_not_tell_which_of_the_two_it_is(pitfall):
    names = (stem(pitfall.wrong), stem(pitfall.right))
    assert names[0] == names[1]
    for code in (pitfall.wrong_code, pitfall.right_code):
        assert f"def {names[0]}(" in code
        assert not re.search(r"wrong|right", code)
        assert "noqa" not in code
        assert max(map(len, code.splitlines())) <= 100
        assert len(code.splitlines()) <= 24


@every_pitfall
def test_every_pitfall_says_in_a_sentence_what_goes_wrong_and_where_it_was_reported(pitfall):
    assert re.fullmatch(r"[a-z0-9_]+", pitfall.key)
    assert not pitfall.name.endswith(".")
    assert pitfall.sentence.endswith(".")
    assert 60 <= len(pitfall.sentence) <= 200
    assert re.fullmatch(
        r"https://github\.com/[\w.-]+/[\w.-]+/(issues|pull)/[1-9]\d*", pitfall.report
    )
    pages = "overview hand_built_heads split_merge fused_module parameters real_models".split()
    assert pitfall.page in pages


@every_pitfall
def test_the_task_says_what_both_are_for_and_gives_neither_away(pitfall):
    assert re.match(r"[A-Z]", pitfall.task)
    assert re.search(r"[.?]$", pitfall.task)
    assert 40 <= len(pitfall.task) <= 160
    task = pitfall.task.lower()
    assert not re.search(r"\b(wrong|right|mistake|error|raise|bug)", task)
    assert pitfall.name.lower() not in task
    for name in re.findall("`(.+?)`", pitfall.task):
        assert name in pitfall.wrong_code
        assert name in pitfall.right_code


def test_cases_are_numbered_from_1_and_no_number_goes_by_the_order_or_the_topic():
    numbers = [pitfall.number for pitfall in PITFALLS.values()]
    assert sorted(numbers) == list(range(1, len(PITFALLS) + 1))
    rises = sum(a < b for a, b in pairwise(numbers))
    assert 0.3 < rises / len(numbers) < 0.7
    by_number = sorted(PITFALLS.values(), key=lambda pitfall: pitfall.number)
    same_topic = sum(a.topic == b.topic for a, b in pairwise(by_number))
    assert same_topic < len(numbers) / 2


# The right code against the rest of the core


@given(B=st.integers(1, 2), T=st.integers(1, 8), h=st.integers(1, 6), d_head=st.integers(1, 4))
def test_split_merge_and_repeat_are_those_of_the_core(B, T, h, d_head):
    x = torch.arange(B * T * h * d_head).view(B, T, h * d_head)
    heads = PITFALLS["bare_view"].right(x, h)
    assert torch.equal(heads, split_heads(x, h))
    assert torch.equal(PITFALLS["merge_without_transpose"].right(heads), merge_heads(heads))
    assert torch.equal(PITFALLS["view_after_transpose"].right(heads), merge_heads(heads))
    assert torch.equal(PITFALLS["tiled_kv"].right(heads, 3), repeat_kv(heads, 3))


@given(T_q=st.integers(1, 4), cached=st.integers(1, 7))
def test_the_mask_with_a_cache_is_that_of_the_core(T_q, cached):
    T_k = T_q + cached
    zeros = np.zeros((T_q, 2)), np.zeros((T_k, 2)), np.eye(T_k)
    expected = attend(*zeros, mask=causal_mask(T_q, T_k)).weights
    got = PITFALLS["causal_with_cache"].right(*map(torch.tensor, zeros))
    np.testing.assert_allclose(got.numpy(), expected, rtol=0, atol=1e-12)


@given(d_model=st.integers(1, 200), n_heads=st.integers(1, 250))
def test_a_width_that_heads_do_not_divide_is_refused_in_the_words_of_the_core(d_model, n_heads):
    sizes = PITFALLS["not_divisible"].right
    try:
        config = AttentionConfig(d_model, n_heads)
    except ValueError as error:
        with says(str(error)):
            sizes(d_model, n_heads)
    else:
        assert sizes(d_model, n_heads) == [config.d_head, d_model]


@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize("d_model", PITFALLS["cost_of_heads"].inputs["d_model"].options)
def test_the_count_of_parameters_is_that_of_the_ledger(d_model, bias):
    outcome = PITFALLS["cost_of_heads"].run(d_model=d_model, bias=bias)
    configs = [AttentionConfig(d_model, h, bias=bias) for h in (1, 8, 64)]
    assert outcome.right.values.tolist() == [count_parameters(c).total for c in configs]


@pytest.mark.parametrize("model", PITFALLS["guessed_head_size"].inputs["model"].options)
def test_the_head_size_is_that_of_the_published_model(model):
    outcome = PITFALLS["guessed_head_size"].run(model=model)
    d_head = MODELS[model].d_head
    one_head = AttentionConfig(d_head, 1)
    assert outcome.right.values.tolist() == [d_head, kv_cache_bytes(one_head, n_layers=1, T=1)]


@pytest.mark.parametrize("text", PITFALLS["character_count"].inputs["text"].options)
def test_a_character_is_what_the_core_counts_as_one(text):
    outcome = PITFALLS["character_count"].run(text=text)
    anatomy = dissect(text)
    assert outcome.wrong.values.tolist() == [anatomy.n_code_points]
    assert outcome.right.values.tolist() == [len(anatomy.clusters)]


@pytest.mark.parametrize("words", PITFALLS["repeated_word"].inputs["words"].options)
def test_a_picture_has_a_column_for_every_label_of_the_core(words):
    outcome = PITFALLS["repeated_word"].run(words=words)
    sentence = Sentence.parse(words)
    assert outcome.right.values.shape[1] == len(set(sentence.labels))
    assert outcome.wrong.values.shape[1] == len(set(sentence.tokens))


# Running and finding


def test_an_input_that_is_not_there_or_not_offered_is_refused():
    split = PITFALLS["bare_view"]
    with says(
        "the inputs of bare_view must be among: B, T, n_heads, d_head; got C. "
        "Try run() for those that it starts with."
    ):
        split.run(C=3)
    with says("B of bare_view must be one of 1, 2; got B=3. Try B=1."):
        split.run(B=3)
    with says("B of bare_view must be one of 1, 2; got B=True. Try B=1."):
        split.run(B=True)
    with says("bias of cost_of_heads must be one of False, True; got bias=1. Try bias=False."):
        PITFALLS["cost_of_heads"].run(bias=1)
    with says(
        f"dtype of half_precision_fill must be one of 'float16', 'bfloat16', 'float32'; "
        f"got dtype='{'x' * 39}. Try dtype='float16'."
    ):
        PITFALLS["half_precision_fill"].run(dtype="x" * 99)


@pytest.mark.parametrize(
    ("key", "chosen", "summary"),
    [
        ("bare_view", {}, "20 of 24 numbers differ"),
        ("bare_view", {"n_heads": 1}, "0 of 8 numbers differ"),
        ("heads_in_a_list", {}, "the one number differs"),
        ("guessed_head_size", {"model": "gpt2"}, "0 of 2 numbers differ"),
        ("empty_row", {}, "one of them raises an error"),
        ("averaged_heads", {}, "the shapes differ: (5, 6, 6) and (5, 4, 6, 6)"),
        ("tiled_kv", {"n_repeats": 4}, "4 of 8 numbers differ"),
        ("tiled_kv", {"n_kv_heads": 1, "n_repeats": 1}, "the one number is the same"),
        ("causal_with_cache", {"cached": 1}, "2 of 2 numbers differ"),
        ("not_divisible", {"n_heads": 5}, "0 of 2 numbers differ"),
    ],
)
def test_the_difference_is_said_in_words(key, chosen, summary):
    assert PITFALLS[key].run(**chosen).summary == summary


@every_pitfall
def test_nothing_differs_from_itself(pitfall):
    for function in (pitfall.wrong, pitfall.right):
        outcome = replace(pitfall, wrong=function, right=function).run()
        assert outcome.n_differ in (0, None)  # NaN is NaN
        assert (outcome.n_differ is None) == (outcome.summary == "both raise an error")


def test_two_errors_are_called_two():
    empty = PITFALLS["empty_row"]
    both = replace(empty, wrong=empty.right).run()
    assert both.summary == "both raise an error"
    assert (both.differs, both.n_differ) == (None, None)
    assert both.wrong.error == both.right.error == EMPTY.format(row=1)


def test_what_neither_torch_nor_careful_code_raises_is_not_an_answer():
    def broken_right(x, n_heads):
        return x.no_such_method()

    with pytest.raises(AttributeError, match="no_such_method"):
        replace(PITFALLS["bare_view"], right=broken_right).run()


def test_an_answer_is_kept_as_an_array_of_what_was_returned():
    answer = PITFALLS["half_precision_fill"].run(dtype="bfloat16").right
    assert isinstance(answer, Answer)
    assert answer.values.dtype == np.float64
    assert PITFALLS["bare_view"].run().right.values.dtype == np.int64
    assert PITFALLS["tiled_masks"].run().right.values.dtype == bool


def test_search_finds_by_every_word_of_name_sentence_topic_and_code():
    assert search("") == search("  ") == tuple(PITFALLS.values())
    assert [p.key for p in search("BARE view")] == ["bare_view"]
    assert [p.key for p in search("keras")] == ["cost_of_heads"]
    assert [p.key for p in search("repeat_interleave")] == ["tiled_kv", "tiled_masks"]
    assert {p.key for p in search("masks")} >= {"upside_down", "empty_row", "tiled_masks"}
    assert search("masks keras") == ()
    assert search("[(\\") == ()
