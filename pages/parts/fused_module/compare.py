"""The same numbers by other ways: PyTorch's fused kernel, and its own module with these weights."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable

import streamlit as st

from pages.parts import bound
from pages.parts.code import show_source
from pages.parts.fused_module.run import Run

_ROUNDS = 15
EQUAL = 1e-5


def show(run: Run) -> None:
    """Two checks, each run when it is asked for, and the source of the walk."""
    kernel, theirs = st.columns(2, gap="medium")
    with kernel:
        if bound.turn("Compare the steps with the fused kernel", key="fused"):
            _fused(run)
    with theirs:
        if bound.turn("Check against PyTorch’s own module", key="check"):
            _check(run)
    with st.expander("The code that ran"):
        from mha.module import MultiHeadAttention

        for part in (MultiHeadAttention.trace, MultiHeadAttention.forward):
            show_source(part)


def _fused(run: Run) -> None:
    import torch

    with torch.no_grad():
        fused = run.module(run.x, causal=run.causal)
        _verdict((fused - run.steps["out"].tensor).abs().max().item(), "the fused kernel’s output")
        steps = _milliseconds(lambda: run.module.trace(run.x, causal=run.causal))
        kernel = _milliseconds(lambda: run.module(run.x, causal=run.causal))
    st.markdown(
        f"Steps, every tensor kept: **{steps:.2f} ms**. Fused kernel: **{kernel:.2f} ms**. "
        f"Each is the median of {_ROUNDS} runs just now, on the server’s processor; {run.sizes}. "
        "At sizes as small as these most of the time goes into calling, not into computing."
    )


def _check(run: Run) -> None:
    import torch

    T = run.x.shape[1]
    hidden = torch.ones(T, T, dtype=torch.bool).triu(1) if run.causal else None  # True: hidden
    with torch.no_grad():
        out, weights = run.module.as_torch()(
            run.x, run.x, run.x, attn_mask=hidden, average_attn_weights=False
        )
    ours = run.steps
    _verdict((out - ours["out"].tensor).abs().max().item(), "the output of nn.MultiheadAttention")
    _verdict((weights - ours["weights"].tensor).abs().max().item(), "its weights")
    note = "The same weights were copied into it."
    if run.config.group_size > 1:
        note += " It knows no shared keys, so that each query head got a copy of its group’s."
    st.markdown(f"{note} Its mask means the opposite by True: may **not** look.")


def _verdict(difference: float, what: str) -> None:
    said = f"Largest difference from {what}: **{difference:.1e}**."
    if difference <= EQUAL:
        st.success(f"{said} That is rounding.", icon=":material/check_circle:")
    else:
        st.error(f"{said} That is more than rounding.", icon=":material/error:")


def _milliseconds(work: Callable[[], object]) -> float:
    """The median time of a few runs."""
    times = []
    for _ in range(_ROUNDS):
        start = time.perf_counter()
        work()
        times.append(1000 * (time.perf_counter() - start))
    return statistics.median(times)
