"""Laws of a layer's sizes."""

from __future__ import annotations

from dataclasses import FrozenInstanceError

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mha.config import AttentionConfig
from tests.unit.says import says

sizes = st.integers(1, 64)


@given(d_head=sizes, group_size=sizes, n_kv_heads=sizes)
def test_heads_share_the_width_and_groups_share_the_heads(d_head, group_size, n_kv_heads):
    n_heads = group_size * n_kv_heads
    config = AttentionConfig(n_heads * d_head, n_heads, n_kv_heads)
    assert config.d_head == d_head
    assert config.group_size == group_size
    assert (config.d_model, config.n_heads, config.n_kv_heads) == (
        n_heads * d_head,
        n_heads,
        n_kv_heads,
    )


@given(d_head=sizes, n_heads=sizes)
def test_every_head_has_its_own_keys_and_values_unless_told(d_head, n_heads):
    config = AttentionConfig(n_heads * d_head, n_heads)
    assert config.n_kv_heads == n_heads
    assert config.group_size == 1
    assert config.bias is False
    assert config == AttentionConfig(n_heads * d_head, n_heads, n_heads)
    assert config != AttentionConfig(n_heads * d_head, n_heads, bias=True)


def test_numpys_integers_become_python_ints():
    config = AttentionConfig(np.int64(8), np.int32(4), np.uint8(2))
    assert {type(n) for n in (config.d_model, config.n_heads, config.n_kv_heads)} == {int}


@pytest.mark.parametrize("name", ["d_model", "n_heads", "n_kv_heads", "bias"])
def test_sizes_are_frozen_once_checked(name):
    config = AttentionConfig(8, 2)
    with pytest.raises(FrozenInstanceError):
        setattr(config, name, 4)


@pytest.mark.parametrize(
    ("sizes", "message"),
    [
        (
            (10, 3),
            "d_model must be divisible by n_heads; got d_model=10, n_heads=3. Try n_heads=2 or 5.",
        ),
        (
            (1600, 48),
            "d_model must be divisible by n_heads; got d_model=1600, n_heads=48. "
            "Try n_heads=40 or 50.",
        ),
        (
            (8, 4, 3),
            "n_heads must be divisible by n_kv_heads; got n_heads=4, n_kv_heads=3. "
            "Try n_kv_heads=2 or 4.",
        ),
        (
            (8, 2, 4),
            "n_heads must be divisible by n_kv_heads; got n_heads=2, n_kv_heads=4. "
            "Try n_kv_heads=2.",
        ),
        ((0, 1), "d_model must be a whole number of at least 1; got d_model=0. Try d_model=1."),
        ((8, -1), "n_heads must be a whole number of at least 1; got n_heads=-1. Try n_heads=1."),
        (
            (8, 2, 0),
            "n_kv_heads must be a whole number of at least 1; got n_kv_heads=0. Try n_kv_heads=1.",
        ),
        (
            (1e99, 2),
            "d_model must be a whole number of at least 1; got d_model=1e+99. Try d_model=1.",
        ),
        (
            (8, "2"),
            "n_heads must be a whole number of at least 1; got n_heads='2'. Try n_heads=1.",
        ),
        (
            (8, True),
            "n_heads must be a whole number of at least 1; got n_heads=True. Try n_heads=1.",
        ),
    ],
)
def test_sizes_that_do_not_fit_are_refused(sizes, message):
    with says(message):
        AttentionConfig(*sizes)
