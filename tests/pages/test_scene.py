"""The shared sidebar: what a link says, what a visitor changes, and what every page then gets."""

from __future__ import annotations

import pytest

from mha.checks import divisors, nearest_divisors
from mha.config import AttentionConfig
from mha.sentence import EXAMPLE, MAX_TEXT, MAX_TOKENS, Sentence
from pages.parts.scene import (
    D_MODEL_RANGE,
    DEFAULT_D_MODEL,
    DEFAULT_HEADS,
    SHARED_KEYS,
    Scene,
)
from tests.pages.app import (
    HEADS,
    PAGES,
    bytes_sent,
    chips,
    go_to,
    notes,
    open_page,
    press_chip,
    scene_of,
    sidebar,
)

DEFAULT = Scene(Sentence.parse(EXAMPLE), AttentionConfig(DEFAULT_D_MODEL, DEFAULT_HEADS), True)
LINK = {"tokens": "a light day", "categories": "012", "d_model": 48, "heads": 6, "causal": False}
LINKED = Scene(Sentence.parse("a light day", "012"), AttentionConfig(48, 6), False)

WITHOUT_WORDS = ("split_merge", "parameters")
LIGHT = "overview"  # the page with the least to draw, where the page does not matter

each_page = pytest.mark.parametrize("page", PAGES)


# What a link says


@each_page
def test_a_bare_address_shows_the_default_scene(page):
    app = open_page(page)
    assert scene_of(app) == DEFAULT
    assert notes(app) == []
    assert app.query_params == {}


@each_page
def test_a_link_seeds_every_shared_key(page):
    assert set(LINK) == set(SHARED_KEYS)
    app = open_page(page, **LINK)
    assert sidebar(app) == LINK
    assert scene_of(app) == LINKED
    assert notes(app) == []


@each_page
def test_the_first_request_of_a_fresh_server_gets_the_sidebar_and_the_scene(page, fresh_server):
    app = open_page(page, **LINK)
    assert not app.exception
    assert sidebar(app) == LINK
    assert scene_of(app) == LINKED


@each_page
def test_a_wrong_link_at_a_fresh_server_is_mended_and_told(page, fresh_server):
    app = open_page(page, d_model="1e99", heads=5, tokens="a b")
    assert not app.exception
    assert scene_of(app) == Scene(Sentence.parse("a b"), DEFAULT.config, True)
    assert len(notes(app)) == 2


@pytest.mark.parametrize("first", PAGES)
def test_switching_pages_keeps_the_scene_and_the_link(first):
    app = open_page(first, **LINK)
    link = dict(app.query_params)
    for page in [*PAGES, first]:
        go_to(app, page).run()
        assert not app.exception
        assert scene_of(app) == LINKED, page
        assert sidebar(app) == LINK, page
        assert app.query_params == link, page


def test_a_change_on_one_page_is_there_on_the_next():
    app = open_page(PAGES[0])
    app.text_input(key="tokens").set_value("so it goes").run()
    app.toggle(key="causal").set_value(False).run()
    for page in PAGES:
        go_to(app, page).run()
        assert scene_of(app) == Scene(Sentence.parse("so it goes"), DEFAULT.config, False), page


@each_page
@pytest.mark.parametrize(
    ("key", "value", "says"),
    [
        ("d_model", "1e99", f"got d_model=1e99. Showing {DEFAULT_D_MODEL}."),
        ("d_model", "-1", f"got d_model=-1. Showing {DEFAULT_D_MODEL}."),
        ("d_model", "0", f"got d_model=0. Showing {DEFAULT_D_MODEL}."),
        ("d_model", "130", f"got d_model=130. Showing {DEFAULT_D_MODEL}."),
        ("d_model", "nan", f"got d_model=nan. Showing {DEFAULT_D_MODEL}."),
        ("d_model", "zz", f"got d_model=zz. Showing {DEFAULT_D_MODEL}."),
        ("heads", "-1", "got heads=-1."),
        ("heads", "0", "got heads=0."),
        ("heads", "1e99", "got heads=1e99."),
        ("heads", "129", "got heads=129."),
        ("heads", "four", "got heads=four."),
        ("causal", "zz", "got causal=zz. Showing true."),
        ("causal", "2", "got causal=2. Showing true."),
    ],
)
def test_a_value_out_of_bounds_becomes_the_default_and_is_told(page, key, value, says):
    app = open_page(page, **{key: value})
    assert scene_of(app) == DEFAULT
    (note,) = notes(app)
    assert note.startswith(f"{key} must be ")
    assert says in note
    assert key not in app.query_params


def test_every_wrong_value_has_a_message_of_its_own():
    app = open_page(LIGHT, d_model="1e99", heads="-1", causal="zz")
    assert scene_of(app) == DEFAULT
    assert sorted(note.split(" must be ")[0] for note in notes(app)) == [
        "causal",
        "d_model",
        "heads",
    ]


