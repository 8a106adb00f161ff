"""The steps of a computation as a diagram: a button a step, joined to the steps that it reads.

A press, or an arrow key while the diagram has the focus, chooses a step.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import streamlit as st

from pages.parts import bound

_KEY = "flow"
_HERE = Path(__file__).parent
_flow = st.components.v2.component(
    "mha_flow",
    html='<div class="flow" role="group" aria-label="Steps of the forward pass; the arrow keys '
    'move from one to the next"><svg aria-hidden="true"></svg><div class="nodes"></div></div>',
    css=(_HERE / "flow.css").read_text("utf-8"),
    js=(_HERE / "flow.js").read_text("utf-8"),
)


def flow(steps: Sequence[dict[str, Any]], chosen: str, *, on_choose: Callable[[str], None]) -> None:
    """Draw the diagram.

    Args:
        steps: name, inputs (names), column and lane (where it stands: lanes are half a row),
            is_view, and facts, a line about it.
        chosen: the name of the step that is lit.
        on_choose: called with the name of another step when that is chosen.
    """
    names = [step["name"] for step in steps]

    def pressed() -> None:
        name = bound.said(_KEY, "pressed")
        if name in names:
            on_choose(name)

    _flow(
        data={"steps": list(steps), "chosen": chosen},
        key=_KEY,
        height="content",
        on_pressed_change=pressed,
    )
