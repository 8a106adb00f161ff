"""Where the parameters are, as a script: one layer, and every number of heads that it can have."""

from __future__ import annotations

from mha.config import AttentionConfig
from mha.export.script import Cell, Script, opening

_FORMULA = """
    W_Q  C * h * d_head        one share of C * d_head for each query head
    W_K  C * h_kv * d_head     one share for each key/value head, shared by its group or not
    W_V  C * h_kv * d_head
    W_O  h * d_head * C        one share for each query head

C = d_model, h heads, h_kv key/value heads. With d_head = C / h and h_kv = h each of the four is
C * C, whatever h is: the number of heads cancels out."""

COUNT = '''\
def count_parameters(C, h, h_kv, d_head, bias):
    """The parameters of one layer, by name."""
    terms = {
        "W_Q": C * h * d_head,
        "W_K": C * h_kv * d_head,
        "W_V": C * h_kv * d_head,
        "W_O": h * d_head * C,
    }
    if bias:
        terms |= {"b_Q": h * d_head, "b_K": h_kv * d_head, "b_V": h_kv * d_head, "b_O": C}
    return terms'''

_LAYER = """\
terms = count_parameters(C, h, h_kv, d_head or C // h, bias)
for name, count in terms.items():
    print(f"{name:>5} {count:>15,}")
print(f"total {sum(terms.values()):>15,}")"""

_FAMILY = """\
print("heads, key/value heads, d_head, parameters, softmaxes, scores")
for heads in range(1, C + 1):
    kv_heads = heads if h_kv == h else h_kv  # shared ones stay as many
    if C % heads == 0 and heads % kv_heads == 0:
        size = d_head or C // heads
        total = sum(count_parameters(C, heads, kv_heads, size, bias).values())
        # For one sequence: a softmax for each token, and a score for each pair of tokens.
        print(f"{heads:,} {kv_heads:,} {size:,} {total:,} {heads * T:,} {heads * T * T:,}")"""


def parameters(config: AttentionConfig, T: int, *, d_head: int | None) -> Script:
    """The ledger of one layer, term by term, and of the same layer with other numbers of heads.

    Args:
        T: tokens, for what the number of heads does change.
        d_head: a head size of its own; None where it is C / h.
    """
    sizes = [
        f"C, h, h_kv = {config.d_model}, {config.n_heads}, {config.n_kv_heads}",
        f"d_head = {d_head}" + ("  # None: C / h" if d_head is None else "  # of its own"),
        f"bias = {config.bias}",
        f"T = {T}  # tokens",
    ]
    return Script(
        (
            opening("Where the parameters are", _FORMULA, []),
            Cell("The layer", "\n".join(sizes)),
            Cell("Its parameters", f"{COUNT}\n\n\n{_LAYER}"),
            Cell("With every number of heads", _FAMILY),
        )
    )
