"""Stage 3 of one pair: which predicted target belongs to which target of the truth."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastsegmetrics.protocol.extract import Regions, joint_box
from fastsegmetrics.protocol.options import (
    OPDC,
    Greedy,
    Hungarian,
    Matching,
    Overlap,
    Shooting,
)


class Matches(NamedTuple):
    """Places in both lists of targets: the pairs, and what is left on either side."""

    pairs: tuple[tuple[int, int], ...]
    missed: tuple[int, ...]
    false: tuple[int, ...]
    overlaps: NDArray[np.float64]


class TargetCounts(NamedTuple):
    """What target scores are made from; all add up over images.

    ``overlap``, ``merge``, ``interference`` and ``perception`` are sums over the matched pairs of
    shares of each pair's union: common pixels, predicted ones on other targets, predicted ones on
    none, and target pixels not predicted.  ``lone_predictions`` and ``lone_truths`` have no
    candidate on the other side.
    """

    matched: float
    missed: float
    false: float
    overlap: float
    merge: float
    interference: float
    perception: float
    lone_predictions: float
    lone_truths: float
    false_pixels: float
    pixels: float


def match(rule: Matching, truth: Regions, pred: Regions) -> Matches:
    """Match the targets of truth and prediction.

    Parameters
    ----------
    rule : Overlap, Hungarian, OPDC or Greedy
        How.
    truth, pred : Regions
        The targets of both sides.

    Returns
    -------
    Matches
        ``overlaps`` [n, m] holds the IoU of all pairs, rows the truth's.
    """
    overlaps = iou_matrix(truth, pred)
    if isinstance(rule, Overlap):
        pairs = _by_overlap(overlaps, rule.iou)
    elif isinstance(rule, Greedy):
        pairs = _greedy(distances(truth, pred), rule.limit)
    elif isinstance(rule, Hungarian):
        pairs = _hungarian(rule, truth, pred, overlaps)
    elif isinstance(rule, OPDC):
        pairs = _overlap_then_distance(rule, distances(truth, pred), overlaps)
    else:
        raise TypeError(f"{rule.kind} matches no targets")
    missed = set(range(len(truth.found))) - {i for i, _ in pairs}
    false = set(range(len(pred.found))) - {j for _, j in pairs}
    return Matches(tuple(sorted(pairs)), tuple(sorted(missed)), tuple(sorted(false)), overlaps)


def tally(rule: Matching, truth: Regions, pred: Regions) -> TargetCounts:
    """Match the targets of truth and prediction, and count what scores of targets ask for."""
    if isinstance(rule, Shooting):
        return _shots(rule, truth, pred)
    found = match(rule, truth, pred)
    every = _inside(truth)
    shares = []
    for i, j in found.pairs:
        one, two = truth.found[i], pred.found[j]
        box = joint_box(one.box, two.box)
        own, other = truth.labels[box] == one.label, pred.labels[box] == two.label
        union = np.count_nonzero(own | other)
        parts = (own & other, other & every[box] & ~own, other & ~every[box], own & ~other)
        shares.append([np.count_nonzero(part) / union for part in parts])
    sums = [math.fsum(column) for column in zip(*shares, strict=True)] or [0.0] * 4
    lone = [math.nan, math.nan]
    if isinstance(rule, OPDC):
        candidate = (found.overlaps >= rule.iou) | (distances(truth, pred) < rule.distance)
        lone = [float((~candidate.any(axis=axis)).sum()) for axis in (0, 1)]
    false_pixels = sum(pred.found[j].area for j in found.false)
    sizes = [len(part) for part in (found.pairs, found.missed, found.false)]
    return TargetCounts._make([*sizes, *sums, *lone, false_pixels, truth.labels.size])


def survivors(rule: Matching, truth: Regions, pred: Regions) -> NDArray[np.float64]:
    """Return how many pairs have an IoU > i/256, i = 0…255, and the targets of both sides, pairs
    counted once: float64[257]."""
    found = match(rule, truth, pred)
    overlaps = np.array([found.overlaps[pair] for pair in found.pairs])
    total = len(found.pairs) + len(found.missed) + len(found.false)
    above = [np.count_nonzero(256 * overlaps > level) for level in range(256)]
    return np.array([*above, total], np.float64)


def _inside(regions: Regions) -> NDArray[np.bool_]:
    return np.asarray(_places(regions)[regions.labels] >= 0)


def _shots(rule: Shooting, truth: Regions, pred: Regions) -> TargetCounts:
    aimed, predicted = _inside(truth), _inside(pred)
    near = np.unique(truth.labels[aimed & _widened(predicted, rule.near)]).size
    false = np.count_nonzero(predicted & ~_widened(aimed, rule.far))
    # The predictions are told so that nothing on either side can be told from nothing hit.
    counts = [near, len(truth.found) - near, len(pred.found)]
    return TargetCounts._make([*counts, *[math.nan] * 6, false, truth.labels.size])


def _widened(mask: NDArray[np.bool_], reach: int) -> NDArray[np.bool_]:
    """Return the pixels within a square of half-size `reach` of a mask's."""
    for axis in (0, 1):
        wide = mask.copy()
        for step in range(1, min(reach, mask.shape[axis] - 1) + 1):
            here, there = [slice(None)] * 2, [slice(None)] * 2
            here[axis], there[axis] = slice(step, None), slice(None, -step)
            wide[tuple(here)] |= mask[tuple(there)]
            wide[tuple(there)] |= mask[tuple(here)]
        mask = wide
    return mask


