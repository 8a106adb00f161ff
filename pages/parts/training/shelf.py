"""Runs that all visitors share: who asks for the same settings sees the same run.

A run goes on while somebody looks at it: each visitor's page asks for a slice of work now and then.
One of them does it and the others watch. Runs that are at work at one time are bounded, the others
stand in line, and the number of runs that are kept is bounded too.
"""

from __future__ import annotations

import os
import time
from collections import OrderedDict
from collections.abc import Callable
from functools import cache
from threading import Lock
from typing import TYPE_CHECKING

from pages.parts.training.line import Line

if TYPE_CHECKING:  # torch takes a second, and is loaded when somebody trains
    from mha.training import Run, Settings, Snapshot

MOST_KEPT = 16
TELL_SECONDS = 0.2
AT_ONCE = max(1, (os.cpu_count() or 1) - 1)  # runs at work; a core is left to the pages


class Course:
    """One run and its snapshots so far, in order; snapshots are never changed."""

    def __init__(self, settings: Settings, line: Line) -> None:
        self.settings = settings
        self.snapshots: list[Snapshot] = []
        self.step = 0
        self._run: Run | None = None
        self._seconds = 0.0
        self._lock, self._line = Lock(), line

    @property
    def is_done(self) -> bool:
        return bool(self.snapshots) and self.snapshots[-1].step == self.settings.steps

    @property
    def seconds_left(self) -> float | None:
        """How long the rest takes at the pace so far; None before the first step."""
        if not self.step:
            return None
        return (self.settings.steps - self.step) * self._seconds / self.step

    def work(self, seconds: float, tell: Callable[[], None]) -> int | None:
        """Train for so long, one step at least, or until the run is done.

        `tell` is called several times a second and may raise to end the work early.

        Returns:
            None after the work; or at once how many runs are before this one in the line for a
            core; 0 where another visitor is training this run.
        """
        if not self._lock.acquire(blocking=False):
            return 0
        try:
            before = self._line.enter(self)
            if before:
                return before
            try:
                self._train(seconds, tell)
            finally:
                self._line.leave(self, is_done=self.is_done)
        finally:
            self._lock.release()
        return None

    def _train(self, seconds: float, tell: Callable[[], None]) -> None:
        import torch

        from mha.training import Run

        torch.set_num_threads(1)  # quickest for so small a model, and the same to the bit
        if self._run is None:
            self._run = Run(self.settings)
            self.snapshots.append(self._run.snapshot())
        kept = set(self.settings.kept_steps)
        told = time.monotonic()
        end = told + seconds
        while not self.is_done:
            began = time.monotonic()
            self._run.advance()
            self.step = self._run.step
            if self.step in kept:
                self.snapshots.append(self._run.snapshot())
            now = time.monotonic()
            self._seconds += now - began
            if now - told > TELL_SECONDS:
                told = now
                tell()
            if now >= end:
                break
        if self.is_done:
            self._run = None  # its optimizer is not needed again


class Shelf:
    """The latest runs, at most MOST_KEPT; the one that nobody has asked for longest goes first."""

    def __init__(self) -> None:
        self._courses: OrderedDict[Settings, Course] = OrderedDict()
        self._lock = Lock()
        self._line = Line(AT_ONCE)

    def __len__(self) -> int:
        return len(self._courses)

    def find(self, settings: Settings) -> Course | None:
        """The run with these settings, if somebody has begun it."""
        with self._lock:
            course = self._courses.get(settings)
            if course is not None:
                self._courses.move_to_end(settings)
            return course

    def begin(self, settings: Settings) -> Course:
        """The run with these settings; a new one, which nobody has trained yet, if need be."""
        with self._lock:
            return self._begin(settings)

    def renew(self, settings: Settings) -> Course:
        """The run with these settings from its first step on, unless it is on its way anyhow."""
        with self._lock:
            if settings in self._courses and self._courses[settings].is_done:
                del self._courses[settings]
            return self._begin(settings)

    def _begin(self, settings: Settings) -> Course:
        course = self._courses.setdefault(settings, Course(settings, self._line))
        self._courses.move_to_end(settings)
        while len(self._courses) > MOST_KEPT:
            self._courses.popitem(last=False)
        return course


@cache  # not Streamlit's, which any visitor's connection may ask to be cleared
def shelf() -> Shelf:
    """The one shelf of this server."""
    return Shelf()
