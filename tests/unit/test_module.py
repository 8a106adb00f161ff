"""The fused module against everything that it must equal: itself, the reference, PyTorch."""

from __future__ import annotations

import ast
import inspect
import math
import re
import subprocess
import sys
from typing import NamedTuple

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from mha.config import AttentionConfig
from mha.layout import merge_heads, repeat_kv, split_heads
from mha.module import MultiHeadAttention, embed
from mha.reference import attend, causal_mask
from tests.unit.draw import patient, seeds
from tests.unit.says import says

NAMES = (
    "x qkv q k v q_heads k_heads v_heads k_all v_all scores masked weights z z_by_token merged out"
).split()


class Case(NamedTuple):
    """A module, an input of its dtype, and whether the mask is on."""

    module: MultiHeadAttention
    x: torch.Tensor
    causal: bool

    def steps(self) -> dict[str, torch.Tensor]:
        return {s.name: s.tensor for s in self.module.trace(self.x, causal=self.causal)}

    def agree(self, ours: torch.Tensor, theirs: torch.Tensor) -> None:
        atol = 1e-12 if self.x.dtype == torch.float64 else 2e-5
        torch.testing.assert_close(ours, theirs, rtol=0, atol=atol)


@st.composite
def cases(draw, *, gradient: bool = False) -> Case:
    h_kv, group, d_head = (draw(st.integers(1, most)) for most in (3, 3, 4))
    B, T = draw(st.integers(1, 3)), draw(st.integers(1, 7))
    h = h_kv * group
    config = AttentionConfig(h * d_head, h, h_kv, draw(st.booleans()))
    dtype = torch.float64 if gradient else draw(st.sampled_from([torch.float32, torch.float64]))
    module = MultiHeadAttention.seeded(config, draw(seeds)).to(dtype)
    generator = torch.Generator().manual_seed(draw(seeds))
    x = torch.randn(B, T, h * d_head, generator=generator, dtype=dtype, requires_grad=gradient)
    return Case(module, x, draw(st.booleans()))


# One matrix of equivalence


@given(cases())
@patient
def test_the_steps_and_the_fused_kernel_give_the_same(case):
    fused = case.module(case.x, causal=case.causal)
    case.agree(case.steps()["out"], fused)
    assert fused.shape == case.x.shape


@given(cases(gradient=True))
@patient
def test_the_steps_and_the_fused_kernel_have_the_same_gradients(case):
    given_to = (case.x, *case.module.parameters())
    pull = torch.linspace(-1, 1, case.x.numel(), dtype=case.x.dtype).view(case.x.shape)
    fused = case.module(case.x, causal=case.causal)
    stepped = case.steps()["out"]
    for ours, theirs in zip(
        torch.autograd.grad(stepped, given_to, pull),
        torch.autograd.grad(fused, given_to, pull),
        strict=True,
    ):
        case.agree(ours, theirs)


@given(cases())
@patient
def test_the_steps_are_the_reference_s(case):
    steps = {name: tensor.detach().numpy() for name, tensor in case.steps().items()}
    config, T = case.module.config, case.x.shape[1]
    q = split_heads(steps["q"], config.n_heads)
    k, v = (
        repeat_kv(split_heads(steps[part], config.n_kv_heads), config.group_size) for part in "kv"
    )
    trace = attend(q, k, v, mask=causal_mask(T) if case.causal else None)
    atol = 1e-12 if case.x.dtype == torch.float64 else 2e-5
    for ours, theirs in (
        (steps["masked"], trace.scores),
        (steps["weights"], trace.weights),
        (steps["z"], trace.z),
        (steps["merged"], merge_heads(trace.z)),
    ):
        np.testing.assert_allclose(ours, theirs, rtol=0, atol=atol)
    np.testing.assert_allclose(steps["weights"].sum(-1), 1, rtol=0, atol=atol)


@given(cases(gradient=True))
@patient
def test_torch_s_own_module_with_the_same_weights_gives_the_same(case):
    theirs = case.module.as_torch()
    T = case.x.shape[1]
    # There True means "may not look".
    hidden = torch.from_numpy(~causal_mask(T)) if case.causal else None
    out, weights = theirs(case.x, case.x, case.x, attn_mask=hidden, average_attn_weights=False)
    case.agree(case.module(case.x, causal=case.causal), out)
    case.agree(case.steps()["weights"], weights)
    pull = torch.linspace(-1, 1, case.x.numel(), dtype=case.x.dtype).view(case.x.shape)
    ours = torch.autograd.grad(case.module(case.x, causal=case.causal), case.x, pull)[0]
    case.agree(ours, torch.autograd.grad(out, case.x, pull)[0])


