"""The door: page settings, navigation and the shared sidebar; then the page that was asked for."""

import streamlit as st

from pages.parts import bound, look, scene, share, tour

look.set_up()
page = st.navigation(scene.pages())
bound.arrive(page.url_path)
scene.sidebar()
share.buttons(page)
tour.bar()
page.run()
bound.leave()
