"""A real Streamlit server for a test, started fresh and stopped by its own handle."""

import os
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
START_SECONDS = 60
STOP_SECONDS = 10


@dataclass(frozen=True)
class Server:
    """A running server: where it answers, its process, and the file that it logs to."""

    url: str
    pid: int
    log: Path


@contextmanager
def serve(script: str = "streamlit_app.py", *, folder: Path = ROOT) -> Iterator[Server]:
    """Serve a Streamlit script on a free port of this machine until the block ends.

    Args:
        script: the entrypoint, as a path inside folder.
        folder: where the server starts, and so where its .streamlit/config.toml is read.

    Raises:
        RuntimeError: the server ended, or did not answer in time; the message holds its log.
    """
    port = free_port()
    command = [sys.executable, "-m", "streamlit", "run", script]
    command += ["--server.address=127.0.0.1", f"--server.port={port}", "--server.headless=true"]
    # A setting of the person who runs the tests must not change what the tests see.
    environment = {k: v for k, v in os.environ.items() if not k.startswith("STREAMLIT_")}
    environment |= {"PYTHONUNBUFFERED": "1"}
    with tempfile.TemporaryDirectory() as temporary:
        log = Path(temporary) / "server.log"
        with running(command, port, log, cwd=folder, env=environment) as server:
            yield server


@contextmanager
def running(command: list[str], port: int, log: Path, **how: Any) -> Iterator[Server]:
    """Run a server on this port, once it answers, until the block ends; `how` is Popen's.

    Raises:
        RuntimeError: as `serve` does.
    """
    with log.open("w") as output:
        process = subprocess.Popen(command, stdout=output, stderr=subprocess.STDOUT, **how)
    try:
        wait_until_healthy(process, port, log)
        yield Server(f"http://127.0.0.1:{port}", process.pid, log)
    finally:
        stop(process)


def free_port() -> int:
    """Return a port that nobody listens on at this moment."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def wait_until_healthy(process: subprocess.Popen, port: int, log: Path) -> None:
    deadline = time.monotonic() + START_SECONDS
    while not is_healthy(port):
        ended = process.poll() is not None
        if ended or time.monotonic() > deadline:
            what = "ended" if ended else f"did not answer within {START_SECONDS} s"
            raise RuntimeError(f"The server {what}. Its log:\n{log.read_text()}")
        time.sleep(0.1)


def is_healthy(port: int) -> bool:
    # http.client and not urllib, which would ask a configured proxy for our own machine.
    connection = HTTPConnection("127.0.0.1", port, timeout=5)
    try:
        connection.request("GET", "/_stcore/health")
        return connection.getresponse().status == 200
    except (OSError, HTTPException):
        return False
    finally:
        connection.close()


def stop(process: subprocess.Popen) -> None:
    process.terminate()
    try:
        process.wait(STOP_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
