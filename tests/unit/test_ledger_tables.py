"""The bars of the ledger: each piece is as large as its share, and nothing lies on another."""

from __future__ import annotations

import altair as alt
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mha.charts import HEAD_HUES, MASK_GREY, SEQUENTIAL
from mha.charts.ledger import changes_spec, parameters_spec, with_hues
from mha.checks import divisors
from mha.config import AttentionConfig
from mha.ledger import count_parameters, count_scores, every_head_count
from mha.ledger_tables import (
    MOST_SLICES,
    MOST_TICKS,
    changes_table,
    head_counts_table,
    parameters_table,
)
from tests.unit.draw import patient


@st.composite
def layers(draw) -> tuple[AttentionConfig, int | None]:
    """A layer, grouped or not, perhaps with a head size of its own."""
    C = draw(st.sampled_from([1, 7, 12, 32, 60, 128, 768]))
    h = draw(st.sampled_from(divisors(C)))
    h_kv = draw(st.sampled_from(divisors(h)))
    config = AttentionConfig(C, h, h_kv, draw(st.booleans()))
    return config, draw(st.one_of(st.none(), st.integers(1, 70)))


each_way = pytest.mark.parametrize("by_head", [False, True])


# The family of a layer


@given(C=st.integers(1, 400), bias=st.booleans())
@patient
def test_a_layer_has_every_number_of_heads_that_divides_its_width(C, bias):
    family = every_head_count(AttentionConfig(C, C, bias=bias))
    assert family == tuple(AttentionConfig(C, h, bias=bias) for h in divisors(C))


@given(layer=layers())
@patient
def test_a_layer_is_in_its_own_family_and_groups_keep_their_key_value_heads(layer):
    config, _ = layer
    family = every_head_count(config)
    assert config in family
    if config.n_kv_heads != config.n_heads:
        assert {one.n_kv_heads for one in family} == {config.n_kv_heads}
        skipped = set(divisors(config.d_model)) - {one.n_heads for one in family}
        assert all(h % config.n_kv_heads for h in skipped)


# Parameters


@each_way
@given(layer=layers())
@patient
def test_the_pieces_of_a_bar_are_the_terms_of_its_ledger(by_head, layer):
    config, d_head = layer
    family, h = every_head_count(config), config.n_heads
    table = parameters_table(family, h, d_head=d_head, by_head=by_head)
    for one in family:
        count = count_parameters(one, d_head=d_head)
        bar = table[table["heads"] == one.n_heads]
        assert set(bar["total"]) == {count.total}
        assert bar["count"].sum() == count.total
        for part in ("W_Q", "W_K", "W_V", "W_O"):
            pieces = bar[bar["part"] == part]
            assert pieces["count"].sum() == count.terms[part]
            if by_head and one.n_heads <= MOST_SLICES:
                shared = part in ("W_K", "W_V")
                assert len(pieces) == (one.n_kv_heads if shared else one.n_heads)
                group = one.group_size if shared else 1
                assert pieces["head"].tolist() == list(range(0, one.n_heads, group))
            else:
                assert pieces["head"].tolist() == [-1]


@each_way
@given(layer=layers())
@patient
def test_a_piece_is_as_large_as_its_count_and_pieces_fill_their_bar(by_head, layer):
    config, d_head = layer
    family, h = every_head_count(config), config.n_heads
    table = parameters_table(family, h, d_head=d_head, by_head=by_head)
    wide = table["bar_right"] - table["bar_left"]
    area = (table["right"] - table["left"]) * (table["end"] - table["start"]) / wide
    tallest = table["total"].max()
    np.testing.assert_allclose(area, table["count"] / tallest, atol=1e-12)
    np.testing.assert_allclose(table["height"], table["total"] / tallest, atol=1e-12)
    assert (table["left"] >= table["bar_left"] - 1e-12).all()
    assert (table["right"] <= table["bar_right"] + 1e-12).all()
    assert (table["start"] >= 0).all()
    assert (table["end"] <= table["height"] + 1e-12).all()
    for _, bar in table.groupby("heads"):
        corners = set(zip(bar["left"].round(9), bar["start"].round(9), strict=True))
        assert len(corners) == len(bar)


@given(layer=layers())
@patient
def test_words_are_written_once_a_bar_and_never_on_another(layer):
    config, d_head = layer
    table = parameters_table(every_head_count(config), config.n_heads, d_head=d_head, by_head=True)
    assert (table.groupby("heads")["first"].sum() == 1).all()
    named = table[table["named"].notna()]
    assert set(named["heads"]) == {config.n_heads}
    assert named["part"].is_unique
    assert (np.diff(named["named"]) >= 0.05).all()
    assert table[table["lit"]]["heads"].unique().tolist() == [config.n_heads]


