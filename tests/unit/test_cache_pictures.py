"""The pictures of the cache, of decoding and of grouped heads: marks where their numbers are."""

from __future__ import annotations

import json
import re
import tomllib
from itertools import pairwise
from pathlib import Path

import altair as alt
import numpy as np
import pytest
import vl_convert
from hypothesis import given, settings
from hypothesis import strategies as st

import mha
from mha.amounts import GB, about_text, bytes_text
from mha.cache_marks import LINE_APART, cache_marks, decoding_marks, kv_readers_marks
from mha.cache_tables import LONGEST, MEMORIES, cache_table, decoding_table, outgrowing_context
from mha.charts import CHOSEN, HEAD_HUES, MASK_GREY, PAGE, SEQUENTIAL, TEXT
from mha.charts.cache import cache_spec, decode_spec
from mha.charts.readers import kv_readers_spec, with_hues
from mha.checks import divisors
from mha.config import AttentionConfig
from mha.models import MODELS
from tests.unit.draw import patient

names = st.sampled_from(sorted(MODELS))
some = settings(patient, max_examples=30)
either_theme = pytest.mark.parametrize("theme", ["light", "dark"])
LAYER = AttentionConfig(32, 4, 2)
HALO = {"strokeWidth": 5, "strokeJoin": "round", "aria": False}
SHARED = [(h, h_kv) for h in (1, 6, 32, 71, 128, 232) for h_kv in divisors(h)]


def of(table, kind):
    return table[table["kind"] == kind]


# The cache over context length


@given(chosen=st.lists(names, min_size=1, max_size=3, unique=True), T=st.integers(1, 2**21),
       batch=st.integers(1, 64))  # fmt: skip
@some
def test_marks_are_at_the_logarithms_of_their_numbers(chosen, T, batch):
    model, *others = (MODELS[name] for name in chosen)
    table = cache_marks(model, T, others=others, batch=batch)
    assert table["x"].dropna().between(0, 1).all()
    assert table["y"].dropna().between(0, 1).all()
    sized = table[table["bytes"].notna()]
    if len(sized) > 1:
        slope = np.polyfit(np.log(sized["bytes"].astype(float)), sized["y"], 1)
        left_over = np.polyval(slope, np.log(sized["bytes"].astype(float))) - sized["y"]
        assert abs(left_over).max() < 1e-9
        assert slope[0] > 0
    lines = of(table, "line")
    longest = 2 ** max(20, (T - 1).bit_length())
    np.testing.assert_allclose(
        lines["x"], np.log(lines["context"].astype(float)) / np.log(longest), atol=1e-12
    )
    expected = cache_table([model, *others], T, batch=batch)
    expected = {(r.model, r.context, r.bytes) for r in expected.itertuples() if r.bytes}
    drawn = {(r.model, r.context, r.bytes) for r in lines.itertuples()}
    crossing = outgrowing_context(model, batch=batch)
    assert {row for row in drawn if row[1] != crossing or row in expected} == expected


@given(chosen=st.lists(names, min_size=1, max_size=4, unique=True), T=st.integers(1, 2**21))
@some
def test_words_have_room_from_one_another_and_keep_their_order(chosen, T):
    model, *others = (MODELS[name] for name in chosen)
    table = cache_marks(model, T, others=others)
    for kind, apart in (("memory", LINE_APART), ("name", 2 * LINE_APART)):
        rows = of(table, kind).sort_values("label_y")
        assert all(b - a >= apart - 1e-9 for a, b in pairwise(rows["label_y"]))
        assert rows["y"].is_monotonic_increasing
    assert of(table, "memory")["text"].tolist() == [f"{n} GB" for n in MEMORIES]
    assert of(table, "memory")["bytes"].tolist() == [n * GB for n in MEMORIES]


def test_a_word_that_has_room_stays_where_it_is():
    rows = of(cache_marks(MODELS["bert-base"], 6), "memory")
    assert rows["label_y"].tolist() == pytest.approx(rows["y"].tolist())


