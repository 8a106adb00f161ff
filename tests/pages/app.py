"""The app as a visitor opens it, without a browser: what a page sends, read back as numbers.

AppTest runs the app's own scripts. A few things that a page may do are beyond it, such as a click
on a chart; `tell` says to the app what a browser would say.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import pandas as pd
from google.protobuf.message import Message
from streamlit import config
from streamlit.components.v2.component_manager import BidiComponentManager
from streamlit.dataframe_util import convert_arrow_bytes_to_pandas_df
from streamlit.runtime.pages_manager import PagesManager
from streamlit.testing.v1 import AppTest, app_test

from pages.parts import scene
from pages.parts.scene import Scene

ROOT = Path(scene.__file__).parents[2]
DOOR = ROOT / "streamlit_app.py"
HEADS = "hand_built_heads"
PAGES = sorted(path.stem for path in (ROOT / "pages").glob("*.py"))
JOINER = "\N{WORD JOINER}"
RUN_SECONDS = 60  # a busy machine is not a failure


class _Forgetful(PagesManager):
    """Takes what AppTest forgets before each run, so that the server's own manager does not."""


def _find_nothing(*_: object, **__: object) -> None:
    pass


@contextmanager
def on_a_visited_server() -> Iterator[None]:
    """Let every run inside happen on a server that somebody has visited.

    A server learns at its first visit that the app names its pages itself, and keeps that. AppTest
    makes it forget before every run, so that each would begin as the first on a fresh server does.
    It also looks through every installed package for components, anew for every visitor; the app
    has its own components only. An error is shown whole, so that tests find it.
    """
    config.set_option("client.showErrorDetails", "full")
    with (
        patch.object(BidiComponentManager, "discover_and_register_components", _find_nothing),
        patch.object(app_test, "PagesManager", _Forgetful),
        patch.object(PagesManager, "uses_pages_directory", False),
    ):
        yield


def open_page(page: str = HEADS, /, **link: Any) -> AppTest:
    """Open a page by a link: `open_page("overview", tokens="a b", heads=2)`."""
    app = AppTest.from_file(str(DOOR), default_timeout=RUN_SECONDS)
    go_to(app, page)
    app.query_params.update({key: _in_a_link(value) for key, value in link.items()})
    return app.run()


def go_to(app: AppTest, page: str) -> AppTest:
    """Ask for another page; the next run shows it."""
    return app.switch_page(f"pages/{page}.py")


def scene_of(app: AppTest) -> Scene:
    return app.session_state["scene"]


def sidebar(app: AppTest) -> dict[str, Any]:
    """What the shared widgets show, by the key that each has in the link."""
    return {
        "tokens": app.text_input(key="tokens").value,
        "categories": app.text_input(key="categories").value,
        "d_model": app.slider(key="d_model").value,
        "heads": app.select_slider(key="heads").value,
        "causal": app.toggle(key="causal").value,
    }


def notes(app: AppTest) -> list[str]:
    """The messages in the sidebar, as they were before they were made safe for Markdown."""
    return [read(warning.value) for warning in app.sidebar.warning]


def read(markdown: str) -> str:
    """What Markdown shows of a text that `plain` has escaped, but for signs that have no width."""
    shown = []
    escaped = False
    for character in markdown:
        if character == "\\" and not escaped:
            escaped = True
            continue
        shown.append(character)
        escaped = False
    return "".join(shown).replace(JOINER, "")


def charts(app: AppTest, key: str | None = None) -> list[Any]:
    """The charts whose key begins so; without a key, the charts that have none."""
    found = app.get("vega_lite_chart")
    if key is None:
        return [chart for chart in found if chart.key is None]
    return [chart for chart in found if (chart.key or "").startswith(key)]


def weights_of(app: AppTest, side: str) -> Any:
    """The one picture of the head on this side."""
    (chart,) = charts(app, f"weights_{side}")
    return chart


def table_of(chart: Any) -> pd.DataFrame:
    """The table that the chart was sent, whichever way it was sent."""
    tables = [chart.proto.data.data, *(named.data.data for named in chart.proto.datasets)]
    (table,) = [convert_arrow_bytes_to_pandas_df(data) for data in tables if data]
    return table


