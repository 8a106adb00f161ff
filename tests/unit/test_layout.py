"""Laws of splitting and merging heads, and of the drawing that shows where each number sits."""

from __future__ import annotations

import math
import re
import subprocess
import sys

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from mha.layout import (
    BATCH_GAP,
    BLOCK_GAP,
    BY_HEAD,
    BY_TOKEN,
    BY_WIDTH,
    HEAD_GAP,
    MISTAKES,
    extent,
    merge_heads,
    misplaced,
    owner,
    repeat_kv,
    split_heads,
    stages,
)

WAYS = (None, *MISTAKES)
LARGEST = (2, 12, 64)  # B, T, C of the largest drawing on a page

either_library = pytest.mark.parametrize("library", ["numpy", "torch"])
every_dtype = pytest.mark.parametrize("dtype", ["float32", "float64", "int64"])
every_way = pytest.mark.parametrize("mistake", WAYS)
# The first call of a torch operation is slow; no law here is about time.
patient = settings(deadline=None)


@st.composite
def sizes(draw) -> tuple[int, int, int, int]:
    """B, T, C and a number of heads that divides C."""
    B, T = draw(st.integers(1, 3)), draw(st.integers(1, 6))
    h, d_head = draw(st.integers(1, 6)), draw(st.integers(1, 6))
    return B, T, h * d_head, h


def arange(library: str, shape: tuple[int, ...], dtype: str = "int64"):
    """0, 1, 2, … in the shape, in the memory order of a new tensor."""
    n = math.prod(shape)
    if library == "numpy":
        return np.arange(n, dtype=dtype).reshape(shape)
    return torch.arange(n, dtype=getattr(torch, dtype)).view(shape)


def share_memory(a, b) -> bool:
    """Whether both look at the same memory, from the same first number on."""
    if isinstance(a, np.ndarray):
        return np.shares_memory(a, b)
    same = a.untyped_storage().data_ptr() == b.untyped_storage().data_ptr()
    return same and a.data_ptr() == b.data_ptr()


def read(stage) -> np.ndarray:
    """The tensor of a stage, each number put where `index` says that it is."""
    tensor = np.full(stage.shape, -1)
    tensor[tuple(stage.index.T)] = np.arange(len(stage.index))
    return tensor


