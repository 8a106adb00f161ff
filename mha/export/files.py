"""Arrays and tables as the bytes of a file."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from mha.reference import Array

# A spreadsheet reads a cell that begins so as a formula.
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def npz(arrays: Mapping[str, Array | Sequence[str]]) -> bytes:
    """Arrays by name, for `numpy.load`, which needs no pickle to read them; texts as text.

    Raises:
        ValueError: an array of objects.
    """
    written = {name: np.asarray(array) for name, array in arrays.items()}
    for name, array in written.items():
        if array.dtype.hasobject:
            raise ValueError(
                f"{name} must hold numbers or texts; got {name}.dtype={array.dtype}. "
                f"Try {name}.tolist() of numbers alone."
            )
    file = io.BytesIO()
    np.savez_compressed(file, **written)
    return file.getvalue()


def csv(table: pd.DataFrame) -> bytes:
    """The table as CSV in UTF-8; an apostrophe stands before a text that would be a formula."""
    return table.map(_no_formula).to_csv(index=False).encode()


def columns(table: pd.DataFrame) -> dict[str, Array]:
    """The columns of a table as arrays; texts as text, and a number that is missing as NaN."""
    arrays = {}
    for name in table:
        column = table[name]
        if pd.api.types.is_bool_dtype(column):
            arrays[name] = column.to_numpy(bool)
        elif pd.api.types.is_numeric_dtype(column):
            has_gaps = column.isna().any()
            arrays[name] = (
                column.to_numpy(float, na_value=np.nan) if has_gaps else column.to_numpy()
            )
        else:
            arrays[name] = column.fillna("").to_numpy(str)
    return arrays


def _no_formula(value: object) -> object:
    is_text = isinstance(value, str) and value.startswith(_FORMULA)
    return f"'{value}" if is_text else value
