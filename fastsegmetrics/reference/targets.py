"""The target scores' counts straight from pixels, by their definitions.

Design paper, appendix B.4; Pang et al., Rethinking Evaluation of Infrared Small Target Detection,
2025.  A target is a set of pixels here.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastsegmetrics.reference.label import label

Pixels = frozenset[tuple[int, int]]
Pairs = list[tuple[Pixels, Pixels]]

OVERLAP = 0.5
DISTANCE = 3.0


def target_tally(
    p: NDArray[Any], g: NDArray[np.bool_], thresholds: Sequence[float]
) -> tuple[NDArray[np.int64], NDArray[np.float64], int, NDArray[np.int64], NDArray[np.int64]]:
    """Return the fields of a ``TargetTally``; pixels and survival at the first threshold."""
    counts, shares = [], []
    pixels, survival = np.zeros(4, np.int64), np.zeros(256, np.int64)
    truths = targets_of(g)
    for index, threshold in enumerate(thresholds):
        mask = p > p.dtype.type(threshold)
        found = targets_of(mask)
        by_overlap, by_distance = opdc(truths, found), first_come(truths, found)
        counts.append(
            (
                *_sizes(by_overlap, truths, found),
                sum(not any(may_match(t, f) for t in truths) for f in found),
                sum(not any(may_match(t, f) for f in found) for t in truths),
                *(*_sizes(by_distance, truths, found), 0, 0),
                *shooting(truths, found),
            )
        )
        shares.append((*_shares(by_overlap, truths), *_shares(by_distance, truths)))
        if index == 0:
            both, either = int((mask & g).sum()), int((mask | g).sum())
            alone = int(mask.sum()) - both
            pixels[:] = both, alone, int(g.sum()) - both, g.size - either
            for level in range(256):
                survival[level] = sum(256 * len(t & f) > level * len(t | f) for t, f in by_overlap)
    return np.array(counts, np.int64), np.array(shares), g.size, pixels, survival


def targets_of(mask: NDArray[np.bool_]) -> list[Pixels]:
    """Return the 8-connected components, in raster order of their first pixels."""
    image, count = label(mask, 8)
    return [
        frozenset((int(r), int(c)) for r, c in np.argwhere(image == k + 1)) for k in range(count)
    ]


def iou(t: Pixels, f: Pixels) -> float:
    """Return the intersection over union of two targets."""
    return len(t & f) / len(t | f)


def distance(t: Pixels, f: Pixels) -> float:
    """Return the distance of two targets' centroids in pixels."""
    rows, columns = (
        sum(pixel[axis] for pixel in t) / len(t) - sum(pixel[axis] for pixel in f) / len(f)
        for axis in (0, 1)
    )
    return math.sqrt(rows * rows + columns * columns)


def may_match(t: Pixels, f: Pixels) -> bool:
    """Return whether two targets qualify for a pair, by overlap or by distance."""
    return iou(t, f) >= OVERLAP or distance(t, f) < DISTANCE


def assigned(truths: list[Pixels], found: list[Pixels]) -> Pairs:
    """Return the one-to-one assignment of least total distance."""
    from scipy.optimize import linear_sum_assignment

    costs = np.array([[distance(t, f) for f in found] for t in truths])
    rows, columns = linear_sum_assignment(costs.reshape(len(truths), len(found)))
    return [(truths[row], found[column]) for row, column in zip(rows, columns, strict=True)]


def opdc(truths: list[Pixels], found: list[Pixels]) -> Pairs:
    """Return the pairs of overlap priority with distance compensation, in order of the truths."""
    pairs = [(t, f) for t, f in assigned(truths, found) if iou(t, f) >= OVERLAP]
    # The components of one side are disjoint, but one of either side may be the same set.
    left = [
        [target for target in side if all(target != pair[k] for pair in pairs)]
        for k, side in enumerate((truths, found))
    ]
    pairs += [(t, f) for t, f in assigned(*left) if distance(t, f) < DISTANCE]
    return sorted(pairs, key=lambda pair: truths.index(pair[0]))


def first_come(truths: list[Pixels], found: list[Pixels]) -> Pairs:
    """Return the pairs of distance-only matching: each truth takes the first near, free one."""
    pairs: Pairs = []
    free = list(found)
    for t in truths:
        for f in free:
            if distance(t, f) < DISTANCE:
                pairs.append((t, f))
                free.remove(f)
                break
    return pairs


def shooting(truths: list[Pixels], found: list[Pixels]) -> tuple[int, int, int, int]:
    """Return the true targets hit and missed, the false area and the predicted targets."""
    predicted = {pixel for f in found for pixel in f}
    hit = sum(bool(_around(t, 1) & predicted) for t in truths)
    clear = {pixel for t in truths for pixel in _around(t, 4)}
    return hit, len(truths) - hit, len(predicted - clear), len(found)


def _around(target: Pixels, radius: int) -> set[tuple[int, int]]:
    reach = range(-radius, radius + 1)
    return {(r + down, c + across) for r, c in target for down in reach for across in reach}


def _sizes(pairs: Pairs, truths: list[Pixels], found: list[Pixels]) -> tuple[int, int, int, int]:
    partners = [f for _, f in pairs]
    false_area = sum(len(f) for f in found if f not in partners)
    return len(pairs), len(found) - len(pairs), len(truths) - len(pairs), false_area


def _shares(pairs: Pairs, truths: list[Pixels]) -> tuple[float, float, float, float]:
    every = {pixel for t in truths for pixel in t}
    parts = [
        (
            iou(t, f),
            len((f - t) & every) / len(t | f),
            len(f - every) / len(t | f),
            len(t - f) / len(t | f),
        )
        for t, f in pairs
    ]
    overlap, merge, interference, perception = (
        math.fsum(part[k] for part in parts) for k in range(4)
    )
    return overlap, merge, interference, perception
