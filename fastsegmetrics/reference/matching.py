"""Twins of ``kernels.matching``: a target is a set of pixels, and SciPy assigns.

Rows are true targets, columns predicted ones, both from 0, as there.
"""

from __future__ import annotations

import itertools
import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastsegmetrics.reference.label import find_runs, label, paint_runs
from fastsegmetrics.reference.proximity import distances

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Pixels = set[tuple[int, int]]


def opdc(points: Floats, others: Floats, shared: Ints, ious: Floats, limits: Any) -> Ints:
    """Return the column of each row, -1 for none: pairs by overlap first, then by distance."""
    apart, overlap = distances(points, others), _matrix(points, others, shared, ious)
    every = range(len(points)), range(len(others))
    partner = {i: j for i, j in _nearest(apart, *every) if overlap[i, j] >= limits.overlap}
    rows = [i for i in every[0] if i not in partner]
    columns = [j for j in every[1] if j not in partner.values()]
    rest = _nearest(apart, rows, columns)
    partner |= {i: j for i, j in rest if apart[i, j] < limits.distance}
    return np.array([partner.get(i, -1) for i in every[0]], np.int64)


def intersection_over_union(shared: Ints, areas: Ints, others: Ints) -> Floats:
    """Return the IoU of each pair of targets that share pixels."""
    both = shared[:, 2]
    return np.asarray(both / (areas[shared[:, 0]] + others[shared[:, 1]] - both))


def qualities(areas: Ints, others: Ints, shared: Ints, assigned: Ints) -> Ints:
    """Return what the union of each matched pair is made of, in row order."""
    pixels = {(i, j): n for i, j, n in shared.tolist()}
    found = []
    for i, j in enumerate(assigned.tolist()):
        if j < 0:
            continue
        own = pixels.get((i, j), 0)
        on_others = sum(n for (row, column), n in pixels.items() if column == j and row != i)
        made_of = own, on_others, others[j] - own - on_others, areas[i] - own
        found.append((sum(made_of), *made_of))
    return np.array(found, np.int64).reshape(-1, 5)


def without_candidate(
    points: Floats, others: Floats, shared: Ints, ious: Floats, limits: Any
) -> tuple[int, int]:
    """Count the columns, and the rows, that no target of the other side could be a pair with."""
    overlap = _matrix(points, others, shared, ious)
    possible = (distances(points, others) < limits.distance) | (overlap >= limits.overlap)
    alone = [~possible.any(axis=axis) for axis in (0, 1)]
    return int(alone[0].sum()), int(alone[1].sum())


def match_runs(
    truth: Any, runs: NDArray[np.int32], limits: Any, rules: int
) -> tuple[Ints, Floats, Ints]:
    """Match the targets of a mask's runs: a row as of `match_levels`, the qualities under OPDC."""
    # Below the last pixel of both sides there is nothing to see.
    height = max([-1, *truth.runs[:, 0], *runs[:, 0]]) + 1
    plane = paint_runs(runs, np.ones(len(runs), np.int32), height, truth.width) > 0
    true, found = _true_targets(truth), _targets(plane)
    counts, shares = np.zeros((1, 16), np.int64), np.zeros((1, 8))
    quality = np.zeros((0, 5), np.int64)
    if rules & 1:
        quality, counts[0, :6], shares[0, :4] = _by_opdc(true, found, limits)
    if rules & 2:
        counts[0, 6:10], shares[0, 4:] = _by_distance(true, found, limits)
    if rules & 4:
        counts[0, 12:] = _shots(true, found, plane, limits)
    return counts, shares, quality


