"""Three small languages, each with something to predict that follows from what came before.

    copy      c h a m c h a m k f k f              what followed this symbol before
    brackets  ( [ ] { ( ) } )                      the bracket that closes the innermost open one
    pronouns  Ada amused Ben because she Ada .     which pronoun, and which name it means

Texts come from a generator of random numbers alone; no data set is read. A token is counted in the
loss only where it follows from the tokens before it; the rest is chance, and nobody can learn it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

Array = np.ndarray

SYMBOLS = "abcdefghijklmnopqrstuvwx"
SHORTEST = 2  # symbols of a segment that is copied

CLOSING: Mapping[str, str] = MappingProxyType({"(": ")", "[": "]", "{": "}"})
MAX_DEPTH = 4

NAMES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "she": ("Ada", "Eve", "Mia", "Zoe"),
        "he": ("Ben", "Leo", "Max", "Tom"),
        "they": ("Kim", "Sam", "Alex", "Robin"),
    }
)
PRONOUN_OF: Mapping[str, str] = MappingProxyType(
    {name: pronoun for pronoun, names in NAMES.items() for name in names}
)
# Whom "because she …" means after such a verb: so most people who complete such a sentence take it
# (Ferstl, Garnham and Manouilidou 2011, doi:10.3758/s13428-010-0023-2; bias to the subject, -100 to
# 100: amused 67, scared 74, charmed 81, admired -92, thanked -92, feared -85). Here it is a rule.
VERBS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {"subject": ("amused", "scared", "charmed"), "object": ("admired", "thanked", "feared")}
)
BECAUSE, STOP = "because", "."
STATEMENT = 7  # tokens: name, verb, name, because, pronoun, name, full stop

# What heads are scored for: the jobs of mha.scoring, by name.
PREVIOUS, SAME, INDUCTION = "previous token", "same symbol", "induction"
BRACKET, NAME = "matching bracket", "pronoun's name"
FIRST, ITSELF = "first token", "itself"


class Texts(NamedTuple):
    """Texts of one task.

    tokens: int (B, T), places in the task's alphabet.
    counted: bool (B, T), True where the token follows from those before it in its row.
    """

    tokens: Array
    counted: Array


@dataclass(frozen=True)
class Task:
    """A language: its alphabet, its rule in a sentence, a text in it, and its generator.

    sample: (generator, B, T) → `Texts`.
    """

    name: str
    alphabet: tuple[str, ...]
    rule: str
    example: str
    sample: Callable[[np.random.Generator, int, int], Texts]


def sample_copy(generator: np.random.Generator, B: int, T: int) -> Texts:
    """Segments of symbols at random, each said twice, cut out of a longer text; T is 8 at least.

    Every length is drawn anew, so that counting positions does not help, and segments lie
    everywhere, so that nearly every position is one day the one to copy from. A symbol is counted
    where the one before it came earlier and was always followed by this one.
    """
    n = T // (2 * SHORTEST) + 2  # segments, of which the first may be cut to one symbol
    length = generator.integers(SHORTEST, 3 * T // 8 + 1, size=(B, n))
    end = np.cumsum(2 * length, axis=1)
    place = generator.integers(2 * length[:, :1]) + np.arange(T)  # (B, T), in the longer text
    segment = (place[:, :, None] >= end[:, None, :]).sum(axis=2)
    length = np.take_along_axis(length, segment, axis=1)
    begin = np.take_along_axis(end, segment, axis=1) - 2 * length
    symbols = generator.integers(len(SYMBOLS), size=(B, end.max()))
    tokens = np.take_along_axis(symbols, begin + (place - begin) % length, axis=1)

    last, this = tokens[:, :-1], tokens[:, 1:]
    came = np.tril(last[:, :, None] == last[:, None, :], -1)  # (B, T - 1, T - 1)
    differed = came & (this[:, :, None] != this[:, None, :])
    counted = np.zeros((B, T), dtype=bool)
    counted[:, 1:] = came.any(axis=2) & ~differed.any(axis=2)
    return Texts(tokens, counted)


def sample_brackets(generator: np.random.Generator, B: int, T: int) -> Texts:
    """Nested brackets, at most MAX_DEPTH deep, all closed in the end; the last of an odd T opens.

    Whether a bracket opens or closes is chance where both can be; which kind closes is not, and
    every closing bracket is counted.
    """
    n_kinds, even = len(CLOSING), T - T % 2
    coins = generator.random((B, T)) < 0.5
    kinds = generator.integers(n_kinds, size=(B, T))
    tokens = np.empty((B, T), dtype=np.int64)
    counted = np.empty((B, T), dtype=bool)
    open_kinds = np.zeros((B, MAX_DEPTH), dtype=np.int64)
    depth = np.zeros(B, dtype=np.int64)
    rows = np.arange(B)
    for t in range(T):
        must_close = (depth == MAX_DEPTH) | (depth >= even - t)
        opens = (depth == 0) | (coins[:, t] & ~must_close)
        innermost = open_kinds[rows, depth - 1]
        tokens[:, t] = np.where(opens, kinds[:, t], n_kinds + innermost)
        counted[:, t] = ~opens
        open_kinds[rows[opens], depth[opens]] = kinds[opens, t]
        depth += np.where(opens, 1, -1)
    return Texts(tokens, counted)


def pronoun_words() -> tuple[str, ...]:
    """The alphabet of statements about two people."""
    return (*PRONOUN_OF, *NAMES, *VERBS["subject"], *VERBS["object"], BECAUSE, STOP)


def sample_pronouns(generator: np.random.Generator, B: int, T: int) -> Texts:
    """Statements about two people with different pronouns, cut out of a longer text.

    `Ada amused Ben because she Ada .`: the verb says which of the two is meant; the pronoun follows
    from it, and the name from the pronoun. Both are counted where their whole statement is there.
    """
    n = -(-T // STATEMENT) + 1  # statements, one more than fit
    alphabet = pronoun_words()
    names = np.array([[alphabet.index(name) for name in group] for group in NAMES.values()])
    pronouns = np.array([alphabet.index(pronoun) for pronoun in NAMES])
    verbs = np.array([[alphabet.index(verb) for verb in group] for group in VERBS.values()])

    n_kinds, n_names = names.shape
    first_kind = generator.integers(n_kinds, size=(B, n))
    second_kind = (first_kind + generator.integers(1, n_kinds, size=(B, n))) % n_kinds
    kind = np.stack([first_kind, second_kind])  # (2, B, n)
    name = names[kind, generator.integers(n_names, size=(2, B, n))]
    meant = generator.integers(2, size=(B, n))  # 0 the subject, 1 the object
    verb = verbs[meant, generator.integers(verbs.shape[1], size=(B, n))]
    pronoun = pronouns[np.where(meant, kind[1], kind[0])]
    meant_name = np.where(meant, name[1], name[0])
    because, stop = (np.full((B, n), alphabet.index(word)) for word in (BECAUSE, STOP))
    statements = [name[0], verb, name[1], because, pronoun, meant_name, stop]
    whole = np.stack(statements, axis=-1).reshape(B, n * STATEMENT)

    start = generator.integers(STATEMENT, size=(B, 1))
    place = start + np.arange(T)
    in_statement = place % STATEMENT
    is_answer = (in_statement == 4) | (in_statement == 5)
    is_whole = np.arange(T) >= in_statement
    return Texts(np.take_along_axis(whole, place, axis=1), counted=is_answer & is_whole)


COPY = Task(
    "copy",
    tuple(SYMBOLS),
    "Each segment is said twice: what followed a symbol before follows it again.",
    "c h a m c h a m k f k f",
    sample_copy,
)
BRACKETS = Task(
    "brackets",
    (*CLOSING, *CLOSING.values()),
    "A bracket that closes is of the kind of the innermost open one.",
    "( [ ] { ( ) } )",
    sample_brackets,
)
PRONOUNS = Task(
    "pronouns",
    pronoun_words(),
    "The verb says whom the pronoun means; after the pronoun comes that person's name.",
    "Ada amused Ben because she Ada . Tom thanked Kim because they Kim .",
    sample_pronouns,
)
TASKS: Mapping[str, Task] = MappingProxyType({t.name: t for t in (COPY, BRACKETS, PRONOUNS)})


def jobs(task: str) -> tuple[str, ...]:
    """The names of the jobs that heads are scored for on a task's texts."""
    own = {"brackets": (BRACKET,), "pronouns": (NAME,)}
    return (PREVIOUS, SAME, INDUCTION, *own.get(task, ()), FIRST, ITSELF)
