"""The table of models holds what their rows say, and finds and sorts them."""

from __future__ import annotations

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mha.models import MODELS, SHARINGS
from mha.models_table import SORTED_BY, matching, models_table, ordered
from tests.unit.says import says

ALL = tuple(MODELS.values())
TABLE = models_table(ALL)
BY_COLUMN = {
    "layers": "n_layers",
    "heads": "n_heads",
    "kv_heads": "n_kv_heads",
    "attention": "attention_parameters",
}


def test_each_model_has_one_row_of_its_own_numbers():
    assert TABLE["title"].tolist() == [model.title for model in ALL]
    assert TABLE["title"].is_unique
    for column in ("year", "kind", "sharing", "layers", "d_model", "heads", "kv_heads", "d_head"):
        field = BY_COLUMN.get(column, column)
        assert TABLE[column].tolist() == [getattr(model, field) for model in ALL]


def test_a_cache_is_that_of_one_token_and_an_encoder_has_none():
    for model, cache in zip(ALL, TABLE["cache_bytes"], strict=True):
        assert pd.isna(cache) == (model.kind == "encoder")
        if model.kind != "encoder":
            assert cache == model.kv_cache_bytes(1) == 2 * model.cached_numbers


@pytest.mark.parametrize("sharing", SHARINGS)
def test_models_share_keys_and_values_as_their_numbers_say(sharing):
    found = matching(ALL, sharing=sharing)
    assert found
    for model in found:
        group = model.n_heads // model.n_kv_heads
        expected = {
            "latent": model.latent is not None,
            "multi-head": group == 1,
            "multi-query": model.n_kv_heads == 1 < model.n_heads,
            "grouped": 1 < group < model.n_heads,
        }
        assert expected[sharing]


def test_every_model_shares_in_one_way():
    assert sum(len(matching(ALL, sharing=sharing)) for sharing in SHARINGS) == len(ALL)


@given(model=st.sampled_from(ALL), data=st.data())
def test_a_model_is_found_by_any_words_of_its_own_in_any_order(model, data):
    words = [*model.title.split(), *model.family.split(), str(model.year), model.kind]
    some = data.draw(st.lists(st.sampled_from(words), min_size=1, max_size=4))
    assert model in matching(ALL, data.draw(st.sampled_from([" ".join, "  ".join]))(some).upper())


@given(text=st.text(max_size=20))
def test_what_is_found_has_every_word_of_the_text(text):
    for model in matching(ALL, text):
        described = f"{model.title} {model.family} {model.year} {model.kind} {model.sharing}"
        assert all(word in described.casefold() for word in text.casefold().split())


def test_an_empty_text_finds_all_and_nonsense_nothing():
    assert matching(ALL) == list(ALL)
    assert matching(ALL, "no such model") == []
    assert matching(ALL, "llama 3 2024") == [m for m in ALL if m.family == "Llama 3"]


@pytest.mark.parametrize("order", SORTED_BY)
def test_a_sorted_table_has_the_same_rows_in_order(order):
    column, is_descending = SORTED_BY[order]
    table = ordered(TABLE, order)
    known = table[column].dropna().tolist()
    assert known == sorted(known, reverse=is_descending)
    assert table[column].tail(table[column].isna().sum()).isna().all()
    assert sorted(table["title"]) == sorted(TABLE["title"])


def test_an_unknown_order_is_refused():
    with says(f"order must be one of {', '.join(SORTED_BY)}; got order=by name. Try newest first."):
        ordered(TABLE, "by name")


@given(model=st.sampled_from(ALL), most=st.integers(2, 512))
def test_a_narrowed_layer_keeps_its_heads_and_is_as_wide_as_fits(model, most):
    small = model.narrowed(most)
    step = model.n_heads if model.n_heads % 2 == 0 else 2 * model.n_heads
    if small is None:
        assert min(most, model.d_model) < step
        return
    assert (small.n_heads, small.n_kv_heads) == (model.n_heads, model.n_kv_heads)
    assert small.d_model % 2 == 0
    assert small.d_model <= min(most, model.d_model) < small.d_model + step


def test_no_models_make_an_empty_table_with_the_same_columns():
    assert list(models_table([]).columns) == list(TABLE.columns)
    assert models_table([]).empty
