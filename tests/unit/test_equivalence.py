"""One matrix of equivalence: NumPy's reference against both of PyTorch's attentions.

Neither side imports the other; what they share is the numbers. `nn.MultiheadAttention` means
"may not look" by True, so that the mask is turned round where they meet.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from hypothesis import given
from hypothesis import strategies as st
from torch.nn.attention.bias import causal_lower_right

from mha.reference import attend, causal_mask
from tests.unit.draw import dtypes, masks, normal, patient, seeds, tolerance


class Heads(NamedTuple):
    """Queries (B, h, T_q, d_head), keys and values (B, h, T_k, d_head), and a mask."""

    q: np.ndarray
    k: np.ndarray
    v: np.ndarray
    mask: np.ndarray | None


@st.composite
def heads(draw, self_attention: bool = False) -> Heads:
    B, h, d_head = (draw(st.integers(1, most)) for most in (3, 4, 8))
    T_q = draw(st.integers(1, 8))
    T_k = T_q if self_attention else draw(st.integers(1, 8))
    shapes = [(B, h, T, d_head) for T in (T_q, T_k, T_k)]
    q, k, v = normal(draw(seeds), *shapes, dtype=draw(dtypes))
    return Heads(q, k, v, draw(masks(T_q, T_k, draw(st.sampled_from([(), (B, h)])))))


def to_torch(array: np.ndarray | None) -> torch.Tensor | None:
    return None if array is None else torch.from_numpy(np.ascontiguousarray(array))


def agree(ours: np.ndarray, theirs: torch.Tensor) -> None:
    theirs = theirs.detach().numpy()
    assert ours.shape == theirs.shape
    assert ours.dtype == theirs.dtype
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=tolerance(ours.dtype))


def side_by_side(heads: np.ndarray) -> np.ndarray:
    """(B, h, T, d_head) → (B, T, C), as `nn.MultiheadAttention` wants it."""
    B, h, T, d_head = heads.shape
    return heads.swapaxes(1, 2).reshape(B, T, h * d_head)


def apart(x: np.ndarray, h: int) -> np.ndarray:
    """(B, T, C) → (B, h, T, d_head)."""
    B, T, C = x.shape
    return x.reshape(B, T, h, C // h).swapaxes(1, 2)


def multihead(h: int, W_in: np.ndarray, W_out: np.ndarray) -> torch.nn.MultiheadAttention:
    """PyTorch's module with these very weights: W_in (3C, C) and W_out (C, C)."""
    module = torch.nn.MultiheadAttention(
        len(W_out), h, bias=False, batch_first=True, dtype=to_torch(W_out).dtype
    )
    with torch.no_grad():
        module.in_proj_weight.copy_(to_torch(W_in))
        module.out_proj.weight.copy_(to_torch(W_out))
    return module


def run(module: torch.nn.MultiheadAttention, x: Any, mask: np.ndarray | None) -> tuple:
    """Outputs (B, T_q, C) and weights (B, h, T_q, T_k), not averaged over the heads."""
    hidden = None if mask is None else ~mask.reshape(-1, *mask.shape[-2:])
    if mask is not None and mask.ndim == 2:
        hidden = hidden[0]
    return module(
        *(to_torch(part) for part in x), attn_mask=to_torch(hidden), average_attn_weights=False
    )


@given(heads())
@patient
def test_the_reference_is_scaled_dot_product_attention(drawn):
    q, k, v, mask = (to_torch(array) for array in drawn)
    trace = attend(drawn.q, drawn.k, drawn.v, mask=drawn.mask)
    agree(trace.z, F.scaled_dot_product_attention(q, k, v, attn_mask=mask))
    # With the identity for values, what comes out is the weights themselves.
    each_key = torch.eye(k.shape[-2], dtype=k.dtype).expand(*k.shape[:2], -1, -1)
    agree(trace.weights, F.scaled_dot_product_attention(q, k, each_key, attn_mask=mask))


