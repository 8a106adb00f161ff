"""Why `.view` after `.transpose` raises, shown by running it in PyTorch."""

from __future__ import annotations

import streamlit as st

from mha.layout import stages
from mha.memory import merge_both_ways
from pages.parts.code import show_source
from pages.parts.split_merge.sizes import Sizes


def show(sizes: Sizes) -> None:
    """An expander that runs PyTorch once it is opened, and not before: torch takes a second."""
    with st.expander("Why .view after .transpose raises", key="why", on_change="rerun") as why:
        if not why.open:
            return
        error, copied, equal = _merge_once(sizes.B, sizes.T, sizes.h, sizes.d_head)
        step = _strides_before_the_merge(sizes)
        if error:
            st.markdown(
                "A view may choose new strides, but it may not move a number. After the transpose, "
                f"the C = {sizes.C} numbers of one token lie in {sizes.h} runs of {sizes.d_head}, "
                f"and each run begins {step['h']} addresses after the last. No one stride walks "
                "through them all, so `.view` refuses. PyTorch says:"
            )
            st.code(error, language=None, wrap_lines=True)
        else:
            st.markdown(
                "At these sizes `.view` does not raise: with one head, one token or heads of one "
                "number, one stride still walks through all of a token's numbers."
            )
        st.markdown(
            f"`.reshape` works: it {'copied into new memory' if copied else 'copied nothing'}, and "
            f"the result is {'equal to x' if equal else 'not equal to x'}. This code ran just now:"
        )
        show_source(merge_both_ways)


def _strides_before_the_merge(sizes: Sizes) -> dict[str, int]:
    (stage,) = [stage for stage in stages(*sizes) if stage.name == "transpose back"]
    return dict(zip(stage.axes, stage.strides, strict=True))


_merge_once = st.cache_data(merge_both_ways, show_spinner="Running PyTorch …", max_entries=256)
