"""The fused module: one linear layer makes queries, keys and values of all heads at once.

    qkv     = x W_qkv                              (B, T, C + 2 * h_kv * d_head)
    q, k, v = its three parts, split into heads    (B, h, T, d_head), (B, h_kv, T, d_head) twice
    scores  = q·k / sqrt(d_head)                   (B, h, T_q, T_k), each kv head for its group
    weights = softmax(scores, masked)              every row sums to 1
    out     = merge(weights · v) W_O               (B, T, C)

`forward` is fast and keeps nothing; `trace` does the same in single steps and keeps every tensor.
"""

from __future__ import annotations

import ast
import hashlib
import inspect
import math
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from mha.checks import require_positive_int
from mha.config import AttentionConfig


@dataclass(frozen=True, eq=False)
class Step:
    """One line of the forward pass, and the tensor that it made.

    name: the variable that it is assigned to. code: the line, as it stands in `trace`.
    axes: the names of the tensor's axes. inputs: the earlier steps that it reads.
    is_view: whether it shares its memory with one of them, so that nothing was written.
    """

    name: str
    code: str
    tensor: Tensor
    axes: tuple[str, ...]
    inputs: tuple[str, ...]
    is_view: bool

    @property
    def shape(self) -> tuple[int, ...]:
        return tuple(self.tensor.shape)

    @property
    def stride(self) -> tuple[int, ...]:
        """Steps in memory per axis, in numbers."""
        return self.tensor.stride()

    @property
    def is_contiguous(self) -> bool:
        """Whether reading by index walks the memory in order."""
        return self.tensor.is_contiguous()

    @property
    def nbytes(self) -> int:
        """Bytes of the numbers that the tensor shows; a view has no memory of its own."""
        return self.tensor.nbytes


