"""An error that nobody caught: what the visitor is told of it, and what the log keeps.

An exception's message may repeat what somebody typed, so that neither of them holds it. Streamlit
takes every uncaught error of a page, a fragment or a callback through `streamlit.error_util`, which
logs it and shows it. What it shows is replaced there; what it logs, by the factory that makes every
record of the log. With `client.showErrorDetails=full`, as while one edits, all stays as it was.
"""

from __future__ import annotations

import logging
import traceback
from collections.abc import Iterator
from functools import cache
from html import escape
from urllib.parse import urlencode

import streamlit as st
from streamlit import error_util

from pages.parts.scene import SHARED_KEYS

KEY = "mishap"
_SORRY = (
    "**This page has run into a fault of its own.** What you typed was not written down. "
    "Try one of these:"
)
_COLOR = 'style="color: light-dark(#0b5cad, #6cb2ff)"'  # the style sheet may be missing here
_DETAILS = "client.showErrorDetails"


@cache
def set_up() -> None:
    """Stand between errors and those who are told of them, from now on."""
    show, make = error_util.show_uncaught_app_exception, logging.getLogRecordFactory()

    def show_in_words(error: BaseException) -> None:
        if _is_public():
            _say()
        else:
            show(error)

    def make_without_message(*args: object, **more: object) -> logging.LogRecord:
        record = make(*args, **more)
        if record.exc_info and record.exc_info[1] is not None and _is_public():
            record.exc_text = "\n".join(told(record.exc_info[1]))
            record.exc_info = None
        return record

    error_util.show_uncaught_app_exception = show_in_words
    logging.setLogRecordFactory(make_without_message)


def told(error: BaseException) -> Iterator[str]:
    """The error for the log: its type, then file, line and function of every frame; no message."""
    yield f"{_name(error)}; its message is left out, since it may hold a visitor's text"
    for frame in traceback.extract_tb(error.__traceback__):
        yield f"  {frame.filename}:{frame.lineno} in {frame.name}"
    before = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    if before is not None:
        yield "after"
        yield from told(before)


def _say() -> None:
    """A plain sentence, and two ways on; either loads the page anew, with nothing left of this."""
    kept = [(key, st.query_params[key]) for key in SHARED_KEYS if key in st.query_params]
    with st.container(key=KEY):
        st.error(_SORRY, icon=":material/error:")
        # Relative, since the app may live below another address; and in the same tab.
        ways = {
            f"?{urlencode(kept)}": "This page with your words and sizes, as it begins",
            "./": "The first page, with words of ours",
        }
        st.html("".join(f'<p><a {_COLOR} href="{escape(to)}">{ways[to]}</a></p>' for to in ways))


def _is_public() -> bool:
    return st.get_option(_DETAILS) == "none"


def _name(error: BaseException) -> str:
    kind = type(error)
    return f"{kind.__module__}.{kind.__qualname__}".removeprefix("builtins.")
