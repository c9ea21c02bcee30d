"""The peer's ways to match: objects that are called with label maps and lists of properties."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastsegmetrics.compat.py_irstd_metrics.pairs import distance_limit, overlap_limit, quotient
from fastsegmetrics.statistics.targets import Limits, Parts

Flags = NDArray[np.bool_]
Distances = NDArray[np.float64]


class Properties(NamedTuple):
    """What a way to match is told of one target."""

    label: int
    area: float
    centroid: tuple[float, float]

    @classmethod
    def of(cls, parts: Parts) -> list[Properties]:
        """Return those of all targets of a mask."""
        places = zip(parts.areas.tolist(), parts.centroids.tolist(), strict=True)
        return [cls(k + 1, float(area), (row, col)) for k, (area, (row, col)) in enumerate(places)]


class DistanceOnlyMatching:
    """Each true target, in order, takes the first free prediction nearer than the limit.

    Parameters
    ----------
    distance_threshold : float
        In pixels, exclusive.
    """

    rule = "distance"

    def __init__(self, distance_threshold: float = 3) -> None:
        distance_limit(distance_threshold)
        self.distance_threshold = distance_threshold

    def __call__(
        self, pred_tgts_map: Any, mask_tgts_map: Any, pred_props: Any, mask_props: Any
    ) -> tuple[Flags, None]:
        """Return which true target (row) is matched with which predicted one, and None."""
        near = distances_of(mask_props, pred_props) < self.distance_threshold
        matched = np.zeros(near.shape, np.bool_)
        for row in range(len(near)):
            free = np.flatnonzero(near[row] & ~matched.any(axis=0))
            if len(free):
                matched[row, free[0]] = True
        return matched, None

    @property
    def limits(self) -> Limits:
        """What makes two targets one."""
        return Limits(distance=float(self.distance_threshold))


class OPDCMatching:
    """Match by overlap first, then by distance; see `fastsegmetrics.hiou`.

    An empty side is one phantom target that shares no pixel and is as far as the image is large,
    as for the peer.

    Parameters
    ----------
    overlap_threshold : float
        Least IoU, in [0, 1).
    distance_threshold : float
        In pixels, exclusive.
    """

    rule = "opdc"

    def __init__(self, overlap_threshold: float = 0.5, distance_threshold: float = 3) -> None:
        overlap_limit(overlap_threshold)
        distance_limit(distance_threshold)
        self.overlap_threshold = overlap_threshold
        self.distance_threshold = distance_threshold

    def __call__(
        self, pred_tgts_map: Any, mask_tgts_map: Any, pred_props: Any, mask_props: Any
    ) -> tuple[Flags, NDArray[np.float64]]:
        """Return which true target (row) is matched with which predicted one, and all IoUs."""
        distance, iou = self.get_paired_info(pred_tgts_map, mask_tgts_map, pred_props, mask_props)
        matched = np.zeros(distance.shape, np.bool_)
        self.overlap_priority_constraint(matched, distance, iou >= self.overlap_threshold)
        self.distance_based_compensation(matched, distance, distance < self.distance_threshold)
        return matched, iou

    def get_paired_info(
        self, pred_tgts_map: Any, mask_tgts_map: Any, pred_props: Any, mask_props: Any
    ) -> tuple[Distances, NDArray[np.float64]]:
        """Return the distances and the IoUs of all pairs, float64[n, m], rows true targets."""
        shape = max(len(mask_props), 1), max(len(pred_props), 1)
        if not (len(pred_props) and len(mask_props)):
            return np.full(shape, float(np.size(mask_tgts_map))), np.zeros(shape)
        return distances_of(mask_props, pred_props), ious_of(
            mask_tgts_map, pred_tgts_map, mask_props, pred_props
        )

    def overlap_priority_constraint(
        self, matched_status: Flags, paired_distance: Distances, valid_iou_status: Flags
    ) -> None:
        """Set the pairs of the shortest assignment that are valid in `matched_status`."""
        _keep(
            matched_status, paired_distance, valid_iou_status, *map(np.arange, matched_status.shape)
        )

    def distance_based_compensation(
        self, matched_status: Flags, paired_distance: Distances, valid_distance_status: Flags
    ) -> None:
        """Do the same with what is not yet matched on either side."""
        rows = np.flatnonzero(~matched_status.any(axis=1))
        columns = np.flatnonzero(~matched_status.any(axis=0))
        _keep(matched_status, paired_distance, valid_distance_status, rows, columns)

    @property
    def limits(self) -> Limits:
        """What makes two targets one."""
        return Limits(float(self.overlap_threshold), float(self.distance_threshold))


def _keep(
    matched: Flags,
    distance: Distances,
    valid: Flags,
    rows: NDArray[np.intp],
    columns: NDArray[np.intp],
) -> None:
    from fastsegmetrics.kernels.assign import assign

    if not (len(rows) and len(columns)):
        return
    costs = np.ascontiguousarray(distance[np.ix_(rows, columns)], np.float64)
    assigned, _ = assign(costs)
    for row, place in zip(rows, assigned, strict=True):
        if place >= 0 and valid[row, columns[place]]:
            matched[row, columns[place]] = True


def distances_of(rows: Sequence[Any], columns: Sequence[Any]) -> Distances:
    """Return the distances of the centroids of two lists of properties: float64[n, m]."""
    points, others = (
        np.array([one.centroid for one in side], np.float64).reshape(-1, 2)
        for side in (rows, columns)
    )
    down, across = np.moveaxis(points[:, None] - others[None], 2, 0)
    found: Distances = np.sqrt(down * down + across * across)
    return found


def ious_of(
    row_map: Any, column_map: Any, rows: Sequence[Any], columns: Sequence[Any]
) -> NDArray[np.float64]:
    """Return the IoUs of the targets of two label maps: float64[n, m]."""
    n, m = len(rows), len(columns)
    keys = np.asarray(row_map).astype(np.int64) * (m + 1) + np.asarray(column_map)
    shared = np.bincount(keys.ravel(), minlength=(n + 1) * (m + 1)).reshape(n + 1, m + 1)
    union = shared.sum(axis=1)[1:, None] + shared.sum(axis=0)[None, 1:] - shared[1:, 1:]
    return quotient(shared[1:, 1:], union)
