"""The door: page settings, navigation and the shared sidebar; then the page that was asked for."""

import streamlit as st

from pages.parts import bound, look, mishap, scene

mishap.set_up()
look.set_up()
page = st.navigation(scene.pages())
bound.arrive(page.url_path)
scene.sidebar()
page.run()
