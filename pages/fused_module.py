"""The fused module, walked step by step: shapes, strides, memory, and what each step costs."""

import streamlit as st

from pages.parts import bound, presenter
from pages.parts.export import offer
from pages.parts.export.module import of_step
from pages.parts.fused_module import compare, tensor, walk
from pages.parts.fused_module.run import run
from pages.parts.kv_heads import choose_kv_heads
from pages.parts.scene import enter

scene = enter()
st.title("The fused module")
presenter.aside("introduction").markdown(
    "One layer for all heads, and the same 17 steps whatever their number. Choose a step: the "
    "arrow keys walk through the diagram. Dashed steps write nothing: they only look at memory "
    "in another way."
)
diagram = st.container()
with st.container(key="facts_and_picture"):  # side by side on a presenter's page
    facts = st.container()
    picture = st.container()
presenter.aside("sizes").subheader("Step, sizes and seed")
wrong_links = st.container()
step_column, batch_column, kv_column, seed_column = st.columns([3, 2, 4, 2], gap="medium")
with step_column:
    step = walk.choose_step()
with batch_column:
    batch = bound.segments("Batch", (1, 2), key="batch", tell_in=wrong_links)
with kv_column:
    config = choose_kv_heads(scene.config, tell_in=wrong_links)
with seed_column:
    seed = bound.number(
        "Seed", 0, 9999, value=0, key="seed", tell_in=wrong_links, help="Of x and of the weights."
    )

done = run(scene.sentence, config, scene.causal, batch, seed or 0)
with diagram:
    walk.draw_flow(done, step)
with facts:
    walk.tell(done, step)
with picture:
    panels = tensor.show(done, step)
compare.show(done)
offer(of_step(done, step, panels))
