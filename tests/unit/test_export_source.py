"""What scripts are made of: words that stay data, and functions that stay what they are."""

from __future__ import annotations

import ast
import json
from functools import cache, lru_cache

import nbformat
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mha import reference
from mha.export.files import columns, csv, npz
from mha.export.literals import WIDTH, assigned, literal
from mha.export.script import Cell, Script, opening
from mha.export.source import bundle, standalone
from mha.hand_built import CHALLENGES, GALLERY, HandBuiltHead
from mha.sentence import CATEGORY_NAMES, dissect, visible
from mha.training import tasks
from tests.unit.draw import HOSTILE, Ts, edits, masks, normal, seeds, sentences, texts
from tests.unit.says import says


@lru_cache(2)
def lines_of(text: str) -> list[str]:
    """What stands in the lines of a text, for what becomes of a cache in a script."""
    return text.split("\n")


plain = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
    | texts(),
    lambda inner: st.lists(inner, max_size=4)
    | st.lists(inner, max_size=4).map(tuple)
    | st.dictionaries(texts() | st.integers(), inner, max_size=4),
    max_leaves=12,
)  # fmt: skip


@given(plain)
def test_a_literal_is_read_back_as_what_it_was(value):
    assert repr(ast.literal_eval(literal(value))) == repr(value)


@given(texts())
def test_a_word_is_one_line_of_signs_that_can_be_seen_and_sent(word):
    written = literal(word)
    assert written.encode()
    assert written.isprintable()
    (statement,) = ast.parse(f"x = {written}").body
    assert isinstance(statement.value, ast.Constant)


@given(st.lists(texts(), max_size=32))
def test_a_long_list_is_broken_between_its_items(words):
    source = assigned("tokens", words)
    given = {}
    exec(source, given)
    assert given["tokens"] == words
    longest = max((len(literal(word)) for word in words), default=0)
    assert all(len(line) <= max(WIDTH, longest + len("    ,")) for line in source.splitlines())


def test_what_has_no_literal_is_a_call_and_what_is_no_data_is_refused():
    assert eval(literal([np.inf, -np.inf])) == [np.inf, -np.inf]
    assert literal({"size": 8_000_000_000, "word": "it's"}) == (
        """{"size": 8_000_000_000, "word": "it's"}"""
    )
    with says(
        "a script holds plain data only: numbers, texts, tuples, lists and dicts; got ndarray. "
        "Try value.tolist()."
    ):
        literal(np.eye(2))


# Functions that stand alone


@cache
def made(*roots):
    """The names that a bundle defines, in a namespace that has its imports alone."""
    parts = bundle(*roots)
    names = {}
    exec("\n".join([*parts.imports, parts.code]), names)
    return names


@given(seeds, Ts, st.data())
def test_the_softmax_of_a_script_is_the_reference_s_own(seed, T, data):
    (scores,) = normal(seed, (T, T))
    mask = data.draw(masks(T, T))
    if mask is not None:
        scores = np.where(mask, scores, -np.inf)
    names = made(reference.softmax, reference.causal_mask)
    np.testing.assert_array_equal(names["softmax"](scores), reference.softmax(scores))
    np.testing.assert_array_equal(names["causal_mask"](T), reference.causal_mask(T))
    cached = names["causal_mask"](T, T + 3)
    np.testing.assert_array_equal(cached, reference.causal_mask(T, T + 3))


@given(
    sentences(most=9),
    st.floats(-10, 10),
    st.integers(0, 9),
    st.integers(0, 2),
    edits(most=9),
    st.sampled_from(sorted(GALLERY)),
)
def test_every_builder_of_the_gallery_builds_the_same_head_alone(
    sentence, sharpness, n, category, changed, name
):
    kind = GALLERY[name]
    build = made(kind.build)[kind.build.__name__]
    alone = type(kind)(name, build, kind.note, kind.sharpness, kind.knobs, kind.by_sentence)
    options = {"sharpness": sharpness, "n": n, "category": category, "edits": changed}
    theirs, ours = alone(sentence, **options), kind(sentence, **options)
    assert not isinstance(theirs, HandBuiltHead)
    assert (theirs.name, theirs.job, theirs.slots) == (ours.name, ours.job, ours.slots)
    for matrix in ("W_Q", "W_K", "W_V"):
        np.testing.assert_array_equal(getattr(theirs, matrix), getattr(ours, matrix))


@given(sentences(most=9))
def test_every_challenge_has_its_targets_alone(sentence):
    categories = np.array(sentence.categories)
    for challenge in CHALLENGES.values():
        targets = made(challenge.targets)[challenge.targets.__name__]
        np.testing.assert_array_equal(targets(categories), challenge.targets(categories))


