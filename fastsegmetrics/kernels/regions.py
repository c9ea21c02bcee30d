"""Targets of a mask and what is near them, from runs of foreground."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fastsegmetrics.kernels._jit import kernel
from fastsegmetrics.kernels.label import component_table, find_runs, label_runs


@kernel
def components(
    mask: NDArray[np.uint8], words: NDArray[np.uint64], width: int, connectivity: int
) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int64]]:
    """Return a mask's runs, the component of each, and the table of components.

    As `find_runs`, `label_runs` and `component_table` one after another, without a step back
    into Python between them.  300 targets in 1024 x 1024: 0.14 ms.
    """
    runs = find_runs(mask, words, width)
    labels, count = label_runs(runs, connectivity)
    return runs, labels, component_table(runs, labels, count)


@kernel
def targets(
    mask: NDArray[np.uint8], words: NDArray[np.uint64], width: int
) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int64], NDArray[np.float64]]:
    """Return the runs of a mask and their 8-connected components, then areas and centroids.

    Runs and labels as of `components`, int64[n], float64[n, 2].
    """
    runs = find_runs(mask, words, width)
    return runs, *targets_of(runs)


@kernel
def targets_of(
    runs: NDArray[np.int32],
) -> tuple[NDArray[np.int32], NDArray[np.int64], NDArray[np.float64]]:
    """Return the 8-connected component of each run, and the components' areas and centroids."""
    labels, count = label_runs(runs, 8)
    table = component_table(runs, labels, count)
    return labels, table[:, 0].copy(), centroids(table)


@kernel
def centroids(table: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return row and column of each component's centroid, float64[n, 2], from its table."""
    n = table.shape[0]
    found = np.empty((n, 2), np.float64)
    for k in range(n):
        found[k, 0] = table[k, 5] / table[k, 0]
        found[k, 1] = table[k, 6] / table[k, 0]
    return found


@kernel
def _raise_cover(cover: NDArray[np.int32], run: NDArray[np.int32], radius: int, step: int) -> None:
    """Add `step` to the columns that a run reaches."""
    start = max(0, run[1] - radius)
    stop = min(cover.size, run[2] + radius)
    for column in range(start, stop):
        cover[column] += step


@kernel
def near_pixels(
    runs: NDArray[np.int32], others: NDArray[np.int32], width: int, radius: int
) -> NDArray[np.int64]:
    """Count in each run the pixels near a pixel of the other runs: int64[n].

    Near is at most `radius` rows and at most `radius` columns away.  Both lists are in raster
    order.  Linear in the foreground: a window of rows slides over the image, and each of the
    other runs enters and leaves it once.
    """
    found = np.zeros(runs.shape[0], np.int64)
    cover = np.zeros(width, np.int32)
    last = others.shape[0]
    entering, leaving = 0, 0
    for run in range(runs.shape[0]):
        row = runs[run, 0]
        while entering < last and others[entering, 0] <= row + radius:
            _raise_cover(cover, others[entering], radius, 1)
            entering += 1
        while leaving < entering and others[leaving, 0] < row - radius:
            _raise_cover(cover, others[leaving], radius, -1)
            leaving += 1
        near = 0
        for column in range(runs[run, 1], runs[run, 2]):
            near += cover[column] > 0
        found[run] = near
    return found