@given(heads(), st.floats(-2, 2))
@patient
def test_any_scale_is_the_one_of_scaled_dot_product_attention(drawn, scale):
    q, k, v, mask = (to_torch(array) for array in drawn)
    expected = F.scaled_dot_product_attention(q, k, v, attn_mask=mask, scale=scale)
    agree(attend(drawn.q, drawn.k, drawn.v, mask=drawn.mask, scale=scale).z, expected)


@given(heads(self_attention=True))
@patient
def test_the_causal_mask_is_is_causal(drawn):
    q, k, v, _ = (to_torch(array) for array in drawn)
    mask = causal_mask(drawn.q.shape[-2])
    expected = F.scaled_dot_product_attention(q, k, v, is_causal=True)
    agree(attend(drawn.q, drawn.k, drawn.v, mask=mask).z, expected)


@given(T_q=st.integers(1, 6), waiting=st.integers(0, 5), seed=seeds, dtype=dtypes)
@patient
def test_the_causal_mask_with_a_cache_is_aligned_to_the_lower_right(T_q, waiting, seed, dtype):
    T_k = T_q + waiting
    q, k, v = normal(seed, *[(2, 3, T, 4) for T in (T_q, T_k, T_k)], dtype=dtype)
    expected = F.scaled_dot_product_attention(
        *map(to_torch, (q, k, v)), attn_mask=causal_lower_right(T_q, T_k)
    )
    agree(attend(q, k, v, mask=causal_mask(T_q, T_k)).z, expected)


@given(heads())
@patient
def test_the_reference_is_multihead_attention_where_the_projections_are_identities(drawn):
    q, k, v, mask = drawn
    h, C = q.shape[1], q.shape[1] * q.shape[3]
    identity = np.eye(C, dtype=q.dtype)
    module = multihead(h, np.vstack([identity] * 3), identity)
    output, weights = run(module, map(side_by_side, (q, k, v)), mask)
    trace = attend(q, k, v, mask=mask)
    agree(trace.weights, weights)
    agree(side_by_side(trace.z), output)


@given(heads(self_attention=True), seeds)
@patient
def test_the_reference_is_multihead_attention_for_any_projections(drawn, seed):
    x, mask = side_by_side(drawn.q), drawn.mask
    h, C = drawn.q.shape[1], x.shape[-1]
    W_in, W_out = normal(seed, (3 * C, C), (C, C), dtype=x.dtype)
    W_in, W_out = W_in / np.sqrt(C, dtype=x.dtype), W_out / np.sqrt(C, dtype=x.dtype)
    output, weights = run(multihead(h, W_in, W_out), (x, x, x), mask)
    q, k, v = (apart(x @ W.T, h) for W in np.split(W_in, 3))
    trace = attend(q, k, v, mask=mask)
    agree(trace.weights, weights)
    agree(side_by_side(trace.z) @ W_out.T, output)


def test_true_means_the_opposite_in_multihead_attention():
    x = np.zeros((1, 3, 2))
    module = multihead(1, np.vstack([np.eye(2)] * 3), np.eye(2))
    mask = causal_mask(3)
    ours = attend(x, x, x, mask=mask).weights
    _, upside_down = module(*[to_torch(x)] * 3, attn_mask=to_torch(mask))
    _, turned = module(*[to_torch(x)] * 3, attn_mask=to_torch(~mask))
    assert ours[0, 0].tolist() == turned[0, 0].tolist() == [1, 0, 0]
    assert upside_down[0, 0].tolist() == [0, 0.5, 0.5]


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_zero_scores_with_a_cache_weigh_every_key_the_same(dtype):
    q, k = torch.zeros(1, 1, 2, dtype=dtype), torch.zeros(1, 5, 2, dtype=dtype)
    each_key = torch.eye(5, dtype=dtype)[None]
    wrong = F.scaled_dot_product_attention(q, k, each_key, is_causal=True)
    assert wrong[0, 0].tolist() == [1, 0, 0, 0, 0]
    right = attend(q.numpy(), k.numpy(), k.numpy(), mask=causal_mask(1, 5)).weights
    np.testing.assert_allclose(right[0, 0], 0.2, rtol=1e-6)
