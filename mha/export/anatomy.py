"""A word taken apart, as a script: what a reader sees, code points, bytes."""

from __future__ import annotations

from mha.export.literals import assigned
from mha.export.script import Cell, Script, opening
from mha.export.source import bundle
from mha.export.words import ANY_CONSOLE
from mha.sentence import dissect

_SAYS = """
    bytes  >=  code points  >=  grapheme clusters  >=  1 token

UTF-8 stores bytes, Python's len counts code points, a reader sees grapheme clusters, which the
package regex finds (pip install regex), and a model that reads words has one vector for them all.
Rows stand as the word is stored, the first on top, whichever way its letters run."""

_TAKEN_APART = """\
anatomy = dissect(word)
points = [point for cluster in anatomy.clusters for point in cluster.code_points]
n_bytes = sum(len(point.utf8) for point in points)
print(f"{n_bytes} bytes, {len(word)} code points, {len(anatomy.clusters)} characters to a reader")
print(f"direction: {anatomy.direction}{', mixed' if anatomy.is_mixed else ''}")
for i, cluster in enumerate(anatomy.clusters, start=1):
    print(f"character {i}: {cluster.text!r}")
    for point in cluster.code_points:
        stored = point.utf8.hex(" ").upper() or "none"
        print(f"  {point.number} {point.name}, bytes {stored}, {point.direction}")"""


def word_script(word: str) -> Script:
    """Its characters, and of each the code points, their names, bytes and directions."""
    parts = bundle(dissect)
    return Script(
        (
            opening("A word taken apart", _SAYS, {*parts.imports, "import sys"}),
            Cell("The word", f"{assigned('word', word)}\n{ANY_CONSOLE}"),
            Cell("How it is taken apart", parts.code),
            Cell("What it is made of", _TAKEN_APART),
        )
    )