NEARLY = ["8.0", "8.7", " 8", "8 ", "0_8", "1_6", "+8", "08", "8e0", "８", "٨", "8\n", "8,", "0x8"]


@pytest.mark.parametrize("value", [*NEARLY, "8", ["4", "8"], ["8", "x"], ["x", "8"]])
@pytest.mark.parametrize("key", ["d_model", "heads"])
def test_a_number_is_taken_or_told_and_never_both(key, value):
    """Nearly a number is none, whatever Streamlit would read in it; the last of several counts."""
    app = open_page(LIGHT, **{key: value})
    config = scene_of(app).config
    shown = {"d_model": config.d_model, "heads": config.n_heads}[key]
    last = value[-1] if isinstance(value, list) else value
    if last in ("8", "08"):
        assert shown == 8
        assert notes(app) == []
    else:
        assert config == DEFAULT.config
        assert len(notes(app)) == 1


@pytest.mark.parametrize(
    "value", ["\n\n    code", "a\n- b", "\u202eb", "a\x00b", "\u2028", "\r\r# a"]
)
@pytest.mark.parametrize("key", ["d_model", "heads", "causal"])
def test_a_message_is_one_line_in_which_nothing_is_unseen(key, value):
    (note,) = notes(open_page(LIGHT, **{key: value}))
    assert note.isprintable()


@pytest.mark.parametrize(("d_model", "heads"), [(32, 3), (10, 3), (48, 47), (2, 128), (128, 100)])
def test_a_link_s_heads_that_do_not_divide_become_the_nearest_that_do(d_model, heads):
    nearest = nearest_divisors(d_model, heads)[0]
    app = open_page(LIGHT, d_model=d_model, heads=heads)
    assert scene_of(app).config == AttentionConfig(d_model, nearest)
    assert app.select_slider(key="heads").value == nearest
    assert notes(app) == [
        f"heads must divide d_model; got d_model={d_model}, heads={heads}. "
        f"Showing heads={nearest}, the nearest that does."
    ]
    default = nearest_divisors(d_model, DEFAULT_HEADS)[0]  # which a link leaves out
    assert app.query_params.get("heads", str(default)) == str(nearest)


def test_heads_are_held_to_the_default_width_where_the_link_s_own_is_wrong():
    app = open_page(LIGHT, d_model="1e99", heads=5)
    assert scene_of(app).config == DEFAULT.config
    assert len(notes(app)) == 2


# What a visitor changes


