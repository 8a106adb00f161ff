"""One mistake: what it gives beside what is right, the code of both, and how one would notice."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from pages.parts import presenter
from pages.parts.pitfalls import answers

if TYPE_CHECKING:
    from mha.pitfalls import Outcome, Pitfall

TITLES = {"wrong": "**Wrong**", "right": "**Right**"}


def draw(pitfall: Pitfall, outcome: Outcome) -> None:
    """What goes wrong, in a sentence and in two pictures."""
    st.markdown(presenter.named(pitfall.name, pitfall.sentence))
    answers.draw(pitfall, outcome, TITLES)
    st.markdown(f"{counted(outcome)}")


def counted(outcome: Outcome) -> str:
    """How much differs, in bold."""
    outlined = ", outlined" if outcome.n_differ else ""
    return f"**{outcome.summary[0].upper()}{outcome.summary[1:]}**{outlined}."


def tell(pitfall: Pitfall) -> None:
    """Both functions, a check to paste, the report, and the page that explains the idea."""
    wrong, right = st.columns(2, gap="large")
    with wrong:
        st.markdown("**The wrong code**")
        st.code(pitfall.wrong_code, "python", wrap_lines=True)
    with right:
        st.markdown("**The right code**")
        st.code(pitfall.right_code, "python", wrap_lines=True)
    notice, further = st.columns([3, 2], gap="large")
    with notice:
        st.markdown("**How to notice**: paste this after your own function.")
        st.code(pitfall.check_code, "python", wrap_lines=True)
    with further:
        st.markdown("**Reported in**")
        st.markdown(f"[{pitfall.report.removeprefix('https://')}]({pitfall.report})")
        st.markdown("**The idea is explained in**")
        st.page_link(f"pages/{pitfall.page}.py")
