"""The page about the fused module, without a browser: every number is the module's own."""

from __future__ import annotations

import re
from threading import Thread

import numpy as np
import pytest
import torch

from mha.config import AttentionConfig
from mha.ledger import count_multiply_adds
from mha.module import MultiHeadAttention, Step, embed
from mha.reference import HeadTrace, explain_weight
from mha.sentence import EXAMPLE
from pages.parts.fused_module.tensor import AT_ONCE
from pages.parts.fused_module.walk import STEPS
from tests.pages.app import (
    ROOT,
    component,
    components,
    grid,
    markdown,
    notes,
    open_page,
    read,
    scene_of,
    table_of,
    tell,
)

PAGE = "fused_module"
pytestmark = pytest.mark.usefixtures("one_thread")  # as the app runs it, to compare to the bit


def steps_of(
    words: str = EXAMPLE, C: int = 32, h: int = 4, h_kv: int | None = None, *, batch: int = 1,
    seed: int = 0, causal: bool = True,
) -> dict[str, Step]:  # fmt: skip
    """What the page should have computed."""
    module = MultiHeadAttention.seeded(AttentionConfig(C, h, h_kv), seed)
    x = embed(words.split(), C, seed=seed, batch=batch)
    with torch.no_grad():
        return {step.name: step for step in module.trace(x, causal=causal)}


def shown(app) -> list[np.ndarray]:
    """The matrices that are drawn."""
    tables = map(table_of, app.get("vega_lite_chart"))
    return [grid(table, "value", "row", "column") for table in tables]


def assert_drawn(app, panels: list[torch.Tensor]) -> None:
    drawn = shown(app)
    assert len(drawn) == len(panels)
    for ours, theirs in zip(drawn, panels, strict=True):
        theirs = theirs.numpy().astype(float)
        np.testing.assert_array_equal(np.nan_to_num(ours, nan=-np.inf), theirs)


def test_the_steps_of_the_page_are_those_of_the_module():
    assert list(STEPS) == list(steps_of())


@pytest.mark.parametrize("at", STEPS)
@pytest.mark.parametrize("sizes", [(32, 4, 4), (12, 6, 2), (8, 1, 1)])
def test_every_step_shows_its_whole_tensor(at, sizes):
    C, h, h_kv = sizes
    app = open_page(PAGE, d_model=C, heads=h, kv_heads=h_kv, at=at)
    assert not app.exception
    step = steps_of(EXAMPLE, C, h, h_kv)[at]
    tensor, d_head = step.tensor[0], C // h
    if at in ("x", "out"):
        panels = [tensor]
    elif at == "z_by_token":
        panels = list(tensor.unbind(1))
    elif tensor.ndim == 3:
        panels = list(tensor)
    else:
        panels = list(tensor.split(d_head, dim=-1))
    assert_drawn(app, panels[:AT_ONCE])


def test_more_heads_than_fit_are_drawn_a_few_at_a_time():
    app = open_page(PAGE, d_model=16, heads=16, **{"from": 6})
    weights = steps_of(EXAMPLE, 16, 16)["weights"].tensor[0]
    assert_drawn(app, list(weights[6:12]))
    app.number_input(key="from").set_value(12).run()
    assert_drawn(app, list(weights[12:16]))
    app.select_slider(key="heads").set_value(4).run()
    assert not app.exception
    assert_drawn(app, list(steps_of(EXAMPLE, 16, 4)["weights"].tensor[0]))


def test_batch_seed_mask_and_words_reach_the_module():
    words = "a b a c"
    app = open_page(PAGE, tokens=words, batch=2, item=1, seed=7, causal=False, at="masked")
    steps = steps_of(words, batch=2, seed=7, causal=False)
    assert_drawn(app, list(steps["masked"].tensor[1]))


