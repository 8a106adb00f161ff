"""A rerun of the whole page on the server, against the same two pictures made with pyplot."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from streamlit.testing.v1 import AppTest

from tests.benchmarks.pairs import Pair

ROOT = Path(__file__).resolve().parents[2]
SECONDS = 60


def pairs() -> Iterator[Pair]:
    """Every page whose rerun is worth watching."""
    yield from heads_pairs()
    yield from module_pairs()


def heads_pairs() -> Iterator[Pair]:
    """Ours draws the whole page, widgets and arithmetic included; theirs two pictures alone."""
    ours = AppTest.from_file(ROOT / "streamlit_app.py", default_timeout=SECONDS).run()
    ours.switch_page("pages/hand_built_heads.py").run()
    theirs = AppTest.from_function(pyplot_page, default_timeout=SECONDS).run()
    if ours.exception or theirs.exception:
        raise RuntimeError(
            f"A page to be timed must run; got {ours.exception or theirs.exception}."
        )
    sharpness = iter(range(10**9))

    def move_slider() -> None:
        ours.slider("sharp_left").set_value(float(next(sharpness) % 10)).run()

    def move_their_slider() -> None:
        theirs.slider("sharpness").set_value(float(next(sharpness) % 10)).run()

    yield Pair(
        "rerun of hand-built heads, a slider moved",
        move_slider,
        "a page of two matplotlib pictures",
        move_their_slider,
        aim=1 / 3,
    )


def module_pairs() -> Iterator[Pair]:
    """The page about the fused module at d_model 64 and T = 12, torch loaded; hoped for: 100 ms."""
    link = {"tokens": " ".join(f"w{i}" for i in range(12)), "d_model": "64", "heads": "8"}
    apps = []
    for page in ("fused_module", "hand_built_heads"):
        app = AppTest.from_file(ROOT / "streamlit_app.py", default_timeout=SECONDS)
        app.query_params.update(link)
        apps.append(app.run().switch_page(f"pages/{page}.py").run())
    ours, theirs = apps
    number = iter(range(10**9))
    yield Pair(
        "rerun of the fused module, a slider moved",
        lambda: ours.select_slider("kv_heads").set_value(("4", "2")[next(number) % 2]).run(),
        "rerun of hand-built heads, a slider moved",
        lambda: theirs.slider("sharp_left").set_value(float(next(number) % 10)).run(),
    )


def pyplot_page() -> None:
    """Two heads' weights with `st.pyplot`: words on both axes, numbers in the cells."""
    import matplotlib.pyplot as plt
    import streamlit as st

    from mha.hand_built import features, previous_token_head, same_category_head
    from mha.sentence import EXAMPLE, Sentence

    text = st.text_input("Tokens", EXAMPLE)
    sharpness = st.slider("Sharpness", 0.0, 10.0, 6.0, key="sharpness")
    sentence = Sentence.parse(text)
    T, X = len(sentence), features(sentence)
    heads = (previous_token_head(T, sharpness), same_category_head(T))
    for head, column in zip(heads, st.columns(2), strict=True):
        weights = head.weights(X)
        figure, axes = plt.subplots(figsize=(5, 4))
        axes.imshow(weights, vmin=0, vmax=1)
        axes.set_xticks(range(T), sentence.labels, rotation=45)
        axes.set_yticks(range(T), sentence.labels)
        axes.set_title(head.name)
        for query in range(T):
            for key in range(query + 1):
                axes.text(key, query, f"{weights[query, key]:.2f}", ha="center", va="center")
        column.pyplot(figure)
        plt.close(figure)
