"""python -m tests.load: many visitors over the server's own websocket protocol.

    python -m tests.load                          300 sessions for 120 s, and the same at one slider
    python -m tests.load --sessions 40 --seconds 30
    python -m tests.load --write                  and put the table into docs/load.md
    python -m tests.load --climb                  more sessions until p95 passes 1 s
    python -m tests.load --soak                   10 minutes; does memory grow?
    python -m tests.load --failover               two replicas behind nginx, one of them stopped

The visitors live in this process, the server in another; they share the machine's cores.
"""

from __future__ import annotations

import argparse
import asyncio

from tests.browser.server import serve
from tests.load.crowd import LEAVE_SECONDS, Load, load
from tests.load.report import answered, growth, percentile, publish, row, table
from tests.pages.app import PAGES
from tests.pages.test_imports import WITH_TORCH

APP, ONE_SLIDER = "streamlit_app.py", "tests/load/one_slider.py"
ADDRESSES = {page: "" if page == "overview" else page for page in PAGES}
WITHOUT = tuple(ADDRESSES[page] for page in PAGES if page not in WITH_TORCH)
TOO_SLOW = 1.0  # seconds
SOAK_SECONDS = 600


def main() -> None:
    asked = parse()
    report = ""
    pages = tuple(asked.pages.split(",")) if asked.pages is not None else (*WITHOUT, *WITH_TORCH)
    if asked.failover:
        from tests.load.failover import fail_over

        fail_over(asked.sessions)
    elif asked.climb:
        report = climb(asked.sessions, asked.seconds, pages)
    elif asked.soak:
        report = soak(asked.sessions, max(asked.seconds, SOAK_SECONDS), pages)
    else:
        report = compare(asked.sessions, asked.seconds, pages, asked.baseline)
    print(report)
    if asked.write and report:
        publish("climb" if asked.climb else "soak" if asked.soak else "all pages", report)


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.load")
    parser.add_argument("--sessions", type=int, default=300)
    parser.add_argument("--seconds", type=float, default=120)
    parser.add_argument("--pages", help="addresses that visitors open first, with commas between")
    parser.add_argument("--baseline", action=argparse.BooleanOptionalAction, default=True)
    parser.add_argument("--climb", action="store_true")
    parser.add_argument("--soak", action="store_true")
    parser.add_argument("--failover", action="store_true")
    parser.add_argument("--write", action="store_true", help="put the table into docs/load.md")
    return parser.parse_args()


def compare(sessions: int, seconds: float, pages: tuple[str, ...], baseline: bool) -> str:
    """Our app, pages with and without torch apart, and Streamlit's least beside it."""
    with serve(APP) as server:
        ours = asyncio.run(load(server, sessions=sessions, seconds=seconds, pages=pages))
    rows = rows_of(ours)
    if baseline:
        with serve(ONE_SLIDER) as server:
            least = asyncio.run(load(server, sessions=sessions, seconds=seconds, pages=("",)))
        rows.append(row("a one-slider app", least, least.interactions))
    return f"{table(rows)}\n\n{in_words(ours)}"


def rows_of(ours: Load) -> list[tuple[str, ...]]:
    def on(pages: tuple[str, ...]) -> list:
        return [i for i in ours.interactions if i.page in pages]

    rows = [
        row("pages without torch", ours, on(WITHOUT)),
        row("pages with torch", ours, on(WITH_TORCH)),
    ]
    rows += [row(f"· {page or 'overview'}", ours, on((page,))) for page in (*WITHOUT, *WITH_TORCH)]
    rows.append(row("links opened", ours, ours.opened))
    return rows


def in_words(done: Load) -> str:
    lines = [
        f"The visitors' own process took {done.own_cores:.2f} cores and was at most "
        f"{done.lag * 1000:.0f} ms late. The server had {done.memory_before:.0f} MB before they "
        f"came; in {LEAVE_SECONDS:.0f} s after they left its memory changed by "
        f"{done.memory_after[-1][1] - done.memory_after[0][1]:+.1f} MB."
    ]
    return "\n".join([*lines, *(f"Error: {error}" for error in sorted(set(done.errors)))])


def climb(sessions: int, seconds: float, pages: tuple[str, ...]) -> str:
    """Half as many sessions again each time, on one server, until p95 passes a second."""
    rows = []
    with serve(APP) as server:
        while True:
            done = asyncio.run(load(server, sessions=sessions, seconds=seconds, pages=pages))
            rows.append(row("all pages", done, done.interactions))
            print(table(rows[-1:]), flush=True)
            if (percentile(answered(done.interactions), 95) or 0) > TOO_SLOW:
                return table(rows)
            sessions += sessions // 2


def soak(sessions: int, seconds: float, pages: tuple[str, ...]) -> str:
    """The same for long: the last three quarters of the time tell whether memory grows."""
    with serve(APP) as server:
        done = asyncio.run(load(server, sessions=sessions, seconds=seconds, pages=pages))
    grew = f"Memory grew by {growth(done.memory):+.2f} MB a minute."
    return f"{table([row('all pages', done, done.interactions)])}\n\n{grew} {in_words(done)}"


if __name__ == "__main__":
    main()
