"""Twins of ``kernels.regions``: every component by its pixels, every neighbourhood looked at."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fastsegmetrics.reference.label import component_table, find_runs, label_runs, paint_runs


def components(
    mask: NDArray[np.uint8], words: NDArray[np.uint64], width: int, connectivity: int
) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int64]]:
    """Return a mask's runs, the component of each, and the table of components."""
    runs = find_runs(mask, words, width)
    labels, count = label_runs(runs, connectivity)
    return runs, labels, component_table(runs, labels, count)


def targets(
    mask: NDArray[np.uint8], words: NDArray[np.uint64], width: int
) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int64], NDArray[np.float64]]:
    """Return the runs of a mask and their 8-connected components, then areas and centroids."""
    runs = find_runs(mask, words, width)
    return runs, *targets_of(runs)


def targets_of(
    runs: NDArray[np.int32],
) -> tuple[NDArray[np.int32], NDArray[np.int64], NDArray[np.float64]]:
    """Return the 8-connected component of each run, and the components' areas and centroids."""
    labels, count = label_runs(runs, 8)
    table = component_table(runs, labels, count)
    return labels, table[:, 0].copy(), centroids(table)


def centroids(table: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return row and column of each component's centroid from its table."""
    return table[:, 5:7] / table[:, :1]


def near_pixels(
    runs: NDArray[np.int32], others: NDArray[np.int32], width: int, radius: int
) -> NDArray[np.int64]:
    """Count in each run the pixels with a pixel of the other runs in the square around them."""
    rows = max((int(each[:, 0].max()) for each in (runs, others) if len(each)), default=-1) + 1
    image = paint_runs(others, np.ones(len(others), np.int32), rows, width)
    found = np.zeros(len(runs), np.int64)
    for run, (row, start, stop) in enumerate(runs):
        for column in range(start, stop):
            top, left = max(row - radius, 0), max(column - radius, 0)
            found[run] += image[top : row + radius + 1, left : column + radius + 1].any()
    return found
