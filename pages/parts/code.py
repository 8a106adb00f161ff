"""The source of what ran, read from the program itself."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import lru_cache
from typing import Any

import streamlit as st


def show_source(part: Callable[..., Any] | type) -> None:
    """Draw the source of a function or a class."""
    st.code(_source(part), "python", wrap_lines=True)


@lru_cache(64)  # it is found by reading its file through
def _source(part: Callable[..., Any] | type) -> str:
    return inspect.getsource(part)
