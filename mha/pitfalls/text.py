"""Mistakes with the words themselves: what is counted, and what a picture's axis is named by.

The functions are written as people write them, without types, since their source is shown.
"""

from __future__ import annotations

from typing import Any

import regex
import torch

from mha.pitfalls.case import Input, Pitfall

_FAMILY = "\N{MAN}\N{ZERO WIDTH JOINER}\N{WOMAN}\N{ZERO WIDTH JOINER}\N{GIRL}"
_FLAG = "\N{REGIONAL INDICATOR SYMBOL LETTER D}\N{REGIONAL INDICATOR SYMBOL LETTER E}"
_ACCENTED = "e\N{COMBINING ACUTE ACCENT}"


# A word that repeats


def columns_wrong(tokens, weights):
    by_token = {}
    for i, token in enumerate(tokens):
        by_token[token] = weights[:, i]
    return torch.stack(list(by_token.values()), dim=1)


def columns_right(tokens, weights):
    by_token = {}
    for i, token in enumerate(tokens):
        by_token[i, token] = weights[:, i]
    return torch.stack(list(by_token.values()), dim=1)


def check_columns(columns):
    drawn = columns(["A", "B", "B"], torch.eye(3))
    assert torch.equal(drawn, torch.eye(3)), "a token that repeats must keep its own column"


def _weights_of_words(words: str) -> dict[str, Any]:
    tokens = words.split()
    return {"tokens": tokens, "weights": torch.eye(len(tokens))}


# A character that a reader sees


def count_characters_wrong(text):
    return [len(text)]


def count_characters_right(text):
    return [len(regex.findall(r"\X", text))]


def check_count_characters(count_characters):
    joiner = "\N{ZERO WIDTH JOINER}"
    family = f"\N{MAN}{joiner}\N{WOMAN}{joiner}\N{GIRL}"
    assert count_characters(family) == [1], "a reader sees one family"


TEXT = (
    Pitfall(
        key="repeated_word",
        name="A word that repeats loses its column",
        topic="text",
        number=5,
        task="Gather the columns of a picture, one for each token, under the tokens' names.",
        sentence="An axis that is named by the words has one place for two equal ones, and the "
        "later takes the earlier one's; count the columns to see it.",
        wrong=columns_wrong,
        right=columns_right,
        arguments=_weights_of_words,
        inputs={
            "words": Input(
                "words", "A B B C D", ("A B B C D", "the cat and the dog", "a b c", "no no no")
            )
        },
        check=check_columns,
        axes=("T_q", "T_k"),
        shows="weights",
        report="https://github.com/plotly/plotly.js/issues/1516",
        page="hand_built_heads",
    ),
    Pitfall(
        key="character_count",
        name="A character is not what len counts",
        topic="text",
        number=11,
        task="Count the characters that a reader sees in a text.",
        sentence="`len` counts code points, of which one sign on the screen may take many, so "
        "cutting there breaks it and labels shift; ask for what a reader sees.",
        wrong=count_characters_wrong,
        right=count_characters_right,
        arguments=lambda text: {"text": text},
        inputs={"text": Input("text", _FAMILY, (_FAMILY, _FLAG, _ACCENTED, "light"))},
        check=check_count_characters,
        axes=("characters",),
        report="https://github.com/huggingface/tokenizers/issues/1162",
        page="hand_built_heads",
    ),
)
