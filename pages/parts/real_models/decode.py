"""Decoding token by token on the small module: what each token costs with a cache and without."""

from __future__ import annotations

from typing import NamedTuple

import pandas as pd
import streamlit as st

from mha.amounts import bytes_text, seconds_text
from mha.cache_marks import decoding_marks
from mha.cache_tables import WAYS, decoding_table
from mha.charts.cache import decode_spec
from mha.config import AttentionConfig
from mha.sentence import Sentence
from pages.parts import bound, look
from pages.parts.code import show_source
from pages.parts.export import Takeaway
from pages.parts.export.models import of_decoding
from pages.parts.kv_heads import choose_kv_heads
from pages.parts.pytorch import load_torch
from pages.parts.scene import Scene

EQUAL = 1e-5
REPEATS = 9
_PIXELS = 440  # of a presenter's picture
QUANTITIES = {
    "multiply-adds of a token": "multiply_adds",
    "all so far": "so_far",
    "measured time": "seconds",
}


def show(scene: Scene, picture_place: bound.Place) -> Takeaway:
    """Count for the visitor's words and sizes; run it for real where that is asked for.

    Returns what of it can be taken away.
    """
    config = choose_kv_heads(scene.config)
    is_run = bound.turn("Run both ways", key="decode")
    name = bound.segments("Drawn", list(QUANTITIES), key="cost", label_visibility="collapsed")
    T, quantity = len(scene.sentence), QUANTITIES[name]
    ran = _run(scene.sentence.tokens, config) if is_run or quantity == "seconds" else None
    table = decoding_table(config, T, seconds=ran.seconds if ran else None)
    with picture_place:
        st.markdown(_sentence(table, T, config))
        picture = decoding_marks(table, quantity, T), decode_spec(look.theme())
        look.picture(*picture, alt=_alt(name, table, quantity), at_most=_PIXELS)
        if quantity == "seconds":
            st.markdown(
                "Sizes as small as these take most of their time to be called at all: a cache "
                "shows in the time at long texts and wide layers."
            )
    if ran is not None:
        _verdict(ran, T)
    _rows(scene.sentence, table)
    if ran is not None:
        with st.expander("The code that ran"):
            from mha.decoding import decode, pass_through

            for part in (decode, pass_through):
                show_source(part)
    return of_decoding(config, T, table, picture)


class Ran(NamedTuple):
    """What both ways gave.

    difference: the largest, between them and from all tokens at once.
    seconds: of each token, by whether there was a cache.
    kept: bytes of the cache at the end.
    """

    difference: float
    seconds: dict[bool, list[float]]
    kept: int


def _run(tokens: tuple[str, ...], config: AttentionConfig) -> Ran:
    load_torch()
    with st.spinner("Running PyTorch …"):
        import torch

        from mha.decoding import decode
        from mha.module import MultiHeadAttention, embed

        module = MultiHeadAttention.seeded(config, 0)
        x = embed(tokens, config.d_model, seed=0)
        # Turn by turn, so that what else the machine does slows both ways alike.
        turns = zip(*(decode(module, x, cached=c, repeats=REPEATS) for c in WAYS), strict=True)
        ways = dict(zip(WAYS, zip(*turns, strict=True), strict=True))
        outs = [torch.cat([step.out for step in steps], dim=1) for steps in ways.values()]
        with torch.no_grad():
            outs.append(module(x))
        difference = max((outs[0] - other).abs().max().item() for other in outs[1:])
    seconds = {cached: [step.seconds for step in steps] for cached, steps in ways.items()}
    return Ran(difference, seconds, ways[True][-1].cache_bytes)


def _sentence(table: pd.DataFrame, T: int, config: AttentionConfig) -> str:
    last = table[table["n"] == T].set_index("way")["multiply_adds"]
    with_cache, without = last[WAYS[True]], last[WAYS[False]]
    small = (
        f"In one layer of the sidebar’s sizes, d\\_model {config.d_model} and {config.n_heads} "
        f"{'head' if config.n_heads == 1 else 'heads'}"
    )
    if T == 1:
        return f"**{small}, the first token costs {without:,} multiply-adds either way.**"
    return (
        f"**{small}, token {T} costs {with_cache:,} multiply-adds with a cache and "
        f"{without:,} without one, {without / with_cache:.1f} times as many.** Without one all "
        f"{T} tokens pass again, and all but the last of their outputs were known."
    )


def _verdict(ran: Ran, T: int) -> None:
    said = (
        f"Largest difference between the two ways, and from all {T} tokens at once: "
        f"**{ran.difference:.1e}**."
    )
    if ran.difference <= EQUAL:
        st.success(f"{said} That is rounding.", icon=":material/check_circle:")
    else:
        st.error(f"{said} That is more than rounding.", icon=":material/error:")
    st.markdown(
        f"The new token is one query over all the keys kept: its mask is the last row of the "
        f"causal one, aligned to the end, so that it sees every key. The cache holds "
        f"{bytes_text(ran.kept)} at the end. Decoding is causal, whatever the "
        f"sidebar says. Times are the least of {REPEATS} runs just now, on "
        "the server’s processor: at sizes as small as these most of the time goes into calling."
    )


def _rows(sentence: Sentence, table: pd.DataFrame) -> None:
    """Count and time of every token, side by side."""
    ways = {cached: table[table["way"] == way].reset_index() for cached, way in WAYS.items()}
    rows = pd.DataFrame({"n": ways[True]["n"], "token": sentence.labels})
    for cached, way in WAYS.items():
        rows[f"multiply-adds {way}"] = ways[cached]["multiply_adds"]
    if "seconds" in table:
        for cached, way in WAYS.items():
            rows[f"time {way}"] = [seconds_text(s) for s in ways[cached]["seconds"]]
    st.dataframe(
        rows,
        hide_index=True,
        column_config={
            name: st.column_config.NumberColumn(name, format="localized")
            for name in rows
            if name.startswith("multiply")
        },
        alt="What each token costs, with a cache and without one.",
    )


def _alt(name: str, table: pd.DataFrame, quantity: str) -> str:
    last = table.groupby("way")[quantity].last()
    written = "; ".join(f"{way}: {value:,.6g}" for way, value in last.items())
    return f"Two lines over the tokens, {name}. At the last token, {written}."
