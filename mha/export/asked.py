"""What is asked of a trained model, as the last part of its script: patterns, and heads turned off.

The script keeps the model as it was at the step that is looked at.
"""

from __future__ import annotations

from dataclasses import dataclass

from mha.export.literals import assigned, literal
from mha.export.script import Cell

Head = tuple[int, int]  # layer and head, from 0


@dataclass(frozen=True)
class Patterns:
    """Every head's weights on a text. step: of those measured. text: symbols of the run's tasks."""

    step: int
    text: tuple[str, ...]

    @property
    def cell(self) -> Cell:
        lines = [f"asked_at = {self.step}", assigned("text", list(self.text)), _PATTERNS]
        return Cell("Who looks where in a text", "\n".join(lines))


@dataclass(frozen=True)
class KnockOut:
    """The loss without some heads, each alone and all together, and without their layers' others.

    step: of those measured. heads: those that were chosen. job: task and job of more, which score
    over a bound for it.
    """

    step: int
    heads: tuple[Head, ...]
    job: tuple[str, str] | None
    over: float

    @property
    def cell(self) -> Cell:
        lines = [f"asked_at = {self.step}", f"off = {literal(sorted(set(self.heads)))}"]
        if self.job is not None:
            lines += [
                f"task, job = {literal(self.job)[1:-1]}",
                "scores = readings[asked_at][task][1][job]",
                f"off = sorted({{*off, *(head for head in heads if scores[head] > {self.over})}})",
            ]
        code = f"{_WITHOUT}\n\n\n" + "\n".join([*lines, _KNOCK_OUT])
        return Cell("Heads that are turned off", code)


_PATTERNS = """\
places = [symbols.tolist().index(symbol) for symbol in text]
with torch.no_grad():
    weights = kept.weights(torch.tensor([places]))[0]
for layer, head in heads:
    print(f"\\nL{layer}H{head} at step {asked_at}, a row for each symbol that looks")
    for symbol, row in zip(text, weights[layer, head].tolist(), strict=True):
        print(*(f"{weight:.2f}" for weight in row), f" {symbol}")"""

_WITHOUT = '''\
@torch.no_grad()
def losses_without(off):
    """By task: the loss where W_O does not read the z of some heads, as if it were 0."""
    model, d_head = copy.deepcopy(kept), C // h
    for layer, head in off:
        model.layers[layer].out.weight[:, head * d_head : (head + 1) * d_head] = 0
    found = {task: counted_losses(model, *texts) for task, texts in held_out.items()}
    return {task: losses.mean().item() for task, losses in found.items()}'''

_KNOCK_OUT = """\
layers = {layer for layer, _ in off}
others = [head for head in heads if head[0] in layers and head not in off]
alone = [[head] for head in off] if len(off) > 1 else []
whole = losses_without([])
print(f"\\nat step {asked_at}: loss, and how far it rises")
for some in [[], *filter(None, [off, *alone, others])]:
    names = " ".join(f"L{layer}H{head}" for layer, head in some) or "nothing"
    losses = losses_without(some)
    told = (f"{task} {losses[task]:.6f} {losses[task] - whole[task]:+.6f}" for task in losses)
    print(f"without {names}:", *told)"""
