"""The page about parameters: its numbers are the ledger's, and what it claims is so."""

from __future__ import annotations

import re

import pytest
from torch import nn

from mha.checks import divisors
from mha.config import AttentionConfig
from mha.ledger import count_parameters, count_scores, every_head_count
from pages.parts.parameters.picture import STACKS
from pages.parts.parameters.predict import GUESSES
from tests.pages.app import charts, go_to, open_page, read, scene_of, table_of

STEPS = ("On paper", "Every number of heads", "In PyTorch", "Predict")
PAGE = "parameters"
CANCELS = "whatever the number of heads"
DOES_NOT = "do not cancel out"
LAYERS = {
    "plain": ({}, AttentionConfig(32, 4), None),
    "bias": ({"bias": True}, AttentionConfig(32, 4, bias=True), None),
    "grouped": ({"kv_heads": 2}, AttentionConfig(32, 4, 2), None),
    "own head size": ({"d_head": 5}, AttentionConfig(32, 4), 5),
    "all": (
        {"heads": 16, "kv_heads": 4, "d_head": 64, "bias": True},
        AttentionConfig(32, 16, 4, True),
        64,
    ),
    "GPT-2 small": ({"width": 768, "width_heads": 12}, AttentionConfig(768, 12), None),
    "the widest": (
        {"width": 16384, "width_heads": 16384, "kv_heads": 1, "d_head": 1024, "bias": True},
        AttentionConfig(16384, 16384, 1, True),
        1024,
    ),
}

each_layer = pytest.mark.parametrize(("link", "config", "d_head"), LAYERS.values(), ids=LAYERS)


def parameters(app):
    return table_of(charts(app)[0])


def changes(app):
    return table_of(charts(app)[1])


def words(app) -> str:
    return "\n".join(read(element.value) for element in app.main.markdown)


def warnings(app) -> list[str]:
    return [read(element.value) for element in app.main.warning]


def number(app, key):
    return app.number_input(key=key)


def lit(app) -> int:
    table = parameters(app)
    (heads,) = table[table["lit"]]["heads"].unique()
    return int(heads)


# The bars


@each_layer
@pytest.mark.parametrize("stack", STACKS)
def test_the_bars_are_the_ledger_s(link, config, d_head, stack):
    app = open_page(PAGE, stack=stack, **link)
    assert not app.exception
    assert not warnings(app)
    family = every_head_count(config)
    table = parameters(app)
    assert lit(app) == config.n_heads
    totals = table[table["first"]].set_index("heads")["total"].to_dict()
    assert totals == {one.n_heads: count_parameters(one, d_head=d_head).total for one in family}
    pieces = table.groupby(["heads", "part"])["count"].sum()
    for one in family:
        terms = count_parameters(one, d_head=d_head).terms
        assert all(pieces[one.n_heads, f"W_{i}"] == terms[f"W_{i}"] for i in "QKVO")
    assert (table["head"] >= 0).any() == (stack == STACKS[1] and family[0].n_heads <= 32)


@each_layer
def test_beside_them_stands_what_does_change(link, config, d_head):
    app = open_page(PAGE, tokens="a b c", **link)
    table = changes(app)
    shown = table[table["lit"]]["value"].tolist()
    scores = count_scores(config, T_q=3)
    assert shown == [d_head or config.d_head, scores.softmaxes, scores.numbers]
    assert table["heads"].unique().tolist() == [one.n_heads for one in every_head_count(config)]


@pytest.mark.parametrize("d_model", [2, 30, 32, 128])
def test_every_number_of_heads_that_divides_the_width_is_a_bar_and_the_visitor_s_is_lit(d_model):
    app = open_page(PAGE, d_model=d_model)
    for heads in divisors(d_model):
        app.select_slider(key="heads").set_value(heads).run()
        assert not app.exception
        assert parameters(app)["heads"].unique().tolist() == list(divisors(d_model))
        assert lit(app) == heads


def test_the_charts_say_their_numbers_to_those_who_see_none():
    first, second = (chart.proto.alt for chart in charts(open_page(PAGE)))
    assert "h = 4: 4,096 parameters (W_Q 1,024" in first
    assert "As many for every number of heads: 1, 2, 4, 8, 16, 32." in first
    assert "d_head 8, 24 softmaxes, 144 scores" in second
    first, _ = (chart.proto.alt for chart in charts(open_page(PAGE, kv_heads=2)))
    assert "The total changes with the heads: h = 2: 4,096; h = 4: 3,072; h = 8: 2,560" in first


def test_other_numbers_feed_the_same_specs():
    one, other = (
        open_page(PAGE),
        open_page(PAGE, width=15120, kv_heads=2, bias=True, stack="by head"),
    )
    assert [c.proto.spec for c in charts(one)] == [c.proto.spec for c in charts(other)]


