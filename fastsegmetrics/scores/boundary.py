"""Scores of counts along boundaries, in bands and on centre lines."""

from __future__ import annotations

import math


def share(part: float, whole: float) -> float:
    """Return a part of a whole; NaN of nothing."""
    return part / whole if whole else math.nan


def f_score(precision: float, recall: float, both_empty: float) -> float:
    """Return 2·p·r/(p + r); 0 if one share is of nothing, `both_empty` if both are."""
    if math.isnan(precision) and math.isnan(recall):
        return both_empty
    total = precision + recall
    # Also where one is NaN.
    return 2.0 * precision * recall / total if total > 0 else 0.0
