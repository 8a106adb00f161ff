"""Where a number of `MultiHeadAttention.trace` comes from: what it was made of, and how.

    x                          given
    q, k_all, merged, …        one number of an earlier tensor: nothing is computed
    qkv, z, out                a sum of products, and a bias where the layer has one
    scores, masked, weights    q·k, its scale, the mask, the softmax: `reference.explain_weight`

The factors, multiplied and added up again, are the tensor's own number.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from mha.checks import require_index
from mha.reference import Array, HeadTrace, WeightArithmetic, explain_weight

if TYPE_CHECKING:  # the steps bring their torch along
    from torch import Tensor, nn

    from mha.config import AttentionConfig
    from mha.module import MultiHeadAttention, Step

Index = tuple[int, ...]


class Given(NamedTuple):
    """A number of the input."""

    value: float


class Same(NamedTuple):
    """A number of an earlier tensor, looked at in another way or copied.

    source, source_index: that tensor, and where the number is in it.
    source_address, address: where it lies in that tensor's memory and in this one's, in numbers.
    is_view: whether both are one memory; then the addresses are equal.
    """

    source: str
    source_index: Index
    source_address: int
    address: int
    is_view: bool
    value: float


class Line(NamedTuple):
    """The numbers of a tensor along one of its axes.

    name: the step's, or the parameter's in the module.
    index: where the line is; None stands for the axis along which it runs.
    """

    name: str
    index: tuple[int | None, ...]
    numbers: Array


class Dot(NamedTuple):
    """A sum of products: left · right, and the bias if there is one.

    order: the positions of the terms in the order in which they are best told: as they stand, in z
    by weight, the largest first. Terms of 0 are left out.
    """

    left: Line
    right: Line
    order: Array
    bias: float | None
    value: float


Origin = Given | Same | Dot | WeightArithmetic


def explain_number(
    module: MultiHeadAttention, steps: Mapping[str, Step], name: str, index: Index
) -> Origin:
    """How one number of a step's tensor came about.

    Args:
        module: whose `trace` made the steps.
        steps: all of them, by name.
        name: the step.
        index: where the number is in the step's tensor.

    Returns:
        Given for x, Dot for qkv, z and out, WeightArithmetic for scores, masked and weights (of a
        hidden key, whose score is -inf after the mask, it has q·k too), Same for every other step.

    Raises:
        ValueError: no such step, or an index that is not in its tensor.
    """
    step, index = _require_number(steps, name, index)
    value = step.tensor[index].item()
    match name, index:
        case "x", _:
            return Given(value)
        case "qkv", (b, t, column):
            return _through(module.qkv, "qkv", _line(steps, "x", (b, t, None)), column, value)
        case "out", (b, t, column):
            return _through(module.out, "out", _line(steps, "merged", (b, t, None)), column, value)
        case "z", (b, head, t, column):
            weights = _line(steps, "weights", (b, head, t, None))
            v = _line(steps, "v_all", (b, head, None, column))
            order = np.argsort(-weights.numbers, kind="stable")
            return Dot(weights, v, _that_add(weights, v, order), None, value)
        case "scores" | "masked" | "weights", (b, head, query, key):
            names = ("q_heads", "k_all", "masked", "weights", "z")
            q, k, *trace = (steps[one].tensor[b, head].detach().numpy() for one in names)
            return explain_weight(q, k, HeadTrace(*trace), query, key)
    source, there = _source(module.config, name, index)
    return Same(
        source,
        there,
        _address(steps[source].tensor, there),
        _address(step.tensor, index),
        step.is_view,
        value,
    )


def _source(config: AttentionConfig, name: str, index: Index) -> tuple[str, Index]:
    """The earlier step of which a number is one, and where it is there."""
    C, C_kv, d_head = config.d_model, config.n_kv_heads * config.d_head, config.d_head
    match name, index:
        case "q" | "k" | "v", (b, t, column):
            return "qkv", (b, t, {"q": 0, "k": C, "v": C + C_kv}[name] + column)
        case "q_heads" | "k_heads" | "v_heads", (b, head, t, column):
            return name[0], (b, t, head * d_head + column)
        case "k_all" | "v_all", (b, head, t, column):
            return f"{name[0]}_heads", (b, head // config.group_size, t, column)
        case "z_by_token", (b, t, head, column):
            return "z", (b, head, t, column)
    b, t, column = index  # merged
    return "z_by_token", (b, t, *divmod(column, d_head))


def _through(layer: nn.Linear, name: str, row: Line, column: int, value: float) -> Dot:
    """One number that a linear layer made of a row: the row · one row of its weight, + its bias."""
    weight = Line(f"{name}.weight", (column, None), layer.weight[column].detach().numpy())
    bias = None if layer.bias is None else layer.bias[column].item()
    return Dot(row, weight, _that_add(row, weight, np.arange(row.numbers.size)), bias, value)


def _that_add(left: Line, right: Line, order: Array) -> Array:
    return order[(left.numbers * right.numbers)[order] != 0]


def _line(steps: Mapping[str, Step], name: str, index: tuple[int | None, ...]) -> Line:
    along = tuple(slice(None) if position is None else position for position in index)
    return Line(name, index, steps[name].tensor[along].detach().numpy())


def _address(tensor: Tensor, index: Index) -> int:
    """Where a number lies in its tensor's memory, in numbers from the beginning."""
    return tensor.storage_offset() + sum(
        position * stride for position, stride in zip(index, tensor.stride(), strict=True)
    )


def _require_number(steps: Mapping[str, Step], name: str, index: Index) -> tuple[Step, Index]:
    """Return the step and the index as plain integers, or raise."""
    if name not in steps:
        raise ValueError(
            f"name must be one of {', '.join(steps)}; got {name=}. Try name={list(steps)[-1]!r}."
        )
    step = steps[name]
    if len(index) != len(step.axes):
        raise ValueError(
            f"index must have a position for each axis ({', '.join(step.axes)}) of {name}; "
            f"got {index=}. Try index={(0,) * len(step.axes)}."
        )
    checked = zip(step.axes, index, step.shape, strict=True)
    return step, tuple(require_index(axis, position, length) for axis, position, length in checked)