@pytest.mark.parametrize("at", STEPS)
def test_the_chosen_step_is_told_with_its_code_shape_strides_memory_and_cost(at):
    app = open_page(PAGE, kv_heads=2, at=at, batch=2)
    step = steps_of(EXAMPLE, h_kv=2, batch=2)[at]
    assert app.code[0].value == step.code
    text = "\n".join(read(m.value) for m in app.main.markdown)
    for title, row in (("axis", step.axes), ("shape", step.shape), ("strides", step.stride)):
        assert f"| {title} | {' | '.join(map(str, row))} |" in text
    assert ("a view: nothing written" in text) is (step.is_view and at != "x")
    if not step.is_view:
        assert f"{step.nbytes:,} bytes" in text
    assert ("not contiguous" in text) is not step.is_contiguous
    counted = count_multiply_adds(AttentionConfig(32, 4, 2), T_q=6, batch=2)
    terms = {"z": counted.weights_v, "out": counted.output, **counted.terms}
    wanted = f"**{terms[at]:,}** multiply-adds" if at in terms else "no multiply-adds"
    assert wanted in text


def flow_of(app) -> dict:
    return component(app, "flow")


def press(app, name):
    (flow,) = components(app, "flow")
    event = [{"event": "pressed", "value": name}]
    return tell(
        app, f"$$STREAMLIT_INTERNAL_KEY_{flow.proto.id}__events", "json_trigger_value", event
    )


def test_the_diagram_has_every_step_with_what_it_reads_and_the_chosen_one():
    app = open_page(PAGE, at="z")
    drawn = flow_of(app)
    assert drawn["chosen"] == "z"
    for step, one in zip(steps_of().values(), drawn["steps"], strict=True):
        assert (one["name"], tuple(one["inputs"])) == (step.name, step.inputs)
        assert one["is_view"] == step.is_view
    places = {(one["column"], one["lane"]) for one in drawn["steps"]}
    assert len(places) == len(STEPS)


def test_a_press_on_the_diagram_chooses_the_step():
    app = press(open_page(PAGE), "k_all")
    assert app.selectbox(key="at").value == "k_all"
    assert app.query_params["at"] == "k_all"
    assert flow_of(app)["chosen"] == "k_all"


@pytest.mark.parametrize("name", ["nothing", 3, None, ["z"], {"z": 1}])
def test_a_press_on_what_is_no_step_changes_nothing(name):
    app = press(open_page(PAGE, at="q"), name)
    assert not app.exception
    assert app.selectbox(key="at").value == "q"


def test_a_chosen_cell_is_explained_in_every_head():
    app = open_page(PAGE, query="light", key="rain", at="scores")
    steps = steps_of()
    q, k, scores, weights, z = (
        steps[name].tensor[0].numpy() for name in ("q_heads", "k_all", "masked", "weights", "z")
    )
    formulas = [latex.value for latex in app.latex]
    assert len(formulas) == 4
    for head, formula in enumerate(formulas):
        trace = HeadTrace(scores[head], weights[head], z[head])
        cell = explain_weight(q[head], k[head], trace, 4, 1)
        assert f"{cell.weight:.4f}" in formula
        assert f"{cell.dot:.2f}" in formula
        assert rf"/ \sqrt{{8}} &= {cell.score:.2f}" in formula


def test_where_only_a_row_is_chosen_each_head_explains_its_largest_weight():
    app = open_page(PAGE, query="light")
    weights = steps_of()["weights"].tensor[0, :, 4].numpy()
    for row, formula, chart in zip(weights, app.latex, app.get("vega_lite_chart"), strict=True):
        assert rf"= {row.max():.4f}\end" in formula.value
        table = table_of(chart)
        assert table.loc[table["chosen"], ["row", "column"]].to_numpy().tolist() == [
            [4, row.argmax()]
        ]


def test_the_same_cell_can_be_clicked_again_after_another_was_chosen_by_list():
    app = open_page(PAGE)
    stamps = [set(table_of(app.get("vega_lite_chart")[0])["stamp"])]
    app.selectbox(key="query").set_value("is").run()
    stamps.append(set(table_of(app.get("vega_lite_chart")[0])["stamp"]))
    assert stamps[0].isdisjoint(stamps[1])  # a chart tells a click only where it is another one


def test_a_first_head_beyond_the_last_is_told():
    app = open_page(PAGE, d_model=64, heads=8, **{"from": 99})
    assert [read(one.value) for one in app.main.warning] == [
        "from must be below 8 here; got from=99. Showing 6."
    ]


