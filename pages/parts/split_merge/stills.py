"""The stages as still pictures and in words, for a browser or a reader that has no animation.

The choice of a stage here is what the link holds as `stage`; the animation tells it where it
stopped, and follows it.
"""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from mha.charts.stills import stage_spec, with_hues
from mha.layout import Stage, extent, misplaced, owner
from mha.tables import stage_table
from pages.parts import bound, look
from pages.parts.animation import STAGES
from pages.parts.split_merge.sizes import Sizes


def show(steps: Sequence[Stage], sizes: Sizes, wrong_links: bound.Place) -> tuple[str, int]:
    """Draw the chosen stage in an expander, once that is open.

    Args:
        wrong_links: where to say that the link asks for no stage.

    Returns:
        The stage in the link by its name, and the number of the step that shows it.
    """
    with st.expander(
        "Still pictures, and every stage in words", key="stills", on_change="rerun"
    ) as stills:
        asked = bound.segments("Stage", STAGES, key="stage", tell_in=wrong_links)
        number = _number(asked, steps)
        names = [step.name for step in steps]
        bound.walk("stage", names, names, names[number])
        if stills.open:
            step = steps[number]
            table = with_hues(stage_table(step, owner(*sizes)))
            spec = stage_spec(*extent(*sizes), len(str(sizes.N - 1)))
            look.picture(table, spec, alt=f"Stage {step.name} as a still picture.")
            st.markdown("\n".join(_facts(step, sizes) for step in steps))
    return asked, number


def _number(asked: str, steps: Sequence[Stage]) -> int:
    """The step of that name, or the last one before it where a mistake leaves it out."""
    until = STAGES[: STAGES.index(asked) + 1]
    return max(number for number, step in enumerate(steps) if step.name in until)


def _facts(step: Stage, sizes: Sizes) -> str:
    """A stage in words, for those who see no picture."""
    facts = [
        f"shape {_with_axes(step, step.shape)}",
        f"strides {_with_axes(step, step.strides)}",
        "copied into new memory" if step.copied else "memory as it was",
    ]
    if wrong := int(misplaced(step).sum()):
        facts.append(f"**{wrong:,} of {sizes.N:,} numbers in the wrong place**")
    return f"1. **{step.name}**: `{step.code}`; {'; '.join(facts)}."


def _with_axes(step: Stage, values: Sequence[int]) -> str:
    named = (f"{axis} {value}" for axis, value in zip(step.axes, values, strict=True))
    return f"({', '.join(named)})".replace("_", r"\_")