# The claim


@pytest.mark.parametrize(
    ("link", "claim"),
    [
        ({}, CANCELS),
        ({"bias": True}, CANCELS),
        ({"kv_heads": 4}, CANCELS),  # one for each head, after all
        ({"d_head": 8}, DOES_NOT),  # as large as d_model / h, but it stays when h changes
        ({"d_head": 5}, DOES_NOT),
        ({"kv_heads": 2}, DOES_NOT),
        ({"kv_heads": 1, "d_head": 5, "bias": True}, DOES_NOT),
        ({"width": 1}, "No other number of heads"),
        ({"heads": 32, "kv_heads": 16}, DOES_NOT),
    ],
)
def test_the_page_claims_that_heads_cancel_out_only_where_all_totals_are_one(link, claim):
    app = open_page(PAGE, **link)
    assert claim in words(app)
    totals = parameters(app)["total"].unique()
    assert (len(totals) == 1) == (claim != DOES_NOT)
    assert (CANCELS in words(app)) == (claim == CANCELS)


def test_gpt2_small_is_counted_at_a_press_and_from_a_link():
    app = open_page(PAGE)
    (button,) = [b for b in app.main.button if b.label == "GPT-2 small"]
    button.click().run()
    assert (number(app, "width").value, number(app, "width_heads").value) == (768, 12)
    assert "2,359,296 parameters" in words(app)
    assert app.query_params == {"width": "768", "width_heads": "12"}
    assert words(open_page(PAGE, width=768, width_heads=12)) == words(app)
    assert scene_of(app).config == AttentionConfig(32, 4)  # this page's alone


@pytest.mark.parametrize(
    ("width", "before", "typed", "taken"),
    [
        (96, 8, 9, 12),  # a step up or down goes to the next that divides
        (96, 8, 7, 6),
        (96, 96, 97, 96),
        (7, 7, 6, 1),
        (96, 8, 20, 16),  # any other goes to the nearest
    ],
)
def test_heads_of_the_page_s_own_width_that_do_not_divide_leave_the_link(
    width, before, typed, taken
):
    app = open_page(PAGE, width=width, width_heads=before)
    number(app, "width_heads").set_value(typed).run()
    assert number(app, "width_heads").value == taken
    assert lit(app) == taken
    assert app.query_params["width_heads"] == str(taken)
    asked = [] if abs(typed - before) == 1 and typed < width else [typed]
    assert [f"width={width}, width_heads={n}. " in " ".join(warnings(app)) for n in asked] == [
        True for _ in asked
    ]
    assert bool(warnings(app)) == bool(asked)


def test_another_width_takes_the_heads_that_are_nearest_and_says_so():
    app = open_page(PAGE, width=768, width_heads=12)
    number(app, "width").set_value(100).run()
    assert number(app, "width_heads").value == lit(app) == 10
    assert "got width=100, width_heads=12. Showing width_heads=10" in warnings(app)[0]
    number(app, "width").set_value(200).run()
    assert warnings(app) == []


# On paper


def sum_on_paper(app) -> tuple[list[int], int]:
    """The counts that the table adds up, and its total."""
    (table,) = [m.value for m in app.main.markdown if m.value.startswith("| part")]
    counts = [line.split("|")[3].strip(" *") for line in table.splitlines()[2:]]
    *added, total = [int(count.replace(",", "")) for count in counts if count]
    return added, total


@each_layer
def test_the_sum_on_paper_adds_up(link, config, d_head):
    app = open_page(PAGE, **link)
    added, total = sum_on_paper(app)
    assert sum(added) == total == count_parameters(config, d_head=d_head).total


@each_layer
def test_every_product_on_paper_is_what_stands_beside_it(link, config, d_head):
    (table,) = [
        m.value for m in open_page(PAGE, **link).main.markdown if m.value.startswith("| part")
    ]
    for line in table.splitlines()[2:-1]:
        how, count = (cell.strip(" *").replace(",", "") for cell in line.split("|")[2:4])
        product, *result = how.split(" = ")
        assert eval(product.replace("×", "*")) == int(result[0] if result else count), line


@each_layer
def test_the_formula_with_its_numbers_gives_the_total(link, config, d_head):
    (latex,) = open_page(PAGE, **link).main.latex
    plain = latex.value.replace("{,}", "").replace(r"\,", "").replace("$$", "")
    sums = re.split(r"\\\\\[4pt\] &=", plain.replace(r"\end{aligned}", ""))[1:]
    for line in sums:
        numbers = re.sub(r"\\\\\[2pt\]|&|\\quad", "", line).replace(r"\cdot", "*")
        numbers = re.sub(r"(\d) *\(", r"\1 * (", numbers)
        assert eval(numbers) == count_parameters(config, d_head=d_head).total


