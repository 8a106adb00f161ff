"""The page about hand-built heads: what it sends is what the core computed, and nothing sooner."""

from __future__ import annotations

import inspect
import re
import textwrap

import numpy as np
import pytest

from mha.charts import HEAD_HUES
from mha.hand_built import (
    CHALLENGES,
    GALLERY,
    MAX_EDIT,
    MAX_EDITS_TEXT,
    HandBuiltHead,
    copy_what_followed,
    feature_names,
    features,
    judge,
    own_edits,
    own_head,
    read_edits,
    write_edits,
)
from mha.reference import attend, explain_weight
from mha.sentence import CATEGORY_NAMES, EXAMPLE, Sentence
from pages.parts.hand_built.choice import SIDES
from pages.parts.words import bold, listed
from tests.pages.app import (
    bytes_of_all_but,
    charts,
    click,
    edit,
    grid,
    markdown,
    open_page,
    read,
    scene_of,
    table_of,
    weights_of,
)

FIRST = {"left": "previous token", "right": "same category"}
REPEATING = "the cat sat on the mat and the cat"
SENTENCES = {
    "example": EXAMPLE,
    "one word": "alone",
    "repeating": REPEATING,
    "32 words": " ".join(f"w{i % 20}" for i in range(32)),
}
STEPS = ("Arithmetic", "Matrices", "Handed on", "Predict", "Your own head", "Two layers")
EDITS = "Q:3,1=6 Q:5,6=-2.5 K:0,0=0 K:6,2=1.25"

each_side = pytest.mark.parametrize("side", SIDES)
each_step = pytest.mark.parametrize("step", STEPS)
each_sentence = pytest.mark.parametrize("text", SENTENCES.values(), ids=SENTENCES)


def head_on(app, side: str) -> HandBuiltHead:
    """The head that the widgets on this side ask for, made by the core."""
    kind = GALLERY[app.selectbox(key=side).value]
    options = {"edits": read_edits(app.text_input(key="own").value)[0]}
    options["sharpness"] = app.slider(key=f"sharp_{side}").value
    if "n" in kind.knobs:
        options["n"] = app.slider(key=f"back_{side}").value
    if "category" in kind.knobs:
        options["category"] = CATEGORY_NAMES.index(app.selectbox(key=f"category_{side}").value)
    return kind(scene_of(app).sentence, **options)


def trace_on(app, side: str):
    return head_on(app, side).attend(features(scene_of(app).sentence), scene_of(app).causal)


def assert_draws(chart, trace, sentence: Sentence) -> None:
    """The chart's table holds these weights, scores, words and mask, cell by cell."""
    table = table_of(chart)
    masked = np.isneginf(trace.scores)
    np.testing.assert_array_equal(grid(table, "weight"), trace.weights)
    np.testing.assert_array_equal(grid(table, "masked"), masked)
    scores = np.where(masked, np.nan, trace.scores)
    np.testing.assert_array_equal(grid(table, "score"), scores)
    words = np.array(sentence.labels, dtype=object)
    T = len(sentence)
    assert (grid(table, "query_word") == np.repeat(words[:, None], T, axis=1)).all()
    assert (grid(table, "key_word") == np.repeat(words[None], T, axis=0)).all()


def matrices_of(app) -> dict[str, np.ndarray]:
    """The matrices of the step by the name that each begins with; masked numbers are -inf."""
    found = {}
    for chart in charts(app):
        table = table_of(chart)
        if "row_name" in table:
            numbers = grid(
                table.assign(value=table["value"].where(~table["masked"], -np.inf)),
                "value",
                "row",
                "column",
            )
            name = re.match(r"\w+", chart.proto.alt)[0]
            names = [
                list(table.drop_duplicates(axis)[f"{axis}_name"]) for axis in ("row", "column")
            ]
            found.setdefault(name, []).append((numbers, *names))
    return found


# The pair of pictures


@each_side
@pytest.mark.parametrize("name", GALLERY)
def test_every_head_of_the_gallery_is_drawn_as_it_computes(side, name):
    app = open_page(own=EDITS)
    app.selectbox(key=side).set_value(name).run()
    for causal in (True, False):
        app.toggle(key="causal").set_value(causal).run()
        assert not app.exception
        assert_draws(weights_of(app, side), trace_on(app, side), scene_of(app).sentence)
        assert scene_of(app).causal is causal
    if GALLERY[name].sharpness is not None:
        assert app.slider(key=f"sharp_{side}").value == GALLERY[name].sharpness
    assert app.slider(key=f"sharp_{side}").disabled is (GALLERY[name].sharpness is None)


