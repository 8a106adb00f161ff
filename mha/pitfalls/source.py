"""A function's source as a page shows it: with the imports that it needs, and no telling name."""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Callable
from functools import lru_cache
from typing import Any

# By the name that the code uses, in the order in which imports are written.
_IMPORTS = {
    "math": "import math",
    "regex": "import regex",
    "torch": "import torch",
    "F": "import torch.nn.functional as F",
    "nn": "from torch import nn",
}
_TELLING = re.compile(r"_(wrong|right)\Z")


@lru_cache(256)  # a search reads the code of every pitfall
def shown(function: Callable[..., Any]) -> str:
    """The source of a function, after the imports that it needs to run on its own.

    Its name loses `_wrong` or `_right`, so that a reader may judge by the code.
    """
    source = inspect.getsource(function)
    source = source.replace(f"def {function.__name__}(", f"def {stem(function)}(", 1)
    names = {node.id for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Name)}
    imports = "\n".join(line for name, line in _IMPORTS.items() if name in names)
    return f"{imports}\n\n\n{source}" if imports else source


def stem(function: Callable[..., Any]) -> str:
    """The name of a function without `_wrong` or `_right`."""
    return _TELLING.sub("", function.__name__)


def call_of(check: Callable[..., Any], function: Callable[..., Any]) -> str:
    """The line that runs a check on a function of one's own."""
    return f"{check.__name__}({stem(function)})  # or a function of your own"
