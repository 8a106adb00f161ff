"""What PyTorch does when heads are merged: `.view` must not copy, `.reshape` may.

    x (B, T, C) → split → z (B, h, T, d_head) → transpose (B, T, h, d_head) → merge (B, T, C)

torch is imported only where it runs, so that a page can show this without paying for it beforehand.
"""

from __future__ import annotations


def merge_both_ways(B: int, T: int, h: int, d_head: int) -> tuple[str | None, bool, bool]:
    """Merge heads by `.view`, which must not copy, and by `.reshape`, which may."""
    import torch

    x = torch.arange(B * T * h * d_head).view(B, T, h * d_head)
    v = x.view(B, T, h, d_head).transpose(1, 2)  # (B, h, T, d_head)
    z = torch.eye(T, dtype=x.dtype) @ v  # every token looks at itself alone
    z = z.transpose(1, 2)  # (B, T, h, d_head)
    try:
        z.view(B, T, h * d_head)
        error = None
    except RuntimeError as refused:
        error = str(refused)
    merged = z.reshape(B, T, h * d_head)
    copied = merged.data_ptr() != z.data_ptr()
    return error, copied, torch.equal(merged, x)
