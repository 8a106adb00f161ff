"""A visitor's words: nothing raises, everything is bounded, and every token keeps its own name."""

from __future__ import annotations

import re
import unicodedata

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mha.sentence import (
    CATEGORY_NAMES,
    EXAMPLE,
    MAX_CLUSTERS,
    MAX_TEXT,
    MAX_TOKENS,
    Sentence,
    carry_categories,
    grapheme_clusters,
    shorten,
    visible,
)
from mha.sentence.lexicon import FEATURE, FILLER, PRODUCT, guess_category
from tests.unit.draw import ACCENTED, FAMILY, FLAGS, HOSTILE, KISS, OVERRIDES, patient, texts
from tests.unit.says import says

MOST_CODE_POINTS = 192

word = st.text("abc()2 ́\u200d👨👩🇩🇪雨", min_size=1, max_size=6)
repeating_texts = st.lists(
    st.sampled_from(["a", "a(2)", "(2)", "a(2)(2)", "the", "A", "á", "a\u0301"]) | word, max_size=40
).map(" ".join)
categories_texts = st.none() | st.text(st.characters(exclude_categories=()), max_size=40)


def wrong_categories(got: str, guessed: str) -> str:
    return (
        "categories must have one digit for each token, 0 (product), 1 (feature) or 2 (filler); "
        f"got {got}. Try {guessed}."
    )


# Reading


def test_the_example_is_the_lessons_sentence_and_its_categories_are_guessed():
    sentence = Sentence.parse(EXAMPLE)
    assert sentence.tokens == ("the", "rain", "jacket", "is", "light", "packable")
    assert sentence.categories == (2, 0, 0, 2, 1, 1)
    assert sentence.category_digits == "200211"
    assert sentence.is_guessed
    assert CATEGORY_NAMES == ("product", "feature", "filler")


@pytest.mark.parametrize("given", ["0120", (0, 1, 2, 0), [0, 1, 2, 0], np.array([0, 1, 2, 0])])
def test_categories_are_digits_or_numbers(given):
    sentence = Sentence.parse("a b c d", given)
    assert sentence.categories == (0, 1, 2, 0)
    assert {type(category) for category in sentence.categories} == {int}


@pytest.mark.parametrize("none", [None, "", (), []])
def test_no_categories_are_guessed(none):
    assert Sentence.parse(EXAMPLE, none) == Sentence.parse(EXAMPLE)


def test_words_are_split_at_white_space_of_every_kind():
    text = " a\tb\nc\u00a0d\u3000e\u2028f\x1cg\r\n"
    assert Sentence.parse(text).tokens == tuple("abcdefg")


@given(texts() | repeating_texts, categories_texts)
@patient
def test_any_text_becomes_a_sentence_within_bounds(text, categories):
    sentence, complaints = Sentence.fit(text, categories)
    assert 1 <= len(sentence) == len(sentence.tokens) == len(sentence.categories) <= MAX_TOKENS
    for token in sentence.tokens:
        assert token
        assert not any(character.isspace() for character in token)
        assert len(grapheme_clusters(token)) <= MAX_CLUSTERS
        assert len(token) <= MOST_CODE_POINTS
    assert set(sentence.categories) <= {PRODUCT, FEATURE, FILLER}
    assert len(complaints) <= 4
    assert all(len(complaint) < MOST_CODE_POINTS + 240 for complaint in complaints)


@given(texts() | repeating_texts, categories_texts)
@patient
def test_everything_said_and_shown_can_be_sent_to_a_browser(text, categories):
    sentence, complaints = Sentence.fit(text, categories)
    for shown in (*sentence.tokens, *sentence.labels, *complaints, sentence.category_digits):
        shown.encode()
        assert not set(shown) & set(OVERRIDES)
        assert not any(unicodedata.category(character) in ("Cc", "Cs") for character in shown)


@given(texts() | repeating_texts, categories_texts)
@patient
def test_parse_takes_what_fits_whole_and_says_the_first_complaint_else(text, categories):
    sentence, complaints = Sentence.fit(text, categories)
    if complaints:
        with says(complaints[0]):
            Sentence.parse(text, categories)
    else:
        assert Sentence.parse(text, categories) == sentence
        assert sentence.tokens == Sentence.parse(" ".join(text.split())).tokens


