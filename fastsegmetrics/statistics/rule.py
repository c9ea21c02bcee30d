"""How conventions have degenerate counts scored."""

from __future__ import annotations

import math

from fastsegmetrics.conventions import Conventions
from fastsegmetrics.scores.confusion import ScoreRule


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
