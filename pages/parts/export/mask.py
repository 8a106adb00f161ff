"""A mask that was pasted or drawn to take away, with what two functions make of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from mha import charts
from mha.charts import Theme
from mha.reference import Array
from pages.parts.export.row import Takeaway
from pages.parts.pitfalls.doctor import Examined, weights_table

if TYPE_CHECKING:
    from mha.charts.files import Picture
    from mha.mask_doctor import Reading

_TYPES = {"bool": bool, "float": float, "int": int}


def of_mask(found: Examined | None) -> Takeaway | None:
    """The mask, what each function sees by it, and the weights; nothing where it is no mask."""
    if found is None:
        return None
    taken = {
        name: reading for name, reading in _readings(found).items() if reading.sees is not None
    }

    def script():
        from mha.export.mask import mask_script

        return mask_script(found.mask, found.dtype, found.place)

    return Takeaway(
        "mask",
        lambda: _table(found),
        lambda: _arrays(found),
        script,
        (lambda theme: _pictures(list(taken.values()), theme)) if taken else None,
    )


def _readings(found: Examined) -> dict[str, Reading]:
    return {"sdpa": found.diagnosis.sdpa, "module": found.diagnosis.module}


def _table(found: Examined) -> pd.DataFrame:
    """One row a cell of every matrix; what is seen, and the weights, of the one that is shown."""
    values = found.mask.values.astype(_TYPES[found.dtype])
    rows = [
        {"matrix": " ".join(map(str, place)), "query": query, "key": key, "mask": value}
        for (*place, query, key), value in np.ndenumerate(values)
    ]
    table = pd.DataFrame(rows)
    is_shown = table["matrix"] == " ".join(map(str, found.place))
    for name, reading in _readings(found).items():
        for what, array in (("sees", reading.sees), ("weight", reading.weights)):
            column = pd.Series(None, index=table.index, dtype=object)
            if array is not None:
                column[is_shown] = array.ravel().tolist()
            table[f"{name}_{what}"] = column
    return table


def _arrays(found: Examined) -> dict[str, Array]:
    """The whole mask in its type; scores, what is seen and weights of the matrix that is shown."""
    arrays = {"mask": found.mask.values.astype(_TYPES[found.dtype]), "shown": np.array(found.place)}
    arrays["scores"] = found.diagnosis.scores
    for name, reading in _readings(found).items():
        if reading.sees is not None:
            arrays |= {f"{name}_sees": reading.sees, f"{name}_weights": reading.weights}
    return arrays


def _pictures(readings: list[Reading], theme: Theme) -> list[Picture]:
    from mha.charts.files import Picture

    drawn = []
    for reading in readings:
        table = charts.with_ink(weights_table(reading), "value", theme)
        spec = charts.matrix_spec(*reading.weights.shape, theme, signed=False)
        drawn.append(Picture(spec, table, reading.function, reading.weights.shape[1]))
    return drawn
