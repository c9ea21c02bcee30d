"""Detection, false alarms and hierarchical IoU of a data set, at one threshold or at n."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastsegmetrics.compat.py_irstd_metrics.error_analysis import HierarchicalIoUBasedErrorAnalysis
from fastsegmetrics.compat.py_irstd_metrics.matchings import (
    DistanceOnlyMatching,
    OPDCMatching,
    Properties,
    ious_of,
)
from fastsegmetrics.compat.py_irstd_metrics.pairs import (
    RefusedPair,
    TargetPair,
    distance_limit,
    quotient,
    thresholds_of,
)
from fastsegmetrics.compat.py_irstd_metrics.phantoms import with_phantoms
from fastsegmetrics.statistics.targets import Limits, Parts, true_parts

# The peer's module of this name has them all.
__all__ = [
    "DistanceOnlyMatching",
    "HierarchicalIoUBasedErrorAnalysis",
    "MatchingBasedMetrics",
    "OPDCMatching",
    "ProbabilityDetectionAndFalseAlarmRate",
    "ShootingRuleBasedProbabilityDetectionAndFalseAlarmRate",
]

Curve = dict[str, NDArray[np.float64]]


class MatchingBasedMetrics:
    """False-alarm rate, probability of detection and hierarchical IoU of matched targets.

    Parameters
    ----------
    num_bins : int
        1: the threshold 0.5; else that many thresholds, from 0 up.
    matching_method : callable
        `OPDCMatching()`, `DistanceOnlyMatching()`, or a function of the two label maps and lists
        of properties (``label``, ``area``, ``centroid``), prediction first, that returns booleans
        [true targets, predicted targets] and the IoUs or None.

    Attributes
    ----------
    tp_objs, fp_objs, fn_objs, fp_area : ndarray of int64, shape (num_bins,)
        Matched pairs, unmatched predictions, unmatched true targets, pixels of the second.
    tp_ious : ndarray of float64, shape (num_bins,)
        Sum of the IoUs of matched pairs.
    total_area : int
        Pixels of all images.

    Examples
    --------
    >>> import numpy as np
    >>> from fastsegmetrics.compat import py_irstd_metrics as irstd
    >>> metric = irstd.MatchingBasedMetrics()
    >>> metric.update(np.array([[0.9, 0.6, 0.2]]), np.array([[True, False, False]]))
    >>> metric.get()["hiou"]
    array([0.5])
    """

    def __init__(self, num_bins: int = 1, *, matching_method: Any = OPDCMatching()) -> None:  # noqa: B008
        self.thresholds = thresholds_of(num_bins)
        n = len(self.thresholds)
        self._sums = np.zeros((4, n), np.int64)
        self.tp_objs, self.fp_objs, self.fn_objs, self.fp_area = self._sums
        self.tp_ious = np.zeros(n)
        self.total_area = 0
        self.matching_method = matching_method

    def update(self, prob: ArrayLike, mask: ArrayLike) -> None:
        """Add one image.

        Parameters
        ----------
        prob : array_like of float, shape (H, W)
            In [0, 1].
        mask : array_like of bool, shape (H, W)
            The truth.

        Raises
        ------
        InputError
            When the shapes differ, or a dtype or value is refused.
        """
        pair = TargetPair(prob, mask)
        method = self.matching_method
        # A subclass may match in another way.
        if type(method) in (OPDCMatching, DistanceOnlyMatching):
            counts, shares = pair.counts(self.thresholds, method.rule, method.limits)
            if method.rule == "opdc":
                counts, shares = with_phantoms(pair, self.thresholds, counts, shares, method.limits)
            at, of_shares = (0, 0) if method.rule == "opdc" else (6, 4)
            rows, ious = counts[:, at : at + 4], shares[:, of_shares]
        else:
            found = [self._matched(pair, float(t)) for t in pair.thresholds(self.thresholds)]
            rows = np.array([row for row, _ in found], np.int64)
            ious = np.array([iou for _, iou in found])
        self._sums += rows.T
        self.tp_ious += ious
        self.total_area += pair.size

    def get(self) -> Curve:
        """Return ``false_alarm``, ``probability_detection``, ``hiou``: float64[num_bins] each."""
        matched = self.tp_objs
        true = matched + self.fn_objs
        detected, localisation, segmentation = quotient(
            (matched, matched, self.tp_ious), (true, true + self.fp_objs, matched)
        )
        return {
            "false_alarm": quotient(self.fp_area, self.total_area),
            "probability_detection": detected,
            "hiou": segmentation * localisation,
        }

    def _matched(
        self, pair: TargetPair, threshold: float
    ) -> tuple[tuple[int, int, int, int], float]:
        """Return what another way to match finds at one threshold."""
        truth, found = true_parts(pair.target), pair.found(threshold)
        maps = label_map(found, pair), label_map(truth, pair)
        properties = Properties.of(found), Properties.of(truth)
        status, ious = self.matching_method(*maps, *properties)
        status = np.asarray(status, np.bool_)
        alone = np.logical_not(status.any(axis=0))
        false_area = int(found.areas[alone[: len(found.areas)]].sum())
        overlap = 0.0
        if status.any():
            if ious is None:
                ious = ious_of(maps[1], maps[0], properties[1], properties[0])
            overlap = float(np.asarray(ious)[status].sum())
        counts = (
            int(status.sum()),
            int(alone.sum()),
            int(np.logical_not(status.any(axis=1)).sum()),
            false_area,
        )
        return counts, overlap


def label_map(parts: Parts, pair: TargetPair) -> NDArray[np.int32]:
    """Return the label image int32[H, W] of targets."""
    image = np.zeros(pair.target.shape, np.int32)
    for (row, start, stop), target in zip(parts.runs.tolist(), parts.labels, strict=True):
        image[row, start:stop] = target
    return image


class ProbabilityDetectionAndFalseAlarmRate:
    """Detection and false alarms by distance alone.

    Parameters
    ----------
    num_bins : int
        1: the threshold 0.5; else that many thresholds, from 0 up.
    distance_threshold : float
        In pixels, exclusive.

    Examples
    --------
    >>> import numpy as np
    >>> from fastsegmetrics.compat import py_irstd_metrics as irstd
    >>> metric = irstd.ProbabilityDetectionAndFalseAlarmRate()
    >>> metric.update(np.array([[0.9, 0.6, 0.2]]), np.array([[True, False, False]]))
    >>> metric.get()["probability_detection"]
    array([1.])
    """

    def __init__(self, num_bins: int = 1, distance_threshold: float = 3) -> None:
        self.distance_threshold = distance_threshold
        self._limits = Limits(distance=distance_limit(distance_threshold))
        self.thresholds = thresholds_of(num_bins)
        n = len(self.thresholds)
        self._sums = np.zeros((4, n), np.int64)
        self.tp_objs, self.fp_objs, self.fn_objs, self.fp_area = self._sums
        self.total_area = 0

    def update(self, prob: ArrayLike, mask: ArrayLike) -> None:
        """Add one image; see `MatchingBasedMetrics.update`."""
        pair = TargetPair(prob, mask)
        counts, _ = pair.counts(self.thresholds, "distance", self._limits)
        self._sums += counts[:, 6:10].T
        self.total_area += pair.size

    def get(self) -> Curve:
        """Return ``probability_detection`` and ``false_alarm``: float64[num_bins] each."""
        return {
            "probability_detection": quotient(self.tp_objs, self.tp_objs + self.fn_objs),
            "false_alarm": quotient(self.fp_area, self.total_area),
        }


class ShootingRuleBasedProbabilityDetectionAndFalseAlarmRate:
    """Detection and false alarms by the shooting rule.

    Parameters
    ----------
    num_bins : int
        1: the threshold 0.5; else that many thresholds, from 0 up.
    box_1_radius : int
        A target is hit by a predicted pixel this near, in rows and in columns, to one of its own.
    box_2_radius : int
        A predicted pixel is false if no target's pixel is this near; greater than `box_1_radius`.

    Examples
    --------
    >>> import numpy as np
    >>> from fastsegmetrics.compat import py_irstd_metrics as irstd
    >>> metric = irstd.ShootingRuleBasedProbabilityDetectionAndFalseAlarmRate()
    >>> metric.update(np.array([[0.1, 0.6, 0.2]]), np.array([[True, False, False]]))
    >>> metric.get()["probability_detection"]
    array([1.])
    """

    def __init__(self, num_bins: int = 1, box_1_radius: int = 1, box_2_radius: int = 4) -> None:
        if not 0 < box_1_radius < box_2_radius:
            raise RefusedPair(
                "box_2_radius must be greater than box_1_radius, and that greater than 0; received "
                f"{box_2_radius!r} and {box_1_radius!r}"
            )
        if int(box_1_radius) != box_1_radius or int(box_2_radius) != box_2_radius:
            raise RefusedPair(
                f"box_1_radius and box_2_radius must be whole numbers; received {box_1_radius!r} "
                f"and {box_2_radius!r}"
            )
        self.box_1_radius = box_1_radius
        self.box_2_radius = box_2_radius
        self._limits = Limits(hit=int(box_1_radius), clear=int(box_2_radius))
        self.thresholds = thresholds_of(num_bins)
        self.tp_objs, self.fp_area = np.zeros((2, len(self.thresholds)), np.int64)
        self.total_objs = 0
        self.total_area = 0

    def update(self, prob: ArrayLike, mask: ArrayLike) -> None:
        """Add one image; see `MatchingBasedMetrics.update`."""
        pair = TargetPair(prob, mask)
        counts, _ = pair.counts(self.thresholds, "shooting", self._limits)
        self.tp_objs += counts[:, 12]
        self.fp_area += counts[:, 14]
        self.total_objs += int(counts[0, 12] + counts[0, 13])
        self.total_area += pair.size

    def get(self) -> Curve:
        """Return ``probability_detection`` and ``false_alarm``: float64[num_bins] each."""
        return {
            "probability_detection": quotient(self.tp_objs, self.total_objs),
            "false_alarm": quotient(self.fp_area, self.total_area),
        }
