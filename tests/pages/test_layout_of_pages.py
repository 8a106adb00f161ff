"""How the house is built: short pages that begin by `enter()`, and arrows that run one way."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from tests.pages.app import DOOR, PAGES, ROOT, open_page

MOST_LINES = 120

# What each room of mha may read of the others. A room that is not here yet is a gap in the plan.
MAY_READ: dict[str, set[str]] = {
    "checks": set(),
    "config": {"checks"},
    "sentence": {"checks"},
    "reference": {"checks"},
    "hand_built": {"checks", "reference", "sentence"},
    "layout": {"checks", "config"},
    "packing": {"layout"},
    "memory": set(),
    "module": {"checks", "config"},
    "origin": {"checks", "config", "module", "reference"},
    "ledger": {"checks", "config"},
    "ledger_tables": {"checks", "config", "ledger"},
    "census": {"config", "ledger", "module"},
    "models": {"checks", "config", "ledger"},
    "models_table": {"models"},
    "amounts": set(),
    "decoding": {"checks", "ledger", "module"},
    "cache_tables": {"amounts", "checks", "config", "ledger", "models"},
    "cache_marks": {"amounts", "cache_tables", "config", "models"},
    "scoring": {"checks"},
    "training": {"checks", "config", "module", "scoring"},
    "training_marks": {"scoring", "training"},
    "thumbnails": {
        *("amounts", "checks", "config", "hand_built", "ledger", "ledger_tables", "models"),
        "reference",
    },
    "pitfalls": {"checks", "reference", "module", "layout", "models"},
    "mask_doctor": {"checks"},
    # Tables know results, by the types that the rooms below hand out.
    "tables": {"checks", "hand_built", "reference", "sentence", "ledger", "layout", "scoring"},
    "charts": {"checks", "tables", "ledger_tables"},
    "export": {
        *("checks", "config", "sentence", "reference", "hand_built", "layout", "module"),
        *("ledger", "models", "cache_tables", "scoring", "training", "pitfalls", "mask_doctor"),
        "tables",
    },
}
FILES = sorted((ROOT / "mha").rglob("*.py"))
PARTS = sorted((ROOT / "pages" / "parts").rglob("*.py"))
PAGE_FILES = [ROOT / "pages" / f"{page}.py" for page in PAGES]


def short(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


each_page = pytest.mark.parametrize("path", PAGE_FILES, ids=short)
each_file_of_mha = pytest.mark.parametrize("path", FILES, ids=short)


@cache
def tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text("utf-8"))


def imported(path: Path) -> Iterator[str]:
    """The full names that a file imports, wherever in it the import stands."""
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{short(path)} imports relatively"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def packages(path: Path) -> set[str]:
    """The names of the outermost packages that a file imports."""
    return {name.split(".")[0] for name in imported(path)}


def room(path: Path) -> str:
    """The room of mha that a file belongs to; the door itself has no name."""
    first = path.relative_to(ROOT / "mha").parts[0].removesuffix(".py")
    return "" if first == "__init__" else first


def rooms_read(path: Path) -> set[str]:
    named = {name.split(".")[1] for name in imported(path) if name.startswith("mha.")}
    return named - {room(path)}


# Pages


@each_page
def test_a_page_is_short(path):
    assert len(path.read_text("utf-8").splitlines()) <= MOST_LINES


def calls(node: ast.AST) -> bool:
    return any(isinstance(inner, ast.Call) for inner in ast.walk(node))


@each_page
def test_a_page_begins_by_entering_the_scene(path):
    """Before `enter()` nothing runs but imports and constants, so that a cold link works."""
    first = next(
        node
        for node in tree(path).body
        if not isinstance(node, ast.Import | ast.ImportFrom) and calls(node)
    )
    assert ast.unparse(first) == "scene = enter()"
    assert "pages.parts.scene.enter" in set(imported(path))


def test_every_page_is_announced_under_its_file_s_stem():
    announced = {
        Path(page["script_path"]).stem: page["url_pathname"]
        for page in open_page()._registered_pages.values()
    }
    assert sorted(announced) == PAGES
    # One page answers at the root of the app.
    assert announced == {page: page if page != "overview" else "" for page in PAGES}


@pytest.mark.parametrize("path", [*PAGE_FILES, *PARTS, DOOR], ids=short)
def test_what_draws_a_page_builds_no_chart_of_its_own(path):
    assert not packages(path) & {"altair", "matplotlib", "tests"}


@pytest.mark.parametrize("path", [*PAGE_FILES, *PARTS], ids=short)
def test_torch_waits_until_the_page_is_painted(path):
    """It takes a second, and so is imported by the function that runs it."""
    for node in tree(path).body:
        if isinstance(node, ast.Import | ast.ImportFrom):
            assert not {"torch", "mha.module"} & set(ast.unparse(node).split())


@each_page
def test_a_page_holds_no_arithmetic(path):
    """Numbers come from mha: a page imports no NumPy and multiplies nothing."""
    assert not packages(path) & {"numpy", "pandas", "math"}
    operators = (ast.Mult, ast.Div, ast.FloorDiv, ast.MatMult, ast.Pow, ast.Mod)
    assert not [
        ast.unparse(node)
        for node in ast.walk(tree(path))
        if isinstance(node, ast.BinOp) and isinstance(node.op, operators)
    ]


@pytest.mark.parametrize("path", PARTS, ids=short)
def test_parts_do_not_read_the_pages_they_serve(path):
    assert all(
        name.startswith("pages.parts") for name in imported(path) if name.startswith("pages")
    )


# The core


@each_file_of_mha
def test_the_core_knows_nothing_of_the_app(path):
    assert not packages(path) & {"streamlit", "pages", "tests"}


@each_file_of_mha
def test_only_charts_imports_altair(path):
    assert "altair" not in packages(path) or room(path) == "charts"


@each_file_of_mha
def test_a_room_reads_only_what_the_plan_allows(path):
    if room(path) == "":
        assert not rooms_read(path)
    else:
        assert room(path) in MAY_READ
        assert rooms_read(path) <= MAY_READ[room(path)]


def test_the_plan_s_arrows_run_one_way():
    left = {name: set(reads) for name, reads in MAY_READ.items()}
    while left:
        free = {name for name, reads in left.items() if not reads & set(left)}
        assert free, f"rooms that may read each other: {sorted(left)}"
        left = {name: reads for name, reads in left.items() if name not in free}


def test_no_file_is_a_drawer_for_odds_and_ends():
    names = {path.stem for path in [*FILES, *PARTS, *PAGE_FILES]}
    assert not names & {"utils", "helpers", "common", "misc"}
