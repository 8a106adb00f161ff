"""The ledger to take away: one layer, and every number of heads that it can have."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd

from mha.charts import Theme
from mha.charts.ledger import changes_spec, parameters_spec, with_hues
from mha.ledger_tables import changes_table, head_counts_table, parameters_table
from pages.parts.export.row import Takeaway
from pages.parts.parameters.layer import Layer

if TYPE_CHECKING:
    from mha.charts.files import Picture


def of_layer(layer: Layer, *, by_head: bool) -> Takeaway:
    """Counts for every number of heads, and the terms of this layer."""

    def script():
        from mha.export.parameters import parameters

        return parameters(layer.config, layer.T, d_head=layer.d_head)

    def arrays():
        from mha.export.files import columns

        return columns(counts())

    def counts() -> pd.DataFrame:
        return head_counts_table(layer.family, layer.T, d_head=layer.d_head)

    def pictures(theme: Theme) -> list[Picture]:
        from mha.charts.files import Picture

        h, own = layer.config.n_heads, {"d_head": layer.d_head}
        bars = with_hues(parameters_table(layer.family, h, **own, by_head=by_head), theme)
        changes = changes_table(layer.family, h, layer.T, **own)
        return [Picture(parameters_spec(), bars), Picture(changes_spec(), changes)]

    def terms() -> pd.DataFrame:
        return pd.DataFrame(layer.count.terms.items(), columns=["part", "parameters"])

    return Takeaway("parameters", counts, arrays, script, pictures, {"terms": terms})
