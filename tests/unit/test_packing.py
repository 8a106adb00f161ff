"""What the browser is sent holds what `layout` computed, each distinct array once, and is small."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mha.checks import divisors
from mha.layout import MISTAKES, extent, misplaced, owner, stages
from mha.packing import QUARTERS, pack, unpack

WAYS = (None, *MISTAKES)
LARGEST = (2, 12, 64)  # B, T, C of the largest drawing on a page
MOST_BYTES = 60_000

every_way = pytest.mark.parametrize("mistake", WAYS)


@st.composite
def sizes(draw) -> tuple[int, int, int, int]:
    """B, T, C and a number of heads that divides C."""
    h, d_head = draw(st.integers(1, 6)), draw(st.integers(1, 6))
    return draw(st.integers(1, 2)), draw(st.integers(1, 6)), h * d_head, h


@every_way
@given(size=sizes())
def test_unpacked_stages_are_the_layouts(mistake, size):
    sent = json.loads(json.dumps(pack(*size, mistake=mistake)))
    arrays = [unpack(array) for array in sent["arrays"]]
    steps = stages(*size, mistake=mistake)
    assert [step["name"] for step in sent["stages"]] == [step.name for step in steps]
    for told, step in zip(sent["stages"], steps, strict=True):
        assert (told["code"], told["copied"]) == (step.code, step.copied)
        assert told["contiguous"] == step.is_contiguous
        for name in ("axes", "shape", "strides"):
            assert tuple(told[name]) == getattr(step, name)
        assert (arrays[told["address"]] == step.address).all()
        assert (arrays[told["row"]] / QUARTERS == step.row).all()
        assert (arrays[told["column"]] / QUARTERS == step.column).all()
        index = np.stack([arrays[number] for number in told["index"]], axis=-1)
        belongs = np.stack([arrays[number] for number in told["belongs"]], axis=-1)
        assert (index == step.index).all()
        assert ((index != belongs).any(axis=-1) == misplaced(step)).all()
        assert told["misplaced"] == misplaced(step).sum()
    assert (arrays[sent["owner"]] == owner(*size)).all()
    assert (sent["rows"], sent["columns"]) == extent(*size)
    assert (sent["B"], sent["T"], sent["C"], sent["heads"]) == size


@every_way
@given(size=sizes())
def test_each_distinct_array_is_sent_once(mistake, size):
    arrays = [unpack(array).tolist() for array in pack(*size, mistake=mistake)["arrays"]]
    assert len({tuple(array) for array in arrays}) == len(arrays)


def test_the_right_way_has_three_sets_of_places():
    told = pack(*LARGEST, 8)["stages"]
    assert len({(step["row"], step["column"]) for step in told}) == 3
    assert len({step["address"] for step in told}) == 2


@every_way
@pytest.mark.parametrize("h", divisors(LARGEST[-1]))
def test_the_largest_drawing_is_small_to_send(mistake, h):
    assert len(json.dumps(pack(*LARGEST, h, mistake=mistake))) < MOST_BYTES


@pytest.mark.parametrize(
    ("mistake", "size", "stage", "wrong", "right"),
    [
        (
            "no transpose",
            (1, 4, 6, 3),
            "view",
            [[0, 1], [2, 3], [4, 5], [6, 7]],  # head 0
            [[0, 1], [6, 7], [12, 13], [18, 19]],
        ),
        ("merge without transpose", (1, 2, 4, 2), "reshape", [0, 1, 2, 3], [0, 1, 4, 5]),
    ],
)
def test_a_mistake_is_told_from_where_it_happens(mistake, size, stage, wrong, right):
    sent = pack(*size, mistake=mistake)
    arrays = [unpack(array) for array in sent["arrays"]]
    first = next(step for step in sent["stages"] if step["misplaced"])
    assert first["name"] == stage
    assert all(not step["misplaced"] for step in sent["stages"][: sent["stages"].index(first)])
    # The merge is told by the addresses that it reads in the heads' memory.
    attended = next(step for step in sent["stages"] if step["name"] == "attention")
    values = arrays[attended["address"]] if stage == "reshape" else np.arange(24)
    for places, expected in (("index", wrong), ("belongs", right)):
        tensor = np.empty(first["shape"], int)
        tensor[tuple(arrays[number] for number in first[places])] = values
        assert tensor[0, 0].tolist() == expected
