"""What a link asks of this page alone, judged before Streamlit drops what it cannot show."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from mha.sentence import visible

MAX_WIDTH, MAX_D_HEAD = 16_384, 1_024
STEPS = ("On paper", "Every number of heads", "In PyTorch", "Predict")
STACKS = ("Q, K, V, O", "by head")
GUESSES = ("fewer", "the same", "more")

_NUMBERS = {"width": MAX_WIDTH, "width_heads": MAX_WIDTH, "kv_heads": MAX_WIDTH}
_NUMBERS["d_head"] = MAX_D_HEAD
_SWITCHES = ("bias", "count_reveal")
_CHOICES = {"parameters_step": STEPS, "stack": STACKS, "count_guess": GUESSES}
_SHOWN = 24  # characters of a wrong value that its message repeats


def mend() -> None:
    """Put right what the link asks, once and before any widget of the page is drawn."""
    if "parameters_notes" in st.session_state:
        return
    keys = [key for key in (*_NUMBERS, *_SWITCHES, *_CHOICES) if key in st.query_params]
    given = {key: st.query_params.get_all(key) for key in keys}
    kept, st.session_state["parameters_notes"] = judge({k: v[-1] for k, v in given.items()})
    if given != {key: [value] for key, value in kept.items()}:
        for key in given:
            del st.query_params[key]
        st.query_params.update(kept)
        st.rerun()  # the widgets read the link as it was when the run began


def notes() -> list[str]:
    """What was wrong with the link, until its widget is changed."""
    return list(st.session_state["parameters_notes"].values())


def forget(key: str) -> None:
    """Drop the message about a value that its visitor has changed."""
    st.session_state["parameters_notes"].pop(key, None)


def judge(given: Mapping[str, str]) -> tuple[dict[str, str], dict[str, str]]:
    """The values that can be shown, and a message for each other; an empty value has neither."""
    kept, wrong = {}, {}
    for key, text in given.items():
        if key in _NUMBERS:
            number = int(text) if text.isascii() and text.isdigit() and len(text) < 9 else 0
            value = str(number) if 1 <= number <= _NUMBERS[key] else None
            rule = f"a whole number from 1 to {_NUMBERS[key]:,}"
        elif key in _SWITCHES:
            value = text if text.lower() in ("true", "false") else None
            rule = "true or false"
        else:
            value = text if text in _CHOICES[key] else None
            rule = " or ".join(_CHOICES[key])
        if value is not None:
            kept[key] = value
        elif text:
            got = " ".join(visible(text[:_SHOWN]).split())
            wrong[key] = f"{key} must be {rule}; got {key}={got}. Showing the default."
    return kept, wrong
