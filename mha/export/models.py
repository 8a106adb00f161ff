"""Real models as scripts: their ledger with shared keys and values, the cache, and decoding."""

from __future__ import annotations

import textwrap

from mha.cache_tables import MEMORIES
from mha.config import AttentionConfig
from mha.export.literals import WIDTH, assigned
from mha.export.parameters import COUNT
from mha.export.script import Cell, Script, opening
from mha.export.source import bundle
from mha.models import Model
from mha.models.model import Latent, latent_terms

_LEDGER = """
    parameters of a layer   W_Q and W_O: C * h * d_head each; W_K and W_V: C * h_kv * d_head each
    cache                   2 * layers * batch * h_kv * d_head * T * bytes: a key and a value for
                            each token; a layer with a sliding window keeps `window` tokens at most

C = d_model, h query heads, h_kv key and value heads; query head i reads i // (h // h_kv)."""

_LATENT = """
    cache   layers * batch * (kv_rank + rope) * T * bytes

Latent attention keeps no heads: of each token and layer it keeps one vector of kv_rank numbers,
from which all heads rebuild their keys and values, and one key of rope numbers for the positions,
which they share."""

_CACHE = '''\
def cache_bytes(h_kv, T, batch):
    """Bytes that the keys and values of T tokens take in all layers."""
    kept = (layers - window_layers) * T + window_layers * min(T, window or T)
    return math.ceil(2 * batch * h_kv * d_head * kept * bytes_per_number)'''

_NO_CACHE = '''\
def cache_bytes(h_kv, T, batch):
    """None: an encoder writes nothing, and keeps no keys and values."""
    return 0'''

_LATENT_CACHE = '''\
def cache_bytes(h_kv, T, batch):
    """Bytes that the short vectors of T tokens take in all layers."""
    return math.ceil(layers * batch * (latent.kv_rank + latent.rope) * T * bytes_per_number)'''

_SHARED = """\
for kv_heads in dict.fromkeys([h, h_kv]):
    terms = count_parameters(C, h, kv_heads, d_head, bias=True)
    terms = {name: n for name, n in terms.items() if name[0] == "W" or name[-1] in biased}
    layer = sum(terms.values())
    print(f"{kv_heads} key and value heads")
    for name, count in terms.items():
        print(f"  {name} {count:,}")
    print(f"  one layer {layer:,}")
    print(f"  all {attention_layers} attention layers {attention_layers * layer:,}")
    print(f"  cache of a token {cache_bytes(kv_heads, 1, 1):,} bytes")
    print(f"  cache of all {T:,} tokens {cache_bytes(kv_heads, T, batch):,} bytes")"""

_READERS = """\
group = h // h_kv
for kv_head in range(h_kv):
    readers = list(range(kv_head * group, (kv_head + 1) * group))
    print(f"key and value head {kv_head}: query heads {readers}")"""

_LATENT_LAYER = """\
terms = latent_terms(C, h, d_head, latent)
for name, count in terms.items():
    print(f"{name} {count:,}")
print(f"one layer {sum(terms.values()):,}")
print(f"cache of a token {cache_bytes(h_kv, 1, 1):,} bytes")
print(f"cache of all {T:,} tokens {cache_bytes(h_kv, T, batch):,} bytes")"""

_CONTEXTS = """\
print("tokens, bytes of the cache")
longest = max(2**20, 1 << (T - 1).bit_length())
for context in sorted({*(2**i for i in range(longest.bit_length())), T}):
    print(f"{context:,} {cache_bytes(h_kv, context, batch):,}")"""

_MEMORIES = """\
MOST = 2**60  # tokens; where even they fit, every context does


def longest_context(budget):
    \"\"\"The most tokens whose cache takes at most so many bytes.\"\"\"
    fit = bisect_right(range(1, MOST), budget, key=lambda T: cache_bytes(h_kv, T, batch))
    return "any" if fit == MOST - 1 else f"{fit:,}"


print("memory, tokens of the cache alone, tokens beside the weights at 16 bits")
for gb in MEMORIES:
    size = gb * 10**9
    left = size - 2 * parameters if parameters else None
    beside = "unknown" if left is None else "0" if left < 0 else longest_context(left)
    print(f"{gb} GB: {longest_context(size)}, {beside}")"""

_DECODING = """
    multiply-adds   qkv: T_q * C * (h + 2 * h_kv) * d_head      scores: h * T_q * T_k * d_head
                    weights * v: h * T_q * T_k * d_head         output: T_q * h * d_head * C

With a cache one token passes and looks at n; without one all n pass again."""

