"""The core of the explorer: multi-head attention, every number of it computed.

Nothing here imports Streamlit, and `mha.module` and `mha.training` alone import torch, so that a
script or a page that needs neither does not pay for them.
"""
