"""The page about real models: its numbers are the models' and the ledger's, its choices hold."""

from __future__ import annotations

import math
import re
from dataclasses import replace
from urllib.parse import parse_qs

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mha.amounts import about_text, bytes_text
from mha.cache_tables import decoding_table, outgrowing_context
from mha.checks import divisors
from mha.config import AttentionConfig
from mha.models import MODELS
from mha.models_table import SORTED_BY, matching, models_table, ordered
from pages.parts.real_models.cache import formula_of
from pages.parts.real_models.choose import Asked
from tests.pages.app import charts, go_to, open_page, read, scene_of, table_of, tell

PAGE = "real_models"
STEPS = ("Grouped queries", "The cache", "Token by token", "All models", "Predict")
LLAMA, SMALL = MODELS["llama-3-8b"], MODELS["mistral-small-24b"]
GEMMA, BERT, LATENT = MODELS["gemma-3-27b"], MODELS["bert-base"], MODELS["deepseek-v3"]


def words(app) -> str:
    return "\n".join(read(element.value) for element in app.main.markdown)


def warnings(app) -> list[str]:
    return [read(element.value) for element in app.main.warning]


def slider(app):
    return app.select_slider(key="model_kv")


def picture(app):
    return table_of(charts(app)[0])


@pytest.mark.parametrize("model", [LLAMA, SMALL, MODELS["falcon-7b"], MODELS["gpt2"]])
def test_the_slider_starts_at_the_model_s_own_and_runs_from_its_heads_down_to_one(model):
    app = open_page(PAGE, model=model.title)
    assert slider(app).value == str(model.n_kv_heads)
    assert slider(app).options == [str(n) for n in reversed(divisors(model.n_heads))]


