"""Links that anybody may write: the page stands, nothing is unbounded, and text stays text."""

from __future__ import annotations

import re
import string
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from mha.hand_built import CHALLENGES, GALLERY, MAX_EDITS_TEXT
from mha.layout import MISTAKES
from mha.mask_doctor import COUNTS
from mha.models import MODELS, SHARINGS
from mha.models_table import SORTED_BY
from mha.pitfalls import PITFALLS, TOPICS
from mha.sentence import CATEGORY_NAMES, MAX_CLUSTERS, MAX_TOKENS, Sentence
from mha.training import TASKS, jobs
from pages.parts import scene
from pages.parts.animation import STAGES
from pages.parts.fused_module.walk import STEPS
from pages.parts.hand_built.choice import SIDES
from pages.parts.hand_built.pictures import VIEWS
from pages.parts.parameters.layer import MAX_WIDTH
from pages.parts.parameters.picture import STACKS
from pages.parts.parameters.predict import GUESSES
from pages.parts.pitfalls.doctor import EXAMPLES, TYPES
from pages.parts.real_models.decode import QUANTITIES
from pages.parts.real_models.predict import GUESSES as CACHE_GUESSES
from pages.parts.training.choose import OWN, SIDEBAR
from pages.parts.training.shelf import shelf
from pages.parts.words import bold, listed, plain
from tests.pages.app import (
    HEADS,
    JOINER,
    PAGES,
    bytes_sent,
    keys_of_the_link,
    markdown,
    notes,
    open_page,
    read,
    scene_of,
    sidebar,
    table_of,
)

# A page is opened by each example; its own first run is slow, and no law is about time.
patient = settings(deadline=None, suppress_health_check=list(HealthCheck))
many = settings(patient, max_examples=100)
some = settings(patient, max_examples=40)

MOST_ROWS = MAX_TOKENS * scene.D_MODEL_RANGE[1]  # a tensor's
MOST_PIECES = 1_400  # the bars of d_model 15,120, which has most divisors of all widths
MOST_BYTES = 8_000_000

PITFALL_STEPS = ("The mistakes", "Which is right?", "The mask doctor", "The token inspector")
MODEL_STEPS = ("Grouped queries", "The cache", "Token by token", "All models", "Predict")
MARKUP = (
    "<img src=x onerror=alert(1)>",
    "<script>alert(1)</script>",
    "**b**",
    "$x$",
    "$$x$$",
    ":red[x]",
    ":material/home:",
    "![](http://x)",
    "[a](javascript:alert(1))",
    "`c`",
    "~~s~~",
    "_i_",
    "#h",
    "&lt;",
    "\\(x\\)",
    "datum.x",
    "a.b[c]:Q",
    "'];alert(1);['",
)
HOSTILE = (
    *MARKUP,
    "\x00",
    "a\x00b \x01 \x1b[31m \x7f \x85",
    "\u202eabc\u202c \u2066x",
    "\ufffd \ufffe",
    "\ud800".encode("utf-8", "surrogatepass").decode("utf-8", "replace"),
    "e" + "\u0301" * 400,
    "👨‍👩‍👧 🇩🇪🇫🇷 雨衣 جاكيت",
    "x" * 5000,
    "a " * 3000,
    "1e99",
    "9" * 400,
    str(2**64),
    str(-(2**63) - 1),
    "-1",
    "0",
    "nan",
    "inf",
    "3.7",
    "1_0",
    " 8",
    "٨",
    "None",
    "",
    " ",
    "\n\n    x",
    "__proto__",
    "Q:0,0=1 K:1,1=-2",
    "../../etc/passwd",
    "%00%ff",
)

words = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)
hostile = st.one_of(
    st.sampled_from(HOSTILE),
    words,
    st.lists(st.sampled_from(HOSTILE), max_size=4).map(" ".join),
)
tokens = st.one_of(
    st.sampled_from(["the rain jacket is light packable", "the cat sat and the cat sat", "a b c"]),
    st.integers(1, 40).map(lambda T: " ".join(f"w{i % 9}" for i in range(T))),
    st.lists(st.sampled_from(MARKUP), min_size=1, max_size=5).map(" ".join),
)
labels = st.sampled_from(["the", "the (2)", "a", "b", "w1", "packable", "light", *MARKUP])
sharpness = st.integers(-2, 22).map(lambda n: n / 2)
edits = st.lists(
    st.builds(
        "{}:{},{}={}".format,
        st.sampled_from("QKV"),
        st.integers(-1, 40),
        st.integers(0, 40),
        st.one_of(st.integers(-120, 120), st.floats(-200, 200)),
    ),
    max_size=12,
).map(" ".join)

