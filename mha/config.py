"""The sizes of one attention layer, checked once so that nobody need check them again.

d_head = d_model / n_heads          group_size = n_heads / n_kv_heads
"""

from __future__ import annotations

from dataclasses import dataclass

from mha.checks import require_divisible, require_positive_int


@dataclass(frozen=True)
class AttentionConfig:
    """Width and heads of one attention layer.

    Args:
        d_model: width C of a token's vector.
        n_heads: query heads h; each gets d_model / n_heads numbers.
        n_kv_heads: key and value heads h_kv, each shared by n_heads / n_kv_heads query heads;
            None gives every query head its own.
        bias: whether the projections add a bias.

    Raises:
        ValueError: a size that is not a positive whole number, n_heads that does not divide
            d_model, or n_kv_heads that does not divide n_heads.
    """

    d_model: int
    n_heads: int
    n_kv_heads: int | None = None
    bias: bool = False

    def __post_init__(self) -> None:
        kv_heads = self.n_heads if self.n_kv_heads is None else self.n_kv_heads
        sizes = {"d_model": self.d_model, "n_heads": self.n_heads, "n_kv_heads": kv_heads}
        for name, value in sizes.items():
            object.__setattr__(self, name, require_positive_int(name, value))
        require_divisible("d_model", self.d_model, "n_heads", self.n_heads)
        require_divisible("n_heads", self.n_heads, "n_kv_heads", self.n_kv_heads)

    @property
    def d_head(self) -> int:
        """Numbers that one head works with."""
        return self.d_model // self.n_heads

    @property
    def group_size(self) -> int:
        """Query heads that read the same key and value head."""
        return self.n_heads // self.n_kv_heads
