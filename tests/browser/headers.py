"""A server seen through nginx's response headers, without nginx.

Each connection carries one request: its answer's head gets the headers, and everything else, the
websocket's frames too, passes as it is. (A browser judges a policy before a test can change the
headers of an answer, and refuses websockets to a page that a test has made up.)
"""

from __future__ import annotations

import asyncio
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from queue import Queue
from urllib.parse import urlsplit

from tests.browser.server import ROOT, Server

NGINX = ROOT / "deploy" / "nginx.conf"
_ADDED = re.compile(r'^\s*add_header ([\w-]+) (?:"([^"]*)"|(\S+)) always;', re.MULTILINE)
_POLICY = re.compile(r'map "" \$policy \{\s*default "([^"]+)";')
_HEAD_BYTES = 1 << 20


def headers_of(path: Path = NGINX) -> dict[str, str]:
    """The headers that nginx adds to every answer, by name."""
    text = path.read_text()
    (policy,) = _POLICY.findall(text)
    added = {name: quoted or bare for name, quoted, bare in _ADDED.findall(text)}
    return {name: policy if value == "$policy" else value for name, value in added.items()}


@contextmanager
def behind(server: Server, headers: dict[str, str]) -> Iterator[Server]:
    """The server at another address, where every answer has these headers too."""
    added = "".join(f"{name}: {value}\r\n" for name, value in headers.items()).encode()
    target = urlsplit(server.url)

    async def pass_on(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        # Cancelled when the block ends, as a browser's connections are then still open.
        with suppress(ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            request = await reader.readuntil(b"\r\n\r\n")  # a browser may connect long before
            if b"upgrade: websocket" not in request.lower():
                request = re.sub(rb"(?im)^connection:.*\r\n", b"", request)
                request = request.replace(b"\r\n", b"\r\nConnection: close\r\n", 1)
            inner_reader, inner_writer = await asyncio.open_connection(target.hostname, target.port)
            inner_writer.write(request)
            there = asyncio.create_task(_pump(reader, inner_writer))
            status, _, rest = (await inner_reader.readuntil(b"\r\n\r\n")).partition(b"\r\n")
            writer.write(status + b"\r\n" + added + rest)
            await _pump(inner_reader, writer)
            there.cancel()
        writer.close()

    # In a thread, because Playwright has a loop in this one.
    ports: Queue[tuple[int, asyncio.AbstractEventLoop, asyncio.Event]] = Queue()

    async def listen() -> None:
        stop = asyncio.Event()
        listening = await asyncio.start_server(pass_on, "127.0.0.1", 0, limit=_HEAD_BYTES)
        ports.put((listening.sockets[0].getsockname()[1], asyncio.get_running_loop(), stop))
        await stop.wait()
        listening.close()

    thread = threading.Thread(target=asyncio.run, args=(listen(),))
    thread.start()
    port, loop, stop = ports.get(timeout=10)
    try:
        yield replace(server, url=f"http://127.0.0.1:{port}")
    finally:
        loop.call_soon_threadsafe(stop.set)
        thread.join()


async def _pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Copy until one side ends."""
    with suppress(ConnectionError):
        while data := await reader.read(1 << 16):
            writer.write(data)
            await writer.drain()
    writer.close()