@given(texts() | repeating_texts, categories_texts)
@patient
def test_what_fitted_once_fits_again(text, categories):
    sentence, _ = Sentence.fit(text, categories)
    assert Sentence.parse(" ".join(sentence.tokens), sentence.category_digits) == sentence


@given(st.lists(st.text("abcxyz", min_size=1, max_size=24), min_size=1, max_size=32))
def test_words_that_need_no_care_come_through_as_they_are(words):
    assert Sentence.parse(" ".join(words)).tokens == tuple(words)


# Limits


def test_more_than_32_tokens_are_cut_and_told():
    assert Sentence.fit("a " * 32) == (Sentence(("a",) * 32, (FILLER,) * 32), ())
    sentence, complaints = Sentence.fit("a " * 33)
    assert len(sentence) == 32
    assert complaints == (
        "a sentence must have at most 32 tokens; got 33. Try fewer words; the first 32 are shown.",
    )


@pytest.mark.parametrize("cluster", ["a", ACCENTED, "雨", "ج", FAMILY, "🇩🇪", "👍🏽"])
def test_more_than_24_clusters_are_cut_and_told(cluster):
    whole, cut = cluster * 24, cluster * 25
    assert Sentence.parse(whole).tokens == (whole,)
    sentence, complaints = Sentence.fit(f"b {cut} c")
    assert sentence.tokens == ("b", whole, "c")
    assert complaints == (
        f"a token must have at most 24 characters; got 25 in the one that begins with {whole}. "
        "Try a shorter word; its beginning is shown.",
    )


@pytest.mark.parametrize(
    ("word", "kept"), [(KISS * 24, KISS * 19), ("e" + "\u0301" * 400, "e" + "\u0301" * 191)]
)
def test_a_token_of_few_clusters_but_many_code_points_is_cut_and_told(word, kept):
    sentence, complaints = Sentence.fit(word)
    assert sentence.tokens == (kept,)
    assert complaints == (
        f"a token must have at most 192 code points; got {len(word)} in the one that begins with "
        f"{kept}. Try a shorter word; its beginning is shown.",
    )


def test_many_words_that_are_too_long_are_told_in_one_message():
    first = "b" * 24
    sentence, complaints = Sentence.fit(f"a {'b' * 30} {'c' * 40} d {KISS * 24}")
    assert sentence.tokens == ("a", first, "c" * 24, "d", KISS * 19)
    assert complaints == (
        "a token must have at most 24 characters; got 30 in the first of 3 that are longer, "
        f"the one that begins with {first}. Try shorter words; their beginnings are shown.",
    )
    assert len(Sentence.fit(f"{'x' * 25} " * 40)[1]) == 2


def test_a_text_of_the_most_characters_is_whole_and_one_more_is_told():
    most = ("ab " * 1366)[:4095] + "c"
    assert "characters" not in Sentence.fit(most)[1][0]
    assert Sentence.fit(most + "d")[1][0] == (
        "the text must have at most 4,096 characters; got more. "
        "Try a shorter text; the rest is left out."
    )


def test_stacked_accents_are_bounded():
    sentence, complaints = Sentence.fit(f"a {'e' + chr(0x301) * 4000} b")
    assert [len(token) for token in sentence.tokens] == [1, MOST_CODE_POINTS, 1]
    assert len(complaints) == 1


@pytest.mark.parametrize("text", ["", " ", "\n\t\u3000"])
def test_no_words_give_the_example_and_a_message(text):
    sentence, complaints = Sentence.fit(text)
    assert sentence == Sentence.parse(EXAMPLE)
    assert complaints == (f"the text must have at least one word; got none. Try: {EXAMPLE}",)


