"""Colours, and the ink that reads on each of them.

One sequential scale for weights on [0, 1], one diverging scale centred on 0 for signed numbers,
grey hatch for what the mask hides, one Okabe-Ito hue a head.
"""

from __future__ import annotations

from typing import Literal

import numpy as np
import pandas as pd

Theme = Literal["light", "dark"]

HEAD_HUES = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#F0E442", "#7A7F87")
SEQUENTIAL = {
    "light": ("#F1F5FA", "#C3DAF0", "#7FB3DF", "#3B83C0", "#14569A", "#08306B"),
    "dark": ("#18212C", "#173A5E", "#1F5F99", "#4391CF", "#8CC4F0", "#E6F4FF"),
}
DIVERGING = {
    "light": ("#8C3B00", "#DD8A3E", "#F8DFC3", "#F3F4F6", "#C3DAF0", "#3B83C0", "#08306B"),
    "dark": ("#FFD9B0", "#D98334", "#6B3A12", "#1B222B", "#173A5E", "#4391CF", "#E6F4FF"),
}
# The page's ground and its text, as in .streamlit/config.toml.
PAGE = {"light": "#FCFCFD", "dark": "#0F1216"}
TEXT = {"light": "#0E1116", "dark": "#F2F4F7"}
MASK_GREY = "#868C96"
CHOSEN = "#E69F00"


def with_ink(table: pd.DataFrame, column: str, theme: Theme) -> pd.DataFrame:
    """The table with `ink`: black or white for each number, whichever reads better on its cell.

    Args:
        column: "weight" or "value", on the sequential scale; "shade", on the diverging one.
    """
    scale, low = (DIVERGING, -1.0) if column == "shade" else (SEQUENTIAL, 0.0)
    values = np.nan_to_num(table[column].to_numpy())
    return table.assign(ink=ink_on(color_at(values, scale[theme], low)))


def color_at(values: np.ndarray, ramp: tuple[str, ...], low: float) -> np.ndarray:
    """The colours (n, 3) in [0, 1] that a ramp over [low, 1] gives to n values, clamped."""
    stops = np.array([[int(hue[i : i + 2], 16) / 255 for i in (1, 3, 5)] for hue in ramp])
    at = np.linspace(low, 1, len(ramp))
    return np.stack([np.interp(values, at, stops[:, channel]) for channel in range(3)], axis=-1)


def ink_on(colors: np.ndarray) -> np.ndarray:
    """ "#000000" or "#FFFFFF" for each ground colour (n, 3), the one with the higher contrast."""
    luminance = relative_luminance(colors)
    black_reads_better = (luminance + 0.05) / 0.05 >= 1.05 / (luminance + 0.05)
    return np.where(black_reads_better, "#000000", "#FFFFFF").astype(object)


def relative_luminance(colors: np.ndarray) -> np.ndarray:
    """Relative luminance (n,) of sRGB colours (n, 3) in [0, 1]. Source: WCAG 2.2."""
    linear = np.where(colors <= 0.04045, colors / 12.92, ((colors + 0.055) / 1.055) ** 2.4)
    return linear @ np.array([0.2126, 0.7152, 0.0722])
