"""A pitfall as a script: the wrong function and the right one on the same arguments; a check."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from mha.export.literals import literal
from mha.export.script import Cell, Script, opening
from mha.export.source import bundle

if TYPE_CHECKING:  # it brings torch along
    from mha.pitfalls import Pitfall

_SAYS = """
The wrong function and the right one take the same arguments, so that whatever differs comes from
the code alone. Then the check, which passes on the right one and finds the wrong one."""

_ANSWER = '''\
def answer(function):
    """What the function returns, or the error that it raises."""
    torch.manual_seed({seed})
    given = arguments()
    try:
        with torch.no_grad():
            return torch.as_tensor(function(**given))
    except (RuntimeError, ValueError) as error:
        return f"{{type(error).__name__}}: {{error}}"


wrong, right = answer({wrong}), answer({right})
print("wrong", wrong, sep="\\n")
print("right", right, sep="\\n")
if isinstance(wrong, torch.Tensor) and isinstance(right, torch.Tensor):
    if wrong.shape == right.shape:
        equal = torch.isclose(wrong.double(), right.double(), rtol=0, atol=1e-6, equal_nan=True)
        print(f"{{int((~equal).sum())}} of {{equal.numel()}} numbers differ")
    else:
        print(f"the shapes differ: {{tuple(wrong.shape)}} and {{tuple(right.shape)}}")'''

_CHECK = """\
{check}({right})  # passes
try:
    {check}({wrong})
except (AssertionError, RuntimeError, ValueError, TypeError) as error:
    print(f"found by the check: {{type(error).__name__}}: {{error}}")"""


def pitfall(case: Pitfall, chosen: Mapping[str, Any]) -> Script:
    """Both functions run on what was chosen, and the check on both.

    Args:
        chosen: the values of the case's inputs, all of them.
    """
    from mha.pitfalls.case import SEED

    wrong, right, check = case.wrong.__name__, case.right.__name__, case.check.__name__
    functions = bundle(case.wrong, case.right, raises=True)
    checking = bundle(case.check, raises=True)
    making, imports = _arguments(case, chosen)
    imports |= {*functions.imports, *checking.imports, "import torch"}
    running = _ANSWER.format(seed=SEED, wrong=wrong, right=right)
    return Script(
        (
            opening(f"Pitfall: {case.name}", _SAYS, imports),
            Cell("Wrong and right", functions.code),
            Cell("Both on the same arguments", f"{making}\n\n\n{running}"),
            Cell(
                "How to notice",
                f"{checking.code}\n\n\n{_CHECK.format(check=check, wrong=wrong, right=right)}",
            ),
        )
    )


def _arguments(case: Pitfall, chosen: Mapping[str, Any]) -> tuple[str, set[str]]:
    """The function that makes the arguments, with what it needs; or one that holds them."""
    given = case.arguments(**chosen)
    if all(_is_plain(value) for value in given.values()):
        return f"def arguments():\n    return {literal(given)}", set()
    parts = bundle(case.arguments)
    values = ", ".join(f"{name}={literal(value)}" for name, value in chosen.items())
    call = f"def arguments():\n    return {case.arguments.__name__}({values})"
    return f"{parts.code}\n\n\n{call}", set(parts.imports)


def _is_plain(value: Any) -> bool:
    try:
        literal(value)
    except ValueError:
        return False
    return True
