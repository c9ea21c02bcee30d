"""Scores of matched targets, from the counts of one threshold: of one image, or of a data set.

A rate with nothing below its line is 0, as the field's programs have it, unless there is no target
on either side: then it is undefined, NaN.  Formulas: design paper, appendix B.4; Pang et al. 2025.
"""

from __future__ import annotations

import math
from typing import NamedTuple


class TargetCounts(NamedTuple):
    """What one matching rule finds at one threshold.

    ``matched``, ``spurious``, ``missed`` count pairs, predicted targets without a partner and true
    ones without; ``false_area`` are pixels, of ``n_pixels``.  Of the targets without a partner,
    ``interference`` predictions and ``perception`` truths have none that could be theirs.
    """

    matched: int
    spurious: int
    missed: int
    false_area: int
    interference: int
    perception: int
    n_pixels: int

    @property
    def total(self) -> int:
        """Pairs and single targets together."""
        return self.matched + self.spurious + self.missed


class QualitySums(NamedTuple):
    """Sums over the matched pairs of shares of each pair's union; the four add up to the pairs."""

    overlap: float
    merge: float
    interference: float
    perception: float


def _ratio(part: float, whole: float, total: int) -> float:
    if total == 0:
        return math.nan
    return part / whole if whole else 0.0


def localisation(found: TargetCounts) -> float:
    """Intersection over union of the sets of targets: tp / (tp + fp + fn)."""
    return _ratio(found.matched, found.total, found.total)


def segmentation(found: TargetCounts, sums: QualitySums) -> float:
    """Mean IoU of the matched pairs; 0 without a pair."""
    return _ratio(sums.overlap, found.matched, found.total)


def hierarchical_iou(found: TargetCounts, sums: QualitySums) -> float:
    """Segmentation times localisation: the sum of the pairs' IoUs over tp + fp + fn."""
    return segmentation(found, sums) * localisation(found)


def detection(found: TargetCounts) -> float:
    """Probability of detection, the recall of targets: tp / (tp + fn)."""
    return _ratio(found.matched, found.matched + found.missed, found.total)


def precision(found: TargetCounts) -> float:
    """Share of the predicted targets that have a partner: tp / (tp + fp)."""
    return _ratio(found.matched, found.matched + found.spurious, found.total)


def f1(found: TargetCounts) -> float:
    """Harmonic mean of precision and recall of targets: 2tp / (2tp + fp + fn)."""
    return _ratio(2 * found.matched, found.matched + found.total, found.total)


def false_alarm(found: TargetCounts) -> float:
    """False area over all pixels."""
    return found.false_area / found.n_pixels


def shooting_detection(detected: int, missed: int, false_area: int, n_predicted: int) -> float:
    """Share of the true targets that are hit; undefined without a true target and a prediction."""
    return _ratio(detected, detected + missed, detected + missed + n_predicted)


def pair_error(found: TargetCounts, error: float, strict: bool) -> float:
    """Mean of an error's share of the union over the pairs; without a pair 0, strict NaN."""
    if strict and not found.matched:
        return math.nan
    return _ratio(error, found.matched, found.total)


def target_error(found: TargetCounts, count: int) -> float:
    """Share of a kind of single targets in tp + fp + fn."""
    return _ratio(count, found.total, found.total)


def many_to_one(found: TargetCounts) -> int:
    """Predictions without a partner that have a candidate: several for one truth."""
    return found.spurious - found.interference


def one_to_many(found: TargetCounts) -> int:
    """Truths without a partner that have a candidate: one prediction for several."""
    return found.missed - found.perception