def test_the_lessons_bars_are_level_and_every_part_of_them_is_named():
    config = AttentionConfig(32, 4)
    table = parameters_table(every_head_count(config), 4)
    assert len(table) == 6 * 4
    assert (table["height"] == 1).all()
    assert (table["count"] == 1024).all()
    assert table["named"].dropna().tolist() == [0.125, 0.375, 0.625, 0.875]


def test_a_shared_head_is_named_for_all_that_read_it():
    config = AttentionConfig(8, 4, 2)
    table = parameters_table([config], 4, by_head=True)
    names = table[table["part"] == "W_K"]["slice"].tolist()
    assert names == ["W_K of heads 0 to 1", "W_K of heads 2 to 3"]
    assert table[table["part"] == "W_Q"]["slice"].tolist()[3] == "W_Q of head 3"


def test_a_head_has_its_hue_a_projection_a_shade_and_a_bias_is_grey():
    config = AttentionConfig(36, 12, bias=True)
    for theme in ("light", "dark"):
        table = with_hues(parameters_table([config], 12, by_head=True), theme)
        for head, hue in zip(table["head"], table["hue"], strict=True):
            assert hue == (MASK_GREY if head < 0 else HEAD_HUES[head % 8])
        whole = with_hues(parameters_table([config], 12), theme)
        assert whole["hue"].tolist() == [*SEQUENTIAL[theme][1:5], MASK_GREY]
        assert set(table["ink"]) | set(whole["ink"]) <= {"#000000", "#FFFFFF"}


# What changes


@given(layer=layers(), T=st.integers(1, 32))
@patient
def test_what_changes_is_what_the_ledger_counts(layer, T):
    config, d_head = layer
    family = every_head_count(config)
    sizes, softmaxes, scores = (
        panel["value"].tolist()
        for _, panel in changes_table(family, config.n_heads, T, d_head=d_head).groupby("panel")
    )
    counts = [count_scores(one, T_q=T) for one in family]
    assert sizes == [d_head or one.d_head for one in family]
    assert softmaxes == [one.n_heads * T for one in family] == [c.softmaxes for c in counts]
    assert scores == [one.n_heads * T * T for one in family] == [c.numbers for c in counts]
    rows = head_counts_table(family, T, d_head=d_head)
    assert rows["parameters"].tolist() == [
        count_parameters(one, d_head=d_head).total for one in family
    ]
    assert rows["d_head"].tolist() == sizes
    assert rows["score_bytes"].tolist() == [4 * n for n in scores]


@pytest.mark.parametrize("C", [1, 32, 120, 15_120, 16_384])
def test_few_enough_bars_have_their_number_below_and_the_lit_one_has(C):
    family = every_head_count(AttentionConfig(C, 1))
    for lit in (family[0].n_heads, family[-1].n_heads):
        table = changes_table(family, lit, 6)
        first = table[table["panel"] == 0]
        assert 1 <= (first["tick"] != "").sum() <= MOST_TICKS
        assert first[first["lit"]]["tick"].tolist() == [f"{lit:,}"]
        assert first["tick_width"].iloc[0] >= 1 / MOST_TICKS - 1e-12 or C == 1


@pytest.mark.parametrize(
    ("kv_heads", "d_head", "side"), [(None, None, "center"), (8, None, "left"), (None, 64, "right")]
)
def test_a_long_total_stands_beside_a_higher_bar(kv_heads, d_head, side):
    config = AttentionConfig(4096, 32, kv_heads)
    table = parameters_table(every_head_count(config), 32, d_head=d_head)
    assert set(table[table["lit"]]["align"]) == {side}
    assert set(table[~table["lit"]]["align"]) == {"center"}


# Specs


@pytest.mark.parametrize("spec", [parameters_spec, changes_spec])
def test_a_spec_is_kept_is_valid_and_has_its_ends_from_the_start(spec):
    assert spec() is spec()
    assert "data" not in spec()
    assert alt.LayerChart.from_dict({**spec(), "data": {"name": "table"}}, validate=True)
    for layer in spec()["layer"]:
        for channel in ("x", "y"):
            place = layer["encoding"].get(channel, {})
            assert "value" in place or len(place["scale"]["domain"]) == 2


def test_every_field_that_a_chart_reads_is_in_its_table_or_reckoned_from_it():
    config = AttentionConfig(32, 4, bias=True)
    family = every_head_count(config)
    for spec, table in (
        (parameters_spec(), with_hues(parameters_table(family, 4), "light")),
        (changes_spec(), changes_table(family, 4, 6)),
    ):
        for layer in spec["layer"]:
            made = {step["as"] for step in layer.get("transform", []) if "calculate" in step}
            for encoded in layer["encoding"].values():
                for one in encoded if isinstance(encoded, list) else [encoded]:
                    field = one.get("field") or one.get("condition", {}).get("field")
                    assert field is None or field in made | set(table.columns)
