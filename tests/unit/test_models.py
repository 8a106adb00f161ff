"""Laws of the rows of real models, and their figures against those that others published."""

from __future__ import annotations

import re
from dataclasses import FrozenInstanceError, fields, replace
from math import ceil

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mha.models import MODELS, Latent, Model
from mha.models.model import family
from tests.unit.says import says

ROWS = pytest.mark.parametrize("row", MODELS.values(), ids=MODELS)
names = st.sampled_from(sorted(MODELS))

# A place that a person can look up: a repository and its file, a paper, or a page.
REPOSITORY = r"[\w.-]+/[\w.-]+: [\w./*-]+\.(py|md|json|yml|yaml|gin)"
PLACE = re.compile(rf"{REPOSITORY}|arXiv:\d{{4}}\.\d{{5}}|[a-z.]+\.(co|com|net|ai)/\S+")


def model(**changes) -> Model:
    """A model of one's own: two groups of two heads."""
    sizes = dict(d_model=16, n_heads=4, n_kv_heads=2, n_layers=6)
    return Model(**dict(title="A", family="A", year=2020, source="a/b: c.md") | sizes | changes)


@ROWS
def test_heads_fit_the_width_and_groups_fit_the_heads(row):
    assert row.d_model % row.n_heads == 0
    assert row.n_heads == row.n_kv_heads * row.group_size
    assert (row.config.n_heads, row.config.n_kv_heads) == (row.n_heads, row.n_kv_heads)


@ROWS
def test_every_source_can_be_looked_up(row):
    parts = row.source.split("; ")
    assert PLACE.search(parts[0])
    assert all(PLACE.search(part) or re.search(r"[\w/]+\.(md|yaml)", part) for part in parts[1:])


@ROWS
def test_years_and_words_are_sensible(row):
    assert 2017 <= row.year <= 2026
    for words in (row.title, row.family, row.source):
        assert words == words.strip() != ""
    assert row.note == "" or row.note[-1] == "."


def test_names_and_titles_are_unique_and_plain():
    assert len({row.title for row in MODELS.values()}) == len(MODELS) >= 30
    assert all(re.fullmatch(r"[a-z0-9.-]+", name) for name in MODELS)


def test_no_row_is_another_under_a_second_name():
    assert len(set(MODELS.values())) == len(MODELS)


def test_the_mapping_and_its_rows_cannot_be_changed():
    with pytest.raises(TypeError):
        MODELS["gpt2"] = MODELS["gpt2-xl"]
    with pytest.raises(TypeError):
        del MODELS["gpt2"]
    for field in fields(Model):
        with pytest.raises(FrozenInstanceError):
            setattr(MODELS["gpt2"], field.name, 1)


@ROWS
def test_attention_is_a_part_of_the_whole(row):
    if row.n_parameters is not None:
        assert 0.005 < row.attention_parameters / row.n_parameters < 0.5


@ROWS
def test_only_the_named_projections_have_a_bias(row):
    biases = {name for name in row.layer_terms if name[0] == "b"}
    assert biases == {f"b_{which}" for which in row.biased}


def test_qwen_has_no_bias_on_its_output():
    assert list(MODELS["qwen2.5-7b"].layer_terms) == "W_Q W_K W_V W_O b_Q b_K b_V".split()
    row = MODELS["qwen2.5-7b"]
    assert row.layer_parameters == 2 * 3584**2 + 2 * 3584 * 512 + 3584 + 2 * 512


def test_an_encoder_decoder_attends_three_times_a_layer():
    row = MODELS["transformer-base"]
    assert row.attention_parameters == 18 * 4 * 512**2


# The cache.
@given(name=names, T=st.integers(1, 200_000), batch=st.integers(1, 64))
def test_bytes_are_the_cached_numbers_while_every_window_has_them(name, T, batch):
    row = MODELS[name]
    T = min(T, row.window or T)
    for size in (4, 2, 1, 0.5):
        assert row.kv_cache_bytes(T, batch, size) == ceil(row.cached_numbers * T * batch * size)


