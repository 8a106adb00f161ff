"""The scene that all pages share: the words, the sizes and the mask, and the link that keeps them.

Each shared widget is bound to the link under its own key: `tokens`, `categories`, `d_model`,
`heads`, `causal`. A page begins with `scene = enter()`.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import streamlit as st

from mha.checks import divisors, nearest_divisors
from mha.config import AttentionConfig
from mha.sentence import EXAMPLE, Sentence, carry_categories
from pages.parts import bound, link, presenter
from pages.parts.link import D_MODEL_RANGE, DEFAULT_D_MODEL, DEFAULT_HEADS
from pages.parts.words import plain

MAX_DIGITS = 64
SHARED_KEYS = ("tokens", "categories", "d_model", "heads", "causal")  # the link's own words


@dataclass(frozen=True)
class Scene:
    """What the sidebar says, checked: every page starts from it."""

    sentence: Sentence
    config: AttentionConfig
    causal: bool
    # What could not be taken as it was asked for, in words.
    notes: tuple[str, ...] = field(default=(), compare=False)


def pages() -> list[st.Page]:
    """Every page of the app, in order. A page's address is its file's stem.

    No icons: a page's icon is also its tab's, which Streamlit fetches from another server.
    """
    return [
        st.Page("pages/overview.py", title="Overview", default=True),
        st.Page("pages/hand_built_heads.py", title="Hand-built heads"),
        st.Page("pages/training.py", title="Heads that learn their jobs"),
        st.Page("pages/split_merge.py", title="Split and merge"),
        st.Page("pages/fused_module.py", title="The fused module"),
        st.Page("pages/parameters.py", title="Where the parameters are"),
        st.Page("pages/real_models.py", title="Sizes in real models"),
        st.Page("pages/pitfalls.py", title="Pitfalls"),
        st.Page("pages/tour.py", title="Tour"),
    ]


def enter() -> Scene:
    """The scene, for a page; the first line of every page calls this.

    A server that has just started runs the page of a deep link without the entrypoint, and so
    without the sidebar. Announcing the pages and starting again brings the entrypoint in.
    """
    if "scene" not in st.session_state:
        st.navigation(pages())
        st.rerun()
    scene = st.session_state["scene"]
    with st.container(key="notes_for_phones"):  # where the sidebar, which has them, is folded away
        _warn(scene.notes)
    return scene


def sidebar() -> None:
    """Draw the shared widgets, and keep the scene that they describe for the page."""
    if "notes" not in st.session_state:
        st.session_state["notes"], is_mended = link.mend()
        if is_mended:
            st.rerun()  # the widgets read the link as it was when the run began
    with st.sidebar:
        text = st.text_input(
            "Tokens",
            value=EXAMPLE,
            key="tokens",
            bind="query-params",
            live=True,
            on_change=_words_changed,
            help="Words, split at white space: up to 32.",
        )
        digits = st.text_input(
            "Categories",
            key="categories",
            bind="query-params",
            max_chars=MAX_DIGITS,
            placeholder="guessed from the words",
            on_change=_changed,
            args=("categories",),
            help="One digit a token: 0 product, 1 feature, 2 filler. "
            "Or choose them on the page about hand-built heads.",
        )
        causal = st.toggle(
            "Causal mask",
            value=True,
            key="causal",
            bind="query-params",
            on_change=_changed,
            args=("causal",),
            help="On: a token sees itself and what stands before it.",
        )
        config = _sizes()
        presenter.toggle()
        sentence, complaints = Sentence.fit(text, digits)
        notes = (*complaints, *st.session_state["notes"].values())
        _warn(notes)
    st.session_state["scene"] = Scene(sentence, config, causal, notes)


def _warn(notes: tuple[str, ...]) -> None:
    for note in notes:
        st.warning(plain(note), icon=":material/info:")


def choose_categories(sentence: Sentence) -> None:
    """Put these categories into the link, or nothing where they are the ones guessed anyway."""
    bound.assign("categories", "" if sentence.is_guessed else sentence.category_digits)


def _sizes() -> AttentionConfig:
    d_model = st.slider(
        "d_model",
        *D_MODEL_RANGE,
        value=DEFAULT_D_MODEL,
        step=2,
        key="d_model",
        bind="query-params",
        on_change=_width_changed,
        help="Numbers in a token's vector, on the pages about the fused module.",
    )
    heads = st.select_slider(
        "Heads",
        options=divisors(d_model),
        value=nearest_divisors(d_model, DEFAULT_HEADS)[0],
        key="heads",
        bind="query-params",
        on_change=_changed,
        args=("heads",),
        help="The numbers that divide d_model.",
    )
    if d_model % heads:  # between two runs the options can move from under the value
        heads = nearest_divisors(d_model, heads)[0]
    config = AttentionConfig(d_model, heads)
    st.caption(f"d_head = {d_model} / {heads} = {config.d_head}")
    return config


def _words_changed() -> None:
    """Let words that stayed keep the category that somebody chose for them."""
    # The link is written anew even where only a chosen word has gone, so tokens must be in it. A
    # limit of the widget's own would drop a text that is too long, and say nothing.
    bound.assign("tokens", st.session_state["tokens"][: link.LONGEST_TEXT])
    old = st.session_state["scene"].sentence
    if not old.is_guessed:
        tokens = Sentence.fit(st.session_state["tokens"])[0].tokens
        kept = Sentence(tokens, carry_categories(old, tokens))
        choose_categories(kept)


def _width_changed() -> None:
    """Take the head count that is nearest, and say so, where the new width leaves none behind."""
    _changed("d_model")
    st.session_state["notes"].pop("heads", None)
    d_model, heads = st.session_state["d_model"], st.session_state["heads"]
    nearest = nearest_divisors(d_model, heads)[0]
    if nearest != heads:
        bound.assign("heads", nearest)
        st.session_state["notes"]["heads"] = link.not_dividing("d_model", d_model, "heads", heads)


def _changed(key: str) -> None:
    bound.changed(key)
    st.session_state["notes"].pop(key, None)
