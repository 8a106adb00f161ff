"""The texts of a run: drawn for training, drawn to be held out, and typed by a visitor.

Tokens are places in the run's vocabulary, which is the alphabets of its tasks, one after the other.
"""

from __future__ import annotations

import numpy as np

from mha.training.settings import Settings
from mha.training.tasks import TASKS, Array, Task, Texts

TRAINING, HELD_OUT = 0, 1  # streams of random numbers that share none
MAX_WORD = 64  # characters of a visitor's text for each token; the rest is not read


def training_texts(settings: Settings, step: int) -> Texts:
    """The texts (n_tasks * batch, training_length) of a step, by seed and step alone."""
    length = settings.training_length
    return _draw(settings, settings.seed, (TRAINING, step), settings.batch, length)


def held_out_texts(settings: Settings, n_each: int) -> Texts:
    """Texts (n_tasks * n_each, T) that no step reads, alike for all seeds, to compare runs by."""
    return _draw(settings, 0, (HELD_OUT,), n_each, settings.T)


def words(settings: Settings, tokens: Array) -> Array:
    """The symbols of tokens, in their shape."""
    return np.array(settings.vocabulary)[tokens]


def parse_text(settings: Settings, text: str) -> Array:
    """A visitor's text as tokens (T',), of which there are 1 to T.

    Symbols stand apart or, where each is one character, together: `a b c` or `abc`. Capital letters
    do not matter.

    Raises:
        ValueError: no symbol, more than T of them, or one that no task of the run has.
    """
    places = {symbol.casefold(): i for i, symbol in enumerate(settings.vocabulary)}
    example = TASKS[settings.tasks[0]].example
    most = settings.T * MAX_WORD
    tokens: list[int] = []
    for word in text[:most].replace(".", " . ").split():
        pieces = [word] if word.casefold() in places else list(word)
        for piece in pieces:
            if piece.casefold() not in places:
                known = ", ".join(f"{name} ({_said(TASKS[name])})" for name in settings.tasks)
                raise ValueError(
                    f"every symbol must be one of {known}; got {_short(word)!r}. Try {example}"
                )
            tokens.append(places[piece.casefold()])
    if not tokens:
        raise ValueError(f"the text must have at least one symbol; got none. Try {example}")
    if len(tokens) > settings.T or len(text) > most:
        raise ValueError(
            f"the text must have at most T={settings.T} symbols; got more. "
            f"Try its first {settings.T}."
        )
    return np.array(tokens)


def _draw(settings: Settings, seed: int, stream: tuple[int, ...], n_each: int, T: int) -> Texts:
    generator = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=stream))
    drawn, first = [], 0
    for name in settings.tasks:
        tokens, counted = TASKS[name].sample(generator, n_each, T)
        drawn.append(Texts(tokens + first, counted))
        first += len(TASKS[name].alphabet)
    return Texts(*map(np.concatenate, zip(*drawn, strict=True)))


def _said(task: Task) -> str:
    """An alphabet as a message says it: a short one whole, a long one by beginning and end."""
    symbols = task.alphabet
    return " ".join(symbols if len(symbols) <= 8 else (*symbols[:3], "…", symbols[-1]))


def _short(word: str) -> str:
    return word if len(word) <= 20 else f"{word[:19]}…"
