"""The tour of a talk: its stops in order, each a link and a line of notes."""

import streamlit as st

from pages.parts import tour
from pages.parts.scene import enter

scene = enter()
st.title("Tour")
st.markdown(
    "A talk as a list of views. Go to any page, set it as you need it, and press **Add this view** "
    "in the sidebar. While the tour plays, a bar at the bottom has your notes and goes from stop "
    "to stop."
)
tour.editor()
st.markdown(
    "This browser keeps the tour; the server has none of it. To take it elsewhere, save it as a "
    "file and load it there. A hand-out is the list as plain text, to print or to send."
)