@given(name=names, T=st.integers(1, 200_000))
def test_beyond_the_window_only_the_other_layers_grow(name, T):
    row = MODELS[name]
    if row.window is None:
        return
    grown = row.kv_cache_bytes(row.window + T) - row.kv_cache_bytes(row.window)
    full = row.n_layers - row.n_window_layers
    assert grown == 2 * (2 * row.n_kv_heads * row.d_head) * full * T


@pytest.mark.parametrize("name", [n for n, row in MODELS.items() if row.kind == "encoder"])
def test_an_encoder_keeps_no_cache_but_still_checks_what_it_is_asked(name):
    assert MODELS[name].kv_cache_bytes(512) == MODELS[name].cached_numbers == 0
    with says("T must be a whole number of at least 1; got T=0. Try T=1."):
        MODELS[name].kv_cache_bytes(0)


@ROWS
def test_an_odd_size_of_numbers_is_refused(row):
    with says(
        "bytes_per_number must be 4, 2, 1 or 0.5 (32, 16, 8 or 4 bits); got bytes_per_number=3. "
        "Try bytes_per_number=2."
    ):
        row.kv_cache_bytes(8, bytes_per_number=3)


# A row of one's own.
def test_what_is_left_out_is_derived():
    row = model(n_kv_heads=None, window=8)
    assert (row.n_kv_heads, row.d_head, row.n_window_layers) == (4, 4, 6)
    assert model().n_window_layers == 0
    assert replace(row) == row


def test_a_latent_with_an_odd_length_rounds_half_a_byte_up():
    row = model(n_layers=1, latent=Latent(kv_rank=4, rope=1, q_rank=None))
    assert [row.kv_cache_bytes(T, bytes_per_number=0.5) for T in (1, 2)] == [3, 5]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (
            {"n_heads": 3},
            "d_model must be divisible by n_heads; got d_model=16, n_heads=3. Try n_heads=2 or 4.",
        ),
        (
            {"n_kv_heads": 3},
            "n_heads must be divisible by n_kv_heads; got n_heads=4, n_kv_heads=3. "
            "Try n_kv_heads=2 or 4.",
        ),
        (
            {"n_layers": 0},
            "n_layers must be a whole number of at least 1; got n_layers=0. Try n_layers=1.",
        ),
        (
            {"d_head": 0},
            "d_head must be a whole number of at least 1; got d_head=0. Try d_head=1.",
        ),
        (
            {"window": 0},
            "window must be a whole number of at least 1; got window=0. Try window=1.",
        ),
        (
            {"n_parameters": 1.5},
            "n_parameters must be a whole number of at least 1; got n_parameters=1.5. "
            "Try n_parameters=1.",
        ),
        (
            {"n_window_layers": 2},
            "n_window_layers must come with a window; got window=None, n_window_layers=2. "
            "Try window=4096.",
        ),
        (
            {"window": 8, "n_window_layers": 7},
            "n_window_layers must be at most 6; got n_window_layers=7. Try n_window_layers=6.",
        ),
        (
            {"window": 8, "latent": Latent(4, 2, None)},
            "latent attention must come without a window; got window=8, "
            "latent=Latent(kv_rank=4, rope=2, q_rank=None). Try window=None.",
        ),
        (
            {"latent": Latent(0, 2, None)},
            "kv_rank must be a whole number of at least 1; got kv_rank=0. Try kv_rank=1.",
        ),
        (
            {"kind": "both"},
            "kind must be one of 'decoder', 'encoder', 'encoder-decoder'; got kind='both'. "
            "Try kind='decoder'.",
        ),
        (
            {"biased": "QK"},
            "biased must be one of '', 'QKV', 'QKVO'; got biased='QK'. Try biased=''.",
        ),
    ],
)
def test_sizes_that_do_not_fit_are_refused(changes, message):
    with says(message):
        model(**changes)


def test_a_row_must_fill_its_columns():
    with pytest.raises(ValueError, match="zip"):
        family("A", 2020, "a/b: c.md", "title d_model n_heads n_layers", {"a": ("A", 16, 4)})
