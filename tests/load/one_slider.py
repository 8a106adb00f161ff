"""What Streamlit alone can do: the app that the load test has beside ours."""

import streamlit as st

st.write(st.slider("A number", 0, 100, key="number"))
