"""Charts: valid specs, built once, that hold no word of the sentence and read in both themes."""

from __future__ import annotations

import json

import altair as alt
import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from mha.charts import (
    DIVERGING,
    HEAD_HUES,
    MASK_GREY,
    MIN_NUMBER_PIXELS,
    SEQUENTIAL,
    color_at,
    ink_on,
    lines_chart,
    lines_spec,
    matrix_chart,
    matrix_spec,
    relative_luminance,
    weights_chart,
    weights_spec,
    with_ink,
)
from mha.hand_built import GALLERY, feature_names, features
from mha.sentence import Sentence
from mha.tables import matrix_table, weights_table
from tests.unit.draw import HOSTILE, patient

THEMES = ("light", "dark")
HUE = HEAD_HUES[0]
LESSON = Sentence.parse("the rain jacket is light packable", "200211")
LONG = Sentence.parse("word " * 32)

either_theme = pytest.mark.parametrize("theme", THEMES)
few_or_many = pytest.mark.parametrize("sentence", [Sentence.parse("a"), LESSON, LONG])


def weights_of(sentence: Sentence):
    trace = GALLERY["previous token"](sentence).attend(features(sentence))
    return weights_table(trace, sentence, query=len(sentence) - 1, key=0)


def matrix_of(sentence: Sentence):
    return matrix_table(features(sentence), sentence.labels, feature_names(len(sentence)))


def every_chart(sentence: Sentence, theme: str):
    """Each chart of a sentence beside the spec that is kept for it."""
    T, weights, matrix = len(sentence), weights_of(sentence), matrix_of(sentence)
    return [
        (weights_chart(weights, theme), weights_spec(T, theme)),
        (lines_chart(weights, HUE), lines_spec(T, HUE)),
        *[
            (
                matrix_chart(matrix, theme, signed=signed),
                matrix_spec(T, T + 3, theme, signed=signed),
            )
            for signed in (True, False)
        ],
    ]


def without_data(chart: alt.LayerChart) -> dict:
    spec = chart.to_dict()
    del spec["data"], spec["datasets"]
    return spec


def layers(spec: dict, mark: str, **encoded: str) -> list[dict]:
    """The layers with this mark, in which these channels read these fields."""
    return [
        layer
        for layer in spec["layer"]
        if layer["mark"]["type"] == mark
        and all(
            layer["encoding"].get(channel, {}).get("field") == field
            for channel, field in encoded.items()
        )
    ]


def words_in(spec) -> set[str]:
    """Every string that stands anywhere in a spec, as a key or as a value."""
    if isinstance(spec, dict):
        return set(spec).union(*map(words_in, spec.values()))
    if isinstance(spec, list):
        return set().union(*map(words_in, spec))
    return {spec} if isinstance(spec, str) else set()


# Specs


@either_theme
@few_or_many
def test_a_chart_without_its_table_is_the_spec(theme, sentence):
    for chart, spec in every_chart(sentence, theme):
        assert isinstance(chart, alt.LayerChart)
        assert without_data(chart) == spec


@pytest.mark.parametrize("sentence", [LESSON, LONG])
def test_every_spec_is_valid_vega_lite(sentence):
    for _, spec in every_chart(sentence, "light"):
        json.dumps(spec, allow_nan=False)
        assert alt.LayerChart.from_dict({**spec, "data": {"name": "table"}}, validate=True)


@either_theme
@few_or_many
def test_one_table_feeds_every_layer(theme, sentence):
    for chart, spec in every_chart(sentence, theme):
        assert "data" not in spec
        assert "datasets" not in spec
        assert all("data" not in layer for layer in spec["layer"])
        assert len(chart.to_dict()["datasets"]) == 1


@either_theme
def test_a_spec_is_built_once(theme):
    def build():
        return [
            weights_spec(6, theme),
            lines_spec(6, HUE),
            matrix_spec(6, 9, theme),
            matrix_spec(6, 9, theme, signed=False),
        ]

    for first, second in zip(build(), build(), strict=True):
        assert first["layer"] is second["layer"]
    assert weights_spec(6, theme)["layer"] is weights_spec(5, theme)["layer"]


