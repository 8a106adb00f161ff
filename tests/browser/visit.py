"""One person's visit to the app: open a page, wait until it has settled, note what went wrong.

A page has settled when every run that it asked for has finished and nothing on it is stale, still
a skeleton or not yet drawn. Streamlit's own attribute is not enough: after a widget has changed it
says notRunning until the server's first answer arrives. So the websocket's frames are read too:

    asked     the browser has sent a request for a run
    running   the server has started a run since
    idle      that run has finished, and not because another run replaces it
"""

import re
import time
from urllib.parse import urlsplit
from weakref import WeakKeyDictionary

from playwright.sync_api import (
    ConsoleMessage,
    Dialog,
    Error,
    Page,
    Request,
    WebSocket,
)
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

TIMEOUT_SECONDS = 30
# Longer than any pause that Streamlit makes before it sends a change (200 ms in a slider).
QUIET_MS = 300

# Times with the page's own clock: a slow machine slows the pause and its measure alike.
QUIET = """async (quietMs) => {
    const unfinished = '[data-testid$="Skeleton"], [data-stale="true"]';
    const isDrawn = (chart) => !chart.checkVisibility() || chart.querySelector("svg, canvas");
    const isReady = () => {
        const app = document.querySelector('[data-testid="stApp"]');
        return app
            && app.dataset.testScriptState === "notRunning"
            && app.dataset.testConnectionState === "CONNECTED"
            && !document.querySelector(unfinished)
            && document.fonts.status === "loaded"
            && [...document.querySelectorAll('[data-testid="stVegaLiteChart"]')].every(isDrawn);
    };
    let since = performance.now();
    while (performance.now() - since < quietMs) {
        await new Promise((resolve) => setTimeout(resolve, 20));
        if (!isReady()) since = performance.now();
    }
    return true;
}"""

# At a deep link Streamlit looks for its server below the page's own path first, and is not there.
PROBE = re.compile(r"/[^/]+/_stcore/(health|host-config)")

# What the app says of an error that it did not catch, by our words or by Streamlit's.
FAULT = '.st-key-mishap, [data-testid="stException"]'
# What KaTeX makes of a formula that it cannot read: its source, in red.
UNREAD_FORMULA = '.katex-error, .katex :is([style*="cc0000"], [style*="204, 0, 0"])'
FORGET = "() => { localStorage.clear(); sessionStorage.clear(); window.name = ''; }"

_traffic: WeakKeyDictionary[Page, "Traffic"] = WeakKeyDictionary()


class Traffic:
    """What a page and the server have said to each other, as far as it tells who waits for whom."""

    def __init__(self) -> None:
        self.frames = 0
        self.state = "idle"

    def listen(self, websocket: WebSocket) -> None:
        # A request that a lost connection swallowed is never answered.
        self.state = "idle"
        websocket.on("framesent", self.sent)
        websocket.on("framereceived", self.received)

    def sent(self, payload: bytes | str) -> None:
        self.frames += 1
        if isinstance(payload, bytes):
            message = BackMsg.FromString(payload)
            if message.WhichOneof("type") == "rerun_script":
                self.state = "asked"

    def received(self, payload: bytes | str) -> None:
        self.frames += 1
        if isinstance(payload, bytes):
            message = ForwardMsg.FromString(payload)
            kind = message.WhichOneof("type")
            if kind == "new_session":
                self.state = "running"
            elif (
                kind == "script_finished"
                and self.state == "running"
                and message.script_finished != ForwardMsg.FINISHED_EARLY_FOR_RERUN
            ):
                self.state = "idle"


class Visit:
    """One person's use of a tab, with a record of everything that should not have happened.

    Attributes:
        page: the tab.
        problems: each error on the console, uncaught error, dialog that a script opened, request to
            another host, and what the app says of a fault of its own, in words.
    """

    def __init__(
        self,
        tab: Page,
        url: str,
        *,
        width: int = 1280,
        height: int = 800,
        theme: str = "light",
        reduced_motion: bool = False,
    ) -> None:
        """Take a tab, new or left by an earlier visit, and give it a size and a theme."""
        self.problems: list[str] = []
        self.url = url
        self.host = urlsplit(url).netloc
        self.page = tab
        self.page.set_viewport_size({"width": width, "height": height})
        self.page.emulate_media(
            color_scheme=theme, reduced_motion="reduce" if reduced_motion else "no-preference"
        )
        self.traffic = _traffic[tab] = Traffic()
        self.listeners = {
            "request": self.note_request,
            "console": self.note_console,
            "pageerror": self.note_error,
            "dialog": self.note_dialog,
            "websocket": self.note_websocket,
        }
        for event, listener in self.listeners.items():
            tab.on(event, listener)

    def open(self, path: str) -> Page:
        """Go to a path of the app and wait until the page has settled."""
        self.page.goto(self.url + path)
        settle(self.page)
        return self.page

    def leave(self) -> None:
        """Leave the tab empty, and nothing in the browser but the app's files."""
        for fault in self.page.locator(FAULT).all_inner_texts():
            self.problems.append(f"fault of the app: {fault}")
        for source in self.page.locator(UNREAD_FORMULA).all_text_contents():
            self.problems.append(f"formula that cannot be read: {source}")
        for event, listener in self.listeners.items():
            self.page.remove_listener(event, listener)
        self.page.evaluate(FORGET)
        self.page.mouse.move(0, 0)
        self.page.goto("about:blank")

    def note_request(self, request: Request) -> None:
        self.note_host(request.url)

    def note_host(self, url: str) -> None:
        # data: and blob: addresses have no host.
        if urlsplit(url).netloc not in ("", self.host) and not url.startswith("blob:"):
            self.problems.append(f"request to another host: {url}")

    def note_websocket(self, websocket: WebSocket) -> None:
        self.note_host(websocket.url)
        self.traffic.listen(websocket)

    def note_error(self, error: Error) -> None:
        self.problems.append(f"uncaught error: {error}")

    def note_dialog(self, dialog: Dialog) -> None:
        self.problems.append(f"dialog: {dialog.message}")
        dialog.dismiss()

    def note_console(self, message: ConsoleMessage) -> None:
        where = message.location["url"]
        if PROBE.fullmatch(urlsplit(where).path):
            return
        # Vega only warns when a chart has nothing to draw.
        if message.type == "error" or "Infinite extent" in message.text:
            self.problems.append(f"console {message.type}: {message.text} ({where})")


def settle(page: Page) -> None:
    """Wait until everything that the page has asked the server for is on the screen.

    Raises:
        TimeoutError: the page is still busy after 30 s.
    """
    traffic = _traffic[page]
    deadline = time.monotonic() + TIMEOUT_SECONDS
    while time.monotonic() < deadline:
        frames = traffic.frames
        page.wait_for_function(QUIET, arg=QUIET_MS, timeout=TIMEOUT_SECONDS * 1000)
        if traffic.state == "idle" and traffic.frames == frames:
            return
    raise TimeoutError(
        f"A page must settle within {TIMEOUT_SECONDS} s; got {page.url} still {traffic.state}. "
        "Try looking at the server's log."
    )


def resize(page: Page, width: int, height: int) -> None:
    """Give the window another size, if it has not got it, and wait until the page has settled."""
    if page.viewport_size != {"width": width, "height": height}:
        page.set_viewport_size({"width": width, "height": height})
        settle(page)
