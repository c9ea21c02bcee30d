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


def f_of_found(pred_found: int, n_pred: int, gt_found: int, n_gt: int, *, perfect: bool) -> float:
    """Return the F-score of the points of both sides that are found in the other.

    0 if one side has no point; if neither has, 1, or NaN unless that is perfect.
    """
    both_empty = 1.0 if perfect else math.nan
    return f_score(share(pred_found, n_pred), share(gt_found, n_gt), both_empty)


def overlap(shared: int, union: int, *, perfect: bool) -> float:
    """Return the IoU of two bands; of none 1, or NaN unless that is perfect."""
    return shared / union if union else (1.0 if perfect else math.nan)
