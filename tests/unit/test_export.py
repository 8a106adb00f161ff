"""Exported scripts print the app's numbers, in a process that has nothing of ours."""

from __future__ import annotations

import ast
import sys

import nbformat
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings

from mha.cache_tables import cache_table, decoding_table, memories_table, sharing_table
from mha.config import AttentionConfig
from mha.export.anatomy import word_script
from mha.export.heads import Chosen, own_head, two_heads, two_layers
from mha.export.models import decoding, grouped_queries, kv_cache
from mha.export.parameters import parameters
from mha.hand_built import CHALLENGES, GALLERY, copy_what_followed, features
from mha.ledger import count_parameters, every_head_count
from mha.ledger_tables import head_counts_table
from mha.models import MODELS
from mha.sentence import EXAMPLE, MAX_TOKENS, Sentence, dissect
from mha.tables import arithmetic_table
from tests.unit.draw import HOSTILE, KISS, texts
from tests.unit.scripts import below, numbers, run, run_alone

PLAIN = Sentence.parse(EXAMPLE)
LONG = Sentence.fit(" ".join(HOSTILE))[0]
assert len(LONG) == MAX_TOKENS
# Words, the two heads and how they are turned, whether causal, the row.
SCENES = {
    "default": (PLAIN, [("previous token", {}), ("same category", {})], True, 5),
    "one_token": (Sentence.parse("x"), [("uniform", {}), ("n back", {"n": 3})], True, 0),
    "hostile": (LONG, [("same word", {"sharpness": -2.5}), ("next token", {})], False, 31),
    "surrogate": (
        Sentence(("\ud800", '"""', "\\N{x}", "\u202eabc"), (0, 1, 2, 0)),
        [("first token", {}), ("nearest of a category", {"category": 2, "sharpness": 0.5})],
        True,
        3,
    ),
    "own": (
        PLAIN,
        [("your own", {"edits": {("Q", 5, 1): 4.5}}), ("the token itself", {})],
        True,
        5,
    ),
}
EDITS = {("Q", 2, 0): 6.0, ("Q", 3, 1): 6.0, ("K", 1, 1): -2.125, ("Q", 34, 34): 1.0}
REPEATING = Sentence.parse("the cat sat on the mat and the cat")
LAYERS = {
    "layer": (AttentionConfig(32, 4), None),
    "layer_grouped": (AttentionConfig(768, 12, 4, bias=True), 70),
    "layer_of_one": (AttentionConfig(1, 1), None),
}
CACHES = {"llama-3-8b": (8192, 1, 2), "deepseek-v2-lite": (5000, 3, 0.5), "bert-base": (512, 1, 2)}
CACHES |= {"mistral-7b": (3000, 1, 1), "gpt-oss-20b": (70_000, 2, 4), "t5-3b": (77, 1, 2)}
CACHES |= {"qwen2.5-7b": (2**24, 1024, 2)}
WORDS = {f"word__{i}": word for i, word in enumerate(["light", "\ud800é", '"""\\N{x}', "\u0378"])}
WORDS |= {f"word__hostile_{i}": word for i, word in enumerate((*LONG.tokens[::3], KISS))}


def all_scripts():
    scripts = {}
    for name, (sentence, chosen, causal, query) in SCENES.items():
        scripts[name] = two_heads(
            sentence, [Chosen(*one) for one in chosen], causal=causal, query=query
        )
    for i, challenge in enumerate(CHALLENGES):
        scripts[f"challenge_{i}"] = own_head(
            PLAIN, EDITS, causal=True, query=5, challenge=challenge
        )
    scripts["impossible"] = own_head(
        Sentence.parse("x"), {}, causal=True, query=0, challenge="the first token"
    )
    scripts["two_layers"] = two_layers(REPEATING)
    for name, (config, d_head) in LAYERS.items():
        scripts[name] = parameters(config, 6, d_head=d_head)
    for name, (T, batch, size) in CACHES.items():
        how = {"batch": batch, "bytes_per_number": size}
        scripts[f"groups_{name}"] = grouped_queries(MODELS[name], MODELS[name].n_kv_heads, T, **how)
        scripts[f"cache_{name}"] = kv_cache(MODELS[name], T, **how)
    scripts["shared"] = grouped_queries(MODELS["gpt2"], 3, 1024, batch=1, bytes_per_number=2)
    scripts["decoding"] = decoding(AttentionConfig(32, 8, 2), 9)
    scripts |= {name: word_script(word) for name, word in WORDS.items()}
    return scripts


