"""A pitfall to take away: both functions and what they give."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from mha.reference import Array
from pages.parts.export.row import Takeaway

if TYPE_CHECKING:
    from mha.pitfalls import Outcome, Pitfall


def of_mistake(pitfall: Pitfall, inputs: Mapping[str, Any], outcome: Outcome) -> Takeaway:
    """The wrong answer and the right one, number by number, and where they differ."""

    def script():
        from mha.export.pitfall import pitfall as script_of

        return script_of(pitfall, {**pitfall.start, **inputs})

    return Takeaway(
        f"pitfall_{pitfall.key}", lambda: _table(outcome), lambda: _arrays(outcome), script
    )


def _answers(outcome: Outcome) -> dict[str, Array | None]:
    return {"wrong": outcome.wrong.values, "right": outcome.right.values}


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