@given(name=names, T=st.integers(1, 2**21), size=st.sampled_from([2, 0.5]))
@some
def test_the_point_where_the_cache_outgrows_the_weights_is_marked(name, T, size):
    model = MODELS[name]
    table = cache_marks(model, T, bytes_per_number=size, weight_bytes_per_number=size)
    crossing = outgrowing_context(model, bytes_per_number=size, weight_bytes_per_number=size)
    marked = of(table, "outgrows")
    if crossing is None or crossing > max(LONGEST, 2 * T):
        assert marked.empty
    elif not marked.empty:
        (row,) = marked.itertuples()
        assert row.context == crossing
        assert row.bytes == model.kv_cache_bytes(crossing, 1, size)
        assert row.text.endswith(f"\nat about {about_text(crossing)}")
        assert (of(table, "line")["context"] == crossing).any()
    else:
        assert crossing > LONGEST


def test_the_words_of_a_model_that_people_know():
    table = cache_marks(MODELS["llama-3-8b"], 4096, others=[MODELS["mistral-7b"], MODELS["gpt2"]])
    assert of(table, "outgrows")["text"].tolist() == [
        "outgrows the\nweights, 16 GB,\nat about 122,000"
    ]
    chosen = of(table, "chosen")
    assert chosen[chosen["lit"]]["text"].tolist() == ["4K tokens:\n537 MB"]
    assert len(chosen) == 3
    assert set(of(table, "name")["text"]) == {"Llama 3\n8B", "Mistral 7B\nv0.1", "GPT-2\nsmall"}
    assert set(of(table, "name")["align"]) == {"left"}
    assert of(table, "tick_x")["text"].tolist() == ["1", "16", "256", "4K", "64K", "1M"]
    assert of(table, "tick_y")["text"].tolist() == ["1 MB", "1 GB"]


@given(name=names, T=st.integers(1, 2**20))
@some
def test_a_rule_below_a_mark_knows_where_the_other_mark_s_text_is(name, T):
    table = cache_marks(MODELS[name], T)
    chosen, outgrows = (
        table[table["lit"] & (table["kind"] == kind)] for kind in ("chosen", "outgrows")
    )
    if len(chosen) == len(outgrows) == 1:
        for one, other in ((chosen, outgrows), (outgrows, chosen)):
            assert one["other_x"].item() == other["x"].item()
            longest = max(map(len, other["text"].item().split("\n")))
            side = 1 if other["align"].item() == "left" else -1
            assert one["other_signs"].item() == side * longest
    else:
        assert table["other_x"].isna().all()
    rest = table.drop(index=[*chosen.index, *outgrows.index])
    assert rest["other_x"].isna().all()


def drawn(T: int, width: int) -> list[float]:
    """How long the pieces of the rule below the chosen mark are, in pixels, as Vega draws them."""
    spec = cache_spec("light") | {"width": width, "autosize": "pad"}
    spec["data"] = {
        "values": json.loads(cache_marks(MODELS["llama-3-8b"], T).to_json(orient="records"))
    }
    svg = vl_convert.vegalite_to_svg(spec)
    rules = re.findall(r"<line [^>]*>", svg)
    lengths = [re.search(r'y2="(-?[\d.]+)"', rule) for rule in rules if CHOSEN in rule]
    return sorted(abs(float(length[1])) if length else 0.0 for length in lengths)


def test_the_rule_of_the_chosen_context_is_broken_where_a_text_is_in_its_way():
    """On a phone it would cross the words about the weights; on a wide screen it does not."""
    assert [length > 0 for length in drawn(8192, 210)] == [True, True]
    assert [length > 0 for length in drawn(8192, 900)] == [False, True]
    assert [length > 0 for length in drawn(8, 210)] == [False, True]


def test_a_model_alone_is_named_on_one_line_above_its_end():
    (name,) = of(cache_marks(MODELS["mistral-small-24b"], 6), "name").itertuples()
    assert (name.text, name.align, name.lit) == (MODELS["mistral-small-24b"].title, "right", True)
    several = cache_marks(MODELS["gpt2"], 6, others=[MODELS["mistral-small-24b"]])
    assert all(len(line) <= 13 for text in of(several, "name")["text"] for line in text.split("\n"))


def test_an_encoder_has_memories_and_ticks_but_no_line():
    assert set(cache_marks(MODELS["bert-base"], 6)["kind"]) == {"memory", "tick_x", "tick_y"}


# Decoding


