"""All that a run depends on, checked once and bounded."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from mha.checks import require_finite, require_positive_int, require_whole_number
from mha.config import AttentionConfig
from mha.training.tasks import TASKS

MAX_LAYERS = 4
MAX_D_MODEL = 128
MAX_HEADS = 16
LEAST_T, MAX_T = 8, 32
MARGIN = 2  # tokens; training reads T + MARGIN
LEAST_BATCH, MAX_BATCH = 8, 256
MAX_STEPS = 2000
MAX_LEARNING_RATE = 0.1
MAX_SEED = 2**32 - 1

MAX_SNAPSHOTS = 24
MAX_BYTES = 16 * 2**20  # of all snapshots of a run


@dataclass(frozen=True)
class Settings:
    """One run: the same settings give the same snapshots, to the bit, on one machine.

    Args:
        tasks: names of the tasks that every step reads texts of.
        n_layers, d_model, n_heads: the model.
        T: tokens of a text that is shown or measured.
        batch: texts of each task in a step. steps: of the whole run.
        learning_rate: of AdamW. seed: of the first weights and of the texts.

    Raises:
        ValueError: a task that is not there, none or one twice; a size out of its bounds; heads
            that do not divide d_model.
    """

    tasks: tuple[str, ...] = ("copy",)
    n_layers: int = 2
    d_model: int = 64
    n_heads: int = 4
    T: int = 32
    batch: int = 32
    steps: int = 700
    learning_rate: float = 3e-3
    seed: int = 0

    def __post_init__(self) -> None:
        set_ = object.__setattr__
        set_(self, "tasks", _task_names(self.tasks))
        for name, most in (
            ("n_layers", MAX_LAYERS),
            ("d_model", MAX_D_MODEL),
            ("n_heads", MAX_HEADS),
            ("steps", MAX_STEPS),
        ):
            set_(self, name, require_positive_int(name, getattr(self, name), most=most))
        for name, least, most in (
            ("T", LEAST_T, MAX_T),
            ("batch", LEAST_BATCH, MAX_BATCH),
            ("seed", 0, MAX_SEED),
        ):
            value = require_whole_number(name, getattr(self, name), least=least, most=most)
            set_(self, name, value)
        rate = require_finite("learning_rate", self.learning_rate, instead="learning_rate=0.003")
        if not 0 < rate <= MAX_LEARNING_RATE:
            raise ValueError(
                f"learning_rate must be above 0 and at most {MAX_LEARNING_RATE}; "
                f"got learning_rate={rate}. Try learning_rate=0.003."
            )
        set_(self, "learning_rate", rate)
        _ = self.attention

    @property
    def attention(self) -> AttentionConfig:
        """The sizes of each layer."""
        return AttentionConfig(self.d_model, self.n_heads)

    @cached_property
    def vocabulary(self) -> tuple[str, ...]:
        """The alphabets of the run's tasks, one after the other."""
        return tuple(symbol for name in self.tasks for symbol in TASKS[name].alphabet)

    @property
    def training_length(self) -> int:
        """Tokens of a text in training: a few more than T.

        Nothing is ever copied from a text's last places, so that heads never learn what to do
        there; with the margin those places lie behind all that is shown and measured.
        """
        return self.T + MARGIN

    @property
    def n_parameters(self) -> int:
        """Numbers that the model learns: two tables of symbols, one of positions, the layers."""
        C = self.d_model
        return (2 * len(self.vocabulary) + self.training_length + 4 * C * self.n_layers) * C

    @cached_property
    def kept_steps(self) -> tuple[int, ...]:
        """The steps whose snapshots are kept: the first and the last, and most where jobs appear.

        At most MAX_SNAPSHOTS, and fewer where the model is so large that they would take more than
        MAX_BYTES. Heads take up their jobs at once, between an eighth and three eighths of the way;
        more than half of the snapshots lie there.
        """
        n = min(MAX_SNAPSHOTS, MAX_BYTES // (4 * self.n_parameters))
        if n > self.steps:
            return tuple(range(self.steps + 1))
        way = np.interp(np.linspace(0, 1, n), [0, 0.2, 0.75, 1], [0, 1 / 8, 3 / 8, 1])
        # Rounded first: a whole number may come out a hair above itself.
        return tuple(sorted({math.ceil(round(self.steps * part, 9)) for part in way.tolist()}))


def _task_names(names: Iterable[str]) -> tuple[str, ...]:
    """The names in the order of TASKS, checked."""
    given = [names] if isinstance(names, str) else list(names)
    known = ", ".join(map(repr, TASKS))
    if not given or len(set(given)) < len(given) or not set(given) <= set(TASKS):
        raise ValueError(
            f"tasks must be one or more of {known}, each once; got tasks={given!r}. "
            f"Try tasks=('copy',)."
        )
    return tuple(name for name in TASKS if name in given)
