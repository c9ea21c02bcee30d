"""Every sweep score of one set of level counts, and exact sums of many curves."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from fastsegmetrics.kernels._jit import formulas, kernel
from fastsegmetrics.scores import SWEEP_SCORES, alignment, area, confusion, structure
from fastsegmetrics.scores.confusion import ScoreRule

_confusion = formulas(confusion)
_f_beta = _confusion.f_beta
_f1 = _confusion.f1
_precision = _confusion.precision
_recall = _confusion.recall
_specificity = _confusion.specificity
_fpr = _confusion.fpr
_iou = _confusion.iou
_dice = _confusion.dice
_ber = _confusion.ber
_kappa = _confusion.kappa
_cohen_kappa = _confusion.cohen_kappa
_accuracy = _confusion.accuracy
_e_measure = formulas(alignment).e_measure
_areas = formulas(area)
_trapezoid, _step, _anchored = _areas.trapezoid, _areas.step, _areas.anchored
_s_measure = formulas(structure).s_measure

_PRECISION, _RECALL, _FPR = (
    SWEEP_SCORES.index("precision"),
    SWEEP_SCORES.index("recall"),
    SWEEP_SCORES.index("fpr"),
)
_N_ROWS = len(SWEEP_SCORES)
_ROUND_6, _ROUND_32 = 1.5 * 2.0**46, 1.5 * 2.0**20
_ROUND_58, _ROUND_84 = 1.5 * 2.0**-6, 1.5 * 2.0**-32


@kernel
def sweep_scores(
    counts: NDArray[np.int64],
    sides: NDArray[np.int64],
    rule: ScoreRule,
    wanted: NDArray[np.bool_],
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Score every partition of a map: the 256 levels, P > 0.5, and the adaptive threshold.

    Returns curves [13, 256] (level >= t, t ascending) and summaries [13, 4]: at P > 0.5, adaptive,
    mean and maximum of the curve.  A curve that is undefined anywhere has an undefined mean and
    maximum.  Rows that are not `wanted` [13] are NaN: one score takes 3 us, all of them 13.
    """
    foreground = 0.0
    background = 0.0
    for level in range(256):
        background += counts[0, level]
        foreground += counts[1, level]
    scored = np.empty((_N_ROWS, 258), np.float64)
    tp = foreground
    fp = background
    for t in range(258):
        if t >= 256:
            tp = np.float64(sides[t - 256, 0])
            fp = np.float64(sides[t - 256, 1])
        fn = foreground - tp
        tn = background - fp
        if wanted[0]:
            scored[0, t] = _f_beta(tp, fp, fn, tn, rule)
        if wanted[1]:
            scored[1, t] = _f1(tp, fp, fn, tn, rule)
        if wanted[2]:
            scored[2, t] = _precision(tp, fp, fn, tn, rule)
        if wanted[3]:
            scored[3, t] = _recall(tp, fp, fn, tn, rule)
        if wanted[4]:
            scored[4, t] = _specificity(tp, fp, fn, tn, rule)
        if wanted[5]:
            scored[5, t] = _fpr(tp, fp, fn, tn, rule)
        if wanted[6]:
            scored[6, t] = _iou(tp, fp, fn, tn, rule)
        if wanted[7]:
            scored[7, t] = _dice(tp, fp, fn, tn, rule)
        if wanted[8]:
            scored[8, t] = _ber(tp, fp, fn, tn, rule)
        if wanted[9]:
            scored[9, t] = _kappa(tp, fp, fn, tn, rule)
        if wanted[10]:
            scored[10, t] = _cohen_kappa(tp, fp, fn, tn, rule)
        if wanted[11]:
            scored[11, t] = _accuracy(tp, fp, fn, tn, rule)
        if wanted[12]:
            scored[12, t] = _e_measure(tp, fp, fn, tn, rule)
        if t < 255:
            tp -= counts[1, t]
            fp -= counts[0, t]
    curves = np.empty((_N_ROWS, 256), np.float64)
    summaries = np.empty((_N_ROWS, 4), np.float64)
    for row in range(_N_ROWS):
        if not wanted[row]:
            curves[row] = math.nan
            summaries[row] = math.nan
            continue
        total = 0.0
        largest = -math.inf
        for t in range(256):
            v = scored[row, t]
            curves[row, t] = v
            total += v
            largest = max(largest, v)
        summaries[row, 0] = scored[row, 256]
        summaries[row, 1] = scored[row, 257]
        summaries[row, 2] = total / 256.0
        # Comparisons with NaN are false in one language and order-dependent in another.
        summaries[row, 3] = largest if total == total else math.nan
    return curves, summaries


@kernel
def curve_areas(curves: NDArray[np.float64], one_sided_is_undefined: bool) -> NDArray[np.float64]:
    """Return AP (trapezoid, step) and ROC AUC (trapezoid, anchored) of a `sweep_scores` table.

    Without foreground there is no recall and without background no false-positive rate: the areas
    then are those of constant curves, or NaN where the policy asks for it.
    """
    areas = np.empty(4, np.float64)
    recall = curves[_RECALL]
    precision = curves[_PRECISION]
    false_alarms = curves[_FPR]
    areas[0] = _trapezoid(recall, precision)
    areas[1] = _step(recall, precision)
    areas[2] = _trapezoid(false_alarms, recall)
    areas[3] = _anchored(false_alarms, recall)
    if one_sided_is_undefined:
        # At t = 0 all is predicted: a rate that is not 1 there belongs to an empty side.
        if recall[0] != 1.0:
            areas[:] = math.nan
        if false_alarms[0] != 1.0:
            areas[2:] = math.nan
    return areas


@kernel
def structure_scores(
    moments: NDArray[np.float64],
    split_row: int,
    split_column: int,
    height: int,
    width: int,
    alpha: float,
) -> tuple[float, float, float]:
    """Return the S-measure, its object term and its region term."""
    return _s_measure(moments, split_row, split_column, height, width, alpha)


@kernel
def add_exactly(
    curves: NDArray[np.float64], sums: NDArray[np.float64], counts: NDArray[np.int64]
) -> None:
    """Add curves [k, T] to sums [k, 4, T], leaving out, whole, a curve with a NaN.

    Each value is cut into four slices whose units are 2^-6, 2^-32, 2^-58 and 2^-84; sums of slices
    are exact (for 2^27 curves, and values up to 2^47 divided by their number), and so the total
    has the same bits in any order and for any grouping.  What is cut off is below 2^-85 a value.
    Adding and subtracting 1.5 * 2^k rounds to a multiple of 2^(k - 52).
    """
    for row in range(curves.shape[0]):
        defined = True
        for t in range(curves.shape[1]):
            if curves[row, t] != curves[row, t]:
                defined = False
        if not defined:
            continue
        counts[row] += 1
        for t in range(curves.shape[1]):
            rest = curves[row, t]
            part = (rest + _ROUND_6) - _ROUND_6
            sums[row, 0, t] += part
            rest -= part
            part = (rest + _ROUND_32) - _ROUND_32
            sums[row, 1, t] += part
            rest -= part
            part = (rest + _ROUND_58) - _ROUND_58
            sums[row, 2, t] += part
            rest -= part
            sums[row, 3, t] += (rest + _ROUND_84) - _ROUND_84
