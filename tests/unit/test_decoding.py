"""Decoding step by step: both ways give the module's outputs, and do the work that is counted."""

from __future__ import annotations

import itertools
from typing import NamedTuple

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch.utils.flop_counter import FlopCounterMode

from mha import decoding
from mha.config import AttentionConfig
from mha.decoding import decode, pass_through
from mha.ledger import count_decoding, count_multiply_adds, kv_cache_bytes
from mha.module import MultiHeadAttention
from tests.unit.draw import patient, seeds
from tests.unit.says import says

# A case decodes token after token; a few dozen of them reach every pair of sizes.
some = settings(patient, max_examples=20)
each_way = pytest.mark.parametrize("cached", [True, False])


class Case(NamedTuple):
    """A module, an input of its dtype, and how many tokens pass together first."""

    module: MultiHeadAttention
    x: torch.Tensor
    prefill: int

    @property
    def config(self) -> AttentionConfig:
        return self.module.config

    def decode(self, cached: bool, prefill: int = 1) -> list[decoding.Decoded]:
        return list(decode(self.module, self.x, cached=cached, prefill=prefill))

    def agree(self, ours: torch.Tensor, theirs: torch.Tensor) -> None:
        atol = 1e-12 if self.x.dtype == torch.float64 else 1e-5
        torch.testing.assert_close(ours, theirs, rtol=0, atol=atol)


@st.composite
def cases(draw) -> Case:
    h_kv, group, d_head = (draw(st.integers(1, most)) for most in (3, 3, 4))
    B, T = draw(st.integers(1, 3)), draw(st.integers(1, 7))
    config = AttentionConfig(h_kv * group * d_head, h_kv * group, h_kv, draw(st.booleans()))
    dtype = draw(st.sampled_from([torch.float32, torch.float64]))
    module = MultiHeadAttention.seeded(config, draw(seeds)).to(dtype)
    generator = torch.Generator().manual_seed(draw(seeds))
    x = torch.randn(B, T, config.d_model, generator=generator, dtype=dtype)
    return Case(module, x, draw(st.integers(1, T)))


# What comes out


@each_way
@given(case=cases())
@some
def test_each_token_s_output_is_the_module_s(cached, case):
    steps = case.decode(cached)
    assert [step.n for step in steps] == list(range(1, case.x.shape[1] + 1))
    expected = case.module(case.x)
    for step in steps:
        assert step.out.shape == (case.x.shape[0], 1, case.config.d_model)
        case.agree(step.out, expected[:, step.n - 1 : step.n])


@each_way
@given(case=cases())
@some
def test_a_prefill_changes_no_output(cached, case):
    first, *others = case.decode(cached, case.prefill)
    assert first.n == first.out.shape[1] == case.prefill
    assert [step.n for step in others] == list(range(case.prefill + 1, case.x.shape[1] + 1))
    assert all(step.out.shape[1] == 1 for step in others)
    out = torch.cat([step.out for step in (first, *others)], dim=1)
    case.agree(out, case.module(case.x))


@given(case=cases(), data=st.data())
@some
def test_several_queries_over_a_cache_have_a_mask_aligned_to_the_end(case, data):
    B, T, _ = case.x.shape
    known = data.draw(st.integers(0, T - 1))
    shape = (B, case.config.n_kv_heads, T, case.config.d_head)
    keys, values = case.x.new_full((2, *shape), torch.nan)
    if known:
        pass_through(case.module, case.x[:, :known], keys[:, :, :known], values[:, :, :known])
    out = pass_through(case.module, case.x[:, known:], keys, values)
    case.agree(out, case.module(case.x)[:, known:])


# What is kept


@given(case=cases())
@some
def test_the_cache_holds_the_keys_and_values_of_kv_heads_alone(case):
    steps = {step.name: step.tensor for step in case.module.trace(case.x)}
    for step in case.decode(cached=True):
        assert step.keys.shape == (
            case.x.shape[0], case.config.n_kv_heads, step.n, case.config.d_head,
        )  # fmt: skip
        case.agree(step.keys, steps["k_heads"][:, :, : step.n])
        case.agree(step.values, steps["v_heads"][:, :, : step.n])


