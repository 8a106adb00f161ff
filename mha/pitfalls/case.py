"""One mistake: the wrong code, the right code, what both give, and how one would have noticed.

Wrong and right take the same arguments, made from inputs that a visitor may vary, so that whatever
differs in their answers comes from the code alone. No answer is written down; each is computed.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
import torch

from mha.pitfalls.source import call_of, shown

Topic = Literal["shapes", "masks", "weights", "sizes", "text"]
Shows = Literal["weights", "numbers"]

SEED = 0
# PyTorch's own random numbers are one stream for the whole process; others wait while it is seeded.
_ONE_AT_A_TIME = threading.Lock()


@dataclass(frozen=True)
class Input:
    """What a visitor may vary: one of a few values, so that no choice makes a case large.

    label: its name in words. start: the value it has first. options: all that it may have.
    """

    label: str
    start: Any
    options: Sequence[Any]


@dataclass(frozen=True, eq=False)
class Answer:
    """What a function returned, as an array, or what it raised: `RuntimeError: …`. One is None."""

    values: np.ndarray | None
    error: str | None = None


@dataclass(frozen=True, eq=False)
class Outcome:
    """Both answers, and where they differ.

    differs: bool, of the shape of both; None where they cannot be laid on one another, since the
        shapes differ or one of them is an error. NaN equals NaN.
    """

    wrong: Answer
    right: Answer
    differs: np.ndarray | None

    @property
    def n_differ(self) -> int | None:
        """How many numbers differ; None where they cannot be compared one by one."""
        return None if self.differs is None else int(self.differs.sum())

    @property
    def summary(self) -> str:
        """The difference in words, without saying which of the two is right."""
        if self.differs is not None:
            n, total = self.n_differ, self.differs.size
            if total == 1:
                return "the one number differs" if n else "the one number is the same"
            return f"{n:,} of {total:,} numbers {'differs' if n == 1 else 'differ'}"
        answers = (self.wrong, self.right)
        if any(answer.error is not None for answer in answers):
            both = all(answer.error is not None for answer in answers)
            return "both raise an error" if both else "one of them raises an error"
        shapes = " and ".join(str(answer.values.shape) for answer in answers)
        return f"the shapes differ: {shapes}"


@dataclass(frozen=True, kw_only=True, eq=False)
class Pitfall:
    """A mistake that people make, live.

    Args:
        key: its name in a link.
        name: its name in words.
        topic: what it is about, to group a list by.
        number: what it is called where its name would give it away; no other case has it, ever.
        task: what both functions are for, so that one can judge by their answers alone.
        sentence: what goes wrong, and how one would notice.
        wrong, right: functions of the same arguments. Their names are a stem that ends in `_wrong`
            and `_right`; the source that is shown has the stem alone.
        arguments: makes their arguments from the inputs.
        inputs: what a visitor may vary, by the names that `arguments` knows.
        check: takes a function such as these two; passes on the right one and fails on the wrong.
        axes: the axes of the right answer.
        wrong_axes: those of the wrong one, where they are others.
        shows: "weights", each in [0, 1], or "numbers" of any kind.
        report: where somebody reported it.
        page: the page that explains the idea.
    """

    key: str
    name: str
    topic: Topic
    number: int
    task: str
    sentence: str
    wrong: Callable[..., Any]
    right: Callable[..., Any]
    arguments: Callable[..., dict[str, Any]]
    inputs: Mapping[str, Input] = field(default_factory=dict)
    check: Callable[[Callable[..., Any]], None]
    axes: tuple[str, ...]
    wrong_axes: tuple[str, ...] | None = None
    shows: Shows = "numbers"
    report: str
    page: str

    @property
    def start(self) -> dict[str, Any]:
        """The values that the inputs have first."""
        return {name: entry.start for name, entry in self.inputs.items()}

    def run(self, **chosen: Any) -> Outcome:
        """Run both functions on the same arguments; inputs that are not given keep their start.

        The same inputs always give the same answers, and no other random numbers are disturbed.

        Raises:
            ValueError: an input that is not there, or a value that is not among its options.
        """
        values = self.start | chosen
        for name, value in chosen.items():
            self._require_option(name, value)
        wrong, right = self._answer(self.wrong, values), self._answer(self.right, values)
        return Outcome(wrong, right, _differs(wrong.values, right.values))

    @property
    def wrong_code(self) -> str:
        """The wrong function as one would write it, with its imports."""
        return shown(self.wrong)

    @property
    def right_code(self) -> str:
        """The right function as one would write it, with its imports."""
        return shown(self.right)

    @property
    def check_code(self) -> str:
        """The check, to be pasted after one's own function, and the line that calls it."""
        return f"{shown(self.check)}\n\n{call_of(self.check, self.right)}\n"

    def _answer(self, function: Callable[..., Any], values: Mapping[str, Any]) -> Answer:
        with _ONE_AT_A_TIME, torch.random.fork_rng(devices=[]), torch.no_grad():
            torch.manual_seed(SEED)
            given = self.arguments(**values)
            try:
                returned = function(**given)
            except (RuntimeError, ValueError) as error:  # what torch and careful code raise
                return Answer(None, f"{type(error).__name__}: {error}")
        values = torch.as_tensor(returned)
        return Answer((values.double() if values.is_floating_point() else values).numpy())

    def _require_option(self, name: str, value: Any) -> None:
        if name not in self.inputs:
            known = ", ".join(self.inputs) or "none"
            raise ValueError(
                f"the inputs of {self.key} must be among: {known}; got {name}. "
                f"Try run() for those that it starts with."
            )
        entry = self.inputs[name]
        # bool equals 0 or 1, but is neither a size nor shown as one.
        if not any(type(value) is type(option) and value == option for option in entry.options):
            options = ", ".join(map(repr, entry.options))
            raise ValueError(
                f"{name} of {self.key} must be one of {options}; got {name}={value!r:.40}. "
                f"Try {name}={entry.start!r}."
            )


def _differs(wrong: np.ndarray | None, right: np.ndarray | None) -> np.ndarray | None:
    if wrong is None or right is None or wrong.shape != right.shape:
        return None
    wrong, right = wrong.astype(np.float64), right.astype(np.float64)
    return ~np.isclose(wrong, right, rtol=0, atol=1e-6, equal_nan=True)  # float32 rounds at 1e-7
