"""Hand-built heads to take away: two of the gallery, one's own, or two layers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import pandas as pd

from mha import charts, tables
from mha.charts import HEAD_HUES, Theme
from mha.hand_built import GALLERY, Edits, HandBuiltHead, copy_what_followed, features
from mha.reference import HeadTrace
from mha.sentence import Sentence
from pages.parts.cell import Cell
from pages.parts.export.row import Takeaway
from pages.parts.scene import Scene

if TYPE_CHECKING:
    from mha.charts.files import Picture

Chosen = tuple[str, Mapping[str, Any]]  # a head of the gallery, and how it is turned
_DRAWN = ["in_row", "chosen", "query_label", "key_label"]  # columns for the picture alone


class _Head(NamedTuple):
    """A head, what it computed, and what its picture and its files call it."""

    title: str
    head: HandBuiltHead | None
    trace: HeadTrace


def of_gallery(
    scene: Scene, chosen: Sequence[Chosen], *, cell: Cell | None = None, lines: bool = False
) -> Takeaway:
    """Two heads of the gallery.

    Args:
        cell: the row whose arithmetic is told, and the cell that is outlined; else the last row.
        lines: whether the pictures are lines between words.
    """
    sentence, causal = scene.sentence, scene.causal
    query = len(sentence) - 1 if cell is None else cell.query

    def script():
        from mha.export.heads import Chosen, two_heads

        return two_heads(sentence, [Chosen(*one) for one in chosen], causal=causal, query=query)

    def heads() -> list[_Head]:
        X = features(sentence)
        made = [GALLERY[name](sentence, **options) for name, options in chosen]
        return [_Head(f"Head {i}: {h.name}", h, h.attend(X, causal)) for i, h in enumerate(made, 1)]

    return Takeaway(
        "hand_built_heads",
        lambda: _table(heads(), sentence),
        lambda: _arrays(heads(), sentence),
        script,
        lambda theme: _pictures(heads(), sentence, theme, cell, lines),
    )


def of_own(scene: Scene, edits: Edits, challenge: str, query: int) -> Takeaway:
    """The head that the visitor wrote, and its score in a challenge."""
    sentence, causal = scene.sentence, scene.causal

    def script():
        from mha.export.heads import own_head

        return own_head(sentence, edits, causal=causal, query=query, challenge=challenge)

    def heads() -> list[_Head]:
        head = GALLERY["your own"](sentence, edits=edits)
        return [_Head("Your own head", head, head.attend(features(sentence), causal))]

    return Takeaway(
        "own_head",
        lambda: _table(heads(), sentence),
        lambda: _arrays(heads(), sentence),
        script,
        lambda theme: _pictures(heads(), sentence, theme),
    )


def of_layers(scene: Scene) -> Takeaway:
    """The two layers that copy what followed last time."""
    sentence = scene.sentence

    def script():
        from mha.export.heads import two_layers

        return two_layers(sentence)

    def heads() -> list[_Head]:
        trace = copy_what_followed(sentence)
        layers = {"Layer 1: the word before": trace.previous}
        layers |= {"Layer 2: what followed my word": trace.induction}
        return [_Head(title, None, layer) for title, layer in layers.items()]

    return Takeaway(
        "two_layers",
        lambda: _table(heads(), sentence),
        lambda: _arrays(heads(), sentence),
        script,
        lambda theme: _pictures(heads(), sentence, theme),
    )


def _table(heads: Sequence[_Head], sentence: Sentence) -> pd.DataFrame:
    parts = []
    for title, _, trace in heads:
        table = tables.weights_table(trace, sentence).drop(columns=_DRAWN)
        table.insert(0, "head", title)
        parts.append(table)
    return pd.concat(parts, ignore_index=True)


def _arrays(heads: Sequence[_Head], sentence: Sentence) -> dict[str, Any]:
    arrays: dict[str, Any] = {"tokens": sentence.tokens, "categories": sentence.categories}
    arrays["X"] = features(sentence)
    for number, (_, head, trace) in enumerate(heads, 1):
        parts = (
            dict(zip(("W_Q", "W_K", "W_V"), (head.W_Q, head.W_K, head.W_V), strict=True))
            if head
            else {}
        )
        parts |= trace._asdict()
        arrays |= {f"head_{number}_{name}": array for name, array in parts.items()}
    return arrays


def _pictures(
    heads: Sequence[_Head],
    sentence: Sentence,
    theme: Theme,
    cell: Cell | None = None,
    lines: bool = False,
) -> list[Picture]:
    from mha.charts.files import Picture

    T, drawn = len(sentence), []
    where = {} if cell is None else {"query": cell.query, "key": cell.key}
    for hue, (title, _, trace) in zip(HEAD_HUES, heads, strict=False):
        table = tables.weights_table(trace, sentence, **where).assign(stamp=0)
        spec = charts.lines_spec(T, hue) if lines else charts.weights_spec(T, theme)
        drawn.append(Picture(spec, charts.with_ink(table, "weight", theme), title, T))
    return drawn
