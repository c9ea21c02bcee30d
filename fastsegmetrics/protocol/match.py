"""Stage 3 of one pair: which predicted target belongs to which target of the truth."""

from __future__ import annotations

import math
from importlib import import_module
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastsegmetrics import backend as backends
from fastsegmetrics.errors import InputError
from fastsegmetrics.protocol import costs as costs_by_name
from fastsegmetrics.protocol.extract import Regions
from fastsegmetrics.protocol.options import (
    OPDC,
    Greedy,
    Hungarian,
    Matching,
    Overlap,
    Shooting,
)
from fastsegmetrics.statistics.targets import N_QUALITIES, Parts

#: By place in the truth's list of targets, the place in the prediction's; −1 for none.
Assigned = NDArray[np.int64]


class Shared(NamedTuple):
    """The pairs of targets that share pixels, by place in both lists, rows of the truth first.

    Attributes
    ----------
    pairs : ndarray of int64, shape (k, 2)
        In row-major order.
    pixels : ndarray of int64, shape (k,)
        How many they share.
    ious, dices : ndarray of float64, shape (k,)
        Shared pixels over the union, and over the mean area.
    """

    pairs: NDArray[np.int64]
    pixels: NDArray[np.int64]
    ious: NDArray[np.float64]
    dices: NDArray[np.float64]

    def by_row(self, assigned: Assigned, values: NDArray[Any]) -> NDArray[Any]:
        """Return of values of the pairs that of each row and its column; 0 where nothing is."""
        rows, columns = self.pairs.T
        own = assigned[rows] == columns
        found = np.zeros(assigned.size, values.dtype)
        found[rows[own]] = values[own]
        return found


