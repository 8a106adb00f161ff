"""The cache's tables: what the ledger counts, and limits that are exact to the token."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mha.amounts import GB
from mha.cache_tables import (
    LONGEST,
    MEMORIES,
    MOST_DECODED,
    WAYS,
    cache_table,
    decoding_table,
    kv_readers_table,
    largest_context,
    memories_table,
    outgrowing_context,
    sharing_table,
    weight_bytes,
)
from mha.checks import divisors
from mha.config import AttentionConfig
from mha.layout import repeat_kv
from mha.ledger import BYTES, count_decoding, count_multiply_adds
from mha.models import MODELS, Latent, Model
from tests.unit.draw import patient
from tests.unit.says import says

names = st.sampled_from(sorted(MODELS))
formats = st.sampled_from(BYTES)
some = settings(patient, max_examples=40)


def model(**changes) -> Model:
    """A model of one's own, 48 numbers a token, 96 bytes at 16 bits."""
    sizes = dict(d_model=16, n_heads=4, n_kv_heads=1, n_layers=6, n_parameters=960)
    return Model(**dict(title="A", family="A", year=2020, source="a") | sizes | changes)


# Bytes over context


@given(chosen=st.lists(names, min_size=1, max_size=3, unique=True), T=st.integers(1, 2**22),
       batch=st.integers(1, 64), size=formats)  # fmt: skip
@some
def test_the_cache_s_bytes_are_the_model_s_at_powers_of_two_and_at_t(chosen, T, batch, size):
    rows = [MODELS[name] for name in chosen]
    table = cache_table(rows, T, batch=batch, bytes_per_number=size)
    assert table["model"].unique().tolist() == [row.title for row in rows]
    for row in rows:
        own = table[table["model"] == row.title]
        contexts = own["context"].tolist()
        powers = [n for n in contexts if n & (n - 1) == 0]
        assert contexts == sorted({*powers, T})
        assert powers == [2**i for i in range(len(powers))]
        assert powers[-1] >= max(T, LONGEST)
        assert powers[-1] == LONGEST or powers[-2] < T
        assert own["bytes"].tolist() == [row.kv_cache_bytes(n, batch, size) for n in contexts]
        assert own[own["chosen"]]["context"].tolist() == [T]


def test_a_window_stops_the_cache_and_an_encoder_has_none():
    table = cache_table([MODELS["mistral-7b"], MODELS["bert-base"]], 6)
    by_model = {title: rows.set_index("context")["bytes"] for title, rows in table.groupby("model")}
    mistral, bert = (by_model[MODELS[name].title] for name in ("mistral-7b", "bert-base"))
    assert mistral[4096] == mistral[LONGEST] == 4096 * 131_072
    assert mistral[2048] == 2048 * 131_072
    assert (bert == 0).all()


def test_bytes_beyond_32_bits_are_exact():
    table = cache_table([MODELS["gpt3"]], 6, batch=64, bytes_per_number=4)
    assert table["bytes"].max() == 64 * LONGEST * 2 * 4_718_592


def test_t_must_be_a_number_of_tokens():
    with says("T must be a whole number of at least 1; got T=0. Try T=1."):
        cache_table([MODELS["gpt2"]], 0)


# Limits


@given(name=names, budget=st.integers(0, 10**13), batch=st.integers(1, 64), size=formats)
@some
def test_the_largest_context_fits_and_one_token_more_does_not(name, budget, batch, size):
    row = MODELS[name]
    how = {"batch": batch, "bytes_per_number": size}
    most = largest_context(row, budget, **how)
    if most is None:
        assert all(row.kv_cache_bytes(T, **how) <= budget for T in (1, 10**6, 10**12))
    else:
        assert most == 0 or row.kv_cache_bytes(most, **how) <= budget
        assert row.kv_cache_bytes(most + 1, **how) > budget


@given(name=names, batch=st.integers(1, 64), size=formats, weight_size=formats)
@some
def test_the_cache_first_outgrows_the_weights_at_this_context(name, batch, size, weight_size):
    row, how = MODELS[name], {"batch": batch, "bytes_per_number": size}
    T = outgrowing_context(row, **how, weight_bytes_per_number=weight_size)
    weights = weight_bytes(row, weight_size)
    if weights is None:
        assert T is None
    elif T is None:
        assert row.kv_cache_bytes(10**12, **how) <= weights
    else:
        assert row.kv_cache_bytes(T, **how) > weights
        assert T == 1 or row.kv_cache_bytes(T - 1, **how) <= weights