def grid(table: pd.DataFrame, value: str, row: str = "query", column: str = "key") -> np.ndarray:
    """A tidy table's column as the matrix that it was."""
    square = table.pivot(index=row, columns=column, values=value)
    assert list(square.index) == list(range(len(square.index)))
    assert list(square.columns) == list(range(len(square.columns)))
    return square.to_numpy()


def tell(app: AppTest, widget_id: str, kind: str, value: Any) -> AppTest:
    """Run the app with one more widget's state, as a browser sends it.

    kind: the field of the state that the widget reads: "string_value", "json_trigger_value".
    """
    states = app._tree.get_widget_states()
    state = states.widgets.add()
    state.id = widget_id
    setattr(state, kind, json.dumps(value))
    return app._run(states)


def click(app: AppTest, side: str, **cell: Any) -> AppTest:
    """Click on a cell of a head's picture: `click(app, "left", query=3, key=2)`."""
    return tell(
        app, weights_of(app, side).proto.id, "string_value", {"selection": {"cell": [cell]}}
    )


def components(app: AppTest, name: str) -> list[Any]:
    """Our own components of this name on the page."""
    return [c for c in app.get("bidi_component") if c.proto.component_name == f"mha_{name}"]


def component(app: AppTest, name: str) -> dict[str, Any]:
    """What the one component of this name was sent."""
    (one,) = components(app, name)
    return json.loads(one.proto.json)


def keys_of_the_link(app: AppTest) -> set[str]:
    """The keys that the browser keeps in the link."""
    return {key for proto in protos(app) if (key := getattr(proto, "query_param_key", ""))}


def chips(app: AppTest) -> list[dict[str, Any]]:
    """The words of the row of buttons, each with its category."""
    return component(app, "chips")["words"]


def press_chip(app: AppTest, position: Any) -> AppTest:
    """Press the button of the word at this position."""
    (chips,) = components(app, "chips")
    pressed = [{"event": "pressed", "value": position}]
    return tell(
        app, f"$$STREAMLIT_INTERNAL_KEY_{chips.proto.id}__events", "json_trigger_value", pressed
    )


def edit(app: AppTest, matrix: str, row: int, name: str, number: float | None) -> AppTest:
    """Type a number into the table of one's own W_Q or W_K."""
    (table,) = [t for t in app.data_editor if t.key.startswith(f"edit_{matrix}_")]
    change = {"edited_rows": {str(row): {name: number}}, "added_rows": [], "deleted_rows": []}
    return tell(app, table.proto.id, "string_value", change)


def markdown(app: AppTest) -> Iterator[str]:
    """Every text on the page that the browser reads as Markdown."""
    for proto in protos(app):
        name = proto.DESCRIPTOR.name
        fields = {field.name for field in proto.DESCRIPTOR.fields}
        for field in ("body", "label", "help", "text", "caption"):
            # Code shows its text as it is, and so does the element that is called text.
            if field in fields and name not in ("Code", "Text", "Html"):
                value = getattr(proto, field)
                yield value if isinstance(value, str) else str(value)


def protos(app: AppTest) -> Iterator[Message]:
    """What was sent for every element and block of the page, the sidebar's included."""
    for node in app:
        proto = getattr(node, "proto", None)
        if proto is not None:
            yield proto


def bytes_sent(app: AppTest) -> int:
    return sum(proto.ByteSize() for proto in protos(app))


def bytes_of_all_but(app: AppTest, key: str) -> list[bytes]:
    """What was sent, but for the widgets whose key begins so."""
    sent = []
    for node in app:
        proto = getattr(node, "proto", None)
        if proto is not None and not (getattr(node, "key", None) or "").startswith(key):
            sent.append(proto.SerializeToString(deterministic=True))
    return sent


def _in_a_link(value: Any) -> Any:
    if isinstance(value, bool):
        return str(value).lower()
    return value if isinstance(value, list) else str(value)