@given(cases())
@patient
def test_future_tokens_change_nothing_under_the_causal_mask(case):
    cut = case.x.shape[1] // 2 + 1
    whole = case.module(case.x)[:, :cut]
    case.agree(case.module(case.x[:, :cut]), whole)


def test_query_heads_share_keys_in_groups_of_neighbours():
    module = MultiHeadAttention.seeded(AttentionConfig(8, 4, 2), 0)
    steps = Case(module, embed("abc", 8, seed=0), True).steps()
    for head, kv_head in enumerate((0, 0, 1, 1)):
        assert torch.equal(steps["k_all"][:, head], steps["k_heads"][:, kv_head])
        assert torch.equal(steps["v_all"][:, head], steps["v_heads"][:, kv_head])


# The steps


@given(cases())
@patient
def test_each_step_s_code_makes_its_tensor_out_of_the_earlier_ones(case):
    B, T, C = case.x.shape
    config = case.module.config
    names = {
        **{"self": case.module, "B": B, "T": T, "C": C, "h": config.n_heads},
        **{"h_kv": config.n_kv_heads, "d_head": config.d_head},
        **{"C_kv": config.n_kv_heads * config.d_head, "math": math, "each": config.group_size},
        "mask": torch.from_numpy(causal_mask(T) if case.causal else np.ones((T, T), bool)),
        "x": case.x,
    }
    for step in case.module.trace(case.x, causal=case.causal):
        exec(step.code, names)
        assert torch.equal(names[step.name], step.tensor), step.name
        read = {n.id for n in ast.walk(ast.parse(step.code)) if isinstance(n, ast.Name)}
        assert set(step.inputs) == (read & set(NAMES)) - {step.name}


@given(cases())
@patient
def test_a_step_s_facts_are_its_tensor_s(case):
    B, T, C = case.x.shape
    config = case.module.config
    sizes = {
        **{"B": B, "T": T, "T_q": T, "T_k": T, "C": C, "h": config.n_heads},
        **{"h_kv": config.n_kv_heads, "d_head": config.d_head},
        "C_kv": config.n_kv_heads * config.d_head,
        "C+2C_kv": C + 2 * config.n_kv_heads * config.d_head,
    }
    steps = case.module.trace(case.x, causal=case.causal)
    assert [step.name for step in steps] == NAMES
    memory = {step.name: step.tensor.untyped_storage().data_ptr() for step in steps}
    for step in steps:
        assert step.shape == tuple(sizes[axis] for axis in step.axes)
        assert step.stride == step.tensor.stride()
        assert step.is_contiguous == step.tensor.is_contiguous()
        assert step.nbytes == math.prod(step.shape) * step.tensor.element_size()
        assert step.is_view == any(memory[step.name] == memory[other] for other in step.inputs)


@pytest.mark.parametrize(("h_kv", "repeats_are_views"), [(4, True), (2, False), (1, False)])
def test_splitting_views_and_only_repeating_multiplying_and_merging_write(h_kv, repeats_are_views):
    module = MultiHeadAttention.seeded(AttentionConfig(32, 4, h_kv), 0)
    views = {step.name for step in module.trace(torch.randn(2, 6, 32)) if step.is_view}
    split = {"q", "k", "v", "q_heads", "k_heads", "v_heads", "z_by_token"}
    assert views == split | ({"k_all", "v_all"} if repeats_are_views else set())


def test_the_code_of_the_steps_is_the_source_of_trace():
    source = inspect.getsource(MultiHeadAttention.trace)
    module = MultiHeadAttention(8, 2)
    for step in module.trace(torch.randn(1, 3, 8)):
        made = step.code.removeprefix(f"{step.name} = ")
        kept = rf"{step.name} = keep\(\s*{re.escape(made)},"
        assert re.search(kept, source), step.name


def test_the_lesson_s_sizes():
    module = MultiHeadAttention(d_model=32, n_heads=4)
    assert module(torch.randn(2, 6, 32)).shape == (2, 6, 32)
    assert sum(p.numel() for p in module.parameters()) == 4096
    assert [name for name, _ in module.named_children()] == ["qkv", "out"]


# Weights and inputs from a seed