def test_a_click_on_a_weight_chooses_its_cell():
    app = open_page(PAGE)
    chart = app.get("vega_lite_chart")[2]
    tell(app, chart.proto.id, "string_value", {"selection": {"cell": [{"row": 3, "column": 1}]}})
    assert (app.query_params["query"], app.query_params["key"]) == ("is", "rain")
    for one in app.get("vega_lite_chart"):
        table = table_of(one)
        assert table.loc[table["chosen"], ["row", "column"]].to_numpy().tolist() == [[3, 1]]


@pytest.mark.parametrize("cell", [{"row": 99, "column": -1}, {"row": "x"}, {}])
def test_a_click_beyond_the_words_changes_nothing(cell):
    app = open_page(PAGE)
    chart = app.get("vega_lite_chart")[0]
    tell(app, chart.proto.id, "string_value", {"selection": {"cell": [cell]}})
    assert not app.exception
    assert "query" not in app.query_params


# The arithmetic of any number

PAIRS = ("scores", "masked", "weights")
NUMBERS = [name for name in STEPS if name not in PAIRS]
SUMS = ("qkv", "z", "out")
PLACE = re.compile(r"`([a-z_.]+)\[([\d:,]+)\]`")


def chosen_numbers(app) -> list[float]:
    """The numbers that are outlined, one in each picture."""
    tables = map(table_of, app.get("vega_lite_chart"))
    return [float(table.loc[table["chosen"], "value"].item()) for table in tables]


def opened(app) -> list[str]:
    """What is said of the number of each picture; where it is a sum, its formula is apart."""
    told = [read(m.value).replace("−", "-") for m in app.main.markdown]
    return [text for text in told if PLACE.match(text)]


def numbers_at(text: str, tensors: dict[str, torch.Tensor]) -> list[torch.Tensor]:
    """What stands at each `x[0,5,:]` of a text."""
    return [
        tensors[name][tuple(slice(None) if p == ":" else int(p) for p in places.split(","))]
        for name, places in PLACE.findall(text)
    ]


@pytest.mark.parametrize("at", NUMBERS)
@pytest.mark.parametrize(("sizes", "where"), [((32, 4, 2), {}), ((12, 6, 6), {"query": "is"})])
def test_every_step_opens_the_chosen_number_of_each_picture(at, sizes, where):
    """Without a choice that is the last token's, in the first column."""
    C, h, h_kv = sizes
    app = open_page(PAGE, d_model=C, heads=h, kv_heads=h_kv, at=at, **where)
    row = 3 if where else 5
    chosen = chosen_numbers(app)
    assert chosen == [panel[row, 0] for panel in shown(app)]
    assert 1 <= len(chosen) == len(opened(app))
    said = [latex.value for latex in app.latex] if at in SUMS else opened(app)
    for number, text in zip(chosen, said, strict=True):
        assert f"{number:.4f}" in text
    word = EXAMPLE.split()[row]
    headings = [read(m.value) for m in app.main.markdown if f"{word}\u2069**, column 0" in m.value]
    assert len(headings) == len(chosen)


@pytest.mark.parametrize("at", [name for name in NUMBERS if name not in (*SUMS, "x")])
@pytest.mark.parametrize("h_kv", [4, 2])
def test_a_number_that_is_an_earlier_one_is_told_with_both_its_places(at, h_kv):
    app = open_page(PAGE, kv_heads=h_kv, at=at, query="jacket", column=3, batch=2, item=1)
    steps = steps_of(h_kv=h_kv, batch=2)
    step = steps[at]
    for number, text in zip(chosen_numbers(app), opened(app), strict=True):
        here, there = numbers_at(text, {name: one.tensor for name, one in steps.items()})
        assert here.item() == there.item() == number
        assert "nothing is computed" in text
        source = steps[PLACE.findall(text)[1][0]]
        assert source.name in step.inputs
        addresses = [int(found) for found in re.findall(r"address (\d+)\b", text)]
        lies = [(here, step)] if step.is_view else [(there, source), (here, step)]
        assert addresses == [
            (one.data_ptr() - of.tensor.untyped_storage().data_ptr()) // one.element_size()
            for one, of in lies
        ]
        assert ("copied" in text) is not step.is_view
    if at in ("k_all", "v_all"):
        each = 4 // h_kv
        for head, text in enumerate(opened(app)):
            assert f"Query head {head} reads kv head {head} // {each} = {head // each}." in text


