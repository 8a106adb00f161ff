"""The fused module as a script: every step by its name, and PyTorch's own module beside it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from mha.config import AttentionConfig
from mha.export.literals import WIDTH
from mha.export.script import Cell, Script, opening
from mha.export.source import bundle
from mha.export.words import SHOW, words_cell, words_imports
from mha.sentence import Sentence

if TYPE_CHECKING:  # torch takes a second, and whoever has steps has paid for it
    from mha.module import Step

Panel = tuple[str, tuple[int | slice, ...]]  # a title, and the part of the tensor that is shown

_FORMULA = """
    qkv     = x W_qkv                              (B, T, C + 2 * h_kv * d_head)
    q, k, v = its three parts, split into heads    (B, h, T, d_head), (B, h_kv, T, d_head) twice
    scores  = q·k / sqrt(d_head)                   (B, h, T_q, T_k)
    weights = softmax(scores, masked)              every row sums to 1
    out     = merge(weights · v) W_O               (B, T, C)

B sequences, T tokens, C = d_model numbers a token, h heads of d_head numbers, h_kv heads for keys
and values: query head i reads key and value head i // (h // h_kv)."""

_CLASS = '''\
class MultiHeadAttention(nn.Module):
    """Self-attention of h heads; groups of them share h_kv key and value heads."""

    def __init__(self, d_model, n_heads, n_kv_heads, bias):
        super().__init__()
        self.h, self.h_kv, self.d_head = n_heads, n_kv_heads, d_model // n_heads
        C, C_kv = d_model, n_kv_heads * self.d_head
        self.qkv = nn.Linear(C, C + 2 * C_kv, bias=bias)
        self.out = nn.Linear(C, C, bias=bias)

    def forward(self, x, causal=True):
        """Every step by its name; the last is the output."""
        B, T, C = x.shape
        h, h_kv, d_head = self.h, self.h_kv, self.d_head
        C_kv = h_kv * d_head
        # True where a query may look at a key.
        mask = torch.ones(T, T, dtype=torch.bool).tril(0 if causal else T)
        each = h // h_kv  # query heads that share a key and value head: 0, 0, 1, 1 and so on

{lines}
        return {{
{kept}
        }}'''

_SEEDED = """\
module = MultiHeadAttention(d_model, n_heads, n_kv_heads, bias)
generator = torch.Generator().manual_seed(seed)
bound = 1 / math.sqrt(d_model)
for parameter in module.parameters():
    nn.init.uniform_(parameter, -bound, bound, generator=generator)

x = embed(tokens, d_model, seed=seed, batch=batch)  # (B, T, C)
with torch.no_grad():
    steps = module(x, causal)
for name, tensor in steps.items():
    memory = "contiguous" if tensor.is_contiguous() else "not contiguous"
    print(f"{name}: shape {tuple(tensor.shape)}, strides {tensor.stride()}, {memory}")"""

_CHECK = """\
theirs = nn.MultiheadAttention(d_model, n_heads, bias=bias, batch_first=True)
C_kv = n_kv_heads * module.d_head


def for_every_head(part):  # it knows no shared keys: each query head gets a copy of its group's
    by_head = part.unflatten(0, (n_kv_heads, -1))
    return by_head.repeat_interleave(n_heads // n_kv_heads, dim=0).flatten(0, 1)


def as_theirs(ours):
    q, k, v = ours.split([d_model, C_kv, C_kv])
    return torch.cat([q, for_every_head(k), for_every_head(v)])


with torch.no_grad():
    theirs.in_proj_weight.copy_(as_theirs(module.qkv.weight))
    theirs.out_proj.weight.copy_(module.out.weight)
    if bias:
        theirs.in_proj_bias.copy_(as_theirs(module.qkv.bias))
        theirs.out_proj.bias.copy_(module.out.bias)
    # Its mask means the opposite by True: may not look.
    hidden = torch.ones(T, T, dtype=torch.bool).triu(1) if causal else None
    out, weights = theirs(x, x, x, attn_mask=hidden, average_attn_weights=False)
print(f"largest difference in the output: {(out - steps['out']).abs().max():.1e}")
print(f"largest difference in the weights: {(weights - steps['weights']).abs().max():.1e}")"""


def fused_module(
    sentence: Sentence,
    config: AttentionConfig,
    steps: Iterable[Step],
    *,
    causal: bool,
    batch: int,
    seed: int,
    shown: str,
    panels: Sequence[Panel],
) -> Script:
    """The forward pass with every tensor kept, and the chosen step's numbers.

    Args:
        steps: those of `MultiHeadAttention.trace`, whose lines and axes the script has.
        shown: the name of the step whose tensor is printed; panels: the parts of it.
    """
    from mha.module import embed

    embedding = bundle(embed)
    imports = {*embedding.imports, *words_imports(sentence)}
    imports |= {"import math", "import torch", "from torch import nn"}
    sizes = {
        "d_model": config.d_model,
        "n_heads": config.n_heads,
        "n_kv_heads": config.n_kv_heads,
        "bias": config.bias,
    }
    settings = {"causal": causal, "batch": batch, "seed": seed}
    words = words_cell(sentence, with_categories=False, **sizes, **settings)
    return Script(
        (
            opening("The fused module", _FORMULA, imports),
            words,
            Cell("The module, step by step", _class(steps)),
            Cell("Input and weights by the seed", f"{embedding.code}\n\n\n{_SEEDED}"),
            Cell(f"The step {shown}", _panels(shown, panels)),
            Cell("The same by nn.MultiheadAttention", _CHECK),
        )
    )


def _class(steps: Iterable[Step]) -> str:
    """The module, its forward pass in the very lines that the steps were made by."""
    lines, kept = [], []
    for step in steps:
        if step.name != "x":
            lines += _line(f"        {step.code}", f"# ({', '.join(step.axes)})")
        kept.append(f'            "{step.name}": {step.name},')
    return _CLASS.format(lines="\n".join(lines), kept="\n".join(kept))


def _line(code: str, comment: str) -> list[str]:
    """The line with its comment behind it, or above it where both are too long."""
    whole = f"{code}  {comment}"
    return [whole] if len(whole) <= WIDTH else [f"        {comment}", code]


def _panels(shown: str, panels: Sequence[Panel]) -> str:
    """The chosen step's tensor, a matrix a head, a row a token."""
    hidden = ", hidden" if shown in ("masked", "weights") else ""
    lines = [f'tensor = steps["{shown}"]']
    if hidden:
        lines.append("hidden = torch.ones(T, T, dtype=torch.bool).triu(1 if causal else T)")
    lines += [f'show("{shown}, {title}", tensor[{_index(at)}]{hidden})' for title, at in panels]
    return f"{SHOW}\n\n\n" + "\n".join(lines)


def _index(where: Sequence[int | slice]) -> str:
    """A place in a tensor as it stands between brackets; full axes at the end are left out."""
    parts = [
        str(at) if isinstance(at, int) else f"{_end(at.start)}:{_end(at.stop)}" for at in where
    ]
    while len(parts) > 1 and parts[-1] == ":":
        parts.pop()
    return ", ".join(parts)


def _end(at: int | None) -> str:
    return "" if at is None else str(at)