# What each key of a link is meant to hold, valid or nearly so.
KEYS: dict[str, st.SearchStrategy[Any]] = {
    "tokens": tokens,
    "categories": st.text("0123", max_size=40),
    "d_model": st.integers(-2, 140),
    "heads": st.integers(-2, 140),
    "causal": st.sampled_from(["true", "false", "True", "FALSE", "1"]),
    "present": st.sampled_from(["true", "false", "True", "1"]),
    "step": st.sampled_from(
        [
            "Arithmetic",
            "Matrices",
            "Handed on",
            "Predict",
            "Your own head",
            "Two layers",
            "matrices",
        ]
    ),
    "view": st.sampled_from([*VIEWS, "lines"]),
    "left": st.sampled_from([*GALLERY, "Uniform"]),
    "right": st.sampled_from([*GALLERY, "first"]),
    "sharp_left": sharpness,
    "sharp_right": sharpness,
    "back_left": st.integers(-1, 10),
    "back_right": st.integers(-1, 10),
    "category_left": st.sampled_from([*CATEGORY_NAMES, "verb"]),
    "category_right": st.sampled_from([*CATEGORY_NAMES, "2"]),
    "query": labels,
    "key": labels,
    "side": st.sampled_from([*SIDES, *SIDES.values()]),
    "guess_side": st.sampled_from([*SIDES, *SIDES.values()]),
    "guess": labels,
    "reveal": st.sampled_from(["true", "false"]),
    "own": edits,
    "challenge": st.sampled_from([*CHALLENGES, "none"]),
    "stage": st.sampled_from([*STAGES, "0"]),
    "mistake": st.sampled_from(["none", *MISTAKES, "both"]),
    "batch": st.integers(-1, 4),
    "at": st.sampled_from([*STEPS, "softmax"]),
    "seed": st.integers(-1, 10_001),
    "item": st.integers(-1, 3),
    "from": st.integers(-1, 20),
    "column": st.integers(-1, 140),
    "fused": st.sampled_from(["true", "false"]),
    "check": st.sampled_from(["true", "false"]),
    "models_step": st.sampled_from([*MODEL_STEPS, "The caches"]),
    "model": st.sampled_from([*(model.title for model in MODELS.values()), "gpt2"]),
    "model_kv": st.integers(-1, 300),
    "context": st.one_of(st.integers(-1, 2**25), st.integers(1, 10**12)),
    "sequences": st.integers(-1, 2000),
    "format": st.sampled_from(["32 bits", "16 bits", "8 bits", "4 bits", "2 bits"]),
    "decode": st.sampled_from(["true", "false"]),
    "cost": st.sampled_from([*QUANTITIES, "seconds"]),
    "find": st.text(max_size=60),
    "sharing": st.sampled_from([*SHARINGS, "all", "none"]),
    "order": st.sampled_from([*SORTED_BY, "by name"]),
    "cache_guess": st.sampled_from([*CACHE_GUESSES, "8"]),
    "cache_reveal": st.sampled_from(["true", "false"]),
    "training_step": st.sampled_from(
        ["Training", "Patterns", "Knock out", "Predict", "Two seeds", "Train"]
    ),
    "train_tasks": st.sampled_from([*TASKS, "Copy"]),
    "train_layers": st.integers(-1, 6),
    "train_size": st.sampled_from([OWN, SIDEBAR, "64"]),
    "train_steps": st.integers(-1, 2500),
    "train_seed": st.integers(-1, 10_001),
    "train_seed2": st.integers(-1, 10_001),
    "seeds_task": st.sampled_from([*TASKS, "Copy"]),
    "job": st.sampled_from([f"{task}: {job}" for task in TASKS for job in jobs(task)]),
    "job2": st.sampled_from([f"{task}: {job}" for task in TASKS for job in jobs(task)]),
    "snapshot": st.integers(-1, 2500),
    "train_text": st.sampled_from([*(task.example for task in TASKS.values()), "a z"]),
    "train_layer": st.integers(-1, 5),
    "off": st.sampled_from(["L0H0", "L1H3", "L3H15", "L9H9"]),
    "off_job": st.sampled_from([f"{task}: {job}" for task in TASKS for job in jobs(task)]),
    "missed_guess": st.sampled_from(["L0H0", "L1H3", "L9H9"]),
    "missed_reveal": st.sampled_from(["true", "false"]),
    "parameters_step": st.sampled_from(
        ["On paper", "Every number of heads", "In PyTorch", "Predict", "on paper"]
    ),
    "stack": st.sampled_from([*STACKS, "head"]),
    "width": st.one_of(st.integers(-1, 20_000), st.sampled_from([15_120, MAX_WIDTH])),
    "width_heads": st.one_of(st.integers(-1, 70), st.integers(1, 20_000)),
    "kv_heads": st.one_of(st.integers(-1, 70), st.integers(1, 20_000)),
    "d_head": st.integers(-1, 1100),
    "bias": st.sampled_from(["true", "false", "1"]),
    "pitfalls_step": st.sampled_from([*PITFALL_STEPS, "The mistake"]),
    "case": st.sampled_from([*(pitfall.name for pitfall in PITFALLS.values()), "bare_view"]),
    **{
        f"with_{i}": st.one_of(
            st.integers(-1, 70), st.sampled_from(["True", "-inf", "float16", "gpt2"])
        )
        for i in range(1, 5)
    },
    "find_case": st.text(max_size=60),
    "topic": st.sampled_from([*TOPICS, "all", "none"]),
    "right_guess": st.sampled_from(["A", "B", "C"]),
    "right_reveal": st.sampled_from(["true", "false"]),
    "mask": st.one_of(
        st.sampled_from(list(EXAMPLES.values())),
        st.text("01 -inf\n[],", max_size=200),
        st.sampled_from(["[[[1 0]]\n[[0 1]]]", "[[[[True]][[False]]]]"]),
        st.integers(1, 12).map(lambda n: "\n".join(["1 " * n] * n)),
    ),
    "mask_type": st.sampled_from([*TYPES, "double"]),
    "mask_at": st.sampled_from(["matrix 0", "matrix 1", "sequence 0, head 0", "matrix 99"]),
    "mask_counts": st.sampled_from([*COUNTS, "tokens"]),
    "puzzle": st.sampled_from([*(f"Case {n}" for n in range(1, 31)), "bare_view"]),
    "count_guess": st.sampled_from([*GUESSES, "most"]),
    "count_reveal": st.sampled_from(["true", "false"]),
}
UNKNOWN = ("x", "page", "scene", "notes", "chips", "embed", "<b>", "__proto__", "a.b[c]:Q")


