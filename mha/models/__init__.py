"""The sizes of real models, each with the source that they were read in.

`MODELS` holds each row by a short name: `MODELS["gpt2"].n_heads` is 12. A model whose sizes could
not be read is not in it.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from mha.models.early import EARLY
from mha.models.model import BIASED, KINDS, SHARINGS, Latent, Model
from mha.models.open_weights import OPEN_WEIGHTS

__all__ = ["BIASED", "KINDS", "MODELS", "SHARINGS", "Latent", "Model"]

MODELS: Mapping[str, Model] = MappingProxyType(EARLY | OPEN_WEIGHTS)
