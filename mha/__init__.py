"""The core of the explorer: multi-head attention, every number of it computed.

Nothing here imports Streamlit, and `mha.module`, `mha.training`, `mha.pitfalls` and
`mha.mask_doctor` alone import torch, so that a script or a page that needs none of them does not
pay for it.
"""