def test_limits_that_can_be_reckoned_by_hand():
    # 1,920 bytes of weights, 96 bytes a token: 20 tokens take as much, 21 take more.
    assert outgrowing_context(model()) == 21
    assert outgrowing_context(model(), batch=2) == 11
    assert outgrowing_context(model(), weight_bytes_per_number=4) == 41
    assert largest_context(model(), 95) == 0
    assert largest_context(model(), 96) == 1
    # Llama 3 8B at 16 bits: 16 GB of weights, 131,072 bytes a token.
    assert outgrowing_context(MODELS["llama-3-8b"]) == 16 * GB // 131_072 + 1 == 122_071


@pytest.mark.parametrize(
    ("changes", "outgrows"),
    [
        ({"kind": "encoder"}, None),
        ({"n_parameters": None}, None),
        ({"window": 20}, None),
        ({"window": 21}, 21),
        # Half of the layers stop after 8 tokens: 768 of 1,920 bytes, then 48 a token.
        ({"window": 8, "n_window_layers": 3}, 33),
        ({"latent": Latent(kv_rank=4, rope=4, q_rank=None)}, 21),
    ],
)
def test_encoders_windows_and_unknown_totals_never_outgrow_or_later(changes, outgrows):
    assert outgrowing_context(model(**changes)) == outgrows


def test_weights_have_their_own_format():
    assert weight_bytes(model()) == 1920
    assert weight_bytes(model(n_parameters=961), 0.5) == 481
    assert weight_bytes(model(n_parameters=None)) is None
    with says(
        "bytes_per_number must be 4, 2, 1 or 0.5 (32, 16, 8 or 4 bits); got bytes_per_number=3. "
        "Try bytes_per_number=2."
    ):
        weight_bytes(model(), 3)