def run_code(B: int, T: int, C: int, h: int, mistake: str | None) -> list[torch.Tensor]:
    """Run each stage's own line of code in torch and keep its tensor."""
    weights = torch.eye(T, dtype=torch.int64)
    names = {"torch": torch, "B": B, "T": T, "C": C, "h": h, "d_head": C // h, "weights": weights}
    tensors = []
    for stage in stages(B, T, C, h, mistake=mistake):
        exec(stage.code, names)
        tensors.append(names[stage.code.split(" = ")[0]])
    return tensors


# Split and merge


@either_library
@every_dtype
@given(size=sizes())
@patient
def test_merge_undoes_split(library, dtype, size):
    B, T, C, h = size
    x = arange(library, (B, T, C), dtype)
    heads = split_heads(x, h)
    merged = merge_heads(heads)
    assert heads.shape == (B, h, T, C // h)
    assert merged.shape == (B, T, C)
    assert heads.dtype == merged.dtype == x.dtype
    assert (merged == x).all()


@either_library
@every_dtype
@given(size=sizes())
@patient
def test_split_undoes_merge(library, dtype, size):
    B, T, C, h = size
    heads = arange(library, (B, h, T, C // h), dtype)
    again = split_heads(merge_heads(heads), h)
    assert again.dtype == heads.dtype
    assert again.shape == heads.shape
    assert (again == heads).all()


@either_library
@given(size=sizes())
@patient
def test_split_and_the_merge_of_a_split_are_views(library, size):
    B, T, C, h = size
    x = arange(library, (B, T, C))
    heads = split_heads(x, h)
    assert share_memory(heads, x)
    assert share_memory(merge_heads(heads), x)


@given(size=sizes())
@patient
def test_split_is_a_view_of_one_third_of_a_fused_projection(size):
    B, T, C, h = size
    for part in torch.arange(B * T * 3 * C).view(B, T, 3 * C).split(C, dim=-1):
        assert share_memory(split_heads(part, h), part)
    for part in np.split(np.arange(B * T * 3 * C).reshape(B, T, 3 * C), 3, axis=-1):
        assert np.shares_memory(split_heads(part, h), part)


@given(size=sizes())
@patient
def test_split_is_a_view_at_any_stride(size):
    B, T, C, h = size
    for x in (
        torch.arange(B * T * C).view(C, B, T).permute(1, 2, 0),
        torch.arange(C).expand(B, T, C),
    ):
        assert share_memory(split_heads(x, h), x)
    for x in (
        np.arange(B * T * C).reshape(B, T, C)[::-1, :, ::-1],
        np.arange(2 * B * T * C).reshape(B, T, 2 * C)[:, :, ::2],
        np.broadcast_to(np.arange(C), (B, T, C)),
    ):
        assert np.shares_memory(split_heads(x, h), x)


@given(size=sizes())
@patient
def test_merge_is_a_view_exactly_where_torch_can_view(size):
    B, T, C, h = size
    heads = torch.arange(B * T * C).view(B, h, T, C // h)
    try:
        heads.transpose(1, 2).view(B, T, C)
        can_view = True
    except RuntimeError:
        can_view = False
    assert can_view == (h == 1 or T == 1 or h == C)
    assert share_memory(merge_heads(heads), heads) == can_view
    assert np.shares_memory(merge_heads(heads.numpy()), heads.numpy()) == can_view


@given(size=sizes())
@patient
def test_split_is_torchs_view_and_transpose_bit_for_bit(size):
    B, T, C, h = size
    x = torch.randn(B, T, C)
    expected = x.view(B, T, h, C // h).transpose(1, 2)
    heads = split_heads(x, h)
    assert torch.equal(heads, expected)
    assert heads.stride() == expected.stride()
    array = split_heads(x.numpy(), h)
    assert np.array_equal(array, expected.numpy())
    assert tuple(step // 4 for step in array.strides) == expected.stride()


@either_library
def test_the_lessons_split(library):
    x = arange(library, (1, 3, 4), "float64")
    heads = split_heads(x, 2)
    assert tuple(heads.shape) == (1, 2, 3, 2)
    assert heads[0, 0].tolist() == [[0, 1], [4, 5], [8, 9]]
    assert heads[0, 1].tolist() == [[2, 3], [6, 7], [10, 11]]
    assert merge_heads(heads).tolist() == x.tolist()


@given(size=sizes())
@patient
def test_gradients_flow_through_split_and_merge(size):
    B, T, C, h = size
    x = torch.randn(B, T, C, dtype=torch.float64, requires_grad=True)
    slope = torch.randn(B, h, T, C // h, dtype=torch.float64)
    (split_heads(x, h) * slope).sum().backward()
    assert torch.equal(x.grad, slope.transpose(1, 2).reshape(B, T, C))

    z = torch.randn(B, h, T, C // h, dtype=torch.float64, requires_grad=True)
    slope = torch.randn(B, T, C, dtype=torch.float64)
    (merge_heads(z) * slope).sum().backward()
    assert torch.equal(z.grad, slope.view(B, T, h, C // h).transpose(1, 2))


# Mistakes that people really make


@either_library
def test_a_bare_view_mixes_tokens_and_split_does_not(library):
    x = arange(library, (1, 4, 6))
    assert x.reshape(1, 3, 4, 2)[0, 0].tolist() == [[0, 1], [2, 3], [4, 5], [6, 7]]
    assert split_heads(x, 3)[0, 0].tolist() == [[0, 1], [6, 7], [12, 13], [18, 19]]


def test_the_stages_show_a_bare_view_mixing_tokens():
    wrong = read(stages(1, 4, 6, 3, mistake="no transpose")[1])
    right = read(stages(1, 4, 6, 3)[2])
    assert wrong[0, 0].tolist() == [[0, 1], [2, 3], [4, 5], [6, 7]]
    assert right[0, 0].tolist() == [[0, 1], [6, 7], [12, 13], [18, 19]]


@either_library
def test_a_merge_without_transpose_mixes_heads_and_merge_does_not(library):
    heads = arange(library, (1, 2, 2, 2))
    assert heads.reshape(1, 2, 4)[0, 0].tolist() == [0, 1, 2, 3]
    assert merge_heads(heads)[0, 0].tolist() == [0, 1, 4, 5]


def test_the_stages_show_a_merge_without_transpose_mixing_heads():
    def first_token(mistake):  # each number named by its place in the memory of z
        *_, last = stages(1, 2, 4, 2, mistake=mistake)
        z = next(s for s in stages(1, 2, 4, 2, mistake=mistake) if s.name == "attention")
        return z.address[read(last)[0, 0]].tolist()

    assert first_token("merge without transpose") == [0, 1, 2, 3]
    assert first_token(None) == [0, 1, 4, 5]


@either_library
def test_grouped_heads_are_repeated_not_tiled(library):
    x = arange(library, (1, 2, 1, 1))
    assert repeat_kv(x, 2)[0, :, 0, 0].tolist() == [0, 0, 1, 1]


@either_library
@every_dtype
@given(size=sizes(), n_repeats=st.integers(1, 4))
@patient
def test_query_head_i_reads_key_value_head_i_over_n(library, dtype, size, n_repeats):
    B, T, C, h_kv = size
    x = arange(library, (B, h_kv, T, C // h_kv), dtype)
    repeated = repeat_kv(x, n_repeats)
    assert repeated.shape == (B, h_kv * n_repeats, T, C // h_kv)
    assert repeated.dtype == x.dtype
    for i in range(h_kv * n_repeats):
        assert (repeated[:, i] == x[:, i // n_repeats]).all()


@either_library
def test_one_repeat_copies_nothing(library):
    x = arange(library, (2, 3, 4, 5))
    assert repeat_kv(x, 1) is x


def test_gradients_add_up_over_the_repeats():
    x = torch.randn(2, 3, 4, 5, requires_grad=True)
    repeat_kv(x, 4).sum().backward()
    assert torch.equal(x.grad, torch.full_like(x, 4.0))


@pytest.mark.parametrize("h", [2, 3, 6])
def test_view_after_transpose_raises_where_reshape_and_merge_copy(h):
    z = torch.randn(2, h, 4, 12 // h)
    with pytest.raises(RuntimeError, match=r"view size is not compatible.*stride"):
        z.transpose(1, 2).view(2, 4, 12)
    merged = merge_heads(z)
    assert torch.equal(merged, z.transpose(1, 2).reshape(2, 4, 12))
    assert torch.equal(merged, z.transpose(1, 2).contiguous().view(2, 4, 12))
    assert not share_memory(merged, z)


# Errors


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: split_heads(np.zeros((1, 3, 10)), 3),
            "d_model must be divisible by n_heads; got d_model=10, n_heads=3. Try n_heads=2 or 5.",
        ),
        (
            lambda: split_heads(torch.zeros(1, 3, 4), 0),
            "n_heads must be a whole number of at least 1; got n_heads=0. Try n_heads=1.",
        ),
        (
            lambda: split_heads(torch.zeros(3, 4), 2),
            "x must have the 3 axes (B, T, C); got x.shape=(3, 4). Try x[None] for a batch of one.",
        ),
        (
            lambda: split_heads(np.zeros((1, 2, 3, 4)), 2),
            (
                "x must have the 3 axes (B, T, C); got x.shape=(1, 2, 3, 4). "
                "Try x[0] for the first of them."
            ),
        ),
        (
            lambda: merge_heads(torch.zeros(2, 3, 4)),
            (
                "heads must have the 4 axes (B, h, T, d_head); got heads.shape=(2, 3, 4). "
                "Try heads[None] for a batch of one."
            ),
        ),
        (
            lambda: repeat_kv(np.zeros((2, 3, 4)), 2),
            (
                "x must have the 4 axes (B, h_kv, T, d_head); got x.shape=(2, 3, 4). "
                "Try x[None] for a batch of one."
            ),
        ),
        (
            lambda: repeat_kv(np.zeros((1, 2, 3, 4)), 1.5),
            "n_repeats must be a whole number of at least 1; got n_repeats=1.5. Try n_repeats=1.",
        ),
        (
            lambda: stages(0, 3, 4, 2),
            "B must be a whole number of at least 1; got B=0. Try B=1.",
        ),
        (
            lambda: extent(1, True, 4, 2),
            "T must be a whole number of at least 1; got T=True. Try T=1.",
        ),
        (
            lambda: owner(1, 3, 4, 3),
            "d_model must be divisible by n_heads; got d_model=4, n_heads=3. Try n_heads=2 or 4.",
        ),
        (
            lambda: stages(1, 3, 4, 2, mistake="both"),
            (
                "mistake must be one of None, 'no transpose', 'merge without transpose'; "
                "got mistake='both'. Try mistake=None."
            ),
        ),
    ],
)
def test_an_error_says_the_rule_what_was_got_and_what_to_try(call, message):
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        call()


# Stages: where every number sits


def test_the_right_way_has_six_stages_and_each_mistake_leaves_one_out():
    right = [s.name for s in stages(1, 3, 4, 2)]
    assert right == ["input", "view", "transpose", "attention", "transpose back", "reshape"]
    no_transpose = [s.name for s in stages(1, 3, 4, 2, mistake="no transpose")]
    assert no_transpose == [name for name in right if name != "transpose"]
    no_return = [s.name for s in stages(1, 3, 4, 2, mistake="merge without transpose")]
    assert no_return == [name for name in right if name != "transpose back"]


@every_way
@given(size=sizes())
@patient
def test_every_stage_is_a_permutation(mistake, size):
    N = math.prod(size[:3])
    for stage in stages(*size, mistake=mistake):
        places = np.ravel_multi_index(tuple(stage.index.T), stage.shape)
        assert sorted(places) == list(range(N))
        assert sorted(stage.address) == list(range(N))
        assert stage.index.shape == (N, len(stage.axes))
        assert stage.index.dtype == stage.address.dtype == np.int64


@every_way
@given(size=sizes())
@patient
def test_every_stage_is_what_torch_does_for_its_line_of_code(mistake, size):
    B, T, C, h = size
    film = stages(*size, mistake=mistake)
    tensors = run_code(*size, mistake)
    assert not film[0].copied
    for n, (stage, tensor) in enumerate(zip(film, tensors, strict=True)):
        lengths = {"B": B, "T": T, "C": C, "h": h, "d_head": C // h}
        assert stage.shape == tuple(lengths[axis] for axis in stage.axes) == tuple(tensor.shape)
        assert stage.strides == tensor.stride()
        assert stage.is_contiguous == tensor.is_contiguous()
        if n:
            assert stage.copied == (not share_memory(tensor, tensors[n - 1]))


@every_way
@given(size=sizes())
@patient
def test_torch_has_every_number_at_its_index_and_address(mistake, size):
    numbers = torch.arange(math.prod(size[:3]))
    for stage, tensor in zip(stages(*size, mistake=mistake), run_code(*size, mistake), strict=True):
        memory = torch.empty(0, dtype=tensor.dtype).set_(tensor.untyped_storage())
        assert len(memory) == len(numbers)
        assert torch.equal(tensor[tuple(torch.from_numpy(stage.index.T))], numbers)
        assert torch.equal(memory[torch.from_numpy(stage.address)], numbers)


@every_way
@given(size=sizes())
@patient
def test_an_address_is_the_index_times_the_strides_and_changes_only_by_a_copy(mistake, size):
    film = stages(*size, mistake=mistake)
    for stage, before in zip(film, film[:1] + film, strict=False):
        assert np.array_equal(stage.address, stage.index @ np.array(stage.strides))
        if not stage.copied:
            assert np.array_equal(stage.address, before.address)


@given(size=sizes())
@patient
def test_the_merge_copies_exactly_where_torch_refuses_to_view(size):
    B, T, C, _ = size
    transposed = run_code(*size, None)[-2]
    if stages(*size)[-1].copied:
        with pytest.raises(RuntimeError, match="view size is not compatible"):
            transposed.view(B, T, C)
    else:
        assert share_memory(transposed.view(B, T, C), transposed)


@pytest.mark.parametrize("size", [(1, 3, 4, 2), (2, 12, 64, 8)])
def test_only_attention_and_the_merge_write_new_memory(size):
    assert [s.name for s in stages(*size) if s.copied] == ["attention", "reshape"]
    wrong = stages(*size, mistake="merge without transpose")
    assert [s.name for s in wrong if s.copied] == ["attention"]


@given(size=sizes())
@patient
def test_split_and_merge_are_the_stages(size):
    B, T, C, h = size
    x = arange("numpy", (B, T, C))
    film = stages(*size)
    assert np.array_equal(read(film[2]), split_heads(x, h))
    assert np.array_equal(read(film[-1]), merge_heads(read(film[3])))


@given(size=sizes())
@patient
def test_each_number_stays_with_its_owner(size):
    B, T, C, h = size
    expected = split_heads(np.arange(B * T * C).reshape(B, T, C), h)
    heads = owner(*size)
    for head in range(h):
        assert set(np.flatnonzero(heads == head)) == set(expected[:, head].flat)
    for stage in stages(*size):
        if "h" in stage.axes:
            assert np.array_equal(stage.index[:, stage.axes.index("h")], heads)


# Mistakes in the stages


@every_way
@given(size=sizes())
@patient
def test_the_last_stage_differs_from_x_exactly_at_the_misplaced(mistake, size):
    last = stages(*size, mistake=mistake)[-1]
    x = np.arange(math.prod(size[:3])).reshape(size[:3])
    wrong = misplaced(last)
    assert wrong.dtype == bool
    # A number is misplaced where x, read at the index it ended up at, is another number.
    assert np.array_equal(x[tuple(last.index.T)] != np.arange(x.size), wrong)
    assert (read(last) != x).sum() == wrong.sum()
    if mistake is None:
        assert not wrong.any()


@every_way
@given(size=sizes())
@patient
def test_a_number_is_misplaced_from_the_mistake_on_and_never_before(mistake, size):
    film = stages(*size, mistake=mistake)
    first_wrong = {None: len(film), "no transpose": 1, "merge without transpose": len(film) - 1}
    for n, stage in enumerate(film):
        expected = misplaced(film[-1]) if n >= first_wrong[mistake] else np.zeros(len(stage.index))
        assert np.array_equal(misplaced(stage), expected)


@pytest.mark.parametrize("mistake", MISTAKES)
@given(size=sizes())
@patient
def test_a_mistake_is_harmless_only_for_one_head_or_one_token(mistake, size):
    _, T, _, h = size
    assert misplaced(stages(*size, mistake=mistake)[-1]).any() == (T > 1 and h > 1)


def test_misplaced_counts_of_the_lessons_example():
    counts = [misplaced(stages(1, 3, 4, 2, mistake=mistake)[-1]).sum() for mistake in WAYS]
    assert counts == [0, 8, 8]


# The drawing


def gaps(stage) -> np.ndarray:
    """(N, N): free space between every two cells, along the axis where they are further apart."""
    rows = np.abs(stage.row[:, None] - stage.row)
    columns = np.abs(stage.column[:, None] - stage.column)
    return np.maximum(rows, columns) - 1


def differ(stage, axis: str) -> np.ndarray:
    """(N, N): whether two numbers have another index along an axis."""
    along = stage.index[:, stage.axes.index(axis)]
    return along[:, None] != along


def require_apart_and_inside(size, mistake):
    rows, columns = extent(*size)
    for stage in stages(*size, mistake=mistake):
        others = ~np.eye(len(stage.index), dtype=bool)
        assert (gaps(stage)[others] >= 0).all()
        assert stage.row.min() >= 0
        assert stage.column.min() >= 0
        assert stage.row.max() + 1 <= rows
        assert stage.column.max() + 1 <= columns


@every_way
@given(size=sizes())
@patient
def test_cells_never_overlap_and_stay_inside_the_box(mistake, size):
    require_apart_and_inside(size, mistake)


@every_way
@pytest.mark.parametrize("h", [1, 2, 4, 8, 16, 32, 64])
def test_the_largest_drawing_fits_for_every_number_of_heads(mistake, h):
    require_apart_and_inside((*LARGEST, h), mistake)


@given(size=sizes())
@patient
def test_the_box_is_no_larger_than_the_stages_need(size):
    rows, columns = extent(*size)
    film = stages(*size)
    assert min(s.row.min() for s in film) == 0
    assert min(s.column.min() for s in film) == 0
    assert max(s.row.max() for s in film) + 1 == rows
    assert max(s.column.max() for s in film) + 1 == columns


@every_way
@given(size=sizes())
@patient
def test_every_stage_stands_in_the_middle_of_the_box(mistake, size):
    rows, columns = extent(*size)
    for stage in stages(*size, mistake=mistake):
        assert stage.row.min() + stage.row.max() + 1 == rows
        assert stage.column.min() + stage.column.max() + 1 == columns


@given(size=sizes())
@patient
def test_a_stage_with_the_same_axes_is_drawn_the_same(size):
    first, view, split, attention, back, last = stages(*size)
    for a, b in [(first, last), (view, back), (split, attention)]:
        assert np.array_equal(a.row, b.row)
        assert np.array_equal(a.column, b.column)


@every_way
@given(size=sizes())
@patient
def test_a_gap_separates_heads_and_batches(mistake, size):
    between_heads = {BY_TOKEN: HEAD_GAP, BY_HEAD: BLOCK_GAP}
    for stage in stages(*size, mistake=mistake):
        free = gaps(stage)
        other_batch = differ(stage, "B")
        assert (free[other_batch] >= BATCH_GAP).all()
        if stage.axes in between_heads:
            other_head = differ(stage, "h") & ~other_batch
            assert (free[other_head] >= between_heads[stage.axes]).all()


@every_way
@given(size=sizes())
@patient
def test_neighbours_in_a_block_touch(mistake, size):
    """Along T and along the last axis the cells are one apart, so a block reads as a matrix."""
    blocks = {BY_WIDTH: ["B"], BY_TOKEN: ["B", "h"], BY_HEAD: ["B", "h"]}
    for stage in stages(*size, mistake=mistake):
        down, across = stage.index[:, stage.axes.index("T")], stage.index[:, -1]
        outer = stage.index[:, [stage.axes.index(axis) for axis in blocks[stage.axes]]]
        for block in np.unique(outer, axis=0):
            here = (outer == block).all(axis=1)
            assert np.array_equal(stage.row[here] - stage.row[here].min(), down[here])
            assert np.array_equal(stage.column[here] - stage.column[here].min(), across[here])


@given(size=sizes())
@patient
def test_heads_stand_in_reading_order_within_their_batch(size):
    B, _, _, h = size
    for stage in stages(*size):
        if stage.axes in (BY_TOKEN, BY_HEAD):
            at = dict(zip(stage.axes, stage.index.T, strict=True))
            corner = (at["T"] == 0) & (at["d_head"] == 0)
            corners = zip(stage.row[corner], stage.column[corner], strict=True)
            named = sorted(zip(at["B"][corner], at["h"][corner], corners, strict=True))
            places = [place for *_, place in named]
            assert len(places) == B * h
            assert places == sorted(places)


def test_the_lessons_heads_are_drawn_one_above_the_other():
    assert extent(1, 3, 4, 2) == (7.0, 4.5)
    split = stages(1, 3, 4, 2)[2]
    place = dict(enumerate(zip(split.row.tolist(), split.column.tolist(), strict=True)))
    assert place[0] == (0.0, 1.25)  # head 0, token 0
    assert place[9] == (2.0, 2.25)  # head 0, token 2
    assert place[2] == (4.0, 1.25)  # head 1, token 0
    assert place[11] == (6.0, 2.25)  # head 1, token 2


# What an import costs


def test_importing_layout_does_not_import_torch():
    code = "import sys, mha.layout; print('torch' in sys.modules)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "False"
