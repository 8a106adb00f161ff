"""What a model has learned, measured on held-out texts: losses, heads' scores, and knock-outs.

loss     nats for each counted token, -log of the probability that the model gave it
score    of a head for a job, from 0 to 1, the mean over texts in which the job has a query
rise     loss without some heads - loss of the whole model, in nats
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import NamedTuple

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor

from mha.scoring import (
    duplicate_token_targets,
    first_token_targets,
    induction_targets,
    matching_bracket_targets,
    previous_token_targets,
    pronoun_name_targets,
    score,
    self_targets,
    uniform_weights,
)
from mha.training.model import AttentionOnly
from mha.training.settings import Settings
from mha.training.tasks import (
    BRACKET,
    CLOSING,
    FIRST,
    INDUCTION,
    ITSELF,
    NAME,
    PREVIOUS,
    PRONOUN_OF,
    SAME,
    Array,
    jobs,
)
from mha.training.texts import held_out_texts, words

N_HELD_OUT = 128  # texts of each task that the loss is measured on
N_SCORED = 16  # of them, that heads are scored on


class HeldOut(NamedTuple):
    """Held-out texts and what the jobs want of them.

    tokens: (n_tasks, N_HELD_OUT, T). counted: bool, alike.
    targets: by task and job, bool (N_SCORED, 1, 1, T, T), to go with a model's weights.
    uniform: by task and job, the score of a head that looks evenly at all it sees.
    """

    tokens: Tensor
    counted: Tensor
    targets: Mapping[str, Mapping[str, Array]]
    uniform: Mapping[str, Mapping[str, float]]


@lru_cache(16)
def held_out(tasks: tuple[str, ...], T: int) -> HeldOut:
    """The texts that every run of these tasks and this T is measured on."""
    settings = Settings(tasks=tasks, T=T)
    texts = held_out_texts(settings, N_HELD_OUT)
    shape = (len(tasks), N_HELD_OUT, T)
    tokens, counted = texts.tokens.reshape(shape), texts.counted.reshape(shape)
    targets = {
        task: _targets(task, words(settings, tokens[i, :N_SCORED])) for i, task in enumerate(tasks)
    }
    even = uniform_weights(T)
    uniform = {
        task: {job: mean_score(even, wanted).item() for job, wanted in by_job.items()}
        for task, by_job in targets.items()
    }
    return HeldOut(torch.from_numpy(tokens), torch.from_numpy(counted), targets, uniform)


def counted_losses(model: AttentionOnly, tokens: Tensor, counted: Tensor) -> Tensor:
    """-log probability, in nats, of every counted token (N,) in texts (B, T), row after row."""
    x = model.stream(tokens[:, :-1])[counted[:, 1:]]  # (N, C), where a counted token comes next
    logits = x @ model.unembedding.T
    return F.cross_entropy(logits, tokens[:, 1:][counted[:, 1:]], reduction="none")


@torch.no_grad()
def task_losses(model: AttentionOnly, settings: Settings) -> dict[str, float]:
    """The mean loss of each task on the held-out texts, in nats for a counted token."""
    texts = held_out(settings.tasks, settings.T)
    return {
        task: float(counted_losses(model, texts.tokens[i], texts.counted[i]).mean())
        for i, task in enumerate(settings.tasks)
    }


def head_scores(model: AttentionOnly, settings: Settings) -> dict[str, dict[str, Array]]:
    """The scores (n_layers, h) of all heads, by task and by job."""
    texts = held_out(settings.tasks, settings.T)
    scores = {}
    for i, task in enumerate(settings.tasks):
        weights = model.weights(texts.tokens[i, :N_SCORED]).numpy()
        scores[task] = {
            job: mean_score(weights, wanted) for job, wanted in texts.targets[task].items()
        }
    return scores


def _targets(task: str, texts: Array) -> dict[str, Array]:
    """By job, where each of the texts (N, T) wants heads to look: bool (N, 1, 1, T, T)."""
    N, T = texts.shape
    by_job = {
        PREVIOUS: lambda: previous_token_targets(T),
        SAME: lambda: duplicate_token_targets(texts),
        INDUCTION: lambda: induction_targets(texts),
        BRACKET: lambda: matching_bracket_targets(texts, CLOSING),
        NAME: lambda: pronoun_name_targets(texts, PRONOUN_OF),
        FIRST: lambda: first_token_targets(T),
        ITSELF: lambda: self_targets(T),
    }
    return {job: np.broadcast_to(by_job[job](), (N, T, T))[:, None, None] for job in jobs(task)}


def mean_score(weights: Array, targets: Array) -> Array:
    """The mean of `score` over the texts (N, 1, 1, T, T) that have a query: (n_layers, h)."""
    has_query = targets.any(axis=(1, 2, 3, 4))
    scores = score(weights, targets)
    return scores.sum(axis=0) / max(has_query.sum(), 1)
