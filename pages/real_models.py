"""Sizes in real models: grouped queries, the cache that they make small, the cost of decoding."""

import streamlit as st

from pages.parts import bound
from pages.parts.export import offer
from pages.parts.real_models import cache, choose, decode, groups, predict, table
from pages.parts.scene import enter

STEPS = ("Grouped queries", "The cache", "Token by token", "All models", "Predict")

scene = enter()
with st.container(horizontal=True, horizontal_alignment="distribute", vertical_alignment="bottom"):
    st.title("Sizes in real models", width="content")
    model = choose.model()
picture_place = st.container()
step = bound.segments("Step", STEPS, key="models_step", label_visibility="collapsed", is_walk=True)
taken = None
match step:
    case "Grouped queries":
        asked = choose.how_much()
        with picture_place:
            picture = st.container()
            kv_heads = choose.kv_heads(model)
        with picture:
            drawn = groups.draw(model, kv_heads, asked)
        taken = groups.tell(model, kv_heads, asked, drawn)
    case "The cache":
        taken = cache.show(model, choose.how_much(), picture_place)
    case "Token by token":
        taken = decode.show(scene, picture_place)
    case "All models":
        taken = table.show(model, picture_place)
    case "Predict":
        taken = predict.ask(model, choose.how_much(), picture_place)
offer(taken)