def iou_matrix(truth: Regions, pred: Regions) -> NDArray[np.float64]:
    """Return the IoU of every pair of targets: float64[n, m]."""
    n, m = len(truth.found), len(pred.found)
    rows, columns = _places(truth), _places(pred)
    a, b = rows[truth.labels], columns[pred.labels]
    both = (a >= 0) & (b >= 0)
    shared = np.bincount(a[both] * max(m, 1) + b[both], minlength=n * m).reshape(n, m)
    areas = [np.array([r.area for r in side.found], np.int64) for side in (truth, pred)]
    union = areas[0][:, None] + areas[1][None, :] - shared
    return np.asarray(shared / union) if n and m else np.zeros((n, m))


def _places(regions: Regions) -> NDArray[np.int64]:
    """Map a label to its place among the targets, or to −1."""
    places = np.full(int(regions.labels.max(initial=0)) + 1, -1, np.int64)
    for place, region in enumerate(regions.found):
        places[region.label] = place
    return places


def distances(truth: Regions, pred: Regions) -> NDArray[np.float64]:
    """Return the distances of all pairs of centroids in pixels: float64[n, m]."""
    sides = [
        np.array([region.centroid for region in side.found]).reshape(-1, 2)
        for side in (truth, pred)
    ]
    steps = sides[0][:, None, :] - sides[1][None, :, :]
    return np.asarray(np.sqrt(steps[..., 0] ** 2 + steps[..., 1] ** 2))


def assignment(costs: NDArray[np.float64]) -> list[tuple[int, int]]:
    """Return the one-to-one pairs of least total cost, rows ascending."""
    if costs.size == 0:
        return []
    from scipy.optimize import linear_sum_assignment

    rows, columns = linear_sum_assignment(costs)
    return list(zip(rows.tolist(), columns.tolist(), strict=True))


def _by_overlap(overlaps: NDArray[np.float64], least: float) -> list[tuple[int, int]]:
    free = np.ones(overlaps.shape[1], bool)
    pairs = []
    for i, row in enumerate(overlaps):
        if row.size and (left := np.where(free, row, -1.0)).max() >= least:
            j = int(left.argmax())
            free[j] = False
            pairs.append((i, j))
    return pairs


def _greedy(apart: NDArray[np.float64], limit: float) -> list[tuple[int, int]]:
    free = np.ones(apart.shape[1], bool)
    pairs = []
    for i, row in enumerate(apart):
        near = np.flatnonzero(free & (row < limit))
        if near.size:
            free[near[0]] = False
            pairs.append((i, int(near[0])))
    return pairs


def _hungarian(
    rule: Hungarian, truth: Regions, pred: Regions, overlaps: NDArray[np.float64]
) -> list[tuple[int, int]]:
    if rule.cost == "distance":
        costs, limit = distances(truth, pred), np.inf if rule.limit is None else rule.limit
    else:
        # Without a common pixel there is nothing that belongs together.
        costs, limit = 1.0 - overlaps, min(1.0, np.inf if rule.limit is None else rule.limit)
    return [(i, j) for i, j in assignment(costs) if costs[i, j] < limit]


def _overlap_then_distance(
    rule: OPDC, apart: NDArray[np.float64], overlaps: NDArray[np.float64]
) -> list[tuple[int, int]]:
    pairs = [(i, j) for i, j in assignment(apart) if overlaps[i, j] >= rule.iou]
    rows = sorted(set(range(apart.shape[0])) - {i for i, _ in pairs})
    columns = sorted(set(range(apart.shape[1])) - {j for _, j in pairs})
    rest = apart[np.ix_(rows, columns)]
    return pairs + [
        (rows[i], columns[j]) for i, j in assignment(rest) if rest[i, j] < rule.distance
    ]
