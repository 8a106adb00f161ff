"""Every head's pattern, at any step of the run, on a text of the visitor's."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import streamlit as st

from mha import charts, tables
from mha.hand_built import features, previous_token_head
from mha.scoring import MIXED
from mha.sentence import Sentence
from mha.training import TASKS, Settings, parse_text
from mha.training_marks import head_name, loss_text
from pages.parts import bound, look
from pages.parts.link import message, whole
from pages.parts.training.view import View
from pages.parts.words import plain

if TYPE_CHECKING:  # torch takes a second, and is loaded when somebody trains
    from mha.training import Snapshot

LONGEST = 300  # characters
_SNAPSHOT, _TEXT, _LAYER = "snapshot", "train_text", "train_layer"
_ACROSS, _MOST = 4, 16  # grids in a row, and on the page
_PIXELS, _PRESENTED = 240, 146  # of a grid; two rows fit below the words of a presenter's page


def choose_step(settings: Settings) -> int:
    """Draw the scrubber over the steps that are kept; at first it is at the end."""
    kept = settings.kept_steps
    is_drawn = _SNAPSHOT in st.session_state

    def fit(asked: str) -> tuple[str, str | None]:
        step_asked = whole(asked, 0)
        wanted = kept[-1] if step_asked is None else step_asked
        nearest = str(min(kept, key=lambda step: abs(step - wanted)))
        # Where the run has become another one, nobody has asked for a wrong step.
        note = message(_SNAPSHOT, f"a step that is kept, up to {kept[-1]}", asked, nearest)
        return nearest, None if is_drawn else note

    names = [str(step) for step in kept]
    chosen = bound.stops("Step of training", names, index=len(names) - 1, key=_SNAPSHOT, fit=fit)
    return int(chosen)


def snapshot_at(view: View, step: int) -> Snapshot:
    """The snapshot at a step, or the last before it where the run is not as far."""
    found = [snapshot for snapshot in view.snapshots if snapshot.step <= step][-1]
    if found.step < step and not view.is_done:
        st.info(
            f"The run is at step {view.step:,}. Showing step {found.step:,}.",
            icon=":material/info:",
        )
    return found


def choose_text(settings: Settings) -> str:
    """Draw the box for a text; an example stands in for an empty one and for a wrong one."""
    example = TASKS[settings.tasks[0]].example
    text = bound.write(
        "Your text, in the alphabet of the tasks", key=_TEXT, longest=LONGEST, placeholder=example
    )
    if not text.strip():
        return example
    try:
        parse_text(settings, text)
    except ValueError as error:
        st.warning(plain(str(error)), icon=":material/info:")
        return example
    return text


def choose_layer(settings: Settings) -> int | None:
    """Draw a choice of layer where all heads are too many for one page."""
    if settings.n_layers * settings.n_heads <= _MOST:
        return None
    return bound.segments("Layer", range(settings.n_layers), key=_LAYER)


def draw(snapshot: Snapshot, text: str, only: int | None) -> None:
    """A grid a head, layer by layer."""
    from mha.training import labels, patterns

    seen = patterns(snapshot, text)
    does = {task: labels(snapshot, task) for task in snapshot.settings.tasks}
    losses = ", ".join(f"{task} **{loss_text(loss)}**" for task, loss in snapshot.losses.items())
    st.markdown(
        f"**Step {snapshot.step:,}.** Loss in nats: {losses}. Rows look, columns are looked at; "
        "hatched cells lie in the future."
    )
    layers = range(snapshot.settings.n_layers) if only is None else [only]
    for layer in layers:
        heads = range(snapshot.settings.n_heads)
        for first in range(0, len(heads), _ACROSS):
            row = heads[first : first + _ACROSS]
            for head, column in zip(row, st.columns(_ACROSS, gap="small"), strict=False):
                said = _said({task: by_head[layer][head] for task, by_head in does.items()})
                name = head_name(layer, head)
                with column:
                    st.markdown(f"**{name}**: {said}")
                    _grid(
                        seen.weights[layer, head],
                        seen.symbols,
                        key=f"pattern_{name}",
                        alt=f"Weights of {name} at step {snapshot.step}, as a grid: {said}.",
                    )
    with st.expander("Beside them: the previous-token head that was built by hand"):
        sentence = Sentence.fit(" ".join(seen.symbols))[0]
        head = previous_token_head(len(sentence))
        st.markdown(f"**{head.name}**: {head.job}")
        with st.columns(2)[0]:
            _grid(
                head.weights(features(sentence)),
                seen.symbols,
                key="pattern_built",
                alt="Weights of the hand-built previous-token head, as a grid.",
            )


def _said(does: dict[str, str]) -> str:
    """What a head does on the texts of each task, without those where nothing stands out."""
    found = {task: job for task, job in does.items() if job != MIXED}
    if len(does) == 1 or not found:
        return next(iter(does.values()))
    return "; ".join(f"{job} on {task}" for task, job in found.items())


def _grid(weights: np.ndarray, symbols: tuple[str, ...], *, key: str, alt: str) -> None:
    T, theme = len(symbols), look.theme()
    future = np.triu(np.ones((T, T), dtype=bool), 1)
    table = tables.matrix_table(weights, symbols, symbols, hidden=future)
    table = charts.with_ink(table, "value", theme)
    spec = charts.matrix_spec(T, T, theme, signed=False)
    height = T * max(16.0, min(28.0, _PIXELS / T))
    look.picture(table, {**spec, "height": height}, alt=alt, key=key, at_most=_PRESENTED)
