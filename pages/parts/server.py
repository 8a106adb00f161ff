"""What the server does besides Streamlit's own work: it gets ready, and sends security headers."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib import import_module
from threading import Thread

import streamlit as st
from starlette.datastructures import MutableHeaders
from starlette.middleware import Middleware
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from pages.parts import turn

# Only what the app itself sends; docs/hosting.md says why each of the others is allowed.
_POLICY = {
    "default-src": "'none'",
    "script-src": "'self' blob: 'wasm-unsafe-eval' "
    "'sha256-THxz9J9+wf7rhwR2YkXJoSZ13UCmYyC+3lNDv2+8ugA='",
    "style-src": "'self' 'unsafe-inline'",
    "img-src": "'self' data:",
    "font-src": "'self' data:",
    "connect-src": "'self'",
    "base-uri": "'self'",
    "form-action": "'none'",
    "frame-ancestors": "'self'",
}
_UNUSED = ("camera", "display-capture", "geolocation", "microphone", "payment", "usb")
_NEEDED = ("pages.parts.share", "pages.parts.look", "pages.parts.overview.cards")
HEADERS = {
    "Content-Security-Policy": "; ".join(f"{what} {where}" for what, where in _POLICY.items()),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Permissions-Policy": ", ".join(f"{what}=()" for what in _UNUSED),
    "Cross-Origin-Opener-Policy": "same-origin",
}


@asynccontextmanager
async def lifespan(_: st.App) -> AsyncIterator[None]:
    """Load what every page needs while the first visitor's browser still loads its own files."""
    Thread(target=_load, daemon=True).start()
    yield


def _load() -> None:
    with turn.taken():  # a page that comes meanwhile needs the same, and waits for it
        for name in _NEEDED:
            import_module(name)


class SecurityHeaders:
    """Adds HEADERS to every answer."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(HEADERS)
            await send(message)

        await self._app(scope, receive, with_headers)


MIDDLEWARE = [Middleware(SecurityHeaders)]
