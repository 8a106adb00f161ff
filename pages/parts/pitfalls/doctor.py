"""The mask doctor: a mask is pasted or drawn, and read as PyTorch's two functions would read it."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pandas as pd
import streamlit as st

from mha import charts, tables
from pages.parts import bound, look
from pages.parts.pitfalls.drawing import draw_on
from pages.parts.pytorch import load_torch
from pages.parts.words import plain

if TYPE_CHECKING:  # it runs torch, which is loaded when the page has been painted
    from mha.mask_doctor import Counts, Diagnosis, DType, PastedMask, Place, Reading
    from mha.reference import Array

_MASK, _TYPE, _MATRIX, _COUNTS = "mask", "mask_type", "mask_at", "mask_counts"
_MOST_NAMED = 4  # matrices in a sentence
_FEW_KEYS = 8  # three pictures of so many have room side by side
EXAMPLES = {
    "causal": "True False False False\nTrue True False False\nTrue True True False\n"
    "True True True True",
    "upside down": "False True True True\nFalse False True True\nFalse False False True\n"
    "False False False False",
    "0 and 1": "1 0 0 0\n1 1 0 0\n1 1 1 0\n1 1 1 1",
    "off by one": "False False False False\nTrue False False False\nTrue True False False\n"
    "True True True False",
    "0 and -inf": "0 -inf -inf -inf\n0 0 -inf -inf\n0 0 0 -inf\n0 0 0 0",
    "with a cache": "True False False False False\nTrue True False False False",
    "one a sequence": "tensor([[[False,  True,  True],\n         [False, False,  True],\n"
    "         [False, False, False]],\n\n        [[False,  True,  True],\n"
    "         [False,  True,  True],\n         [False,  True,  True]]])",
}
TYPES = ("as written", "bool", "float", "int")


class Examined(NamedTuple):
    """A mask, the type of its tensor, and what was found in one of its matrices."""

    mask: PastedMask
    dtype: DType
    place: Place
    diagnosis: Diagnosis


def show(picture_place: bound.Place) -> Examined | None:
    """The mask as it is written, and what each function makes of it; None where it is no mask."""
    load_torch()
    from mha.mask_doctor import MAX_MASK_TEXT, MaskTextError, diagnose, read_mask, usual_dtype

    writing, choices = st.columns([3, 2], gap="large")
    with writing:
        text = bound.area(
            "Mask: up to 12 rows of 12 numbers: True and False, 0 and 1, or 0 and -inf; "
            "or what print shows of a tensor of two to four axes",
            value=EXAMPLES["causal"],
            key=_MASK,
            longest=MAX_MASK_TEXT,
            height=180,
        )
    with choices:
        kind = bound.segments("Type of the tensor", TYPES, key=_TYPE)
        axes = st.container()
        st.markdown("Begin with one that people write:")
        with st.container(horizontal=True):
            for name, example in EXAMPLES.items():
                st.button(name, on_click=_write, args=(example,), key=f"mask_{name}")
    with picture_place:
        try:
            mask = read_mask(text)
        except MaskTextError as error:
            st.error(plain(str(error)), icon=":material/error:")
            return None
    with axes:
        place, counts = _choose_matrix(mask)
    with picture_place:
        dtype = usual_dtype(mask) if kind == TYPES[0] else kind
        try:
            diagnosis = diagnose(mask, dtype=dtype, place=place, counts=counts)
        except ValueError as error:  # a type that cannot hold it
            st.error(plain(str(error)), icon=":material/error:")
            with st.columns(3, gap="medium")[0]:
                _draw_written(mask, place)
            return None
        _draw(mask, place, diagnosis)
    return Examined(mask, dtype, place, diagnosis)


def _choose_matrix(mask: PastedMask) -> tuple[Place, Counts]:
    """Draw a list of its matrices, and of three axes what the first counts."""
    from mha.mask_doctor import COUNTS

    counts = COUNTS[0]
    if len(mask.values.shape) == 3:
        counts = bound.segments("The first axis counts", COUNTS, key=_COUNTS)
    if len(mask.places) == 1:
        return mask.places[0], counts
    by_name = {_name(place): place for place in mask.places}
    names = list(by_name)
    name = bound.pick("Matrix", names, what="one of the mask's matrices", key=_MATRIX)
    return by_name[name], counts


def _name(place: Place) -> str:
    """A matrix by its place: matrix 0, or sequence 0, head 1."""
    return f"matrix {place[0]}" if len(place) == 1 else f"sequence {place[0]}, head {place[1]}"


def _draw(mask: PastedMask, place: Place, diagnosis: Diagnosis) -> None:
    few = mask.values.shape[-1] <= _FEW_KEYS
    readings = (diagnosis.sdpa, diagnosis.module)
    with st.container(key="few_keys" if few else "many_keys"):
        written, *places = st.columns(3, gap="medium")
        with written:
            _draw_written(mask, place)
        for reading, beside in zip(readings, places, strict=True):
            with beside:
                _draw_reading(reading)
    taken = [reading for reading in readings if reading.weights is not None]
    if taken:
        title = "All weights as tables" + ("" if few else ", also those without room above")
        with st.expander(title):
            for reading, beside in zip(taken, st.columns(2, gap="medium"), strict=False):
                with beside:
                    _tabulate(reading)


def _draw_written(mask: PastedMask, place: Place) -> None:
    """The mask itself, or one of its matrices; a press turns a cell over."""
    which = f": {_name(place)}" if place else ""
    st.markdown(f"**What is written**{which}  \nPress a cell to turn it over.")
    off, on = mask.names
    is_on = mask.at(place) != 0
    written = "; ".join(" ".join(on if cell else off for cell in row) for row in is_on)
    draw_on(
        is_on,
        mask.names,
        label=f"The mask, {mask.kind}: {written}.",
        row_pixels=charts.row_pixels(len(is_on)),
        on_draw=partial(_draw_anew, place),
    )


def _draw_reading(reading: Reading) -> None:
    """How one function reads the mask, the weights that it gives, and what is wrong."""
    st.markdown(f"**{reading.function}**  \n{reading.rule}".replace("_", r"\_"))
    if reading.weights is None:
        st.error(plain(reading.error), icon=":material/block:")
        return
    table = charts.with_ink(weights_table(reading), "value", look.theme())
    spec = charts.matrix_spec(*reading.weights.shape, look.theme(), signed=False)
    spec |= look.tall(len(reading.weights))
    look.picture(table, spec, alt=f"The weights that {reading.function} gives, as a grid.")
    for finding in reading.findings:
        st.warning(
            f"**{finding.problem[0].upper()}{finding.problem[1:]}**: {plain(finding.says)}",
            icon=":material/stethoscope:",
        )
    if not reading.findings:
        _tell_shape(reading)
    if not reading.takes_its_axes:
        st.markdown("The weights are drawn as they are once its axes are mended.")
    if reading.others:
        listed = "; ".join(map(_name, reading.others[:_MOST_NAMED]))
        more = len(reading.others) - _MOST_NAMED
        st.markdown(
            f"Something is wrong elsewhere too: {listed}{f'; and {more} more' if more > 0 else ''}."
        )


def _tabulate(reading: Reading) -> None:
    """All weights in four decimals, a row a query."""
    st.markdown(f"**{reading.function}**".replace("_", r"\_"))
    T_q, T_k = reading.weights.shape
    st.dataframe(
        pd.DataFrame(
            [["NaN" if np.isnan(w) else f"{w:.4f}" for w in row] for row in reading.weights],
            index=[f"q{q}" for q in range(T_q)],
            columns=[f"k{k}" for k in range(T_k)],
        ),
        alt=f"The weights that {reading.function} gives, a row a query.",
    )


def _tell_shape(reading: Reading) -> None:
    """What is known of a mask in which no mistake was found: it may still be no causal one."""
    ahead, behind = reading.seen_ahead, reading.hidden_behind
    if not ahead and not behind:
        st.success(
            "The causal mask: each query sees what came before, and itself.",
            icon=":material/check_circle:",
        )
        return
    parts = []
    if ahead:
        parts.append(f"{ahead} later {'key is' if ahead == 1 else 'keys are'} seen")
    if behind:
        parts.append(f"{behind} earlier {'key is' if behind == 1 else 'keys are'} hidden")
    st.info(
        f"**Not the causal mask**: {' and '.join(parts)}. It fits if that is what you mean.",
        icon=":material/info:",
    )


def weights_table(reading: Reading) -> pd.DataFrame:
    """The marks of a picture of the weights; NaN is what a row that sees nothing may become."""
    rows, columns = (
        [f"{axis}{i}" for i in range(n)]
        for axis, n in zip("qk", reading.weights.shape, strict=True)
    )
    table = tables.matrix_table(reading.weights, rows, columns, hidden=~reading.sees)
    table.loc[table["value"].isna(), "text"] = "NaN"
    return table.assign(chosen=False)


def _draw_anew(place: Place, drawn: Array) -> None:
    """Write the mask anew with one of its matrices as it was drawn, in a callback."""
    from mha.mask_doctor import MaskTextError, read_mask

    try:
        mask = read_mask(st.session_state[_MASK])  # what was typed a moment ago, drawn or not
    except MaskTextError:
        return  # its message stands on the page
    # The mask may have changed since it was drawn on.
    if place in mask.places and mask.values.shape[-2:] == drawn.shape:
        _write(mask.drawn(place, drawn).text)


def _write(text: str) -> None:
    bound.assign(_MASK, text)
