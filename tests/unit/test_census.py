"""What PyTorch's own modules hold, held against the ledger."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mha.census import MOST_IN_MEMORY, count_modules, linear_layers
from mha.config import AttentionConfig
from mha.ledger import count_parameters
from tests.unit.draw import patient
from tests.unit.says import says

few = st.integers(1, 5)


own_sizes = st.one_of(st.none(), st.integers(1, 9))


@given(h_kv=few, group=few, size=few, bias=st.booleans(), d_head=own_sizes)
@patient
def test_the_linear_layers_hold_what_the_ledger_counts(h_kv, group, size, bias, d_head):
    h = h_kv * group
    config = AttentionConfig(h * size, h, h_kv, bias)
    ours, theirs, device = count_modules(config, d_head=d_head)
    count = count_parameters(config, d_head=d_head)
    assert sum(ours.values()) == count.total
    assert ours["qkv.weight"] == sum(count.terms[f"W_{i}"] for i in "QKV")
    assert ours["out.weight"] == count.terms["W_O"]
    plain = AttentionConfig(h * size, h, bias=bias)
    assert sum(theirs.values()) == count_parameters(plain).total
    assert device == "cpu"


@pytest.mark.parametrize(
    ("config", "d_head", "device"),
    [
        (AttentionConfig(499, 1, bias=True), None, "cpu"),  # 998,000 parameters
        (AttentionConfig(500, 1, bias=True), None, "meta"),  # 1,002,000
        (AttentionConfig(768, 12), None, "meta"),
        (AttentionConfig(768, 12, 1), 1, "meta"),  # PyTorch's own is the larger one
        (AttentionConfig(128, 128), 1024, "meta"),  # ours is
        (AttentionConfig(16384, 16384, 1, bias=True), 1024, "meta"),
    ],
)
def test_a_large_layer_is_built_without_memory(config, d_head, device):
    ours, theirs, used = count_modules(config, d_head=d_head)
    assert used == device
    assert sum(ours.values()) == count_parameters(config, d_head=d_head).total
    assert (device == "cpu") == (max(sum(ours.values()), sum(theirs.values())) <= MOST_IN_MEMORY)


def test_a_layer_is_where_it_was_asked_to_be():
    for device in ("cpu", "meta"):
        layers = linear_layers(6, 3, 3, 2, True, device)
        assert {p.device.type for p in layers.parameters()} == {device}


def test_a_head_of_no_size_is_refused():
    with says("d_head must be a whole number of at least 1; got d_head=0. Try d_head=1."):
        count_modules(AttentionConfig(8, 2), d_head=0)