def test_the_lessons_numbers_are_on_the_first_sight():
    app = open_page(PAGE)
    assert "3 × 32 × 8 = 768" in words(app)
    assert sum_on_paper(app) == ([3072, 1024], 4096)


# Every number of heads


@each_layer
def test_the_table_has_a_row_for_every_number_of_heads(link, config, d_head):
    app = open_page(PAGE, parameters_step="Every number of heads", **link)
    (table,) = app.main.dataframe
    family = every_head_count(config)
    assert table.value["heads"].tolist() == [one.n_heads for one in family]
    assert table.value["kv_heads"].tolist() == [one.n_kv_heads for one in family]
    totals = [count_parameters(one, d_head=d_head).total for one in family]
    assert table.value["parameters"].tolist() == totals


# In PyTorch


@each_layer
def test_pytorch_counts_as_many_and_a_difference_has_its_reason(link, config, d_head):
    app = open_page(PAGE, parameters_step="In PyTorch", **link)
    assert not app.exception
    formula, ours, theirs = (
        int(n.replace(",", "")) for n in re.findall(r"^- \*\*([\d,]+)\*\*", words(app), re.M)
    )
    assert formula == ours == count_parameters(config, d_head=d_head).total
    module = nn.MultiheadAttention(config.d_model, config.n_heads, bias=config.bias, device="meta")
    assert theirs == sum(p.numel() for p in module.parameters())
    said = words(app)
    assert "The formula and what was built agree" in said
    assert ("holds as many" in said) == (ours == theirs)
    assert ("no grouped heads" in said) == (config.n_kv_heads != config.n_heads)
    assert ("no head size of its own" in said) == (d_head is not None)
    assert ("meta device" in said) == (config.d_model > 32)
    assert "ours = MultiHeadAttention(C, h, h_kv, bias=config.bias)" in app.main.code[0].value


# Predict


def predict(link, guess=None, reveal=False):
    asked = {"count_guess": guess} if guess else {}
    return open_page(PAGE, parameters_step="Predict", count_reveal=reveal, **asked, **link)


@pytest.mark.parametrize("guess", GUESSES)
@pytest.mark.parametrize(
    ("link", "answer", "count"),
    [
        ({}, "the same", "8 heads have 4,096"),
        ({"kv_heads": 2}, "fewer", "8 heads have 2,560"),
        ({"d_head": 5}, "more", "8 heads have 5,120"),
        ({"heads": 32}, "the same", "16 heads have 4,096"),  # there are no 64 to double to
        ({"width": 9, "width_heads": 1}, "the same", "3 heads have 324"),
        ({"width": 2, "width_heads": 2, "d_head": 4}, "fewer", "1 head have 32"),
    ],
)
def test_a_guess_is_judged_by_the_ledger(link, answer, count, guess):
    app = predict(link, guess, reveal=True)
    assert not app.exception
    (told,) = [*app.main.success, *app.main.warning]
    assert told.value.startswith("**Right.**" if guess == answer else "**Wrong.**")
    assert count.replace("1 head have", "1 head has") in told.value


def test_nothing_gives_the_answer_away_before_the_guess():
    for app in (predict({}), predict({}, reveal=True), predict({}, "more")):
        assert parameters(app)["heads"].unique().tolist() == [4]
        assert CANCELS not in words(app)
        assert "hidden until a guess" in charts(app)[0].proto.alt
        assert not app.main.success
        assert not app.main.warning


def test_another_guess_hides_the_count_again():
    app = predict({}, "more", reveal=True)
    assert len(app.main.warning) == 1
    app.segmented_control(key="count_guess").set_value("the same").run()
    assert not app.main.success
    assert app.toggle(key="count_reveal").value is False
    app.toggle(key="count_reveal").set_value(True).run()
    assert len(app.main.success) == 1


def test_where_no_other_number_of_heads_is_possible_none_is_asked_for():
    app = predict({"width": 1})
    assert "No other number of heads" in app.main.info[0].value
    assert len(parameters(app)) == 4


# What does not fit


@pytest.mark.parametrize(
    ("link", "message", "heads", "kv_heads"),
    [
        (
            {"heads": 8, "kv_heads": 3},
            "kv_heads must divide heads; got heads=8, kv_heads=3. "
            "Showing kv_heads=2, the nearest that does.",
            8,
            2,
        ),
        (
            {"width": 1600, "width_heads": 48},
            "width_heads must divide width; got width=1600, width_heads=48. "
            "Showing width_heads=50, the nearest that does.",
            50,
            50,
        ),
        (
            {"heads": 2, "kv_heads": 8},
            "kv_heads must divide heads; got heads=2, kv_heads=8. "
            "Showing kv_heads=2, the nearest that does.",
            2,
            2,
        ),
    ],
)
def test_heads_that_do_not_divide_are_told_and_the_nearest_shown(link, message, heads, kv_heads):
    app = open_page(PAGE, parameters_step="Every number of heads", **link)
    assert warnings(app) == [message]
    assert lit(app) == heads
    rows = app.main.dataframe[0].value.set_index("heads")
    assert rows.loc[heads, "kv_heads"] == kv_heads