@st.composite
def links(draw, keys=tuple(KEYS), most=12) -> dict[str, str | list[str]]:
    """Some of the known keys and some unknown ones, each with a value that may be hostile."""
    link: dict[str, str | list[str]] = {}
    for key in draw(st.lists(st.sampled_from(keys), unique=True, max_size=most)):
        fitting = KEYS[key].map(str)
        kind = draw(st.sampled_from(["fitting", "fitting", "hostile", "several"]))
        if kind == "several":
            link[key] = draw(st.lists(st.one_of(fitting, hostile), min_size=1, max_size=3))
        else:
            link[key] = draw(fitting if kind == "fitting" else hostile)
    for key in draw(st.lists(st.sampled_from(UNKNOWN), unique=True, max_size=2)):
        link[key] = draw(hostile)
    return link


def assert_stands(app) -> None:
    """The page is up, whole and bounded."""
    assert not app.exception
    assert len(app.title) == 1
    assert {w.key for w in (*app.sidebar.text_input, *app.sidebar.slider)} >= {"tokens", "d_model"}
    assert app.sidebar.select_slider(key="heads")
    assert app.sidebar.toggle(key="causal")
    sentence, config = scene_of(app).sentence, scene_of(app).config
    assert 1 <= len(sentence) <= MAX_TOKENS
    assert config.d_model <= scene.D_MODEL_RANGE[1]
    assert config.d_model % config.n_heads == 0
    for chart in app.get("vega_lite_chart"):
        table = table_of(chart)
        most = MOST_PIECES if "part" in table else MOST_ROWS
        most = len(sentence) ** 2 if "weight" in table else most
        assert 1 <= len(table) <= most
        if "weight" in table:
            weights = table["weight"].to_numpy().reshape(len(sentence), -1)
            # Hidden, or whole: each row adds up to 1.
            assert np.isnan(weights).all() or np.allclose(weights.sum(axis=1), 1)
    assert bytes_sent(app) <= MOST_BYTES
    assert all(len(note) < 600 for note in notes(app))


