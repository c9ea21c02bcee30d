"""Scores of one binary partition, from its four counts.

``tp``, ``fp``, ``fn``, ``tn`` are numbers of pixels; every function is defined for all
non-negative counts whose sum is positive.  Formulas: design paper, appendix B.2 and B.3.
"""

from __future__ import annotations

import math
from typing import NamedTuple


class ScoreRule(NamedTuple):
    """How degenerate counts are scored, and the free constants of the formulas."""

    strict: bool
    both_empty: float
    beta2: float
    divide_by_n: bool


# The spacing of doubles at 1, which the reference programs add to their denominators.
EPS = 2.0**-52


def _ratio(part: float, whole: float) -> float:
    return part / whole if whole > 0 else 0.0


def precision(tp: float, fp: float, fn: float, tn: float, rule: ScoreRule) -> float:
    """Share of the predicted foreground that is foreground: tp / (tp + fp)."""
    if tp + fp + fn == 0:
        return rule.both_empty
    return _ratio(tp, tp + fp)


def recall(tp: float, fp: float, fn: float, tn: float, rule: ScoreRule) -> float:
    """Share of the foreground that is predicted (TPR, sensitivity): tp / (tp + fn)."""
    if tp + fp + fn == 0:
        return rule.both_empty
    return _ratio(tp, tp + fn)


def f_measure(tp: float, fp: float, fn: float, tn: float, rule: ScoreRule, beta2: float) -> float:
    """Weighted harmonic mean of precision and recall: (1 + β²)PR / (β²P + R)."""
    if tp + fp + fn == 0:
        return rule.both_empty
    p = _ratio(tp, tp + fp)
    r = _ratio(tp, tp + fn)
    return _ratio((1.0 + beta2) * p * r, beta2 * p + r)


def f_beta(tp: float, fp: float, fn: float, tn: float, rule: ScoreRule) -> float:
    """F-measure with the β² of the conventions (0.3 in the saliency literature)."""
    return f_measure(tp, fp, fn, tn, rule, rule.beta2)


def f1(tp: float, fp: float, fn: float, tn: float, rule: ScoreRule) -> float:
    """F-measure with β² = 1."""
    return f_measure(tp, fp, fn, tn, rule, 1.0)


def iou(tp: float, fp: float, fn: float, tn: float, rule: ScoreRule) -> float:
    """Intersection over union: tp / (tp + fp + fn)."""
    if tp + fp + fn == 0:
        return rule.both_empty
    return tp / (tp + fp + fn)


def dice(tp: float, fp: float, fn: float, tn: float, rule: ScoreRule) -> float:
    """Twice the intersection over the sum of areas: 2tp / (2tp + fp + fn)."""
    if tp + fp + fn == 0:
        return rule.both_empty
    return 2.0 * tp / (2.0 * tp + fp + fn)


def specificity(tp: float, fp: float, fn: float, tn: float, rule: ScoreRule) -> float:
    """Share of the background that is predicted as such (TNR): tn / (tn + fp)."""
    if tn + fp == 0:
        return math.nan if rule.strict else 0.0
    return tn / (tn + fp)


def fpr(tp: float, fp: float, fn: float, tn: float, rule: ScoreRule) -> float:
    """Share of the background that is predicted as foreground: fp / (tn + fp)."""
    if tn + fp == 0:
        return math.nan if rule.strict else 0.0
    return fp / (tn + fp)


def ber(tp: float, fp: float, fn: float, tn: float, rule: ScoreRule) -> float:
    """Balanced error rate: 1 − (TPR + TNR)/2; strict averages the rates that exist."""
    if rule.strict and tp + fn == 0:
        return 1.0 - tn / (tn + fp)
    if rule.strict and tn + fp == 0:
        return 1.0 - tp / (tp + fn)
    return 1.0 - 0.5 * (_ratio(tp, tp + fn) + _ratio(tn, tn + fp))


def kappa(tp: float, fp: float, fn: float, tn: float, rule: ScoreRule) -> float:
    """Agreement beyond chance, with the chance term of the literature's programs.

    (OA − pe)/(1 − pe) with pe = ((tp + fp)(tp + fn) + (tn + fn)(tn + tp))/N²; Cohen's background
    term is (tn + fn)(tn + fp), see `cohen_kappa`.  Multiplied out, so that nothing cancels: the
    products are exact up to 9·10⁷ pixels, where the quotient loses digits if OA is near pe.
    """
    n = tp + fp + fn + tn
    return _beyond_chance(n, tp + tn, (tp + fp) * (tp + fn) + (tn + fn) * (tn + tp), rule)


def cohen_kappa(tp: float, fp: float, fn: float, tn: float, rule: ScoreRule) -> float:
    """Cohen's kappa: (OA − pe)/(1 − pe), pe = ((tp + fp)(tp + fn) + (tn + fn)(tn + fp))/N²."""
    n = tp + fp + fn + tn
    return _beyond_chance(n, tp + tn, (tp + fp) * (tp + fn) + (tn + fn) * (tn + fp), rule)


def _beyond_chance(n: float, agreeing: float, chance: float, rule: ScoreRule) -> float:
    if n * n == chance:
        return math.nan if rule.strict else 0.0
    return (n * agreeing - chance) / (n * n - chance)


def accuracy(tp: float, fp: float, fn: float, tn: float, rule: ScoreRule) -> float:
    """Overall accuracy: (tp + tn)/N."""
    return (tp + tn) / (tp + fp + fn + tn)
