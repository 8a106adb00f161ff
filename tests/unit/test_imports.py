"""What an import pulls in, seen in a fresh process, and which way the arrows run."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from functools import lru_cache
from pathlib import Path

import pytest

import mha

HOUSE = Path(mha.__file__).parent
MODULES = sorted(
    ".".join(path.relative_to(HOUSE.parent).with_suffix("").parts).removesuffix(".__init__")
    for path in HOUSE.rglob("*.py")
)

# The rooms that train or run PyTorch; a page that opens none of them must not pay for it.
TORCH = ("module", "decoding", "training", "pitfalls", "mask_doctor")
PULLED_IN = """
import importlib, json, sys
importlib.import_module(sys.argv[1])
print(json.dumps(list(sys.modules)))
"""
FIRST_TO_PULL_IN = """
import importlib, sys
_, name, *modules = sys.argv
for module in modules:
    importlib.import_module(module)
    if name in sys.modules:
        print(module, end="")
        break
"""
HEAVY = ("torch", "pandas", "altair", "matplotlib")


def room(module: str) -> str:
    """`mha.hand_built.heads` → `hand_built`; the door itself has no name."""
    return module.split(".")[1] if "." in module else ""


def in_a_fresh_python(code: str, *args: str) -> str:
    """What the code prints in a process that has imported nothing of ours."""
    run = subprocess.run(
        [sys.executable, "-c", code, *args],
        capture_output=True,
        text=True,
        check=True,
        cwd=HOUSE.parent,
    )
    return run.stdout


def pulled_in(module: str) -> set[str]:
    """The names of all that a fresh Python holds once it has imported this."""
    return set(json.loads(in_a_fresh_python(PULLED_IN, module)))


def first_to_pull_in(name: str, modules: list[str]) -> str:
    """The first of the modules, imported one after another, that brings this; "" if none does."""
    return in_a_fresh_python(FIRST_TO_PULL_IN, name, *modules)


@lru_cache(None)
def imports(module: str) -> set[str]:
    """The modules that a module names in its import statements, wherever in the file."""
    path = HOUSE.parent.joinpath(*module.split("."))
    path = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
    named: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            named |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{module} imports relatively"
            named.add(node.module)
            named |= {f"{node.module}.{alias.name}" for alias in node.names}
    return named


def rooms_read(name: str) -> set[str]:
    """The other rooms that a room imports."""
    named = set().union(*[imports(module) for module in MODULES if room(module) == name])
    return {room(n) for n in named if n.split(".")[0] == "mha"} - {name, ""}


def test_no_module_imports_streamlit():
    assert first_to_pull_in("streamlit", MODULES) == ""


def test_who_needs_no_torch_does_not_pay_for_it():
    without = [module for module in MODULES if room(module) not in TORCH]
    assert first_to_pull_in("torch", without) == ""
    assert first_to_pull_in("torch", [*without, "mha.module"]) == "mha.module"


@pytest.mark.parametrize("module", ["mha", "mha.reference", "mha.hand_built", "mha.sentence"])
def test_the_core_needs_numpy_alone(module):
    assert not {name for name in HEAVY if name in pulled_in(module)}


@pytest.mark.parametrize("module", [m for m in MODULES if room(m) != "charts"])
def test_only_charts_imports_altair(module):
    assert not {name for name in imports(module) if name.split(".")[0] == "altair"}


def test_arrows_run_one_way():
    reads = {name: rooms_read(name) for name in {room(module) for module in MODULES}}
    while reads:
        free = {name for name, others in reads.items() if not others & set(reads)}
        assert free, f"rooms that import each other: {sorted(reads)}"
        reads = {name: others for name, others in reads.items() if name not in free}


def test_what_others_are_held_to_reads_nothing_but_checks():
    assert rooms_read("reference") == {"checks"}
    assert rooms_read("checks") == set()
