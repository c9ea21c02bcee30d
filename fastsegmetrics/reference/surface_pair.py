"""Surface distances straight from the definition: every point against every point."""

from __future__ import annotations

import itertools

import numpy as np
from numpy.typing import NDArray

Mask = NDArray[np.uint8]


def surface_voxels(mask: Mask, connectivity: int = 1) -> NDArray[np.bool_]:
    """Return the foreground that has a neighbour outside; beyond the borders all is outside."""
    padded = np.pad(mask != 0, 1)
    inner = tuple(slice(1, -1) for _ in mask.shape)
    edge = np.zeros(mask.shape, bool)
    for step in itertools.product((-1, 0, 1), repeat=mask.ndim):
        if 0 < np.abs(step).sum() <= connectivity:
            edge |= ~np.roll(padded, step, range(mask.ndim))[inner]
    return edge & (mask != 0)


def nearest_distances(
    source: NDArray[np.float64], target: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return how far each point is from the nearest of the others; inf if there is none."""
    if not len(target):
        return np.full(len(source), np.inf)
    found = [np.sqrt(((target - point) ** 2).sum(axis=1).min()) for point in source]
    return np.array(found, np.float64)


def directed_distances(
    pred: Mask, gt: Mask, spacing: tuple[float, ...], surface: str = "voxels", connectivity: int = 1
) -> tuple[
    NDArray[np.float64],
    NDArray[np.float64],
    NDArray[np.float64] | None,
    NDArray[np.float64] | None,
]:
    """Return the sorted distances in both directions, and the areas that they stand for.

    Sorted by distance, then by area.
    """
    if surface == "elements":
        from fastsegmetrics.reference.elements import elements_of

        (pred_at, pred_areas), (gt_at, gt_areas) = (elements_of(m, spacing) for m in (pred, gt))
    else:
        pred_at, gt_at = (np.argwhere(surface_voxels(m, connectivity)) for m in (pred, gt))
    scale = np.array(spacing, np.float64)
    forth = nearest_distances(pred_at * scale, gt_at * scale)
    back = nearest_distances(gt_at * scale, pred_at * scale)
    if surface != "elements":
        return np.sort(forth), np.sort(back), None, None
    orders = np.lexsort((pred_areas, forth)), np.lexsort((gt_areas, back))
    return forth[orders[0]], back[orders[1]], pred_areas[orders[0]], gt_areas[orders[1]]


def band(mask: Mask, distance: int) -> NDArray[np.bool_]:
    """Return the foreground that has background within a chessboard distance, or the outside."""
    kept = np.ones(mask.shape, bool)
    padded = np.pad(mask != 0, distance)
    for step in itertools.product(range(2 * distance + 1), repeat=mask.ndim):
        kept &= padded[tuple(slice(k, k + n) for k, n in zip(step, mask.shape))]
    return (mask != 0) & ~kept
