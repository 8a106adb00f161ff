"""What a head does, measured from its weights alone.

    score = mean over the queries that have a target of the weight on their targets    in [0, 1]

A job names, for each query i, the keys that a head with this job would look at:

    previous token    i - 1
    same symbol       every earlier place of the symbol at i
    induction         every place just after an earlier place of the symbol at i
    matching bracket  the innermost bracket still open at i
    pronoun's name    the latest name before the pronoun at i that goes with it
    first token       0
    itself            i

A query without a target is left out, and so is the first one in every job: a causal head can look
nowhere else. A text in which no query has a target gives the score 0, to a uniform head as well.

A number is judged beside what a head that looks evenly at all it sees would score on the same text.
"""

from mha.scoring.names import (
    AHEAD,
    MIXED,
    STANDS_OUT,
    label,
    lift,
)
from mha.scoring.scores import (
    duplicate_token_score,
    first_token_score,
    induction_score,
    matching_bracket_score,
    previous_token_score,
    pronoun_name_score,
    score,
    self_score,
    uniform_weights,
)
from mha.scoring.targets import (
    duplicate_token_targets,
    first_token_targets,
    induction_targets,
    matching_bracket_targets,
    previous_token_targets,
    pronoun_name_targets,
    self_targets,
)

__all__ = [
    "AHEAD",
    "MIXED",
    "STANDS_OUT",
    "duplicate_token_score",
    "duplicate_token_targets",
    "first_token_score",
    "first_token_targets",
    "induction_score",
    "induction_targets",
    "label",
    "lift",
    "matching_bracket_score",
    "matching_bracket_targets",
    "previous_token_score",
    "previous_token_targets",
    "pronoun_name_score",
    "pronoun_name_targets",
    "score",
    "self_score",
    "self_targets",
    "uniform_weights",
]
