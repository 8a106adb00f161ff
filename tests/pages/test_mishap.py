"""An error that nobody caught: told in plain words, and without anything that a visitor typed."""

from __future__ import annotations

import io
import logging
from collections.abc import Iterator

import pytest
from streamlit import config, error_util
from streamlit.testing.v1 import AppTest

from pages.parts import mishap
from tests.pages.app import open_page, protos

SECRET = "a-secret-word"
DETAILS = "client.showErrorDetails"


def raises() -> None:
    """An app whose page, fragment or callback raises, as its link says."""
    import streamlit as st

    from pages.parts import mishap

    mishap.set_up()
    where = st.query_params["where"]

    def fail() -> None:
        word = st.query_params["tokens"]
        try:
            {}[word]
        except KeyError as error:
            raise ValueError(f"tokens must be words; got tokens={word}") from error

    @st.fragment
    def piece() -> None:
        st.button("Press in a fragment", on_click=lambda: None)
        if where == "fragment":
            fail()

    st.button("Press", on_click=fail if where == "callback" else None)
    piece()
    if where == "page":
        fail()


@pytest.fixture
def public() -> Iterator[None]:
    """As a server is that visitors use."""
    config.set_option(DETAILS, "none")
    yield
    config.set_option(DETAILS, "full")


@pytest.fixture
def log() -> Iterator[io.StringIO]:
    """What Streamlit writes into its log."""
    written = io.StringIO()
    handler = logging.StreamHandler(written)
    error_util._LOGGER.addHandler(handler)
    yield written
    error_util._LOGGER.removeHandler(handler)


def run(where: str) -> AppTest:
    app = AppTest.from_function(raises)
    app.query_params.update({"where": where, "tokens": SECRET, "causal": "false", "step": SECRET})
    app.run()
    if where == "callback":
        assert not app.error
        app.button[0].click().run()
    return app


def html(app: AppTest) -> str:
    (text,) = [proto.body for proto in protos(app) if proto.DESCRIPTOR.name == "Html"]
    return text


@pytest.mark.parametrize("where", ["page", "fragment", "callback"])
def test_an_uncaught_error_is_told_in_plain_words_and_logged_without_people_s_text(
    public, log, where
):
    app = run(where)
    assert not app.exception
    (told,) = app.error
    assert told.value.startswith("**This page has run into a fault of its own.**")
    shared = f"tokens={SECRET}&amp;causal=false"
    assert f'href="?{shared}">This page with your words' in html(app)
    assert 'href="./">The first page' in html(app)
    assert SECRET not in told.value + html(app).replace(shared, "")
    written = log.getvalue()
    assert SECRET not in written
    assert "ValueError; its message is left out" in written
    assert "KeyError; its message is left out" in written
    assert " in fail\n" in written


def test_words_that_are_markup_stay_in_the_address_of_the_link(public):
    app = AppTest.from_function(raises)
    app.query_params.update({"where": "page", "tokens": '"><img src=x onerror=alert(1)>'})
    assert "<img" not in html(app.run())


def test_whoever_edits_the_app_sees_the_whole_error(log):
    app = run("page")
    assert SECRET in app.exception[0].message
    assert SECRET in log.getvalue()


def test_a_page_of_the_app_that_raises_says_so(public, log, monkeypatch):
    def fail(*_: object) -> None:
        raise ValueError(SECRET)

    monkeypatch.setattr("pages.parts.chips.category_chips", fail)
    app = open_page("overview")
    assert len(app.error) == 1
    assert SECRET not in log.getvalue()
    assert "overview.py" in log.getvalue()


def test_an_error_in_the_log_names_what_came_before_it_once():
    try:
        try:
            raise KeyError(SECRET)
        except KeyError:
            raise ValueError(SECRET) from None
    except ValueError as error:
        (first, frame) = mishap.told(error)
    assert first.startswith("ValueError; ")
    assert frame.endswith("in test_an_error_in_the_log_names_what_came_before_it_once")
