"""The load test's own arithmetic, and what its visitors do, without a server."""

from __future__ import annotations

from random import Random

import pytest
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from tests.load import report
from tests.load.client import Client
from tests.load.crowd import Load
from tests.load.visitor import Interaction, Visitor


def drawn(kind: str, *, at: int = 0, fragment: str = "", **fields: object) -> ForwardMsg:
    message = ForwardMsg()
    message.metadata.delta_path.extend([at, 0])
    message.delta.fragment_id = fragment
    proto = getattr(message.delta.new_element, kind)
    for name, value in fields.items():
        if isinstance(value, list):
            getattr(proto, name).extend(value)
        else:
            setattr(proto, name, value)
    return message


def run(client: Client, *elements: ForwardMsg, end: int = ForwardMsg.FINISHED_SUCCESSFULLY) -> None:
    begin = ForwardMsg()
    begin.new_session.page_script_hash = "page"
    for message in (begin, *elements, ForwardMsg(script_finished=end)):
        client._take(message)


SLIDER = {"id": "s", "min": 0, "max": 10, "step": 1, "default": [3.0], "query_param_key": "width"}


def test_a_run_that_another_replaces_is_no_answer():
    client = Client("http://127.0.0.1:1")
    run(client, drawn("slider", **SLIDER), end=ForwardMsg.FINISHED_EARLY_FOR_RERUN)
    assert client.answered is None
    assert client.widgets == {}
    run(client, drawn("slider", **SLIDER))
    assert client.answered is not None
    assert list(client.widgets) == ["s"]


def test_a_fragment_leaves_the_rest_of_the_page():
    client = Client("http://127.0.0.1:1")
    run(client, drawn("slider", **SLIDER), drawn("text_input", id="t", fragment="f"))
    run(
        client,
        drawn("text_input", id="t", fragment="f"),
        end=ForwardMsg.FINISHED_FRAGMENT_RUN_SUCCESSFULLY,
    )
    assert set(client.widgets) == {"s", "t"}
    assert client.set("t", "string_value", "a") == "f"


def test_the_link_holds_what_bound_widgets_hold_and_what_the_server_moved():
    client = Client("http://127.0.0.1:1", query="tokens=a+b&width=2")
    run(client, drawn("slider", **SLIDER))
    client.set("s", "double_array_value", [4.0])
    assert client.link() == "tokens=a+b&width=4"
    run(client, drawn("slider", **SLIDER, set_value=True, value=[5.0]))
    assert client.link() == "tokens=a+b&width=5"


def test_only_the_sidebars_values_go_along_to_another_page():
    client = Client("http://127.0.0.1:1")
    run(client, drawn("slider", at=1, **SLIDER), drawn("text_input", id="t", query_param_key="own"))
    client.set("s", "double_array_value", [4.0])
    client.set("t", "string_value", "a")
    client.pages = {"other": "hash"}
    client.turn_to("other")
    assert client.link() == "width=4"


def test_an_error_on_a_page_is_noted():
    client = Client("http://127.0.0.1:1")
    run(client, drawn("exception", type="ValueError", message="no"))
    assert client.errors == ["ValueError: no"]


def test_a_slider_is_moved_to_where_it_is_not():
    visitor = Visitor("http://127.0.0.1:1", "", Random(0))
    visitor.client = Client(visitor.url)
    run(visitor.client, drawn("slider", **SLIDER | {"max": 1, "default": [0.0]}))
    (_, slider), *_ = visitor.sliders()
    assert visitor.elsewhere("s", slider) == [1.0]


def test_percentiles_and_growth():
    assert report.percentile([], 95) is None
    assert report.percentile([2.0], 95) == 2.0
    assert report.percentile(range(101), 95) == 95
    assert report.growth([(t, 100 + t / 30) for t in range(600)]) == pytest.approx(2)


def test_a_row_counts_what_was_not_answered():
    said = (Interaction("", "slider", 0.25, 3000), Interaction("", "words", None, 1000))
    load = Load(2, (), said, ("late",), 90, ((0, 100), (1, 120)), ((0, 118),), 0.5, 0.1, 0.02, 0)
    cells = dict(zip(report.HEAD, report.row("all", load, said), strict=True))
    assert (cells["interactions"], cells["unanswered"], cells["errors"]) == ("2", "1", "1")
    assert (cells["p95 ms"], cells["KB each"], cells["CPU ms each"]) == ("250", "2", "20")
    assert (cells["MB at most"], cells["MB after"]) == ("120", "118")


def test_a_report_takes_the_place_of_the_last_one(tmp_path):
    docs = tmp_path / "load.md"
    docs.write_text("a\n<!-- soak -->\nold\n<!-- end of soak -->\nz\n")
    report.publish("soak", "new", docs)
    assert docs.read_text() == "a\n<!-- soak -->\n\nnew\n\n<!-- end of soak -->\nz\n"
    with pytest.raises(ValueError, match=r"must hold <!-- climb --> and <!-- end of climb -->"):
        report.publish("climb", "new", docs)


def test_the_docs_have_a_place_for_every_report():
    text = report.DOCS.read_text("utf-8")
    for name in ("all pages", "climb", "soak"):
        assert text.index(f"<!-- {name} -->") < text.index(f"<!-- end of {name} -->")