@each_side
@pytest.mark.parametrize("name", [name for name, kind in GALLERY.items() if kind.sharpness])
def test_a_head_that_a_link_names_has_its_own_sharpness(side, name):
    app = open_page(**{side: name})
    assert app.slider(key=f"sharp_{side}").value == GALLERY[name].sharpness
    own = GALLERY[name](scene_of(app).sentence).weights(features(scene_of(app).sentence))
    np.testing.assert_array_equal(grid(table_of(weights_of(app, side)), "weight"), own)


@each_sentence
@each_step
def test_both_pictures_are_on_every_step_for_every_length(step, text):
    app = open_page(step=step, tokens=text)
    assert not app.exception
    assert app.segmented_control(key="step").value == step
    for side in SIDES:
        table = table_of(weights_of(app, side))
        assert len(table) == len(scene_of(app).sentence) ** 2
        if step != "Predict":
            assert_draws(weights_of(app, side), trace_on(app, side), scene_of(app).sentence)


@each_side
def test_what_can_be_turned_on_a_head_changes_its_weights(side):
    app = open_page(**{side: "n back"}, tokens=REPEATING)
    for n in (1, 3, 8):
        app.slider(key=f"back_{side}").set_value(n).run()
        assert_draws(weights_of(app, side), trace_on(app, side), scene_of(app).sentence)
    app.selectbox(key=side).set_value("nearest of a category").run()
    for category in CATEGORY_NAMES:
        app.selectbox(key=f"category_{side}").set_value(category).run()
        assert_draws(weights_of(app, side), trace_on(app, side), scene_of(app).sentence)
    for sharpness in (0.0, 0.5, 10.0):
        app.slider(key=f"sharp_{side}").set_value(sharpness).run()
        assert_draws(weights_of(app, side), trace_on(app, side), scene_of(app).sentence)
        assert head_on(app, side).W_Q.max() >= sharpness


def test_the_first_sight_is_the_lesson_s_two_heads():
    app = open_page()
    left, right = (grid(table_of(weights_of(app, side)), "weight") for side in SIDES)
    assert left[5, 4] == pytest.approx(np.exp(6) / (np.exp(6) + 5))
    assert right[5, 4] == right[5, 5] == pytest.approx(0.5, abs=1e-4)


def test_lines_show_the_same_weights_each_head_in_its_hue():
    grids = open_page(tokens=REPEATING)
    lines = open_page(tokens=REPEATING, view="Lines")
    for side, hue in zip(SIDES, HEAD_HUES, strict=False):
        assert_draws(weights_of(lines, side), trace_on(lines, side), scene_of(lines).sentence)
        assert weights_of(lines, side).proto.spec != weights_of(grids, side).proto.spec
        assert hue in weights_of(lines, side).proto.spec
        other = HEAD_HUES[1 - HEAD_HUES.index(hue)]
        assert other not in weights_of(lines, side).proto.spec


# Choosing a row and a cell


def chosen(app, side: str) -> tuple[set[int], set[tuple[int, int]]]:
    """The rows and the cells that the picture marks."""
    table = table_of(weights_of(app, side))
    rows = set(table.loc[table["in_row"], "query"])
    cells = table.loc[table["chosen"], ["query", "key"]].itertuples(index=False)
    return rows, set(map(tuple, cells))


def test_at_first_the_last_row_is_chosen_and_no_cell():
    app = open_page()
    for side in SIDES:
        assert chosen(app, side) == ({5}, set())


def test_a_link_chooses_a_cell_by_its_words():
    app = open_page(tokens=REPEATING, query="the (3)", key="cat")
    for side in SIDES:
        assert chosen(app, side) == ({7}, {(7, 1)})


def test_the_lists_choose_a_row_and_a_cell():
    app = open_page()
    app.selectbox(key="query").set_value("jacket").run()
    assert chosen(app, "left") == ({2}, set())
    app.selectbox(key="key").set_value("the").run()
    assert chosen(app, "right") == ({2}, {(2, 0)})


