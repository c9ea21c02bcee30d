"""How conventions have degenerate counts scored, and which scores are wanted."""

from __future__ import annotations

import math

import numpy as np

from fastsegmetrics.conventions import Conventions
from fastsegmetrics.scores import SWEEP_SCORES
from fastsegmetrics.scores.confusion import ScoreRule

#: Which of `SWEEP_SCORES` are scored when all are.
ALL_SCORES = np.ones(len(SWEEP_SCORES), np.bool_)
ALL_SCORES.flags.writeable = False


def score_rule(conventions: Conventions) -> ScoreRule:
    """Return how degenerate counts are scored under some conventions."""
    strict = conventions.policy == "strict"
    perfect = 1.0 if conventions.both_empty == "perfect" else math.nan
    return ScoreRule(
        strict,
        perfect if strict else 0.0,
        conventions.beta2,
        conventions.e_denominator == "N",
    )
