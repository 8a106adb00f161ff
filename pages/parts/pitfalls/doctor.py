"""The mask doctor: a mask is pasted or drawn, and read as PyTorch's two functions would read it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from mha import charts, tables
from pages.parts import bound, look
from pages.parts.cell import stamp
from pages.parts.words import plain

if TYPE_CHECKING:  # it runs torch, which is loaded when the page has been painted
    import pandas as pd

    from mha.mask_doctor import PastedMask, Reading
    from mha.reference import Array

_MASK, _TYPE, _DRAWN = "mask", "mask_type", "drawn_mask"
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
}
TYPES = ("as written", "bool", "float", "int")


def show(picture_place: bound.Place) -> None:
    """The mask as it is written, and what each function makes of it."""
    with st.spinner("Loading PyTorch …"):
        from mha.mask_doctor import MAX_MASK_TEXT, MaskTextError, diagnose, read_mask
    writing, choices = st.columns([3, 2], gap="large")
    with writing:
        text = bound.area(
            "Mask: up to 12 rows of 12 numbers: True and False, 0 and 1, or 0 and -inf",
            value=EXAMPLES["causal"],
            key=_MASK,
            longest=MAX_MASK_TEXT,
            height=180,
        )
    with choices:
        kind = bound.segments("Type of the tensor", TYPES, key=_TYPE)
        st.markdown("Begin with one that people write:")
        with st.container(horizontal=True):
            for name, example in EXAMPLES.items():
                st.button(name, on_click=_write, args=(example,), key=f"mask_{name}")
    with picture_place:
        try:
            mask = read_mask(text)
            diagnosis = diagnose(mask, dtype=None if kind == TYPES[0] else kind)
        except MaskTextError as error:
            st.error(plain(str(error)), icon=":material/error:")
            return
        except ValueError as error:  # a type that cannot hold it
            st.error(plain(str(error)), icon=":material/error:")
            _draw_written(mask)
            return
        written, sdpa, module = st.columns(3, gap="medium")
        with written:
            _draw_written(mask)
        for reading, place in ((diagnosis.sdpa, sdpa), (diagnosis.module, module)):
            with place:
                _draw_reading(reading)


def _draw_written(mask: PastedMask) -> None:
    """The mask itself; a click turns a cell over."""
    st.markdown("**What is written**  \nClick on a cell to turn it over.")
    hides = mask.values < 0
    table = _table(mask.values, hides)
    table["text"] = [word for row in mask.text.split("\n") for word in row.split(" ")]
    table["stamp"] = stamp()
    table = charts.with_ink(table, "value", look.theme())
    spec = charts.matrix_spec(*mask.values.shape, look.theme(), signed=False, clickable=True)
    spec |= look.tall(len(mask.values))
    look.picture(
        table,
        spec,
        alt=f"The mask, {mask.kind}: {'; '.join(mask.text.splitlines())}.",
        key=_DRAWN,
        on_select=_turn_over,
    )


def _draw_reading(reading: Reading) -> None:
    """How one function reads the mask, the weights that it gives, and what is wrong."""
    st.markdown(f"**{reading.function}**  \n{reading.rule}".replace("_", r"\_"))
    if reading.weights is None:
        st.error(plain(reading.error), icon=":material/block:")
        return
    table = _table(reading.weights, ~reading.sees)
    table.loc[table["value"].isna(), "text"] = "NaN"  # what a row that sees nothing becomes
    table = charts.with_ink(table, "value", look.theme())
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


def _table(values: Array, hidden: Array) -> pd.DataFrame:
    rows, columns = (
        [f"{axis}{i}" for i in range(n)] for axis, n in zip("qk", values.shape, strict=True)
    )
    table = tables.matrix_table(values, rows, columns, hidden=hidden)
    return table.assign(chosen=False)


def _turn_over() -> None:
    """Write the mask anew with the clicked cell the other way."""
    from mha.mask_doctor import MaskTextError, read_mask

    try:
        mask = read_mask(st.session_state[_MASK])  # what was typed a moment ago, drawn or not
    except MaskTextError:
        return  # its message stands on the page
    cells = st.session_state[_DRAWN].selection.cell
    at = [cells[0].get(field) for field in ("row", "column")] if cells else [None]
    # A position comes from a browser, and the mask may have changed since it was drawn.
    sizes = mask.values.shape
    if all(isinstance(i, int) and 0 <= i < n for i, n in zip(at, sizes, strict=False)):
        _write(mask.flipped(*at).text)


def _write(text: str) -> None:
    bound.assign(_MASK, text)
    st.session_state["stamp"] = stamp() + 1
