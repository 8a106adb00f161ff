"""A run: steps of AdamW on fresh texts, and snapshots on the way, that can stop and go on.

The batch of a step depends on the seed and the step alone, so that a run that was stopped and taken
up again from its state is, to the bit, the run that nobody stopped. That holds on one machine and
for one number of threads (`torch.set_num_threads`), which is the caller's to choose.
"""

from __future__ import annotations

from collections.abc import Iterator
from copy import deepcopy
from typing import Any, NamedTuple

import torch

from mha.training.measure import counted_losses, head_scores, held_out, task_losses
from mha.training.model import AttentionOnly
from mha.training.settings import Settings
from mha.training.snapshot import Snapshot
from mha.training.texts import training_texts


class State(NamedTuple):
    """All that a run needs to go on; it shares no memory with the run, and can be pickled."""

    settings: Settings
    step: int
    last_yielded: int
    parameters: dict[str, Any]
    optimizer: dict[str, Any]


class Run:
    """A model in training. Iterating trains it and yields a `Snapshot` at each kept step.

    Leaving the loop stops the run; iterating again goes on behind the last snapshot.

    Attributes:
        step: steps done. model: as it is after them.
    """

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.step = 0
        self.model = AttentionOnly(settings)
        self._last_yielded = -1
        self._optimizer = torch.optim.AdamW(
            self.model.parameters(), lr=settings.learning_rate, fused=True
        )

    @classmethod
    def resumed(cls, state: State) -> Run:
        """The run that this state was taken of; the state can be used again."""
        run = cls(state.settings)
        run.step, run._last_yielded = state.step, state.last_yielded
        run.model.load_state_dict(state.parameters)
        run._optimizer.load_state_dict(deepcopy(state.optimizer))
        return run

    @property
    def is_done(self) -> bool:
        return self.step == self.settings.steps

    def state(self) -> State:
        """What `resumed` needs to go on from here."""
        return State(
            self.settings,
            self.step,
            self._last_yielded,
            deepcopy(self.model.state_dict()),
            deepcopy(self._optimizer.state_dict()),
        )

    def __iter__(self) -> Iterator[Snapshot]:
        for kept in self.settings.kept_steps:
            if kept <= self._last_yielded:
                continue
            while self.step < kept:
                self.advance()
            self._last_yielded = kept
            yield self.snapshot()

    def advance(self) -> None:
        """Do one step: the mean of the tasks' mean losses over counted tokens goes down a little.

        Raises:
            ValueError: the run is done.
        """
        if self.is_done:
            raise ValueError(
                f"a run has no step after its last; got step={self.step}. "
                f"Try Settings(steps={2 * self.step})."
            )
        texts = training_texts(self.settings, self.step)
        tokens, counted = torch.from_numpy(texts.tokens), torch.from_numpy(texts.counted)
        losses = counted_losses(self.model, tokens, counted)
        by_task = losses.split(counted.view(len(self.settings.tasks), -1).sum(dim=1).tolist())
        # A small batch may hold nothing to count of a task; it then has no say in this step.
        loss = torch.stack([part.mean() for part in by_task if len(part)]).mean()
        self._optimizer.zero_grad()
        loss.backward()
        self._optimizer.step()
        self.step += 1

    def snapshot(self) -> Snapshot:
        """The run as it is now, measured on the held-out texts."""
        return measured(self.settings, self.step, self.model)


def measured(settings: Settings, step: int, model: AttentionOnly) -> Snapshot:
    """A snapshot of a model, measured on the held-out texts; it shares no memory with it."""
    return Snapshot(
        settings,
        step,
        task_losses(model, settings),
        head_scores(model, settings),
        held_out(settings.tasks, settings.T).uniform,
        {name: p.numpy(force=True).copy() for name, p in model.state_dict().items()},
    )
