"""Counts held to real modules, to sums by hand, and to the figures that people publish."""

from __future__ import annotations

from fractions import Fraction

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import nn

from mha.checks import divisors
from mha.config import AttentionConfig
from mha.ledger import (
    BYTES_PER_NUMBER,
    count_multiply_adds,
    count_parameters,
    count_scores,
    kv_cache_bytes,
    parameters_by_head,
)
from mha.module import MultiHeadAttention
from tests.unit.draw import patient
from tests.unit.says import says


@st.composite
def configs(draw) -> AttentionConfig:
    h_kv, group, d_head = (draw(st.integers(1, most)) for most in (4, 4, 8))
    h = h_kv * group
    return AttentionConfig(h * d_head, h, h_kv, draw(st.booleans()))


def numel(module: nn.Module) -> int:
    return sum(parameter.numel() for parameter in module.parameters())


# Parameters


@given(configs())
@patient
def test_the_count_is_the_real_module_s(config):
    with torch.device("meta"):
        module = MultiHeadAttention(
            config.d_model, config.n_heads, config.n_kv_heads, bias=config.bias
        )
    assert count_parameters(config).total == numel(module)


@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize(("C", "h"), [(8, 1), (12, 3), (512, 8), (16_384, 128)])
def test_the_count_is_that_of_torch_s_own_module(C, h, bias):
    with torch.device("meta"):
        theirs = nn.MultiheadAttention(C, h, bias=bias)
    assert count_parameters(AttentionConfig(C, h, bias=bias)).total == numel(theirs)


@given(configs(), st.integers(1, 9))
@patient
def test_a_head_size_of_its_own_counts_as_four_linear_layers(config, d_head):
    C, bias = config.d_model, config.bias
    wide, narrow = config.n_heads * d_head, config.n_kv_heads * d_head
    with torch.device("meta"):
        layers = [
            nn.Linear(*sizes, bias=bias)
            for sizes in ((C, wide), (C, narrow), (C, narrow), (wide, C))
        ]
    ledger = count_parameters(config, d_head=d_head)
    for name, layer in zip(("Q", "K", "V", "O"), layers, strict=True):
        assert ledger.terms[f"W_{name}"] == layer.weight.numel()
        assert ledger.terms.get(f"b_{name}", 0) == (layer.bias.numel() if bias else 0)
    assert ledger.total == sum(map(numel, layers))


@given(st.integers(1, 400))
def test_heads_do_not_change_the_total(C):
    totals = {count_parameters(AttentionConfig(C, h)).total for h in divisors(C)}
    assert totals == {4 * C * C}


@pytest.mark.parametrize("h", [1, 8, 64])
def test_heads_do_not_change_the_total_of_width_512(h):
    assert count_parameters(AttentionConfig(512, h)).total == 1_048_576
    assert count_parameters(AttentionConfig(512, h, bias=True)).total == 1_050_624


def test_heads_do_change_it_where_the_head_size_is_fixed_on_its_own():
    totals = [count_parameters(AttentionConfig(512, h), d_head=64).total for h in (1, 2, 4, 8)]
    assert totals == [131_072, 262_144, 524_288, 1_048_576]


def test_a_ledger_added_up_by_hand():
    # d_model 32, 4 heads of 8, 2 kv heads of 8, with bias.
    terms = {
        **{"W_Q": 32 * 32, "W_K": 32 * 16, "W_V": 32 * 16, "W_O": 32 * 32},
        **{"b_Q": 32, "b_K": 16, "b_V": 16, "b_O": 32},
    }
    ledger = count_parameters(AttentionConfig(32, 4, 2, bias=True))
    assert dict(ledger.terms) == terms
    assert ledger.total == 1024 + 512 + 512 + 1024 + 32 + 16 + 16 + 32 == 3168


def test_the_lesson_s_totals():
    assert count_parameters(AttentionConfig(32, 4)).total == 4_096
    assert count_parameters(AttentionConfig(768, 12)).total == 2_359_296


@given(configs(), st.one_of(st.none(), st.integers(1, 9)))
def test_the_heads_shares_add_up_to_the_weights(config, d_head):
    whole = count_parameters(config, d_head=d_head).terms
    heads = parameters_by_head(config, d_head=d_head)
    assert len(heads) == config.n_heads
    for name in ("W_Q", "W_K", "W_V", "W_O"):
        assert sum(head.terms[name] for head in heads) == whole[name]
    assert sum(head.terms["W_K"] > 0 for head in heads) == config.n_kv_heads


def test_as_on_paper_each_head_has_three_blocks_and_the_output_is_one_square():
    heads = parameters_by_head(AttentionConfig(32, 4))
    assert [head.total - head.terms["W_O"] for head in heads] == [3 * 32 * 8] * 4
    assert sum(head.terms["W_O"] for head in heads) == 32 * 32


def test_a_ledger_cannot_be_changed():
    ledger = count_parameters(AttentionConfig(8, 2))
    with pytest.raises(TypeError):
        ledger.terms["W_Q"] = 0


# Multiply-adds


@given(configs(), st.integers(1, 4), st.integers(1, 6))
@patient
def test_multiply_adds_are_what_pytorch_counts(config, B, T):
    from torch.utils.flop_counter import FlopCounterMode

    module = MultiHeadAttention(config.d_model, config.n_heads, config.n_kv_heads)
    with FlopCounterMode(display=False) as counter, torch.no_grad():
        module.trace(torch.zeros(B, T, config.d_model))
    ledger = count_multiply_adds(config, T_q=T, B=B)
    assert 2 * ledger.total == counter.get_total_flops()


