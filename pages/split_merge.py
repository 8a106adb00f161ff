"""Split and merge, animated: the same numbers, grouped by head and put together again."""

import streamlit as st

from mha.layout import MISTAKES, stages
from pages.parts import bound, presenter
from pages.parts.animation import animate
from pages.parts.export import offer
from pages.parts.export.layout import of_stages
from pages.parts.scene import enter
from pages.parts.split_merge import memory, outcome, sizes, stills

scene = enter()
wrong_links = st.container()
with st.container(horizontal=True, horizontal_alignment="distribute", vertical_alignment="bottom"):
    st.title("Split and merge", width="content")
    mistake = bound.segments(
        "Mistake",
        ("none", *MISTAKES),
        key="mistake",
        tell_in=wrong_links,
        help="A real one, which raises no error. The numbers in the wrong place are crossed out.",
    )
st.markdown("The picture regroups at every step; the memory under it changes only by a copy.")
picture, below_picture = st.container(), st.container()
outcome_column, batch_column = st.columns([7, 1])
with batch_column:
    batch = bound.segments("Batch", (1, 2), key="batch", tell_in=wrong_links)
size, notes = sizes.fit(scene, batch)
for note in notes:
    place = below_picture if presenter.is_on() else picture
    place.info(note, icon=":material/info:")

mistaken = None if mistake == "none" else mistake
steps = stages(*size, mistake=mistaken)
with outcome_column:
    outcome.show(steps, size)
memory.show(size)
asked, number = stills.show(steps, size, wrong_links)
offer(of_stages(steps, size, mistaken, number))

with picture:
    animate(size, mistaken, asked=asked, stage=number)
