"""A doctor for masks: what was pasted, and what becomes of it.

`reading` takes the text, `pasted` is the mask, `diagnosis` gives it to PyTorch's two functions, and
`findings` says what is wrong.
"""

from mha.mask_doctor.diagnosis import (
    DTYPES,
    Diagnosis,
    DType,
    Reading,
    diagnose,
    seeded_scores,
    usual_dtype,
)
from mha.mask_doctor.findings import (
    COUNTS,
    FUNCTIONS,
    PROBLEMS,
    Counts,
    Finding,
    Function,
    Problem,
)
from mha.mask_doctor.pasted import KINDS, Kind, PastedMask, Place
from mha.mask_doctor.reading import MAX_MASK, MAX_MASK_TEXT, MaskTextError, read_mask

__all__ = [
    "COUNTS",
    "DTYPES",
    "FUNCTIONS",
    "KINDS",
    "MAX_MASK",
    "MAX_MASK_TEXT",
    "PROBLEMS",
    "Counts",
    "DType",
    "Diagnosis",
    "Finding",
    "Function",
    "Kind",
    "MaskTextError",
    "PastedMask",
    "Place",
    "Problem",
    "Reading",
    "diagnose",
    "read_mask",
    "seeded_scores",
    "usual_dtype",
]
