"""What a visitor's link asks of the shared sizes, mended before Streamlit reads it.

Streamlit drops a value that it cannot show without a word, and reads numbers into others ("8.7" as
8). Until the widgets are bound the link is ours to change; after that it is theirs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from difflib import SequenceMatcher

import streamlit as st

from mha.checks import nearest_divisors
from mha.sentence import MAX_TEXT, visible

D_MODEL_RANGE = (2, 128)
DEFAULT_D_MODEL, DEFAULT_HEADS = 32, 4
LONGEST_TEXT = MAX_TEXT + 1  # one more than fits, so that too long a text is told
_KEYS = ("d_model", "heads", "causal")
_TEXTS = ("tokens", "categories")
MOST = 99_999_999  # the largest number that a link may ask for
_SHOWN = 24  # characters of a wrong value that its message repeats
_ALIKE = 0.6  # of 1; names that share less are not each other's misspelling


def mend() -> tuple[dict[str, str], bool]:
    """Put right what the link asks of the shared sizes, and cut too long a text.

    Of a key that comes several times the last counts, and it alone stays.

    Returns:
        a message for each wrong value, by key; and whether the link is another one now.
    """
    given = {key: st.query_params.get_all(key) for key in _KEYS if key in st.query_params}
    kept, notes = judge({key: values[-1] for key, values in given.items()})
    is_mended = given != {key: [value] for key, value in kept.items()}
    if is_mended:
        for key in given:
            del st.query_params[key]
        st.query_params.update(kept)
    for key in _TEXTS:
        texts = st.query_params.get_all(key)
        text = texts[-1][:LONGEST_TEXT] if texts else ""
        if texts and texts != [text]:
            st.query_params[key] = text
            is_mended = True
    return notes, is_mended


def judge(given: Mapping[str, str]) -> tuple[dict[str, str], dict[str, str]]:
    """The values of a link that can be shown, and a message for each of the others, by key."""
    kept: dict[str, str] = {}
    notes: dict[str, str] = {}
    low, high = D_MODEL_RANGE
    d_model = whole(given.get("d_model"), low, high)
    if d_model is not None:
        kept["d_model"] = str(d_model)
    elif "d_model" in given:
        rule = f"a whole number from {low} to {high}"
        notes["d_model"] = message("d_model", rule, given["d_model"], DEFAULT_D_MODEL)
    d_model = d_model or DEFAULT_D_MODEL

    heads = whole(given.get("heads"), 1, high)
    if heads is not None:
        kept["heads"] = str(nearest_divisors(d_model, heads)[0])
        if d_model % heads:
            notes["heads"] = not_dividing("d_model", d_model, "heads", heads)
    elif "heads" in given:
        rule = f"a whole number from 1 to {high}"
        shown = nearest_divisors(d_model, DEFAULT_HEADS)[0]
        notes["heads"] = message("heads", rule, given["heads"], shown)

    if given.get("causal", "").lower() in ("true", "false"):
        kept["causal"] = given["causal"]
    elif "causal" in given:
        notes["causal"] = message("causal", "true or false", given["causal"], "true")
    return kept, notes


def not_dividing(name: str, number: int, part: str, asked: int) -> str:
    """What a visitor is told of a part that does not divide its number."""
    return (
        f"{part} must divide {name}; got {name}={number}, {part}={asked}. "
        f"Showing {part}={nearest_divisors(number, asked)[0]}, the nearest that does."
    )


def message(
    key: str, rule: str, asked: str, shown: object | None, nearest: str | None = None
) -> str:
    """What a visitor is told of a value that the link asks for and cannot have."""
    got = " ".join(visible(asked[:_SHOWN]).split())
    instead = "It is left empty." if shown is None else f"Showing {shown}."
    named = "" if nearest in (None, shown) else f" The nearest is {nearest}."
    return f"{key} must be {rule}; got {key}={got}. {instead}{named}"


def spelled(asked: str, options: Sequence[str]) -> str | None:
    """The option that is written so but for capitals; None where none is, or several are."""
    same = [option for option in options if option.casefold() == asked.casefold()]
    return same[0] if len(same) == 1 else None


def nearest_name(asked: str, options: Sequence[str]) -> str | None:
    """The option that was most likely meant: the first that begins so, or the one most alike."""
    meant = _letters(asked[:_SHOWN])
    matcher = SequenceMatcher(b=meant, autojunk=False)
    alike = {}
    for option in options:
        name = _letters(option)
        matcher.set_seq1(name)
        alike[option] = 1 if meant and name.startswith(meant) else matcher.ratio()
    best = max(alike, key=alike.__getitem__, default=None)
    return best if best is not None and alike[best] >= _ALIKE else None


def _letters(name: str) -> str:
    return "".join(filter(str.isalnum, name.casefold()))


def whole(text: str | None, low: int, high: int = MOST) -> int | None:
    """The number that the text is in plain digits, or None; nearly a number is none."""
    if text is None or not (text.isascii() and text.isdigit() and len(text) <= len(str(MOST))):
        return None
    return int(text) if low <= int(text) <= high else None
