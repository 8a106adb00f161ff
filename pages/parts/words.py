"""People's text inside our sentences: shown as it was typed, never read as markup."""

from __future__ import annotations

import re

_ASCII_PUNCTUATION = re.compile(r"([!-/:-@\[-`{-~])")
# Streamlit looks for its logo, addresses and arrows in the text that Markdown has already read,
# where no escape is left: each of them has one of these signs.
_READ_LATE = re.compile(r"(?=[.:@/<>=~-])")


def plain(text: str) -> str:
    """The text with everything broken up that Markdown or Streamlit might read in it.

    CommonMark lets a backslash stand before any ASCII punctuation; with all of it escaped there is
    no emphasis, link, math, HTML, directive (`:red[x]`) or icon left to find. A word joiner, which
    nobody sees, parts what is read later.
    """
    parted = _READ_LATE.sub("\N{WORD JOINER}", text)
    return _ASCII_PUNCTUATION.sub(r"\\\1", parted)


def bold(text: str) -> str:
    """A word of the visitor's in bold, set apart so that its direction of writing stays its own."""
    return f"**{isolated(plain(text))}**"


def isolated(text: str) -> str:
    """The text set apart, so that it runs by its own first letter and turns nothing beside it."""
    return f"\N{FIRST STRONG ISOLATE}{text}\N{POP DIRECTIONAL ISOLATE}"


def listed(words: list[str]) -> str:
    """Bold words as a list in a sentence: `a`, `a and b`, `a, b and c`."""
    *first, last = map(bold, words)
    return f"{', '.join(first)} and {last}" if first else last
