"""A pitfall to take away: both functions and what they give."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from mha import charts
from mha.charts import Theme
from mha.reference import Array
from pages.parts.export.row import Takeaway
from pages.parts.pitfalls import answers

if TYPE_CHECKING:
    from mha.charts.files import Picture
    from mha.pitfalls import Outcome, Pitfall


def of_mistake(pitfall: Pitfall, inputs: Mapping[str, Any], outcome: Outcome) -> Takeaway:
    """The wrong answer and the right one, number by number, and where they differ."""

    def script():
        from mha.export.pitfall import pitfall as script_of

        return script_of(pitfall, {**pitfall.start, **inputs})

    has_picture = any(values is not None for values in _answers(outcome).values())
    return Takeaway(
        f"pitfall_{pitfall.key}",
        lambda: _table(outcome),
        lambda: _arrays(outcome),
        script,
        (lambda theme: _pictures(pitfall, outcome, theme)) if has_picture else None,
    )


def _answers(outcome: Outcome) -> dict[str, Array | None]:
    return {"wrong": outcome.wrong.values, "right": outcome.right.values}


def _pictures(pitfall: Pitfall, outcome: Outcome, theme: Theme) -> list[Picture]:
    """Both answers on one scale, as the page draws them; one that raised an error has none."""
    from mha.charts.files import Picture

    drawn, is_weights = [], pitfall.shows == "weights"
    found = {name: values for name, values in _answers(outcome).items() if values is not None}
    numbers = np.concatenate([values.ravel().astype(float) for values in found.values()])
    largest = np.abs(numbers[np.isfinite(numbers)]).max(initial=0) or 1.0
    for name, values in found.items():
        axes = answers.axes_of(pitfall, name)
        table, shape = answers.table_of(values, axes, outcome.differs, largest)
        table = charts.with_ink(table, "value" if is_weights else "shade", theme)
        spec = charts.matrix_spec(*shape, theme, signed=not is_weights, outlined=True)
        sizes = answers.sizes_of(getattr(outcome, name), axes)
        drawn.append(Picture(spec, table, f"{name.capitalize()} {sizes}", shape[1]))
    return drawn


def _table(outcome: Outcome) -> pd.DataFrame:
    """One row a number: whose, where, and what; one that raised an error has none."""
    rows = [
        (name, " ".join(map(str, index)), value.item())
        for name, values in _answers(outcome).items()
        if values is not None
        for index, value in np.ndenumerate(values)
    ]
    return pd.DataFrame(rows, columns=["function", "index", "value"])


def _arrays(outcome: Outcome) -> dict[str, Array]:
    arrays = {name: values for name, values in _answers(outcome).items() if values is not None}
    return arrays if outcome.differs is None else arrays | {"differs": outcome.differs}
