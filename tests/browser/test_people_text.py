"""People's words stay text, whatever they look like, and no link or paste takes a page down."""

from __future__ import annotations

import re
from collections import Counter

import pytest
from playwright.sync_api import Page

from mha.sentence import EXAMPLE, MAX_CLUSTERS, MAX_TOKENS, shorten
from mha.tables import LABEL_COLUMNS
from tests.browser.reading import (
    HEADS,
    WITH_CHIPS,
    addresses,
    chips,
    choose,
    hover_cell,
    link,
    link_of,
    messages,
    picture_of,
    press_segment,
    read,
    scene_on,
    scroll_to,
    seen,
    segments,
    table,
    turn,
    type_words,
    widget,
)
from tests.browser.visit import settle

# Each is one token: markup, Markdown, formulas, icons, expressions, field names, templates.
MARKUP = (
    "<img/src=x> <svg/onload=alert(1)> <script> &lt;b&gt; <b>x</b> **b** __b__ `c` $x$ $$y$$ "
    ":red[x] ![](http://x) [l](http://x) http://x.example :smile: :material/home: datum.x "
    "a.b[c]:Q a'b \\ {{x}} ~~s~~"
)
# Families, accents, and scripts that are wide or run from right to left.
SCRIPTS = "👨\u200d👩\u200d👧 e\u0301\u0323 雨衣很轻 जैकेट جاكيت מעיל 🇩🇪 a\u202eb"
HARMLESS = " ".join(f"w{i}" for i in range(len(MARKUP.split())))

ELEMENTS = """(closed) => {
    const names = [];
    const walk = (node) => {
        // What a chart draws for a word is read by itself; a line of text may break anywhere.
        for (const child of node.children) {
            names.push(child.localName);
            if (closed && child.matches(closed)) continue;
            walk(child);
            if (child.shadowRoot) walk(child.shadowRoot);
        }
    };
    walk(document.body);
    return names;
}"""


def elements(page: Page, *, closed: str = "") -> Counter[str]:
    """How many elements of each kind the whole document has, those of components included.

    closed: a selector of elements whose insides are left out.
    """
    return Counter(page.evaluate(ELEMENTS, closed))


TABLES_ARE_TOLD = """() => [...document.querySelectorAll('[data-testid="data-grid-canvas"]')]
    .every((table) => table.hasChildNodes() || !table.checkVisibility())"""


def assert_up(page: Page) -> None:
    """The page of hand-built heads shows its title, its sidebar and its words, and no error."""
    assert page.get_by_role("heading", level=1).count() == 1
    assert page.get_by_test_id("stException").count() == 0
    assert page.get_by_role("dialog").count() == 0
    assert widget(page, "tokens").get_by_role("textbox").is_visible()
    assert chips(page).count() >= 1


def words_on(page: Page) -> list[str]:
    return [text.rsplit("\n", 1)[0] for text in chips(page).all_inner_texts()]


# Words.


# Beside the sidebar, which all pages share, these show no words: what they send is read elsewhere.
WORDLESS = ("/split_merge", "/parameters", "/training")


@pytest.mark.parametrize("address", [a for a in addresses() if a not in (HEADS, *WORDLESS)])
def test_words_make_no_elements_of_their_own_on_any_page(open_page, address):
    digits = "0" * len(HARMLESS.split())
    plain, odd = (open_page(link(address, tokens=t, categories=digits)) for t in (HARMLESS, MARKUP))
    # Where the words are embedded as vectors, formulas have other numbers for other words.
    closed = ".katex" if address == "/fused_module" else ""
    assert elements(odd, closed=closed) == elements(plain, closed=closed)
    written = "".join(odd.locator(".katex annotation").all_text_contents())
    assert not [word for word in MARKUP.split() if len(word) > 1 and word in written]
    assert words_on(odd) == (MARKUP.split() if address in WITH_CHIPS else [])
    assert scene_on(odd)["tokens"] == MARKUP


