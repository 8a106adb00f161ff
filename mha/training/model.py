"""A transformer of attention alone: every token's vector, and heads that add to it.

    x      = tokens' vectors + positions' vectors          (B, T, C)
    x      = x + attention(x), once for each layer         (B, T, C), the residual stream
    logits = x U^T                                         (B, T, V), V symbols

There is no MLP and no normalisation, so that whatever the model finds out about another token, a
head has brought.

Source: Elhage et al. 2021, "A mathematical framework for transformer circuits".
"""

from __future__ import annotations

from collections.abc import Iterable

import torch
from torch import Tensor, nn

from mha.checks import require_index
from mha.module import MultiHeadAttention
from mha.training.settings import Settings

Heads = Iterable[tuple[int, int]]  # (layer, head), both from 0


class AttentionOnly(nn.Module):
    """The model of a run, with the weights that the run's seed gives it to start with.

    tokens, unembedding (V, C): a vector for each symbol, to read it and to predict it.
    positions (training_length, C): one for each place. layers: one `MultiHeadAttention` each.
    """

    def __init__(self, settings: Settings) -> None:
        super().__init__()
        V, T, C = len(settings.vocabulary), settings.training_length, settings.d_model
        generator = torch.Generator().manual_seed(settings.seed)
        # As nn.Embedding and nn.Linear start: read at full size, predicted at 1/sqrt(C).
        self.tokens = nn.Parameter(torch.randn(V, C, generator=generator))
        self.positions = nn.Parameter(torch.randn(T, C, generator=generator))
        self.unembedding = nn.Parameter(torch.randn(V, C, generator=generator) / C**0.5)
        seeds = torch.randint(2**31, (settings.n_layers,), generator=generator).tolist()
        self.layers = nn.ModuleList(
            MultiHeadAttention.seeded(settings.attention, seed) for seed in seeds
        )

    def stream(self, tokens: Tensor) -> Tensor:
        """The residual stream (B, T, C) after the last layer, for tokens (B, T)."""
        x = self.tokens[tokens] + self.positions[: tokens.shape[1]]
        for layer in self.layers:
            x = x + layer(x)
        return x

    def forward(self, tokens: Tensor) -> Tensor:
        """The logits (B, T, V) of the symbol after each of the tokens (B, T)."""
        return self.stream(tokens) @ self.unembedding.T

    @torch.no_grad()
    def weights(self, tokens: Tensor) -> Tensor:
        """The weights (B, n_layers, h, T, T) of every head; rows sum to 1."""
        x = self.tokens[tokens] + self.positions[: tokens.shape[1]]
        kept = []
        for layer in self.layers:
            steps = {step.name: step.tensor for step in layer.trace(x)}
            kept.append(steps["weights"])
            x = x + steps["out"]
        return torch.stack(kept, dim=1)

    @torch.no_grad()
    def knock_out(self, heads: Heads) -> None:
        """Turn heads off for good: the columns of W_O that read their z become 0.

        That is the same as z = 0 for them, since W_O has no bias.

        Raises:
            ValueError: a layer or head that is not there.
        """
        config = self.layers[0].config
        for layer, head in heads:
            layer = require_index("layer", layer, len(self.layers))
            head = require_index("head", head, config.n_heads)
            first = head * config.d_head
            self.layers[layer].out.weight[:, first : first + config.d_head] = 0