@given(T=st.integers(1, 60), data=st.data(), quantity=st.sampled_from(["multiply_adds", "so_far"]))
@some
def test_costs_are_shares_of_the_largest(T, data, quantity):
    n = data.draw(st.integers(1, T))
    table = decoding_table(LAYER, T)
    marks = decoding_marks(table, quantity, n)
    lines = of(marks, "line")
    assert sorted(lines["cost"]) == sorted(table[quantity])
    np.testing.assert_allclose(lines["y"], lines["cost"] / table[quantity].max(), atol=1e-12)
    places = [(m - 1) / (T - 1) if T > 1 else 0.5 for m in lines["n"]]
    assert lines["x"].tolist() == pytest.approx(places)
    assert of(marks, "chosen")["n"].tolist() == [n, n]
    assert of(marks, "name")["n"].tolist() == [T, T]
    ticks = of(marks, "tick_x")
    assert ticks[ticks["lit"]]["text"].tolist() == [str(n)]
    assert ticks["x"].is_unique
    names = of(marks, "name").sort_values("label_y")
    assert np.diff(names["label_y"])[0] >= LINE_APART - 1e-9


@pytest.mark.parametrize("most", [6, 14, 24, 999, 4096, 4160, 196_608, 10**12, 0.00052, 0.1, 7.0])
def test_steps_are_round_and_few(most):
    quantity = "seconds" if isinstance(most, float) else "multiply_adds"
    table = decoding_table(LAYER, 1).assign(**{quantity: most})
    steps = of(decoding_marks(table, quantity, 1), "tick_y")["y"].to_numpy() * most
    assert 2 <= len(steps) <= 4
    assert steps[-1] <= most * (1 + 1e-9)
    np.testing.assert_allclose(steps, steps[0] * np.arange(1, len(steps) + 1), rtol=1e-9)
    assert re.fullmatch(r"(1.0|2.0|2.5|5.0)0*e[+-]\d+", f"{steps[0]:.9e}")


def test_steps_are_written_as_costs_are():
    def steps(most, quantity):
        table = decoding_table(LAYER, 1).assign(**{quantity: most})
        return of(decoding_marks(table, quantity, 1), "tick_y")["text"].tolist()

    assert steps(999, "multiply_adds") == ["250", "500", "750"]
    assert steps(10**8, "so_far") == ["25 million", "50 million", "75 million", "100 million"]
    assert steps(0.00052, "seconds") == ["200 µs", "400 µs"]


def test_costs_have_their_unit():
    seconds = {True: [0.0002, 0.0003], False: [0.0002, 0.0009]}
    table = decoding_table(LAYER, 2, seconds=seconds)
    assert of(decoding_marks(table, "seconds", 1), "name")["text"].tolist() == [
        "with a cache: 300 µs",
        "without a cache: 900 µs",
    ]
    assert of(decoding_marks(table, "multiply_adds", 1), "name")["text"].tolist() == [
        "with a cache: 3,200",
        "without a cache: 6,400",
    ]


# Readers


@pytest.mark.parametrize(("h", "h_kv"), SHARED)
def test_boxes_stand_side_by_side_and_a_kv_head_below_its_readers(h, h_kv):
    table = kv_readers_marks(AttentionConfig(h, h, h_kv))
    for left, right, rows in (
        ("left", "right", table),
        ("kv_left", "kv_right", table[table["first"]]),
        ("group_left", "group_right", table[table["first"]]),
    ):
        assert (rows[left] < rows[right]).all()
        assert rows[left].iloc[0] >= 0
        assert rows[right].iloc[-1] <= 1
        assert (rows[left].to_numpy()[1:] > rows[right].to_numpy()[:-1]).all()
    for _, group in table.groupby("kv_head"):
        middle = (group["kv_left"] + group["kv_right"]).iloc[0] / 2
        assert (group["left"].iloc[0] + group["right"].iloc[-1]) / 2 == pytest.approx(middle)
        assert group["group_left"].iloc[0] == pytest.approx(group["left"].iloc[0])
        assert group["group_right"].iloc[0] == pytest.approx(group["right"].iloc[-1])
        assert set(group["first_reader"]) == {group["head"].min()}
        assert set(group["last_reader"]) == {group["head"].max()}
    assert set(table["digits"]) == {len(str(table["head"].max()))}
    assert set(table["kv_digits"]) == {len(str(table["kv_head"].max()))}


def test_heads_are_counted_in_words():
    table = kv_readers_marks(AttentionConfig(8, 8, 1))
    assert set(table["head_count"]) == {"8 query heads, 0 to 7"}
    assert set(table["kv_head_count"]) == {"1 key and value head"}