@pytest.mark.parametrize("at", SUMS)
def test_a_sum_is_spelled_with_its_factors(at):
    app = open_page(PAGE, kv_heads=2, at=at, query="jacket", column=3, seed=2)
    module = MultiHeadAttention.seeded(AttentionConfig(32, 4, 2), 2)
    tensors = {name: step.tensor for name, step in steps_of(h_kv=2, seed=2).items()}
    tensors |= {name: weight.detach() for name, weight in module.named_parameters()}
    labels = EXAMPLE.split()
    for number, text, formula in zip(chosen_numbers(app), opened(app), app.latex, strict=True):
        left, right = numbers_at(text, tensors)
        assert float(left.double() @ right.double()) == pytest.approx(number, abs=1e-6)
        assert f"{left.numel()} products" in text
        order = left.argsort(descending=True) if at == "z" else torch.arange(len(left))
        terms = re.findall(r"(\S+) \\times (\S+)", formula.value)
        told = [[float(factor.strip("()&+")) for factor in term] for term in terms]
        wanted = [
            [round(n[i].item(), 2) or round(n[i].item(), 4) for n in (left, right)]
            for i in order[:3]
        ]
        assert told == wanted
        assert formula.value.count("dots") == (left.count_nonzero() > 3)
        if at == "z":
            assert [labels[i] for i in order[:3]] == re.findall("\u2068(.+?)\u2069", text)


def test_a_number_of_the_input_is_told_with_its_word_its_seed_and_its_sentence():
    words = "a b a c"
    app = open_page(PAGE, tokens=words, at="x", query="a (2)", column=9, seed=7, batch=2, item=1)
    (text,), (number,) = opened(app), chosen_numbers(app)
    assert number == embed(["a"], 32, seed=7, batch=2)[1, 0, 9].item()
    assert text.startswith(f"`x[1,2,9]` = **{number:.4f}**: number 9 of the 32 in the vector of ")
    assert "\u2068a\u2069" in text
    assert "the seed 7 and sentence 1 of the batch" in text


def click_on(app, picture: int, **cell):
    chart = app.get("vega_lite_chart")[picture]
    return tell(app, chart.proto.id, "string_value", {"selection": {"cell": [cell]}})


@pytest.mark.parametrize("at", NUMBERS)
def test_a_click_on_a_number_chooses_it_in_every_picture(at):
    app = click_on(open_page(PAGE, at=at), 0, row=3, column=1)
    assert (app.query_params["query"], app.query_params["column"]) == ("is", "1")
    assert chosen_numbers(app) == [panel[3, 1] for panel in shown(app)]
    click_on(app, 0, row=2, column=-1)  # a row's word: the column stays
    assert chosen_numbers(app) == [panel[2, 1] for panel in shown(app)]


@pytest.mark.parametrize("cell", [{"row": 1, "column": c} for c in (128, -3, "x", None, 1.5)])
def test_a_click_on_no_column_chooses_the_row_alone(cell):
    app = click_on(open_page(PAGE, at="out", column=4), 0, **cell)
    assert not app.exception
    assert (app.query_params["query"], app.query_params["column"]) == ("rain", "4")


def test_the_chosen_number_stays_through_a_walk():
    app = open_page(PAGE, at="x", query="rain", column=5, d_model=64, heads=8)
    for at in ("qkv", "weights", "z", "out"):  # with a choice of heads, of keys, of neither
        app.selectbox(key="at").set_value(at).run()
        assert app.selectbox(key="query").value == "rain"
        if at not in PAIRS:
            assert app.query_params["column"] == "5"
            assert chosen_numbers(app) == [panel[1, 5] for panel in shown(app)]


def test_a_column_beyond_the_last_is_told():
    app = open_page(PAGE, at="q", column=20)
    assert [read(one.value) for one in app.main.warning] == [
        "column must be below 8 here; got column=20. Showing 7."
    ]
    assert chosen_numbers(app) == [panel[5, 7] for panel in shown(app)]
    app.selectbox(key="at").set_value("out").run()
    assert not app.main.warning
    assert chosen_numbers(app) == [shown(app)[0][5, 20]]


# The other ways


