"""Where every number of the trace comes from: its factors, put together again, are the number."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import pytest
import torch
from hypothesis import example, given, settings
from hypothesis import strategies as st

from mha.config import AttentionConfig
from mha.module import MultiHeadAttention, Step, embed
from mha.origin import Dot, Given, Line, Same, explain_number
from mha.reference import WeightArithmetic
from tests.unit.draw import seeds
from tests.unit.says import says

# Every number of every step is asked for in each example.
thorough = settings(deadline=None, max_examples=40)
PAIRS = ("scores", "masked", "weights")


class Case(NamedTuple):
    """A module and the steps of one pass through it."""

    module: MultiHeadAttention
    steps: dict[str, Step]

    def numbers(self, *names: str) -> Iterator[tuple[str, tuple[int, ...], float]]:
        """Every number of these steps, of all without a name: the step, where it is, itself."""
        for name in names or self.steps:
            for index, number in np.ndenumerate(self.steps[name].tensor.detach().numpy()):
                yield name, index, float(number)

    def explain(self, name: str, index: tuple[int, ...]):
        return explain_number(self.module, self.steps, name, index)

    def line(self, line: Line) -> np.ndarray:
        """What stands in the tensor, or in the parameter, where the line says that it is."""
        tensors = {name: step.tensor for name, step in self.steps.items()}
        tensors |= dict(self.module.named_parameters())
        return (
            tensors[line.name]
            .detach()
            .numpy()[
                tuple(slice(None) if position is None else position for position in line.index)
            ]
        )


def case(
    h_kv=2, group=2, d_head=3, B=2, T=3, *, bias=True, causal=True, seed=0, dtype=torch.float64
) -> Case:
    h = h_kv * group
    module = MultiHeadAttention.seeded(AttentionConfig(h * d_head, h, h_kv, bias), seed).to(dtype)
    generator = torch.Generator().manual_seed(seed)
    x = torch.randn(B, T, h * d_head, generator=generator, dtype=dtype)
    return Case(module, {step.name: step for step in module.trace(x, causal=causal)})


cases = st.builds(
    case,
    h_kv=st.integers(1, 2),
    group=st.integers(1, 3),
    d_head=st.integers(1, 3),
    B=st.integers(1, 2),
    T=st.integers(1, 4),
    bias=st.booleans(),
    causal=st.booleans(),
    seed=seeds,
)


@thorough
@given(cases)
@example(case())
@example(case(causal=False, bias=False))
def test_the_factors_of_every_number_give_the_number(drawn):
    for name, index, number in drawn.numbers():
        match drawn.explain(name, index):
            case Given(value):
                again = value
            case Same(source, there):
                again = drawn.steps[source].tensor[there].item()
                assert again == number  # not computed: not even rounded
            case Dot(left, right, _, bias):
                again = math.fsum(left.numbers * right.numbers) + (bias or 0)
            case WeightArithmetic() as cell:
                scores = cell.dot / math.sqrt(drawn.module.config.d_head)
                weight = cell.exponential / cell.row_sum
                again = {"scores": scores, "masked": cell.score, "weights": weight}[name]
        assert again == number or abs(again - number) <= 1e-12, (name, index)


@thorough
@given(cases)
def test_the_factors_are_numbers_of_the_tensors_that_are_named(drawn):
    for name, index, number in drawn.numbers():
        origin = drawn.explain(name, index)
        if isinstance(origin, WeightArithmetic):
            b, head, query, key = index
            for ours, tensor, row in ((origin.q, "q_heads", query), (origin.k, "k_all", key)):
                np.testing.assert_array_equal(ours, drawn.line(Line(tensor, (b, head, row), ours)))
        else:
            assert origin.value == number
        if isinstance(origin, Dot):
            for line in (origin.left, origin.right):
                np.testing.assert_array_equal(line.numbers, drawn.line(line))
                assert line.index.count(None) == 1
            assert {origin.left.name, origin.right.name} & set(drawn.steps[name].inputs)
            assert (origin.bias is not None) == (drawn.module.config.bias and name != "z")
        if isinstance(origin, Same):
            assert origin.source in drawn.steps[name].inputs


@thorough
@given(cases)
def test_a_number_lies_in_memory_where_it_is_said_to(drawn):
    for name, index, number in drawn.numbers():
        origin = drawn.explain(name, index)
        if isinstance(origin, Same):
            source = drawn.steps[origin.source]
            for step, address in (
                (drawn.steps[name], origin.address),
                (source, origin.source_address),
            ):
                memory = step.tensor.as_strided((address + 1,), (1,), 0)
                assert memory[address].item() == number
            assert origin.is_view == drawn.steps[name].is_view
            if origin.is_view:
                assert origin.address == origin.source_address


@thorough
@given(cases)
def test_no_two_numbers_of_a_step_come_from_one_but_for_repeated_heads(drawn):
    for name, step in drawn.steps.items():
        origins = [drawn.explain(*where) for *where, _ in drawn.numbers(name)]
        sources = [one.source_index for one in origins if isinstance(one, Same)]
        repeats = drawn.module.config.group_size if name in ("k_all", "v_all") else 1
        assert len(sources) in (0, step.tensor.numel())
        assert len(set(sources)) * repeats == len(sources)


@thorough
@given(cases)
def test_the_terms_that_add_something_are_told_and_those_of_z_by_weight(drawn):
    for name, index, _ in drawn.numbers("qkv", "z", "out"):
        origin = drawn.explain(name, index)
        left, right = origin.left.numbers, origin.right.numbers
        assert sorted(origin.order) == np.flatnonzero(left * right).tolist()
        told = left[origin.order] if name == "z" else -origin.order
        assert (np.diff(told) <= 0).all()


def test_query_heads_take_their_keys_from_the_head_of_their_group():
    drawn = case(h_kv=2, group=2, d_head=1, B=1, T=1)
    for name, source in (("k_all", "k_heads"), ("v_all", "v_heads")):
        heads = [drawn.explain(name, (0, head, 0, 0)).source_index[1] for head in range(4)]
        assert (heads, drawn.explain(name, (0, 0, 0, 0)).source) == ([0, 0, 1, 1], source)


def test_each_step_s_origin_is_of_its_kind():
    kinds = {"x": Given, **dict.fromkeys(("qkv", "z", "out"), Dot)}
    kinds |= dict.fromkeys(PAIRS, WeightArithmetic)
    drawn = case()
    for name, step in drawn.steps.items():
        origin = drawn.explain(name, (0,) * step.tensor.ndim)
        assert isinstance(origin, kinds.get(name, Same)), name


def test_the_numbers_of_a_few_places_by_hand():
    """d_head 2, two query heads on one kv head: C 4, so that k begins at column 4, v at 6."""
    drawn = case(h_kv=1, group=2, d_head=2, B=1, T=3)
    assert drawn.explain("k", (0, 2, 1))[:4] == ("qkv", (0, 2, 5), 2 * 8 + 5, 2 * 8 + 5)
    assert drawn.explain("v_heads", (0, 0, 2, 1))[:4] == ("v", (0, 2, 1), 23, 23)
    assert drawn.explain("k_all", (0, 1, 2, 0))[:2] == ("k_heads", (0, 0, 2, 0))
    # z is (h 2, T 3, d_head 2) in memory; merged has a row of 4 for each token.
    merged = drawn.explain("merged", (0, 2, 3))
    assert merged[:5] == ("z_by_token", (0, 2, 1, 1), 1 * 6 + 2 * 2 + 1, 2 * 4 + 3, False)
    z = drawn.explain("z", (0, 1, 0, 1))
    assert (z.left.index, z.right.index) == ((0, 1, 0, None), (0, 1, None, 1))
    assert z.order.tolist() == [0]  # the first token sees itself alone


def test_the_steps_of_a_module_in_training_can_be_asked_too():
    module = MultiHeadAttention.seeded(AttentionConfig(4, 2), 0)
    steps = {step.name: step for step in module.trace(embed("ab", 4, seed=0))}
    assert steps["out"].tensor.requires_grad
    for name, step in steps.items():
        explain_number(module, steps, name, (0,) * step.tensor.ndim)


# Errors


@pytest.mark.parametrize(
    ("name", "index", "message"),
    [
        (
            "softmax",
            (0, 0, 0),
            "name must be one of x, qkv, q, k, v, q_heads, k_heads, v_heads, k_all, v_all, scores, "
            "masked, weights, z, z_by_token, merged, out; got name='softmax'. Try name='out'.",
        ),
        (
            "z",
            (0, 1, 2),
            "index must have a position for each axis (B, h, T, d_head) of z; "
            "got index=(0, 1, 2). Try index=(0, 0, 0, 0).",
        ),
        ("out", (0, 3, 0), "T must be a whole number from 0 to 2; got T=3. Try T=2."),
        ("z", (0, -1, 0, 0), "h must be a whole number from 0 to 3; got h=-1. Try h=3."),
        ("q", (0, 0, 1.0), "C must be a whole number from 0 to 11; got C=1.0. Try C=11."),
    ],
)
def test_what_is_no_number_of_a_step_is_refused(name, index, message):
    with says(message):
        case().explain(name, index)
