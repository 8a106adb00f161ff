"""Tables hold one row a mark, in fixed columns, and people's words stand in values only."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from mha.hand_built import GALLERY, HandBuiltHead, feature_names, features
from mha.reference import attend
from mha.sentence import Sentence, shorten
from mha.tables import (
    LABEL_COLUMNS,
    arithmetic_table,
    cell_text,
    dot_product_table,
    matrix_table,
    weights_table,
)
from tests.unit.draw import HOSTILE, normal, patient, seeds, sentences
from tests.unit.says import says

WEIGHTS = (
    "query key query_word key_word query_label key_label score weight masked in_row chosen"
).split()
ARITHMETIC = "key_word dot may_look exponential weight".split()
DOT_PRODUCT = "slot q k product".split()
MATRIX = ("row column row_name column_name row_label column_label value masked text shade").split()

every_head = pytest.mark.parametrize("name", GALLERY)


@st.composite
def run_heads(draw):
    """A head of the gallery on a sentence: the head, its X, its trace and the sentence."""
    sentence = draw(sentences(most=10))
    head = GALLERY[draw(st.sampled_from(list(GALLERY)))](sentence)
    X = features(sentence)
    return head, X, head.attend(X, draw(st.booleans())), sentence


def random_head(sentence: Sentence, seed: int) -> HandBuiltHead:
    T = len(sentence)
    W_Q, W_K = normal(seed, (T + 3, T + 3), (T + 3, T + 3))
    return HandBuiltHead("any", "Any.", W_Q, W_K, np.eye(T + 3), slots=feature_names(T))


# Weights


@given(run_heads(), st.data())
@patient
def test_there_is_one_mark_for_every_query_and_key(drawn, data):
    _, _, trace, sentence = drawn
    T = len(sentence)
    query, key = (data.draw(st.none() | st.integers(0, T - 1)) for _ in range(2))
    table = weights_table(trace, sentence, query=query, key=key)
    assert list(table.columns) == WEIGHTS
    assert len(table) == T**2
    for n, (i, j) in enumerate(np.ndindex(T, T)):
        mark = table.iloc[n]
        assert (mark["query"], mark["key"]) == (i, j)
        assert (mark["query_word"], mark["key_word"]) == (sentence.labels[i], sentence.labels[j])
        assert mark["query_label"] == shorten(sentence.labels[i], LABEL_COLUMNS)
        assert mark["key_label"] == shorten(sentence.labels[j], LABEL_COLUMNS)
        assert mark["weight"] == trace.weights[i, j]
        assert mark["masked"] == (trace.scores[i, j] == -np.inf)
        assert np.isnan(mark["score"]) if mark["masked"] else mark["score"] == trace.scores[i, j]
        assert mark["in_row"] == (i == query)
        assert mark["chosen"] == (i == query and j == key)


def test_a_masked_mark_is_not_an_unmasked_one_of_no_weight():
    sentence = Sentence.parse("a b")
    scores = np.array([[0.0, -np.inf], [1e4, -1e4]])
    trace = attend(np.zeros((2, 1)), np.zeros((2, 1)), np.zeros((2, 1)))
    table = weights_table(trace._replace(scores=scores, weights=np.eye(2)), sentence)
    assert table["masked"].tolist() == [False, True, False, False]
    assert table["score"].isna().tolist() == [False, True, False, False]


def test_a_word_that_repeats_keeps_its_own_row_and_column():
    sentence = Sentence.parse("A B B C D")
    table = weights_table(GALLERY["uniform"](sentence).attend(features(sentence)), sentence)
    assert len(table) == 25
    assert table["key_word"].nunique() == table["query_word"].nunique() == 5
    assert table["key"].nunique() == table["query"].nunique() == 5


def test_weights_of_another_sentence_are_refused():
    sentence = Sentence.parse("a b c")
    trace = GALLERY["uniform"](sentence).attend(features(sentence))
    with says(
        "weights must have a shape that ends in (2, 2); got weights.shape=(3, 3). "
        "Try an array whose last 2 axes are these."
    ):
        weights_table(trace, Sentence.parse("a b"))


def test_several_heads_are_not_one_picture():
    several = attend(np.zeros((2, 3, 1)), np.zeros((2, 3, 1)), np.zeros((2, 3, 1)))
    with says(
        "weights must have the 2 axes (T, T); got weights.shape=(2, 3, 3). "
        "Try weights[0] for the first of them."
    ):
        weights_table(several, Sentence.parse("a b c"))
    with says(
        "matrix must have the 2 axes (row, column); got matrix.shape=(2, 3, 3). "
        "Try matrix[0] for the first of them."
    ):
        matrix_table(several.weights, list("abc"), list("abc"))


@pytest.mark.parametrize("cell", [{"query": 3}, {"key": -1}, {"query": 1, "key": 3}])
def test_a_cell_that_is_not_there_is_refused(cell):
    sentence = Sentence.parse("a b c")
    X, head = features(sentence), GALLERY["uniform"](sentence)
    q, k, _ = head.queries_keys_values(X)
    trace = head.attend(X)
    name, value = next((n, v) for n, v in cell.items() if not 0 <= v < 3)
    message = f"{name} must be a whole number from 0 to 2; got {name}={value}. Try {name}=2."
    with says(message):
        weights_table(trace, sentence, **cell)
    with says(message):
        dot_product_table(head, X, **{"query": 0, "key": 0, **cell})
    if name == "query":
        with says(message):
            arithmetic_table(q, k, trace, sentence, value)


def test_words_that_repeat_can_be_told_apart_however_long_they_are():
    sentence = Sentence.parse("internationalisation " * 3)
    trace = GALLERY["uniform"](sentence).attend(features(sentence))
    labels = weights_table(trace, sentence)["key_label"][:3].tolist()
    assert labels == ["internation…", "interna… (2)", "interna… (3)"]


# The arithmetic of a row, and of a cell


@given(sentences(most=10), seeds, st.booleans(), st.data())
@patient
def test_the_arithmetic_of_a_row_ends_in_its_weights(sentence, seed, causal, data):
    head, X, T = random_head(sentence, seed), features(sentence), len(sentence)
    q, k, _ = head.queries_keys_values(X)
    trace = head.attend(X, causal)
    query = data.draw(st.integers(0, T - 1))
    table = arithmetic_table(q, k, trace, sentence, query)
    assert list(table.columns) == ARITHMETIC
    assert table["key_word"].tolist() == list(sentence.labels)
    assert table["may_look"].tolist() == [not causal or j <= query for j in range(T)]
    np.testing.assert_allclose(table["dot"], [q[query] @ k[j] for j in range(T)], atol=1e-12)
    largest = table["dot"][table["may_look"]].max()
    exponentials = np.where(table["may_look"], np.exp(table["dot"] - largest), 0)
    np.testing.assert_allclose(table["exponential"], exponentials, rtol=1e-12)
    by_hand = table["exponential"] / table["exponential"].sum()
    np.testing.assert_allclose(table["weight"], by_hand, atol=1e-12)
    assert table["weight"].tolist() == trace.weights[query].tolist()


@given(sentences(most=10), seeds, st.data())
@patient
def test_the_products_of_the_slots_add_up_to_the_score(sentence, seed, data):
    X, positions = features(sentence), st.integers(0, len(sentence) - 1)
    query, key = data.draw(positions), data.draw(positions)
    gallery = [kind(sentence) for kind in GALLERY.values()]
    for head in (random_head(sentence, seed), *gallery):
        table = dot_product_table(head, X, query, key)
        assert list(table.columns) == DOT_PRODUCT
        assert table["slot"].tolist() == list(head.slots)
        assert table["q"].tolist() == (X @ head.W_Q)[query].tolist()
        assert table["k"].tolist() == (X @ head.W_K)[key].tolist()
        np.testing.assert_allclose(table["product"], table["q"] * table["k"], atol=1e-12)
        score = head.attend(X, causal=False).scores[query, key]
        assert table["product"].sum() == pytest.approx(score, abs=1e-12)


# Matrices


@given(
    n_rows=st.integers(1, 6),
    n_columns=st.integers(1, 6),
    seed=seeds,
    size=st.sampled_from([0.0, 1e-300, 1e-3, 1.0, 1e4]),
    hidden=st.sampled_from([0.0, 0.3, 1.0]),
)
@patient
def test_a_matrix_has_one_mark_a_number_and_its_shade_is_signed(
    n_rows, n_columns, seed, size, hidden
):
    (matrix,) = normal(seed, (n_rows, n_columns))
    masked = np.random.default_rng(seed).random(matrix.shape) < hidden
    matrix = np.where(masked, -np.inf, matrix * size)
    rows, columns = [f"row {i}" for i in range(n_rows)], [f"column {j}" for j in range(n_columns)]
    table = matrix_table(matrix, rows, columns)
    assert list(table.columns) == MATRIX
    assert len(table) == matrix.size
    assert table["shade"].between(-1, 1).all()
    largest = np.abs(matrix[~masked]).max(initial=0)
    for n, (i, j) in enumerate(np.ndindex(*matrix.shape)):
        mark = table.iloc[n]
        assert (mark["row"], mark["column"]) == (i, j)
        assert (mark["row_name"], mark["column_name"]) == (rows[i], columns[j])
        assert (mark["row_label"], mark["column_label"]) == (rows[i], columns[j])
        assert mark["masked"] == masked[i, j]
        if masked[i, j]:
            assert np.isnan(mark["value"])
            assert (mark["text"], mark["shade"]) == ("", 0)
        else:
            assert mark["value"] == matrix[i, j]
            assert np.sign(mark["shade"]) == np.sign(matrix[i, j])
            assert mark["shade"] * largest == pytest.approx(matrix[i, j], rel=1e-12)
    if largest:
        assert np.abs(table["shade"]).max() == 1


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, ""),
        (-0.0, ""),
        (-np.inf, ""),
        (1, "1"),
        (-2, "-2"),
        (36, "36"),
        (-100, "-100"),
        (0.5, "0.50"),
        (-2.512, "-2.51"),
        (99.87, "99.87"),
        (123.4, "123"),
        (99.996, "100"),
        (-99.996, "-100"),
        (0.001, "0.00"),
        (-0.001, "0.00"),
        (-1e-300, "0.00"),
        (-0.005001, "-0.01"),
        (np.inf, "∞"),
        (np.nan, ""),
        (999_999, "999999"),
        (999_999.4, "999999"),
        (999_999.6, "1e6"),
        (1_000_000, "1e6"),
        (-1_234_567, "-1.2e6"),
        (9_960_000, "1e7"),
        (6.02e23, "6e23"),
        (1.5e300, "1.5e300"),
    ],
)
def test_a_cell_prints_a_number_as_short_as_it_is_wide(value, text):
    assert matrix_table(np.array([[value]]), ["r"], ["c"])["text"].tolist() == [text]


def test_minus_infinity_is_printed_where_it_is_no_mask():
    assert cell_text(-np.inf) == "-∞"


@given(st.floats())
@example(-0.004)
def test_a_cell_s_text_is_short_and_says_the_number_nearly(value):
    text = cell_text(value)
    assert len(text) <= 8
    assert not text.startswith("-0.00")
    if abs(value) < 1e308:  # one more digit, rounded up, is too much for a float
        said = float(text or 0)
        assert said == pytest.approx(value, rel=0.051, abs=0.0051)
        assert said * value >= 0


def test_infinity_has_the_deepest_shade_and_leaves_the_others_theirs():
    table = matrix_table(np.array([[np.inf, 2.0, -4.0, -np.inf, np.nan]]), ["r"], list("abcde"))
    assert table["shade"].tolist() == [1, 0.5, -1, 0, 0]
    assert table["text"].tolist() == ["∞", "2", "-4", "", ""]


def test_long_names_are_shortened_and_stay_whole_beside():
    table = matrix_table(np.ones((1, 1)), ["extraordinary (2)"], ["雨衣雨衣雨衣雨"])
    assert table["row_name"].tolist() == ["extraordinary (2)"]
    assert table["row_label"].tolist() == ["extraor… (2)"]
    assert table["column_name"].tolist() == ["雨衣雨衣雨衣雨"]
    assert table["column_label"].tolist() == ["雨衣雨衣雨…"]


def test_a_matrix_with_other_names_is_refused():
    with says(
        "matrix must have a shape that ends in (2, 1); got matrix.shape=(2, 2). "
        "Try an array whose last 2 axes are these."
    ):
        matrix_table(np.ones((2, 2)), ["a", "b"], ["c"])


# People's text


@pytest.mark.parametrize("text", HOSTILE)
def test_no_word_becomes_a_column(text):
    sentence = Sentence.fit(text)[0]
    T, X = len(sentence), features(sentence)
    head = GALLERY["same word"](sentence)
    q, k, _ = head.queries_keys_values(X)
    trace = head.attend(X)
    assert list(weights_table(trace, sentence).columns) == WEIGHTS
    assert list(arithmetic_table(q, k, trace, sentence, T - 1).columns) == ARITHMETIC
    assert list(dot_product_table(head, X, T - 1, 0).columns) == DOT_PRODUCT
    assert list(matrix_table(X, sentence.labels, feature_names(T)).columns) == MATRIX
    assert weights_table(trace, sentence)["key_word"][:T].tolist() == list(sentence.labels)


def test_hidden_numbers_count_as_masked_and_print_nothing():
    matrix = np.array([[1.0, 0.5], [0.25, 0.75]])
    table = matrix_table(matrix, "ab", "ab", hidden=np.array([[False, True], [False, False]]))
    assert table["masked"].tolist() == [False, True, False, False]
    assert table["value"].tolist() == [1, 0.5, 0.25, 0.75]
    assert table["text"].tolist() == ["1", "", "0.25", "0.75"]
    with pytest.raises(ValueError, match="hidden must have a shape"):
        matrix_table(matrix, "ab", "ab", hidden=np.array([[True]]))
