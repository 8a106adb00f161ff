"""Heads as a regrouping of the same numbers: split, merge, and where every number sits meanwhile.

    split:  (B, T, C) → view (B, T, h, d_head) → transpose (B, h, T, d_head)
    merge:  (B, h, T, d_head) → transpose (B, T, h, d_head) → reshape (B, T, C)

Axes: B batch, T tokens, C = h * d_head width, h heads. A view or a transpose only changes the
strides, the steps in memory from one index to the next; numbers move only where memory is copied.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeVar, get_args

import numpy as np

from mha.checks import require_axes, require_positive_int
from mha.config import AttentionConfig

Array = TypeVar("Array")  # a NumPy array or a torch tensor: what goes in comes out
Mistake = Literal["no transpose", "merge without transpose"]
MISTAKES: tuple[Mistake, ...] = get_args(Mistake)

BY_WIDTH = ("B", "T", "C")
BY_TOKEN = ("B", "T", "h", "d_head")
BY_HEAD = ("B", "h", "T", "d_head")

# Free space on the drawing, in cells.
HEAD_GAP = 0.5  # between the heads of one token's row
BLOCK_GAP = 1.0  # between heads that stand apart: room for a name
BATCH_GAP = 2.0


def split_heads(x: Array, n_heads: int) -> Array:
    """Give each head its slice of every token: (B, T, C) → (B, h, T, d_head).

    Cutting one axis in two is possible at any stride, so this is always a view of `x`.

    Raises:
        ValueError: `x` does not have three axes, or `n_heads` does not divide C.
    """
    B, T, C = require_axes("x", x, BY_WIDTH)
    config = AttentionConfig(C, n_heads)
    return x.reshape(B, T, config.n_heads, config.d_head).swapaxes(1, 2)


def merge_heads(heads: Array) -> Array:
    """Put the heads of every token side by side again: (B, h, T, d_head) → (B, T, C).

    A view where the strides allow one (heads that came from `split_heads`, or one head, one token,
    heads of size 1); otherwise, as after `weights @ v`, a copy.

    Raises:
        ValueError: `heads` does not have four axes.
    """
    B, h, T, d_head = require_axes("heads", heads, BY_HEAD)
    return heads.swapaxes(1, 2).reshape(B, T, h * d_head)


def repeat_kv(x: Array, n_repeats: int) -> Array:
    """Give every query head its keys or values: (B, h_kv, T, d_head) → (B, h_kv * n, T, d_head).

    Query head i reads key/value head i // n: 0, 0, 1, 1 and never 0, 1, 0, 1. One repeat returns
    `x` itself; more copy.

    Raises:
        ValueError: `x` does not have four axes, or `n_repeats` is not a positive whole number.
    """
    require_axes("x", x, ("B", "h_kv", "T", "d_head"))
    n_repeats = require_positive_int("n_repeats", n_repeats)
    if n_repeats == 1:
        return x
    if hasattr(x, "repeat_interleave"):  # torch, whose `repeat` would tile
        return x.repeat_interleave(n_repeats, dim=1)
    return x.repeat(n_repeats, axis=1)


@dataclass(frozen=True, eq=False)
class Stage:
    """One step of the split or the merge, with the place of each of the N = B * T * C numbers.

    A number's name is its value in x = arange(N); entry n of every array is about number n.

    Args:
        name: the step's usual name; right and mistaken ways share names.
        code: its line of PyTorch. `weights` is the identity: every token looks at itself alone.
        axes, shape: the tensor's axes and their lengths.
        strides: steps in memory per axis, in numbers, as torch has them.
        is_contiguous: whether reading by index walks the memory in order.
        copied: whether this step wrote the numbers into new memory.
        index: (N, len(axes)), where the tensor holds the number.
        address: (N,), its offset in the memory of this stage.
        row, column: (N,), the top left corner of its cell on the drawing, in cells.
    """

    name: str
    code: str
    axes: tuple[str, ...]
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    is_contiguous: bool
    copied: bool
    index: np.ndarray
    address: np.ndarray
    row: np.ndarray
    column: np.ndarray


class Extent(NamedTuple):
    """The size of a drawing, in cells."""

    rows: float
    columns: float


def stages(
    B: int, T: int, C: int, n_heads: int, *, mistake: Mistake | None = None
) -> tuple[Stage, ...]:
    """Follow every number of x = arange(B * T * C) through split, attention and merge.

    The operations are run, not described: NumPy's strides are torch's own for each of them.

    Args:
        B, T, C, n_heads: the sizes; n_heads divides C.
        mistake: None for the right way; "no transpose" splits by `view(B, h, T, d_head)` alone;
            "merge without transpose" reshapes (B, h, T, d_head) to (B, T, C) as it is.

    Returns:
        The stages in order: six, or five where a transpose was forgotten.

    Raises:
        ValueError: a size that is not a positive whole number, n_heads that does not divide C, or
            an unknown mistake.
    """
    B, T, C, h, d_head = _require_sizes(B, T, C, n_heads)
    if mistake is not None and mistake not in MISTAKES:
        known = ", ".join(repr(m) for m in (None, *MISTAKES))
        raise ValueError(f"mistake must be one of {known}; got {mistake=}. Try mistake=None.")

    x = np.arange(B * T * C).reshape(B, T, C)
    steps = [("input", "x = torch.arange(B * T * C).view(B, T, C)", BY_WIDTH, x)]
    if mistake == "no transpose":
        v = x.reshape(B, h, T, d_head)
        steps += [("view", "v = x.view(B, h, T, d_head)", BY_HEAD, v)]
    else:
        v = x.reshape(B, T, h, d_head)
        steps += [("view", "v = x.view(B, T, h, d_head)", BY_TOKEN, v)]
        v = v.swapaxes(1, 2)  # (B, h, T, d_head)
        steps += [("transpose", "v = v.transpose(1, 2)", BY_HEAD, v)]
    z = v.copy(order="C")  # a product with `weights` fills new memory, in order
    steps += [("attention", "z = weights @ v", BY_HEAD, z)]
    if mistake != "merge without transpose":
        z = z.swapaxes(1, 2)  # (B, T, h, d_head)
        steps += [("transpose back", "z = z.transpose(1, 2)", BY_TOKEN, z)]
    z = z.reshape(B, T, C)
    steps += [("reshape", "z = z.reshape(B, T, C)", BY_WIDTH, z)]

    before = [x, *(array for *_, array in steps[:-1])]
    return tuple(
        _stage(*step, copied=not np.may_share_memory(step[-1], previous), n_heads=h)
        for step, previous in zip(steps, before, strict=True)
    )


def owner(B: int, T: int, C: int, n_heads: int) -> np.ndarray:
    """The head that each of the B * T * C numbers belongs to, in the right way: (N,)."""
    B, T, C, h, _ = _require_sizes(B, T, C, n_heads)
    return _right_places(B, T, C, h)["h"]


def misplaced(stage: Stage) -> np.ndarray:
    """The numbers that the right way has elsewhere at a stage with these axes: bool, (N,)."""
    lengths = dict(zip(stage.axes, stage.shape, strict=True))
    h = lengths.get("h", 1)
    C = lengths["C"] if "C" in lengths else h * lengths["d_head"]
    right = _right_places(lengths["B"], lengths["T"], C, h)
    return np.any([stage.index[:, i] != right[a] for i, a in enumerate(stage.axes)], axis=0)


def extent(B: int, T: int, C: int, n_heads: int) -> Extent:
    """The box that holds the drawing of every stage, so that nothing need ever be rescaled.

    As wide as a row of C cells with its heads apart, as high as two rows of heads for each batch.
    """
    B, T, C, h, _ = _require_sizes(B, T, C, n_heads)
    band = T if h == 1 else 2 * T + BLOCK_GAP
    return Extent(B * band + (B - 1) * BATCH_GAP, C + (h - 1) * HEAD_GAP)


def _stage(
    name: str, code: str, axes: tuple[str, ...], array: np.ndarray, *, copied: bool, n_heads: int
) -> Stage:
    """Read off an array that holds every number once where each of them is."""
    index = np.stack(np.unravel_index(np.argsort(array, axis=None), array.shape), axis=-1)
    strides = tuple(step // array.itemsize for step in array.strides)
    address = index @ np.array(strides)
    row, column = _place(axes, array.shape, index, n_heads)
    ordered = array.flags.c_contiguous
    return Stage(
        name, code, axes, array.shape, strides, ordered, copied, index, address, row, column
    )


def _place(
    axes: tuple[str, ...], shape: tuple[int, ...], index: np.ndarray, h: int
) -> tuple[np.ndarray, np.ndarray]:
    """Draw T rows by C cells for each batch, heads apart where they are an axis.

    Where the head comes before the token, each head is a block of T rows by d_head columns, and
    the blocks stand in two rows in reading order. Every stage is centred in the same box.
    """
    at = dict(zip(axes, index.T, strict=True))
    lengths = dict(zip(axes, shape, strict=True))
    T = lengths["T"]
    d_head = lengths["C"] // h if "C" in lengths else lengths["d_head"]
    band, columns = extent(1, T, h * d_head, h)

    row = at["B"] * (band + BATCH_GAP) + at["T"]
    if axes == BY_HEAD:
        blocks_across = (h + 1) // 2
        down, across = np.divmod(at["h"], blocks_across)
        row = row + down * (T + BLOCK_GAP)
        column = across * (d_head + BLOCK_GAP) + at["d_head"]
        width = blocks_across * (d_head + BLOCK_GAP) - BLOCK_GAP
    else:
        row = row + (band - T) / 2
        apart = axes == BY_TOKEN
        column = at["h"] * (d_head + HEAD_GAP) + at["d_head"] if apart else at["C"]
        width = columns if apart else h * d_head
    return row, column + (columns - width) / 2


def _right_places(B: int, T: int, C: int, h: int) -> dict[str, np.ndarray]:
    """Where each number belongs along every axis."""
    batch, token, channel = np.unravel_index(np.arange(B * T * C), (B, T, C))
    head, within = np.divmod(channel, C // h)
    return {"B": batch, "T": token, "C": channel, "h": head, "d_head": within}


def _require_sizes(B: int, T: int, C: int, n_heads: int) -> tuple[int, int, int, int, int]:
    """Return B, T, C, h, d_head as checked whole numbers, or raise."""
    config = AttentionConfig(C, n_heads)
    return (
        require_positive_int("B", B),
        require_positive_int("T", T),
        config.d_model,
        config.n_heads,
        config.d_head,
    )