@pytest.mark.parametrize(
    "text",
    [
        "a" * 1_000_000,
        "ab " * 333_334,
        "é" + "\u0301" * 999_999,
        FAMILY * 200_000,
        "\x00" * 1_000_000,
        "\ud800" * 1_000_000,
        " " * 1_000_000,
    ],
)
def test_a_megabyte_of_text_is_bounded(text):
    sentence, complaints = Sentence.fit(text, text)
    assert sum(map(len, sentence.tokens)) <= MAX_TEXT
    assert complaints[0] == (
        "the text must have at most 4,096 characters; got more. "
        "Try a shorter text; the rest is left out."
    )
    assert sum(map(len, complaints)) < 3000


# What other people's text holds


def test_what_a_reader_counts_as_one_character_is_one():
    for cluster in (FAMILY, KISS, ACCENTED, "🇩🇪", "e\u0301", "👍🏽", "நி", "각"):
        assert grapheme_clusters(cluster) == [cluster]
        assert Sentence.parse(cluster).tokens == (cluster,)
    assert len(FAMILY) == 5
    assert len(grapheme_clusters(FLAGS)) == 2


@pytest.mark.parametrize(
    "text", ["雨衣 很 轻", "جاكيت المطر خفيف", "מעיל הגשם קל", "नमस्ते दुनिया", "می‌خواهم"]
)
def test_every_language_comes_through_unchanged(text):
    sentence = Sentence.parse(text)
    assert sentence.tokens == tuple(text.split())
    assert sentence.labels == sentence.tokens


@pytest.mark.parametrize("text", HOSTILE[:3])
def test_markup_and_expressions_stay_text(text):
    assert Sentence.fit(text)[0].tokens == tuple(text.split())


def test_what_cannot_be_seen_is_made_visible():
    assert Sentence.parse("\x00 a\x07b \x7f \x9f \ud800 c\udfff").tokens == (
        "␀",
        "a␇b",
        "\N{REPLACEMENT CHARACTER}",
        "\N{REPLACEMENT CHARACTER}",
        "\N{REPLACEMENT CHARACTER}",
        "c\N{REPLACEMENT CHARACTER}",
    )


@given(texts())
@patient
def test_visible_text_is_as_long_harmless_and_stays_as_it_is(text):
    shown = visible(text)
    shown.encode()
    assert len(shown) == len(text)
    assert visible(shown) == shown
    for before, after in zip(text, shown, strict=True):
        hidden = unicodedata.category(before) in ("Cc", "Cs") and not before.isspace()
        assert (after != before) == (hidden or before in OVERRIDES)


@pytest.mark.parametrize("override", OVERRIDES)
def test_no_word_can_turn_round_what_stands_beside_it(override):
    assert Sentence.parse(f"{override}abc").tokens == ("\N{REPLACEMENT CHARACTER}abc",)


@pytest.mark.parametrize(
    "invisible",
    [
        *("\u200b", "\u2060", "\ufeff", "\u00ad", "\u200d", "\u200b\u200d"),
        *("\u3164", "\u115f", "\u1160", "\uffa0", "\u2800", "\u2800\u3164\u200c"),
        *("\u034f", "\ufe0f", "\U000e0061", "\U000e0100", "\u17b4", "\ufff9", "\u180e"),
    ],
)
def test_every_token_can_be_seen(invisible):
    assert Sentence.parse(f"a {invisible} b").tokens == ("a", "\N{REPLACEMENT CHARACTER}", "b")
    assert Sentence.parse(f"{invisible}x").tokens == (f"{invisible}x",)


def test_a_word_whose_beginning_cannot_be_seen_is_still_seen_once_it_is_cut():
    for word in ("\u2800" * 24 + "x", "\u3164" + "e" + "\u0301" * 400):
        sentence, complaints = Sentence.fit(word)
        assert sentence.tokens == ("\N{REPLACEMENT CHARACTER}",)
        assert len(complaints) == 1


@pytest.mark.parametrize("seen", ["\u0600", "\u06dd", "⠁", "ᄀ", "ㅏ", "。", "\u0301"])
def test_what_leaves_ink_is_left_as_it_is(seen):
    assert Sentence.parse(seen).tokens == (seen,)