def test_fewer_heads_under_the_key_value_heads_are_told_and_the_message_ends_with_the_next_change():
    app = open_page(PAGE, heads=16, kv_heads=8)
    app.select_slider(key="heads").set_value(4).run()
    assert warnings(app) == [
        "kv_heads must divide heads; got heads=4, kv_heads=8. "
        "Showing kv_heads=4, the nearest that does."
    ]
    assert app.select_slider(key="kv_heads").value == "all"
    app.select_slider(key="heads").set_value(16).run()
    assert not warnings(app)


@pytest.mark.parametrize(("kv_heads", "stop"), [(8, "all"), (4, "4"), (1, "1")])
def test_a_link_s_key_value_heads_are_a_stop_of_the_slider(kv_heads, stop):
    app = open_page(PAGE, heads=8, kv_heads=kv_heads)
    assert app.select_slider(key="kv_heads").value == stop
    assert not warnings(app)


def test_key_value_heads_that_still_divide_stay_and_others_become_the_nearest():
    app = open_page(PAGE, d_model=48, heads=12, kv_heads=6)
    app.select_slider(key="heads").set_value(24).run()
    assert app.select_slider(key="kv_heads").value == "6"
    app.select_slider(key="heads").set_value(16).run()
    assert app.select_slider(key="kv_heads").value == "4"
    assert len(warnings(app)) == 1
    app.select_slider(key="kv_heads").set_value("2").run()
    assert not warnings(app)


EMPTY = "It is left empty."
WRONG = {
    "width": ("16385", "a whole number from 1 to 16,384", EMPTY),
    "width_heads": ("-1", "a whole number from 1 to 16,384", EMPTY),
    "kv_heads": ("2.5", "all, or a number that divides the heads", "Showing all."),
    "d_head": ("1e3", "a whole number from 1 to 1,024", EMPTY),
    "bias": ("yes", "true or false", "Showing false."),
    "stack": ("heads", "one of by projection, by head", "Showing by projection."),
    "parameters_step": ("paper", f"one of {', '.join(STEPS)}", "Showing On paper."),
}


@pytest.mark.parametrize("key", WRONG)
def test_a_wrong_value_is_told_and_the_default_shown(key):
    value, rule, instead = WRONG[key]
    app = open_page(PAGE, **{key: value})
    assert warnings(app) == [f"{key} must be {rule}; got {key}={value}. {instead}"]
    assert key not in app.query_params
    assert parameters(app).equals(parameters(open_page(PAGE)))


@pytest.mark.parametrize("key", WRONG)
def test_an_empty_value_chooses_the_default_and_is_not_remarked_on(key):
    app = open_page(PAGE, **{key: ""})
    assert not app.exception
    assert not warnings(app)
    assert parameters(app).equals(parameters(open_page(PAGE)))


def test_a_message_stays_until_its_widget_is_changed():
    app = open_page(PAGE, width="wide", bias="yes")
    assert len(warnings(app)) == 2
    number(app, "width").set_value(64).run()
    assert warnings(app) == ["bias must be true or false; got bias=yes. Showing false."]
    go_to(app, "overview").run()
    go_to(app, PAGE).run()
    assert not warnings(app)


@pytest.mark.parametrize(
    ("link", "message"),
    [
        ({"count_guess": "most"}, f"one of fewer, the same, more; got count_guess=most. {EMPTY}"),
        ({"count_reveal": "1"}, "true or false; got count_reveal=1. Showing false."),
    ],
)
def test_a_wrong_guess_is_told_where_it_is_asked(link, message):
    (told,) = warnings(open_page(PAGE, parameters_step="Predict", **link))
    assert told.endswith(message)


def test_a_width_that_is_cleared_gives_the_sidebar_s_back():
    app = open_page(PAGE, width=64, width_heads=16)
    assert lit(app) == 16
    number(app, "width").set_value(None).run()
    assert lit(app) == 4
    assert number(app, "width_heads").disabled
    assert "4,096 parameters" in words(app)


@pytest.mark.parametrize("step", STEPS)
def test_a_step_can_be_linked(step):
    app = open_page(PAGE, parameters_step=step, width=15120, width_heads=60, stack="by head")
    assert not app.exception
    assert app.segmented_control(key="parameters_step").value == step