@pytest.fixture(scope="module")
def scripts():
    return all_scripts()


@pytest.fixture(scope="module")
def printed(scripts, tmp_path_factory):
    sources = {name: script.source for name, script in scripts.items()}
    return run(sources, tmp_path_factory.mktemp("scripts"), "numpy", "regex")


def rows_of(matrix, hidden=None):
    """A matrix as it is printed: two decimals, never "-0.00", a dot where it is hidden."""
    rows = [[f"{round(float(n), 2) + 0.0:.2f}" for n in row] for row in matrix]
    if hidden is not None:
        rows = [
            ["." if hides else n for n, hides in zip(row, hides_row, strict=True)]
            for row, hides_row in zip(rows, hidden, strict=True)
        ]
    return rows


def matrix_below(text, title, shape):
    return [words[: shape[1]] for words in below(text, title, shape[0])]


# Hand-built heads


@pytest.mark.parametrize("scene", SCENES)
def test_two_heads_print_their_weights_z_and_the_arithmetic_of_a_row(printed, scene):
    sentence, chosen, causal, query = SCENES[scene]
    X = features(sentence)
    for i, (name, options) in enumerate(chosen, 1):
        head = GALLERY[name](sentence, **options)
        trace, title = head.attend(X, causal), f"Head {i}: {name}"
        hidden = np.isneginf(trace.scores)
        shown = f"{title}: weights, a row for each token that looks"
        text = printed[scene]
        assert matrix_below(text, shown, hidden.shape) == rows_of(trace.weights, hidden)
        z = matrix_below(text, f"{title}: z, what arrives at each token", trace.z.shape)
        assert z == rows_of(trace.z)
        q, k, _ = head.queries_keys_values(X)
        # A table holds no lone surrogates.
        numbered = Sentence(tuple(map(str, range(len(sentence)))), sentence.categories)
        row = arithmetic_table(q, k, trace, numbered, query)
        told = below(text, f"{title}: the row of token {query}; q k, exponential, weight", len(row))
        assert [words[:3] for words in told] == [
            [f"{dot:.2f}", f"{exponential:.4f}", f"{weight:.4f}"]
            for dot, exponential, weight in zip(
                row["dot"], row["exponential"], row["weight"], strict=True
            )
        ]


def test_a_script_runs_where_nothing_else_is(scripts, printed, tmp_path):
    assert run_alone(scripts["hostile"].source, tmp_path) == printed["hostile"]


@pytest.mark.parametrize("name", CHALLENGES)
def test_a_head_of_one_s_own_prints_its_score(printed, name):
    head = GALLERY["your own"](PLAIN, edits=EDITS)
    weights = head.weights(features(PLAIN))
    text = printed[f"challenge_{list(CHALLENGES).index(name)}"]
    title = "Your own head: weights, a row for each token that looks"
    hidden = ~np.tri(len(PLAIN), dtype=bool)
    assert matrix_below(text, title, weights.shape) == rows_of(weights, hidden)
    assert text.splitlines()[-1] == f"score {CHALLENGES[name].score(weights, PLAIN):.2f} of 1"


def test_a_challenge_that_no_token_can_do_has_no_score(printed):
    assert printed["impossible"].splitlines()[-1] == "no token here can do this"


def test_two_layers_print_both_weights(printed):
    trace = copy_what_followed(REPEATING)
    hidden = ~np.tri(len(REPEATING), dtype=bool)
    for number, layer in enumerate((trace.previous, trace.induction), 1):
        title = f"Layer {number}: weights, a row for each token that looks"
        told = matrix_below(printed["two_layers"], title, hidden.shape)
        assert told == rows_of(layer.weights, hidden)


