"""A mask as people paste it, read as data: nothing of it is ever run.

    1 0 0        [[True, False],        tensor([[0., -inf],
    1 1 0         [True, True]]                 [0., 0.]])
    1 1 1

Rows are lines, or what stands in inner brackets. Commas, spaces and new lines part the numbers.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, NamedTuple, get_args

import numpy as np

from mha.checks import require_index

Kind = Literal["True and False", "0 and 1", "0 and -inf"]
KINDS: tuple[Kind, ...] = get_args(Kind)
BOOL, NUMBERS, ADDED = KINDS
MAX_MASK = 12
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


class MaskTextError(ValueError):
    """What does not fit in a pasted mask, and where: lines and columns count from 1."""

    def __init__(self, rule: str, got: str, line: int, column: int, instead: str) -> None:
        super().__init__(f"{rule}; got {got} at line {line}, column {column}. Try {instead}.")
        self.line = line
        self.column = column


@dataclass(frozen=True, eq=False)
class PastedMask:
    """A mask as it was written.

    kind: how it was written. All zeros are of the kind "0 and 1".
    values: float64 (T_q, T_k); 1 for 1 and True, 0 for 0 and False, or -inf.
    """

    kind: Kind
    values: np.ndarray

    @property
    def text(self) -> str:
        """It as `read_mask` reads it: a row a line."""
        names = ("False", "True") if self.kind == BOOL else ("0", "1")
        return "\n".join(
            " ".join("-inf" if np.isinf(value) else names[int(value)] for value in row)
            for row in self.values
        )

    def flipped(self, row: int, column: int) -> PastedMask:
        """The same mask with one cell turned over: 0 and 1, or 0 and -inf.

        Raises:
            ValueError: a row or a column that is not there.
        """
        T_q, T_k = self.values.shape
        values = self.values.copy()
        at = require_index("row", row, T_q), require_index("column", column, T_k)
        other = -np.inf if self.kind == ADDED else 1.0
        values[at] = other if values[at] == 0 else 0.0
        return PastedMask(self.kind, values)


class _Token(NamedTuple):
    text: str
    line: int
    column: int


def read_mask(text: str) -> PastedMask:
    """Read a mask of at most 12 rows and 12 columns.

    Raises:
        MaskTextError: a ValueError that names the line and column of the first thing that does not
            fit.
    """
    if len(text) > MAX_MASK_TEXT:
        line, column = _end(text[:MAX_MASK_TEXT])
        raise MaskTextError(
            f"a mask must be written in at most {MAX_MASK_TEXT:,} characters",
            "more",
            line,
            column,
            "the numbers alone",
        )
    tokens = list(_tokens(text))
    bracketed = any(token.text in "[]" for token in tokens)
    rows = _bracketed_rows(tokens) if bracketed else _rows_by_line(tokens)
    if not rows:
        line, column = _end(text)
        raise MaskTextError("a mask must have one row at least", "nothing", line, column, _EXAMPLE)
    for row in rows:
        if len(row) != len(rows[0]):
            raise MaskTextError(
                f"every row must have as many numbers as the first, {len(rows[0])}",
                str(len(row)),
                row[0].line,
                row[0].column,
                "rows of one length",
            )
    return PastedMask(_kind(rows), np.array([[_value(token) for token in row] for row in rows]))


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


def _rows_by_line(tokens: list[_Token]) -> list[list[_Token]]:
    rows: list[list[_Token]] = []
    before: _Token | None = None
    for token in tokens:
        if token.text == ",":
            _require_something_before(token, before)
        elif rows and rows[-1][0].line == token.line:
            _append(rows[-1], token)
        else:
            _require_room(rows, token)
            rows.append([_number(token)])
        before = token
    return rows


def _bracketed_rows(tokens: list[_Token]) -> list[list[_Token]]:
    rows: list[list[_Token]] = []
    row: list[_Token] | None = None  # what the innermost open bracket holds
    open_brackets: list[_Token] = []
    before: _Token | None = None
    for token in tokens:
        match token.text:
            case ",":
                _require_something_before(token, before)
            case "[":
                if len(open_brackets) == 2 or row:
                    raise _misplaced(token, "a mask must be rows in brackets, in one more pair")
                open_brackets.append(token)
                row = []
            case "]":
                if not open_brackets:
                    raise _misplaced(token, "every bracket that closes must have been opened")
                if row is not None:
                    if not row:
                        raise _misplaced(token, "every row must hold one number at least")
                    _require_room(rows, row[0])
                    rows.append(row)
                open_brackets.pop()
                row = None
            case _:
                if row is None:
                    raise _misplaced(_number(token), "every number must stand in a row's brackets")
                _append(row, token)
        before = token
    if open_brackets:
        raise _misplaced(open_brackets[-1], "every bracket must be closed")
    return rows


def _append(row: list[_Token], token: _Token) -> None:
    row.append(_number(token))
    if len(row) > MAX_MASK:
        raise MaskTextError(
            f"a row must have at most {MAX_MASK} numbers",
            "one more",
            token.line,
            token.column,
            "a smaller mask",
        )


def _require_room(rows: list[list[_Token]], token: _Token) -> None:
    if len(rows) == MAX_MASK:
        raise MaskTextError(
            f"a mask must have at most {MAX_MASK} rows",
            "one more",
            token.line,
            token.column,
            "a smaller mask",
        )


def _require_something_before(comma: _Token, before: _Token | None) -> None:
    if before is None or before.text in "[,":
        raise _misplaced(comma, "a comma must follow a number or a row")


def _misplaced(token: _Token, rule: str) -> MaskTextError:
    return MaskTextError(rule, _quoted(token), token.line, token.column, "[[1, 0], [1, 1]]")


def _number(token: _Token) -> _Token:
    """The token, which is a number that a mask may hold, or raise."""
    word = token.text.casefold()
    if word not in _VALUES and not _ZERO_OR_ONE.fullmatch(word):
        raise MaskTextError(
            "a mask must hold 0, 1, True, False and -inf alone",
            _quoted(token),
            token.line,
            token.column,
            _EXAMPLE,
        )
    return token


def _quoted(token: _Token) -> str:
    """The token's text as ASCII, so that nothing in it can turn a message round."""
    return ascii(token.text if len(token.text) <= 12 else f"{token.text[:12]}...")


def _value(token: _Token) -> float:
    word = token.text.casefold()
    return _VALUES[word] if word in _VALUES else abs(float(word))


def _kind(rows: list[list[_Token]]) -> Kind:
    """The one kind that every number can be of."""
    possible = set(KINDS)
    for token in (token for row in rows for token in row):
        possible &= _kinds_of(token)
        if not possible:
            raise MaskTextError(
                "a mask must be of True and False, of 0 and 1, or of 0 and -inf",
                _quoted(token),
                token.line,
                token.column,
                "one kind alone",
            )
    return NUMBERS if NUMBERS in possible else possible.pop()


def _kinds_of(token: _Token) -> set[Kind]:
    if token.text.casefold() in _BOOLS:
        return {BOOL}
    return {0.0: {NUMBERS, ADDED}, 1.0: {NUMBERS}, -np.inf: {ADDED}}[_value(token)]