def match_levels(
    truth: Any, positions: Ints, ranks: Ints, n_thresholds: int, limits: Any, rules: int
) -> tuple[Ints, Floats]:
    """Match the targets of nested masks, each by itself."""
    size = truth.width * (max([-1, *(positions // truth.width)]) + 1)
    found = []
    for t in range(n_thresholds):
        mask = np.isin(np.arange(size), positions[ranks > t]).astype(np.uint8)
        runs = find_runs(mask, np.empty(0, np.uint64), truth.width)
        found.append(match_runs(truth, runs, limits, rules))
    return np.concatenate([row[0] for row in found]), np.concatenate([row[1] for row in found])


class _Side(NamedTuple):
    """The targets of one side: their pixels, areas and centroids."""

    pixels: list[Pixels]
    areas: Ints
    points: Floats


def _side(pixels: list[Pixels]) -> _Side:
    points = [np.mean(list(target), axis=0) for target in pixels]
    areas = np.array([len(target) for target in pixels], np.int64)
    return _Side(pixels, areas, np.array(points, np.float64).reshape(-1, 2))


def _targets(plane: NDArray[np.bool_]) -> _Side:
    """Return the 8-connected components of a mask."""
    image, count = label(plane, 8)
    return _side([set(zip(*np.nonzero(image == k + 1), strict=True)) for k in range(count)])


def _true_targets(truth: Any) -> _Side:
    """Return the targets that a list of labelled runs holds."""
    pixels: list[Pixels] = [set() for _ in truth.areas]
    for (row, start, stop), own in zip(truth.runs.tolist(), truth.labels, strict=True):
        pixels[own - 1] |= {(row, column) for column in range(start, stop)}
    return _side(pixels)


def _shared(true: _Side, found: _Side) -> Ints:
    """Return the pairs that share pixels, row-major: row, column, number of pixels."""
    every = itertools.product(enumerate(true.pixels), enumerate(found.pixels))
    pairs = [(i, j, len(t & f)) for (i, t), (j, f) in every if t & f]
    return np.array(pairs, np.int64).reshape(-1, 3)


def _matrix(points: Floats, others: Floats, shared: Ints, ious: Floats) -> Floats:
    overlap = np.zeros((len(points), len(others)))
    overlap[shared[:, 0], shared[:, 1]] = ious
    return overlap


def _nearest(apart: Floats, rows: Any, columns: Any) -> list[tuple[int, int]]:
    """Return the pairs of some rows and some columns at the least total distance."""
    from scipy.optimize import linear_sum_assignment

    found = zip(*linear_sum_assignment(apart[np.ix_(rows, columns)]), strict=True)
    return [(rows[i], columns[j]) for i, j in found]


def _by_opdc(true: _Side, found: _Side, limits: Any) -> tuple[Ints, list[int], list[float]]:
    shared = _shared(true, found)
    ious = intersection_over_union(shared, true.areas, found.areas)
    between = true.points, found.points, shared, ious, limits
    assigned = opdc(*between)
    quality = qualities(true.areas, found.areas, shared, assigned)
    counts = [*_sizes(true, found, assigned), *without_candidate(*between)]
    return quality, counts, _sums(quality)


def _by_distance(true: _Side, found: _Side, limits: Any) -> tuple[list[int], list[float]]:
    """Each true target in order takes the first free one that is near enough."""
    free = list(range(len(found.areas)))
    assigned = np.full(len(true.areas), -1, np.int64)
    for i, row in enumerate(distances(true.points, found.points) < limits.distance):
        near = [j for j in free if row[j]]
        if near:
            assigned[i] = near[0]
            free.remove(near[0])
    quality = qualities(true.areas, found.areas, _shared(true, found), assigned)
    return _sizes(true, found, assigned), _sums(quality)


def _sizes(true: _Side, found: _Side, assigned: Ints) -> list[int]:
    """Return the pairs, what is left of the predictions and of the truths, the former's area."""
    alone = sorted(set(range(len(found.areas))) - set(assigned.tolist()))
    pairs = len(found.areas) - len(alone)
    return [pairs, len(alone), len(true.areas) - pairs, int(found.areas[alone].sum())]


def _sums(quality: Ints) -> list[float]:
    shares = quality[:, 1:] / quality[:, :1]
    return [math.fsum(column) for column in shares.T.tolist()]


def _shots(true: _Side, found: _Side, plane: NDArray[np.bool_], limits: Any) -> list[int]:
    aimed = np.zeros_like(plane)
    for target in true.pixels:
        aimed[tuple(np.transpose(list(target)))] = True
    near, far = _widened(plane, limits.hit), _widened(aimed, limits.clear)
    hit = sum(any(near[pixel] for pixel in target) for target in true.pixels)
    return [hit, len(true.areas) - hit, int((plane & ~far).sum()), len(found.areas)]


def _widened(mask: NDArray[np.bool_], radius: int) -> NDArray[np.bool_]:
    """Return where a pixel of the mask is at most `radius` rows and columns away."""
    from scipy.ndimage import binary_dilation

    square = np.ones((2 * radius + 1, 2 * radius + 1), bool)
    return np.asarray(binary_dilation(mask, square)) if mask.size else mask