@pytest.mark.parametrize("causal", [True, False])
@pytest.mark.parametrize("kv_heads", [4, 2, 1])
def test_the_other_ways_are_run_and_agree(kv_heads, causal):
    app = open_page(PAGE, kv_heads=kv_heads, causal=causal, fused="true", check="true")
    told = [read(one.value) for one in app.success]
    assert len(told) == 3
    assert not app.error
    differences = [float(re.search(r"\*\*(\S+)\*\*", one)[1]) for one in told]
    assert max(differences) <= 1e-5
    text = "\n".join(read(m.value) for m in app.main.markdown)
    assert "B = 1, T = 6, C = 32, h = 4, float32" in text
    assert len(re.findall(r"\*\*\d+\.\d\d ms\*\*", text)) == 2
    assert ("knows no shared keys" in text) is (kv_heads < 4)


def test_a_difference_that_is_more_than_rounding_is_called_one(monkeypatch):
    forward = MultiHeadAttention.forward
    monkeypatch.setattr(MultiHeadAttention, "forward", lambda *a, **k: forward(*a, **k) + 1)
    app = open_page(PAGE, fused="true")
    (told,) = [read(one.value) for one in app.error]
    assert told.endswith("output: **1.0e+00**. That is more than rounding.")


def test_nothing_else_runs_unless_it_is_asked_for():
    app = open_page(PAGE)
    assert not app.success
    assert not app.error


def test_the_source_that_is_shown_is_the_source_that_ran():
    source = (ROOT / "mha" / "module.py").read_text("utf-8")
    shown_code = [code.value for code in open_page(PAGE).code]
    assert len(shown_code) == 3
    for code in shown_code[1:]:
        assert code in source


# Key and value heads


def test_kv_heads_that_do_not_divide_the_heads_become_the_nearest_and_are_told():
    app = open_page(PAGE, d_model=24, heads=8, kv_heads=3)
    assert_drawn(app, list(steps_of(EXAMPLE, 24, 8, 2)["weights"].tensor[0])[:AT_ONCE])
    assert [read(one.value) for one in app.main.warning] == [
        "kv_heads must divide heads; got heads=8, kv_heads=3. "
        "Showing kv_heads=2, the nearest that does."
    ]


def test_where_nothing_is_said_every_head_keeps_its_own():
    app = open_page(PAGE, d_model=16, heads=4)
    app.select_slider(key="heads").set_value(8).run()
    assert app.select_slider(key="kv_heads").value == "all"
    assert not app.main.warning
    assert_drawn(app, list(steps_of(EXAMPLE, 16, 8, 8)["weights"].tensor[0])[:AT_ONCE])


def test_the_slider_runs_over_the_divisors_from_all_down_to_one():
    app = open_page(PAGE, d_model=24, heads=12, kv_heads=2)
    slider = app.select_slider(key="kv_heads")
    assert slider.options == ["all", "6", "4", "3", "2", "1"]
    assert slider.value == "2"
    slider.set_value("3").run()
    assert not app.main.warning
    assert_drawn(app, list(steps_of(EXAMPLE, 24, 12, 3)["weights"].tensor[0])[:AT_ONCE])


def test_the_largest_sizes_stay_bounded():
    app = open_page(PAGE, tokens="w " * 32, d_model=128, heads=128, batch=2, at="qkv", check="true")
    assert not app.exception
    assert len(shown(app)) <= AT_ONCE
    assert scene_of(app).config.n_heads == 128
    assert not notes(app)
    assert all(len(text) < 5000 for text in markdown(app))


@pytest.mark.parametrize("at", ["k_all", "v_all"])
@pytest.mark.parametrize(
    ("heads", "kv_heads", "said"),
    [
        (4, "all", "there is nothing to repeat"),
        (4, "2", "of its group: 0, 0, 1, 1"),
        (8, "2", "of its group: 0, 0, 0, 0, 1, 1, 1, 1"),
        (32, "8", "0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, …"),
    ],
)
def test_which_heads_are_repeated_is_said_of_these_heads(at, heads, kv_heads, said):
    app = open_page(PAGE, heads=heads, kv_heads=kv_heads, at=at)
    assert any(said in element.value for element in app.main.markdown)


def test_the_app_keeps_torch_to_one_thread():
    torch.set_num_threads(2)
    open_page(PAGE)
    seen = []
    thread = Thread(target=lambda: seen.append(torch.get_num_threads()))  # each has its own
    thread.start()
    thread.join()
    assert seen == [1]
