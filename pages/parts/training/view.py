"""What one visitor sees of a run: up to where they stopped it, though others may train it on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import streamlit as st

from mha.training import Reading, Settings
from mha.training.shipped import shipped, shipped_snapshots
from pages.parts.training.shelf import MOST_KEPT, shelf

# The settings that are in training here; and by settings, up to which step a run has been seen.
_ON, _SEEN = "training_on", "training_seen"


@dataclass(frozen=True)
class View:
    """A run as far as the visitor has followed it.

    snapshots: in order; of a run that came with the app and is only to be compared, readings.
    step: the last that is seen. others_at: where others have trained the run to, if further on.
    is_shipped: whether it came with the app.
    """

    settings: Settings
    snapshots: Sequence[Reading]
    step: int
    others_at: int | None = None
    is_shipped: bool = False

    @property
    def is_done(self) -> bool:
        return bool(self.snapshots) and self.snapshots[-1].step == self.settings.steps


def look(settings: Settings, *, to_compare: bool = False) -> View | None:
    """The run that this visitor sees for some settings; None where nobody has begun it.

    One that came with the app is seen until the visitor trains it anew. To be compared, it may lack
    the weights.
    """
    course, seen = shelf().find(settings), st.session_state.setdefault(_SEEN, {})
    if is_on(settings):
        course = course or shelf().begin(settings)  # so many others were begun since
        _note(settings, course.step)
        if course.is_done:
            st.session_state[_ON] = None
    ready = shipped().get(settings) if to_compare else shipped_snapshots(settings)
    is_followed = course is not None and course.step >= seen.get(settings, settings.steps + 1)
    if ready is not None and not is_followed:
        return View(settings, ready, settings.steps, is_shipped=True)
    if course is None:
        return None
    step = min(course.step, seen.get(settings, course.step))
    _note(settings, step)
    snapshots = [snapshot for snapshot in list(course.snapshots) if snapshot.step <= step]
    return View(settings, snapshots, step, course.step if course.step > step else None)


def is_on(settings: Settings) -> bool:
    """Whether this visitor has the run with these settings going."""
    return st.session_state.get(_ON) == settings


def in_training(*shown: Settings) -> Settings | None:
    """Which of these runs this visitor has going."""
    return next((settings for settings in shown if is_on(settings)), None)


def start(settings: Settings, *, anew: bool) -> None:
    """Train a run here, or watch the others who do; anew, one that is done begins once more."""
    course = shelf().renew(settings) if anew else shelf().begin(settings)
    _note(settings, course.step)
    st.session_state[_ON] = settings


def stop(settings: Settings) -> None:
    """Stop training, and stay where the run is now."""
    course = shelf().find(settings)
    if course is not None:
        _note(settings, course.step)
    st.session_state[_ON] = None


def leave_all_but(*shown: Settings) -> None:
    """Stop training what is no longer on the page."""
    on = st.session_state.get(_ON)
    if on not in (None, *shown):
        stop(on)


def _note(settings: Settings, step: int) -> None:
    seen = st.session_state.setdefault(_SEEN, {})
    seen[settings] = step
    if len(seen) > MOST_KEPT:
        del seen[next(iter(seen))]
