"""Two replicas behind nginx, one of them stopped while visitors are at work.

nginx runs with deploy/nginx.conf itself; only addresses and the folder that it writes to differ.
Whoever was on the lost replica connects anew, as a browser does, and must see what they saw.
"""

from __future__ import annotations

import asyncio
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from urllib.parse import urlsplit

from tests.browser.server import ROOT, Server, free_port, running, serve
from tests.load.client import Client
from tests.load.crowd import sessions_at
from tests.load.report import percentile, table
from tests.load.visitor import PATIENCE_SECONDS, Visitor

APP = "streamlit_app.py"
CONFIG = ROOT / "deploy" / "nginx.conf"
PAGES = ("", "hand_built_heads", "split_merge", "fused_module", "parameters", "real_models")
SECONDS = 20.0  # at half of them a replica is stopped
THINK_SECONDS = (0.5, 2.0)  # busier than people are, so that some wait for an answer at that moment
RETRY_SECONDS = 1.0  # a browser's pause before it connects again


def nginx() -> str:
    """The path of nginx.

    Raises:
        FileNotFoundError: there is none.
    """
    # Debian's lies where only root's PATH looks.
    found = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin:/usr/local/sbin")
    if found is None:
        raise FileNotFoundError(
            "The failover trial must have nginx; got none on PATH. Try apt-get install nginx-light."
        )
    return found


def config_for(replicas: tuple[Server, ...], port: int, folder: Path) -> str:
    """deploy/nginx.conf with the addresses of these replicas, another port and another folder."""
    text = CONFIG.read_text()
    for number, replica in enumerate(replicas, 1):
        text = text.replace(f"app_{number}:8501", urlsplit(replica.url).netloc)
    return text.replace("listen 8080", f"listen 127.0.0.1:{port}").replace("/tmp/", f"{folder}/")


@contextmanager
def balance(replicas: tuple[Server, ...]) -> Iterator[Server]:
    """Run nginx before these replicas until the block ends."""
    with tempfile.TemporaryDirectory() as temporary:
        folder, port = Path(temporary), free_port()
        folder.chmod(0o755)  # nginx's workers are somebody else where it is started by root
        (folder / "nginx.conf").write_text(config_for(replicas, port, folder))
        command = [nginx(), "-c", f"{folder}/nginx.conf", "-p", f"{folder}", "-g", "daemon off;"]
        with running(command, port, folder / "nginx.log") as server:
            yield server


@dataclass
class Returning(Visitor):
    """A visitor who connects anew when the server has gone.

    Attributes:
        returns: how long each return took, from the loss to a finished page, in seconds.
        strayed: how many of them showed another scene than the one that was lost.
    """

    returns: list[float] = field(default_factory=list)
    strayed: int = 0

    async def work(self, seconds: float) -> None:
        loop = asyncio.get_running_loop()
        end = loop.time() + seconds
        while loop.time() < end:
            if await self.client.is_lost(within=self.random.uniform(*THINK_SECONDS)):
                await self.come_back()
            else:
                await self.act()

    async def come_back(self) -> None:
        """Ask with the link and with what the widgets hold, as a browser does."""
        began, lost = time.perf_counter(), self.client
        # What was under way when the server went is in the link, and nobody has seen it yet.
        seen = lost.shown if lost.answered is not None else None
        await lost.close()
        await asyncio.sleep(RETRY_SECONDS)
        await self.connect(lost.link(), lost)
        self.returns.append(time.perf_counter() - began)
        shown = self.client.shown
        if seen is None:
            other = Returning(self.url, self.page, self.random)
            await other.connect(lost.link())
            seen = other.client.shown
            await other.leave()
        self.strayed += shown != seen

    async def connect(self, link: str, earlier: Client | None = None) -> None:
        self.client = Client(self.url, self.page, link)
        if earlier is not None:
            self.client.values, self.client.widgets = earlier.values, earlier.widgets
            self.client.cookies = earlier.cookies
        await self.client.open()
        await self.client.rerun()
        await self.client.wait(PATIENCE_SECONDS)


def fail_over(sessions: int) -> None:
    """Run the trial and print what became of everybody.

    Raises:
        RuntimeError: somebody did not come back, or to another scene, or saw an error.
    """
    with ExitStack() as first, serve(APP) as second:
        lost = first.enter_context(serve(APP))
        with balance((lost, second)) as front:
            visitors = [
                Returning(front.url, PAGES[i % len(PAGES)], Random(i)) for i in range(sessions)
            ]
            asyncio.run(_trial(visitors, lost, second, first.close))


async def _trial(
    visitors: list[Returning], lost: Server, kept: Server, stop_lost: Callable[[], None]
) -> None:
    for visitor in visitors:
        await visitor.come()
    at_lost, at_kept = sessions_at(lost), sessions_at(kept)
    working = [asyncio.create_task(visitor.work(SECONDS)) for visitor in visitors]
    await asyncio.sleep(SECONDS / 2)
    await asyncio.to_thread(stop_lost)
    await asyncio.gather(*working)
    at_the_end = sessions_at(kept)
    for visitor in visitors:
        await visitor.leave()
    returns = [seconds for visitor in visitors for seconds in visitor.returns]
    strayed = sum(visitor.strayed for visitor in visitors)
    cut_off = "The connection must stay open"  # what was under way, and was asked for again
    errors = [e for visitor in visitors for e in visitor.errors if not e.startswith(cut_off)]
    rows = {
        "on the replica that was stopped": f"{at_lost}",
        "on the other, before": f"{at_kept}",
        "on the other, at the end": f"{at_the_end}",
        "came back": f"{len(returns)}",
        "came back to another scene": f"{strayed}",
        "errors": f"{len(errors)}",
        "back within, p95": f"{percentile(returns, 95) or 0:.1f} s",
    }
    print(table(rows.items(), ("visitors", "")))
    if strayed or errors or len(returns) != at_lost or at_the_end != len(visitors):
        raise RuntimeError(
            "Everybody must come back to their scene; "
            f"got {len(returns)} back, {strayed} astray, errors={errors[:3]}."
        )
