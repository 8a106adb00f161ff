"""What the overview is made of: doors for three kinds of visitors, and a card for every page."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

import streamlit as st

from mha.charts import Theme
from mha.charts.thumbnails import thumbnail_spec, with_hues
from mha.config import AttentionConfig
from mha.sentence import Sentence
from pages.parts import look, presenter
from pages.parts.overview.pictures import PICTURES
from pages.parts.scene import Scene, pages


def doors(each: Mapping[str, tuple[str, str]]) -> None:
    """Doors side by side: for whom each is, the page that it opens, and why that one."""
    with st.container(key="doors"):
        for who, (page, why) in each.items():
            with st.container(key=f"door_{page}", gap="xxsmall"):
                st.markdown(f"**{who}** {why}")
                _link(page)


def draw(each: Mapping[str, str], scene: Scene) -> None:
    """A card for every page that is named, with its picture where it has one."""
    with st.container(key="cards"):
        for page, what in each.items():
            with st.container(key=f"card_{page}", border=True, gap="xsmall"):
                _link(page)
                if page in PICTURES:
                    _, of_the_scene = PICTURES[page]
                    _picture(page, of_the_scene(scene), look.theme(), presenter.is_on())
                st.markdown(what)


def _link(page: str) -> None:
    """The link of the page, which keeps the scene."""
    st.page_link(f"pages/{page}.py", label=f"**{_titles()[page]}\N{NO-BREAK SPACE}→**")


@st.cache_data(
    max_entries=1024,
    show_spinner=False,
    hash_funcs={Sentence: lambda one: (one.tokens, one.categories), AttentionConfig: repr},
)
def _picture(page: str, made_of: tuple[Any, ...], theme: Theme, presents: bool) -> None:
    """Draw a card's picture; what it sends is kept, and sent again to whoever has the same.

    presents: for whom a picture is another one.
    """
    compute, _ = PICTURES[page]
    table, alt = compute(*made_of)
    look.picture(with_hues(table, theme), thumbnail_spec(), alt=alt)


@cache
def _titles() -> dict[str, str]:
    return {page.url_path or "overview": page.title for page in pages()}
