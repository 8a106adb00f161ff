"""What the app keeps is bounded: by count in every cache, and by size in the server's settings."""

from __future__ import annotations

import ast
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest
from streamlit.byte_util import config_max_cache_data_size_to_bytes

from tests.pages.app import ROOT

FILES = sorted([*(ROOT / "pages").rglob("*.py"), *(ROOT / "mha").rglob("*.py")])
BOUND = {"cache_data": "max_entries", "cache_resource": "max_entries", "lru_cache": "maxsize"}
CACHES = (*BOUND, "cache")
MOST_MB = 64  # of the 600 that a process may take


def name_of(node: ast.expr) -> str:
    """The last part of what is called or named: `cache_data` of `st.cache_data(…)`."""
    node = node.func if isinstance(node, ast.Call) else node
    return getattr(node, "attr", getattr(node, "id", ""))


def unbounded(tree: ast.Module) -> Iterator[int]:
    """The lines where a cache is made that may grow for ever.

    A function without arguments has one answer, and needs no bound.
    """
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    plain = {id(d) for f in functions if not ast.unparse(f.args) for d in f.decorator_list}
    decorators = [d for f in functions for d in f.decorator_list]
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    for made in {id(node): node for node in (*decorators, *calls)}.values():
        if name_of(made) in CACHES and id(made) not in plain and not is_bounded(made):
            yield made.lineno


def is_bounded(made: ast.expr) -> bool:
    if not isinstance(made, ast.Call) or name_of(made) not in BOUND:
        return False
    word = BOUND[name_of(made)]
    bounds = [k.value for k in made.keywords if k.arg == word]
    if name_of(made) == "lru_cache":
        bounds += made.args
    return bool(bounds) and not any(isinstance(b, ast.Constant) and not b.value for b in bounds)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_every_cache_states_how_much_it_keeps(path: Path):
    assert list(unbounded(ast.parse(path.read_text("utf-8")))) == []


@pytest.mark.parametrize(
    "code",
    [
        "@st.cache_data\ndef f(x): ...",
        "@st.cache_data(show_spinner=False)\ndef f(x): ...",
        "g = st.cache_resource(f)",
        "@lru_cache(None)\ndef f(x): ...",
        "@cache\ndef f(x): ...",
        "@functools.lru_cache\ndef f(*x): ...",
    ],
)
def test_a_cache_without_a_bound_is_found(code):
    assert list(unbounded(ast.parse(code))) == [1]


@pytest.mark.parametrize(
    "code",
    [
        "@st.cache_data(max_entries=8)\ndef f(x): ...",
        "g = st.cache_data(f, max_entries=8)",
        "@lru_cache(8)\ndef f(x): ...",
        "@lru_cache(maxsize=MOST)\ndef f(x): ...",
        "@cache\ndef f(): ...",
    ],
)
def test_a_cache_with_a_bound_is_let_be(code):
    assert list(unbounded(ast.parse(code))) == []


def test_the_server_bounds_the_cached_data_by_size():
    server = tomllib.loads((ROOT / ".streamlit/config.toml").read_text("utf-8"))["server"]
    most = config_max_cache_data_size_to_bytes(server["maxCacheDataSize"])
    assert 0 < most <= MOST_MB * 1_000_000
