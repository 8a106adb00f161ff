"""The door: the server, once; then, run after run, the sidebar and the page that was asked for.

`streamlit run` reads this file twice: under its own name for the server that it is to start, and as
`__main__` for every run of a visitor's.
"""

import streamlit as st

if __name__ == "__main__":
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
else:
    from pages.parts import server

    app = st.App(__file__, lifespan=server.lifespan, middleware=server.MIDDLEWARE)