_COUNT_STEPS = '''\
def multiply_adds(T_q, T_k):
    """Of one layer, where T_q tokens pass and look at T_k."""
    d_head = C // h
    qkv = T_q * C * (h + 2 * h_kv) * d_head
    mixing = h * T_q * T_k * d_head  # the scores; and as many again for the weighted means
    return qkv + 2 * mixing + T_q * h * d_head * C


with_cache = without = 0
print("token; with a cache, all so far; without one, all so far")
for n in range(1, T + 1):
    one, all_again = multiply_adds(1, n), multiply_adds(n, n)
    with_cache, without = with_cache + one, without + all_again
    print(f"{n}; {one:,}, {with_cache:,}; {all_again:,}, {without:,}")'''


def grouped_queries(
    model: Model, kv_heads: int, T: int, *, batch: int, bytes_per_number: float
) -> Script:
    """Who reads whom, and the ledger and the cache with heads of their own and with shared ones."""
    sizes = _sizes(model, kv_heads, T, batch, bytes_per_number)
    if model.latent is not None:
        return _latent(model, sizes, _LATENT_LAYER)
    return Script(
        (
            opening("Grouped queries", _LEDGER, _imports(model)),
            sizes,
            Cell("Parameters and cache", "\n\n\n".join([COUNT, _cache(model), _SHARED])),
            Cell("Who reads whom", _READERS),
        )
    )


def kv_cache(model: Model, T: int, *, batch: int, bytes_per_number: float) -> Script:
    """The bytes of the cache over context length, and the longest context for each memory."""
    sizes = _sizes(model, model.n_kv_heads, T, batch, bytes_per_number)
    memories = Cell(
        "What fits which memory",
        "\n".join([f"MEMORIES = {MEMORIES}  # GB, of 10^9 bytes", _MEMORIES]),
    )
    if model.latent is not None:
        return _latent(model, sizes, _CONTEXTS, memories)
    return Script(
        (
            opening("The cache", _LEDGER, [*_imports(model), "from bisect import bisect_right"]),
            sizes,
            Cell("The cache over context length", f"{_cache(model)}\n\n\n{_CONTEXTS}"),
            memories,
        )
    )


def decoding(config: AttentionConfig, T: int) -> Script:
    """What each of T tokens costs to decode in one layer, with a cache and without one."""
    sizes = [f"C, h, h_kv = {config.d_model}, {config.n_heads}, {config.n_kv_heads}", f"T = {T}"]
    return Script(
        (
            opening("Token by token", _DECODING, []),
            Cell("Sizes", "\n".join(sizes)),
            Cell("Multiply-adds of every token", _COUNT_STEPS),
        )
    )


def _latent(model: Model, sizes: Cell, code: str, *more: Cell) -> Script:
    parts = bundle(Latent, latent_terms)
    imports = ["import math", *parts.imports]
    if more:
        imports.append("from bisect import bisect_right")
    making = f"latent = {model.latent!r}"
    return Script(
        (
            opening("Latent attention", _LATENT, imports),
            sizes,
            Cell("Parameters and cache", "\n\n\n".join([parts.code, making, _LATENT_CACHE, code])),
            *more,
        )
    )


def _imports(model: Model) -> list[str]:
    return [] if model.kind == "encoder" else ["import math"]


def _cache(model: Model) -> str:
    return _NO_CACHE if model.kind == "encoder" else _CACHE


def _sizes(model: Model, kv_heads: int, T: int, batch: int, bytes_per_number: float) -> Cell:
    values = {
        "model": model.title,
        "C": model.d_model,
        "h": model.n_heads,
        "h_kv": kv_heads,
        "d_head": model.d_head,
        "layers": model.n_layers,
        "attention_layers": model.n_attention_layers,
        "window": model.window,
        "window_layers": model.n_window_layers,
        "biased": model.biased,
        "parameters": model.n_parameters,
        "T": T,
        "batch": batch,
        "bytes_per_number": bytes_per_number,
    }
    notes = {
        "window": "tokens that a layer with a sliding window keeps",
        "biased": "projections that add a bias",
        "parameters": "of the whole model, as its makers round it",
        "T": "tokens in the context",
        "batch": "sequences at once",
    }
    lines = [
        assigned(name, value) + (f"  # {notes[name]}" if name in notes else "")
        for name, value in values.items()
    ]
    read_in = textwrap.wrap(
        f"The sizes were read in: {model.source}", WIDTH - 2, break_on_hyphens=False
    )
    return Cell(model.title, "\n".join([*(f"# {line}" for line in read_in), *lines]))
