"""Arrays → tidy tables, one row a mark, for charts and downloads.

Column names are fixed words of ours; people's words stand in the values only.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from mha.checks import require_axes, require_index, require_shape
from mha.hand_built import HandBuiltHead
from mha.layout import Stage, misplaced
from mha.reference import Array, HeadTrace
from mha.sentence import Anatomy, Sentence, shorten

LABEL_COLUMNS = 12
_MARGIN = 0.06  # of a cell, free on each side of a number's square


def weights_table(
    trace: HeadTrace, sentence: Sentence, *, query: int | None = None, key: int | None = None
) -> pd.DataFrame:
    """One row a cell of a head's weights (T, T), row by row.

    Args:
        trace: scores and weights, (T, T).
        query, key: the chosen row and column, marked in `in_row` and `chosen`.

    Returns:
        query, key (positions), query_word, key_word (unique), query_label, key_label (shortened),
        score (NaN where masked), weight, masked, in_row, chosen.

    Raises:
        ValueError: a trace of another sentence or of several heads, or a cell that is not there.
    """
    T = len(sentence)
    for name, array in (("weights", trace.weights), ("scores", trace.scores)):
        require_axes(name, array, ("T", "T"))
        require_shape(name, array, (T, T))
    query = None if query is None else require_index("query", query, T)
    key = None if key is None else require_index("key", key, T)
    rows, columns = np.divmod(np.arange(T * T), T)
    words = np.array(sentence.labels, dtype=object)
    labels = np.array([shorten(word, LABEL_COLUMNS) for word in sentence.labels], dtype=object)
    masked = np.isneginf(trace.scores).ravel()
    in_row = rows == query if query is not None else np.zeros(T * T, bool)
    return pd.DataFrame(
        {
            "query": rows,
            "key": columns,
            "query_word": words[rows],
            "key_word": words[columns],
            "query_label": labels[rows],
            "key_label": labels[columns],
            "score": np.where(masked, np.nan, trace.scores.ravel()),
            "weight": trace.weights.ravel(),
            "masked": masked,
            "in_row": in_row,
            "chosen": in_row & (columns == key) if key is not None else np.zeros(T * T, bool),
        }
    )


def arithmetic_table(
    q: Array, k: Array, trace: HeadTrace, sentence: Sentence, query: int
) -> pd.DataFrame:
    """How one row of weights comes about, one row a key.

    Args:
        q, k: (T, d_k), as the head made them.
        trace: what it made of them, (T, T).

    Returns:
        key_word; dot, q·k whether masked or not; may_look; exponential, exp(score - the row's
        largest score), 0 where masked; weight, the exponential over the row's sum of them.

    Raises:
        ValueError: a trace of another sentence or of several heads, or a row that is not there.
    """
    T = len(sentence)
    require_axes("scores", trace.scores, ("T", "T"))
    require_shape("scores", trace.scores, (T, T))
    query = require_index("query", query, T)
    scores = trace.scores[query]
    return pd.DataFrame(
        {
            "key_word": list(sentence.labels),
            "dot": k @ q[query],
            "may_look": ~np.isneginf(scores),
            "exponential": np.exp(scores - scores.max()),
            "weight": trace.weights[query],
        }
    )


def dot_product_table(head: HandBuiltHead, X: Array, query: int, key: int) -> pd.DataFrame:
    """q·k slot by slot for one cell, one row a slot of the head.

    Returns:
        slot, q, k and product; the products add up to the score before the mask.

    Raises:
        ValueError: features that do not fit the head, or a cell that is not there.
    """
    q, k, _ = head.queries_keys_values(X)
    query, key = require_index("query", query, len(X)), require_index("key", key, len(X))
    return pd.DataFrame(
        {"slot": list(head.slots), "q": q[query], "k": k[key], "product": q[query] * k[key]}
    )


def matrix_table(
    matrix: Array,
    row_names: Sequence[str],
    column_names: Sequence[str],
    *,
    hidden: Array | None = None,
) -> pd.DataFrame:
    """One row a number of a matrix, with the names of its row and column.

    Args:
        hidden: bool, of the matrix's shape; numbers that count as masked though they are finite,
            as the weights of masked scores are.

    Returns:
        row, column (positions), row_name, column_name, row_label, column_label (shortened), value
        (NaN where -inf), masked (whether -inf or hidden), text (the number as short as a cell is
        wide; empty where masked or 0), and shade: value over the largest finite absolute value,
        in [-1, 1], so that one diverging scale serves every matrix; 0 where masked.

    Raises:
        ValueError: a matrix of another shape than its names.
    """
    require_axes("matrix", matrix, ("row", "column"))
    require_shape("matrix", matrix, (len(row_names), len(column_names)))
    rows, columns = np.divmod(np.arange(matrix.size), len(column_names))
    values = matrix.ravel().astype(float)
    masked = np.isneginf(values)
    values = np.where(masked, np.nan, values)
    if hidden is not None:
        require_shape("hidden", hidden, matrix.shape)
        masked = masked | hidden.ravel()
    largest = np.abs(values[np.isfinite(values)]).max(initial=0) or 1.0
    names = [np.array(list(names), dtype=object) for names in (row_names, column_names)]
    labels = [np.array([shorten(n, LABEL_COLUMNS) for n in part], dtype=object) for part in names]
    return pd.DataFrame(
        {
            "row": rows,
            "column": columns,
            "row_name": names[0][rows],
            "column_name": names[1][columns],
            "row_label": labels[0][rows],
            "column_label": labels[1][columns],
            "value": values,
            "masked": masked,
            "text": [
                "" if hides else cell_text(value)
                for value, hides in zip(values, masked, strict=True)
            ],
            "shade": np.nan_to_num(np.clip(values / largest, -1, 1)),
        }
    )


def cell_text(value: float) -> str:
    """A number in six characters or so, "" for 0 and NaN.

    Whole ones and those of three digits or more as whole ones, others to two decimals, from a
    million on in powers of ten (1.2e6); infinity is ∞.
    """
    if np.isnan(value) or value == 0:
        return ""
    if np.isinf(value):
        return "∞" if value > 0 else "-∞"
    if abs(value) >= 1e6 - 0.5:  # what rounds to a million
        digits, power = f"{value:.1e}".split("e")
        return f"{digits.removesuffix('.0')}e{int(power)}"
    decimals = 0 if value == round(value) or abs(value) >= 99.995 else 2
    return f"{value:z.{decimals}f}"  # z: never "-0.00"


def anatomy_table(anatomy: Anatomy) -> pd.DataFrame:
    """One row a box of a word's picture: its label, its characters, code points and bytes.

    Args:
        anatomy: of a word as a sentence holds it, without surrogates, which have no bytes.

    Returns:
        lane (0 label, 1 characters, 2 code points, 3 bytes), left, right (in [0, 1], so that a box
        lies over the bytes that it is made of), text (the label's set apart, so that it runs by its
        own first letter), size (the columns that the text takes at most), cluster (the character's
        position; -1 for the label), name (of a code point, else ""), way (of a character in a word
        that has letters from right to left: its place as stored, and an arrow; else ""), title (how
        many there are, at a lane's first box, else "").
    """
    total, at = anatomy.n_bytes, 0
    label = f"\N{FIRST STRONG ISOLATE}{anatomy.word}\N{POP DIRECTIONAL ISOLATE}"
    boxes: list[tuple[int, int, int, str, int, str]] = [(0, 0, total, label, -1, "")]
    for i, cluster in enumerate(anatomy.clusters):
        start = at
        for point in cluster.code_points:
            stop = at + len(point.utf8)
            boxes.append((2, at, stop, point.number.removeprefix("U+"), i, point.name))
            boxes += [(3, at + j, at + j + 1, f"{b:02X}", i, "") for j, b in enumerate(point.utf8)]
            at = stop
        boxes.append((1, start, at, cluster.text, i, ""))
    lanes, lefts, rights, texts, clusters, names = zip(
        *sorted(boxes, key=lambda box: box[:2]), strict=True
    )
    ways = _ways(anatomy)
    counts = (
        "one label",
        _counted(len(anatomy.clusters), "character") + " to a reader",
        _counted(anatomy.n_code_points, "code point") + ", which len counts",
        _counted(anatomy.n_bytes, "byte"),
    )
    return pd.DataFrame(
        {
            "lane": lanes,
            "left": np.array(lefts) / total,
            "right": np.array(rights) / total,
            "text": np.array(texts, dtype=object),
            "size": [
                2 * len(text) if lane < 2 else len(text)
                for lane, text in zip(lanes, texts, strict=True)
            ],
            "cluster": clusters,
            "name": names,
            "way": [
                ways[cluster] if lane == 1 else ""
                for lane, cluster in zip(lanes, clusters, strict=True)
            ],
            "title": ["" if lane in lanes[:i] else counts[lane] for i, lane in enumerate(lanes)],
        }
    )


def _ways(anatomy: Anatomy) -> list[str]:
    """For each character its place as stored and the way that it runs, if any runs leftward."""
    if not anatomy.runs_leftward:
        return [""] * len(anatomy.clusters)
    arrows = {"left to right": "→", "right to left": "←", "neutral": ""}
    return [
        f"{number} {arrows[run.direction]}"
        for run in anatomy.runs
        for number in range(run.first, run.last + 1)
    ]


def _counted(n: int, thing: str) -> str:
    return f"{n:,} {thing}{'' if n == 1 else 's'}"


def stage_table(stage: Stage, owner: np.ndarray) -> pd.DataFrame:
    """One row a number: its cell's edges, its head, and whether it is in the wrong place.

    `name` is written at the first cell of the block that a head has on the drawing.

    Args:
        owner: the head that each number belongs to, from `layout.owner`.
    """
    at = dict(zip(stage.axes, stage.index.T, strict=True))
    d_head = stage.shape[-1] if "h" in at else stage.shape[-1] // (owner.max() + 1)
    head, within = (at["h"], at["d_head"]) if "h" in at else np.divmod(at["C"], d_head)
    first = (at["T"] == 0) & (within == 0)
    return pd.DataFrame(
        {
            "number": np.arange(len(owner)),
            "left": stage.column + _MARGIN,
            "right": stage.column + 1 - _MARGIN,
            "top": stage.row + _MARGIN,
            "bottom": stage.row + 1 - _MARGIN,
            "head": owner,
            "wrong": misplaced(stage),
            "name": np.where(first, [f"head {number}" for number in head], ""),
        }
    )