def test_a_seed_gives_the_same_weights_and_touches_no_other_random_numbers():
    config = AttentionConfig(8, 2, 1, bias=True)
    before = torch.get_rng_state()
    first = MultiHeadAttention.seeded(config, 5)
    second = MultiHeadAttention.seeded(config, 5)
    first.as_torch()
    assert torch.equal(torch.get_rng_state(), before)
    other = MultiHeadAttention.seeded(config, 6)
    for name, weight in first.state_dict().items():
        assert torch.equal(weight, second.state_dict()[name])
        assert not torch.equal(weight, other.state_dict()[name])
        assert weight.abs().max() <= 1 / math.sqrt(8)
        assert weight.unique().numel() == weight.numel()


def test_equal_tokens_have_equal_vectors_and_others_have_others():
    x = embed(["a", "b", "a"], 16, seed=3, batch=2)
    assert x.shape == (2, 3, 16)
    assert torch.equal(x[:, 0], x[:, 2])
    assert not torch.equal(x[:, 0], x[:, 1])
    assert not torch.equal(x[0], x[1])
    assert torch.equal(embed(["b", "a"], 16, seed=3), x[:1, [1, 0]])
    assert not torch.equal(embed(["a"], 16, seed=4)[0, 0], x[0, 0])


def test_a_token_s_vector_is_standard_normal():
    x = embed([f"w{i}" for i in range(64)], 256, seed=0)
    assert abs(x.mean()) < 0.03
    assert abs(x.std() - 1) < 0.03


def test_a_token_s_vector_is_the_same_in_another_process():
    code = "from mha.module import embed; print(embed(['雨衣', '\\ud800'], 4, seed=1).tolist())"
    runs = [
        subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
        for _ in range(2)
    ]
    assert runs[0].stdout == runs[1].stdout != ""


# Errors, before anything runs


@pytest.mark.parametrize(
    ("sizes", "message"),
    [
        (
            (10, 3),
            "d_model must be divisible by n_heads; got d_model=10, n_heads=3. Try n_heads=2 or 5.",
        ),
        (
            (8, 4, 3),
            "n_heads must be divisible by n_kv_heads; got n_heads=4, n_kv_heads=3. "
            "Try n_kv_heads=2 or 4.",
        ),
        ((0, 1), "d_model must be a whole number of at least 1; got d_model=0. Try d_model=1."),
        ((8, 2.0), "n_heads must be a whole number of at least 1; got n_heads=2.0. Try n_heads=1."),
    ],
)
def test_sizes_that_cannot_be_are_refused(sizes, message):
    with says(message):
        MultiHeadAttention(*sizes)


@pytest.mark.parametrize(
    ("x", "message"),
    [
        (np.zeros((1, 2, 8)), "x must be a torch tensor; got ndarray. Try torch.as_tensor(x)."),
        (
            torch.zeros(1, 2, 6),
            "x must have the shape (B, T, d_model=8), none of them 0; got x.shape=(1, 2, 6). "
            "Try torch.randn(1, 6, 8).",
        ),
        (
            torch.zeros(2, 8),
            "x must have the shape (B, T, d_model=8), none of them 0; got x.shape=(2, 8). "
            "Try x[None], a batch of one.",
        ),
        (
            torch.zeros(1, 0, 8),
            "x must have the shape (B, T, d_model=8), none of them 0; got x.shape=(1, 0, 8). "
            "Try torch.randn(1, 6, 8).",
        ),
        (
            torch.zeros(1, 2, 8, dtype=torch.float64),
            "x must have the dtype of the weights, torch.float32; got x.dtype=torch.float64. "
            "Try x.to(torch.float32).",
        ),
        (
            torch.zeros(1, 2, 8, dtype=torch.long),
            "x must have the dtype of the weights, torch.float32; got x.dtype=torch.int64. "
            "Try x.to(torch.float32).",
        ),
    ],
)
def test_an_input_that_does_not_fit_is_refused_by_both_ways(x, message):
    module = MultiHeadAttention(8, 2)
    for run in (module.forward, module.trace):
        with says(message):
            run(x)


@pytest.mark.parametrize(
    ("tokens", "message"),
    [([], "number of tokens must be a whole number of at least 1; got number of tokens=0. Try ")],
)
def test_no_token_makes_no_input(tokens, message):
    with pytest.raises(ValueError, match=message):
        embed(tokens, 8, seed=0)