def test_words_make_no_elements_of_their_own_in_any_step(open_page):
    digits = "0" * len(HARMLESS.split())
    harmless, hostile = HARMLESS.split(), MARKUP.split()
    plain, odd = (
        open_page(
            link(tokens=text, categories=digits, query=words[0], key=words[0], guess=words[5]),
            width=1920,
            height=1080,
        )
        for text, words in ((HARMLESS, harmless), (MARKUP, hostile))
    )
    for step in segments(plain, "step"):
        for page in (plain, odd):
            press_segment(page, "step", step)
            if step == "Predict":
                turn(page, "reveal")
        # A table of numbers is drawn on a canvas; what a reader hears of it comes a moment later.
        for page in (plain, odd):
            page.wait_for_function(TABLES_ARE_TOLD)
        assert elements(odd) == elements(plain), step


@pytest.mark.parametrize("text", [MARKUP, SCRIPTS], ids=["markup", "scripts"])
def test_words_are_shown_as_they_were_typed_wherever_they_stand(open_page, text):
    page = open_page(HEADS)
    type_words(page, text)
    # An override of the direction would turn round what stands beside it.
    words = text.replace("\u202e", "\N{REPLACEMENT CHARACTER}").split()
    assert words_on(page) == words
    names = chips(page).evaluate_all("chips => chips.map(chip => chip.ariaLabel)")
    assert all(name.startswith(f"{word}:") for name, word in zip(names, words, strict=True))

    picture = read(picture_of(page, "left"))
    assert picture.rows == picture.columns == [shorten(word, LABEL_COLUMNS) for word in words]
    told = hover_cell(page, "left", 1, 0)
    assert words[0] in told
    assert words[1] in told

    choose(page, "query", words[0])
    choose(page, "key", words[1])
    assert link_of(page)["query"] == words[0]
    assert widget(page, "query").get_by_role("combobox").input_value() == words[0]
    heading = seen(page.get_by_test_id("stMain").locator("p", has_text="→").first.inner_text())
    assert words[0] in heading
    assert words[1] in heading
    alt = picture_of(page, "left").get_attribute("aria-label")
    assert f"{words[0]} looks most at {words[0]}," in alt
    # A table holds the rows that are in sight.
    rows = [row[0] for row in table(page, re.compile("key by key"))]
    assert len(rows) >= 8
    assert rows == words[: len(rows)]


def test_a_list_offers_words_as_they_were_typed(open_page):
    page = open_page(link(tokens=MARKUP))
    box = widget(page, "query").get_by_role("combobox")
    scroll_to(box)
    box.click()
    offered = page.get_by_role("option").all_inner_texts()
    assert len(offered) >= 5
    assert offered == MARKUP.split()[: len(offered)]


def test_a_verdict_says_words_as_they_were_typed(open_page):
    words = "**b** :red[x] $x$ <b>x</b>".split()
    page = open_page(
        link(tokens=" ".join(words), step="Predict", query=words[3], guess=words[1], reveal=True)
    )
    (told,) = messages(page)
    assert words[1] in told
    assert words[2] in told


# Limits, and what the page says about them.


def test_more_words_than_fit_are_told_and_the_first_are_shown(open_page):
    page = open_page(HEADS)
    type_words(page, " ".join(f"w{i}" for i in range(MAX_TOKENS + 1)))
    (told,) = scene_on(page)["notes"]
    assert f"at most {MAX_TOKENS} tokens; got {MAX_TOKENS + 1}" in told
    assert words_on(page) == [f"w{i}" for i in range(MAX_TOKENS)]
    assert_up(page)


def test_a_word_too_long_is_told_as_text_and_its_beginning_is_shown(open_page):
    page = open_page(HEADS)
    word = f"**{'b' * MAX_CLUSTERS}**"
    type_words(page, f"{word} {'x' * MAX_CLUSTERS}")
    (told,) = scene_on(page)["notes"]
    assert word[:MAX_CLUSTERS] in told
    assert words_on(page) == [word[:MAX_CLUSTERS], "x" * MAX_CLUSTERS]


def test_a_long_word_is_shortened_in_the_picture_and_whole_under_the_mouse(open_page):
    word = "internationalisierungen"
    page = open_page(link(tokens=f"{word} b"))
    picture = read(picture_of(page, "left"))
    assert picture.rows[0] == shorten(word, LABEL_COLUMNS) != word
    assert word in hover_cell(page, "left", 1, 0)


