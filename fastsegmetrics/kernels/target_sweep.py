"""Every sweep score of every target of one image, and their exact sums over the targets."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from fastsegmetrics.kernels._jit import kernel
from fastsegmetrics.kernels.curves import (
    _ROUND_6,
    _ROUND_32,
    _ROUND_58,
    _ROUND_84,
    _accuracy,
    _ber,
    _cohen_kappa,
    _dice,
    _e_measure,
    _f1,
    _f_beta,
    _fpr,
    _iou,
    _kappa,
    _precision,
    _recall,
    _specificity,
)
from fastsegmetrics.scores import SWEEP_SCORES
from fastsegmetrics.scores.confusion import ScoreRule

_N_ROWS = len(SWEEP_SCORES)


@kernel
def _score_partition(
    tp: float,
    fp: float,
    fn: float,
    tn: float,
    rule: ScoreRule,
    wanted: NDArray[np.bool_],
    out: NDArray[np.float64],
) -> None:
    """Write the `wanted` scores of one partition in the order of `SWEEP_SCORES`.

    ``curves.sweep_scores`` has the same thirteen lines: calling this from there costs it a sixth
    of its time (34 to 39 us a map).
    """
    if wanted[0]:
        out[0] = _f_beta(tp, fp, fn, tn, rule)
    if wanted[1]:
        out[1] = _f1(tp, fp, fn, tn, rule)
    if wanted[2]:
        out[2] = _precision(tp, fp, fn, tn, rule)
    if wanted[3]:
        out[3] = _recall(tp, fp, fn, tn, rule)
    if wanted[4]:
        out[4] = _specificity(tp, fp, fn, tn, rule)
    if wanted[5]:
        out[5] = _fpr(tp, fp, fn, tn, rule)
    if wanted[6]:
        out[6] = _iou(tp, fp, fn, tn, rule)
    if wanted[7]:
        out[7] = _dice(tp, fp, fn, tn, rule)
    if wanted[8]:
        out[8] = _ber(tp, fp, fn, tn, rule)
    if wanted[9]:
        out[9] = _kappa(tp, fp, fn, tn, rule)
    if wanted[10]:
        out[10] = _cohen_kappa(tp, fp, fn, tn, rule)
    if wanted[11]:
        out[11] = _accuracy(tp, fp, fn, tn, rule)
    if wanted[12]:
        out[12] = _e_measure(tp, fp, fn, tn, rule)


@kernel
def _add_curve(
    ends: NDArray[np.int64], values: NDArray[np.float64], n: int, steps: NDArray[np.float64]
) -> None:
    """Add a curve of `n` constant pieces, cut into slices as ``curves.add_exactly`` cuts it.

    `steps` [4, 257] are differences from one threshold to the next: multiples of each slice's
    unit, whose sums are exact like those of the slices.
    """
    start = 0
    for i in range(n):
        rest = values[i]
        first = (rest + _ROUND_6) - _ROUND_6
        rest -= first
        second = (rest + _ROUND_32) - _ROUND_32
        rest -= second
        third = (rest + _ROUND_58) - _ROUND_58
        rest -= third
        fourth = (rest + _ROUND_84) - _ROUND_84
        steps[0, start] += first
        steps[1, start] += second
        steps[2, start] += third
        steps[3, start] += fourth
        start = ends[i]
        steps[0, start] -= first
        steps[1, start] -= second
        steps[2, start] -= third
        steps[3, start] -= fourth


@kernel
def target_scores(
    starts: NDArray[np.int64],
    levels: NDArray[np.uint8],
    counts: NDArray[np.int64],
    sides: NDArray[np.int64],
    rule: ScoreRule,
    wanted: NDArray[np.bool_],
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.int64]]:
    """Score every partition of every target's local map.

    The counts are sparse, see ``kernels.size_invariant``; a curve is constant between two levels
    that occur, and is scored once for each.  Returns the means over the targets of each target's
    score at P > 0.5, adaptive, mean and maximum of its curve [13, 4], and exact sums of its curves
    [13, 4, 256] in the form of ``curves.add_exactly``, which leave out, whole, a curve with a NaN,
    and of how many targets they are [13].  Rows that are not `wanted` [13] are NaN, 0 and 0.
    """
    n = starts.size - 1
    means = np.zeros((_N_ROWS, 4), np.float64)
    steps = np.zeros((_N_ROWS, 4, 257), np.float64)
    used = np.zeros(_N_ROWS, np.int64)
    scored = np.empty((_N_ROWS, 257), np.float64)
    column = np.full(_N_ROWS, math.nan)
    ends = np.empty(257, np.int64)
    for k in range(n):
        foreground = 0.0
        background = 0.0
        for i in range(starts[k], starts[k + 1]):
            background += counts[i, 0]
            foreground += counts[i, 1]
        for side in range(2):
            tp = np.float64(sides[k, side, 0])
            fp = np.float64(sides[k, side, 1])
            _score_partition(tp, fp, foreground - tp, background - fp, rule, wanted, column)
            for row in range(_N_ROWS):
                means[row, side] += column[row]
        tp = foreground
        fp = background
        pieces = 0
        end = 0
        i = starts[k]
        while end < 256:
            # Thresholds up to this level keep the same pixels; beyond the last, none.
            end = np.int64(levels[i]) + 1 if i < starts[k + 1] else 256
            _score_partition(tp, fp, foreground - tp, background - fp, rule, wanted, column)
            for row in range(_N_ROWS):
                scored[row, pieces] = column[row]
            ends[pieces] = end
            pieces += 1
            if i < starts[k + 1]:
                tp -= counts[i, 1]
                fp -= counts[i, 0]
                i += 1
        for row in range(_N_ROWS):
            if not wanted[row]:
                means[row, 2] = means[row, 3] = math.nan
                continue
            total = 0.0
            largest = -math.inf
            start = 0
            for piece in range(pieces):
                v = scored[row, piece]
                total += v * (ends[piece] - start)
                largest = max(largest, v)
                start = ends[piece]
            means[row, 2] += total / 256.0
            if total == total:
                means[row, 3] += largest
                used[row] += 1
                _add_curve(ends, scored[row], pieces, steps[row])
            else:
                means[row, 3] = math.nan
    means /= n
    sums = np.zeros((_N_ROWS, 4, 256), np.float64)
    for row in range(_N_ROWS):
        for part in range(4 if wanted[row] else 0):
            value = 0.0
            for t in range(256):
                value += steps[row, part, t]
                sums[row, part, t] = value
    return means, sums, used
