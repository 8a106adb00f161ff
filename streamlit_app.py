"""The door: page settings, navigation and the shared sidebar; then the page that was asked for."""

import streamlit as st

from pages.parts import bound, look, mishap, presenter, scene, share, tour, turn

with turn.taken():
    mishap.set_up()
    look.set_up()
    pages = scene.pages()
    page = st.navigation(pages)
    bound.arrive(page.url_path)
    scene.sidebar()
    share.buttons(page)
    tour.bar()
    with presenter.around(page, pages):
        page.run()
    bound.leave()
