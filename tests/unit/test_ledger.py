"""The ledger is held to ledgers added up by hand, to PyTorch's own modules, and to laws."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import nn

from mha.checks import divisors
from mha.config import AttentionConfig
from mha.ledger import (
    BYTES,
    count_decoding,
    count_multiply_adds,
    count_parameters,
    count_scores,
    kv_cache_bytes,
)
from tests.unit.draw import patient
from tests.unit.says import says

few = st.integers(1, 6)
lengths = st.integers(1, 9)


@st.composite
def configs(draw, bias: bool | None = None, grouped: bool = True) -> AttentionConfig:
    """Layers of a few heads, often with groups."""
    h_kv, group, d_head = draw(few), draw(few) if grouped else 1, draw(few)
    h = h_kv * group
    return AttentionConfig(h * d_head, h, h_kv, draw(st.booleans()) if bias is None else bias)


own_sizes = st.one_of(st.none(), st.integers(1, 12))


def parameters_of(*modules: nn.Module) -> int:
    return sum(p.numel() for module in modules for p in module.parameters())


def linears(config: AttentionConfig, d_head: int | None, device: str) -> list[nn.Module]:
    """The four projections, as one would write them."""
    C, d_head = config.d_model, d_head or config.d_head
    inside, shared = config.n_heads * d_head, config.n_kv_heads * d_head
    sizes = [(C, inside), (C, shared), (C, shared), (inside, C)]
    return [nn.Linear(*size, bias=config.bias, device=device) for size in sizes]


# Parameters


def test_the_lessons_module_added_up_by_hand():
    count = count_parameters(AttentionConfig(32, 4))
    # One head: 32 numbers in, 8 out, three times (Q, K, V): 3 * 32 * 8 = 768.
    assert count.per_head["W_Q"] + sum(count.per_kv_head.values()) == 768
    # Four heads: 4 * 768 = 3,072. W_O: 32 * 32 = 1,024. Together 4,096.
    assert count.terms == {"W_Q": 1024, "W_K": 1024, "W_V": 1024, "W_O": 1024}
    assert count.total == 4096


def test_groups_and_a_bias_added_up_by_hand():
    count = count_parameters(AttentionConfig(32, 4, 2, bias=True))
    assert count.terms == {
        "W_Q": 1024,  # 32 * (4 heads * 8)
        "W_K": 512,  # 32 * (2 shared heads * 8)
        "W_V": 512,
        "W_O": 1024,  # (4 heads * 8) * 32
        "b_Q": 32,  # 4 * 8
        "b_K": 16,  # 2 * 8
        "b_V": 16,
        "b_O": 32,  # the width
    }
    assert count.total == 3168


def test_a_head_size_of_its_own_added_up_by_hand():
    # Mistral-Small-24B: 5120 wide, 32 heads of 128 (not 160), 8 shared.
    count = count_parameters(AttentionConfig(5120, 32, 8), d_head=128)
    assert list(count.terms.values()) == [20_971_520, 5_242_880, 5_242_880, 20_971_520]
    assert count.total == 52_428_800


@pytest.mark.parametrize("h", [1, 8, 64])
@pytest.mark.parametrize(("bias", "total"), [(False, 1_048_576), (True, 1_050_624)])
def test_width_512_has_as_many_whatever_the_heads(h, bias, total):
    assert count_parameters(AttentionConfig(512, h, bias=bias)).total == total


def test_gpt2_small_is_counted_without_a_module():
    assert count_parameters(AttentionConfig(768, 12)).total == 2_359_296
    assert count_parameters(AttentionConfig(768, 12, bias=True)).total == 2_362_368


@given(C=st.integers(1, 2000), bias=st.booleans())
@patient
def test_heads_do_not_change_the_total(C, bias):
    totals = {count_parameters(AttentionConfig(C, h, bias=bias)).total for h in divisors(C)}
    assert totals == {4 * C * C + 4 * C * bias}


@given(C=st.integers(2, 500), d_head=st.integers(1, 300), bias=st.booleans())
@patient
def test_heads_of_a_size_of_their_own_do_change_the_total(C, d_head, bias):
    totals = [
        count_parameters(AttentionConfig(C, h, bias=bias), d_head=d_head).total for h in divisors(C)
    ]
    assert totals == sorted(set(totals))  # each more than the last
    assert totals == [h * (4 * C + 3 * bias) * d_head + C * bias for h in divisors(C)]


@given(config=configs(), d_head=own_sizes)
@patient
def test_terms_add_up_to_the_total_and_so_do_the_shares(config, d_head):
    count = count_parameters(config, d_head=d_head)
    assert sum(count.terms.values()) == count.total
    assert count.total == (
        config.n_heads * sum(count.per_head.values())
        + config.n_kv_heads * sum(count.per_kv_head.values())
        + sum(count.common.values())
    )
    names = ["W_Q", "W_K", "W_V", "W_O"] + ["b_Q", "b_K", "b_V", "b_O"] * config.bias
    assert list(count.terms) == names
    assert {type(term) for term in count.terms.values()} == {int}


@given(config=configs())
@patient
def test_the_usual_head_size_may_be_said_or_left_out(config):
    assert count_parameters(config) == count_parameters(config, d_head=config.d_head)


@given(config=configs(grouped=False))
@patient
def test_it_is_what_pytorchs_own_module_holds(config):
    module = nn.MultiheadAttention(config.d_model, config.n_heads, bias=config.bias)
    assert count_parameters(config).total == parameters_of(module)


@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize("sizes", [(768, 12), (12288, 96), (16384, 128)])
def test_it_is_what_pytorchs_own_module_would_hold_where_it_is_wide(sizes, bias):
    module = nn.MultiheadAttention(*sizes, bias=bias, device="meta")
    count = count_parameters(AttentionConfig(*sizes, bias=bias))
    assert count.total == parameters_of(module)
    named = {name: p.numel() for name, p in module.named_parameters()}
    assert named["in_proj_weight"] == sum(count.terms[f"W_{i}"] for i in "QKV")
    assert named["out_proj.weight"] == count.terms["W_O"]
    if bias:
        assert named["in_proj_bias"] == sum(count.terms[f"b_{i}"] for i in "QKV")
        assert named["out_proj.bias"] == count.terms["b_O"]


@given(config=configs(), d_head=own_sizes)
@patient
def test_each_term_is_what_its_own_linear_layer_holds(config, d_head):
    count = count_parameters(config, d_head=d_head)
    for which, layer in zip("QKVO", linears(config, d_head, "cpu"), strict=True):
        assert count.terms[f"W_{which}"] == layer.weight.numel()
        if config.bias:
            assert count.terms[f"b_{which}"] == layer.bias.numel()


@pytest.mark.parametrize("d_head", [None, 128, 256])
def test_wide_groups_are_what_their_linear_layers_would_hold(d_head):
    config = AttentionConfig(8192, 64, 8, bias=True)
    count = count_parameters(config, d_head=d_head)
    assert count.total == parameters_of(*linears(config, d_head, "meta"))


def test_no_size_is_too_large_to_be_exact():
    C = 2**40
    assert count_parameters(AttentionConfig(C, 2**10)).total == 2**82


# The cache


def test_mistral_small_takes_512_bytes_a_head_a_token_and_a_layer():
    config = AttentionConfig(5120, 32, 8)
    one_token = kv_cache_bytes(config, n_layers=1, T=1, d_head=128)
    assert one_token // config.n_kv_heads == 512
    guessed = kv_cache_bytes(config, n_layers=1, T=1)
    assert guessed // config.n_kv_heads == 640


def test_gpt2_smalls_cache_added_up_by_hand():
    # 2 (K and V) * 12 layers * 12 heads * 64 numbers * 1,024 tokens * 2 bytes = 36 MiB.
    assert kv_cache_bytes(AttentionConfig(768, 12), n_layers=12, T=1024) == 36 * 2**20


@given(
    config=configs(), L=few, T=lengths, batch=few, d_head=own_sizes, bytes_=st.sampled_from(BYTES)
)
@patient
def test_the_cache_is_what_its_tensors_hold(config, L, T, batch, d_head, bytes_):
    shape = (batch, config.n_kv_heads, T, d_head or config.d_head)
    numbers = sum(torch.empty(shape, device="meta").numel() for _ in range(2 * L))
    got = kv_cache_bytes(
        config, n_layers=L, T=T, batch=batch, bytes_per_number=bytes_, d_head=d_head
    )
    assert type(got) is int
    assert got == numbers * Fraction(bytes_)


@given(config=configs(), T=lengths, window=lengths)
@patient
def test_a_window_holds_no_more_than_its_tokens(config, T, window):
    got = kv_cache_bytes(config, n_layers=3, T=T, window=window)
    assert got == kv_cache_bytes(config, n_layers=3, T=min(T, window))


def test_half_bytes_stay_exact_where_a_float_would_not():
    config = AttentionConfig(1, 1)
    T = 2**60 + 1
    assert kv_cache_bytes(config, n_layers=1, T=T, bytes_per_number=0.5) == T
    assert count_scores(config, T_q=1, T_k=T, bytes_per_number=0.5).bytes == 2**59 + 1


# Multiply-adds


def products(*pairs: tuple[tuple[int, ...], tuple[int, ...]]) -> list[int]:
    """Multiply-adds of each matrix product, from the shapes that PyTorch gives its result."""
    counts = []
    for left, right in pairs:
        a, b = (torch.empty(shape, device="meta") for shape in (left, right))
        counts.append((a @ b).numel() * left[-1])
    return counts


@given(config=configs(), batch=few, T_q=lengths, cached=st.integers(0, 5), d_head=own_sizes)
@patient
def test_each_step_is_its_matrix_product(config, batch, T_q, cached, d_head):
    C, h, d = config.d_model, config.n_heads, d_head or config.d_head
    T_k = T_q + cached
    q, k, v, scores, weights_v, output = products(
        ((batch, T_q, C), (C, h * d)),
        ((batch, T_q, C), (C, config.n_kv_heads * d)),
        ((batch, T_q, C), (C, config.n_kv_heads * d)),
        ((batch, h, T_q, d), (batch, h, d, T_k)),
        ((batch, h, T_q, T_k), (batch, h, T_k, d)),
        ((batch, T_q, h * d), (h * d, C)),
    )
    count = count_multiply_adds(config, T_q=T_q, T_k=T_k, batch=batch, d_head=d_head)
    assert count.terms == {
        "qkv": q + k + v, "scores": scores, "weights_v": weights_v, "output": output,
    }  # fmt: skip
    assert count.total == sum(count.terms.values())


@given(T_q=lengths, cached=st.integers(0, 5))
@patient
def test_a_causal_count_is_of_the_pairs_that_the_mask_lets_through(T_q, cached):
    config, T_k = AttentionConfig(6, 3), T_q + cached
    seen = sum(1 for q in range(T_q) for k in range(T_k) if k <= q + cached)
    causal = count_multiply_adds(config, T_q=T_q, T_k=T_k, causal=True)
    assert causal.scores == causal.weights_v == 3 * seen * 2
    full = count_multiply_adds(config, T_q=T_q, T_k=T_k)
    assert full.scores == 3 * T_q * T_k * 2
    assert (causal.qkv, causal.output) == (full.qkv, full.output)


def test_decoding_the_fifth_token_added_up_by_hand():
    config = AttentionConfig(32, 4)
    # One token in: 1 * 32 * 96. It looks at 5: 4 heads * 5 * 8, twice. Out: 1 * 32 * 32.
    assert count_decoding(config, 5, cached=True).total == 3072 + 160 + 160 + 1024
    # All five again: 5 * 32 * 96, then 4 * 25 * 8 twice, then 5 * 32 * 32.
    assert count_decoding(config, 5, cached=False).total == 15_360 + 800 + 800 + 5120


@given(config=configs(), n=st.integers(1, 50))
@patient
def test_without_a_cache_token_n_costs_n_times_as_much(config, n):
    cached, anew = (count_decoding(config, n, cached=cached) for cached in (True, False))
    assert anew.total == n * cached.total


# Scores


@given(config=configs(), batch=few, T_q=lengths, cached=st.integers(0, 5))
@patient
def test_scores_are_as_many_as_their_tensor_holds(config, batch, T_q, cached):
    shape = (batch, config.n_heads, T_q, T_q + cached)
    scores = torch.empty(shape, device="meta")
    count = count_scores(config, T_q=T_q, T_k=T_q + cached, batch=batch)
    assert count.numbers == scores.numel()
    assert count.bytes == scores.numel() * scores.element_size()
    assert count.softmaxes == math.prod(shape[:-1])


@pytest.mark.parametrize(("bytes_", "size"), [(4, 108), (2, 54), (1, 27), (0.5, 14)])
def test_half_a_byte_left_over_is_a_whole_one(bytes_, size):
    assert count_scores(AttentionConfig(3, 3), T_q=3, bytes_per_number=bytes_).bytes == size


@given(C=st.integers(1, 300), T=lengths)
@patient
def test_more_heads_are_more_softmaxes(C, T):
    for h in divisors(C):
        assert count_scores(AttentionConfig(C, h), T_q=T) == (h * T * T, 4 * h * T * T, h * T)


# What is refused

SMALL = AttentionConfig(8, 2)
FORMATS = "bytes_per_number must be 4, 2, 1 or 0.5 (32, 16, 8 or 4 bits); "


@pytest.mark.parametrize("wrong", [3, 0, -2, 0.25, 8, True, "2", None, math.nan, math.inf])
def test_other_formats_are_refused(wrong):
    message = f"{FORMATS}got bytes_per_number={wrong!r}. Try bytes_per_number=2."
    with says(message):
        kv_cache_bytes(SMALL, n_layers=1, T=1, bytes_per_number=wrong)
    with says(message):
        count_scores(SMALL, T_q=1, bytes_per_number=wrong)


@pytest.mark.parametrize("same", [2, 2.0, np.int64(2), np.float32(2), Fraction(2)])
def test_a_format_may_be_any_number_that_equals_it(same):
    got = kv_cache_bytes(SMALL, n_layers=1, T=3, bytes_per_number=same)
    assert (got, type(got)) == (96, int)


WHOLE = "{0} must be a whole number of at least 1; got {0}={1!r}. Try {0}=1."


@pytest.mark.parametrize("wrong", [0, -1, 1.5, "3", True])
@pytest.mark.parametrize(
    ("name", "call"),
    [
        ("d_head", lambda x: count_parameters(SMALL, d_head=x)),
        ("n_layers", lambda x: kv_cache_bytes(SMALL, n_layers=x, T=1)),
        ("T", lambda x: kv_cache_bytes(SMALL, n_layers=1, T=x)),
        ("batch", lambda x: kv_cache_bytes(SMALL, n_layers=1, T=1, batch=x)),
        ("d_head", lambda x: kv_cache_bytes(SMALL, n_layers=1, T=1, d_head=x)),
        ("window", lambda x: kv_cache_bytes(SMALL, n_layers=1, T=1, window=x)),
        ("T_q", lambda x: count_multiply_adds(SMALL, T_q=x)),
        ("T_k", lambda x: count_multiply_adds(SMALL, T_q=1, T_k=x)),
        ("batch", lambda x: count_multiply_adds(SMALL, T_q=1, batch=x)),
        ("d_head", lambda x: count_multiply_adds(SMALL, T_q=1, d_head=x)),
        ("n", lambda x: count_decoding(SMALL, x, cached=True)),
        ("n", lambda x: count_decoding(SMALL, x, cached=False)),
        ("T_q", lambda x: count_scores(SMALL, T_q=x)),
        ("batch", lambda x: count_scores(SMALL, T_q=1, batch=x)),
    ],
)
def test_a_size_must_be_a_positive_whole_number(name, call, wrong):
    with says(WHOLE.format(name, wrong)):
        call(wrong)


@pytest.mark.parametrize("count", [count_multiply_adds, count_scores])
def test_queries_are_the_last_of_the_keys(count):
    with says(
        "T_k must be at least T_q, whose tokens are the last of the T_k; got T_q=4, T_k=3. "
        "Try T_k=4."
    ):
        count(SMALL, T_q=4, T_k=3)
