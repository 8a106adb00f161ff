"""What hypothesis draws: sizes by the name of their axis, arrays by a seed, masks, words."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import settings
from hypothesis import strategies as st

from mha.hand_built import MAX_EDIT, MAX_EDITS
from mha.reference import causal_mask
from mha.sentence import MAX_TOKENS, Sentence

# The first call of a library is slow, and no law is about time.
patient = settings(deadline=None)

Ts = st.integers(1, 9)
d_heads = st.integers(1, 8)
seeds = st.integers(0, 2**32 - 1)
dtypes = st.sampled_from([np.float32, np.float64])
leads = st.lists(st.integers(1, 3), max_size=3).map(tuple)

FAMILY = "👨‍👩‍👧"
KISS = "👩🏽‍❤️‍💋‍👨🏽"  # one cluster of ten code points
ACCENTED = "e\u0301\u0323"
FLAGS = "🇩🇪🇫🇷"
OVERRIDES = "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
HOSTILE = (
    "<img src=x onerror=alert(1)>",
    "**b** $x$ :red[x] ![](http://x)",
    "datum.x a.b[c]:Q a'b",
    "\x00 \x01 \x7f \x85",
    "\ud800 \udfff",
    OVERRIDES,
    "a a(2) a (2) (2) a",
    f"{FAMILY} {FLAGS} {KISS * 24} {ACCENTED * 24}",
    "e" + "\u0301" * 400,
    "雨衣很轻 جاكيت خفيف מעיל קל",
    "\u200b \u200d \u00ad \u3164",
)


def tolerance(dtype: Any) -> float:
    """How far two ways of computing the same numbers of about 1 may lie apart."""
    return 1e-12 if dtype == np.float64 else 2e-5


def normal(seed: int, *shapes: tuple[int, ...], dtype: Any = np.float64) -> list[np.ndarray]:
    """One array of standard normal numbers a shape."""
    generator = np.random.default_rng(seed)
    return [generator.standard_normal(shape).astype(dtype) for shape in shapes]


@st.composite
def masks(draw, T_q: int, T_k: int, lead: tuple[int, ...] = ()) -> np.ndarray | None:
    """None, the causal mask where there is one, or a random one that hides no whole row."""
    kinds = ["none", "random", "causal"] if T_k >= T_q else ["none", "random"]
    kind = draw(st.sampled_from(kinds))
    if kind == "none":
        return None
    if kind == "causal":
        return causal_mask(T_q, T_k)
    generator = np.random.default_rng(draw(seeds))
    mask = generator.random((*lead, T_q, T_k)) < draw(st.sampled_from([0.1, 0.5, 0.9]))
    one_key = generator.integers(T_k, size=(*lead, T_q, 1))
    np.put_along_axis(mask, one_key, True, axis=-1)
    return mask


@st.composite
def sentences(draw, least: int = 1, most: int = MAX_TOKENS) -> Sentence:
    """A few words that repeat, each with a category drawn for it."""
    T = draw(st.integers(least, most))
    words = draw(
        st.lists(st.sampled_from(["rain", "jacket", "a", "b", "c"]), min_size=T, max_size=T)
    )
    digits = draw(st.lists(st.integers(0, 2), min_size=T, max_size=T))
    return Sentence.parse(" ".join(words), digits)


def texts() -> st.SearchStrategy[str]:
    """Any text at all, lone surrogates too, with pieces that have broken pages before."""
    anything = st.text(st.characters(exclude_categories=()), max_size=40)
    pieces = st.one_of(st.sampled_from(HOSTILE), anything, st.sampled_from([" ", "a", "\n"]))
    return st.lists(pieces, max_size=12).map("".join)


def edits(most: int = MAX_EDITS) -> st.SearchStrategy[dict[tuple[str, int, int], float]]:
    """Changed numbers of one's own head, as a link can hold them: three decimals, bounded."""
    places = st.integers(0, MAX_TOKENS + 2)
    numbers = st.integers(-1000 * int(MAX_EDIT), 1000 * int(MAX_EDIT)).map(lambda n: n / 1000)
    keys = st.tuples(st.sampled_from("QK"), places, places)
    return st.dictionaries(keys, numbers, max_size=most)
