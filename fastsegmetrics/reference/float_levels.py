"""Twins of ``kernels.float_levels``: counts and moments by boolean indexing."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastsegmetrics.reference.levels import moments_of


def absolute_error(pred: NDArray[Any], mask: NDArray[np.uint8]) -> float:
    """Return the sum of |P - G| of a flat float map."""
    return float(np.abs(pred.astype(np.float64) - mask).sum())


def float_counts(
    pred: NDArray[Any], mask: NDArray[np.uint8], top: Any, threshold: Any, keep_at_zero: bool
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the level counts [2, 256] and the sides [[tp, fp], [tp, fp]] of a flat float map."""
    truth = mask == 1
    levels = np.floor(top * pred).astype(np.int64)
    counts = np.array([np.bincount(levels[truth == side], minlength=256) for side in (0, 1)])
    kept = (pred >= threshold) & (keep_at_zero | (pred > 0))
    sides = [[np.sum(side & truth), np.sum(side & ~truth)] for side in (pred > 0.5, kept)]
    return counts, np.array(sides)


def float_moments(
    pred: NDArray[Any], mask: NDArray[np.uint8], split_row: int, split_column: int
) -> tuple[NDArray[np.float64], float]:
    """Return the cell moments [4, 2, 3] of a float map and the sum of |P - G|."""
    rows = np.arange(pred.shape[0])[:, None] >= split_row
    columns = np.arange(pred.shape[1])[None, :] >= split_column
    exact = pred.astype(np.float64)
    moments = np.zeros((4, 2, 3))
    for q in range(4):
        for g in range(2):
            moments[q, g] = moments_of(exact[(2 * rows + columns == q) & (mask == g)])
    return moments, absolute_error(pred, mask)