@given(configs(), st.integers(1, 12))
def test_with_a_cache_only_the_new_token_is_projected(config, T):
    alone = count_multiply_adds(config, T_q=1).terms
    cached = count_multiply_adds(config, T_q=1, T_k=T).terms
    whole = count_multiply_adds(config, T_q=T).terms
    assert (cached["qkv"], cached["out"]) == (alone["qkv"], alone["out"])
    for name in ("scores", "z", "qkv", "out"):
        assert T * cached[name] == whole[name]


def test_fewer_keys_than_queries_are_refused():
    with says("T_k must be at least T_q, whose keys are among them; got T_q=3, T_k=2. Try T_k=3."):
        count_multiply_adds(AttentionConfig(8, 2), T_q=3, T_k=2)


@given(configs(), st.integers(1, 3), st.integers(1, 6))
@patient
def test_softmaxes_and_scores_are_those_of_the_trace(config, B, T):
    module = MultiHeadAttention(config.d_model, config.n_heads, config.n_kv_heads)
    (weights,) = [
        step.tensor
        for step in module.trace(torch.zeros(B, T, config.d_model))
        if step.name == "weights"
    ]
    rows, scores = count_scores(config, T=T, B=B)
    assert rows == weights.sum(-1).numel()
    assert scores == weights.numel()


# The cache


@given(configs(), st.integers(1, 5), st.integers(1, 9), st.integers(1, 3))
@patient
def test_the_cache_holds_the_keys_and_values_of_the_trace(config, n_layers, T, batch):
    module = MultiHeadAttention(config.d_model, config.n_heads, config.n_kv_heads)
    steps = {s.name: s for s in module.trace(torch.zeros(batch, T, config.d_model))}
    one_layer = steps["k_heads"].nbytes + steps["v_heads"].nbytes
    cache = kv_cache_bytes(config, n_layers=n_layers, T=T, batch=batch, bytes_per_number=4)
    assert cache == n_layers * one_layer


@given(configs(), st.integers(1, 99), st.sampled_from(list(BYTES_PER_NUMBER.values())))
def test_the_cache_is_exact_and_halves_with_the_bits(config, T, size):
    sixteen = kv_cache_bytes(config, n_layers=1, T=T)
    assert kv_cache_bytes(config, n_layers=1, T=T, bytes_per_number=size) == sixteen * size / 2
    assert (
        kv_cache_bytes(config, n_layers=1, T=T, bytes_per_number=float(size)) * 2 == sixteen * size
    )


@given(configs(), st.integers(1, 50), st.integers(1, 50))
def test_a_sliding_window_keeps_its_tokens_and_no_more(config, T, window):
    kept = kv_cache_bytes(config, n_layers=2, T=T, window=window)
    assert kept == kv_cache_bytes(config, n_layers=2, T=min(T, window))


def test_fewer_kv_heads_make_the_cache_as_many_times_smaller():
    many, few = (
        kv_cache_bytes(AttentionConfig(4096, 32, h_kv), n_layers=32, T=8192) for h_kv in (32, 4)
    )
    assert many == 8 * few == 4 * 2**30


def test_a_head_size_of_its_own_counts_in_the_cache():
    # Mistral-Small-24B: 5120 wide, 32 heads, 8 kv heads, each of 128 and not of 160.
    config = AttentionConfig(5120, 32, 8)
    cache = kv_cache_bytes(config, n_layers=1, T=1, d_head=128)
    assert cache // config.n_kv_heads == 512
    assert kv_cache_bytes(config, n_layers=1, T=1) // config.n_kv_heads == 640


@pytest.mark.parametrize("wrong", [0, 3, 0.25, "2", True, None, Fraction(1, 3)])
def test_other_numbers_of_bytes_are_refused(wrong):
    message = (
        f"bytes_per_number must be one of 4, 2, 1, 0.5; got bytes_per_number={wrong!r}. "
        "Try 2, for 16 bits."
    )
    with says(message):
        kv_cache_bytes(AttentionConfig(8, 2), n_layers=1, T=1, bytes_per_number=wrong)


@pytest.mark.parametrize(
    ("name", "run"),
    [
        ("d_head", lambda wrong: count_parameters(AttentionConfig(8, 2), d_head=wrong)),
        ("T_q", lambda wrong: count_multiply_adds(AttentionConfig(8, 2), T_q=wrong)),
        ("T", lambda wrong: count_scores(AttentionConfig(8, 2), T=wrong)),
        ("n_layers", lambda wrong: kv_cache_bytes(AttentionConfig(8, 2), n_layers=wrong, T=1)),
        ("T", lambda wrong: kv_cache_bytes(AttentionConfig(8, 2), n_layers=1, T=wrong)),
        (
            "window",
            lambda wrong: kv_cache_bytes(AttentionConfig(8, 2), n_layers=1, T=1, window=wrong),
        ),
    ],
)
@pytest.mark.parametrize("wrong", [0, -1, 1.5, True])
def test_sizes_that_cannot_be_are_refused(name, run, wrong):
    with says(f"{name} must be a whole number of at least 1; got {name}={wrong!r}. Try {name}=1."):
        run(wrong)
