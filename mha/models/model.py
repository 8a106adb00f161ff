"""One model's row: its sizes, where they were read, and what follows from them.

    attention parameters   the four projections of a layer, times the layers
    KV cache               2 · h_kv · d_head numbers a token and layer; a layer with a sliding
                           window keeps the last `window` tokens only; a layer with latent
                           attention keeps kv_rank + rope numbers instead

Axes: C = d_model, h query heads, h_kv key/value heads.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, get_args

from mha.checks import require_positive_int
from mha.config import AttentionConfig
from mha.ledger import count_parameters, kv_cache_bytes

Kind = Literal["decoder", "encoder", "encoder-decoder"]
Biased = Literal["", "QKV", "QKVO"]
Sharing = Literal["multi-head", "grouped", "multi-query", "latent"]
KINDS: tuple[Kind, ...] = get_args(Kind)
BIASED: tuple[Biased, ...] = get_args(Biased)
SHARINGS: tuple[Sharing, ...] = get_args(Sharing)


class Latent(NamedTuple):
    """Multi-head latent attention: keys and values are rebuilt from one short vector a token.

    The cache keeps that vector, and beside it one key for the rotary positions that all heads
    share. Source: DeepSeek-V2, arXiv:2405.04434, section 2.1.

    Args:
        kv_rank: length of the vector that keys and values are rebuilt from.
        rope: length of the shared key; every query head has as many numbers more.
        q_rank: length of the vector that queries are rebuilt from; None projects them directly.
    """

    kv_rank: int
    rope: int
    q_rank: int | None

    @property
    def kept(self) -> int:
        """Numbers that the cache keeps of one token in one layer."""
        return self.kv_rank + self.rope


@dataclass(frozen=True, kw_only=True)
class Model:
    """The sizes of a published model.

    Args:
        title: how people write its name.
        family: the models that it was published with.
        year: when it was published.
        source: where the sizes were read, for a person to check.
        kind: "decoder"; "encoder", which writes nothing and keeps no cache; or "encoder-decoder".
        d_model: width C.
        n_heads: query heads h.
        n_kv_heads: key and value heads h_kv; None gives every query head its own.
        d_head: size of a head; None means C / h. Where it is given, C need not be h · d_head.
        n_layers: layers; of an encoder-decoder, those of each of its two stacks.
        window: tokens that a layer with a sliding window keeps; None where no layer has one.
        n_window_layers: layers that have the window, the others look at all; None means all of
            them where there is a window.
        latent: the sizes of latent attention, where a model has it.
        biased: the projections that add a bias: none, Q, K and V, or all four.
        n_parameters: of the whole model, embeddings included, rounded as its makers round it,
            be it only in its name; None where no total was read.
        note: what a figure leaves out, as a sentence for people.

    Raises:
        ValueError: sizes that do not fit one another, or an unknown kind or set of biases.
    """

    title: str
    family: str
    year: int
    source: str
    d_model: int
    n_heads: int
    n_layers: int
    n_kv_heads: int | None = None
    d_head: int | None = None
    kind: Kind = "decoder"
    window: int | None = None
    n_window_layers: int | None = None
    latent: Latent | None = None
    biased: Biased = ""
    n_parameters: int | None = None
    note: str = ""

    def __post_init__(self) -> None:
        _require_one_of("kind", self.kind, KINDS)
        _require_one_of("biased", self.biased, BIASED)
        layer = AttentionConfig(self.d_model, self.n_heads, self.n_kv_heads)
        require_positive_int("n_layers", self.n_layers)
        windowed = self.n_window_layers
        if windowed is None:
            windowed = 0 if self.window is None else self.n_layers
        derived = {
            "n_kv_heads": layer.n_kv_heads,
            "d_head": layer.d_head if self.d_head is None else self.d_head,
            "n_window_layers": windowed,
        }
        for name, value in derived.items():
            object.__setattr__(self, name, value)

        sizes = {"d_head": self.d_head, "window": self.window, "n_parameters": self.n_parameters}
        for name, value in (sizes | (self.latent._asdict() if self.latent else {})).items():
            if value is not None:
                require_positive_int(name, value)
        if self.window is None and windowed:
            raise ValueError(
                f"n_window_layers must come with a window; got window=None, "
                f"n_window_layers={windowed!r}. Try window=4096."
            )
        if self.window is not None:
            require_positive_int("n_window_layers", windowed, most=self.n_layers)
            if self.latent is not None:
                raise ValueError(
                    f"latent attention must come without a window; got window={self.window}, "
                    f"latent={self.latent}. Try window=None."
                )

    @property
    def config(self) -> AttentionConfig:
        """One attention layer. Its d_head is C / h, which is not every model's own."""
        bias = self.biased != ""
        return AttentionConfig(self.d_model, self.n_heads, self.n_kv_heads, bias)

    def narrowed(self, most: int) -> AttentionConfig | None:
        """A layer with this model's heads and key and value heads, as wide as `most` allows.

        Each head keeps its job and has fewer numbers. The width is even, as a slider has it; None
        where so many heads do not fit.
        """
        step = self.n_heads * (1 + self.n_heads % 2)
        widest = min(most, self.d_model) // step * step
        if widest < step:
            return None
        return AttentionConfig(widest, self.n_heads, self.n_kv_heads)

    @property
    def sharing(self) -> Sharing:
        """How query heads share keys and values."""
        if self.latent is not None:
            return "latent"
        if self.n_kv_heads == self.n_heads:
            return "multi-head"
        return "multi-query" if self.n_kv_heads == 1 else "grouped"

    @property
    def group_size(self) -> int:
        """Query heads that read the same key and value head."""
        return self.config.group_size

    @property
    def has_own_d_head(self) -> bool:
        """Whether a head is larger or smaller than C / h."""
        return self.d_head != self.config.d_head

    @property
    def n_attention_layers(self) -> int:
        """Attention layers of the whole model.

        An encoder-decoder has three for each layer: within the encoder, within the decoder, and
        from the decoder to the encoder.
        """
        return self.n_layers * (3 if self.kind == "encoder-decoder" else 1)

    @property
    def layer_terms(self) -> dict[str, int]:
        """Parameters of one attention layer by name: W_Q, W_K, W_V, W_O and the biases.

        With latent attention the names are the paper's: W_DQ and W_DKV shorten, W_UQ, W_UK and
        W_UV rebuild, W_KR and W_QR are for the rotary positions. Norms are not counted.
        """
        if self.latent is not None:
            return latent_terms(self.d_model, self.n_heads, self.d_head, self.latent)
        terms = count_parameters(self.config, d_head=self.d_head).terms
        return {name: n for name, n in terms.items() if name[0] == "W" or name[-1] in self.biased}

    @property
    def layer_parameters(self) -> int:
        """Parameters of one attention layer."""
        return sum(self.layer_terms.values())

    @property
    def attention_parameters(self) -> int:
        """Parameters of all attention layers."""
        return self.n_attention_layers * self.layer_parameters

    @property
    def cached_numbers(self) -> int:
        """Numbers that the cache keeps of one token in all layers, while every window has it."""
        if self.kind == "encoder":
            return 0
        kept = 2 * self.n_kv_heads * self.d_head if self.latent is None else self.latent.kept
        return self.n_layers * kept

    def kv_cache_bytes(self, T: int, batch: int = 1, bytes_per_number: float = 2) -> int:
        """Bytes that the cache of T tokens takes; 0 for an encoder, which keeps none.

        Of an encoder-decoder these are the T tokens that the decoder wrote; its look at the
        encoder keeps as much again for each T tokens read.

        Raises:
            ValueError: T or batch is not a positive whole number, or bytes_per_number is not 4, 2,
                1 or 0.5.
        """
        asked = {"T": T, "batch": batch, "bytes_per_number": bytes_per_number}
        if self.latent is not None:
            # One head of one number keeps a pair, a key and a value, where the latent keeps `kept`.
            pairs = kv_cache_bytes(AttentionConfig(1, 1), n_layers=self.n_layers, **asked)
            return -(-pairs * self.latent.kept // 2)
        n_full = self.n_layers - self.n_window_layers
        total = sum(
            kv_cache_bytes(self.config, n_layers=n, d_head=self.d_head, window=window, **asked)
            for window, n in ((None, n_full), (self.window, self.n_window_layers))
            if n
        )
        return 0 if self.kind == "encoder" else total


def family(
    name: str,
    year: int,
    source: str,
    columns: str,
    rows: Mapping[str, tuple],
    **shared: Any,
) -> dict[str, Model]:
    """Models published together, as a table: one row each, and once what they share.

    Args:
        columns: the fields that the rows give, in order.
        rows: the values of one model, by its name.
        shared: fields that all of them have alike.

    Raises:
        ValueError: a row of another length than columns, or sizes that do not fit one another.
    """
    fields = columns.split()
    return {
        key: Model(
            family=name, year=year, source=source, **shared, **dict(zip(fields, row, strict=True))
        )
        for key, row in rows.items()
    }


def latent_terms(C: int, h: int, d_head: int, latent: Latent) -> dict[str, int]:
    """The projections of latent attention, arXiv:2405.04434, appendix C."""
    kv_rank, rope, q_rank = latent
    if q_rank is None:
        queries = {"W_Q": C * h * d_head, "W_QR": C * h * rope}
    else:
        queries = {"W_DQ": C * q_rank, "W_UQ": q_rank * h * d_head, "W_QR": q_rank * h * rope}
    return queries | {
        "W_DKV": C * kv_rank,
        "W_UK": kv_rank * h * d_head,
        "W_UV": kv_rank * h * d_head,
        "W_KR": C * rope,
        "W_O": h * d_head * C,
    }


def _require_one_of(name: str, value: str, known: tuple[str, ...]) -> None:
    if value not in known:
        options = ", ".join(repr(k) for k in known)
        raise ValueError(
            f"{name} must be one of {options}; got {name}={value!r}. Try {name}={known[0]!r}."
        )
