"""Sharing a view: its link says everything, its code says the link; and the stops of the lesson."""

from __future__ import annotations

import string
from urllib.parse import parse_qs, urlsplit

import pytest
import segno
import streamlit as st
import zxingcpp
from hypothesis import example, given, settings
from hypothesis import strategies as draw
from PIL import Image

from pages.parts import tour
from pages.parts.scene import SHARED_KEYS
from pages.parts.share.link import MOST_BYTES, QUIET_ZONE, is_local, qr_code
from tests.pages.app import (
    HEADS,
    PAGES,
    component,
    components,
    keys_of_the_link,
    notes,
    open_page,
    tell,
)

ORIGIN = "https://talks.example/attention"


def press(app, label):
    """Press one of the two buttons at the end of the sidebar."""
    (button,) = [button for button in app.sidebar.button if button.label == label]
    return button.click().run()


def added(app) -> str:
    """The link that the tour is offered for the view."""
    return component(press(app, "Add this view"), "tour_add")["link"]


def shared(app) -> str:
    """The link that is shown to be copied."""
    (link,) = [code.value for code in app.code if code.value.startswith(ORIGIN)]
    return link


def keys(link: str) -> dict[str, list[str]]:
    return parse_qs(urlsplit(link).query, keep_blank_values=True, strict_parsing=True)


def address(link: str) -> str:
    """The name of the page that a link within the app opens."""
    return urlsplit(link).path.removeprefix("/") or "overview"


@pytest.fixture
def served(monkeypatch):
    """The app as a browser has it that came to it by way of a proxy."""
    monkeypatch.setattr(type(st.context), "url", f"{ORIGIN}/{HEADS}")


# The link


@pytest.mark.parametrize("page", PAGES)
def test_the_link_names_its_page_and_every_key_that_the_page_keeps_there(page):
    app = open_page(page)
    link = added(app)
    assert address(link) == page
    # Whether one presents is written where one does.
    assert set(keys(link)) == {*SHARED_KEYS, *keys_of_the_link(app)} - {"present"}


FULL = {
    "tokens": "a=b a&b a+b ?# 雨衣 %41",
    "categories": "210021",
    "d_model": "6",
    "heads": "3",
    "causal": "false",
    "step": "Predict",
    "left": "n back",
    "back_left": "3",
    "sharp_left": "9.5",
    "right": "nearest of a category",
    "category_right": "filler",
    "sharp_right": "0.5",
    "view": "Lines",
    "own": "Q:0,0=6 K:1,0=-2.5",
    "query": "雨衣",
    "key": "",
    "guess_side": "Head 2",
    "guess": "?#",
    "reveal": "true",
}


@pytest.mark.parametrize(
    ("page", "link"),
    [
        (HEADS, FULL),
        ("training", {"train_tasks": ["copy", "brackets"], "train_size": "64 numbers, 4 heads"}),
        ("training", {"train_tasks": ""}),
        ("real_models", {"context": "16777216", "format": "4 bits", "model_kv": "2"}),
        ("parameters", {"width": "", "bias": "true", "kv_heads": "2"}),
        ("fused_module", {"at": "weights", "batch": "2", "seed": "9999", "causal": "false"}),
    ],
)
def test_a_view_s_link_gives_the_same_link_again_and_what_was_asked(page, link):
    app = open_page(page, **link)
    told = [warning.value for warning in app.warning]  # of a guess, or of nothing to train
    first = added(app)
    for key, value in link.items():
        assert keys(first)[key] == (value if isinstance(value, list) else [value])
    again = open_page(page, **keys(first))
    assert [warning.value for warning in again.warning] == told
    assert not notes(again)
    assert added(again) == first


def test_the_link_says_what_is_set_now_and_not_what_the_address_said():
    app = open_page(HEADS, tokens="a b c", step="Matrices", side="Head 2")
    assert keys(added(app))["side"] == ["Head 2"]
    app.segmented_control(key="step").set_value("Predict").run()
    app.toggle(key="causal").set_value(False).run()
    app.text_input(key="tokens").set_value("a b c d").run()
    got = keys(added(app))
    assert (got["step"], got["causal"], got["tokens"]) == (["Predict"], ["false"], ["a b c d"])
    assert "side" not in got
    assert got["guess_side"] == ["Head 1"]


def test_a_page_that_stops_early_still_says_its_keys():
    """Without a task there is nothing to train, and the page ends before its last line."""
    app = open_page("training")
    app.pills(key="train_tasks").set_value([]).run()
    assert keys(added(app))["train_tasks"] == [""]
    assert not open_page("training", **keys(added(app))).exception


@pytest.mark.parametrize(("given", "kept"), [("true", ["true"]), ("false", None), (None, None)])
def test_presenter_mode_goes_with_the_link_where_it_is_on(given, kept):
    app = open_page(HEADS, **({} if given is None else {"present": given}))
    assert keys(added(app)).get("present") == kept


@pytest.mark.usefixtures("served")
def test_the_address_is_the_browser_s_and_the_query_the_view_s():
    app = open_page(HEADS, tokens="a b")
    press(app, "Share")
    link = shared(app)
    assert link.startswith(f"{ORIGIN}/{HEADS}?tokens=a+b&")
    assert link.endswith(added(app).removeprefix(f"/{HEADS}"))


