"""The small picture on each page's card, computed from the visitor's own words and sizes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pandas as pd

from mha import thumbnails
from mha.amounts import context_text
from mha.config import AttentionConfig
from mha.hand_built import (
    copy_what_followed,
    features,
    previous_token_head,
    same_category_head,
)
from mha.models import MODELS
from mha.reference import causal_mask
from mha.sentence import Sentence
from mha.training import TASKS
from pages.parts.scene import Scene

Picture = tuple[pd.DataFrame, str]  # the marks, and what a screen reader is told
_MODEL, _CONTEXT = "llama-3-8b", 8192


def heads(sentence: Sentence, causal: bool) -> Picture:
    T, X = len(sentence), features(sentence)
    both = (previous_token_head(T), same_category_head(T))
    weights = [head.weights(X, causal) for head in both]
    names = [head.name for head in both]
    mask = causal_mask(T) if causal else causal_mask(1, T)
    table = thumbnails.grids(names, weights, mask)
    return table, (
        f"Weights of two heads on your words, as grids{_first(T)}: {names[0]}, and {names[1]}."
    )


def learned() -> Picture:
    words = TASKS["copy"].example.split()[:8]
    trace = copy_what_followed(Sentence.parse(" ".join(words)))
    titles = ("the one before", "what followed")
    return thumbnails.copying(titles, words, trace), (
        f"Two heads in two layers on the letters {' '.join(words)}, as lines from each letter to "
        "those it looks at: the first head looks at the letter before, the second at what followed "
        "the same letter last time. Here both are built by hand."
    )


def split(config: AttentionConfig, T: int) -> Picture:
    return thumbnails.split(config, T), (
        f"The {config.d_model} numbers of each of {T} tokens in the hues of {config.n_heads} "
        f"heads: as rows, and as a block of {T} by {config.d_head} for each head."
    )


def module(config: AttentionConfig, T: int) -> Picture:
    C, h = config.d_model, config.n_heads
    return thumbnails.module(config, T), (
        f"Shapes on the way through the module: x is {T} by {C}; queries, keys and values are "
        f"{T} by {C} each; the weights of {h} heads are {T} by {T} each; the output is {T} by {C}."
    )


def parameters(config: AttentionConfig) -> Picture:
    return thumbnails.parameters(config), (
        f"Bars for every number of heads that divides {config.d_model}, cut into W_Q, W_K, "
        "W_V and W_O: all have one height."
    )


def kv_cache() -> Picture:
    model = MODELS[_MODEL]
    return thumbnails.kv_cache(model, _CONTEXT), (
        f"The cache of {model.title} grows with the context, up to "
        f"{context_text(_CONTEXT)} tokens: steeply with {model.n_heads} key and value heads, "
        f"less with its own {model.n_kv_heads}, and hardly with one."
    )


def mistaken(T: int) -> Picture:
    mask = causal_mask(T)
    return thumbnails.masks(("right", "wrong"), (mask, ~mask)), (
        f"A causal mask for your words{_first(T)}, and the same mask read the other way "
        "round: every token then sees only what comes after it."
    )


def _words(scene: Scene) -> tuple[Any, ...]:
    return scene.sentence, scene.causal


def _sizes(scene: Scene) -> tuple[Any, ...]:
    return scene.config, len(scene.sentence)


# Each page's picture, and what of the scene it is made of. A page that is not here has a card
# without one.
PICTURES: dict[str, tuple[Callable[..., Picture], Callable[[Scene], tuple[Any, ...]]]] = {
    "hand_built_heads": (heads, _words),
    "training": (learned, lambda _: ()),
    "split_merge": (split, _sizes),
    "fused_module": (module, _sizes),
    "parameters": (parameters, lambda scene: (scene.config,)),
    "real_models": (kv_cache, lambda _: ()),
    "pitfalls": (mistaken, lambda scene: (len(scene.sentence),)),
}


def _first(T: int) -> str:
    return f", the first {thumbnails.MOST} of {T}" if thumbnails.MOST < T else ""