def test_joiners_inside_a_word_stay():
    """Emoji, Persian and Indic words need them."""
    assert visible("می\u200cخواهم") == "می\u200cخواهم"
    assert visible(FAMILY) == FAMILY
    assert visible("\u200d") == "\u200d"


# Labels


@given(texts() | repeating_texts)
@patient
def test_every_token_has_a_label_of_its_own(text):
    sentence, _ = Sentence.fit(text)
    assert len(set(sentence.labels)) == len(sentence.labels) == len(sentence)
    for i, (token, label) in enumerate(zip(sentence.tokens, sentence.labels, strict=True)):
        count = sentence.tokens[: i + 1].count(token)
        assert label == (token if count == 1 else f"{token} ({count})")


def test_a_word_that_repeats_keeps_its_own_row_and_column():
    assert Sentence.parse("A B B C D").labels == ("A", "B", "B (2)", "C", "D")
    assert Sentence.parse("a a(2) a (2) a").labels == ("a", "a(2)", "a (2)", "(2)", "a (3)")


# Categories


@pytest.mark.parametrize(
    ("given", "categories", "got"),
    [
        ("01", (0, 1, 1), "2 for 3 tokens"),
        ("0120", (0, 1, 2), "4 for 3 tokens"),
        ("01x", (0, 1, 1), "something else for light"),
        ("xyz", (2, 0, 1), "something else for the"),
        ("3", (2, 0, 1), "1 for 3 tokens and something else for the"),
        ("0x20", (0, 0, 2), "4 for 3 tokens and something else for jacket"),
        ("012x", (0, 1, 2), "4 for 3 tokens"),
        ("1٠1", (1, 0, 1), "something else for jacket"),
        ("1\ud8001", (1, 0, 1), "something else for jacket"),
        ((0, 7, -1), (0, 0, 1), "something else for jacket"),
        ((0, True, None), (0, 0, 1), "something else for jacket"),
        ((0.0, 1, 2), (2, 1, 2), "something else for the"),
        ("0" * 65, (0, 0, 0), "65 for 3 tokens"),
    ],
)
def test_categories_that_do_not_fit_are_told_in_one_message_and_guessed(given, categories, got):
    sentence, told = Sentence.fit("the jacket light", given)
    assert sentence.categories == categories
    assert told == (wrong_categories(got, "201"),)
    with says(told[0]):
        Sentence.parse("the jacket light", given)


def test_a_megabyte_of_categories_is_told_in_a_line():
    sentence, complaints = Sentence.fit("the jacket light", "0" * 1_000_000)
    assert sentence.categories == (0, 0, 0)
    assert complaints == (wrong_categories("1,000,000 for 3 tokens", "201"),)


def test_a_repeated_word_is_named_by_its_place():
    assert Sentence.fit("a b a", "01x")[1] == (wrong_categories("something else for a (2)", "202"),)
    assert Sentence.fit("jacket", "00")[1] == (wrong_categories("2 for 1 token", "0"),)


@given(st.integers(33, 60), st.data())
@patient
def test_digits_for_words_that_were_left_out_are_no_mistake(n_words, data):
    digits = data.draw(st.lists(st.integers(0, 2), min_size=n_words, max_size=n_words))
    for given_digits in (digits, digits[:32]):
        sentence, complaints = Sentence.fit("w " * n_words, given_digits)
        assert sentence.categories == tuple(digits[:32])
        assert complaints == (
            f"a sentence must have at most 32 tokens; got {n_words}. "
            "Try fewer words; the first 32 are shown.",
        )
    for wrong in ([*digits, 0], digits[:31]):
        assert len(Sentence.fit("w " * n_words, wrong)[1]) == 2


def test_digits_for_words_that_nobody_counted_are_no_mistake():
    _, complaints = Sentence.fit("word " * 1000, "0" * 1000)
    assert [complaint.split(";")[0] for complaint in complaints] == [
        "the text must have at most 4,096 characters",
        "a sentence must have at most 32 tokens",
    ]


@given(st.lists(st.integers(0, 2), min_size=1, max_size=32))
def test_categories_survive_the_link(categories):
    sentence = Sentence.parse("w " * len(categories), categories)
    assert Sentence.parse("w " * len(categories), sentence.category_digits) == sentence
    assert sentence.is_guessed == (set(categories) == {PRODUCT})


