"""The source of the app's own functions, made to stand alone in a script.

What checks arguments and says what is wrong with them is left out, and so are types: a script gives
the arguments itself. All else is the text that runs on the page, comments included, so that an
exported script cannot drift from what it stands for.
"""

from __future__ import annotations

import ast
import builtins
import inspect
import io
import re
import symtable
import textwrap
import tokenize
import types
from collections.abc import Callable, Iterator
from functools import lru_cache, partial
from typing import Any, Literal, NamedTuple, get_origin

from mha.export.literals import assigned

# As people import them; every other name is imported from the module that has it.
_MODULES = {"np": "import numpy as np", "F": "import torch.nn.functional as F"}
_MODULES |= {"nn": "from torch import nn"}
# Each hands on what it checked.
_CHECK = re.compile(r"require_\w+|_floating|_sharpness|_probabilities", re.ASCII)
_RAISES = re.compile(r"\n\nRaises:\n(?:    .*\n?)+")
_OWN = "mha."


class Bundle(NamedTuple):
    """Lines that import, and definitions in an order in which each finds those that it needs."""

    imports: tuple[str, ...]
    code: str


@lru_cache(64)  # the program does not change while it runs
def bundle(*roots: Callable[..., Any], raises: bool = False) -> Bundle:
    """The functions with everything of ours that they need.

    Args:
        roots: functions and classes of `mha`; of a class, its fields alone.
        raises: whether what they raise belongs to what they show.
    """
    known, imports, constants, parts = set(), set(), [], []

    def take(name: str, value: Any) -> None:
        if name in known:
            return
        known.add(name)
        if isinstance(value, types.ModuleType):
            imports.add(_MODULES.get(name, f"import {value.__name__}"))
        elif get_origin(value) is Literal:  # one of a few texts
            constants.append(f"{name} = str")
        elif not getattr(value, "__module__", _OWN).startswith(_OWN):
            if getattr(value, "__name__", name) != name:  # another name for a type, as Array is
                take("np", inspect.getmodule(value))
                constants.append(f"{name} = np.{value.__name__}")
            else:
                imports.add(f"from {value.__module__} import {name}")
        elif callable(value):
            text = standalone(value, raises=raises)
            for other, found in _needs(text, inspect.getmodule(value)):
                take(other, found)
            parts.append(text)
        else:
            constants.append(assigned(name, value, one_a_line=True))

    for root in roots:
        take(root.__name__, root)
    # Constants first, next to one another, then functions and classes two lines apart.
    blocks = ["\n".join(constants), *parts]
    return Bundle(tuple(sorted(imports)), "\n\n\n".join(filter(None, blocks)))


def standalone(thing: Callable[..., Any], *, raises: bool = False) -> str:
    """The source of a function, or the fields of a class, without types and, unless it is what
    they show, without what they raise.
    """
    source = textwrap.dedent(inspect.getsource(thing))
    edits = _class_edits if inspect.isclass(thing) else partial(_function_edits, raises=raises)
    while (edit := next(edits(source, ast.parse(source).body[0]), None)) is not None:
        start, end, text = edit
        source = source[:start] + text + source[end:]
    return re.sub(r"\n{3,}", "\n\n", source).strip()


Edit = tuple[int, int, str]  # from, to, and what stands there instead


def _class_edits(source: str, tree: ast.ClassDef) -> Iterator[Edit]:
    at = _Places(source)
    for node in tree.body:
        if isinstance(node, ast.FunctionDef):
            start = node.decorator_list[0] if node.decorator_list else node
            yield at.lines(start.lineno, node.end_lineno)
    yield from _shorter_docstring(at, tree)


