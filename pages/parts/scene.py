"""The scene that all pages share: the words, the sizes and the mask, and the link that keeps them.

Each shared widget is bound to the link under its own key: `tokens`, `categories`, `d_model`,
`heads`, `causal`. A page begins with `scene = enter()`.
"""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st

from mha.checks import divisors, nearest_divisors
from mha.config import AttentionConfig
from mha.sentence import EXAMPLE, Sentence, carry_categories
from pages.parts import link
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


def pages() -> list[st.Page]:
    """Every page of the app, in order. A page's address is its file's stem.

    No icons: a page's icon is also its tab's, which Streamlit fetches from another server.
    """
    return [
        st.Page("pages/overview.py", title="Overview", default=True),
        st.Page("pages/hand_built_heads.py", title="Hand-built heads"),
        st.Page("pages/split_merge.py", title="Split and merge"),
        st.Page("pages/parameters.py", title="Where the parameters are"),
    ]


def enter() -> Scene:
    """The scene, for a page; the first line of every page calls this.

    A server that has just started runs the page of a deep link without the entrypoint, and so
    without the sidebar. Announcing the pages and starting again brings the entrypoint in.
    """
    if "scene" not in st.session_state:
        st.navigation(pages())
        st.rerun()
    return st.session_state["scene"]


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
            on_change=_forget_note,
            args=("categories",),
            help="One digit a token: 0 product, 1 feature, 2 filler. "
            "Or choose them on the page about hand-built heads.",
        )
        causal = st.toggle(
            "Causal mask",
            value=True,
            key="causal",
            bind="query-params",
            on_change=_forget_note,
            args=("causal",),
            help="On: a token sees itself and what stands before it.",
        )
        config = _sizes()
        sentence, complaints = Sentence.fit(text, digits)
        for complaint in (*complaints, *st.session_state["notes"].values()):
            st.warning(plain(complaint), icon=":material/info:")
    st.session_state["scene"] = Scene(sentence, config, causal)


def choose_categories(sentence: Sentence) -> None:
    """Put these categories into the link, or nothing where they are the ones guessed anyway."""
    st.session_state["categories"] = "" if sentence.is_guessed else sentence.category_digits


def assign(key: str, value: object, *, because_of: str | None = None) -> None:
    """Set a bound widget's value from a callback.

    Args:
        because_of: the bound widget whose change is answered. It is set too, to the value that it
            has: Streamlit now writes the whole link anew from what the server knows of it, and the
            browser may not have told it of that change yet.
    """
    st.session_state[key] = value
    if because_of is not None:
        st.session_state[because_of] = st.session_state[because_of]


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
        on_change=_forget_note,
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
    assign("tokens", st.session_state["tokens"][: link.LONGEST_TEXT])
    old = st.session_state["scene"].sentence
    if not old.is_guessed:
        tokens = Sentence.fit(st.session_state["tokens"])[0].tokens
        kept = Sentence(tokens, carry_categories(old, tokens))
        choose_categories(kept)


def _width_changed() -> None:
    """Take the head count that is nearest, and say so, where the new width leaves none behind."""
    _forget_note("d_model")
    _forget_note("heads")
    d_model, heads = st.session_state["d_model"], st.session_state["heads"]
    nearest = nearest_divisors(d_model, heads)[0]
    if nearest != heads:
        assign("heads", nearest, because_of="d_model")
        st.session_state["notes"]["heads"] = (
            f"heads must divide d_model; got d_model={d_model}, heads={heads}. "
            f"Showing heads={nearest}, the nearest that does."
        )


def _forget_note(key: str) -> None:
    st.session_state["notes"].pop(key, None)
