"""The name of what a head does: the job that stands out among its scores, if one does."""

from __future__ import annotations

from collections.abc import Mapping

from mha.checks import require_finite

# A job stands out when its lift, the way from the uniform score to 1, is at least 0.3: the jobs
# have different targets and a row has one weight to give, so that three at most can reach so far,
# and evenness or chance does not. The next best must have less than half: where two jobs come that
# close, neither is the head's.
STANDS_OUT = 0.3
AHEAD = 2.0
MIXED = "mixed"


def lift(score: float, uniform: float) -> float:
    """The way from a uniform head's score to 1: 0 is no better than even, 1 is perfect.

    Below 0 the head looks away. 0 where a uniform head scores 1 already.

    Raises:
        ValueError: a score that is no finite number.
    """
    score = require_finite("score", score, instead="a score in [0, 1]")
    uniform = require_finite("uniform", uniform, instead="a score in [0, 1]")
    return (score - uniform) / (1 - uniform) if uniform < 1 else 0.0


def label(scores: Mapping[str, float], uniform: Mapping[str, float]) -> str:
    """The job that stands out by measure, or "mixed".

    A job stands out when its lift is at least STANDS_OUT and at least AHEAD times the next best.

    Args:
        scores: a head's score by the name of the job.
        uniform: a uniform head's on the same text, by the same names.

    Raises:
        ValueError: no job, other names in `uniform`, or a score that is no finite number.
    """
    if not scores or set(scores) != set(uniform):
        raise ValueError(
            f"scores and uniform must name the same jobs, one at least; "
            f"got scores={list(scores)}, uniform={list(uniform)}. "
            f"Try the scores of uniform_weights(T) on the same text."
        )
    lifts = {job: lift(scores[job], uniform[job]) for job in scores}
    best, *others = sorted(lifts, key=lifts.__getitem__, reverse=True)
    is_ahead = not others or lifts[best] >= AHEAD * lifts[others[0]]
    return best if lifts[best] >= STANDS_OUT and is_ahead else MIXED
