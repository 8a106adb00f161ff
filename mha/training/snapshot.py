"""What is known of a run at a step, and the model that it then had; torch comes with the model."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from mha.training.settings import Settings
from mha.training.tasks import Array

if TYPE_CHECKING:
    from mha.training.model import AttentionOnly


@dataclass(frozen=True, eq=False)
class Reading:
    """What was measured of a run at one of its kept steps.

    settings: the run's. step: steps of training that lie behind.
    losses: by task, nats for a counted token of the held-out texts.
    scores: by task and job, (n_layers, h). uniform: those of a head that looks evenly.
    """

    settings: Settings
    step: int
    losses: Mapping[str, float]
    scores: Mapping[str, Mapping[str, Array]]
    uniform: Mapping[str, Mapping[str, float]]


@dataclass(frozen=True, eq=False)
class Snapshot(Reading):
    """A reading, and the model that it was taken of.

    parameters: the model's numbers by name, float32, in the shapes of `parameter_shapes`.
    """

    parameters: Mapping[str, Array]

    def model(self) -> AttentionOnly:
        """The model as it was, free to be changed."""
        import torch

        from mha.training.model import AttentionOnly

        model = AttentionOnly(self.settings)
        model.load_state_dict(
            {name: torch.tensor(array) for name, array in self.parameters.items()}
        )
        return model


def parameter_shapes(settings: Settings) -> dict[str, tuple[int, int]]:
    """The shape of each of the model's matrices, by name, in the model's order."""
    V, C = len(settings.vocabulary), settings.d_model
    shapes = {"tokens": (V, C), "positions": (settings.training_length, C), "unembedding": (V, C)}
    for layer in range(settings.n_layers):
        shapes[f"layers.{layer}.qkv.weight"] = (3 * C, C)
        shapes[f"layers.{layer}.out.weight"] = (C, C)
    return shapes