class Matches(NamedTuple):
    """Places in both lists of targets: the pairs with their IoUs, and what is left over."""

    pairs: tuple[tuple[int, int], ...]
    missed: tuple[int, ...]
    false: tuple[int, ...]
    ious: NDArray[np.float64]


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
        With the IoU of each pair, 0 for one that shares nothing.
    """
    rows, columns = parts(truth), parts(pred)
    shared = overlaps(rows, columns)
    assigned = _assigned(rule, truth, pred, rows, columns, shared)
    matched = np.flatnonzero(assigned >= 0)
    return Matches(
        tuple(zip(matched.tolist(), assigned[matched].tolist(), strict=True)),
        tuple(np.flatnonzero(assigned < 0).tolist()),
        tuple(_free(assigned, columns).tolist()),
        shared.by_row(assigned, shared.ious)[matched],
    )


def tally(rule: Matching, truth: Regions, pred: Regions) -> TargetCounts:
    """Match the targets of truth and prediction, and count what scores of targets ask for."""
    rows, columns = parts(truth), parts(pred)
    if isinstance(rule, Shooting):
        return _shots(rule, rows, columns, truth.labels.size)
    shared = overlaps(rows, columns)
    assigned = _assigned(rule, truth, pred, rows, columns, shared)
    matched, alone = np.flatnonzero(assigned >= 0), _free(assigned, columns)
    shares = _made_of(rows, columns, shared, assigned)
    return TargetCounts._make(
        [
            *(matched.size, assigned.size - matched.size, alone.size),
            *(math.fsum(column) for column in shares.T.tolist()),
            *_without_candidate(rule, rows, columns, shared),
            *(int(columns.areas[alone].sum()), truth.labels.size),
        ]
    )


def survivors(rule: Matching, truth: Regions, pred: Regions) -> NDArray[np.float64]:
    """Return how many pairs have an IoU > i/256, i = 0…255, and the targets of both sides, pairs
    counted once: float64[257]."""
    found = match(rule, truth, pred)
    total = len(found.pairs) + len(found.missed) + len(found.false)
    above = [np.count_nonzero(N_QUALITIES * found.ious > level) for level in range(N_QUALITIES)]
    return np.array([*above, total], np.float64)


def parts(regions: Regions) -> Parts:
    """Return the runs, areas and centroids of what counts as a target, labelled by place + 1."""
    labels = np.zeros(int(regions.labels_of_runs.max(initial=0)) + 1, np.int32)
    labels[[region.label for region in regions.found]] = np.arange(1, len(regions.found) + 1)
    own = labels[regions.labels_of_runs]
    return Parts(
        regions.runs[own > 0],
        own[own > 0],
        regions.areas,
        regions.centroids,
        regions.labels.shape[1],
    )


def overlaps(rows: Parts, columns: Parts) -> Shared:
    """Return which targets of two images share pixels; memory follows the pairs that do."""
    found = _room("overlap").overlaps(
        rows.runs, rows.labels, columns.runs, columns.labels, rows.areas.size, columns.areas.size
    )
    i, j, pixels = found.T
    areas = rows.areas[i] + columns.areas[j]
    return Shared(
        np.ascontiguousarray(found[:, :2]), pixels, pixels / (areas - pixels), 2 * pixels / areas
    )


def assignment(costs: ArrayLike) -> list[tuple[int, int]]:
    """Return the one-to-one pairs of least total cost.

    Parameters
    ----------
    costs : array_like of float, shape (n, m)
        Of any kind, infinite for pairs that must not be.

    Returns
    -------
    list of (int, int)
        Row and column, rows ascending; as many as the shorter side has.  Of several assignments
        of one cost that which ``scipy.optimize.linear_sum_assignment`` returns.

    Raises
    ------
    InputError
        When the costs are no matrix of real numbers, a cost is NaN or −inf, or the infinite ones
        leave no assignment.

    Examples
    --------
    >>> assignment([[4.0, 1.0, 3.0], [2.0, 0.0, 5.0]])
    [(0, 1), (1, 0)]
    """
    given = np.asarray(costs)
    if given.dtype.kind not in "biuf":
        raise InputError(f"costs must be real numbers; received dtype {given.dtype}")
    matrix = np.ascontiguousarray(given, np.float64)
    if matrix.ndim != 2:
        raise InputError(f"costs must be a matrix; received {matrix.ndim} axes")
    refused = np.isnan(matrix) | (matrix == -math.inf)
    if refused.any():
        i, j = np.argwhere(refused)[0].tolist()
        raise InputError(
            f"costs must be numbers or +inf; received {matrix[i, j]} in row {i}, column {j}"
        )
    assigned, feasible = _room("assign").assign(matrix)
    if not feasible:
        raise InputError(
            "costs must leave a finite pair for everything on the shorter side; "
            "the infinite ones do not"
        )
    return [(i, j) for i, j in enumerate(assigned.tolist()) if j >= 0]


def _room(name: str) -> ModuleType:
    """Return a module of kernels, or of their twins under the reference backend."""
    place = "reference" if backends.resolve() == "reference" else "kernels"
    return import_module(f"fastsegmetrics.{place}.{name}")


def _assigned(
    rule: Matching, truth: Regions, pred: Regions, rows: Parts, columns: Parts, shared: Shared
) -> Assigned:
    if isinstance(rule, Overlap):
        return _by_overlap(rule, rows, shared)
    if isinstance(rule, Greedy):
        proximity = _room("proximity")
        near, _ = proximity.near_pairs(rows.centroids, columns.centroids, rule.limit)
        found = proximity.match_greedily(near, rows.areas.size, columns.areas.size)
        return np.asarray(found)
    if isinstance(rule, Hungarian) and rule.cost not in costs_by_name.WORDS:
        return _by_own_cost(rule, truth, pred)
    if isinstance(rule, Hungarian):
        return _hungarian(rule, rows, columns, shared)
    if isinstance(rule, OPDC):
        return _overlap_then_distance(rule, rows, columns, shared)
    raise TypeError(f"{rule.kind} matches no targets")


def _by_overlap(rule: Overlap, rows: Parts, shared: Shared) -> Assigned:
    assigned = np.full(rows.areas.size, -1, np.int64)
    taken: set[int] = set()
    enough = shared.ious >= rule.iou
    # By row, and in it by IoU, the lower column first where two are the same.
    order = np.lexsort((-shared.ious[enough], shared.pairs[enough, 0]))
    for i, j in shared.pairs[enough][order].tolist():
        if assigned[i] < 0 and j not in taken:
            assigned[i] = j
            taken.add(j)
    return assigned


def _hungarian(rule: Hungarian, rows: Parts, columns: Parts, shared: Shared) -> Assigned:
    limit = math.inf if rule.limit is None else rule.limit
    if rule.cost == "distance":
        if rule.limited == "before":
            near_pairs = _room("proximity").near_pairs
            near, apart = near_pairs(rows.centroids, columns.centroids, limit)
            return _gated(near, apart, limit, rows, columns)
        assigned = _nearest(rows, columns)
        return np.where(_apart(rows, columns, assigned) < limit, assigned, -1)
    # Without a common pixel there is nothing that belongs together.
    costs = 1.0 - (shared.ious if rule.cost == "overlap" else shared.dices)
    if rule.limited == "before":
        return _gated(shared.pairs, costs, min(limit, 1.0), rows, columns)
    assigned = _gated(shared.pairs, costs, 1.0, rows, columns)
    return np.where(shared.by_row(assigned, costs) < limit, assigned, -1)


def _by_own_cost(rule: Hungarian, truth: Regions, pred: Regions) -> Assigned:
    if not truth.found or not pred.found:
        return np.full(len(truth.found), -1, np.int64)
    costs = np.ascontiguousarray(costs_by_name.matrix(rule.cost, pred, truth).T)
    limit = math.inf if rule.limit is None else rule.limit
    if rule.limited == "before":
        assigned, _ = _room("assign").assign(np.minimum(costs, limit))
    else:
        assigned = _most_pairs(costs)
    own = costs[np.arange(len(costs)), assigned]
    return np.where((assigned >= 0) & (own < limit), assigned, -1)


def _most_pairs(costs: NDArray[np.float64]) -> Assigned:
    """Return the assignment with the fewest infinite costs, and of these that of least total."""
    assign = _room("assign").assign
    assigned, feasible = assign(costs)
    if not feasible:
        finite = costs[costs < math.inf]
        low, high = (float(finite.min()), float(finite.max())) if finite.size else (0.0, 0.0)
        # One of these costs more than all that the other pairs of an assignment can save.
        barrier = low + (min(costs.shape) + 1) * ((high - low) or max(1.0, abs(low)))
        assigned, _ = assign(np.minimum(costs, barrier))
    return np.asarray(assigned)


def _gated(
    pairs: NDArray[np.int64], costs: NDArray[np.float64], gate: float, rows: Parts, columns: Parts
) -> Assigned:
    """Return the assignment of least total cost where all but these pairs cost the gate."""
    sizes = rows.areas.size, columns.areas.size
    return np.asarray(_room("assign").assign_gated(pairs, costs, gate, *sizes))


def _overlap_then_distance(rule: OPDC, rows: Parts, columns: Parts, shared: Shared) -> Assigned:
    assigned = _nearest(rows, columns)
    assigned = np.where(shared.by_row(assigned, shared.ious) >= rule.iou, assigned, -1)
    left, free = np.flatnonzero(assigned < 0), _free(assigned, columns)
    rows, columns = (
        side._replace(areas=side.areas[own], centroids=side.centroids[own])
        for side, own in ((rows, left), (columns, free))
    )
    again = _nearest(rows, columns)
    near = _apart(rows, columns, again) < rule.distance
    assigned[left[near]] = free[again[near]]
    return assigned


def _nearest(rows: Parts, columns: Parts) -> Assigned:
    """Return the assignment of least total distance."""
    return np.asarray(_room("assign").assign_points(rows.centroids, columns.centroids))


def _apart(rows: Parts, columns: Parts, assigned: Assigned) -> NDArray[np.float64]:
    """Return the distance of each row from its column; infinite with none."""
    apart = np.full(assigned.size, math.inf)
    own = assigned >= 0
    steps = rows.centroids[own] - columns.centroids[assigned[own]]
    apart[own] = np.sqrt(steps[:, 0] ** 2 + steps[:, 1] ** 2)
    return apart


def _free(assigned: Assigned, columns: Parts) -> NDArray[np.intp]:
    """Return the columns that no row has."""
    free = np.ones(columns.areas.size, bool)
    free[assigned[assigned >= 0]] = False
    return np.flatnonzero(free)


def _made_of(
    rows: Parts, columns: Parts, shared: Shared, assigned: Assigned
) -> NDArray[np.float64]:
    """Return the shares of the union of each matched pair: float64[pairs, 4].

    Common pixels, predicted ones on other targets, predicted ones on none, and target pixels not
    predicted.
    """
    i = np.flatnonzero(assigned >= 0)
    j = assigned[i]
    common = shared.by_row(assigned, shared.pixels)[i]
    on_targets = np.bincount(shared.pairs[:, 1], shared.pixels, columns.areas.size)[j]
    union = rows.areas[i] + columns.areas[j] - common
    made_of = (common, on_targets - common, columns.areas[j] - on_targets, rows.areas[i] - common)
    return np.column_stack(made_of) / union[:, None]


def _without_candidate(
    rule: Matching, rows: Parts, columns: Parts, shared: Shared
) -> tuple[float, float]:
    """Count the predictions, and the truths, that OPDC could not have matched with anything."""
    if not isinstance(rule, OPDC):
        return math.nan, math.nan
    if rule.iou <= 0 and rows.areas.size and columns.areas.size:
        return 0.0, 0.0
    near, _ = _room("proximity").near_pairs(rows.centroids, columns.centroids, rule.distance)
    possible = np.concatenate((near, shared.pairs[shared.ious >= rule.iou]))
    of_rows, of_columns = (np.unique(places).size for places in possible.T)
    return float(columns.areas.size - of_columns), float(rows.areas.size - of_rows)


def _shots(rule: Shooting, rows: Parts, columns: Parts, pixels: int) -> TargetCounts:
    near_pixels = _room("regions").near_pixels
    hit = near_pixels(rows.runs, columns.runs, rows.width, rule.near)
    near = np.unique(rows.labels[hit > 0]).size
    lengths = columns.runs[:, 2] - columns.runs[:, 1]
    false = lengths.sum() - near_pixels(columns.runs, rows.runs, rows.width, rule.far).sum()
    # The predictions are told so that nothing on either side can be told from nothing hit.
    counts = [near, rows.areas.size - near, columns.areas.size]
    return TargetCounts._make([*counts, *[math.nan] * 6, int(false), pixels])
