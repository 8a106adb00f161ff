"""PyTorch in the app: loaded when a page first needs it, and kept to one thread."""

from __future__ import annotations

import sys

import streamlit as st


def load_torch() -> None:
    """Load PyTorch, and say so to the visitor who is the first to need it.

    The app's tensors are small and its visitors many: more threads for one of them would spend
    more of the processor than the work itself, waiting for each other.
    """
    if "torch" not in sys.modules:
        with st.spinner("Loading PyTorch …"):
            import torch
    else:
        import torch  # which another visitor may be loading just now
    torch.set_num_threads(1)
