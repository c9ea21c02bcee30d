"""Weighted F-measure, from the sums of the weighted errors.

Margolin, Zelnik-Manor and Tal, "How to evaluate foreground maps?", CVPR 2014; design paper,
appendix B.5.
"""

from __future__ import annotations

from fastsegmetrics.scores.confusion import EPS


def weighted_precision(n_foreground: float, missed: float, false: float) -> float:
    """Share of the weighted predicted mass that is foreground; 0 without foreground."""
    if n_foreground == 0:
        return 0.0
    hit = n_foreground - missed
    return hit / (hit + false + EPS)


def weighted_recall(n_foreground: float, missed: float, false: float) -> float:
    """1 minus the mean weighted error on the foreground; 0 without foreground."""
    if n_foreground == 0:
        return 0.0
    return 1.0 - missed / n_foreground


def weighted_f(n_foreground: float, missed: float, false: float, beta2: float) -> float:
    """Weighted F_β of the sums of weighted errors on the foreground and on the background."""
    p = weighted_precision(n_foreground, missed, false)
    r = weighted_recall(n_foreground, missed, false)
    return (1.0 + beta2) * r * p / (r + beta2 * p + EPS)
