"""Exported scripts, run as somebody runs them who has nothing of ours."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

# What scripts import takes far longer than they do: it is loaded once, and each begins from there
# in a process of its own; those of one kind, "kind__name", in one after another. `-I` keeps out
# the folder, the environment and the user's own packages.
RUN_ALL = """
import contextlib, importlib, itertools, os, runpy, sys, traceback
for name in sys.argv[1:]:
    importlib.import_module(name)
assert "mha" not in sys.modules
scripts = sorted(path for path in os.listdir() if path.endswith(".py"))
for kind, group in itertools.groupby(scripts, key=lambda path: path.split("__")[0]):
    child = os.fork()
    if not child:
        try:
            for script in group:
                with open(script + ".out", "w") as out, contextlib.redirect_stdout(out):
                    runpy.run_path(script, run_name="__main__")
        except BaseException:
            traceback.print_exc()
            os._exit(1)
        os._exit(0)
    if os.waitpid(child, 0)[1]:
        sys.exit(f"{kind} failed")
"""


def run(scripts: Mapping[str, str], folder: Path, *loaded: str) -> dict[str, str]:
    """What each script prints, by its name; they begin with these modules loaded."""
    for name, source in scripts.items():
        folder.joinpath(f"{name}.py").write_text(source, "utf-8")
    done = subprocess.run(
        [sys.executable, "-I", "-c", RUN_ALL, *loaded],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return {name: folder.joinpath(f"{name}.py.out").read_text("utf-8") for name in scripts}


def run_alone(source: str, folder: Path) -> str:
    """What one script prints in a Python that has loaded nothing, in a folder that holds it."""
    script = folder / "script.py"
    script.write_text(source, "utf-8")
    done = subprocess.run(
        [sys.executable, "-I", script], cwd=folder, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def below(printed: str, title: str, lines: int) -> list[list[str]]:
    """The words of so many lines below the one that is this title."""
    text = printed.splitlines()
    at = text.index(title) + 1
    return [line.split() for line in text[at : at + lines]]


def numbers(text: str) -> list[int]:
    """The whole numbers in a text, in order; commas part thousands."""
    return [int(found.replace(",", "")) for found in re.findall(r"\d[\d,]*\d|\d", text)]
