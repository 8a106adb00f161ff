"""A mask as a script: what both functions see by it, where that is not causal, and the weights."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from mha.export.script import Cell, Script, opening
from mha.export.source import bundle

if TYPE_CHECKING:  # it brings torch along
    from mha.mask_doctor import DType, PastedMask, Place

_SAYS = """
    bool     scaled_dot_product_attention: True = may look     nn.MultiheadAttention: True = hidden
    float    both add it to the scores: 0 changes nothing, -inf hides, 1 only favours
    int      both refuse it

    (T_q, T_k)           for every head of every sequence, in both
    (n, T_q, T_k)        scaled_dot_product_attention: one a head; nn.MultiheadAttention: B * h
    (B, h, T_q, T_k)     scaled_dot_product_attention alone

A causal mask shows each query its own token and what came before; the queries are the last of the
T_k tokens. Weights are those that the two functions give for random scores."""

_TYPES = {"bool": "torch.bool", "float": "torch.float64", "int": "torch.int64"}

_SEES = {
    "bool": (
        '"scaled_dot_product_attention": ("True lets a query look at a key", mask),\n'
        '    "nn.MultiheadAttention": ("True hides a key from a query", ~mask),'
    ),
    "float": (
        '"scaled_dot_product_attention": ("the numbers are added", ~mask.isinf()),\n'
        '    "nn.MultiheadAttention": ("the numbers are added", ~mask.isinf()),'
    ),
}

_TELL = '''\
def shape_of(seen):
    """The mask as a triangle, in words."""
    is_upside_down, diagonal = triangle(seen)
    if diagonal is None:
        return "no triangle"
    turned = "upside down, " if is_upside_down else ""
    causal_ends = seen.shape[1] - seen.shape[0]
    return f"a triangle, {turned}up to diagonal {diagonal}; the causal mask ends at {causal_ends}"


for name, (rule, sees) in conventions.items():
    print(f"{name}: {rule}")
    for place in np.ndindex(mask.shape[:-2]):
        seen = sees[place].numpy()
        meant = causal(seen)
        print(f"  matrix {place}: {shape_of(seen)}")
        print(f"    later keys that are seen, [query, key]: {np.argwhere(seen & ~meant).tolist()}")
        print(f"    earlier keys that are hidden: {np.argwhere(~seen & meant).tolist()}")
        print(f"    queries that see nothing: {np.flatnonzero(~seen.any(axis=1)).tolist()}")'''

_WEIGHTS = """\
scores = torch.from_numpy(seeded_scores(*mask.shape[-2:]))
for name, weights_by in FUNCTIONS.items():
    try:
        weights = weights_by(scores, mask[shown])
    except (RuntimeError, AssertionError) as error:  # by which the two refuse a mask
        print(f"{name} refuses it: {type(error).__name__}: {error}")
        continue
    print(f"weights of {name}, a row for each query")
    for row in weights.tolist():
        print(*(f"{weight:6.4f}" for weight in row))"""
_FUNCTIONS = """\
FUNCTIONS = {
    "scaled_dot_product_attention": sdpa_weights,
    "nn.MultiheadAttention": module_weights,
}"""


def mask_script(mask: PastedMask, dtype: DType, place: Place) -> Script:
    """The mask as a tensor of this type, what each function sees by it, and the weights.

    Args:
        place: of the matrix whose weights are printed.
    """
    from mha.mask_doctor.diagnosis import module_weights, sdpa_weights, seeded_scores
    from mha.mask_doctor.findings import causal, triangle

    effect = bundle(seeded_scores, sdpa_weights, module_weights)
    imports = {*effect.imports, "import torch"}
    cells = [Cell("The mask", _tensor(mask, dtype, place))]
    if dtype in _SEES:
        facts = bundle(causal, triangle)
        imports |= {*facts.imports}
        conventions = f"conventions = {{\n    {_SEES[dtype]}\n}}"
        cells.append(
            Cell("What a query may look at", f"{facts.code}\n\n\n{conventions}\n\n\n{_TELL}")
        )
    weights = f"{effect.code}\n\n\n{_FUNCTIONS}\n{_WEIGHTS}"
    cells.append(Cell("What becomes of the weights", weights))
    return Script((opening("A mask, looked into", _SAYS, imports), *cells))


def _tensor(mask: PastedMask, dtype: DType, place: Place) -> str:
    """The tensor, a line for each row."""
    rows = _rows(mask.values, mask.names)
    lines = ['inf = float("inf")'] if np.isinf(mask.values).any() else []
    lines += [f"mask = torch.tensor(\n{rows}\n    dtype={_TYPES[dtype]},\n)"]
    if len(mask.places) > 1:
        lines.append(f"shown = {place}  # the matrix whose weights are printed")
    else:
        lines.append(f"shown = {place}")
    return "\n".join(lines)


def _rows(values: np.ndarray, names: tuple[str, str], depth: int = 1) -> str:
    indent = "    " * depth
    if values.ndim == 1:
        return f"{indent}[{', '.join(names[int(value != 0)] for value in values)}],"
    inner = "\n".join(_rows(part, names, depth + 1) for part in values)
    return f"{indent}[\n{inner}\n{indent}],"
