"""The module and its input, made from the sidebar's sizes, the visitor's words and a seed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from mha.config import AttentionConfig
from mha.sentence import Sentence
from pages.parts.pytorch import load_torch

if TYPE_CHECKING:  # torch takes a second, and is loaded when the page has been painted
    import torch

    from mha.module import MultiHeadAttention, Step


@dataclass(frozen=True)
class Run:
    """One forward pass: what went in, and every step of it."""

    sentence: Sentence
    config: AttentionConfig
    causal: bool
    seed: int
    module: MultiHeadAttention
    x: torch.Tensor
    steps: dict[str, Step]

    @property
    def sizes(self) -> str:
        """The sizes in words of ours."""
        B, T, C = self.x.shape
        return f"B = {B}, T = {T}, C = {C}, h = {self.config.n_heads}, float32, one forward pass"


def run(sentence: Sentence, config: AttentionConfig, causal: bool, batch: int, seed: int) -> Run:
    """Run the module step by step, without gradients."""
    load_torch()
    import torch

    from mha.module import MultiHeadAttention, embed

    module = MultiHeadAttention.seeded(config, seed)
    x = embed(sentence.tokens, config.d_model, seed=seed, batch=batch)
    with torch.no_grad():
        steps = {step.name: step for step in module.trace(x, causal=causal)}
    return Run(sentence, config, causal, seed, module, x, steps)
