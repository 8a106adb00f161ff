"""Runs that all visitors share: who asks for the same settings sees the same run.

A run goes on while somebody looks at it: each visitor's page asks for a slice of work now and then.
One of them does it and the others watch. Slices that go on at one time are bounded, and so is the
number of runs that are kept.
"""

from __future__ import annotations

import os
import time
from collections import OrderedDict
from collections.abc import Callable
from threading import Lock, Semaphore
from typing import TYPE_CHECKING

import streamlit as st

if TYPE_CHECKING:  # torch takes a second, and is loaded when somebody trains
    from mha.training import Run, Settings, Snapshot

MOST_KEPT = 16
TELL_SECONDS = 0.2
AT_ONCE = max(1, (os.cpu_count() or 1) - 1)  # slices of work; a core is left to the pages


class Course:
    """One run and its snapshots so far, in order; snapshots are never changed."""

    def __init__(self, settings: Settings, free: Semaphore) -> None:
        self.settings = settings
        self.snapshots: list[Snapshot] = []
        self.step = 0
        self._run: Run | None = None
        self._seconds = 0.0
        self._lock, self._free = Lock(), free

    @property
    def is_done(self) -> bool:
        return bool(self.snapshots) and self.snapshots[-1].step == self.settings.steps

    @property
    def seconds_left(self) -> float | None:
        """How long the rest takes at the pace so far; None before the first step."""
        if not self.step:
            return None
        return (self.settings.steps - self.step) * self._seconds / self.step

    def work(self, seconds: float, tell: Callable[[], None]) -> bool:
        """Train for so long, one step at least, or until the run is done.

        `tell` is called several times a second and may raise to end the work early. Returns False,
        at once, where another visitor is training this run, or where no core is free.
        """
        if not self._lock.acquire(blocking=False):
            return False
        try:
            if not self._free.acquire(blocking=False):
                return False
            try:
                self._train(seconds, tell)
            finally:
                self._free.release()
        finally:
            self._lock.release()
        return True

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
        self._free = Semaphore(AT_ONCE)

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
            course = self._courses.setdefault(settings, Course(settings, self._free))
            self._courses.move_to_end(settings)
            while len(self._courses) > MOST_KEPT:
                self._courses.popitem(last=False)
            return course


@st.cache_resource(max_entries=1, show_spinner=False)
def shelf() -> Shelf:
    """The one shelf of this server."""
    return Shelf()