@given(st.lists(st.integers(0, 2), min_size=1, max_size=32), st.integers(0, 31), st.integers(0, 2))
def test_one_category_changes_and_nothing_else(categories, position, category):
    position %= len(categories)
    sentence = Sentence.parse("w " * len(categories), categories)
    changed = sentence.with_category(position, category)
    expected = (*categories[:position], category, *categories[position + 1 :])
    assert changed == Sentence(sentence.tokens, expected)
    assert sentence.categories == tuple(categories)


@pytest.mark.parametrize(
    ("position", "category", "message"),
    [
        (0, 7, "category must be a whole number from 0 to 2; got category=7. Try category=2."),
        (0, -1, "category must be a whole number from 0 to 2; got category=-1. Try category=2."),
        (0, "1", "category must be a whole number from 0 to 2; got category='1'. Try category=2."),
        (3, 0, "position must be a whole number from 0 to 2; got position=3. Try position=2."),
        (-1, 0, "position must be a whole number from 0 to 2; got position=-1. Try position=2."),
    ],
)
def test_a_place_or_a_category_that_is_not_there_is_refused(position, category, message):
    with says(message):
        Sentence.parse("a b c").with_category(position, category)


def test_sentences_are_equal_and_hash_alike_where_their_words_and_categories_do():
    one, same = Sentence.parse("a (2) a", "012"), Sentence.parse(" a  (2) a ", [0, 1, 2])
    assert one.labels == ("a", "(2)", "a (2)")  # which keeps it, and makes it no other
    assert one == same
    assert len({one, same, Sentence.parse("a (2) a", "011"), Sentence.parse("a 2 a", "012")}) == 3


def words_of(letters: str) -> st.SearchStrategy[list[str]]:
    return st.lists(st.text(letters, min_size=1, max_size=3), min_size=1, max_size=12, unique=True)


@given(words=words_of("abcdef"), new=words_of("uvwxyz"), data=st.data())
@patient
def test_words_that_stay_keep_their_category_and_new_ones_are_guessed(words, new, data):
    categories = data.draw(st.lists(st.integers(0, 2), min_size=len(words), max_size=len(words)))
    old = Sentence(tuple(words), tuple(categories))
    edited = [word for word in words if data.draw(st.booleans())]
    for word in new:
        edited.insert(data.draw(st.integers(0, len(edited))), word)
    kept = dict(zip(words, categories, strict=True))
    expected = [kept.get(word, guess_category(word)) for word in edited]
    assert carry_categories(old, edited) == tuple(expected)


def test_a_word_that_repeats_keeps_the_categories_of_its_places():
    old = Sentence(("a", "b", "a", "c"), (0, 1, 2, 0))
    assert carry_categories(old, ("a", "b", "a", "c")) == (0, 1, 2, 0)
    assert carry_categories(old, ("b", "a", "c")) == (1, 2, 0)


@given(words=words_of("abcdef"), data=st.data())
@patient
def test_words_that_only_moved_keep_their_category(words, data):
    categories = data.draw(st.lists(st.integers(0, 2), min_size=len(words), max_size=len(words)))
    old = Sentence(tuple(words), tuple(categories))
    moved = data.draw(st.permutations(words))
    kept = dict(zip(words, categories, strict=True))
    assert carry_categories(old, moved) == tuple(kept[word] for word in moved)


def test_of_a_repeated_word_that_moved_each_place_is_taken_once_and_in_order():
    old = Sentence(("a", "x", "a", "y"), (0, 1, 1, 0))
    assert carry_categories(old, ("x", "y", "a", "a", "a")) == (1, 0, 0, 1, FILLER)
    assert carry_categories(old, ("y", "a", "x", "a")) == (0, 0, 1, 1)
    last = Sentence(("x", "y", "z", "a", "a"), (1, 1, 1, 0, 1))
    assert carry_categories(last, ("a", "a", "a", "x", "y", "z")) == (0, 1, FILLER, 1, 1, 1)


