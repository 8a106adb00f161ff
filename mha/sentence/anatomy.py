"""What a word is made of, and why it is one unit all the same.

    bytes  ≥  code points  ≥  grapheme clusters  ≥  1 label

A computer stores bytes, Python's `len` counts code points, a reader sees grapheme clusters, and a
picture labels a row or a column by the whole word.
"""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass, replace
from typing import Literal

from mha.sentence.words import MAX_CODE_POINTS, grapheme_clusters

Direction = Literal["left to right", "right to left", "neutral"]

# Unicode writes what has no name by its kind, <control-0009>; of a few scripts Python has no names.
_NAMELESS = {"Cc": "control", "Cs": "surrogate", "Co": "private use", "Cn": "unassigned"}
_STRONG: dict[str, Direction] = {
    "L": "left to right",
    "R": "right to left",
    "AL": "right to left",
}
_DIGITS = frozenset(["EN", "AN"])
_ISOLATES = ("LRI", "RLI", "FSI")


@dataclass(frozen=True)
class CodePoint:
    """One character as Unicode counts them, which is what Python's `len` counts.

    number: as it is written, U+0061. name: Unicode's; its kind in angle brackets where it has none.
    utf8: its bytes; none for a surrogate, which stands for no character and cannot be stored.
    direction: of itself; "neutral" for digits, marks, signs and most emoji.
    """

    character: str
    number: str
    name: str
    utf8: bytes
    direction: Direction


@dataclass(frozen=True)
class Cluster:
    """What a reader sees as one character, and the code points that make it."""

    text: str
    code_points: tuple[CodePoint, ...]


@dataclass(frozen=True)
class Run:
    """Neighbouring characters that run one way: `first` to `last`, counted from 1 as stored.

    Digits run from left to right. What is neutral goes with what stands before it, and at the
    beginning with what comes after.
    """

    direction: Direction
    first: int
    last: int
    text: str


@dataclass(frozen=True)
class Anatomy:
    """A word, taken apart.

    direction: that of its first letter, by which the word is laid out; "neutral" without letters.
    is_mixed: whether it holds letters of both directions.
    """

    word: str
    clusters: tuple[Cluster, ...]
    direction: Direction
    is_mixed: bool

    @property
    def code_points(self) -> tuple[CodePoint, ...]:
        return tuple(point for cluster in self.clusters for point in cluster.code_points)

    @property
    def runs(self) -> tuple[Run, ...]:
        """The word in the order in which it is stored, cut where its direction changes."""
        ways = [_way(cluster.text) for cluster in self.clusters]
        before = next((way for way in ways if way != "neutral"), "neutral")
        runs: list[Run] = []
        for number, (cluster, own) in enumerate(zip(self.clusters, ways, strict=True), start=1):
            before = before if own == "neutral" else own
            if runs and runs[-1].direction == before:
                runs[-1] = replace(runs[-1], last=number, text=runs[-1].text + cluster.text)
            else:
                runs.append(Run(before, number, number, cluster.text))
        return tuple(runs)

    @property
    def runs_leftward(self) -> bool:
        """Whether any of it runs from right to left."""
        return any(run.direction == "right to left" for run in self.runs)

    @property
    def n_code_points(self) -> int:
        """What `len(word)` gives."""
        return len(self.word)

    @property
    def n_bytes(self) -> int:
        """Bytes in UTF-8; a byte-level tokenizer begins with these."""
        return sum(len(point.utf8) for point in self.code_points)

    @property
    def n_utf16(self) -> int:
        """Units of 16 bits, which is what JavaScript's `length` counts."""
        return sum(1 if ord(character) < 0x10000 else 2 for character in self.word)

    @property
    def reason(self) -> str:
        """Why the word has one label, in numbers."""
        counts = (
            _counted(self.n_bytes, "byte"),
            _counted(self.n_code_points, "code point"),
            f"{_counted(len(self.clusters), 'character')} to a reader",
        )
        return f"{', '.join(counts)}; one token, so one row, one column and one label."


def dissect(word: str) -> Anatomy:
    """Take a word apart into what a reader sees, and that into code points and bytes.

    Nothing is replaced: a control or an override that a page must not show stands here by name.

    Raises:
        ValueError: no character, or more than a token may have.
    """
    if not 1 <= len(word) <= MAX_CODE_POINTS:
        raise ValueError(
            f"a word must have 1 to {MAX_CODE_POINTS} code points; got {len(word):,}. "
            f"Try one word of a sentence."
        )
    clusters = tuple(
        Cluster(text, tuple(map(_code_point, text))) for text in grapheme_clusters(word)
    )
    strong = {_direction(character) for character in word} - {"neutral"}
    return Anatomy(word, clusters, _base_direction(word), is_mixed=len(strong) > 1)


def _code_point(character: str) -> CodePoint:
    digits = f"{ord(character):04X}"
    name = unicodedata.name(character, "")
    category = unicodedata.category(character)
    return CodePoint(
        character,
        f"U+{digits}",
        name or f"<{_NAMELESS.get(category, 'unnamed')}-{digits}>",
        b"" if category == "Cs" else character.encode("utf-8"),
        _direction(character),
    )


def _direction(character: str) -> Direction:
    return _STRONG.get(unicodedata.bidirectional(character), "neutral")


def _way(text: str) -> Direction:
    """The way in which a character is laid out: that of its first letter or digit."""
    for character in text:
        kind = unicodedata.bidirectional(character)
        if kind in _STRONG:
            return _STRONG[kind]
        if kind in _DIGITS:
            return "left to right"
    return "neutral"


def _base_direction(word: str) -> Direction:
    """The direction of the first letter that stands in no isolate.

    Source: Unicode Standard Annex #9, rules P2 and P3.
    """
    depth = 0
    for character in word:
        kind = unicodedata.bidirectional(character)
        if kind in _ISOLATES:
            depth += 1
        elif kind == "PDI":
            depth = max(0, depth - 1)
        elif kind in _STRONG and depth == 0:
            return _STRONG[kind]
    return "neutral"


def _counted(n: int, thing: str) -> str:
    return f"{n:,} {thing}{'' if n == 1 else 's'}"