class MultiHeadAttention(nn.Module):
    """Self-attention of h heads; with fewer key and value heads, grouped or multi-query.

        heads       0 1 2 3     0 1 2 3     0 1 2 3
                    | | | |      \\|  \\|      \\\\ //
        kv heads    0 1 2 3      0   1        0
                     (MHA)       (GQA)       (MQA)

    Args:
        d_model: width C of a token's vector.
        n_heads: query heads h, each of d_head = C / h numbers.
        n_kv_heads: key and value heads h_kv; None gives every query head its own.
        bias: whether both linear layers add a bias.

    Attributes:
        qkv: the linear layer of queries, keys and values: (C + 2 * h_kv * d_head, C).
        out: the linear layer W_O that mixes the heads: (C, C).

    Raises:
        ValueError: sizes that `AttentionConfig` refuses.

    Source: Vaswani et al. 2017, arXiv:1706.03762; Ainslie et al. 2023, arXiv:2305.13245.
    """

    def __init__(
        self, d_model: int, n_heads: int, n_kv_heads: int | None = None, bias: bool = False
    ) -> None:
        super().__init__()
        self.config = AttentionConfig(d_model, n_heads, n_kv_heads, bias)
        C, C_kv = self.config.d_model, self.config.n_kv_heads * self.config.d_head
        self.qkv = nn.Linear(C, C + 2 * C_kv, bias=bias)
        self.out = nn.Linear(C, C, bias=bias)

    @classmethod
    def seeded(cls, config: AttentionConfig, seed: int) -> MultiHeadAttention:
        """A module whose weights depend on its sizes and the seed alone, uniform as nn.Linear's."""
        with torch.device("meta"):  # which draws no random numbers
            module = cls(config.d_model, config.n_heads, config.n_kv_heads, config.bias)
        module.to_empty(device="cpu")
        generator = torch.Generator().manual_seed(seed)
        bound = 1 / math.sqrt(config.d_model)
        for parameter in module.parameters():
            nn.init.uniform_(parameter, -bound, bound, generator=generator)
        return module

    def forward(self, x: Tensor, *, causal: bool = True) -> Tensor:
        """Attend with PyTorch's fused kernel, which never writes the weights down.

        Args:
            x: (B, T, C), in the dtype of the weights.
            causal: whether a token sees only itself and what came before.

        Returns:
            (B, T, C).

        Raises:
            ValueError: x is no such tensor.
        """
        B, T, C = self.require_input(x)
        h, h_kv, d_head = self.config.n_heads, self.config.n_kv_heads, self.config.d_head
        q, k, v = self.qkv(x).split([C, h_kv * d_head, h_kv * d_head], dim=-1)
        q = q.view(B, T, h, d_head).transpose(1, 2)  # (B, h, T, d_head)
        k = k.view(B, T, h_kv, d_head).transpose(1, 2)  # (B, h_kv, T, d_head)
        v = v.view(B, T, h_kv, d_head).transpose(1, 2)
        z = F.scaled_dot_product_attention(q, k, v, is_causal=causal, enable_gqa=h_kv < h)
        return self.out(z.transpose(1, 2).reshape(B, T, C))

    def trace(self, x: Tensor, *, causal: bool = True) -> list[Step]:
        """Attend step by step, keeping every tensor; the last step is what `forward` returns.

        Raises:
            ValueError: as `forward`.
        """
        B, T, C = self.require_input(x)
        h, h_kv, d_head = self.config.n_heads, self.config.n_kv_heads, self.config.d_head
        C_kv = h_kv * d_head
        keep = _Keeper()
        # True where a query may look at a key.
        mask = torch.ones(T, T, dtype=torch.bool, device=x.device).tril(0 if causal else T)

        x = keep(x, "B T C")
        qkv = keep(self.qkv(x), "B T C+2C_kv")
        q = keep(qkv[..., :C], "B T C")
        k = keep(qkv[..., C : C + C_kv], "B T C_kv")
        v = keep(qkv[..., C + C_kv :], "B T C_kv")
        q_heads = keep(q.view(B, T, h, d_head).transpose(1, 2), "B h T d_head")
        k_heads = keep(k.view(B, T, h_kv, d_head).transpose(1, 2), "B h_kv T d_head")
        v_heads = keep(v.view(B, T, h_kv, d_head).transpose(1, 2), "B h_kv T d_head")
        each = h // h_kv  # query heads that share a key and value head: 0, 0, 1, 1 and so on
        k_all = keep(
            k_heads if each == 1 else k_heads.repeat_interleave(each, dim=1), "B h T d_head"
        )
        v_all = keep(
            v_heads if each == 1 else v_heads.repeat_interleave(each, dim=1), "B h T d_head"
        )
        scores = keep(q_heads @ k_all.transpose(2, 3) / math.sqrt(d_head), "B h T_q T_k")
        masked = keep(scores.masked_fill(~mask, -math.inf), "B h T_q T_k")
        weights = keep(masked.softmax(dim=-1), "B h T_q T_k")
        z = keep(weights @ v_all, "B h T d_head")
        z_by_token = keep(z.transpose(1, 2), "B T h d_head")
        merged = keep(z_by_token.reshape(B, T, C), "B T C")
        out = keep(self.out(merged), "B T C")
        return keep.steps

    def as_torch(self) -> nn.MultiheadAttention:
        """`nn.MultiheadAttention` with the same weights; where heads share keys, each gets a copy.

        It takes masks the other way round: True means "may not look".
        """
        C, h, h_kv = self.config.d_model, self.config.n_heads, self.config.n_kv_heads
        C_kv = h_kv * self.config.d_head
        with torch.device("meta"):  # which draws no random numbers
            theirs = nn.MultiheadAttention(C, h, bias=self.config.bias, batch_first=True)
        theirs.to_empty(device=self.qkv.weight.device)
        theirs.to(self.qkv.weight)  # dtype and device

        def repeated(part: Tensor) -> Tensor:
            by_head = part.unflatten(0, (h_kv, -1))  # (h_kv, d_head) or (h_kv, d_head, C)
            return by_head.repeat_interleave(h // h_kv, dim=0).flatten(0, 1)

        pairs = [
            (self.qkv.weight, theirs.in_proj_weight),
            (self.out.weight, theirs.out_proj.weight),
        ]
        if self.config.bias:
            pairs += [(self.qkv.bias, theirs.in_proj_bias), (self.out.bias, theirs.out_proj.bias)]
        with torch.no_grad():
            for ours, their in pairs:
                if ours is self.qkv.weight or ours is self.qkv.bias:
                    q, k, v = ours.split([C, C_kv, C_kv])
                    ours = torch.cat([q, repeated(k), repeated(v)])
                their.copy_(ours)
        return theirs.to(self.qkv.weight)

    def require_input(self, x: Tensor) -> torch.Size:
        """Return B, T, C of x, or raise before anything runs."""
        C, dtype = self.config.d_model, self.qkv.weight.dtype
        if not isinstance(x, Tensor):
            raise ValueError(
                f"x must be a torch tensor; got {type(x).__name__}. Try torch.as_tensor(x)."
            )
        if x.ndim != 3 or x.shape[-1] != C or 0 in x.shape:
            tried = "x[None], a batch of one" if x.ndim == 2 else f"torch.randn(1, 6, {C})"
            raise ValueError(
                f"x must have the shape (B, T, d_model={C}), none of them 0; "
                f"got x.shape={tuple(x.shape)}. Try {tried}."
            )
        if x.dtype != dtype:
            raise ValueError(
                f"x must have the dtype of the weights, {dtype}; got x.dtype={x.dtype}. "
                f"Try x.to({dtype})."
            )
        return x.shape


def embed(tokens: Sequence[str], d_model: int, *, seed: int, batch: int = 1) -> Tensor:
    """x (B, T, C): a vector of normal numbers for each token, from the token and the seed alone.

    Equal tokens get equal vectors, as from a table of embeddings; a position adds nothing. Each row
    of the batch has a table of its own.

    Raises:
        ValueError: no token, or a size that is not a positive whole number.
    """
    T = require_positive_int("number of tokens", len(tokens))
    C, B = require_positive_int("d_model", d_model), require_positive_int("batch", batch)
    return torch.stack(
        [_vector(token, C, f"{seed} {b}") for b in range(B) for token in tokens]
    ).view(B, T, C)


def _vector(token: str, C: int, salt: str) -> Tensor:
    digest = hashlib.blake2b(f"{salt} {token}".encode("utf-8", "replace"), digest_size=6).digest()
    generator = torch.Generator().manual_seed(int.from_bytes(digest))
    return torch.randn(C, generator=generator)


class _Keeper:
    """Keeps each tensor that `trace` hands it as a `Step`; calls come in the order of the lines."""

    def __init__(self) -> None:
        self.steps: list[Step] = []

    def __call__(self, tensor: Tensor, axes: str) -> Tensor:
        name, code, inputs = _lines_of_trace()[len(self.steps)]
        read = [step.tensor for step in self.steps if step.name in inputs]
        memory = {other.untyped_storage().data_ptr() for other in read}
        is_view = tensor.untyped_storage().data_ptr() in memory
        self.steps.append(Step(name, code, tensor, tuple(axes.split()), inputs, is_view))
        return tensor


@lru_cache(1)
def _lines_of_trace() -> tuple[tuple[str, str, tuple[str, ...]], ...]:
    """Name, code and inputs of every step, read from the source of `trace` so that none drifts."""
    source = textwrap.dedent(inspect.getsource(MultiHeadAttention.trace))
    lines: list[tuple[str, str, tuple[str, ...]]] = []
    for line in ast.parse(source).body[0].body:
        match line:
            case ast.Assign([ast.Name(name)], ast.Call(ast.Name("keep"), [made, _])):
                code = ast.get_source_segment(source, made)
                names = {node.id for node in ast.walk(made) if isinstance(node, ast.Name)}
                inputs = tuple(earlier for earlier, *_ in lines if earlier in names)
                lines.append((name, f"{name} = {code}", inputs))
    return tuple(lines)