@given(texts(), texts())
@patient
def test_any_edit_of_any_text_carries_a_category_for_every_token(before, after):
    old, new = Sentence.fit(before)[0], Sentence.fit(after)[0]
    carried = carry_categories(old, new.tokens)
    assert len(carried) == len(new)
    assert set(carried) <= {PRODUCT, FEATURE, FILLER}
    assert carry_categories(old, old.tokens) == old.categories
    assert carry_categories(old, []) == ()


@pytest.mark.parametrize(
    ("words", "category"),
    [
        ("jacket rain Regenjacke 雨衣 👟 blorp able table", PRODUCT),
        ("light Light, packable waterproof useful cosy", FEATURE),
        ("the The is, und 的 — ... 42 ( ) «the»", FILLER),
    ],
)
def test_a_first_guess_is_sensible(words, category):
    assert {word: guess_category(word) for word in words.split()} == dict.fromkeys(
        words.split(), category
    )


@given(texts())
@patient
def test_any_word_at_all_has_a_guess(text):
    assert guess_category(text) in (PRODUCT, FEATURE, FILLER)


# Shortening


@given(
    texts() | repeating_texts | st.sampled_from(["abcdefghijklmnop " * 32, "雨衣雨衣雨衣雨 " * 32])
)
@patient
def test_the_places_of_a_repeated_word_have_short_labels_of_their_own(text):
    sentence = Sentence.fit(text)[0]
    for token in sentence.tokens:
        places = [i for i, other in enumerate(sentence.tokens) if other == token]
        assert len({shorten(sentence.labels[i], 12) for i in places}) == len(places)


def columns(label: str) -> int:
    """Columns that a label takes: two for what is wide, for a flag, and for an emoji's look."""
    taken = 0
    for cluster in grapheme_clusters(label):
        wide = unicodedata.east_asian_width(cluster[0]) in ("W", "F")
        is_flag = len(cluster) > 1 and all("🇦" <= character <= "🇿" for character in cluster[:2])
        taken += 2 if wide or is_flag or "\ufe0f" in cluster else 1
    return taken


@given(texts() | word, st.integers(1, 40))
@patient
def test_a_short_label_is_whole_or_as_long_as_fits_and_never_cut_inside_a_cluster(text, most):
    short = shorten(text, most)
    assert columns(short) <= most
    if columns(text) <= most:
        assert short == text
        return
    count = re.search(r" \([0-9]{1,2}\)\Z", text)
    if count and len(count[0]) < most:
        assert short.endswith("…" + count[0])
        short, text = short.removesuffix(count[0]), text.removesuffix(count[0])
        most -= len(count[0])
    assert short.endswith("…")
    kept, clusters = short.removesuffix("…"), grapheme_clusters(text)
    n_kept = len(grapheme_clusters(kept))
    assert kept == "".join(clusters[:n_kept])
    assert columns(kept) + 1 <= most
    assert columns("".join(clusters[: n_kept + 1])) + 1 > most


@pytest.mark.parametrize(
    ("label", "short"),
    [
        ("packable", "packable"),
        ("extraordinary", "extraordina…"),
        ("packable (2)", "packable (2)"),
        ("packables (2)", "packabl… (2)"),
        ("internationalisation (32)", "intern… (32)"),
        ("雨衣雨衣雨 (2)", "雨衣雨… (2)"),
        ("雨衣雨衣雨衣", "雨衣雨衣雨衣"),
        ("雨衣雨衣雨衣雨", "雨衣雨衣雨…"),
        (FAMILY * 7, FAMILY * 5 + "…"),
        (ACCENTED * 13, ACCENTED * 11 + "…"),
    ],
)
def test_a_label_of_twelve_columns(label, short):
    assert shorten(label, 12) == short


@pytest.mark.parametrize("wide", ["🇩🇪", "❤️", "1️⃣", "👟", "雨"])
def test_what_is_drawn_wide_takes_two_columns(wide):
    assert shorten(wide * 2, 4) == wide * 2
    assert shorten(wide * 2, 3) == f"{wide}…"
