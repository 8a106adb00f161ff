"""How an error is held to its words."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

import pytest


@contextmanager
def says(message: str) -> Iterator[None]:
    """Assert that what runs inside raises a ValueError, and that this is all that it says."""
    with pytest.raises(ValueError, match=rf"\A{re.escape(message)}\Z"):
        yield
