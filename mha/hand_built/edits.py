"""The visitor's own matrices as a short text, so that they fit in a link.

Q:3,1=6 K:0,0=-2.5        W_Q[3, 1] = 6 and W_K[0, 0] = -2.5, the rest as it was
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping

from mha.sentence import MAX_TOKENS

Edits = Mapping[tuple[str, int, int], float]

MAX_EDIT = 100.0
MAX_EDITS = 400
MAX_EDITS_TEXT = MAX_EDITS * len("Q:34,34=-99.999 ")
_N_FEATURES = MAX_TOKENS + 3
_EDIT = re.compile(r"([QK]):(\d{1,2}),(\d{1,2})=(-?\d{1,3}(?:\.\d{1,3})?)", re.ASCII)


def read_edits(text: str) -> tuple[dict[tuple[str, int, int], float], tuple[str, ...]]:
    """Edits by (matrix, row, column), and a message for each kind of thing that was left out.

    Reads numbers only; whatever else stands in the text is refused as text.
    """
    complaints = []
    pieces = text[:MAX_EDITS_TEXT].split()
    is_cut = len(text) > MAX_EDITS_TEXT
    if is_cut and not any(map(str.isspace, text[MAX_EDITS_TEXT - 1 : MAX_EDITS_TEXT + 1])):
        pieces.pop()  # what is left of a piece could be another number
    if len(pieces) > MAX_EDITS:
        complaints.append(
            f"your own head takes at most {MAX_EDITS} changed numbers; "
            f"got {'more' if is_cut else len(pieces)}. Try fewer; the first {MAX_EDITS} are taken."
        )
    elif is_cut:
        complaints.append(
            f"the text of your own head must have at most {MAX_EDITS_TEXT:,} characters; got more. "
            f"Try a shorter text; the rest is left out."
        )
    edits: dict[tuple[str, int, int], float] = {}
    refused = None
    for piece in pieces[:MAX_EDITS]:
        match = _EDIT.fullmatch(piece)
        if match is None:
            refused = refused or piece
            continue
        matrix, row, column, number = match[1], int(match[2]), int(match[3]), float(match[4])
        if row >= _N_FEATURES or column >= _N_FEATURES or abs(number) > MAX_EDIT:
            refused = refused or piece
            continue
        edits[matrix, row, column] = number
    if refused is not None:
        complaints.append(
            f"a changed number must read like Q:3,1=6, with rows and columns below {_N_FEATURES} "
            f"and numbers from -{MAX_EDIT:g} to {MAX_EDIT:g}; got {_sendable(refused[:24])}. "
            f"Try the table of W_Q; the other numbers are taken."
        )
    return edits, tuple(complaints)


def _sendable(text: str) -> str:
    """The text with lone surrogates, which no encoding has, replaced."""
    return text.encode("utf-8", "replace").decode()


def write_edits(edits: Edits) -> str:
    """The text that `read_edits` reads back: sorted, numbers to three decimals, within bounds."""
    pieces = []
    for (matrix, row, column), number in sorted(edits.items()):
        if math.isfinite(number):
            bounded = round(min(max(number, -MAX_EDIT), MAX_EDIT), 3)
            pieces.append(f"{matrix}:{row},{column}={bounded:g}")
    return " ".join(pieces[:MAX_EDITS])