def test_checks_types_and_errors_are_left_out_and_comments_stay():
    source = standalone(reference.softmax)
    assert source.startswith("def softmax(scores, axis=-1):\n")
    assert "raise" not in source
    assert "Raises" not in source
    assert "_floating" not in source
    assert "# inf - inf is NaN, as said" in source
    with_errors = standalone(reference.softmax, raises=True)
    assert "raise ValueError(" in with_errors
    fields = standalone(HandBuiltHead)
    assert "slots: tuple[str, ...] = field(repr=False)" in fields
    assert "def " not in fields


def test_a_bundle_has_what_it_needs_once_and_constants_first():
    parts = bundle(GALLERY["previous token"].build, GALLERY["nearest of a category"].build)
    assert parts.code.count("class HandBuiltHead") == 1
    first, *_ = parts.code.split("\n\n\n")
    assert f"CATEGORY_NAMES = {literal(CATEGORY_NAMES)}" in first.splitlines()
    assert "import numpy as np" in parts.imports
    assert "from dataclasses import replace" in parts.imports


def test_a_long_table_is_a_constant_and_has_a_line_for_each_of_its_items():
    first, *functions = bundle(tasks.sample_pronouns).code.split("\n\n\n")
    assert all(function.startswith(("def ", "class ")) for function in functions)
    given = {}
    exec(first.replace("Array = np.ndarray", ""), given)
    assert given["PRONOUN_OF"] == tasks.PRONOUN_OF
    assert '\n    "Ada": "she",\n' in first


def test_a_choice_of_texts_is_a_text_and_a_cache_is_left_out():
    assert "Direction = str" in bundle(dissect).code.splitlines()
    assert standalone(lines_of).startswith("def lines_of(text):\n")


# A script and its notebook


def test_a_script_is_its_cells_and_a_notebook_shows_the_same():
    script = Script(
        (
            opening("Two halves", "\n    a + b\n\nBoth are words.", ["import numpy as np"]),
            Cell("A function", "def f():\n    return 1"),
            Cell("Its use", "x = f()\nprint(x)"),
            Cell("And more", "print(x + 1)"),
        )
    )
    assert script.source == (
        '"""Two halves.\n\n    a + b\n\nBoth are words.\n"""\n\nimport numpy as np\n\n\n'
        "def f():\n    return 1\n\n\nx = f()\nprint(x)\n\nprint(x + 1)\n"
    )
    notebook = nbformat.reads(script.notebook, as_version=nbformat.NO_CONVERT)
    nbformat.validate(notebook)
    titles = [cell.source for cell in notebook.cells if cell.cell_type == "markdown"]
    assert titles == ["# Two halves", "## A function", "## Its use", "## And more"]
    assert len({cell.id for cell in notebook.cells}) == len(notebook.cells)
    assert script.notebook == script.notebook


def test_imports_of_python_s_own_come_first_and_one_line_a_module():
    lines = [
        "import torch",
        "from torch import nn",
        "import math",
        "from a import c",
        "from a import b",
    ]
    _, code = opening("T", "x", lines)
    assert (
        code.split("\n\n", 2)[2]
        == "import math\n\nimport torch\nfrom a import b, c\nfrom torch import nn"
    )


# Arrays and tables


def test_arrays_are_read_back_without_pickle(tmp_path):
    words = ["the", "雨", "\ud800", '"']
    path = tmp_path / "arrays.npz"
    path.write_bytes(npz({"tokens": words, "weights": np.eye(3, dtype=np.float32)}))
    with np.load(path, allow_pickle=False) as read:
        assert read["tokens"].tolist() == words
        np.testing.assert_array_equal(read["weights"], np.eye(3, dtype=np.float32))
        assert read["weights"].dtype == np.float32
    with says(
        "tokens must hold numbers or texts; got tokens.dtype=object. "
        "Try tokens.tolist() of numbers alone."
    ):
        npz({"tokens": np.array([{}])})


@pytest.mark.parametrize("text", [*HOSTILE, "=1+1", "+1", "-1", "@SUM(A1)", "\t=x"])
def test_no_text_of_a_table_is_a_formula(text, tmp_path):
    path = tmp_path / "table.csv"
    text = visible(text)  # as every word is
    path.write_bytes(csv(pd.DataFrame({"word": [text], "n": [-1.5]})))
    read = pd.read_csv(path, keep_default_na=False)
    word = read["word"][0]
    assert word[0] not in "=+-@\t\r"
    assert word in (text, f"'{text}")
    assert read["n"][0] == -1.5


def test_columns_keep_their_kind_and_gaps_are_nan():
    table = pd.DataFrame(
        {"n": [1, 2], "word": ["a", "b"], "is": [True, False]}
        | {"gap": pd.array([2**40, None], dtype="Int64")}
    )
    arrays = columns(table)
    assert {name: array.dtype.kind for name, array in arrays.items()} == {
        "n": "i", "word": "U", "is": "b", "gap": "f",
    }  # fmt: skip
    np.testing.assert_array_equal(arrays["gap"], [2**40, np.nan])
    assert json.loads(json.dumps(arrays["word"].tolist())) == ["a", "b"]
