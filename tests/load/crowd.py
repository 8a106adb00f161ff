"""Many visitors at one server for a bounded time, and what it took."""

from __future__ import annotations

import asyncio
import os
import time
from dataclasses import dataclass
from http.client import HTTPConnection
from random import Random
from urllib.parse import urlsplit

from tests.browser.server import Server
from tests.load.process import cpu_seconds, resident_mb
from tests.load.visitor import THINK_SECONDS, Interaction, Visitor

SAMPLE_SECONDS = 0.5
LEAVE_SECONDS = 10.0  # memory is watched so long once the visitors have gone


@dataclass(frozen=True)
class Load:
    """What visitors saw and what the server took.

    opened: first runs. interactions: all that followed.
    memory: (seconds, resident MB), while the visitors were there.
    memory_after: the same once they had left.
    server_cores, own_cores: processor seconds a second, of the server and of this process, from
        when all had come.
    each: processor seconds of the server for one interaction, over the same time.
    lag: the longest that this process kept its own visitors waiting, in seconds.
    """

    sessions: int
    opened: tuple[Interaction, ...]
    interactions: tuple[Interaction, ...]
    errors: tuple[str, ...]
    memory_before: float
    memory: tuple[tuple[float, float], ...]
    memory_after: tuple[tuple[float, float], ...]
    server_cores: float
    own_cores: float
    each: float
    lag: float


class Watch:
    """Samples a server's memory and this process's own delay until it is stopped."""

    def __init__(self, pid: int) -> None:
        self.pid, self.lag = pid, 0.0
        self.memory: list[tuple[float, float]] = []
        self._began = time.perf_counter()
        self._task = asyncio.create_task(self._sample())

    async def _sample(self) -> None:
        while True:
            now = time.perf_counter()
            self.memory.append((now - self._began, resident_mb(self.pid)))
            await asyncio.sleep(SAMPLE_SECONDS)
            self.lag = max(self.lag, time.perf_counter() - now - SAMPLE_SECONDS)

    async def stop(self) -> None:
        self._task.cancel()
        await asyncio.gather(self._task, return_exceptions=True)


async def load(
    server: Server, *, sessions: int, seconds: float, pages: tuple[str, ...], seed: int = 0
) -> Load:
    """Let visitors come one after another, as spread as their thoughts are, and stay.

    Somebody has been on every page before: what a page imports is paid once, whoever comes.

    pages: what they open first, in turn.
    """
    await _warm(server, pages)
    began = resident_mb(server.pid)
    watch = Watch(server.pid)
    visitors = [
        Visitor(server.url, pages[i % len(pages)], Random(f"{seed} {i}")) for i in range(sessions)
    ]
    arrival = min(seconds / 4, max(THINK_SECONDS[1], sessions / 10))
    end = time.perf_counter() + seconds
    staying = asyncio.gather(
        *(_visit(visitor, arrival * i / sessions, end) for i, visitor in enumerate(visitors))
    )
    await asyncio.sleep(arrival)
    all_came, took = time.perf_counter(), [-cpu_seconds(server.pid), -cpu_seconds(os.getpid())]
    earlier = sum(len(visitor.interactions) for visitor in visitors)
    await staying
    took = [took[0] + cpu_seconds(server.pid), took[1] + cpu_seconds(os.getpid())]
    wall = time.perf_counter() - all_came
    await watch.stop()
    await asyncio.gather(*(visitor.leave() for visitor in visitors))
    left = Watch(server.pid)
    await asyncio.sleep(LEAVE_SECONDS)
    await left.stop()
    every = [i for visitor in visitors for i in visitor.interactions]
    return Load(
        sessions,
        tuple(i for i in every if i.what == "open"),
        tuple(i for i in every if i.what != "open"),
        tuple(error for visitor in visitors for error in visitor.errors),
        began,
        tuple(watch.memory),
        tuple(left.memory),
        took[0] / wall,
        took[1] / wall,
        took[0] / max(len(every) - earlier, 1),
        watch.lag,
    )


async def _warm(server: Server, pages: tuple[str, ...]) -> None:
    for page in pages:
        visitor = Visitor(server.url, page, Random(0))
        await visitor.come()
        await visitor.leave()
        if visitor.errors:
            raise RuntimeError(f"Every page must open; got {visitor.errors} at /{page}.")


async def _visit(visitor: Visitor, delay: float, end: float) -> None:
    await asyncio.sleep(delay)
    await visitor.come()
    await visitor.stay(end - time.perf_counter())


def sessions_at(server: Server) -> int:
    """How many sessions the server itself says that it holds."""
    connection = HTTPConnection(urlsplit(server.url).netloc, timeout=10)
    try:
        connection.request("GET", "/_stcore/metrics")
        lines = connection.getresponse().read().decode().splitlines()
    finally:
        connection.close()
    return int(next(line.split()[1] for line in lines if line.startswith("active_sessions ")))