def test_a_spec_of_another_theme_or_hue_is_another():
    assert weights_spec(6, "light") != weights_spec(6, "dark")
    assert matrix_spec(6, 9, "light") != matrix_spec(6, 9, "dark")
    assert lines_spec(6, HEAD_HUES[0]) != lines_spec(6, HEAD_HUES[1])


@given(T=st.integers(1, 32), n_columns=st.integers(1, 35))
@example(T=32, n_columns=35)
@patient
def test_a_picture_fits_a_screen_and_its_rows_can_be_read(T, n_columns):
    for height in (
        weights_spec(T, "light")["height"],
        lines_spec(T, HUE)["height"],
        matrix_spec(T, n_columns, "light")["height"],
    ):
        assert 14 * T <= height <= max(430, 14 * T) + 1e-9


@pytest.mark.parametrize("text", [*HOSTILE, "datum.masked2 weight_ $schema_ cell_"])
def test_no_word_of_the_sentence_stands_in_a_spec(text):
    sentence = Sentence.fit(text)[0]
    words = [word for word in sentence.tokens if len(word) > 2]  # "a" stands in "bandwidth" too
    for chart, spec in every_chart(sentence, "light"):
        for string in words_in(without_data(chart)) | words_in(spec):
            assert not any(word in string for word in words)


# What a chart shows


@either_theme
def test_weights_have_one_fixed_scale_from_nothing_to_all(theme):
    specs = (weights_spec(6, theme), matrix_spec(6, 6, theme, signed=False))
    for spec, field in zip(specs, ("weight", "value"), strict=True):
        (cells,) = layers(spec, "rect", color=field)
        scale = cells["encoding"]["color"]["scale"]
        assert (scale["domain"][0], scale["domain"][-1]) == (0, 1)
        assert scale["clamp"] is True
        assert scale["range"] == list(SEQUENTIAL[theme])


