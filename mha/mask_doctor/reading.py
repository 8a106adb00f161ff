"""A mask as people paste it, read as data: nothing of it is ever run.

    1 0 0        [[True, False],        tensor([[[0., -inf],        array([[[ True, False],
    1 1 0         [True, True]]                  [0., 0.]]])                [ True,  True]]])
    1 1 1

Rows are lines, or what stands in inner brackets. Commas, spaces and new lines part the numbers.
Each more pair of brackets is an axis more.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from mha.mask_doctor.pasted import ADDED, BOOL, KINDS, NUMBERS, Kind, PastedMask

MAX_MASK = 12
MAX_AXES = 4
MAX_MATRICES = 32
MAX_NUMBERS = 512
MAX_MASK_TEXT = 4096

_BOOLS = {"true": 1.0, "false": 0.0}
_INFINITIES = ("-inf", "-infinity", "-math.inf", "-torch.inf", "-np.inf")
_CALLS = ("float('-inf')", 'float("-inf")')
_VALUES = _BOOLS | dict.fromkeys((*_INFINITIES, *_CALLS), -np.inf)
_ZERO_OR_ONE = re.compile(r"[+-]?0(\.0*)?|\+?1(\.0*)?")
_TOKEN = re.compile(r"[\[\],]|[^\s\[\],]+")
# What print shows around a tensor or an array; it is blanked out, so that places stay the same.
_OPENING = re.compile(r"\A\s*(?:(?:torch\.|np\.|numpy\.)?(?:tensor|array|Array)\()")
_CLOSING = re.compile(r"(?:,\s*(?:dtype|device|requires_grad)=[\w.:'\"]+)*\s*\)\s*\Z")
_EXAMPLE = "1 0 in the first line and 1 1 in the second"
_BRACKETS = "[[1, 0], [1, 1]]"
_SMALLER = "a smaller mask"
# What a list holds, by how many axes it has.
_PARTS = {1: ("row", "numbers"), 2: ("matrix", "rows"), 3: ("sequence", "matrices")}


class MaskTextError(ValueError):
    """What does not fit in a pasted mask, and where: lines and columns count from 1."""

    def __init__(self, rule: str, got: str, line: int, column: int, instead: str) -> None:
        super().__init__(f"{rule}; got {got} at line {line}, column {column}. Try {instead}.")
        self.line = line
        self.column = column


class _Token(NamedTuple):
    text: str
    line: int
    column: int


@dataclass(eq=False)
class _List:
    """What one pair of brackets holds, numbers or lists; `opened` is None for a whole text."""

    opened: _Token | None
    items: list[Any] = field(default_factory=list)

    @property
    def is_row(self) -> bool:
        return bool(self.items) and isinstance(self.items[0], _Token)

    @property
    def first(self) -> _Token:
        """Where it is said to be: a row at its first number, all else at its bracket."""
        return self.items[0] if self.is_row else self.opened


def read_mask(text: str) -> PastedMask:
    """Read a mask of two to four axes, of at most 12 rows and 12 columns.

    Raises:
        MaskTextError: a ValueError that names the line and column of the first thing that does not
            fit.
    """
    if len(text) > MAX_MASK_TEXT:
        rule = f"a mask must be written in at most {MAX_MASK_TEXT:,} characters"
        raise MaskTextError(rule, "more", *_end(text[:MAX_MASK_TEXT]), "the numbers alone")
    tokens = list(_tokens(text))
    bracketed = any(token.text in "[]" for token in tokens)
    mask = _by_brackets(tokens) if bracketed else _by_lines(tokens)
    if not mask.items:
        rule = "a mask must have one row at least"
        raise MaskTextError(rule, "nothing", *_end(text), _EXAMPLE)
    _require_even(mask)
    kind = _kind([token for token in tokens if token.text not in ("[", "]", ",")])
    return PastedMask(kind, np.atleast_2d(np.array(_values(mask))))


def _tokens(text: str) -> Iterator[_Token]:
    """Brackets, commas and words, each with its place."""
    opening = _OPENING.match(text)
    if opening:
        closing = _CLOSING.search(text, opening.end())
        text = _blank(text, opening.start(), opening.end())
        if closing:
            text = _blank(text, closing.start(), closing.end())
    for number, line in enumerate(lines(text), start=1):
        for match in _TOKEN.finditer(line):
            yield _Token(match[0], number, match.start() + 1)


def lines(text: str) -> list[str]:
    """The lines of a text, as its places count them."""
    return re.split(r"\r\n|\r|\n", text)


def _blank(text: str, start: int, stop: int) -> str:
    return text[:start] + re.sub(r"[^\r\n]", " ", text[start:stop]) + text[stop:]


def _end(text: str) -> tuple[int, int]:
    """The place after the last character."""
    all_lines = lines(text)
    return len(all_lines), len(all_lines[-1]) + 1


def _refusal(rule: str, token: _Token, instead: str, got: str | None = None) -> MaskTextError:
    return MaskTextError(rule, got or _quoted(token), token.line, token.column, instead)


# Lists


def _by_lines(tokens: list[_Token]) -> _List:
    rows = _List(None)
    before: _Token | None = None
    for token in tokens:
        if token.text == ",":
            _require_something_before(token, before)
        elif rows.items and rows.items[-1].first.line == token.line:
            _append(rows.items[-1], token)
        else:
            rows.items.append(_List(None, [_number(token)]))
            _require_room(rows)
        before = token
    return rows


def _by_brackets(tokens: list[_Token]) -> _List:
    """The list that the text is; a text of several lists is the list of them."""
    whole = _List(None)
    is_open = [whole]
    n_numbers = n_matrices = 0
    before: _Token | None = None
    for token in tokens:
        inner = is_open[-1]
        match token.text:
            case ",":
                _require_something_before(token, before)
            case "[":
                if inner.is_row:
                    raise _refusal("a row must hold numbers alone", token, _BRACKETS)
                # A second list beside the first stands for one more pair around all.
                depth = _depth(inner.items[0]) if inner is whole and inner.items else 0
                if max(len(is_open), depth + 1) > MAX_AXES:
                    raise _refusal(f"a mask must have at most {MAX_AXES} axes", token, "mask[0]")
                is_open.append(_List(token))
            case "]":
                if inner is whole:
                    rule = "every bracket that closes must have been opened"
                    raise _refusal(rule, token, _BRACKETS)
                if not inner.items:
                    raise _refusal("every row must hold one number at least", token, _BRACKETS)
                is_open.pop()
                is_open[-1].items.append(inner)
                _require_room(is_open[-1])
                n_matrices += _depth(inner) == 2
                if n_matrices > MAX_MATRICES:
                    rule = f"a mask must have at most {MAX_MATRICES} matrices"
                    raise _refusal(rule, inner.first, _SMALLER, "one more")
            case _:
                if inner is whole or (inner.items and not inner.is_row):
                    rule = "every number must stand in a row's brackets"
                    raise _refusal(rule, _number(token), _BRACKETS)
                _append(inner, token)
                n_numbers += 1
                if n_numbers > MAX_NUMBERS:
                    rule = f"a mask must have at most {MAX_NUMBERS} numbers"
                    raise _refusal(rule, token, _SMALLER, "one more")
        before = token
    if len(is_open) > 1:
        raise _refusal("every bracket must be closed", is_open[-1].opened, _BRACKETS)
    return whole.items[0] if len(whole.items) == 1 else whole


def _depth(part: _List) -> int:
    """How many axes a list has, by what stands first in it."""
    return 1 if part.is_row else 1 + _depth(part.items[0])


def _append(row: _List, token: _Token) -> None:
    row.items.append(_number(token))
    if len(row.items) > MAX_MASK:
        raise _refusal(f"a row must have at most {MAX_MASK} numbers", token, _SMALLER, "one more")


def _require_room(rows: _List) -> None:
    row = rows.items[-1]
    if row.is_row and len(rows.items) > MAX_MASK:
        rule = f"a mask must have at most {MAX_MASK} rows"
        raise _refusal(rule, row.first, _SMALLER, "one more")


def _require_something_before(comma: _Token, before: _Token | None) -> None:
    if before is None or before.text in "[,":
        raise _refusal("a comma must follow a number or a row", comma, _BRACKETS)


def _require_even(mask: _List) -> None:
    """Raise unless the lists are an array: as deep everywhere, and as long on each axis."""
    parts = [mask]
    for axes in range(_depth(mask), 0, -1):
        for part in parts:
            if part.is_row != (axes == 1):
                rule = f"every row must stand in as many brackets as the first, {_depth(mask)}"
                got = _depth(mask) - axes + _depth(part)
                raise _refusal(rule, part.first, "the same brackets around each", str(got))
            if len(part.items) != len(parts[0].items):
                name, held = _PARTS[axes]
                rule = f"every {name} must have as many {held} as the first, {len(parts[0].items)}"
                instead = "rows of one length" if axes == 1 else "matrices of one shape"
                raise _refusal(rule, part.first, instead, str(len(part.items)))
        if axes > 1:
            parts = [item for part in parts for item in part.items]


def _values(part: _List) -> list[Any]:
    return [_value(item) if part.is_row else _values(item) for item in part.items]


# Numbers


def _number(token: _Token) -> _Token:
    """The token, which is a number that a mask may hold, or raise."""
    word = token.text.casefold()
    if set(word) == {"."}:
        rule, instead = "a mask must be printed whole", "torch.set_printoptions(profile='full')"
        raise _refusal(rule, token, instead)
    if word not in _VALUES and not _ZERO_OR_ONE.fullmatch(word):
        raise _refusal("a mask must hold 0, 1, True, False and -inf alone", token, _EXAMPLE)
    return token


def _quoted(token: _Token) -> str:
    """The token's text as ASCII, so that nothing in it can turn a message round."""
    return ascii(token.text if len(token.text) <= 12 else f"{token.text[:12]}...")


def _value(token: _Token) -> float:
    word = token.text.casefold()
    return _VALUES[word] if word in _VALUES else abs(float(word))


def _kind(tokens: list[_Token]) -> Kind:
    """The one kind that every number can be of."""
    possible = set(KINDS)
    for token in tokens:
        possible &= _kinds_of(token)
        if not possible:
            rule = "a mask must be of True and False, of 0 and 1, or of 0 and -inf"
            raise _refusal(rule, token, "one kind alone")
    return NUMBERS if NUMBERS in possible else possible.pop()


def _kinds_of(token: _Token) -> set[Kind]:
    if token.text.casefold() in _BOOLS:
        return {BOOL}
    return {0.0: {NUMBERS, ADDED}, 1.0: {NUMBERS}, -np.inf: {ADDED}}[_value(token)]