@each_side
@pytest.mark.parametrize("view", ["Grid", "Lines"])
def test_a_click_chooses_the_same_cell_in_both_pictures(side, view):
    app = open_page(view=view)
    for query, key in ((3, 2), (5, 0), (5, 0), (0, 0)):
        click(app, side, query=query, key=key, stamp=0)
        for each in SIDES:
            assert chosen(app, each) == ({query}, {(query, key)})
        labels = scene_of(app).sentence.labels
        assert (app.query_params["query"], app.query_params["key"]) == (labels[query], labels[key])


@each_side
@pytest.mark.parametrize("view", ["Grid", "Lines"])
def test_a_click_on_a_word_chooses_its_row_and_no_cell(side, view):
    app = open_page(view=view, query="rain", key="the")
    click(app, side, query=3, key=-1, stamp=0)
    for each in SIDES:
        assert chosen(app, each) == ({3}, set())
    assert app.query_params["query"] == "is"
    assert "key" not in app.query_params


@pytest.mark.parametrize(
    "cell",
    [
        {},
        {"query": -1, "key": 0},
        {"query": 6, "key": 2},
        {"query": 10**9, "key": 10**9},
        {"query": "3", "key": "2"},
        {"query": 1.5, "key": 1},
        {"query": None, "key": None},
        {"query": [1], "key": {}},
    ],
)
def test_a_click_on_no_row_chooses_nothing(cell):
    """The words may have changed since the picture was drawn that was clicked on."""
    app = open_page()
    click(app, "left", **cell)
    assert not app.exception
    assert chosen(app, "left") == ({5}, set())


@pytest.mark.parametrize("key", [6, -1, 10**9, "2", 1.5, None, [1]])
def test_a_click_on_no_column_chooses_no_cell(key):
    app = open_page()
    click(app, "left", query=3, key=key)
    assert not app.exception
    rows, cells = chosen(app, "left")
    assert rows <= {3, 5}
    assert cells == set()


def test_a_list_s_choice_lets_a_click_on_the_old_cell_count_anew():
    app = open_page()
    stamps = [table_of(weights_of(app, "left"))["stamp"].unique().tolist()]
    for word in ("jacket", "is"):
        app.selectbox(key="query").set_value(word).run()
        stamps.append(table_of(weights_of(app, "left"))["stamp"].unique().tolist())
    assert all(len(stamp) == 1 for stamp in stamps)
    assert len({stamp for (stamp,) in stamps}) == 3


@each_step
def test_a_chosen_word_that_disappears_falls_back(step):
    app = open_page(tokens="a b c", query="b", key="a", step=step)
    assert chosen(app, "left") == ({1}, {(1, 0)})
    app.text_input(key="tokens").set_value("x y z a").run()
    assert not app.exception
    assert chosen(app, "left") == ({3}, {(3, 3)})
    app.text_input(key="tokens").set_value("x y").run()
    assert not app.exception
    assert chosen(app, "left") == ({1}, set())


def test_a_chosen_word_that_moves_is_followed():
    app = open_page(tokens="a b c", query="c", key="a")
    app.text_input(key="tokens").set_value("b a new c and more").run()
    assert chosen(app, "right") == ({3}, {(3, 1)})


@pytest.mark.parametrize("word", ["nowhere", "", "**b**", "the (2)", "0", "-1"])
def test_a_link_to_a_word_that_is_not_there_chooses_nothing(word):
    app = open_page(query=word, key=word, guess=word, step="Predict")
    assert not app.exception
    assert chosen(app, "left") == ({5}, set())


# Arithmetic


def arithmetic_tables(app):
    return [table.value for table in app.dataframe if "exponential" in table.value]


@pytest.mark.parametrize("causal", [True, False])
def test_the_arithmetic_shows_the_numbers_of_every_cell(causal):
    app = open_page(causal=causal, left="n back", right="nearest of a category")
    labels = scene_of(app).sentence.labels
    X = features(scene_of(app).sentence)
    for query in range(0, 6, 2):
        for key in range(6):
            app.selectbox(key="query").set_value(labels[query])
            app.selectbox(key="key").set_value(labels[key]).run()
            for i, side in enumerate(SIDES):
                q, k, _ = head_on(app, side).queries_keys_values(X)
                cell = explain_weight(q, k, trace_on(app, side), query, key)
                spelled = app.latex[i].value
                assert f"{cell.dot:.2f}" in spelled
                assert f"{cell.row_sum:.4f}" in spelled
                if np.isneginf(cell.score):
                    assert "infty" in spelled
                    assert cell.weight == 0
                else:
                    assert "infty" not in spelled
                    for number in (cell.exponential, cell.weight):
                        assert f"{number:.4f}" in spelled
                    assert f"{cell.score:.2f} - {cell.largest:.2f}" in spelled