@either_theme
def test_signed_numbers_have_one_scale_centred_on_zero(theme):
    (cells,) = layers(matrix_spec(6, 6, theme), "rect", color="shade")
    scale = cells["encoding"]["color"]["scale"]
    stops = scale["domain"]
    np.testing.assert_allclose(stops, -np.flip(stops), atol=1e-12)
    assert (stops[0], stops[-1]) == (-1, 1)
    assert stops[len(stops) // 2] == 0
    assert scale["clamp"] is True
    assert scale["range"] == list(DIVERGING[theme])


@either_theme
def test_colours_are_mixed_where_the_ink_takes_them_to_be(theme):
    for spec, field in (
        (weights_spec(6, theme), "weight"),
        (matrix_spec(6, 6, theme, signed=False), "value"),
        (matrix_spec(6, 6, theme), "shade"),
    ):
        (cells,) = layers(spec, "rect", color=field)
        assert cells["encoding"]["color"]["scale"].get("interpolate") == "rgb"


def test_lines_are_as_wide_as_their_weight_on_a_fixed_scale():
    spec = lines_spec(6, HUE)
    (lines,) = layers(spec, "rule", strokeWidth="weight")
    scale = lines["encoding"]["strokeWidth"]["scale"]
    assert scale["domain"] == [0, 1]
    assert scale["range"][0] == 0
    assert lines["mark"]["color"] == HUE
    assert lines["transform"] == [{"filter": "!datum.masked"}]


@either_theme
@pytest.mark.parametrize(("T", "lines"), [(6, 3), (16, 3), (17, 1), (32, 1)])
def test_masked_cells_are_hatched_grey_and_carry_no_number(theme, T, lines):
    for spec in (weights_spec(T, theme), matrix_spec(T, T, theme)):
        hatch = layers(spec, "rule")
        assert len(hatch) == lines
        for layer in hatch:
            assert layer["transform"] == [{"filter": "datum.masked"}]
            assert layer["mark"]["color"] == MASK_GREY
        (cells,) = [cell for cell in layers(spec, "rect") if "color" in cell["encoding"]]
        condition = cells["encoding"]["color"]["condition"]
        assert condition["test"].startswith("datum.masked")
        assert condition["value"].startswith(MASK_GREY)


@either_theme
def test_a_weight_that_is_masked_or_left_out_to_be_guessed_is_an_empty_cell(theme):
    spec = weights_spec(6, theme)
    (cells,), (numbers,) = layers(spec, "rect", color="weight"), layers(spec, "text", color="ink")
    empty = "datum.masked || !isValid(datum.weight)"
    assert cells["encoding"]["color"]["condition"]["test"] == empty
    assert numbers["transform"] == [{"filter": f"!({empty})"}]
    assert cells["mark"]["invalid"] == "show"


@either_theme
def test_a_number_is_printed_to_two_decimals_where_a_cell_is_wide_enough(theme):
    (numbers,) = layers(weights_spec(6, theme), "text", color="ink", text="weight")
    assert numbers["encoding"]["text"]["format"] == ".2f"
    assert f"bandwidth('x') >= {MIN_NUMBER_PIXELS}" in numbers["mark"]["opacity"]["expr"]
    assert MIN_NUMBER_PIXELS == 28


@either_theme
def test_the_ink_has_no_scale_and_leaves_the_cells_theirs(theme):
    for spec in (weights_spec(6, theme), matrix_spec(6, 6, theme)):
        (numbers,) = layers(spec, "text", color="ink")
        assert numbers["encoding"]["color"]["scale"] is None
        assert spec["resolve"]["scale"]["color"] == "independent"


def test_a_click_is_told_by_position_not_by_word():
    for spec in (weights_spec(6, "light"), lines_spec(6, HUE)):
        (cell,) = spec["params"]
        assert cell["name"] == "cell"
        assert cell["select"]["fields"] == ["query", "key", "stamp"]
        assert cell["select"]["on"] == "click"


@either_theme
def test_words_are_placed_by_position_and_whole_on_hover(theme):
    for spec, across, down in (
        (weights_spec(6, theme), "key", "query"),
        (matrix_spec(6, 6, theme), "column", "row"),
    ):
        name = "word" if across == "key" else "name"
        for channel, field in (("x", across), ("y", down)):
            (labels,) = layers(spec, "text", text=f"{field}_label")
            assert labels["encoding"][channel]["field"] == field
            assert labels["encoding"][channel]["type"] == "ordinal"
            assert labels["encoding"]["tooltip"]["field"] == f"{field}_{name}"
            assert labels["mark"]["color"] == "currentColor"


@either_theme
def test_a_cell_tells_its_words_score_and_weight_on_hover(theme):
    (cells,) = layers(weights_spec(6, theme), "rect", color="weight")
    told = [tip["field"] for tip in cells["encoding"]["tooltip"]]
    assert told == ["query_word", "key_word", "score", "weight", "masked"]
    (cells,) = layers(matrix_spec(6, 6, theme), "rect", color="shade")
    told = [tip["field"] for tip in cells["encoding"]["tooltip"]]
    assert told == ["row_name", "column_name", "value", "masked"]


@either_theme
def test_every_field_that_a_chart_reads_is_a_column_of_its_table(theme):
    def fields(part) -> set[str]:
        if isinstance(part, dict):
            own = {part["field"]} if isinstance(part.get("field"), str) else set()
            return own.union(*map(fields, part.values()))
        return set().union(*map(fields, part)) if isinstance(part, list) else set()

    for chart, spec in every_chart(LESSON, theme):
        (rows,) = chart.to_dict()["datasets"].values()
        assert fields(spec["layer"]) <= set(rows[0])


# Colours


def luminance(hue: str) -> float:
    """Relative luminance of a colour such as #14569A, by the definition of WCAG 2.2."""
    channels = [int(hue[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    red, green, blue = [
        c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels
    ]
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: float, other: float) -> float:
    return (max(one, other) + 0.05) / (min(one, other) + 0.05)


def moves_one_way(numbers) -> bool:
    steps = np.diff(numbers)
    return bool((steps > 0).all() or (steps < 0).all())


def test_luminance_is_that_of_the_standard():
    assert relative_luminance(np.array([[0, 0, 0], [1, 1, 1]])).tolist() == pytest.approx([0, 1])
    for hue in (*HEAD_HUES, *SEQUENTIAL["dark"], MASK_GREY):
        colour = color_at(np.zeros(1), (hue, hue), 0)
        assert relative_luminance(colour)[0] == pytest.approx(luminance(hue), abs=1e-12)


@either_theme
@pytest.mark.parametrize(("ramps", "low"), [(SEQUENTIAL, 0), (DIVERGING, -1)])
def test_ink_reads_on_every_cell(theme, ramps, low):
    grounds = color_at(np.linspace(low, 1, 2001), ramps[theme], low)
    inks = ink_on(grounds)
    assert set(inks) == {"#000000", "#FFFFFF"}
    for ground, ink in zip(relative_luminance(grounds), inks, strict=True):
        assert contrast(ground, luminance(ink)) >= 4.5
        assert contrast(ground, luminance(ink)) == max(contrast(ground, n) for n in (0, 1))


@either_theme
def test_more_weight_is_always_further_from_the_page(theme):
    ramp = relative_luminance(color_at(np.linspace(0, 1, 501), SEQUENTIAL[theme], 0))
    assert moves_one_way(ramp)
    assert contrast(ramp[0], ramp[-1]) >= 7
    page = {"light": 1, "dark": 0}[theme]
    assert contrast(ramp[0], page) < contrast(ramp[-1], page)


@either_theme
def test_a_larger_number_of_either_sign_is_always_further_from_zero(theme):
    ramp = relative_luminance(color_at(np.linspace(-1, 1, 1001), DIVERGING[theme], -1))
    assert moves_one_way(ramp[:501])
    assert moves_one_way(ramp[500:])
    for end in (ramp[0], ramp[-1]):
        assert contrast(end, ramp[500]) >= 4.5


@pytest.mark.parametrize(("ramp", "low"), [(SEQUENTIAL["light"], 0), (DIVERGING["dark"], -1)])
def test_a_colour_at_a_stop_is_the_stop_and_beyond_the_ends_it_is_the_end(ramp, low):
    stops = np.linspace(low, 1, len(ramp))
    for colours in (color_at(stops, ramp, low), color_at(stops.clip(low, 1), ramp, low)):
        written = ["#" + "".join(f"{round(255 * c):02X}" for c in colour) for colour in colours]
        assert written == list(ramp)
    beyond = color_at(np.array([low - 5, 5]), ramp, low)
    np.testing.assert_allclose(beyond, color_at(np.array([low, 1]), ramp, low))


@either_theme
def test_every_mark_gets_its_ink_from_the_colour_of_its_cell(theme):
    shares = np.linspace(0, 1, 41)
    on_weights = ink_on(color_at(shares, SEQUENTIAL[theme], 0)).tolist()
    for column in ("weight", "value"):
        table = pd.DataFrame({column: shares})
        assert with_ink(table, column, theme)["ink"].tolist() == on_weights
        assert list(table.columns) == [column]
    signed = np.linspace(-1, 1, 41)
    on_signed = ink_on(color_at(signed, DIVERGING[theme], -1)).tolist()
    assert with_ink(pd.DataFrame({"shade": signed}), "shade", theme)["ink"].tolist() == on_signed
    left_out = with_ink(pd.DataFrame({"weight": [np.nan, 1]}), "weight", theme)["ink"]
    assert left_out.tolist() == [on_weights[0], on_weights[-1]]


def test_every_head_has_a_hue_of_its_own():
    assert len(set(HEAD_HUES)) == len(HEAD_HUES) == 8
    assert HEAD_HUES[:7] == (
        "#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#F0E442",
    )  # fmt: skip


@either_theme
def test_cells_are_outlined_where_that_is_asked_for_without_a_click(theme):
    plain, outlined, clickable = (
        matrix_spec(3, 3, theme, **how) for how in ({}, {"outlined": True}, {"clickable": True})
    )

    def outlines(spec):
        return [
            layer
            for layer in spec["layer"]
            if {"filter": "datum.chosen"} in layer.get("transform", [])
        ]

    assert [len(outlines(spec)) for spec in (plain, outlined, clickable)] == [0, 1, 1]
    assert [bool(spec.get("params")) for spec in (plain, outlined, clickable)] == [
        False,
        False,
        True,
    ]


@either_theme
def test_a_cell_without_a_number_is_drawn_and_coloured_as_no_number(theme):
    for signed in (True, False):
        cells = matrix_spec(3, 3, theme, signed=signed)["layer"][0]
        assert cells["mark"]["invalid"] == "show"
        assert cells["encoding"]["color"]["condition"]["test"] == (
            "datum.masked || !isValid(datum.value)"
        )