@given(case=cases())
@some
def test_the_cache_takes_the_bytes_that_the_ledger_counts(case):
    of_float32 = case.x.element_size() // 4
    for step in case.decode(cached=True, prefill=case.prefill):
        counted = kv_cache_bytes(
            case.config, n_layers=1, T=step.n, batch=case.x.shape[0], bytes_per_number=4
        )
        assert step.cache_bytes == of_float32 * counted


@given(case=cases())
@some
def test_nothing_is_kept_without_a_cache(case):
    for step in case.decode(cached=False):
        assert step.keys.numel() == step.values.numel() == step.cache_bytes == 0


# What it costs


@each_way
@given(case=cases())
@some
def test_the_work_done_is_the_work_counted(cached, case):
    steps = decode(case.module, case.x, cached=cached, prefill=case.prefill)
    for _ in range(case.x.shape[1] - case.prefill + 1):
        with FlopCounterMode(display=False) as counter:
            step = next(steps)
        assert counter.get_total_flops() == 2 * step.multiply_adds.total


@each_way
@given(case=cases())
@some
def test_a_step_s_count_is_the_ledger_s(cached, case):
    B = case.x.shape[0]
    for step in case.decode(cached):
        assert step.multiply_adds == count_decoding(case.config, step.n, cached=cached, batch=B)
    prefill = case.decode(cached, case.prefill)[0].multiply_adds
    assert prefill == count_multiply_adds(case.config, T_q=case.prefill, batch=B)


@each_way
def test_a_step_runs_as_often_as_asked_and_its_least_time_is_given(cached, monkeypatch):
    ran = []
    monkeypatch.setattr(
        decoding, "pass_through", lambda *given: ran.append(given[1]) or pass_through(*given)
    )
    clock = itertools.chain([0, 5, 10, 12, 20, 29], itertools.count(100))
    monkeypatch.setattr(decoding.time, "perf_counter", lambda: next(clock))
    module = MultiHeadAttention.seeded(AttentionConfig(8, 2), 0)
    first, second = decode(module, torch.ones(1, 2, 8), cached=cached, repeats=3)
    assert (first.seconds, second.seconds) == (2, 1)
    warm, *timed = [x.shape[1] for x in ran]
    assert warm == 1
    assert timed == [1, 1, 1] + [1 if cached else 2] * 3


def test_a_real_run_takes_time():
    module = MultiHeadAttention.seeded(AttentionConfig(8, 2), 0)
    assert all(step.seconds > 0 for step in decode(module, torch.ones(1, 3, 8), cached=True))


def test_no_gradient_is_recorded_and_the_caller_s_setting_stays():
    module = MultiHeadAttention.seeded(AttentionConfig(8, 2), 0)
    for step in decode(module, torch.ones(1, 2, 8, requires_grad=True), cached=True):
        assert not step.out.requires_grad
        assert torch.is_grad_enabled()


# Errors, before anything runs


@pytest.mark.parametrize(
    ("x", "asked", "message"),
    [
        (
            torch.zeros(1, 2, 6),
            {},
            "x must have the shape (B, T, d_model=8), none of them 0; got x.shape=(1, 2, 6). "
            "Try torch.randn(1, 6, 8).",
        ),
        (
            torch.zeros(1, 2, 8),
            {"prefill": 0},
            "prefill must be a whole number of at least 1; got prefill=0. Try prefill=1.",
        ),
        (
            torch.zeros(1, 2, 8),
            {"prefill": 3},
            "prefill must be at most 2; got prefill=3. Try prefill=2.",
        ),
        (
            torch.zeros(1, 2, 8),
            {"repeats": 0},
            "repeats must be a whole number of at least 1; got repeats=0. Try repeats=1.",
        ),
    ],
)
def test_what_cannot_be_decoded_is_refused_when_it_is_asked(x, asked, message):
    module = MultiHeadAttention(8, 2)
    with says(message):
        decode(module, x, cached=True, **asked)