@pytest.mark.parametrize(
    "host",
    ["localhost", "localhost:8501", "app.localhost", "127.0.0.1:8501", "127.8.0.1", "[::1]:80",
     "0.0.0.0:8501", "[::]"],
)  # fmt: skip
def test_an_address_of_this_machine_alone_is_known(host):
    assert is_local(f"http://{host}/split_merge?heads=2")


@pytest.mark.parametrize(
    "host", ["talks.example", "localhost.example", "192.168.1.20:8501", "[fe80::1]", "10.0.0.1"]
)
def test_an_address_that_others_may_reach_is_known(host):
    assert not is_local(f"https://{host}/?tokens=localhost+127.0.0.1")


def test_whoever_shares_this_machine_s_address_is_told(monkeypatch):
    monkeypatch.setattr(type(st.context), "url", "http://localhost:8501/")
    app = press(open_page("overview"), "Share")
    (told,) = [warning.value for warning in app.warning]
    assert told == (
        "This address opens on this machine only: listeners cannot use it. Open the app at the "
        "machine’s address in the network (its server prints it as *Network URL* when it starts), "
        "then share again."
    )


@pytest.mark.usefixtures("served")
def test_nobody_is_told_of_an_address_that_others_reach():
    app = press(open_page("overview"), "Share")
    assert not app.warning
    assert not app.info


# The code

urls = draw.text(string.ascii_letters + string.digits + "%+=&?-_./:", max_size=MOST_BYTES - 30)


@settings(max_examples=25, deadline=None)
@given(urls.map(f"{ORIGIN}/?".__add__))
@example(f"{ORIGIN}/?".ljust(MOST_BYTES, "x"))
def test_a_code_holds_the_link(link):
    qr = qr_code(link)
    (read,) = zxingcpp.read_barcodes(picture(qr))
    assert read.text == link


def picture(qr: segno.QRCode, *, scale: int = 2) -> Image.Image:
    modules = [list(row) for row in qr.matrix_iter(scale=scale, border=QUIET_ZONE)]
    image = Image.new("L", (len(modules), len(modules)))
    image.putdata([0 if module else 255 for row in modules for module in row])
    return image


def test_a_link_too_long_for_a_code_says_so():
    with pytest.raises(ValueError, match="must hold") as told:
        qr_code("x" * (MOST_BYTES + 1))
    assert str(told.value) == (
        "A QR code must hold at most 2,953 bytes; got a link of 2,954. "
        "Try fewer or shorter words, or hand on the link itself."
    )


@pytest.mark.usefixtures("served")
def test_a_link_too_long_for_a_code_is_given_all_the_same():
    app = press(open_page(tokens=" ".join(["雨" * 24] * 16)), "Share")
    assert len(shared(app)) > MOST_BYTES
    (told,) = app.warning
    assert told.value.startswith("A QR code must hold at most 2,953 bytes; got a link of ")
    assert not [html for html in app.get("html") if "img" in html.proto.body]


@pytest.mark.usefixtures("served")
def test_a_fine_code_says_so():
    app = press(open_page(tokens=" ".join(f"quite-long-{i}" for i in range(20))), "Share")
    (told,) = app.info
    assert told.value == (
        "A long link makes a fine code: from the last rows a phone may have to come closer. "
        "Fewer words make it coarser."
    )


# The lesson as a tour

STOPS = tour.default()


def test_the_lesson_is_told_in_about_fifteen_stops():
    assert 13 <= len(STOPS) <= 17
    assert all(set(stop) == {"link", "note"} for stop in STOPS)
    assert all(1 < len(stop["note"]) <= 200 for stop in STOPS)


@pytest.mark.parametrize("stop", STOPS, ids=lambda stop: stop["note"][:40])
def test_a_stop_of_the_lesson_opens_and_is_what_its_link_says(stop):
    given = keys(stop["link"])
    app = open_page(address(stop["link"]), **given)
    assert not [*app.exception, *app.error, *app.warning]
    assert given.keys() <= {*SHARED_KEYS, *keys_of_the_link(app)}
    assert given.items() <= keys(added(app)).items()


def test_the_tour_s_page_and_the_first_are_sent_the_lesson():
    assert component(open_page("tour"), "tour_editor")["lesson"] == STOPS
    assert component(open_page("overview"), "tour_start")["lesson"] == STOPS


def test_the_bar_is_sent_only_to_a_tab_that_plays_a_tour():
    app = open_page()
    assert not components(app, "tour_bar")
    (watch,) = components(app, "tour_watch")
    tell(app, watch.proto.id, "json_value", {"plays": True})
    paths = [page["path"] for page in component(app, "tour_bar")["pages"]]
    assert sorted(path or "overview" for path in paths) == PAGES


@pytest.mark.parametrize("value", [{"plays": "true"}, {"plays": 1}, {}, {"x": True}])
def test_what_is_no_tour_gets_no_bar(value):
    app = open_page()
    (watch,) = components(app, "tour_watch")
    tell(app, watch.proto.id, "json_value", value)
    assert not app.exception
    assert not components(app, "tour_bar")
