"""The parameters that PyTorch's own modules hold, counted one by one: sum(p.numel()).

torch is imported only where it runs, so that a page can show this without paying for it beforehand.
"""

from __future__ import annotations

from typing import Any

from mha.config import AttentionConfig
from mha.ledger import count_parameters

MOST_IN_MEMORY = 1_000_000  # parameters; a larger module is built on the meta device


def linear_layers(C: int, h: int, h_kv: int, d_head: int, bias: bool, device: str) -> Any:
    """The fused projection to queries, keys and values, and the one by W_O."""
    from torch import nn

    qkv = nn.Linear(C, (h + 2 * h_kv) * d_head, bias=bias, device=device)
    out = nn.Linear(h * d_head, C, bias=bias, device=device)
    return nn.ModuleDict({"qkv": qkv, "out": out})


def count_modules(
    config: AttentionConfig, *, d_head: int | None = None
) -> tuple[dict[str, int], dict[str, int], str]:
    """Count the parameters of this layer as the fused module, and of `nn.MultiheadAttention`.

    With a head size of its own, which the module cannot have, its two linear layers are counted.

    Returns:
        the parameters of each by name; `nn.MultiheadAttention` has the same width, heads and bias,
        but can have neither grouped heads nor a head size of its own.
        the device: "cpu", or "meta" for a layer of more than MOST_IN_MEMORY parameters, where a
        tensor has its shape and no memory.

    Raises:
        ValueError: d_head is not a positive whole number.
    """
    C, h, h_kv = config.d_model, config.n_heads, config.n_kv_heads
    # nn.MultiheadAttention may be the larger of the two.
    most = max(count_parameters(config, d_head=d_head).total, 4 * C * (C + 1))
    device = "cpu" if most <= MOST_IN_MEMORY else "meta"
    import torch
    from torch import nn

    from mha.module import MultiHeadAttention

    if d_head is None:
        with torch.device(device):
            ours = MultiHeadAttention(C, h, h_kv, bias=config.bias)
    else:
        ours = linear_layers(C, h, h_kv, d_head, config.bias, device)
    theirs = nn.MultiheadAttention(C, h, bias=config.bias, device=device)
    counts = [{name: p.numel() for name, p in m.named_parameters()} for m in (ours, theirs)]
    return *counts, device
