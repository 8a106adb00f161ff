"""Share: the full link of the current view, to be copied, and as a QR code for a whole room."""

from __future__ import annotations

from pathlib import Path

import segno
import streamlit as st

from pages.parts import tour
from pages.parts.share.link import (
    FINEST_VERSION_READ_FROM_THE_LAST_ROW,
    QUIET_ZONE,
    full_link,
    is_local,
    page_link,
    qr_code,
)

_STYLE = Path(__file__).with_name("share.css")


def buttons(page: st.Page) -> None:
    """Draw what hands the current view on, below the sidebar's widgets."""
    with st.sidebar, st.container(key="hand_on", horizontal=True):
        shares = st.button("Share", help="The link of this view, and its QR code.")
        adds = st.button("Add this view", help="To the tour, as its next stop.")
    if shares:
        _share(full_link(page))
    if adds:
        tour.add(page_link(page), page.title)


@st.dialog("Share this view", width="large")
def _share(link: str) -> None:
    st.html(_STYLE)
    code_place, words_place = st.columns([7, 3], gap="medium")
    with words_place:
        st.markdown("Whoever opens this link, or points a phone at the code, sees this view.")
        st.code(link, language=None, wrap_lines=True)
        if is_local(link):
            st.warning(
                "This address opens on this machine only: listeners cannot use it. Open the app at "
                "the machine’s address in the network (its server prints it as *Network URL* when "
                "it starts), then share again.",
                icon=":material/info:",
            )
    with code_place:
        try:
            code = qr_code(link)
        except ValueError as fault:
            words_place.warning(str(fault), icon=":material/info:")
            return
        _draw(code)
    if code.version > FINEST_VERSION_READ_FROM_THE_LAST_ROW:
        words_place.info(
            "A long link makes a fine code: from the last rows a phone may have to come closer. "
            "Fewer words make it coarser.",
            icon=":material/info:",
        )


def _draw(code: segno.QRCode) -> None:
    """Black on white in either theme, quiet zone included: readers expect it so."""
    drawing = code.svg_data_uri(border=QUIET_ZONE, light="#fff", omitsize=True)
    st.html(f'<img class="qr" alt="QR code of the link" src="{drawing}">')
