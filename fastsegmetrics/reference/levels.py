"""Twins of ``kernels.levels``: counts and moments by boolean indexing."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def mask_sums(mask: NDArray[np.uint8]) -> tuple[int, int, int]:
    """Return the number of set pixels and the sums of their rows and of their columns."""
    rows, columns = np.nonzero(mask)
    return int(rows.size), int(rows.sum()), int(columns.sum())


def level_table(
    pred: NDArray[np.uint8],
    mask: NDArray[np.uint8],
    width: int,
    split_row: int,
    split_column: int,
) -> NDArray[np.int64]:
    """Count pixels by quadrant, truth and level."""
    rows, columns = np.divmod(np.arange(pred.size), width)
    quadrants = 2 * (rows >= split_row) + (columns >= split_column)
    table = np.zeros((4, 2, 256), np.int64)
    np.add.at(table, (quadrants, mask, pred), 1)
    return table


def extremes(pred: NDArray[np.uint8]) -> tuple[int, int]:
    """Return the lowest and the highest value of a flat 8-bit map."""
    return int(pred.min()), int(pred.max())


def level_range(pred: NDArray[np.uint8]) -> tuple[int, int, int]:
    """Return the sum of a flat 8-bit map, its minimum and its maximum."""
    return int(pred.sum()), int(pred.min()), int(pred.max())


def error_sums(pred: NDArray[np.uint8], mask: NDArray[np.uint8]) -> tuple[int, int, int, int]:
    """Return the sum of |255 G - P| of a flat 8-bit map, the mask's area, minimum and maximum."""
    errors = np.abs(255 * mask.astype(np.int64) - pred)
    return int(errors.sum()), int(mask.sum()), int(pred.min()), int(pred.max())


def describe_table(
    table: NDArray[np.int64], stretch: bool, keep_at_zero: bool, tolerance: float
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64], float, int, bool]:
    """Return the statistics of the map that a table was counted from."""
    present = np.flatnonzero(table.sum(axis=(0, 1)))
    values = np.arange(256) / 255.0
    if stretch and present[0] != present[-1]:
        values = (values - values[present[0]]) / (values[present[-1]] - values[present[0]])
    mean = float((table.sum(axis=(0, 1)) * values).sum() / table.sum())
    threshold = min(2.0 * mean, 1.0)
    kept = (values >= threshold) & (keep_at_zero | (values > 0))

    by_truth = table.sum(axis=0)
    counts = np.zeros((2, 256), np.int64)
    levels = np.floor(255.0 * values[present]).astype(np.int64)
    for g in range(2):
        np.add.at(counts[g], levels, by_truth[g, present])
    sides = np.array([by_truth[::-1, values > 0.5].sum(1), by_truth[::-1, kept].sum(1)])
    moments = np.zeros((4, 2, 3))
    for q in range(4):
        for g in range(2):
            moments[q, g] = moments_of(np.repeat(values, table[q, g]))
    error = float((by_truth[0] * values + by_truth[1] * (1.0 - values))[present].sum())
    near = np.abs(values[present] - 2.0 * mean) <= tolerance * mean
    highest = int(present[-1])
    return counts, sides, moments, error, highest, bool(mean > 0 and near.any())


def moments_of(values: NDArray[np.float64]) -> tuple[float, float, float]:
    """Return the number of values, their mean, and the sum of squared deviations from it."""
    if values.size == 0:
        return 0.0, 0.0, 0.0
    if values.min() == values.max():
        return values.size, values[0], 0.0
    mean = values.mean()
    return values.size, mean, float(((values - mean) ** 2).sum())
