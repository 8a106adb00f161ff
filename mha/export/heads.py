"""Hand-built heads as scripts: two heads of the gallery, a head of one's own, two layers."""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from mha.export.literals import assigned, literal
from mha.export.script import Cell, Script, opening
from mha.export.source import bundle
from mha.export.words import SHOW, words_cell, words_imports
from mha.hand_built import CHALLENGES, GALLERY, Edits, copy_what_followed
from mha.reference import causal_mask, softmax
from mha.sentence import Sentence

_FORMULA = """
    X = [one-hot position | one-hot category]        (T, T + 3)
    Q = X W_Q,  K = X W_K,  V = X W_V
    weights = softmax(Q K^T, masked),  z = weights V

T tokens; row i of W_Q is what the token at position i asks for, and row j of W_K what the token at
position j answers to."""

_SENTENCE = '''\
@dataclass(frozen=True)
class Sentence:
    """Tokens in order, and the category of each."""

    tokens: list[str]
    categories: list[int]

    def __len__(self):
        return len(self.tokens)'''

_FEATURES = """\
X = np.hstack([np.eye(T), np.eye(3)[categories]])  # (T, T + 3)
mask = causal_mask(T) if causal else np.ones((T, T), bool)  # True where a token may look"""

_ATTENTION = """\
for name, head in heads.items():
    q, k, v = X @ head.W_Q, X @ head.W_K, X @ head.W_V  # (T, d_k) twice, (T, T + 3)
    dots = q @ k.T  # (T, T): q·k of every pair
    scores = np.where(mask, dots, -np.inf)
    weights = softmax(scores)  # (T, T): every row sums to 1
    z = weights @ v  # (T, T + 3): the weighted mean of what a token looks at

    show(f"{name}: weights, a row for each token that looks", weights, ~mask)
    show(f"{name}: z, what arrives at each token", z)
    print(f"{name}: the row of token {query}; q k, exponential, weight")
    exponentials = np.exp(scores[query] - scores[query].max())
    for j, token in enumerate(tokens):
        row = f"{dots[query, j]:8.2f} {exponentials[j]:8.4f} {weights[query, j]:8.4f}"
        print(row, f" {token!r}")
    print()"""

_SCORE = """\
# The mean, over the rows that count, of the weight that lies on the target.
targets = {targets}(np.array(categories))  # (T, T), True = target
counts = targets.any(axis=1)
if counts.any():
    score = np.where(targets, weights, 0).sum(axis=1)[counts].mean()
    print(f"score {{score:.2f}} of 1")
else:
    print("no token here can do this")"""


_LAYERS = """
    layer 1, previous token:  z[j] = the word at j - 1, written into token j
    layer 2, same word:       q[i] = the word at i,  k[j] = the word at j - 1, from layer 1

No single head can look at what followed a word last time: it takes one that writes, and then one
that reads. Together they are called an induction head."""

_SPELLS = """\
words = list(dict.fromkeys(tokens))
spells = np.eye(len(words))[[words.index(token) for token in tokens]]  # (T, words)
mask = causal_mask(T)  # both look back only"""

_LAYER_1 = """\
q, k = np.eye(T, k=-1) * 2 * sharpness, np.eye(T)  # position i asks for position i - 1
previous = softmax(np.where(mask, q @ k.T, -np.inf))  # (T, T)
word_before = previous @ spells  # (T, words)
word_before[0] = 0  # the first token has none: it looked at itself
show("Layer 1: weights, a row for each token that looks", previous, ~mask)"""

_LAYER_2 = """\
q, k = spells * sharpness, word_before  # my word asks for those who follow it
induction = softmax(np.where(mask, q @ k.T, -np.inf))  # (T, T)
show("Layer 2: weights, a row for each token that looks", induction, ~mask)"""


class Chosen(NamedTuple):
    """A head of the gallery by its name, and how it was turned: sharpness, n, category, edits."""

    name: str
    options: Mapping[str, Any]


def two_heads(sentence: Sentence, chosen: Sequence[Chosen], *, causal: bool, query: int) -> Script:
    """Heads of the gallery on these words: weights, z, and the arithmetic of one row."""
    heads = {f"Head {i}: {one.name}": one for i, one in enumerate(chosen, 1)}
    return _script("Hand-built heads", sentence, heads, causal, query)


def own_head(
    sentence: Sentence, edits: Edits, *, causal: bool, query: int, challenge: str
) -> Script:
    """A head of the visitor's own, and how nearly it does the job of a challenge."""
    targets = CHALLENGES[challenge].targets
    heads = {"Your own head": Chosen("your own", {"edits": edits})}
    script = _script("A head of your own", sentence, heads, causal, query)
    parts = bundle(targets)
    score = f"{parts.code}\n\n\n{_SCORE.format(targets=targets.__name__)}"
    return Script((*script.cells, Cell(f"The challenge: look at {challenge}", score)))


def two_layers(sentence: Sentence) -> Script:
    """Copying what followed last time, by two heads one after the other."""
    sharpness = inspect.signature(copy_what_followed).parameters["sharpness"].default
    parts = bundle(causal_mask, softmax)
    return Script(
        (
            opening("Two layers", _LAYERS, {*parts.imports, *words_imports(sentence)}),
            words_cell(sentence, with_categories=False, sharpness=sharpness),
            Cell("Attention", f"{parts.code}\n\n\n{SHOW}\n\n\n{_SPELLS}"),
            Cell("Layer 1: the word before is written into each token", _LAYER_1),
            Cell("Layer 2: what followed my word", _LAYER_2),
        )
    )


def _script(
    title: str, sentence: Sentence, heads: Mapping[str, Chosen], causal: bool, query: int
) -> Script:
    kinds = {one.name: GALLERY[one.name] for one in heads.values()}
    by_sentence = any(kind.by_sentence for kind in kinds.values())
    builders = bundle(*(kind.build for kind in kinds.values()))
    attention = bundle(causal_mask, softmax)
    imports = {*builders.imports, *attention.imports, *words_imports(sentence)}
    making = ["heads = {"]
    making += [f"    {literal(name)}: {_call(one)}," for name, one in heads.items()]
    making.append("}")
    for one in heads.values():
        if "edits" in GALLERY[one.name].knobs:
            making.insert(0, assigned("edits", dict(one.options["edits"])))
    if by_sentence:
        making.insert(0, "sentence = Sentence(tokens, categories)")
    building = [_SENTENCE] * by_sentence + [builders.code, "\n".join(dict.fromkeys(making))]
    return Script(
        (
            opening(title, _FORMULA, imports),
            words_cell(sentence, causal=causal, query=query),
            Cell("Heads, written by hand", "\n\n\n".join(building)),
            Cell("Attention", "\n\n\n".join([attention.code, SHOW, _FEATURES])),
            Cell("What each head looks at", _ATTENTION),
        )
    )


def _call(chosen: Chosen) -> str:
    kind = GALLERY[chosen.name]
    read = ("sharpness", *kind.knobs) if kind.sharpness is not None else kind.knobs
    options = {name: chosen.options[name] for name in read if name in chosen.options}
    given = ["sentence" if kind.by_sentence else "T"]
    given += [
        "edits=edits" if name == "edits" else f"{name}={literal(value)}"
        for name, value in options.items()
    ]
    return f"{kind.build.__name__}({', '.join(given)})"
