"""The made-up languages: every text keeps its rule, and only what follows from it is counted."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mha.training import TASKS, Settings, parse_text
from mha.training.settings import MARGIN
from mha.training.tasks import CLOSING, MAX_DEPTH, NAMES, PRONOUN_OF, SHORTEST, VERBS
from mha.training.texts import MAX_WORD, held_out_texts, training_texts, words
from tests.unit.draw import seeds
from tests.unit.says import says

some = settings(deadline=None, max_examples=40)
Ts = st.integers(8, 32)
every_task = pytest.mark.parametrize("task", TASKS)


def drawn(task: str, seed: int, T: int, B: int = 4) -> list[tuple[list[str], list[bool]]]:
    """Texts of a task as words, each with what is counted of it."""
    tokens, counted = TASKS[task].sample(np.random.default_rng(seed), B, T)
    assert tokens.shape == counted.shape == (B, T)
    assert counted.dtype == bool
    symbols = np.array(TASKS[task].alphabet)[tokens]
    return list(zip(symbols.tolist(), counted.tolist(), strict=True))


# What follows from the text before, by each task's rule; None where it is chance.


def follows_in_copy(before: list[str]) -> str | None:
    followers = {after for last, after in pairwise(before) if last == before[-1]}
    return followers.pop() if len(followers) == 1 else None


def innermost_open(before: list[str]) -> str | None:
    """Take matched pairs out until none is left; what remains is open."""
    text = "".join(before)
    while any(pair in text for pair in map("".join, CLOSING.items())):
        for pair in map("".join, CLOSING.items()):
            text = text.replace(pair, "")
    assert set(text) <= set(CLOSING), "a bracket closes what is not open"
    return text[-1] if text else None


def follows_in_pronouns(before: list[str]) -> str | None:
    """Whom the verb makes the pronoun mean, read backwards from the end of the text so far."""
    match before[-4:]:
        case [*_, subject, verb, other, "because"] if subject in PRONOUN_OF:
            return PRONOUN_OF[subject if verb in VERBS["subject"] else other]
    match before[-5:]:
        case [subject, verb, other, "because", _] if subject in PRONOUN_OF:
            return subject if verb in VERBS["subject"] else other
    return None


@given(seed=seeds, T=Ts)
@some
def test_copy_counts_exactly_what_a_symbol_was_always_followed_by(seed, T):
    for text, counted in drawn("copy", seed, T):
        answers = [follows_in_copy(text[:i]) if i else None for i in range(T)]
        assert counted == [answer == symbol for answer, symbol in zip(answers, text, strict=True)]


def test_copy_says_segments_twice_of_every_length_and_everywhere():
    texts = TASKS["copy"].sample(np.random.default_rng(0), 1000, 32)
    lengths = set()
    for tokens in texts.tokens[:200].tolist():
        twice = [
            n
            for n in range(SHORTEST, 17)
            for i in range(33 - 2 * n)
            if tokens[i : i + n] == tokens[i + n : i + 2 * n]
        ]
        lengths |= set(twice)
    assert lengths == set(range(SHORTEST, 13))
    assert texts.counted.any(axis=1).mean() > 0.95
    by_place = texts.counted.mean(axis=0)
    assert (by_place[8:] > 0.05).all()
    assert (by_place < 0.5).all()


@given(seed=seeds, T=Ts)
@some
def test_brackets_nest_and_close_the_innermost(seed, T):
    for text, counted in drawn("brackets", seed, T):
        assert counted == [symbol not in CLOSING for symbol in text]
        depth = deepest = 0
        for i, symbol in enumerate(text):
            if symbol not in CLOSING:
                assert CLOSING[innermost_open(text[:i])] == symbol
            depth += 1 if symbol in CLOSING else -1
            deepest = max(deepest, depth)
        assert deepest <= MAX_DEPTH
        assert depth == T % 2  # the last of an odd number has nothing to close it


def test_brackets_come_in_every_kind_and_depth():
    texts = drawn("brackets", 0, 32, B=50)
    assert {symbol for text, _ in texts for symbol in text} == set(TASKS["brackets"].alphabet)
    balances = np.cumsum([[1 if s in CLOSING else -1 for s in text] for text, _ in texts], axis=1)
    assert set(balances.ravel().tolist()) == set(range(MAX_DEPTH + 1))


@given(seed=seeds, T=Ts)
@some
def test_pronouns_and_names_follow_from_the_verb(seed, T):
    for text, counted in drawn("pronouns", seed, T):
        answers = [follows_in_pronouns(text[:i]) for i in range(T)]
        for symbol, is_counted, answer in zip(text, counted, answers, strict=True):
            assert is_counted == (answer is not None)
            assert answer in (None, symbol)


@given(seed=seeds, T=Ts)
@some
def test_the_two_of_a_statement_have_different_pronouns(seed, T):
    for text, _ in drawn("pronouns", seed, T):
        for i, symbol in enumerate(text[1:-1], 1):
            if symbol in VERBS["subject"] + VERBS["object"]:
                assert PRONOUN_OF[text[i - 1]] != PRONOUN_OF[text[i + 1]]


def test_every_name_verb_and_pronoun_is_used_and_both_are_meant_alike():
    texts = drawn("pronouns", 0, 32, B=200)
    assert {symbol for text, _ in texts for symbol in text} == set(TASKS["pronouns"].alphabet)
    verbs = [s for text, _ in texts for s in text if s in VERBS["subject"] + VERBS["object"]]
    assert abs(np.mean([verb in VERBS["subject"] for verb in verbs]) - 0.5) < 0.05


@every_task
@given(seed=seeds, T=Ts, B=st.integers(1, 5))
@some
def test_a_text_is_counted_by_what_comes_before_alone(task, seed, T, B):
    tokens, counted = TASKS[task].sample(np.random.default_rng(seed), B, T)
    assert not counted[:, 0].any()
    assert ((tokens >= 0) & (tokens < len(TASKS[task].alphabet))).all()
    again = TASKS[task].sample(np.random.default_rng(seed), B, T)
    assert np.array_equal(tokens, again.tokens)
    assert np.array_equal(counted, again.counted)


@every_task
def test_a_task_s_example_is_in_its_language(task):
    run = Settings(tasks=(task,))
    example = TASKS[task].example.split()
    assert words(run, parse_text(run, TASKS[task].example)).tolist() == example
    assert TASKS[task].name == task
    assert TASKS[task].rule.endswith(".")
    if task == "brackets":
        assert innermost_open(example) is None
    elif task == "copy":
        assert any(follows_in_copy(example[:i]) == example[i] for i in range(1, len(example)))
    else:
        answers = [follows_in_pronouns(example[:i]) for i in range(len(example))]
        assert sum(a == s for a, s in zip(answers, example, strict=True)) == 4


def test_no_symbol_belongs_to_two_tasks():
    symbols = [symbol.casefold() for task in TASKS.values() for symbol in task.alphabet]
    assert len(set(symbols)) == len(symbols)
    assert sorted(PRONOUN_OF.values()) == sorted(p for p, names in NAMES.items() for _ in names)


# The texts of a run

names_of_tasks = st.lists(st.sampled_from(list(TASKS)), min_size=1, unique=True).map(tuple)


@given(tasks=names_of_tasks, T=Ts, batch=st.integers(8, 20), seed=seeds, step=st.integers(0, 2000))
@some
def test_every_step_reads_as_many_texts_of_each_task(tasks, T, batch, seed, step):
    run = Settings(tasks=tasks, T=T, batch=batch, seed=seed)
    texts = training_texts(run, step)
    assert texts.tokens.shape == texts.counted.shape == (len(tasks) * batch, T + MARGIN)
    assert held_out_texts(run, 1).tokens.shape == (len(tasks), T)
    of_each = words(run, texts.tokens).reshape(len(tasks), batch, -1)
    for task, rows in zip(run.tasks, of_each, strict=True):
        assert set(rows.ravel().tolist()) <= set(TASKS[task].alphabet)


@given(tasks=names_of_tasks, seed=seeds, step=st.integers(0, 2000))
@some
def test_a_batch_depends_on_seed_and_step_alone_and_no_two_are_alike(tasks, seed, step):
    run = Settings(tasks=tasks, seed=seed, batch=8)
    texts = training_texts(run, step)
    assert np.array_equal(texts.tokens, training_texts(run, step).tokens)
    others = [
        training_texts(run, step + 1),
        training_texts(Settings(tasks=tasks, seed=seed ^ 1, batch=8), step),
    ]
    held_out = held_out_texts(run, 8)
    assert len(held_out.tokens) == 8 * len(tasks)
    for other in [*others, held_out]:
        assert not np.array_equal(texts.tokens, other.tokens)
    same_for_all = held_out_texts(Settings(tasks=tasks, seed=seed ^ 1, batch=8), 8)
    assert np.array_equal(held_out.tokens, same_for_all.tokens)


# A visitor's text

ALL = Settings(tasks=tuple(TASKS))


@given(data=st.data(), T=Ts)
@some
def test_a_text_is_read_as_its_symbols(data, T):
    run = Settings(tasks=tuple(TASKS), T=T)
    symbols = data.draw(st.lists(st.sampled_from(run.vocabulary), min_size=1, max_size=T))
    text = data.draw(st.sampled_from([" ", "\n", "  \t"])).join(symbols)
    assert words(run, parse_text(run, text)).tolist() == symbols
    assert words(run, parse_text(run, text.upper())).tolist() == symbols


@pytest.mark.parametrize(
    ("text", "symbols"),
    [
        ("abcab", "a b c a b"),
        ("([]){}", "( [ ] ) { }"),
        ("Ada amused Ben because she Ada.", "Ada amused Ben because she Ada ."),
        ("they he Ada", "they he Ada"),  # words before letters
        ("ab (c) he", "a b ( c ) he"),
    ],
)
def test_symbols_of_one_character_may_stand_together(text, symbols):
    assert words(ALL, parse_text(ALL, text)).tolist() == symbols.split()


@pytest.mark.parametrize(
    ("run", "text", "message"),
    [
        (
            Settings(),
            "a b z",
            "every symbol must be one of copy (a b c … x); got 'z'. Try c h a m c h a m k f k f",
        ),
        (
            Settings(tasks=("pronouns",)),
            "Ada met Ben",
            "every symbol must be one of pronouns (Ada Eve Mia … .); got 'met'. "
            "Try Ada amused Ben because she Ada . Tom thanked Kim because they Kim .",
        ),
        (
            Settings(tasks=("brackets",)),
            "ab" * 20,
            "every symbol must be one of brackets (( [ { ) ] }); got 'abababababababababa…'. "
            "Try ( [ ] { ( ) } )",
        ),
        (
            Settings(tasks=("copy", "brackets")),
            "a yes",
            "every symbol must be one of copy (a b c … x), brackets (( [ { ) ] }); got 'yes'. "
            "Try c h a m c h a m k f k f",
        ),
        (
            Settings(),
            " \n ",
            "the text must have at least one symbol; got none. Try c h a m c h a m k f k f",
        ),
        (
            Settings(T=8),
            "abcdefghi",
            "the text must have at most T=8 symbols; got more. Try its first 8.",
        ),
        (
            Settings(T=8),
            "a" + " " * MAX_WORD * 8,
            "the text must have at most T=8 symbols; got more. Try its first 8.",
        ),
    ],
)
def test_a_text_that_does_not_fit_is_refused(run, text, message):
    with says(message):
        parse_text(run, text)


def test_an_endless_text_is_not_read_to_its_end():
    with says("the text must have at most T=32 symbols; got more. Try its first 32."):
        parse_text(ALL, "a" * 10**7)
