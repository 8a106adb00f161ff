"""The cell of a script that holds a visitor's words, and the function that prints beside them."""

from __future__ import annotations

from typing import Any

from mha.export.literals import assigned
from mha.export.script import Cell
from mha.sentence import Sentence

SHOW = '''\
def show(title, matrix, hidden=None):
    """Print a row for each token, and a dot where the mask hides a number."""
    print(title)
    for i, token in enumerate(tokens):
        numbers = [f"{round(float(number), 2) + 0.0:.2f}" for number in matrix[i]]
        if hidden is not None:
            numbers = ["." if hides else n for n, hides in zip(numbers, hidden[i], strict=True)]
        print(*(f"{number:>6}" for number in numbers), f" {token!r}")'''

ANY_CONSOLE = """
if hasattr(sys.stdout, "reconfigure"):  # a console that lacks a letter shows its number
    sys.stdout.reconfigure(errors="backslashreplace")"""


def words_cell(sentence: Sentence, *, with_categories: bool = True, **values: Any) -> Cell:
    """The words as data, their categories, and other values by name."""
    lines = [assigned("tokens", list(sentence.tokens))]
    if with_categories:
        lines.append("# 0 product, 1 feature, 2 filler")
        lines.append(assigned("categories", list(sentence.categories)))
    lines.append("T = len(tokens)")
    lines += [assigned(name, value) for name, value in values.items()]
    if words_imports(sentence):
        lines.append(ANY_CONSOLE)
    return Cell("Words and settings", "\n".join(lines))


def words_imports(sentence: Sentence) -> tuple[str, ...]:
    """What the cell of the words needs: nothing where every console can show them."""
    return () if all(map(str.isascii, sentence.tokens)) else ("import sys",)