@pytest.mark.parametrize(("h", "h_kv"), SHARED)
def test_a_group_has_one_hue_and_ink_that_reads_on_it(h, h_kv):
    table = with_hues(kv_readers_marks(AttentionConfig(h, h, h_kv)))
    assert table["hue"].tolist() == [HEAD_HUES[kv % 8] for kv in table["kv_head"]]
    ink = dict(zip(table["hue"], table["ink"], strict=True))
    assert ink["#0072B2"] == "#FFFFFF"
    assert ink.get("#F0E442", "#000000") == "#000000"


# Specs


def every_picture(theme):
    llama, gpt2 = MODELS["llama-3-8b"], MODELS["gpt2"]
    decoded = decoding_table(LAYER, 6)
    return [
        (cache_spec(theme), cache_marks(llama, 6, others=[gpt2])),
        (decode_spec(theme), decoding_marks(decoded, "multiply_adds", 3)),
        (kv_readers_spec(), with_hues(kv_readers_marks(LAYER))),
    ]


@either_theme
def test_every_spec_is_valid_has_no_table_of_its_own_and_its_ends_from_the_start(theme):
    for spec, _ in every_picture(theme):
        json.dumps(spec, allow_nan=False)
        assert alt.LayerChart.from_dict({**spec, "data": {"name": "table"}}, validate=True)
        assert "data" not in spec
        assert all("data" not in layer for layer in spec["layer"])
        assert isinstance(spec["height"], int)
        for layer in spec["layer"]:
            for channel in ("x", "y"):
                place = layer["encoding"].get(channel, {})
                assert "value" in place or len(place["scale"]["domain"]) == 2


@either_theme
def test_a_spec_is_built_once_for_a_theme(theme):
    for first, second in zip(every_picture(theme), every_picture(theme), strict=True):
        assert first[0]["layer"] is second[0]["layer"]
    assert cache_spec("light") != cache_spec("dark")
    assert decode_spec("light") != decode_spec("dark")


@either_theme
def test_every_field_that_a_picture_reads_is_in_its_table_or_reckoned_from_it(theme):
    for spec, table in every_picture(theme):
        for layer in spec["layer"]:
            made = {step["as"] for step in layer.get("transform", []) if "calculate" in step}
            for channel in layer["encoding"].values():
                for one in channel if isinstance(channel, list) else [channel]:
                    assert one.get("field") is None or one["field"] in made | set(table.columns)
        named = set(re.findall(r"datum\.(\w+)", json.dumps(spec)))
        assert named <= {"x", *table.columns}


@either_theme
def test_every_kind_of_mark_is_drawn(theme):
    for spec, table in every_picture(theme)[:2]:
        drawn = set(re.findall(r"datum\.kind == '(\w+)'", json.dumps(spec)))
        assert drawn == set(table["kind"])


@either_theme
def test_the_lit_line_is_strong_others_are_grey_and_every_word_has_a_halo(theme):
    for spec, _ in every_picture(theme)[:2]:
        lines = [layer for layer in spec["layer"] if layer["mark"]["type"] == "line"]
        shown = {layer["transform"][1]["filter"]: layer["mark"]["color"] for layer in lines}
        assert shown == {"!datum.lit": MASK_GREY, "datum.lit": SEQUENTIAL[theme][4]}
        assert lines[1]["mark"]["strokeWidth"] > lines[0]["mark"]["strokeWidth"]
        texts = [layer["mark"] for layer in spec["layer"] if layer["mark"]["type"] == "text"]
        assert {mark["color"] for mark in texts} == {TEXT[theme], PAGE[theme]}
        assert all(mark["fontSize"] >= 17 for mark in texts)
        halos, inks = texts[::2], texts[1::2]
        for halo, ink in zip(halos, inks, strict=True):
            assert halo == {**ink, "color": PAGE[theme], **HALO, "stroke": PAGE[theme]}


@either_theme
def test_the_page_s_colours_are_those_of_its_theme(theme):
    config = Path(mha.__file__).parents[1] / ".streamlit" / "config.toml"
    colours = tomllib.loads(config.read_text())["theme"][theme]
    assert PAGE[theme] == colours["backgroundColor"]
    assert TEXT[theme] == colours["textColor"]


def test_a_memory_is_written_as_a_size_is():
    assert [bytes_text(n * GB) for n in MEMORIES] == [f"{n} GB" for n in MEMORIES]