@many
@given(page=st.sampled_from(PAGES), link=links())
@example(page=HEADS, link={"tokens": " ".join(MARKUP), "step": "Matrices"})
@example(page=HEADS, link={"tokens": "\x00 \ufffd", "query": "\x00", "step": "Predict"})
@example(page=HEADS, link=dict.fromkeys(KEYS, "<img src=x onerror=alert(1)>"))
@example(page=HEADS, link=dict.fromkeys(KEYS, "1e99"))
@example(page=HEADS, link=dict.fromkeys(KEYS, ""))
@example(page=HEADS, link={key: ["a", "b"] for key in KEYS})
@example(page="split_merge", link={"stage": "", "mistake": "", "batch": ""})
@example(page="parameters", link={"width": "15120", "width_heads": "30", "stack": "by head"})
@example(page="parameters", link=dict.fromkeys(KEYS, ""))
@example(page="parameters", link=dict.fromkeys(KEYS, "1e99"))
@example(page="pitfalls", link=dict.fromkeys(KEYS, ""))
@example(page="pitfalls", link=dict.fromkeys(KEYS, "1e99"))
@example(page=HEADS, link={"step": "Matrices", "side": "", "view": ""})
@example(page=HEADS, link={"step": "Predict", "guess_side": "", "guess": "the"})
def test_no_link_brings_a_page_down(page, link):
    app = open_page(page, **link)
    assert_stands(app)
    app.run()  # as at the visitor's next click
    assert_stands(app)


@pytest.fixture(autouse=True, scope="module")
def nothing_is_trained():
    """No link starts a training, whatever it asks for."""
    yield
    assert len(shelf()) == 0


@some
@given(page=st.sampled_from(PAGES), link=links())
def test_the_scene_that_any_link_gives_has_a_link_of_its_own(page, link):
    app = open_page(page, **link)
    assert scene_of(open_page(page, **sidebar(app))) == scene_of(app)


@pytest.mark.parametrize("piece", ["x", "a ", "👨‍👩‍👧 "])
@pytest.mark.parametrize("key", ["tokens", "own", "query", "left", "unknown"])
def test_half_a_megabyte_is_bounded(key, piece):
    assert_stands(open_page(**{key: (piece * 500_000)[:500_000]}))


