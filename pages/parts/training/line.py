"""The line of runs that want a core: who came first works first, and nobody keeps it for long."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from threading import Lock

TURN_SECONDS = 10.0  # then a run goes to the end of the line
GONE_SECONDS = 3.0  # whoever has not asked for so long is no longer in the line


@dataclass
class _Place:
    asked: float
    began: float | None = None  # when its turn began
    is_at_work: bool = False


class Line:
    """The first `at_once` of the line may work; the others are told how many are before them."""

    def __init__(self, at_once: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._at_once, self._clock = at_once, clock
        self._places: OrderedDict[Hashable, _Place] = OrderedDict()
        self._lock = Lock()

    def enter(self, who: Hashable) -> int:
        """0, and a core is theirs until `leave`; or how many are before them, to ask again soon."""
        with self._lock:
            now = self._clock()
            for other, place in list(self._places.items()):
                is_gone = not place.is_at_work and now - place.asked > GONE_SECONDS
                if is_gone and other != who:
                    del self._places[other]
            mine = self._places.setdefault(who, _Place(now))
            mine.asked = now
            before = list(self._places).index(who)
            if before >= self._at_once:
                return before
            mine.is_at_work = True
            if mine.began is None:
                mine.began = now
            return 0

    def leave(self, who: Hashable, *, is_done: bool) -> None:
        """Give the core back: out of the line when done, to its end when the turn is over."""
        with self._lock:
            now, mine = self._clock(), self._places[who]
            mine.is_at_work, mine.asked = False, now
            if is_done:
                del self._places[who]
            elif mine.began is not None and now - mine.began >= TURN_SECONDS:
                mine.began = None
                self._places.move_to_end(who)
