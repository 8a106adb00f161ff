"""Split and merge as a script: every stage's line, run in PyTorch, and what a mistake does."""

from __future__ import annotations

from mha.export.script import Cell, Script, opening
from mha.layout import Mistake, stages

_FORMULA = """
    split:  (B, T, C) → view (B, T, h, d_head) → transpose (B, h, T, d_head)
    merge:  (B, h, T, d_head) → transpose (B, T, h, d_head) → reshape (B, T, C)

B batch, T tokens, C = h * d_head numbers a token, h heads. A view or a transpose only changes the
strides; numbers move in memory only where it is copied."""

_WEIGHTS = """\
d_head = C // h
weights = torch.eye(T, dtype=torch.int64)  # every token looks at itself alone"""

_TELL = '''\
memory = []


def tell(name, tensor):
    """What a step did: its shape, its strides, whether it copied, and its first rows."""
    memory.append(tensor.untyped_storage().data_ptr())
    copied = len(memory) > 1 and memory[-1] != memory[-2]
    where = "copied into new memory" if copied else "memory as it was"
    print(f"{name}: shape {tuple(tensor.shape)}, strides {tensor.stride()}, {where}")
    print(f"  first: {tensor[0, 0].tolist()}")'''

_COMPARE = """\
wrong = int((z != x).sum())
print("equal to x" if wrong == 0 else f"{wrong:,} of {x.numel():,} numbers in the wrong place")"""

_VIEW = """\
try:
    z.view(B, T, C)  # a view may not move a number
except RuntimeError as refused:
    print(f".view raises: {refused}")"""


def split_and_merge(B: int, T: int, C: int, n_heads: int, *, mistake: Mistake | None) -> Script:
    """Every stage of x = arange(B * T * C), right or with a mistake; then the right way too."""
    sizes = f"B, T, C, h = {B}, {T}, {C}, {n_heads}\n{_WEIGHTS}"
    cells = [
        opening("Split and merge", _FORMULA, ["import torch"]),
        Cell("Sizes", f"{sizes}\n\n{_TELL}"),
    ]
    if mistake is not None:
        cells.append(Cell(f"With a mistake: {mistake}", _way(B, T, C, n_heads, mistake)))
    cells.append(Cell("The right way", _way(B, T, C, n_heads, None)))
    return Script(tuple(cells))


def _way(B: int, T: int, C: int, n_heads: int, mistake: Mistake | None) -> str:
    """The lines of the stages, each told; before the last, why it is no view."""
    lines = [f'print("{mistake or "the right way"}")']
    for stage in stages(B, T, C, n_heads, mistake=mistake):
        if stage.name == "reshape" and mistake is None:
            lines.append(_VIEW)
        if stage.name == "input":
            lines.append("memory.clear()")
        lines += [stage.code, f'tell("{stage.name}", {stage.code.split(" = ")[0]})']
    return "\n".join([*lines, _COMPARE])
