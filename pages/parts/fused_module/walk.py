"""The forward pass as a walk of named steps: the diagram, and the chosen step in words."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import streamlit as st

from mha.ledger import count_multiply_adds
from pages.parts import bound
from pages.parts.flow import flow
from pages.parts.fused_module.run import Run

if TYPE_CHECKING:
    from mha.module import Step


class Stop(NamedTuple):
    """Where a step stands in the diagram, and what to see there."""

    column: int
    lane: int
    say: str


STOPS = {
    "x": Stop(0, 2, "A vector of C numbers for each token. Equal words have equal vectors."),
    "qkv": Stop(1, 2, "One linear layer makes queries, keys and values of all heads at once."),
    "q": Stop(2, 0, "The first C columns are the queries of all heads, side by side."),
    "k": Stop(2, 2, "The next columns are the keys: d_head of them for each kv head."),
    "v": Stop(2, 6, "The last columns are the values."),
    "q_heads": Stop(3, 0, "Cut into heads: only the strides change, no number moves."),
    "k_heads": Stop(3, 2, "The keys, cut into heads in the same way."),
    "v_heads": Stop(3, 6, "The values, cut into heads in the same way."),
    "k_all": Stop(4, 2, "Each key head, once for every query head of its group:"),
    "v_all": Stop(4, 6, "Each value head, once for every query head of its group:"),
    "scores": Stop(5, 0, "In each head, every query meets every key: q·k over the root of d_head."),
    "masked": Stop(5, 2, "Where the mask hides a key the score becomes minus infinity."),
    "weights": Stop(5, 4, "The softmax of each row: weights that add up to 1."),
    "z": Stop(6, 6, "Each token's weighted mean of the values, in each head on its own."),
    "z_by_token": Stop(7, 2, "The heads of a token next to each other again: strides change."),
    "merged": Stop(7, 4, "One row a token. The numbers lie elsewhere now: this has to copy."),
    "out": Stop(7, 6, "W_O mixes what the heads found."),
}
STEPS = tuple(STOPS)
_MOST_LISTED = 16
_PRODUCTS = {"qkv": "qkv", "scores": "scores", "z": "weights_v", "out": "output"}


def choose_step() -> str:
    """The list of steps, which the link holds; the diagram chooses from it too."""
    return bound.pick(
        "Step",
        STEPS,
        index=STEPS.index("weights"),
        what="one of the steps",
        key="at",
        is_walk=True,
    )


def draw_flow(run: Run, chosen: str) -> None:
    """The diagram of the flow, with the chosen step lit."""
    steps = [
        {
            "name": name,
            "column": stop.column,
            "lane": stop.lane,
            "inputs": run.steps[name].inputs,
            "is_view": run.steps[name].is_view,
            "facts": f"{_with_axes(run.steps[name])}, {_memory(run.steps[name])}",
        }
        for name, stop in STOPS.items()
    ]
    flow(steps, chosen, on_choose=lambda name: bound.assign("at", name))


def tell(run: Run, name: str) -> None:
    """The chosen step: its line of code, its shape and strides, what it wrote and what it cost."""
    step = run.steps[name]
    say, numbers = st.columns([5, 6], gap="medium")
    with say:
        st.markdown(f"**{STEPS.index(name) + 1} of {len(STEPS)}: {name}.** {_say(run, name)}")
        st.code(step.code, "python", wrap_lines=True)
    with numbers:
        rows = (("axis", step.axes), ("shape", step.shape), ("strides", step.stride))
        cells = [[title, *(f"{value}".replace("_", r"\_") for value in row)] for title, row in rows]
        head, *others = ("| " + " | ".join(row) + " |" for row in cells)
        st.markdown("\n".join([head, "|---" + "|--:" * len(step.axes) + "|", *others]))
        st.markdown(f"{_memory(step)}; {_cost(run, name)}.")


def _say(run: Run, name: str) -> str:
    """What to see; where heads are repeated, which of them, in the order of the query heads."""
    config = run.config
    if name not in ("k_all", "v_all"):
        return STOPS[name].say
    if config.group_size == 1:
        return "Every query head has its own: there is nothing to repeat."
    readers = [str(head // config.group_size) for head in range(config.n_heads)]
    more = ", …" if len(readers) > _MOST_LISTED else ""
    return f"{STOPS[name].say} {', '.join(readers[:_MOST_LISTED])}{more}"


def _cost(run: Run, name: str) -> str:
    B, T, _ = run.x.shape
    terms = count_multiply_adds(run.config, T_q=T, batch=B).terms
    return (
        f"**{terms[_PRODUCTS[name]]:,}** multiply-adds" if name in _PRODUCTS else "no multiply-adds"
    )


def _memory(step: Step) -> str:
    order = "contiguous" if step.is_contiguous else "not contiguous"
    if step.name == "x":
        return f"given, {step.nbytes:,} bytes, {order}"
    wrote = "a view: nothing written" if step.is_view else f"new memory: {step.nbytes:,} bytes"
    return f"{wrote}, {order}"


def _with_axes(step: Step) -> str:
    return ", ".join(f"{axis} {size}" for axis, size in zip(step.axes, step.shape, strict=True))
