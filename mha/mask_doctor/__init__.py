"""A doctor for masks: `reading` takes what was pasted, `diagnosis` says what becomes of it."""

from mha.mask_doctor.diagnosis import (
    DTYPES,
    FUNCTIONS,
    PROBLEMS,
    Diagnosis,
    DType,
    Finding,
    Function,
    Problem,
    Reading,
    diagnose,
    seeded_scores,
)
from mha.mask_doctor.reading import (
    KINDS,
    MAX_MASK,
    MAX_MASK_TEXT,
    Kind,
    MaskTextError,
    PastedMask,
    read_mask,
)

__all__ = [
    "DTYPES",
    "FUNCTIONS",
    "KINDS",
    "MAX_MASK",
    "MAX_MASK_TEXT",
    "PROBLEMS",
    "DType",
    "Diagnosis",
    "Finding",
    "Function",
    "Kind",
    "MaskTextError",
    "PastedMask",
    "Problem",
    "Reading",
    "diagnose",
    "read_mask",
    "seeded_scores",
]