def test_the_largest_sentence_there_is_stays_bounded():
    widest = ("\U00020000" * 24 + " ") * MAX_TOKENS
    assert len(Sentence.fit(widest)[0]) == MAX_TOKENS
    for step in ("Arithmetic", "Matrices", "Your own head", "Two layers"):
        app = open_page(tokens=widest, step=step, own="Q:0,0=1 " * (MAX_EDITS_TEXT // 8))
        assert_stands(app)


def test_every_key_that_a_page_reads_is_among_those_thrown():
    assert set().union(*map(keys_of_page, PAGES)) == set(KEYS)


# Where a page has widgets that its steps alone do not show.
FURTHER: dict[str, list[dict[str, Any]]] = {
    HEADS: [{"left": head, "right": head} for head in GALLERY],
    "fused_module": [
        {"d_model": 16, "heads": 16, "batch": 2, "at": at} for at in ("weights", "out")
    ],
    "training": [
        {
            "training_step": step,
            "train_tasks": [*TASKS],
            "train_size": SIDEBAR,
            "heads": 16,
            "train_layers": 2,
        }
        for step in ("Patterns", "Two seeds")
    ],
    "pitfalls": [{"pitfalls_step": "The mask doctor", "mask": EXAMPLES["one a sequence"]}],
}


def keys_of_page(page: str) -> set[str]:
    """The keys that the page keeps in the link, whatever it shows; opens all of it."""
    app = open_page(page)
    steps = [
        {control.key: step}
        for control in app.segmented_control
        if control.key is not None and control.key.endswith("step")
        for step in control.options
    ]
    apps = (open_page(page, **link) for link in [*steps, *FURTHER.get(page, [])])
    return keys_of_the_link(app).union(*map(keys_of_the_link, apps))


# Text stays text

# A longer word would be cut, and a space ends it.
whole = [word for word in MARKUP if len(word) <= MAX_CLUSTERS and not re.search(r"\s", word)]


def is_shown_as_it_is(word: str, text: str) -> bool:
    """Whether every place where Markdown text says the word says it escaped."""
    return word not in text.replace(plain(word), "")


@some
@given(
    step=st.sampled_from(["Arithmetic", "Matrices", "Handed on", "Predict", "Your own head"]),
    said=st.lists(st.sampled_from(whole), min_size=1, max_size=6, unique=True),
    page=st.sampled_from(PAGES),
    at=st.sampled_from(STEPS),
    reveal=st.booleans(),
    data=st.data(),
)
def test_people_s_words_are_never_markup(step, said, page, at, reveal, data):
    chosen = {key: data.draw(st.sampled_from(said)) for key in ("query", "key", "guess")}
    wrong = {key: data.draw(st.sampled_from(said)) for key in ("heads", "d_model", "causal", "own")}
    app = open_page(page, tokens=" ".join(said), step=step, at=at, reveal=reveal, **chosen, **wrong)
    assert not app.exception
    texts = list(markdown(app))
    for word in said:
        for text in texts:
            assert is_shown_as_it_is(word, text), (word, text)
    opens = page == HEADS and step in ("Arithmetic", "Handed on", "Predict")
    if opens or page == "fused_module":
        assert any(plain(chosen["query"]) in text for text in texts)
    assert any(plain(wrong["heads"]) in text for text in texts)


def test_a_word_left_as_it_is_would_be_seen():
    assert is_shown_as_it_is("**b**", f"the row of {bold('**b**')} and {listed(['**b**'])}")
    assert not is_shown_as_it_is("**b**", "the row of **b**")
    assert not is_shown_as_it_is(":red[x]", f"{plain(':red[x]')} and :red[x]")


LATE = (":streamlit:", "http://", "https://", "www.", "me@a", "->", "<-", "--", ">=", "<=", "~=")
ESCAPED = re.compile(rf"\\[{re.escape(string.punctuation)}]")

any_text = st.one_of(st.text(), st.lists(st.sampled_from([*HOSTILE, "\\", "a"])).map("".join))


@given(any_text)
def test_plain_leaves_no_sign_that_markdown_reads(text):
    left = ESCAPED.sub("", plain(text))
    assert not set(left) & set(string.punctuation)


@given(any_text)
def test_plain_is_read_back_as_the_text(text):
    assert read(plain(text)) == text.replace(JOINER, "")


@given(st.lists(st.sampled_from([*LATE, *LATE, "a", ".", "=", "b"])).map("".join))
@example("got heads=https://a.example/b. Showing")
@example("the row of :streamlit: and www.a.example, me@a.example")
def test_plain_breaks_what_streamlit_reads_when_the_escapes_are_gone(text):
    """Some things it looks for in the text itself: its logo, addresses, arrows and dashes."""
    shown = re.sub(r"\\(.)", r"\1", plain(text))
    for sign in LATE:
        assert sign not in shown.lower()


@pytest.mark.parametrize("sign", LATE)
def test_a_sign_that_streamlit_reads_late_is_in_no_text_of_a_page(sign):
    word = f"{sign}a.example"
    wrong = dict.fromkeys(["heads", "own"], word)
    app = open_page(tokens=f"a {word}", query=word, key="a", step="Arithmetic", **wrong)
    shown = [re.sub(r"\\(.)", r"\1", text) for text in markdown(app)]
    assert any(sign.replace(JOINER, "") in read(text) for text in shown)
    assert not [text for text in shown if word in text]


@given(st.lists(st.text(min_size=1), min_size=1, max_size=5))
def test_a_list_of_words_names_each_in_bold(said):
    text = listed(said)
    assert text.count("**\N{FIRST STRONG ISOLATE}") == len(said)
    for word in said:
        assert bold(word) in text
