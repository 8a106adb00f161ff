"""One page's script at a time.

Python runs one thread at a time in any case. Scripts that share it all finish late, and changing
between them costs as well; one after another, each finishes as early as it can.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock, local

_turn = Lock()
_own = local()  # whether this thread has the turn


@contextmanager
def taken() -> Iterator[None]:
    """Wait for the turn, and keep it for the block."""
    with _turn:
        _own.has_it = True
        try:
            yield
        finally:
            _own.has_it = False


@contextmanager
def given_back() -> Iterator[None]:
    """Let others go on during the block: for long work that leaves Python to other threads.

    A fragment that runs by itself has no turn, and nothing to give back.
    """
    if not getattr(_own, "has_it", False):
        yield
        return
    _turn.release()
    try:
        yield
    finally:
        _turn.acquire()