@each_sentence
def test_the_row_is_opened_key_by_key(text):
    app = open_page(tokens=text)
    sentence = scene_of(app).sentence
    X = features(sentence)
    for query in {0, len(sentence) // 2, len(sentence) - 1}:
        app.selectbox(key="query").set_value(sentence.labels[query]).run()
        for side, table in zip(SIDES, arithmetic_tables(app), strict=True):
            q, k, _ = head_on(app, side).queries_keys_values(X)
            trace = trace_on(app, side)
            assert list(table["key_word"]) == list(sentence.labels)
            np.testing.assert_array_equal(table["dot"], k @ q[query])
            np.testing.assert_array_equal(table["may_look"], ~np.isneginf(trace.scores[query]))
            np.testing.assert_array_equal(table["weight"], trace.weights[query])
            np.testing.assert_allclose(
                table["exponential"] / table["exponential"].sum(), trace.weights[query], atol=1e-12
            )
            total = f"{table['exponential'].sum():.4f}"
            assert any(f"**{total}**" in text.value for text in app.markdown)


def test_q_and_k_are_opened_slot_by_slot():
    app = open_page(query="packable", key="light")
    X = features(scene_of(app).sentence)
    opened = [table.value for table in app.dataframe if "slot" in table.value]
    for side, table in zip(SIDES, opened, strict=True):
        head = head_on(app, side)
        q, k, _ = head.queries_keys_values(X)
        assert tuple(table["slot"]) == head.slots
        np.testing.assert_array_equal(table["q"], q[5])
        np.testing.assert_array_equal(table["k"], k[4])
        assert table["product"].sum() == q[5] @ k[4]


# Matrices, and what a head hands on


@each_side
@pytest.mark.parametrize("name", GALLERY)
def test_every_matrix_is_shown_whole_and_named(side, name):
    app = open_page(step="Matrices", side=SIDES[side], own=EDITS)
    app.selectbox(key=side).set_value(name).run()
    sentence = scene_of(app).sentence
    head, trace = head_on(app, side), trace_on(app, side)
    q, k, v = head.queries_keys_values(features(sentence))
    words, names = list(sentence.labels), list(feature_names(len(sentence)))
    slots = list(head.slots)
    wanted = {
        "X": (features(sentence), words, names),
        "W_Q": (head.W_Q, names, slots),
        "W_K": (head.W_K, names, slots),
        "Q": (q, words, slots),
        "K": (k, words, slots),
        "V": (v, words, names),
        "scores": (trace.scores, words, words),
        "weights": (trace.weights, words, words),
    }
    shown = matrices_of(app)
    assert set(shown) == set(wanted)
    texts = [text.value for text in app.markdown]
    for name, (matrix, rows, columns) in wanted.items():
        ((numbers, row_names, column_names),) = shown[name]
        np.testing.assert_array_equal(numbers, matrix)
        assert (row_names, column_names) == (rows, columns)
        shape = f"{matrix.shape[0]} × {matrix.shape[1]}"
        assert any(text.startswith(f"**{name}") and shape in text for text in texts), name


def test_the_weights_in_the_matrices_are_those_of_the_picture():
    app = open_page(step="Matrices", causal=False, tokens=REPEATING)
    ((weights, _, _),) = matrices_of(app)["weights"]
    np.testing.assert_array_equal(weights, grid(table_of(weights_of(app, "left")), "weight"))


@each_sentence
def test_what_is_handed_on_is_z(text):
    app = open_page(step="Handed on", tokens=text)
    sentence = scene_of(app).sentence
    names = list(feature_names(len(sentence)))
    shown = matrices_of(app)["z"]
    for side, (numbers, rows, columns) in zip(SIDES, shown, strict=True):
        np.testing.assert_array_equal(numbers, trace_on(app, side).z)
        assert (rows, columns) == (list(sentence.labels), names)


def test_what_arrives_is_told_in_words_for_the_chosen_row():
    app = open_page(step="Handed on", query="jacket")
    z = trace_on(app, "left").z[2]
    names = feature_names(6)
    (told,) = [text.value for text in app.markdown if f"At {bold('jacket')}" in text.value][:1]
    for i in np.argsort(z)[::-1][:2]:
        assert f"{names[i]} {z[i]:.2f}" in told


# Predict, then reveal


def test_before_the_guess_no_weight_is_sent():
    for link in ({}, {"reveal": True}, {"guess": "light"}, {"guess": "nowhere", "reveal": True}):
        for view in ("Grid", "Lines"):
            app = open_page(step="Predict", view=view, **link)
            for side in SIDES:
                table = table_of(weights_of(app, side))
                assert table["weight"].isna().all(), link
                assert table["score"].isna().all(), link
                # The mask is no secret: it is the same for every head.
                np.testing.assert_array_equal(
                    grid(table, "masked"), np.isneginf(trace_on(app, side).scores)
                )
            assert len(app.get("vega_lite_chart")) == 2
            assert len(app.dataframe) == 0


@pytest.mark.parametrize("view", ["Grid", "Lines"])
@pytest.mark.parametrize("guess", [{}, {"guess": "light"}])
def test_before_the_reveal_nothing_that_is_sent_depends_on_the_weights(view, guess):
    link = {"step": "Predict", "view": view, **guess}
    sent = [
        bytes_of_all_but(open_page(sharp_left=left, sharp_right=right, **link), "sharp_")
        for left, right in ((6, 4), (0, 10), (9.5, 0.5))
    ]
    assert sent[0] == sent[1] == sent[2]


def test_what_is_sent_after_the_reveal_depends_on_the_weights():
    link = {"step": "Predict", "guess": "light", "reveal": True}
    sent = [bytes_of_all_but(open_page(sharp_left=s, **link), "sharp_") for s in (6, 0)]
    assert sent[0] != sent[1]


ALERTS = {"right": "success", "tie": "info", "wrong": "warning", "masked": "warning"}


@pytest.mark.parametrize(
    ("left", "causal"),
    [("previous token", True), ("same category", True), ("next token", False), ("uniform", True)],
)
def test_the_verdict_is_the_one_that_the_core_gives(left, causal):
    app = open_page(step="Predict", left=left, causal=causal, guess="the", reveal=True)
    labels = scene_of(app).sentence.labels
    kinds = set()
    for query in (0, 3, 5):
        for guess in range(6):
            app.selectbox(key="query").set_value(labels[query])
            app.selectbox(key="guess").set_value(labels[guess]).run()
            app.toggle(key="reveal").set_value(True).run()
            verdict = judge(trace_on(app, "left"), query, guess)
            (alert,) = [
                alert
                for kind in ("success", "info", "warning", "error")
                for alert in app.main.get(kind)
            ]
            assert alert.type == ALERTS[verdict.kind]
            assert ("mask" in alert.value) is (verdict.kind == "masked")
            assert listed([labels[i] for i in verdict.best]) in alert.value
            assert f"{verdict.best_weight:.2f}" in alert.value
            kinds.add(verdict.kind)
            assert_draws(weights_of(app, "left"), trace_on(app, "left"), scene_of(app).sentence)
    assert len(kinds) >= 2


def test_the_four_verdicts_on_the_example():
    link = {"step": "Predict", "reveal": True}
    for extra, kind in (
        ({"guess_side": SIDES["left"], "guess": "light"}, "right"),
        ({"guess_side": SIDES["left"], "guess": "rain"}, "wrong"),
        ({"guess_side": SIDES["right"], "guess": "light"}, "tie"),
        ({"guess_side": SIDES["left"], "query": "rain", "guess": "packable"}, "masked"),
    ):
        app = open_page(**link, **extra)
        (alert,) = app.main.get(ALERTS[kind])
        assert ("mask" in alert.value) is (kind == "masked")


def test_another_guess_hides_the_weights_again():
    app = open_page(step="Predict", guess="light", reveal=True)
    assert table_of(weights_of(app, "left"))["weight"].notna().all()
    app.selectbox(key="guess").set_value("rain").run()
    assert app.toggle(key="reveal").value is False
    assert table_of(weights_of(app, "left"))["weight"].isna().all()
    app.toggle(key="reveal").set_value(True).run()
    assert table_of(weights_of(app, "left"))["weight"].notna().all()
    app.segmented_control(key="guess_side").set_value("right").run()
    assert table_of(weights_of(app, "right"))["weight"].isna().all()


def test_a_guess_that_disappears_hides_the_weights():
    app = open_page(step="Predict", tokens="a b c", guess="b", reveal=True)
    assert table_of(weights_of(app, "left"))["weight"].notna().all()
    app.text_input(key="tokens").set_value("a c").run()
    assert not app.exception
    assert table_of(weights_of(app, "left"))["weight"].isna().all()


def test_only_the_step_that_asks_hides_the_weights():
    app = open_page(step="Predict")
    app.segmented_control(key="step").set_value("Arithmetic").run()
    assert table_of(weights_of(app, "left"))["weight"].notna().all()


# One's own head


def own_weights(app) -> np.ndarray:
    (chart,) = charts(app)
    return grid(table_of(chart), "weight")


def own_tables(app) -> dict[str, np.ndarray]:
    return {table.key.split("_")[1]: table.value.to_numpy() for table in app.data_editor}


def assert_own(app, text: str) -> None:
    """The page shows the head that this text describes, in both tables and in the pattern."""
    sentence = scene_of(app).sentence
    head = own_head(len(sentence), read_edits(text)[0])
    np.testing.assert_array_equal(own_tables(app)["Q"], head.W_Q)
    np.testing.assert_array_equal(own_tables(app)["K"], head.W_K)
    trace = head.attend(features(sentence), scene_of(app).causal)
    np.testing.assert_array_equal(own_weights(app), trace.weights)
    challenge = CHALLENGES[app.selectbox(key="challenge").value]
    score = challenge.score(trace.weights, sentence)
    shown = app.get("progress")
    if score is None:
        assert not shown
    else:
        (said,) = [text for text in markdown(app) if text.startswith("Score ")]
        assert said.startswith(f"Score **{score:.2f}** of 1")
        assert shown[0].proto.value == pytest.approx(100 * score, abs=1)


@pytest.mark.parametrize("causal", [True, False])
@pytest.mark.parametrize("text", ["", EDITS, "Q:34,34=1", "K:0,0=-100 Q:0,0=100", "Q:1,0=0.001"])
def test_the_pattern_follows_the_text(text, causal):
    app = open_page(step="Your own head", own=text, causal=causal)
    assert_own(app, text)
    app.text_input(key="own").set_value("Q:2,0=7").run()
    assert_own(app, "Q:2,0=7")


@pytest.mark.parametrize(
    "wrong",
    ["Q:3,1", "V:0,0=1", "Q:35,0=1", "Q:0,0=101", "Q:0,0=nan", "Q:-1,0=1", "<b>", "Q:0,0=1e9"],
)
def test_an_edit_that_does_not_fit_is_told_and_the_others_are_kept(wrong):
    text = f"Q:3,1=6 {wrong} K:0,0=2"
    kept, complaints = read_edits(text)
    assert len(kept) == 2
    app = open_page(step="Your own head", own=text)
    assert not app.exception
    assert [read(warning.value) for warning in app.main.warning] == list(complaints)
    assert_own(app, write_edits(kept))


def test_far_too_many_edits_are_told_and_the_first_are_kept():
    text = " ".join(f"Q:{i % 9},{i % 7}={i % 50}" for i in range(3000))
    kept, complaints = read_edits(text[: MAX_EDITS_TEXT + 1])  # Streamlit holds it to that
    app = open_page(step="Your own head", own=text)
    assert not app.exception
    assert [read(warning.value) for warning in app.main.warning] == list(complaints)
    assert_own(app, write_edits(kept))


def test_a_number_typed_into_a_table_goes_into_the_link():
    app = open_page(step="Your own head")
    edit(app, "Q", 3, "pos 1", 6)
    assert app.query_params["own"] == "Q:3,1=6"
    assert_own(app, "Q:3,1=6")
    edit(app, "K", 8, "filler", -2.5)
    assert app.query_params["own"] == "K:8,8=-2.5 Q:3,1=6"
    assert_own(app, "K:8,8=-2.5 Q:3,1=6")


@pytest.mark.parametrize("number", [0, None])
def test_a_number_set_back_leaves_the_link(number):
    app = open_page(step="Your own head", own="Q:3,1=6")
    edit(app, "Q", 3, "pos 1", number)
    assert "own" not in app.query_params
    assert_own(app, "")


def test_a_number_typed_is_held_to_the_limits():
    app = open_page(step="Your own head")
    edit(app, "Q", 0, "pos 0", 1e9)
    assert app.query_params["own"] == f"Q:0,0={MAX_EDIT:g}"


def test_clear_takes_every_edit_away():
    app = open_page(step="Your own head", own=EDITS)
    (clear,) = [button for button in app.button if button.label == "Clear"]
    clear.click().run()
    assert "own" not in app.query_params
    assert_own(app, "")


def starts(app):
    return app.selectbox(key="start_from")


@pytest.mark.parametrize("text", [EXAMPLE, REPEATING])
def test_starting_from_a_head_gives_its_weights(text):
    app = open_page(step="Your own head", tokens=text)
    sentence = scene_of(app).sentence
    able = [n for n, kind in GALLERY.items() if n != "your own" and own_edits(kind(sentence))]
    assert starts(app).options == able
    assert "previous token" in able
    for name in able:
        starts(app).set_value(name).run()
        weights = GALLERY[name](sentence).weights(features(sentence))
        np.testing.assert_allclose(own_weights(app), weights, atol=1e-12)
        assert_own(app, app.query_params["own"])


def test_after_clearing_one_can_start_from_the_same_head_again():
    app = open_page(step="Your own head")
    for _ in range(2):
        starts(app).set_value("first token").run()
        assert app.query_params["own"]
        (clear,) = [button for button in app.button if button.label == "Clear"]
        clear.click().run()
        assert_own(app, "")


@pytest.mark.parametrize("name", CHALLENGES)
@pytest.mark.parametrize("text", [EXAMPLE, REPEATING, "alone"])
def test_the_score_shown_is_the_challenge_s(name, text):
    app = open_page(step="Your own head", challenge=name, tokens=text, own=EDITS)
    assert app.selectbox(key="challenge").value == name
    assert_own(app, EDITS)


def test_a_challenge_that_is_met_is_called_done():
    app = open_page(step="Your own head", challenge="two back", left="n back")
    assert not app.main.success
    head = GALLERY["n back"](scene_of(app).sentence, sharpness=10.0)
    text = write_edits(own_edits(head))
    app.text_input(key="own").set_value(text).run()
    assert_own(app, text)
    assert len(app.main.success) == 1


def test_the_own_head_can_stand_beside_another():
    app = open_page(left="your own", own="Q:3,1=6", step="Arithmetic")
    weights = own_head(6, read_edits("Q:3,1=6")[0]).weights(features(scene_of(app).sentence))
    np.testing.assert_array_equal(grid(table_of(weights_of(app, "left")), "weight"), weights)


def test_edits_of_a_longer_sentence_wait_for_it():
    app = open_page(step="Your own head", own="Q:8,8=3 Q:11,11=4", tokens="a b")
    assert_own(app, "Q:8,8=3 Q:11,11=4")
    app.text_input(key="tokens").set_value("a b c d e f g h i").run()
    assert_own(app, "Q:8,8=3 Q:11,11=4")
    assert own_tables(app)["Q"][11, 11] == 4


# Two layers


@each_sentence
def test_two_layers_show_what_the_core_copies(text):
    app = open_page(step="Two layers", tokens=text)
    sentence = scene_of(app).sentence
    trace = copy_what_followed(sentence)
    first, second = charts(app)
    assert_draws(first, trace.previous, sentence)
    assert_draws(second, trace.induction, sentence)
    assert bool(app.main.info) is (len(set(sentence.tokens)) == len(sentence))


def test_words_that_repeat_are_offered_and_copied():
    app = open_page(step="Two layers")
    (offer,) = app.main.button
    offer.click().run()
    sentence = scene_of(app).sentence
    assert len(set(sentence.tokens)) < len(sentence)
    assert app.query_params["tokens"] == " ".join(sentence.tokens)
    assert not app.main.info


# The code


@pytest.mark.parametrize(
    ("left", "right"),
    [("previous token", "same category"), ("n back", "same word"), ("uniform", "uniform")],
)
def test_the_code_shown_is_the_code_that_runs(left, right):
    app = open_page(left=left, right=right)
    shown = [textwrap.dedent(code.value).strip() for code in app.code]
    for part in (GALLERY[left].build, GALLERY[right].build, HandBuiltHead.attend, attend):
        assert textwrap.dedent(inspect.getsource(part)).strip() in shown
    assert len(shown) == len(set(shown))
