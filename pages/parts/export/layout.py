"""Split and merge to take away: every stage, and the picture of the chosen one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from mha.charts import Theme
from mha.charts.stills import stage_spec, with_hues
from mha.layout import Mistake, Stage, extent, misplaced, owner
from mha.reference import Array
from mha.tables import stage_table
from pages.parts.export.row import Takeaway
from pages.parts.split_merge.sizes import Sizes

if TYPE_CHECKING:
    from mha.charts.files import Picture


def of_stages(
    steps: Sequence[Stage], sizes: Sizes, mistake: Mistake | None, number: int
) -> Takeaway:
    """Where every number is at every stage; `number` is that of the stage that is drawn."""

    def script():
        from mha.export.layout import split_and_merge

        return split_and_merge(*sizes, mistake=mistake)

    def pictures(_: Theme) -> list[Picture]:
        from mha.charts.files import Picture

        table = with_hues(stage_table(steps[number], owner(*sizes)))
        spec = stage_spec(*extent(*sizes), len(str(sizes.N - 1)))
        return [Picture(spec, table, f"Stage: {steps[number].name}")]

    return Takeaway(
        "split_and_merge", lambda: _table(steps, sizes), lambda: _arrays(steps), script, pictures
    )


def _table(steps: Sequence[Stage], sizes: Sizes) -> pd.DataFrame:
    heads = owner(*sizes)
    parts = [
        pd.DataFrame(
            {
                "stage": step.name,
                "number": np.arange(len(heads)),
                "head": heads,
                "address": step.address,
                "wrong": misplaced(step),
            }
        )
        for step in steps
    ]
    return pd.concat(parts, ignore_index=True)


def _arrays(steps: Sequence[Stage]) -> dict[str, Array]:
    arrays = {}
    for number, step in enumerate(steps):
        tensor = np.empty(step.shape, int)
        tensor[tuple(step.index.T)] = np.arange(len(step.index))
        arrays[f"stage_{number}_{step.name.replace(' ', '_')}"] = tensor
    return arrays
