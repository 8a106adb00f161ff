"""The overview: a door for each kind of visitor, and a card with a picture for every page."""

from __future__ import annotations

import pytest

from pages.parts.overview.pictures import PICTURES
from tests.pages.app import PAGES, charts, go_to, open_page, protos, table_of

PAGE = "overview"


def links(app) -> list[str]:
    return [proto.page for proto in protos(app) if proto.DESCRIPTOR.name == "PageLink"]


def test_every_other_page_has_a_card_and_three_doors_lead_on():
    app = open_page(PAGE)
    others = set(PAGES) - {PAGE}
    assert set(links(app)[3:]) == others
    assert len(links(app)[3:]) == len(others)
    assert set(links(app)[:3]) <= others
    for who in ("Lecturing?", "Learning?", "Checking your own code?"):
        assert [text for text in app.main.markdown if text.value.startswith(f"**{who}**")]


def test_every_picture_says_what_it_shows():
    app = open_page(PAGE, tokens=" ".join(f"w{n}" for n in range(20)), d_model=12, heads=3)
    alts = [chart.proto.alt for chart in charts(app)]
    assert len(set(alts)) == len(PICTURES)
    said = " ".join(alts)
    for part in ("the first 12 of 20", "12 numbers of each of 20 tokens", "3 heads", "divides 12"):
        assert part in said


@pytest.mark.parametrize(
    ("link", "changed"),
    [
        ({"tokens": "a b a light c d"}, [0]),
        ({"causal": "false"}, [0]),
        ({"heads": "8"}, [2, 3]),
        ({"d_model": "64"}, [2, 3, 4]),
        ({"tokens": "a b"}, [0, 2, 3, 6]),
    ],
)
def test_the_pictures_follow_the_words_and_sizes_that_they_are_made_of(link, changed):
    before, after = (
        [table_of(chart) for chart in charts(app)]
        for app in (open_page(PAGE), open_page(PAGE, **link))
    )
    assert [n for n in range(7) if not after[n].equals(before[n])] == changed


def test_a_picture_that_is_sent_again_is_the_one_of_the_visitor_s_own_words():
    mine, theirs = open_page(PAGE, tokens="a b a"), open_page(PAGE, tokens="light b b")
    again = open_page(PAGE, tokens="a b a")
    assert [c.proto.SerializeToString() for c in charts(again)] == [
        c.proto.SerializeToString() for c in charts(mine)
    ]
    assert not table_of(charts(theirs)[0]).equals(table_of(charts(mine)[0]))


def test_the_links_keep_the_scene():
    app = open_page(PAGE, tokens="a b", heads=2)
    go_to(app, "parameters").run()
    assert app.query_params == {"tokens": "a b", "heads": "2"}
