"""The small pictures of the overview: each shows the numbers that it is made of, in its square."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mha import thumbnails
from mha.charts import HEAD_HUES, MASK_GREY, SEQUENTIAL
from mha.charts.thumbnails import thumbnail_spec, with_hues
from mha.config import AttentionConfig
from mha.hand_built import copy_what_followed
from mha.ledger import count_parameters
from mha.models import MODELS
from mha.reference import causal_mask, softmax
from mha.sentence import Sentence

tokens = st.integers(1, 32)
configs = st.builds(lambda d_head, h: AttentionConfig(d_head * h, h), st.integers(1, 8), tokens)


def of(table: pd.DataFrame, kind: str) -> pd.DataFrame:
    return table[table["kind"] == kind]


def texts(table: pd.DataFrame) -> list[str]:
    return of(table, "text")["text"].tolist()


def assert_inside(table: pd.DataFrame) -> None:
    places = table[["left", "right", "top", "bottom"]].to_numpy()
    assert (places >= -1e-9).all()
    assert (places <= 1 + 1e-9).all()
    cells = table[table["kind"].isin(["cell", "masked"])]
    assert (cells["left"] < cells["right"]).all()
    assert (cells["top"] < cells["bottom"]).all()


@given(T=tokens, seed=st.integers(0, 99))
def test_grids_show_the_weights_and_the_mask_of_the_first_tokens(T, seed):
    mask = causal_mask(T)
    scores = np.random.default_rng(seed).normal(size=(2, T, T))
    weights = softmax(np.where(mask, scores, -np.inf))
    table = thumbnails.grids(("a", "b"), list(weights), mask)
    assert_inside(table)
    n = min(T, thumbnails.MOST)
    cells = table[table["kind"] != "text"]
    assert np.array_equal(cells["number"].to_numpy().reshape(2, n, n), weights[:, :n, :n])
    assert np.array_equal((cells["kind"] == "cell").to_numpy()[: n * n].reshape(n, n), mask[:n, :n])


@given(T=tokens)
def test_a_mask_and_its_opposite_fill_each_cell_once(T):
    mask = causal_mask(T)
    table = thumbnails.masks(("right", "wrong"), (mask, ~mask))
    assert_inside(table)
    n = min(T, thumbnails.MOST)
    assert len(of(table, "cell")) == len(of(table, "masked")) == n * n


def test_lines_of_the_copying_are_as_strong_as_the_weights():
    words = "a b c a b c".split()
    trace = copy_what_followed(Sentence.parse(" ".join(words)))
    table = thumbnails.copying(("one", "two"), words, trace)
    assert_inside(table)
    lines = of(table, "line")
    for head, layer in enumerate((trace.previous, trace.induction)):
        drawn = lines[lines["number"] == head]["strength"].to_numpy()
        assert np.array_equal(drawn, layer.weights[layer.weights > 0.02])
    assert texts(table) == ["one", *np.repeat(words, 2), "two", *np.repeat(words, 2)]


@given(config=configs, T=tokens)
def test_the_split_has_as_many_cells_on_both_sides_and_names_the_shapes(config, T):
    table = thumbnails.split(config, T)
    assert_inside(table)
    cells = of(table, "cell")
    each = cells.groupby("number").size()
    assert len(each) == min(config.n_heads, 8)
    assert set(each) == {2 * min(T, 6) * min(config.d_head, 4)}
    assert texts(table)[0] == f"{T} × {config.d_model}"
    assert texts(table)[2] == f"{config.n_heads} × {T} × {config.d_head}"


@given(config=configs, T=tokens)
def test_the_module_names_the_shape_of_every_step(config, T):
    table = thumbnails.module(config, T)
    assert_inside(table)
    C, h = config.d_model, config.n_heads
    said = " ".join(texts(table))
    for shape in (f"{T} × {C}", f"{T} × {3 * C}", f"{h} × {T} × {T}"):
        assert shape in said


@given(config=configs)
def test_the_bars_of_the_parameters_are_of_one_height_and_add_up(config):
    table = thumbnails.parameters(config)
    assert_inside(table)
    bars = of(table, "cell").groupby("left")
    heights = bars["bottom"].max() - bars["top"].min()
    np.testing.assert_allclose(heights, heights.iloc[0], atol=1e-12)
    assert texts(table)[0] == f"{count_parameters(config).total:,} parameters, h ="


@pytest.mark.parametrize("name", ["llama-3-8b", "gpt2", "falcon-7b"])
def test_the_lines_of_the_cache_rise_as_its_bytes(name):
    model = MODELS[name]
    table = thumbnails.kv_cache(model, 1000)
    assert_inside(table)
    rises = (of(table, "line")["top"] - of(table, "line")["bottom"]).to_numpy()
    heads = sorted({model.n_heads, model.n_kv_heads, 1}, reverse=True)
    np.testing.assert_allclose(rises / rises[0], np.array(heads) / heads[0], atol=1e-12)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_mark_has_the_hue_of_its_paint(theme):
    marks = [("weight", 0.0), ("weight", 1.0), ("head", 9.0), ("grey", 0.0), ("weight", 1.0)]
    table = pd.DataFrame(marks, columns=["paint", "number"]).assign(kind="cell")
    ramp = SEQUENTIAL[theme]
    hues = [ramp[0], ramp[-1], HEAD_HUES[1], MASK_GREY, ramp[-1]]
    assert with_hues(table, theme)["hue"].tolist() == hues


def test_one_spec_draws_them_all():
    assert thumbnail_spec() is thumbnail_spec()
    assert "data" not in thumbnail_spec()
