"""The fused module to take away: every step's tensor, and the chosen one's numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import pandas as pd

from mha import charts, tables
from mha.charts import Theme
from mha.reference import Array
from pages.parts.export.row import Takeaway
from pages.parts.fused_module.panels import Panel, hidden_in
from pages.parts.fused_module.run import Run

if TYPE_CHECKING:
    from mha.charts.files import Picture

_NUMBERS = ["row", "column", "row_name", "column_name", "value", "masked"]


def of_step(run: Run, name: str, panels: Sequence[Panel]) -> Takeaway:
    """The step with this name: the parts of its tensor that are drawn."""

    def script():
        from mha.export.fused import fused_module

        return fused_module(
            run.sentence,
            run.config,
            run.steps.values(),
            causal=run.causal,
            batch=run.x.shape[0],
            seed=run.seed,
            shown=name,
            panels=[(panel.title, panel.where) for panel in panels],
        )

    return Takeaway(
        "fused_module",
        lambda: _table(run, name, panels),
        lambda: _arrays(run),
        script,
        lambda theme: _pictures(run, name, panels, theme),
        across=3,
    )


def _matrix(run: Run, name: str, panel: Panel) -> pd.DataFrame:
    hidden = hidden_in(run, name, panel)
    return tables.matrix_table(panel.matrix, run.sentence.labels, panel.columns, hidden=hidden)


def _table(run: Run, name: str, panels: Sequence[Panel]) -> pd.DataFrame:
    parts = []
    for panel in panels:
        table = _matrix(run, name, panel)[_NUMBERS]
        table.insert(0, "part", panel.title)
        parts.append(table)
    whole = pd.concat(parts, ignore_index=True)
    whole.insert(0, "step", name)
    return whole


def _arrays(run: Run) -> dict[str, Any]:
    weights = {
        name.replace(".", "_"): part.detach().numpy()
        for name, part in run.module.named_parameters()
    }
    steps: dict[str, Array] = {name: step.tensor.numpy() for name, step in run.steps.items()}
    return {"tokens": run.sentence.tokens} | steps | weights


def _pictures(run: Run, name: str, panels: Sequence[Panel], theme: Theme) -> list[Picture]:
    from mha.charts.files import Picture

    is_weights, drawn = name == "weights", []
    for panel in panels:
        table = _matrix(run, name, panel).assign(chosen=False, stamp=0)
        table = charts.with_ink(table, "value" if is_weights else "shade", theme)
        spec = charts.matrix_spec(*panel.matrix.shape, theme, signed=not is_weights)
        drawn.append(Picture(spec, table, f"{name}, {panel.title}", panel.matrix.shape[1]))
    return drawn
