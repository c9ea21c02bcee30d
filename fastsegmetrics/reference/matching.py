"""Twins of ``kernels.matching``: the same, target by target, from label images."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastsegmetrics.reference.assign import assign
from fastsegmetrics.reference.label import label
from fastsegmetrics.reference.proximity import distances

Points = NDArray[np.float64]


def describe(
    mask: NDArray[np.uint8], words: NDArray[np.uint64], width: int
) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int64], Points]:
    """Return the 8-connected targets of a mask: runs, their labels, areas and centroids."""
    plane = mask.reshape(-1, width) != 0
    image, count = label(plane, 8)
    padded = np.pad(plane.astype(np.int8), ((0, 0), (1, 1)))
    steps = np.diff(padded, axis=1)
    rows, starts = np.nonzero(steps == 1)
    _, stops = np.nonzero(steps == -1)
    runs = np.column_stack((rows, starts, stops)).astype(np.int32).reshape(-1, 3)
    pixels = [np.argwhere(image == k + 1) for k in range(count)]
    areas = np.array([len(found) for found in pixels], np.int64)
    points = np.array([found.sum(axis=0) / len(found) for found in pixels]).reshape(-1, 2)
    return runs, image[rows, starts], areas, points


def opdc(
    points: Points,
    others: Points,
    shared: NDArray[np.int64],
    ious: NDArray[np.float64],
    limits: Any,
) -> NDArray[np.int64]:
    """Return the column of each row, -1 for none: pairs by overlap first, then by distance."""
    assigned = np.full(len(points), -1, np.int64)
    costs = distances(points, others)
    enough = {
        (row, column)
        for (row, column, _), iou in zip(shared.tolist(), ious, strict=True)
        if iou >= limits.overlap
    }
    nearest, _ = assign(costs)
    for row, column in enumerate(nearest.tolist()):
        if column >= 0 and ((row, column) in enough or limits.overlap <= 0):
            assigned[row] = column
    rows = np.flatnonzero(assigned < 0)
    columns = np.setdiff1d(np.arange(len(others)), assigned)
    left = costs[np.ix_(rows, columns)]
    nearest, _ = assign(left)
    for place, other in enumerate(nearest.tolist()):
        if other >= 0 and left[place, other] < limits.distance:
            assigned[rows[place]] = columns[other]
    return assigned


def intersection_over_union(
    shared: NDArray[np.int64], areas: NDArray[np.int64], others: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Return the IoU of each pair of targets that share pixels."""
    return np.array(
        [
            common / (areas[row] + others[column] - common)
            for row, column, common in shared.tolist()
        ],
        np.float64,
    )


def qualities(
    areas: NDArray[np.int64],
    others: NDArray[np.int64],
    shared: NDArray[np.int64],
    assigned: NDArray[np.int64],
) -> NDArray[np.int64]:
    """Return what the union of each matched pair is made of, in row order."""
    table = np.zeros((len(areas), len(others)), np.int64)
    for row, column, common in shared.tolist():
        table[row, column] = common
    found = []
    for row, column in enumerate(assigned.tolist()):
        if column >= 0:
            common, covered = table[row, column], table[:, column].sum()
            found.append(
                (
                    areas[row] + others[column] - common,
                    common,
                    covered - common,
                    others[column] - covered,
                    areas[row] - common,
                )
            )
    return np.array(found, np.int64).reshape(-1, 5)


def without_candidate(
    points: Points,
    others: Points,
    shared: NDArray[np.int64],
    ious: NDArray[np.float64],
    limits: Any,
) -> tuple[int, int]:
    """Count the columns, and the rows, that no target of the other side could be a pair with."""
    possible = (distances(points, others) < limits.distance) | (limits.overlap <= 0)
    for (row, column, _), iou in zip(shared.tolist(), ious, strict=True):
        possible[row, column] |= iou >= limits.overlap
    return int((~possible.any(axis=0)).sum()), int((~possible.any(axis=1)).sum())


