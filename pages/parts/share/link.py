"""The link that restores a view whole, and its QR code.

The address bar holds what differs from the defaults. A link that is handed on writes everything
out, so that it shows the same when a default has changed.
"""

from __future__ import annotations

from ipaddress import ip_address
from urllib.parse import urlencode, urlsplit

import segno
import streamlit as st

from pages.parts import bound
from pages.parts.scene import SHARED_KEYS

MOST_BYTES = 2953  # of a QR code: version 40, error correction L. Source: ISO/IEC 18004, table 7
# 69 modules a side, 425 bytes. On a screen 1,080 pixels high and 5.5 times its height away, a
# module that takes 11 of those pixels is almost 4 of a phone's picture: 1,920 over 69 degrees.
FINEST_VERSION_READ_FROM_THE_LAST_ROW = 13
QUIET_ZONE = 4  # modules of white around the code
# How the app is shown and not what: only told where it is on.
_MODES = ("present",)


def page_link(page: st.Page) -> str:
    """The view as a link within the app: `/split_merge?tokens=a+b&…`."""
    view = {key: st.session_state[key] for key in SHARED_KEYS}
    view |= {"causal": str(view["causal"]).lower()}
    view |= bound.values()
    for mode in _MODES:
        view.pop(mode, None)
        if str(st.session_state.get(mode, st.query_params.get(mode))).lower() == "true":
            view[mode] = "true"
    return f"/{page.url_path}?{urlencode(view, doseq=True)}"


def full_link(page: st.Page) -> str:
    """The same with the address at which the visitor's browser has the app."""
    _, _, query = page_link(page).partition("?")
    return f"{st.context.url}?{query}"


def is_local(link: str) -> bool:
    """Whether the address means the machine on which it is opened."""
    host = urlsplit(link).hostname or ""
    try:
        address = ip_address(host)
    except ValueError:  # a name
        return host == "localhost" or host.endswith(".localhost")
    return address.is_loopback or address.is_unspecified


def qr_code(link: str) -> segno.QRCode:
    """The link as the smallest QR code that holds it.

    Raises:
        ValueError: the link has more bytes than a QR code holds.
    """
    size = len(link.encode())
    if size > MOST_BYTES:
        raise ValueError(
            f"A QR code must hold at most {MOST_BYTES:,} bytes; got a link of {size:,}. "
            "Try fewer or shorter words, or hand on the link itself."
        )
    return segno.make_qr(link, error="L")
