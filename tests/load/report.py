"""Loads → rows of a Markdown table."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Sequence
from pathlib import Path

from tests.load.crowd import Load
from tests.load.visitor import Interaction

DOCS = Path(__file__).parents[2] / "docs" / "load.md"
HEAD = (
    "load", "sessions", "interactions", "unanswered", "p50 ms", "p95 ms", "longest ms",
    "KB each", "CPU ms each", "cores", "MB at most", "MB after", "errors",
)  # fmt: skip


def percentile(seconds: Iterable[float], p: int) -> float | None:
    """The p-th percentile, or None of nothing."""
    ordered = sorted(seconds)
    if len(ordered) < 2:
        return ordered[0] if ordered else None
    return statistics.quantiles(ordered, n=100, method="inclusive")[p - 1]


def answered(interactions: Iterable[Interaction]) -> list[float]:
    return [i.seconds for i in interactions if i.seconds is not None]


def row(name: str, load: Load, interactions: Sequence[Interaction]) -> tuple[str, ...]:
    """One row: these interactions of a load, and what the whole load took."""
    seconds = answered(interactions)
    kilobytes = sum(i.bytes for i in interactions) / max(len(interactions), 1) / 1000
    return (
        name,
        f"{load.sessions}",
        f"{len(interactions):,}",
        f"{len(interactions) - len(seconds)}",
        _ms(percentile(seconds, 50)),
        _ms(percentile(seconds, 95)),
        _ms(max(seconds, default=None)),
        f"{kilobytes:.0f}",
        f"{load.each * 1000:.0f}",
        f"{load.server_cores:.2f}",
        f"{max(mb for _, mb in load.memory):.0f}",
        f"{load.memory_after[-1][1]:.0f}",
        f"{len(load.errors)}",
    )


def table(rows: Iterable[Sequence[str]], head: Sequence[str] = HEAD) -> str:
    """A Markdown table; all columns but the first are numbers."""
    rule = ["---", *["---:"] * (len(head) - 1)]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in (head, rule, *rows))


def publish(name: str, text: str, path: Path = DOCS) -> None:
    """Put a report into the docs, between the two marks that have this name.

    Raises:
        ValueError: the marks are not there.
    """
    begin, end = f"<!-- {name} -->", f"<!-- end of {name} -->"
    before, begun, rest = path.read_text("utf-8").partition(begin)
    _, ended, after = rest.partition(end)
    if not begun or not ended:
        raise ValueError(f"The docs must hold {begin} and {end}; got path={path.name}. Try both.")
    path.write_text(f"{before}{begin}\n\n{text}\n\n{end}{after}", "utf-8")


def growth(samples: Sequence[tuple[float, float]], skip: float = 0.25) -> float:
    """MB a minute, by least squares; the first quarter, where caches fill, is left out."""
    last = samples[-1][0]
    kept = [(t, mb) for t, mb in samples if t >= skip * last]
    return statistics.linear_regression(*zip(*kept, strict=True)).slope * 60


def _ms(seconds: float | None) -> str:
    return "–" if seconds is None else f"{seconds * 1000:,.0f}"
