"""The page's charts: a spec built once and fed, against one built anew each time."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pandas as pd

from mha import charts, tables
from mha.hand_built import features, previous_token_head
from mha.sentence import EXAMPLE, Sentence
from tests.benchmarks.pairs import Pair


def pairs() -> Iterator[Pair]:
    """A table made, a spec got, both made ready to send: T = 6 and 32."""
    for T in (6, 32):
        sentence = Sentence.parse(" ".join((EXAMPLE.split() * 6)[:T]))
        trace = previous_token_head(T).attend(features(sentence))

        def table(trace=trace, sentence=sentence) -> pd.DataFrame:
            return charts.with_ink(tables.weights_table(trace, sentence), "weight", "light")

        yield Pair(
            f"weights picture, kept spec fed, T={T}",
            lambda table=table, T=T: send(table(), charts.weights_spec(T, "light")),
            "the same, built anew by Altair",
            lambda table=table, T=T: send(table(), charts.weights_chart(table()).to_dict()),
            aim=0.25,
        )


def send(table: pd.DataFrame, spec: dict[str, Any]) -> int:
    """Serialise a table and a spec, as the server does; the number of bytes."""
    import pyarrow as pa

    sink = pa.BufferOutputStream()
    arrow = pa.Table.from_pandas(table)
    with pa.ipc.new_stream(sink, arrow.schema) as writer:
        writer.write_table(arrow)
    text = json.dumps(
        {key: value for key, value in spec.items() if key not in ("data", "datasets")}
    )
    return sink.getvalue().size + len(text)