@pytest.mark.parametrize("kv_heads", divisors(LLAMA.n_heads))
def test_the_slider_moves_the_picture_the_ledger_and_the_cache_together(kv_heads):
    app = open_page(PAGE)
    slider(app).set_value(str(kv_heads)).run()
    shared = replace(LLAMA, n_kv_heads=kv_heads)
    drawn = picture(app)
    assert drawn["kv_head"].tolist() == [i // (32 // kv_heads) for i in range(32)]
    for name, count in shared.layer_terms.items():
        assert re.search(rf"^\| {name} \|.*\*\*{count:,}\*\* \|", words(app), re.M)
    assert f"**{shared.layer_parameters:,}**" in words(app)
    kept = bytes_text(shared.kv_cache_bytes(8192))
    assert re.search(rf"^\| cache in all \|.*\*\*{kept}\*\* \|", words(app), re.M)
    assert f"takes **{kept}**" in words(app)


@pytest.mark.parametrize(("kv_heads", "shares"), [(32, False), (16, True), (1, True)])
def test_sharing_is_told_only_where_heads_share(kv_heads, shares):
    told = words(open_page(PAGE, model=LLAMA.title, model_kv=kv_heads))
    assert ("neighbours share" in told) is shares
    assert ("nothing is shared" in told) is not shares


def test_another_model_brings_its_own_key_and_value_heads():
    app = open_page(PAGE, model_kv=1)
    app.selectbox(key="model").set_value(MODELS["gemma-2-9b"].title).run()
    assert slider(app).value == "8"
    assert not warnings(app)


@pytest.mark.parametrize(
    ("asked", "message", "value"),
    [
        (5, "model_kv must divide heads; got heads=32, model_kv=5. Showing model_kv=4, "
            "the nearest that does.", "4"),
        ("x", "model_kv must be a number that divides the heads; got model_kv=x. Showing 8.", "8"),
        (0, "model_kv must be a number that divides the heads; got model_kv=0. Showing 8.", "8"),
    ],
)  # fmt: skip
def test_key_and_value_heads_that_cannot_be_are_told(asked, message, value):
    app = open_page(PAGE, model_kv=asked)
    assert warnings(app) == [message]
    assert slider(app).value == value


def test_latent_attention_is_shown_for_what_it_is():
    app = open_page(PAGE, model=LATENT.title)
    assert "no key or value head is kept" in words(app)
    assert f"takes **{bytes_text(LATENT.kv_cache_bytes(8192))}**" in words(app)
    assert not charts(app)
    for name, count in LATENT.layer_terms.items():
        assert f"| {name} | {count:,} |" in words(app)


@pytest.mark.parametrize("model", [MODELS["bert-base"], LATENT, LLAMA, MODELS["t5-11b"]])
@pytest.mark.parametrize("step", STEPS)
def test_every_step_stands_for_every_kind_of_model(step, model):
    app = open_page(PAGE, models_step=step, model=model.title)
    assert not app.exception
    assert not warnings(app)
    if step == "The cache":
        assert bool(charts(app)) is (model.kind != "encoder")
        assert ("keeps no cache" in words(app)) is (model.kind == "encoder")


NUMBER = re.compile(r"\d+(?:\{,\}\d{3})*(?:\.\d+)?")


def evaluated(line: str) -> float:
    """A sum of products, as it is written out."""
    line = re.sub(r"\((\d+) \+ (\d+)\)", lambda m: str(int(m[1]) + int(m[2])), line)
    return sum(
        math.prod(float(n.replace("{,}", "")) for n in NUMBER.findall(product))
        for product in line.split("+")
    )


@settings(max_examples=60)
@given(
    model=st.sampled_from([m for m in MODELS.values() if m.kind != "encoder"]),
    T=st.integers(1, 2**24),
    batch=st.integers(1, 1024),
    size=st.sampled_from([4, 2, 1, 0.5]),
)
def test_the_formula_s_numbers_multiply_to_the_bytes(model, T, batch, size):
    lines = formula_of(model, Asked(T, batch, size)).split("&= ")[1:]
    *products, total = (line.replace(r"\\[4pt]", "") for line in lines)
    assert evaluated("".join(products)) == evaluated(total)
    assert evaluated(total) == model.kv_cache_bytes(T, batch, size)


@pytest.mark.parametrize("model", [LLAMA, GEMMA, LATENT, MODELS["mistral-7b"]])
def test_the_cache_is_counted_for_what_is_asked(model):
    app = open_page(
        PAGE, models_step="The cache", model=model.title, context=5000, sequences=3, format="4 bits"
    )
    kept = model.kv_cache_bytes(5000, 3, 0.5)
    assert f"keeps {bytes_text(kept)}**" in words(app)
    outgrows = outgrowing_context(model, batch=3, bytes_per_number=0.5)
    assert ("never outgrows" in words(app)) is (outgrows is None)
    if outgrows is not None:
        assert f"At about {about_text(outgrows)} tokens" in words(app)
    drawn = picture(app)
    (chosen,) = drawn.loc[drawn["kind"] == "chosen", "bytes"]
    assert chosen == kept


def test_a_head_of_mistral_small_takes_512_bytes_a_token_and_layer():
    app = open_page(PAGE, models_step="The cache", model=SMALL.title)
    assert "| one key and value head of it | 512 bytes |" in words(app)
    assert "| one layer | 4,096 bytes |" in words(app)
    assert f"| all 40 layers | {40 * 4096:,} bytes |" in words(app)


@pytest.mark.parametrize("model", [GEMMA, LATENT, LLAMA])
@pytest.mark.parametrize(("name", "size"), [("32 bits", 4), ("8 bits", 1), ("4 bits", 0.5)])
def test_what_a_token_takes_is_counted_by_layer_and_in_all(model, name, size):
    app = open_page(PAGE, models_step="The cache", model=model.title, format=name)
    of_all = model.kv_cache_bytes(1, 1, size)
    assert f"| all {model.n_layers} layers | {of_all:,} bytes |" in words(app)
    assert f"| one layer | {of_all // model.n_layers:,} bytes |" in words(app)


@pytest.mark.parametrize(("heads", "kv_heads"), [(4, "all"), (4, "2"), (8, "1"), (1, "all")])
def test_each_token_s_cost_is_the_ledger_s_and_both_ways_agree(heads, kv_heads):
    app = open_page(PAGE, models_step=STEPS[2], heads=heads, kv_heads=kv_heads, decode=True)
    config = AttentionConfig(32, heads, heads if kv_heads == "all" else int(kv_heads))
    T = len(scene_of(app).sentence)
    counted = decoding_table(config, T)
    rows = app.main.dataframe[0].value
    for way in counted["way"].unique():
        expected = counted.loc[counted["way"] == way, "multiply_adds"]
        assert rows[f"multiply-adds {way}"].tolist() == expected.tolist()
        assert rows[f"time {way}"].str.fullmatch(r"[\d.,]+ (µs|ms|s)").all()
    (verdict,) = app.main.success
    assert "That is rounding" in verdict.value
    assert not app.main.error


def test_measured_time_is_drawn_only_of_what_ran():
    app = open_page(PAGE, models_step=STEPS[2])
    assert not app.main.success
    app = open_page(PAGE, models_step=STEPS[2], cost="measured time")
    assert len(app.main.success) == 1
    lines = picture(app)
    assert (lines.loc[lines["kind"] == "line", "cost"] > 0).all()


# The table


def shown(app):
    return app.main.dataframe[0].value


@pytest.mark.parametrize("order", SORTED_BY)
@pytest.mark.parametrize("sharing", ["all", "grouped", "latent"])
def test_the_table_is_filtered_and_sorted(order, sharing):
    app = open_page(PAGE, models_step="All models", order=order, sharing=sharing)
    found = matching(MODELS.values(), "", None if sharing == "all" else sharing)
    expected = ordered(models_table(found), order)
    assert shown(app)["title"].tolist() == expected["title"].tolist()
    assert shown(app)["source"].str.len().min() > 0
    assert f"**{len(found)} of {len(MODELS)} models**" in words(app)


def test_a_search_narrows_the_table_and_nothing_found_is_told():
    app = open_page(PAGE, models_step="All models", find="llama 2024")
    assert shown(app)["title"].str.contains("Llama 3").all()
    app.text_input(key="find").set_value("no such model").run()
    assert not app.main.dataframe
    assert app.main.info[0].value == "No model has all of these words. Try fewer."


def test_too_long_a_search_is_told_and_left_empty():
    app = open_page(PAGE, models_step="All models", find="x" * 41)
    assert warnings(app) == [
        f"find must be at most 40 characters; got find={'x' * 24}. It is left empty."
    ]
    assert len(shown(app)) == len(MODELS)


def choose_row(app, row):
    selection = {"selection": {"rows": [row], "columns": [], "cells": []}}
    return tell(app, app.main.dataframe[0].proto.id, "string_value", selection)


@pytest.mark.parametrize("row", [0, 3])
def test_a_row_chooses_its_model(row):
    app = open_page(PAGE, models_step="All models", order="largest first")
    title = shown(app)["title"][row]
    choose_row(app, row)
    assert app.selectbox(key="model").value == title
    assert f"**{title}**" in words(app)


def test_a_row_that_is_not_there_chooses_nothing():
    app = open_page(PAGE, models_step="All models", find="gpt-2")
    choose_row(app, 60)
    assert not app.exception
    assert app.selectbox(key="model").value == LLAMA.title


def load(app):
    (button,) = [b for b in app.main.button if b.label == "Load into the sliders"]
    return button.click().run()


@pytest.mark.parametrize(
    "model",
    [LLAMA, SMALL, MODELS["gpt2"], BERT, MODELS["falcon-180b"], MODELS["qwen2.5-7b"], GEMMA],
)
def test_a_loaded_model_s_sizes_are_counted_on_the_page_of_parameters(model):
    app = open_page(PAGE, models_step="All models", model=model.title)
    load(app)
    small = model.narrowed(128)
    if small is not None:
        assert app.slider(key="d_model").value == small.d_model
        assert app.select_slider(key="heads").value == model.n_heads
    go_to(app, "parameters").run()
    assert not warnings(app)
    counted = model.config if model.biased != "QKV" else replace(model.config, bias=True)
    bias = 0
    if counted.bias and model.biased == "QKV":
        bias = model.d_model  # that page has a bias on all four or on none
    assert f"**{model.layer_parameters + bias:,} parameters" in words(app) or (
        f"{model.layer_parameters + bias:,}" in words(app)
    )
    if small is not None:
        go_to(app, "fused_module").run()
        assert not warnings(app)
        stop = app.select_slider(key="kv_heads").value
        assert (model.n_heads if stop == "all" else int(stop)) == model.n_kv_heads


def test_the_link_to_the_module_shows_the_step_that_repeats_on_the_same_words():
    app = open_page(PAGE, model_kv=4, tokens="a & b", causal=False)
    (button,) = [one.proto for one in app.get("link_button")]
    address, query = button.url.split("?")
    link = {key: values[-1] for key, values in parse_qs(query).items()}
    theirs = open_page(address, **link)
    assert theirs.title[0].value == "The fused module"
    assert theirs.selectbox(key="at").value == "k_all"
    assert theirs.select_slider(key="kv_heads").value == "4"
    assert theirs.select_slider(key="heads").value == LLAMA.n_heads
    assert scene_of(theirs).sentence == scene_of(app).sentence
    assert scene_of(theirs).causal is False


# Predict


def test_nothing_of_the_answer_is_seen_before_it_is_asked_for():
    app = open_page(PAGE, models_step="Predict", cache_guess="more times")
    assert not charts(app)
    assert not app.main.warning
    assert not app.main.success
    assert bytes_text(replace(LLAMA, n_kv_heads=4).kv_cache_bytes(8192)) not in words(app)


@pytest.mark.parametrize("guess", ["fewer times", "exactly as many times", "more times"])
def test_a_guess_is_judged_by_the_count(guess):
    app = open_page(PAGE, models_step="Predict", cache_guess=guess, cache_reveal=True)
    before, after = (replace(LLAMA, n_kv_heads=n).kv_cache_bytes(8192) for n in (32, 4))
    assert before == 8 * after
    right = guess == "exactly as many times"
    assert (len(app.main.success), len(app.main.warning)) == (right, not right)
    (told,) = [*app.main.success, *app.main.warning]
    assert f"from {bytes_text(before)} to {bytes_text(after)}, **8 times**" in told.value
    assert charts(app)


def test_another_guess_hides_the_count_again():
    app = open_page(PAGE, models_step="Predict", cache_guess="more times", cache_reveal=True)
    app.button_group(key="cache_guess").set_value(["fewer times"]).run()
    assert not app.toggle(key="cache_reveal").value
    assert not charts(app)
