"""The still picture of a stage: every number once, where the layout has it, in its head's hue."""

from __future__ import annotations

import altair as alt
import pytest

from mha.charts import HEAD_HUES
from mha.charts.stills import stage_spec, with_hues
from mha.layout import MISTAKES, extent, misplaced, owner, stages
from mha.tables import stage_table

SIZES = [(1, 6, 32, 4), (2, 3, 12, 12), (1, 1, 2, 1)]

each_size = pytest.mark.parametrize("size", SIZES)
every_way = pytest.mark.parametrize("mistake", [None, *MISTAKES])


@each_size
@every_way
def test_every_number_is_where_the_layout_has_it(size, mistake):
    for stage in stages(*size, mistake=mistake):
        table = with_hues(stage_table(stage, owner(*size)))
        assert table["number"].tolist() == list(range(len(stage.row)))
        assert ((table["left"] + table["right"]) / 2).tolist() == pytest.approx(stage.column + 0.5)
        assert ((table["top"] + table["bottom"]) / 2).tolist() == pytest.approx(stage.row + 0.5)
        assert (table["head"] == owner(*size)).all()
        assert table["hue"].tolist() == [HEAD_HUES[head % 8] for head in owner(*size)]
        assert (table["wrong"] == misplaced(stage)).all()


@each_size
def test_every_head_is_named_once_a_batch(size):
    B, _, _, h = size
    for stage in stages(*size):
        names = [name for name in stage_table(stage, owner(*size))["name"] if name]
        assert sorted(names) == sorted([f"head {head}" for head in range(h)] * B)


@each_size
def test_the_spec_is_kept_and_is_one_that_altair_accepts(size):
    spec = stage_spec(*extent(*size), 3)
    assert stage_spec(*extent(*size), 3) is spec
    assert "data" not in spec
    alt.LayerChart.from_dict({**spec, "data": {"name": "table"}}, validate=True)