def test_a_megabyte_of_pasted_text_is_told_and_its_beginning_is_shown(open_page):
    page = open_page(HEADS)
    box = widget(page, "tokens").get_by_role("textbox")
    box.press("ControlOrMeta+A")
    page.keyboard.insert_text("rain jacket " * 90_000)
    settle(page)
    assert_up(page)
    told = scene_on(page)["notes"]
    assert any("characters" in note for note in told), told
    assert words_on(page)[:2] == ["rain", "jacket"]


def test_no_words_at_all_are_told_and_the_example_is_shown(open_page):
    page = open_page(HEADS)
    type_words(page, " ")
    assert words_on(page) == EXAMPLE.split()
    assert len(scene_on(page)["notes"]) == 1


# Links that nobody would write by hand, or somebody would on purpose.


@pytest.mark.parametrize(
    ("tokens", "words"),
    [
        ("a%00b+%7f", ["a␀b", "\N{REPLACEMENT CHARACTER}"]),
        ("%ff%fe+c", ["\N{REPLACEMENT CHARACTER}" * 2, "c"]),
        ("%ED%A0%80+c%C3", ["\N{REPLACEMENT CHARACTER}" * 3, "c\N{REPLACEMENT CHARACTER}"]),
        ("%3Cimg+src%3Dx+onerror%3Dalert(1)%3E", ["<img", "src=x", "onerror=alert(1)>"]),
        ("a%0Ab%09c", ["a", "b", "c"]),
        ("a&tokens=b", None),
        ("", EXAMPLE.split()),
    ],
    ids=["controls", "no UTF-8", "half a surrogate", "an image", "line feeds", "twice", "empty"],
)
def test_whatever_bytes_a_link_holds_become_words(open_page, tokens, words):
    page = open_page(f"{HEADS}?tokens={tokens}")
    assert_up(page)
    if words is not None:
        assert words_on(page) == words


@pytest.mark.parametrize(
    ("query", "told", "shown"),
    [
        ("d_model=1e99", "d_model", {"d_model": "32"}),
        ("d_model=**b**", "d_model=**b**", {"d_model": "32"}),
        ("heads=-1", "heads=-1", {"heads": "4"}),
        ("heads=3&d_model=32", "heads=3", {"d_model": "32", "heads": "2"}),
        ("causal=maybe", "causal=maybe", {"causal": True}),
        ("categories=20", "2 (filler); got 2 for 6 tokens", {}),
        ("categories=2002112", "2 (filler); got 7 for 6 tokens", {}),
        ("categories=$x$:red", "0 (product), 1 (feature) or 2 (filler)", {}),
        ("own=<img/src=x>", None, {}),
        (
            "step=nonsense&view=x&left=nobody&query=gone&key=gone&guess=gone&side=x&guess_side=1"
            "&sharp_left=nan&sharp_right=1e309&back_left=-1&category_left=9&challenge=x&reveal=2",
            None,
            {"notes": []},
        ),
    ],
)  # fmt: skip
def test_a_link_with_wrong_values_shows_the_defaults_and_says_so(open_page, query, told, shown):
    page = open_page(f"{HEADS}?{query}")
    assert_up(page)
    on = scene_on(page)
    assert {key: on[key] for key in shown} == shown
    assert words_on(page) == EXAMPLE.split()
    assert bool(on["notes"]) == (told is not None)
    if told:
        assert any(told in note for note in on["notes"]), on["notes"]
    assert not read(picture_of(page, "left")).hatched[-1].any()


def test_a_wrong_own_head_is_told_as_text_and_the_rest_is_taken(open_page):
    page = open_page(link(own="Q:0,0=6 <b>**x**</b> Q:1,0=6", left="your own"))
    alerts = page.get_by_test_id("stMain").get_by_test_id("stAlert").all_text_contents()
    assert any("got <b>**x**</b>." in seen(told) for told in alerts), alerts
    assert "1.00" in read(picture_of(page, "left")).numbers[1]