def test_heads_offers_only_divisors_and_a_new_width_takes_the_nearest():
    app = open_page(LIGHT, heads=2)
    for d_model in range(D_MODEL_RANGE[0], D_MODEL_RANGE[1] + 1, 2):
        before = app.select_slider(key="heads").value
        app.slider(key="d_model").set_value(d_model).run()
        heads = app.select_slider(key="heads")
        assert tuple(map(int, heads.options)) == divisors(d_model)
        assert heads.value == nearest_divisors(d_model, before)[0]
        assert scene_of(app).config == AttentionConfig(d_model, heads.value)
        # Now and then a large count, so that a smaller width must answer for it.
        if d_model % 12 == 0:
            heads.set_value(d_model // 2).run()


def test_a_width_that_leaves_the_heads_behind_says_what_it_took():
    app = open_page(LIGHT, d_model=32, heads=16)
    app.slider(key="d_model").set_value(24).run()
    assert scene_of(app).config == AttentionConfig(24, 12)
    (note,) = notes(app)
    assert "heads must divide d_model; got d_model=24, heads=16." in note
    assert "heads=12" in note
    assert (app.query_params["d_model"], app.query_params["heads"]) == ("24", "12")


def test_a_width_that_keeps_the_heads_says_nothing():
    app = open_page(LIGHT, d_model=32, heads=8)
    app.slider(key="d_model").set_value(64).run()
    assert scene_of(app).config == AttentionConfig(64, 8)
    assert notes(app) == []


CHANGES = {
    "d_model": ("1e99", lambda app: app.slider(key="d_model").set_value(64)),
    "heads": ("-1", lambda app: app.select_slider(key="heads").set_value(8)),
    "causal": ("zz", lambda app: app.toggle(key="causal").set_value(False)),
}


@pytest.mark.parametrize("key", CHANGES)
def test_a_message_stays_until_its_widget_is_changed(key):
    value, change = CHANGES[key]
    app = open_page(LIGHT, **{key: value})
    (note,) = notes(app)
    app.text_input(key="tokens").set_value("other words").run()
    assert notes(app) == [note]
    go_to(app, PAGES[-1]).run()
    assert notes(app) == [note]
    change(app).run()
    assert notes(app) == []


def test_the_message_about_the_nearest_heads_goes_when_heads_are_chosen():
    app = open_page(LIGHT, heads=3)
    assert len(notes(app)) == 1
    app.select_slider(key="heads").set_value(8).run()
    assert notes(app) == []
    assert scene_of(app).config == AttentionConfig(DEFAULT_D_MODEL, 8)


# Words


@pytest.mark.parametrize(
    "text",
    [
        "",
        "   \t ",
        " ".join(map(str, range(MAX_TOKENS + 1))),
        "short " + "x" * 25,
        "a" * (MAX_TEXT + 900),
        "e" + "\u0301" * 400,
    ],
    ids=["empty", "blank", "many words", "a long word", "a long text", "stacked accents"],
)
def test_words_that_do_not_fit_are_told_and_the_page_goes_on(text):
    # Streamlit holds a text to one character more than fits.
    sentence, complaints = Sentence.fit(text[: MAX_TEXT + 1])
    app = open_page(LIGHT, tokens=text)
    assert not app.exception
    assert scene_of(app).sentence == sentence
    assert tuple(notes(app)) == complaints
    app.text_input(key="tokens").set_value("a b").run()
    assert notes(app) == []


# Categories


def test_the_guessed_categories_leave_the_link_empty():
    app = open_page(LIGHT)
    guessed = scene_of(app).sentence.categories
    press_chip(app, 2)
    assert "categories" in app.query_params
    for _ in range(2):
        press_chip(app, 2)
    assert scene_of(app).sentence.categories == guessed
    assert "categories" not in app.query_params


@pytest.mark.parametrize("page", ["overview", HEADS])
def test_a_press_moves_one_word_to_its_next_category(page):
    app = open_page(page, tokens="a b c", categories="012")
    for position in range(3):
        before = scene_of(app).sentence
        press_chip(app, position)
        after = before.with_category(position, (before.categories[position] + 1) % 3)
        assert scene_of(app).sentence == after
        assert app.query_params["categories"] == after.category_digits
        shown = [(chip["word"], chip["category"]) for chip in chips(app)]
        assert shown == list(zip(after.labels, after.categories, strict=True))


@pytest.mark.parametrize("position", [-1, 3, 10**9, 1.5, None, "0", [0], {"a": 1}])
def test_a_press_of_no_word_changes_nothing(position):
    app = open_page(LIGHT, tokens="a b c")
    before = scene_of(app)
    press_chip(app, position)
    assert not app.exception
    assert scene_of(app) == before


def test_words_that_stay_keep_the_category_that_was_chosen():
    app = open_page(LIGHT, tokens="one two three", categories="102")
    app.text_input(key="tokens").set_value("one new two and three").run()
    kept = dict(zip(scene_of(app).sentence.tokens, scene_of(app).sentence.categories, strict=True))
    assert (kept["one"], kept["two"], kept["three"]) == (1, 0, 2)
    assert app.query_params["categories"] == scene_of(app).sentence.category_digits
    assert notes(app) == []


def test_categories_of_words_are_forgotten_with_the_words():
    app = open_page(LIGHT, tokens="one two", categories="12")
    app.text_input(key="tokens").set_value("quite different").run()
    assert scene_of(app).sentence == Sentence.parse("quite different")
    assert "categories" not in app.query_params


@pytest.mark.parametrize(
    "digits", ["0", "01201201", "01x", "³²¹", "٠١٢", "0 2", "-10", "333", "9" * 64]
)
def test_categories_that_do_not_fit_are_told_and_the_rest_is_guessed(digits):
    sentence, complaints = Sentence.fit("a light day", digits)
    assert complaints
    app = open_page(LIGHT, tokens="a light day", categories=digits)
    assert not app.exception
    assert scene_of(app).sentence == sentence
    assert tuple(notes(app)) == complaints
    app.text_input(key="categories").set_value("012").run()
    assert scene_of(app).sentence.categories == (0, 1, 2)
    assert notes(app) == []


@pytest.mark.parametrize("key", SHARED_KEYS)
@pytest.mark.parametrize("length", [500_000, 1_000_000])
def test_a_very_long_value_is_bounded_and_the_page_stays_up(key, length):
    app = open_page(LIGHT, **{key: "1" * length})
    assert not app.exception
    assert len(scene_of(app).sentence) <= MAX_TOKENS
    assert scene_of(app).config == DEFAULT.config
    assert max(map(len, notes(app)), default=0) < 400
    # What was too long is not sent back either.
    assert bytes_sent(app) < 200_000


# Every page


def test_every_page_gets_the_same_scene():
    scenes = {page: scene_of(open_page(page, **LINK)) for page in PAGES}
    assert set(scenes.values()) == {LINKED}, scenes


def test_the_pages_of_the_app_are_the_files_there_are():
    assert HEADS in PAGES
    app = open_page(LIGHT)
    for page in PAGES:
        go_to(app, page).run()
        assert len(app.title) == 1
