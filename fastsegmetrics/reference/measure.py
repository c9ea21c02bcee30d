"""All per-image values and counts of one pair, straight from its pixels."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastsegmetrics.reference import metrics

Counts = tuple[NDArray[np.int64], NDArray[np.int64]]


def measure(
    p: NDArray[Any],
    g: NDArray[np.bool_],
    *,
    alpha: float,
    keep_at_zero: bool,
    strict: bool,
    both_empty: float,
    beta2: float,
    divide_by_n: bool,
) -> tuple[dict[str, float], Counts]:
    """Return every per-image value of the sweep family by name, and the level counts.

    Parameters
    ----------
    p : ndarray of float, shape (H, W)
        The map in [0, 1], stretched if it is to be.
    g : ndarray of bool, shape (H, W)
        The truth.
    alpha, strict, both_empty, beta2, divide_by_n
        The conventions, see ``scores.confusion.ScoreRule``.
    keep_at_zero : bool
        Whether an adaptive threshold of 0 keeps pixels that are 0.
    """
    s, s_object, s_region = metrics.s_measure(p, g, alpha)
    values = {"mae": metrics.mae(p, g), "s_measure": s, "s_object": s_object, "s_region": s_region}

    level = np.floor(p * p.dtype.type(255)).astype(np.int64)
    adaptive = p >= p.dtype.type(min(2 * float(p.mean()), 1.0))
    if not keep_at_zero:
        adaptive &= p > 0
    partitions = [level >= t for t in range(256)] + [p > 0.5, adaptive]

    def scores_of(b: NDArray[np.bool_]) -> dict[str, float]:
        return {
            **metrics.confusion_scores(b, g, strict=strict, both_empty=both_empty, beta2=beta2),
            "e_measure": metrics.e_measure(b, g, strict=strict, divide_by_n=divide_by_n),
        }

    scored = [scores_of(b) for b in partitions]
    curves = {name: np.array([scores[name] for scores in scored[:256]]) for name in scored[0]}
    for name, curve in curves.items():
        values[f"{name}.bin"] = scored[256][name]
        values[f"{name}.adp"] = scored[257][name]
        values[f"{name}.mean"] = float(curve.mean())
        values[f"{name}.max_of_image"] = float(curve.max())
    areas = metrics.areas(
        curves["recall"], curves["precision"], curves["fpr"], one_sided_is_undefined=strict
    )
    for name, area in zip(
        ("ap.trapezoid", "ap.step", "auc.trapezoid", "auc.anchored"), areas, strict=True
    ):
        values[f"{name}_of_image"] = area

    levels = np.array([np.bincount(level[g == side], minlength=256) for side in (False, True)])
    sides = np.array([[np.sum(b & g), np.sum(b & ~g)] for b in partitions[256:]])
    return values, (levels.astype(np.int64), sides.astype(np.int64))
