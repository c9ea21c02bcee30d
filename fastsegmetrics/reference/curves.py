"""Twins of ``kernels.curves``: each threshold by itself, each area by sorting."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from fastsegmetrics.reference import metrics
from fastsegmetrics.scores import SWEEP_SCORES

if TYPE_CHECKING:
    from fastsegmetrics.scores.confusion import ScoreRule


def sweep_scores(
    counts: NDArray[np.int64],
    sides: NDArray[np.int64],
    rule: ScoreRule,
    wanted: NDArray[np.bool_],
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Score every partition of a map: the 256 levels, P > 0.5, and the adaptive threshold."""
    background, foreground = (int(n) for n in counts.sum(axis=1))
    kept = [(int(counts[1, t:].sum()), int(counts[0, t:].sum())) for t in range(256)]
    kept += [(int(tp), int(fp)) for tp, fp in sides]
    scored = np.array(
        [
            [scores[name] for name in SWEEP_SCORES]
            for scores in (
                partition_scores(tp, fp, foreground - tp, background - fp, rule) for tp, fp in kept
            )
        ]
    ).T
    scored[~wanted] = np.nan
    curves = scored[:, :256]
    summaries = np.column_stack((scored[:, 256:], curves.mean(axis=1), curves.max(axis=1)))
    return curves, summaries


def partition_scores(tp: int, fp: int, fn: int, tn: int, rule: ScoreRule) -> dict[str, float]:
    """Return every sweep score of one partition, by name.

    The scores see a partition as a set of (prediction, truth) pixels, in any order.
    """
    b = np.repeat([True, True, False, False], [tp, fp, fn, tn])
    g = np.repeat([True, False, True, False], [tp, fp, fn, tn])
    scores = metrics.confusion_scores(
        b, g, strict=rule.strict, both_empty=rule.both_empty, beta2=rule.beta2
    )
    scores["e_measure"] = metrics.e_measure(b, g, strict=rule.strict, divide_by_n=rule.divide_by_n)
    return scores


def curve_areas(curves: NDArray[np.float64], one_sided_is_undefined: bool) -> NDArray[np.float64]:
    """Return AP (trapezoid, step) and ROC AUC (trapezoid, anchored) of a `sweep_scores` table."""
    recall, precision, fpr = (
        curves[SWEEP_SCORES.index(name)] for name in ("recall", "precision", "fpr")
    )
    return np.array(
        metrics.areas(recall, precision, fpr, one_sided_is_undefined=one_sided_is_undefined)
    )


def structure_scores(
    moments: NDArray[np.float64],
    split_row: int,
    split_column: int,
    height: int,
    width: int,
    alpha: float,
) -> tuple[float, float, float]:
    """Return the S-measure and its terms, of a map that has the given moments.

    Each cell is drawn as two equal halves around its mean, which have its mean and its spread.
    """
    p = np.zeros((height, width))
    g = np.zeros((height, width), bool)
    rows = (slice(0, split_row), slice(split_row, None))
    columns = (slice(0, split_column), slice(split_column, None))
    for q in range(4):
        block = (rows[q // 2], columns[q % 2])
        drawn = [_two_halves(*moments[q, truth]) for truth in range(2)]
        shape = p[block].shape
        p[block] = np.concatenate(drawn).reshape(shape)
        g[block] = np.repeat([False, True], [len(part) for part in drawn]).reshape(shape)
    return metrics.s_measure_around(p, g, (split_row, split_column), alpha)


def _two_halves(n: float, mean: float, squares: float) -> NDArray[np.float64]:
    size = int(n)
    values = np.full(size, mean)
    half = size // 2
    if half:
        reach = np.sqrt(squares / (2 * half))
        values[:half] += reach
        values[size - half :] -= reach
    return values


def add_exactly(
    curves: NDArray[np.float64], sums: NDArray[np.float64], counts: NDArray[np.int64]
) -> None:
    """Add curves [k, T] to sums [k, 4, T], leaving out, whole, a curve with a NaN."""
    for row in range(len(curves)):
        if np.isnan(curves[row]).any():
            continue
        counts[row] += 1
        rest: NDArray[Any] = curves[row].copy()
        for i, unit in enumerate((2.0**-6, 2.0**-32, 2.0**-58, 2.0**-84)):
            part = np.rint(rest / unit) * unit
            sums[row, i] += part
            rest -= part