# What it costs


@pytest.mark.parametrize("name", LAYERS)
def test_the_ledger_prints_its_terms_and_every_number_of_heads(printed, name):
    config, d_head = LAYERS[name]
    count = count_parameters(config, d_head=d_head)
    terms, family = printed[name].split(
        "heads, key/value heads, d_head, parameters, softmaxes, scores\n"
    )
    told = dict(line.split() for line in terms.splitlines())
    assert told == {n: f"{c:,}" for n, c in [*count.terms.items(), ("total", count.total)]}
    table = head_counts_table(every_head_count(config), 6, d_head=d_head)
    expected = table.drop(columns="score_bytes").to_numpy().tolist()
    assert [numbers(line) for line in family.splitlines()] == expected


@pytest.mark.parametrize("name", [name for name in CACHES if not MODELS[name].latent])
def test_grouped_queries_print_what_sharing_does(printed, name):
    T, batch, size = CACHES[name]
    model = MODELS[name]
    heads = dict.fromkeys([model.n_heads, model.n_kv_heads])
    table = sharing_table(model, heads, T, batch=batch, bytes_per_number=size)
    blocks = printed[f"groups_{name}"].split("key and value heads\n")[1:]
    for block, row in zip(blocks, table.to_dict("records"), strict=True):
        lines = [line.removesuffix(" bytes") for line in block.splitlines() if line[0] == " "]
        told = dict(line.strip().rsplit(" ", 1) for line in lines)
        for weight in ("W_Q", "W_K", "W_V", "W_O"):
            assert told[weight] == f"{row[weight]:,}"
        assert told["one layer"] == f"{row['layer']:,}"
        assert told[f"all {model.n_attention_layers} attention layers"] == f"{row['layers']:,}"
        assert told["cache of a token"] == f"{row['token_bytes']:,}"
        assert told[f"cache of all {T:,} tokens"] == f"{row['cache_bytes']:,}"


def test_grouped_queries_print_who_reads_whom(printed):
    lines = printed["shared"].splitlines()[-3:]
    assert lines[1] == "key and value head 1: query heads [4, 5, 6, 7]"


@pytest.mark.parametrize("name", [name for name in CACHES if MODELS[name].latent])
def test_latent_attention_prints_its_own_terms(printed, name):
    T, batch, size = CACHES[name]
    model, text = MODELS[name], printed[f"groups_{name}"].splitlines()
    assert text == [
        *(f"{term} {count:,}" for term, count in model.layer_terms.items()),
        f"one layer {model.layer_parameters:,}",
        f"cache of a token {model.kv_cache_bytes(1, 1, size):,} bytes",
        f"cache of all {T:,} tokens {model.kv_cache_bytes(T, batch, size):,} bytes",
    ]


@pytest.mark.parametrize("name", CACHES)
def test_the_cache_prints_every_context_and_what_fits_which_memory(printed, name):
    T, batch, size = CACHES[name]
    model, how = MODELS[name], {"batch": batch, "bytes_per_number": size}
    table = cache_table([model], T, **how)
    text = printed[f"cache_{name}"]
    contexts = below(text, "tokens, bytes of the cache", len(table))
    expected = zip(table["context"], table["bytes"], strict=True)
    assert contexts == [[f"{context:,}", f"{n:,}"] for context, n in expected]
    memories = memories_table(model, **how)
    title = "memory, tokens of the cache alone, tokens beside the weights at 16 bits"
    for words, row in zip(below(text, title, len(memories)), memories.itertuples(), strict=True):
        alone, beside = words[2].removesuffix(","), words[3]
        assert alone == _fits(row.alone)
        assert beside == ("unknown" if model.n_parameters is None else _fits(row.beside_weights))


def _fits(tokens):
    return "any" if tokens is None or tokens is pd.NA else f"{tokens:,}"


