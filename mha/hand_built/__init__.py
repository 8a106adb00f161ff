"""Heads written by hand: `heads` builds them, `gallery` names them, `challenges` sets tasks."""

from mha.hand_built.challenges import CHALLENGES, DONE, Challenge
from mha.hand_built.copying import CopyingTrace, copy_what_followed
from mha.hand_built.edits import (
    MAX_EDIT,
    MAX_EDITS,
    MAX_EDITS_TEXT,
    Edits,
    read_edits,
    write_edits,
)
from mha.hand_built.gallery import GALLERY, GalleryHead
from mha.hand_built.heads import (
    MAX_SHARPNESS,
    HandBuiltHead,
    feature_names,
    features,
    first_token_head,
    most_attended,
    n_back_head,
    nearest_of_category_head,
    next_token_head,
    own_edits,
    own_head,
    previous_token_head,
    same_category_head,
    same_word_head,
    self_head,
    uniform_head,
)
from mha.hand_built.predict import Verdict, judge

__all__ = [
    "CHALLENGES",
    "DONE",
    "GALLERY",
    "MAX_EDIT",
    "MAX_EDITS",
    "MAX_EDITS_TEXT",
    "MAX_SHARPNESS",
    "Challenge",
    "CopyingTrace",
    "Edits",
    "GalleryHead",
    "HandBuiltHead",
    "Verdict",
    "copy_what_followed",
    "feature_names",
    "features",
    "first_token_head",
    "judge",
    "most_attended",
    "n_back_head",
    "nearest_of_category_head",
    "next_token_head",
    "own_edits",
    "own_head",
    "previous_token_head",
    "read_edits",
    "same_category_head",
    "same_word_head",
    "self_head",
    "uniform_head",
    "write_edits",
]