def _function_edits(source: str, tree: ast.FunctionDef, *, raises: bool) -> Iterator[Edit]:
    """The changes that are left to make, of which only the first is to be made."""
    at = _Places(source)
    for cache in tree.decorator_list:  # a script calls once
        if ast.unparse(cache).startswith("lru_cache"):
            yield at.lines(cache.lineno, cache.end_lineno)
    head = f"def {tree.name}({ast.unparse(_untyped(tree.args))}):\n"
    start, end, _ = at.lines(tree.lineno, _first_logical_line(source))
    if source[start:end] != head:
        yield start, end, head
    yield from _shorter_docstring(at, tree)
    for node in ast.walk(tree):
        match node:
            case ast.Call(ast.Name(name), [_, *_] as given) if _CHECK.fullmatch(name):
                checked = given[min(1, len(given) - 1)]
                yield *at.of(node), at.text(checked)
            case ast.AnnAssign(target, _, value) if value is not None:
                yield *at.of(node), f"{at.text(target)} = {at.text(value)}"
    for node in ast.walk(tree):
        if isinstance(node, ast.stmt) and not raises and _does_nothing(node):
            yield at.lines(node.lineno, node.end_lineno)
        match node:
            case ast.Assign([ast.Tuple(left)], ast.Tuple(right)):
                pairs = [(a, b) for a, b in zip(left, right, strict=True) if not _same(a, b)]
                if len(pairs) < len(left):
                    new = [", ".join(map(at.text, side)) for side in zip(*pairs, strict=True)]
                    yield *at.of(node), " = ".join(new)


def _first_logical_line(source: str) -> int:
    """The last line of a function's head, which may have several."""
    tokens = tokenize.generate_tokens(io.StringIO(source).readline)
    return next(token.end[0] for token in tokens if token.type == tokenize.NEWLINE)


def _does_nothing(node: ast.stmt) -> bool:
    """Whether a statement only raises or, its check taken away, only says what is so."""
    match node:
        case ast.If(_, [*_, ast.Raise()], []):
            return True
        case ast.For(body=body, orelse=[]) | ast.If(body=body, orelse=[]):
            return all(map(_does_nothing, body))
        case ast.Expr(ast.Name() | ast.Attribute() | ast.Tuple()):
            return True
        case ast.Assign([ast.Tuple(left)], ast.Tuple(right)):
            return all(map(_same, left, right))
        case ast.Assign([target], value):
            return _same(target, value)
    return False


def _same(target: ast.expr, value: ast.expr) -> bool:
    return ast.unparse(target) == ast.unparse(value)


def _untyped(arguments: ast.arguments) -> ast.arguments:
    for one in ast.walk(arguments):
        if isinstance(one, ast.arg):
            one.annotation = None
    return arguments


def _shorter_docstring(at: _Places, tree: ast.FunctionDef | ast.ClassDef) -> Iterator[Edit]:
    """Leave out what the docstring says of errors that are raised no more."""
    text = ast.get_docstring(tree)
    shorter = text and _RAISES.sub("", text).rstrip()
    if shorter != text:
        lines = textwrap.indent(shorter, "    ").lstrip()
        end = "\n    " if "\n" in shorter else ""
        yield *at.of(tree.body[0]), f'"""{lines}{end}"""'


def _needs(text: str, module: types.ModuleType) -> Iterator[tuple[str, Any]]:
    """The names of its module that a definition reads, in order, and what they are there."""
    for name in dict.fromkeys(_global_names(symtable.symtable(text, module.__name__, "exec"))):
        if not hasattr(builtins, name):
            yield name, getattr(module, name)


def _global_names(table: symtable.SymbolTable) -> Iterator[str]:
    for symbol in table.get_symbols():
        is_own = symbol.is_assigned() if table.get_type() == "module" else not symbol.is_global()
        if symbol.is_referenced() and not is_own:
            yield symbol.get_name()
    for inner in table.get_children():
        yield from _global_names(inner)


class _Places:
    """Where the nodes of a tree stand in their source."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.lines_of = source.splitlines(keepends=True)
        self.starts = [0]
        for line in self.lines_of:
            self.starts.append(self.starts[-1] + len(line))

    def of(self, node: ast.AST) -> tuple[int, int]:
        return self._at(node.lineno, node.col_offset), self._at(
            node.end_lineno, node.end_col_offset
        )

    def text(self, node: ast.AST) -> str:
        start, end = self.of(node)
        return self.source[start:end]

    def lines(self, first: int, last: int) -> Edit:
        """Whole lines, to be left out."""
        return self.starts[first - 1], self.starts[last], ""

    def _at(self, line: int, column: int) -> int:
        # Columns are counted in bytes.
        before = self.lines_of[line - 1].encode()[:column].decode()
        return self.starts[line - 1] + len(before)
