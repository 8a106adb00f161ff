"""One browser's side of Streamlit's websocket protocol, without a browser.

    →   rerun_script: the link, the page and what the widgets hold
    ←   new_session, deltas (elements), navigation, page_info_changed …, script_finished

An answer is no more tied to its request than that: a run that a newer request replaces ends with
FINISHED_EARLY_FOR_RERUN, and the last run to finish is the answer to the last request.
"""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qsl, urlencode

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed

CONNECT_SECONDS = 60
_SIDEBAR = 1  # the second of a page's roots
# A note about an earlier choice is no part of the scene, and goes with the replica.
_SHOWN = ("markdown", "heading", "code", "vega_lite_chart")


@dataclass(frozen=True)
class Widget:
    """A widget as the server drew it.

    kind: the element's name in the protocol, "slider" or "text_input".
    key: the name that the link knows it by, or "".
    fragment: the part of the page that alone reruns when this widget changes, or "".
    """

    kind: str
    proto: Any
    key: str
    fragment: str
    in_sidebar: bool


class Client:
    """A tab: it opens a link, sends what its visitor does and reads all that it is answered.

    Attributes:
        widgets: what the last run drew, by the server's id.
        pages: the hash of every page that the navigation offers, by its address.
        shown: the texts and charts of the last run, as bytes, by their places on the page.
        errors: exceptions that the server drew, in words.
        asked, answered: when the last request was sent and the last run finished, in seconds of
            `time.perf_counter`; answered is None while a request waits.
        bytes, messages: all that was received.
    """

    def __init__(self, url: str, page: str = "", query: str = "") -> None:
        self.url = url.replace("http", "ws", 1).rstrip("/") + "/_stcore/stream"
        self.query = query
        self.widgets: dict[str, Widget] = {}
        self.values: dict[str, Any] = {}
        self.pages: dict[str, str] = {}
        self.shown: dict[tuple[int, ...], bytes] = {}
        self.errors: list[str] = []
        self.cookies: dict[str, str] = {}
        self.asked, self.answered = 0.0, None
        self.bytes = self.messages = 0
        self._page, self._hash = page, ""
        self._drawn: dict[str, Widget] = {}
        self._shown: dict[tuple[int, ...], bytes] = {}
        self._is_running = False
        self._finished = asyncio.Event()

    async def open(self) -> None:
        """Connect, and from now on read whatever the server sends."""
        cookie = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        self._socket: ClientConnection = await connect(
            self.url,
            subprotocols=["streamlit"],
            additional_headers={"Cookie": cookie} if cookie else None,
            compression=None,  # as the server is set
            max_size=None,
            open_timeout=CONNECT_SECONDS,
            proxy=None,  # our own machine is never behind one
        )
        for given in self._socket.response.headers.get_all("Set-Cookie"):
            name, _, value = given.partition(";")[0].partition("=")
            self.cookies[name] = value
        self._reader = asyncio.create_task(self._read())

    async def close(self) -> None:
        """Leave, as somebody does who closes the tab."""
        self._reader.cancel()
        await asyncio.gather(self._reader, return_exceptions=True)
        await self._socket.close()

    async def is_lost(self, within: float) -> bool:
        """Whether the server ends the connection within so many seconds, or has ended it."""
        await asyncio.wait({self._reader}, timeout=within)
        return self._reader.done()

    async def rerun(self, fragment: str = "") -> None:
        """Ask for a run; `wait` waits for its end.

        Raises:
            ConnectionError: the server has ended the connection.
        """
        back = BackMsg()
        state = back.rerun_script
        state.query_string, state.page_script_hash = self.link(), self._hash
        state.page_name, state.fragment_id = self._page, fragment
        state.context_info.url = self.url.replace("ws", "http", 1)
        for name, (field, value) in self.values.items():
            widget = state.widget_states.widgets.add(id=name)
            if field.endswith("array_value"):
                getattr(widget, field).data.extend(value)
            else:
                setattr(widget, field, value)
        self._finished.clear()
        self.asked, self.answered = time.perf_counter(), None
        try:
            await self._socket.send(back.SerializeToString())
        except ConnectionClosed as closed:
            raise ConnectionError(f"The connection must stay open; got {closed}.") from closed

    async def wait(self, seconds: float) -> None:
        """Wait until the run has finished.

        Raises:
            TimeoutError: it has not, after so long.
            ConnectionError: the server has ended the connection.
        """
        finished = asyncio.create_task(self._finished.wait())
        try:
            done, _ = await asyncio.wait(
                {finished, self._reader}, timeout=seconds, return_when=asyncio.FIRST_COMPLETED
            )
        finally:
            finished.cancel()
        if finished in done:
            return
        if self._reader in done:
            raise ConnectionError(f"The connection must stay open; got {self._reader.exception()}.")
        raise TimeoutError(f"A run must finish within {seconds:g} s; got {self._page or 'a page'}.")

    def set(self, name: str, field: str, value: Any) -> str:
        """Let a widget hold a value, as a field of its state; returns the fragment to rerun."""
        self.values[name] = (field, value)
        return self.widgets[name].fragment

    def link(self) -> str:
        """What the address bar holds: what the server wrote there, and what bound widgets hold."""
        link = dict(parse_qsl(self.query, keep_blank_values=True))
        for name, (_, value) in self.values.items():
            widget = self.widgets.get(name)
            if widget and widget.key:
                one = value[0] if isinstance(value, list) else value
                link[widget.key] = f"{one:g}" if isinstance(one, float) else one
        return urlencode(link)

    def turn_to(self, address: str) -> None:
        """Choose another page: the sidebar's values stay in the link, the page's own do not."""
        sidebar = {name: widget for name, widget in self.widgets.items() if widget.in_sidebar}
        shared = {widget.key for widget in sidebar.values()}
        link = parse_qsl(self.link(), keep_blank_values=True)
        self.query = urlencode([(key, value) for key, value in link if key in shared])
        self.values = {name: value for name, value in self.values.items() if name in sidebar}
        self._page, self._hash = "", self.pages[address]

    async def _read(self) -> None:
        async for frame in self._socket:
            self.bytes += len(frame)
            self.messages += 1
            self._take(ForwardMsg.FromString(frame))
        raise ConnectionError("closed by the server")

    def _take(self, message: ForwardMsg) -> None:
        kind = message.WhichOneof("type")
        if kind == "new_session":
            self._is_running, self._drawn, self._shown = True, {}, {}
            self._hash = message.new_session.page_script_hash
        elif kind == "navigation":
            self._hash = message.navigation.page_script_hash
            self.pages = {
                page.url_pathname: page.page_script_hash for page in message.navigation.app_pages
            }
        elif kind == "page_info_changed":
            self.query = message.page_info_changed.query_string
        elif kind == "page_not_found":
            self.errors.append("page not found")
        elif kind == "delta":
            self._take_element(message)
        elif kind == "script_finished":
            self._take_end(message.script_finished)

    def _take_end(self, status: int) -> None:
        if status == ForwardMsg.FINISHED_WITH_COMPILE_ERROR:
            self.errors.append("compile error")
        if self._is_running and status != ForwardMsg.FINISHED_EARLY_FOR_RERUN:
            self._is_running = False
            # As in a browser: what a run has not drawn again stays until the run has finished.
            whole = status == ForwardMsg.FINISHED_SUCCESSFULLY
            self.widgets = self._drawn if whole else self.widgets | self._drawn
            self.shown = self._shown if whole else self.shown | self._shown
            self._page = ""  # from now on the page is known by its hash
            self.answered = time.perf_counter()
            self._finished.set()

    def _take_element(self, message: ForwardMsg) -> None:
        if message.delta.WhichOneof("type") != "new_element":
            return
        kind = message.delta.new_element.WhichOneof("type")
        proto = getattr(message.delta.new_element, kind)
        if kind == "exception":
            self.errors.append(f"{proto.type}: {proto.message}")
        elif kind in _SHOWN:
            self._shown[tuple(message.metadata.delta_path)] = proto.SerializeToString()
        if name := getattr(proto, "id", ""):
            if getattr(proto, "set_value", False):
                self._take_value(name, kind, proto)
            self._drawn[name] = Widget(
                kind,
                proto,
                getattr(proto, "query_param_key", ""),
                message.delta.fragment_id,
                message.metadata.delta_path[0] == _SIDEBAR,
            )

    def _take_value(self, name: str, kind: str, proto: Any) -> None:
        """The server moves a widget, to where a link says too: it holds that from then on."""
        if kind == "slider" and proto.options:
            self.values[name] = "string_array_value", list(proto.raw_value)
        elif kind == "slider":
            self.values[name] = "double_array_value", list(proto.value)
        elif kind == "text_input":
            self.values[name] = "string_value", proto.value