def test_each_memory_has_its_longest_context_alone_and_beside_the_weights():
    table = memories_table(MODELS["llama-3-8b"])
    assert table["memory_gb"].tolist() == list(MEMORIES) == [8, 16, 24, 80, 141]
    assert table["memory_bytes"].tolist() == [n * 10**9 for n in MEMORIES]
    assert table["weight_bytes"].unique().tolist() == [16 * GB]
    assert table["alone"].tolist() == [n * GB // 131_072 for n in MEMORIES]
    beside = [max(0, (n - 16) * GB // 131_072) for n in MEMORIES]
    assert table["beside_weights"].tolist() == beside
    assert beside[:3] == [0, 0, 61_035]


@given(name=names, batch=st.integers(1, 64), size=formats, weight_size=formats)
@some
def test_a_memory_holds_its_longest_context(name, batch, size, weight_size):
    row, how = MODELS[name], {"batch": batch, "bytes_per_number": size}
    for line in memories_table(row, **how, weight_bytes_per_number=weight_size).itertuples():
        for tokens, taken in ((line.alone, 0), (line.beside_weights, line.weight_bytes)):
            if pd.isna(tokens):
                continue
            if tokens:
                assert taken + row.kv_cache_bytes(tokens, **how) <= line.memory_bytes
            assert taken + row.kv_cache_bytes(tokens + 1, **how) > line.memory_bytes


@pytest.mark.parametrize("kind", ["encoder", "decoder"])
def test_what_never_grows_fits_with_any_context_where_its_weights_do(kind):
    row = model(kind=kind, window=16, n_parameters=10 * GB)
    table = memories_table(row)
    assert table["alone"].isna().all()
    assert table["beside_weights"].fillna(-1).tolist() == [0, 0, -1, -1, -1]


def test_without_a_total_nothing_is_said_of_the_weights():
    table = memories_table(model(n_parameters=None))
    assert table[["weight_bytes", "beside_weights"]].isna().all(axis=None)
    assert table["alone"].tolist() == [n * GB // 96 for n in MEMORIES]


# Decoding


@given(h_kv=st.integers(1, 3), group=st.integers(1, 3), d=st.integers(1, 4),
       T=st.integers(1, 40), n_layers=st.integers(1, 5), batch=st.integers(1, 3),
       d_head=st.none() | st.integers(1, 9))  # fmt: skip
@some
def test_each_token_costs_what_the_ledger_counts(h_kv, group, d, T, n_layers, batch, d_head):
    config = AttentionConfig(h_kv * group * d, h_kv * group, h_kv)
    table = decoding_table(config, T, n_layers=n_layers, batch=batch, d_head=d_head)
    for cached, way in WAYS.items():
        own = table[table["way"] == way]
        assert own["n"].tolist() == list(range(1, T + 1))
        assert own["multiply_adds"].tolist() == [
            n_layers * count_decoding(config, n, cached=cached, batch=batch, d_head=d_head).total
            for n in own["n"]
        ]
        assert own["so_far"].tolist() == own["multiply_adds"].cumsum().tolist()


@given(T=st.integers(2, 60))
@some
def test_a_cache_costs_what_the_last_token_adds(T):
    config = AttentionConfig(12, 4, 2)
    table = decoding_table(config, T).set_index(["way", "n"])
    kept, anew = (table.loc[way]["multiply_adds"] for way in WAYS.values())
    assert kept[1] == anew[1]
    assert all(kept[n] < anew[n] for n in range(2, T + 1))
    assert set(np.diff(kept)) == {2 * 12}  # one key more to look at: q·k and the weight of its v
    assert anew[T] == count_multiply_adds(config, T_q=T).total


def test_measured_seconds_stand_beside_the_count():
    seconds = {False: [3.0, 4.0], True: (1.0, 2.0)}
    table = decoding_table(AttentionConfig(8, 2), 2, seconds=seconds)
    assert table["seconds"].tolist() == [1, 2, 3, 4]
    assert table["way"].tolist() == ["with a cache"] * 2 + ["without a cache"] * 2
    assert list(table.columns) == ["way", "n", "multiply_adds", "so_far", "seconds"]
    with pytest.raises(ValueError, match="same length"):
        decoding_table(AttentionConfig(8, 2), 2, seconds={True: [1.0], False: [1.0, 2.0]})


@pytest.mark.parametrize(
    ("T", "more", "message"),
    [
        (0, {}, "T must be a whole number of at least 1; got T=0. Try T=1."),
        (4097, {}, "T must be at most 4096; got T=4097. Try T=4096."),
        (
            1,
            {"n_layers": 0},
            "n_layers must be a whole number of at least 1; got n_layers=0. Try n_layers=1.",
        ),
    ],
)
def test_too_many_tokens_and_no_layers_are_refused(T, more, message):
    assert MOST_DECODED == 4096
    with says(message):
        decoding_table(AttentionConfig(8, 2), T, **more)


# Readers


def test_neighbours_share_a_head():
    table = kv_readers_table(AttentionConfig(8, 4, 2))
    assert table["kv_head"].tolist() == [0, 0, 1, 1]
    assert table["first"].tolist() == [True, False, True, False]
    assert table["readers"].tolist() == ["0 to 1", "0 to 1", "2 to 3", "2 to 3"]
    assert kv_readers_table(AttentionConfig(4, 4))["readers"].tolist() == list("0123")


@pytest.mark.parametrize(
    ("h", "h_kv"), [(h, h_kv) for h in (1, 6, 32, 128, 232) for h_kv in divisors(h)]
)
def test_a_query_head_reads_the_head_that_is_repeated_for_it(h, h_kv):
    table = kv_readers_table(AttentionConfig(h, h, h_kv))
    kept = np.arange(h_kv, dtype=float).reshape(1, h_kv, 1, 1)
    assert table["kv_head"].tolist() == repeat_kv(kept, h // h_kv).ravel().tolist()
    assert table["first"].sum() == h_kv
    for (_, one), (_, other) in pairwise(table.groupby("kv_head")):
        assert one["head"].max() < other["head"].min()
        assert one["readers"].nunique() == 1


@given(
    model=st.sampled_from([m for m in MODELS.values() if m.latent is None]),
    T=st.integers(1, 10**6),
    size=st.sampled_from([4, 2, 1, 0.5]),
)
def test_sharing_is_counted_as_the_model_with_so_many_key_and_value_heads(model, T, size):
    table = sharing_table(model, divisors(model.n_heads), T, batch=3, bytes_per_number=size)
    assert table["kv_heads"].tolist() == list(divisors(model.n_heads))
    for row in table.itertuples():
        one = replace(model, n_kv_heads=row.kv_heads)
        for name in ("W_Q", "W_K", "W_V", "W_O"):
            assert getattr(row, name) == one.layer_terms[name]
        assert (row.layer, row.layers) == (one.layer_parameters, one.attention_parameters)
        assert row.token_bytes == one.kv_cache_bytes(1, 1, size)
        assert row.cache_bytes == one.kv_cache_bytes(T, 3, size)