def test_decoding_prints_what_each_token_costs_and_all_so_far(printed):
    table = decoding_table(AttentionConfig(32, 8, 2), 9)
    with_cache, without = (rows for _, rows in table.groupby("way", sort=False))
    for line, one, other in zip(
        printed["decoding"].splitlines()[1:],
        with_cache.itertuples(),
        without.itertuples(),
        strict=True,
    ):
        costs = [one.n, one.multiply_adds, one.so_far, other.multiply_adds, other.so_far]
        assert numbers(line) == costs


@pytest.mark.parametrize("name", WORDS)
def test_a_word_prints_what_it_is_made_of(printed, name):
    anatomy = dissect(WORDS[name])
    counts, direction, *told = printed[name].splitlines()
    assert numbers(counts) == [anatomy.n_bytes, anatomy.n_code_points, len(anatomy.clusters)]
    mixed = ", mixed" if anatomy.is_mixed else ""
    assert direction == f"direction: {anatomy.direction}{mixed}"
    for i, cluster in enumerate(anatomy.clusters, start=1):
        title, *points = told[: 1 + len(cluster.code_points)]
        told = told[1 + len(points) :]
        assert title == f"character {i}: {cluster.text!r}"
        assert points == [
            f"  {point.number} {point.name}, bytes {point.utf8.hex(' ').upper() or 'none'}, "
            f"{point.direction}"
            for point in cluster.code_points
        ]
    assert not told


# Words are data


def words_of(source: str, name: str = "tokens") -> ast.Assign:
    """The statement that holds the words."""
    (words,) = [
        node
        for node in ast.parse(source).body
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == name
    ]
    return words


def without_words(source: str, name: str = "tokens") -> str:
    """A script without the line, or lines, that hold the words."""
    words = words_of(source, name)
    lines = source.splitlines()
    return "\n".join(lines[: words.lineno - 1] + lines[words.end_lineno :])


@settings(max_examples=15)
@given(texts())
def test_no_word_becomes_a_line_of_a_script(text):
    sentence = Sentence.fit(f"é {text}")[0]
    plain = Sentence(tuple(f"é{i}" for i in range(len(sentence))), sentence.categories)
    for script in (
        lambda words: two_heads(words, [Chosen("first token", {})], causal=True, query=0),
        two_layers,
    ):
        assert without_words(script(sentence).source) == without_words(script(plain).source)
    for word in sentence.tokens:
        alone = without_words(word_script(word).source, "word")
        assert alone == without_words(word_script("é").source, "word")


@pytest.mark.parametrize("scene", SCENES)
def test_the_words_of_a_script_are_the_words(scripts, scene):
    words = words_of(scripts[scene].source).value
    assert tuple(ast.literal_eval(words)) == SCENES[scene][0].tokens


@pytest.mark.parametrize("name", WORDS)
def test_the_word_of_a_script_is_the_word(scripts, name):
    assert ast.literal_eval(words_of(scripts[name].source, "word").value) == WORDS[name]


# What a script is


def packages(source: str) -> set[str]:
    named = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            named |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            named.add(node.module.split(".")[0])
    return named


def test_a_script_imports_numpy_alone_and_what_python_has(scripts):
    for name, script in scripts.items():
        # Characters as a reader sees them are counted by a package of that name.
        needed = "regex" if name in WORDS else "numpy"
        assert packages(script.source) - sys.stdlib_module_names <= {needed}


@pytest.mark.parametrize("name", ["hostile", "surrogate", "challenge_0", "layer", "word__1"])
def test_a_notebook_has_the_script_s_code_and_can_be_read(scripts, name):
    script = scripts[name]
    notebook = nbformat.reads(script.notebook, as_version=nbformat.NO_CONVERT)
    nbformat.validate(notebook)
    code = [cell.source for cell in notebook.cells if cell.cell_type == "code"]
    assert ast.dump(ast.parse("\n".join(code))) == ast.dump(ast.parse(script.source))
    lines = [line for cell in code for line in cell.splitlines() if line]
    assert lines == [line for line in script.source.splitlines() if line]
    assert all(not cell.get("outputs") for cell in notebook.cells)
