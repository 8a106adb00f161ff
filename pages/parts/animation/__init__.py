"""Split and merge, animated in the browser: a component that plays without asking the server.

What is drawn comes from `mha.packing`; the scripts beside this file only unpack, draw and move it.
When a visitor stops somewhere, the stage's name goes into the link under the key `stage`.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import streamlit as st

from mha.charts import HEAD_HUES, color_at, ink_on
from mha.layout import Mistake, stages
from mha.packing import pack
from pages.parts import bound

# The parts of one module, in order; Streamlit takes its script as one text.
_SCRIPTS = "data sprites surface stage ribbon player controls link main".split()
_KEY = "animation"
_TOLD = "animation_told"  # how many stops of the browser this session has heard of
_INKS = ink_on(color_at(np.linspace(0, 1, len(HEAD_HUES)), HEAD_HUES, low=0)).tolist()
STAGES = tuple(stage.name for stage in stages(1, 1, 1, 1))  # by name: the mistaken ways pair too

_HERE = Path(__file__).parent
_animation = st.components.v2.component(
    "mha_split_and_merge",
    html=(_HERE / "markup.html").read_text("utf-8"),
    css=(_HERE / "animation.css").read_text("utf-8"),
    js="\n".join((_HERE / f"{name}.js").read_text("utf-8") for name in _SCRIPTS),
)


def animate(
    sizes: tuple[int, int, int, int], mistake: Mistake | None, *, asked: str, stage: int
) -> None:
    """Show x = arange(B * T * C) on its way through split, attention and merge.

    Args:
        sizes: B, T, C and the number of heads.
        asked: the stage in the link, by its name.
        stage: the number of the stage to show for it, since this way may have none of that name.
    """
    _animation(
        data={
            **drawing(sizes, mistake),
            "asked": asked,
            "stage": stage,
            "told": st.session_state.get(_TOLD, 0),
        },
        key=_KEY,
        height="content",
        on_stopped_change=_stopped,
    )


def drawing(sizes: tuple[int, int, int, int], mistake: Mistake | None) -> dict[str, Any]:
    """What the browser is sent to draw; it unpacks that anew only where the id is another."""
    return {
        "id": f"{sizes} {mistake}",
        **pack(*sizes, mistake=mistake),
        "hues": HEAD_HUES,
        "inks": _INKS,
    }


def _stopped() -> None:
    """Put the stage where the browser stopped into the link."""
    stop = bound.said(_KEY, "stopped")
    if isinstance(stop, dict) and isinstance(stop.get("told"), int) and stop.get("stage") in STAGES:
        st.session_state[_TOLD] = stop["told"]
        bound.assign("stage", stop["stage"])