def match_mask(
    truth: Any,
    mask: NDArray[np.uint8],
    words: NDArray[np.uint64],
    limits: Any,
    rules: int,
) -> tuple[NDArray[np.int64], Points, NDArray[np.int64]]:
    """Match the targets of one mask: a row as of `match_levels`, and the qualities under OPDC."""
    plane = mask.reshape(-1, truth.width) != 0
    image = np.zeros(plane.shape, np.int64)
    for (row, start, stop), target in zip(truth.runs, truth.labels, strict=True):
        image[row, start:stop] = target
    found, count = label(plane, 8)
    _, _, areas, points = describe(mask, words, truth.width)
    pairs, pixels = np.unique(
        np.stack((image, found))[:, (image > 0) & plane], axis=1, return_counts=True
    )
    shared = np.column_stack((pairs.T - 1, pixels)).reshape(-1, 3)
    ious = intersection_over_union(shared, truth.areas, areas)
    counts, shares = np.zeros((1, 16), np.int64), np.zeros((1, 8))
    quality = np.zeros((0, 5), np.int64)
    if rules & 4:
        hit = np.unique(image[(image > 0) & _grown(plane, limits.hit)])
        false = plane & ~_grown(image > 0, limits.clear)
        counts[0, 12:] = len(hit), len(truth.areas) - len(hit), false.sum(), count
    if rules & 2:
        assigned = _by_distance(distances(truth.centroids, points) < limits.distance)
        by_distance = qualities(truth.areas, areas, shared, assigned)
        counts[0, 6:10], shares[0, 4:] = _counted(truth, areas, assigned, by_distance)
    if rules & 1:
        assigned = opdc(truth.centroids, points, shared, ious, limits)
        quality = qualities(truth.areas, areas, shared, assigned)
        counts[0, :4], shares[0, :4] = _counted(truth, areas, assigned, quality)
        counts[0, 4:6] = without_candidate(truth.centroids, points, shared, ious, limits)
    return counts, shares, quality


def match_levels(
    truth: Any,
    positions: NDArray[np.int64],
    ranks: NDArray[np.int64],
    n_thresholds: int,
    limits: Any,
    rules: int,
) -> tuple[NDArray[np.int64], Points]:
    """Match the targets of nested masks, each by itself."""
    found = []
    # Below the last pixel of both sides there is nothing to see.
    last_row = max([-1, *truth.runs[:, 0], *(positions // truth.width)])
    for t in range(n_thresholds):
        mask = np.zeros((last_row + 1) * truth.width, np.uint8)
        mask[positions[ranks > t]] = 1
        found.append(match_mask(truth, mask, np.empty(0, np.uint64), limits, rules)[:2])
    counts, shares = zip(*found, strict=True)
    return np.concatenate(counts), np.concatenate(shares)


def _by_distance(near: NDArray[np.bool_]) -> NDArray[np.int64]:
    assigned = np.full(len(near), -1, np.int64)
    for row in range(len(near)):
        free = [column for column in np.flatnonzero(near[row]) if column not in assigned]
        if free:
            assigned[row] = free[0]
    return assigned


def _counted(
    truth: Any, areas: NDArray[np.int64], assigned: NDArray[np.int64], quality: NDArray[np.int64]
) -> tuple[tuple[int, ...], list[float]]:
    matched = len(quality)
    false_area = int(areas.sum() - areas[assigned[assigned >= 0]].sum())
    counts = (matched, len(areas) - matched, len(truth.areas) - matched, false_area)
    return counts, [math.fsum((quality[:, part] / quality[:, 0]).tolist()) for part in range(1, 5)]


def _grown(mask: NDArray[np.bool_], radius: int) -> NDArray[np.bool_]:
    """Return where a pixel of the mask is at most `radius` rows and columns away."""
    height, width = mask.shape
    padded = np.pad(mask, radius)
    grown = np.zeros_like(mask)
    for down in range(2 * radius + 1):
        for across in range(2 * radius + 1):
            grown |= padded[down : down + height, across : across + width]
    return grown
