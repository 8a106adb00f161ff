"""What opening a page pulls in, seen in a fresh process: torch only where a page works with it."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from tests.pages.app import PAGES, ROOT

# Pages that run PyTorch. A visitor of the others must not pay a second and 200 MB for it.
WITH_TORCH: tuple[str, ...] = ("fused_module", "pitfalls")

# Never wanted by a page: what only the tests and the measurements use.
OF_THE_TESTS = ("matplotlib", "playwright", "pytest", "hypothesis")

OPEN = """
import json, sys
from tests.pages.app import open_page, scene_of
app = open_page(sys.argv[1])
assert not app.exception and len(scene_of(app).sentence), app
for control in app.segmented_control:
    if control.key == "step":
        for step in control.options:
            assert not open_page(sys.argv[1], step=step).exception
print(json.dumps(sorted(sys.modules)))
"""


@pytest.fixture(scope="module", params=PAGES)
def opened(request) -> tuple[str, set[str]]:
    """A page, and the names of all that a fresh process holds once each step of it was opened."""
    run = subprocess.run(
        [sys.executable, "-c", OPEN, request.param],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    return request.param, set(json.loads(run.stdout.splitlines()[-1]))


def test_only_a_page_that_works_with_torch_imports_it(opened):
    page, modules = opened
    assert ("torch" in modules) is (page in WITH_TORCH)


def test_a_page_imports_nothing_of_the_tests(opened):
    _, modules = opened
    assert {"streamlit", "mha", "numpy"} <= modules
    assert not modules & set(OF_THE_TESTS)


def test_the_pages_with_torch_are_pages_of_the_app():
    assert set(WITH_TORCH) <= set(PAGES)


GET_READY = """
import asyncio, sys
from pages.parts import server, turn
heavy = {"pandas", "altair", "torch"}
before = heavy & set(sys.modules)
async def start():
    async with server.lifespan(None):
        while server._NEEDED[-1] not in sys.modules:
            await asyncio.sleep(0.01)
asyncio.run(start())
with turn.taken():
    print(*before, "then", *sorted(heavy & set(sys.modules)))
"""


def test_a_server_starts_light_and_gets_ready_for_its_first_visitor():
    run = subprocess.run(
        [sys.executable, "-c", GET_READY], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert run.stdout.split() == ["then", "altair", "pandas"]
