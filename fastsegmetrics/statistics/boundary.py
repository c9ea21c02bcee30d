"""What two masks share along their boundaries, in bands below them and on their centre lines."""

from __future__ import annotations

import itertools
import math
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastsegmetrics import backend
from fastsegmetrics.represent import MaskPair
from fastsegmetrics.statistics.surface_distances import (
    DirectedDistances,
    point_distances,
    surface_distances,
    surface_points,
)

Matching = Literal["nearest", "one_to_one"]
Boundary = Literal["surface", "davis"]


class MatchedPoints(NamedTuple):
    """How many points of either mask count as found in the other; integers that add up.

    Attributes
    ----------
    pred_found, n_pred : int
        Points of the prediction that have a match, and all of them.
    gt_found, n_gt : int
        The same of the truth.
    """

    pred_found: int
    n_pred: int
    gt_found: int
    n_gt: int


class SharedBand(NamedTuple):
    """Pixels in both bands and in either; integers that add up."""

    shared: int
    union: int


def boundary_points(
    pair: MaskPair, tolerance: float, *, matching: Matching, boundary: Boundary
) -> MatchedPoints:
    """Count boundary points within a tolerance of the other mask's boundary.

    Parameters
    ----------
    pair : MaskPair
        What `represent.mask_pair` returns; the tolerance is in the unit of its spacing.
    tolerance : float
        Largest distance of a match.
    matching : {"nearest", "one_to_one"}
        Whether a point may be the match of several.
    boundary : {"surface", "davis"}
        Foreground with a neighbour outside it, or the boundary map of the DAVIS benchmark (2-D).
    """
    if matching == "nearest":
        if boundary == "davis":
            found = point_distances(_davis_pair(pair))
        else:
            found = surface_distances(pair)
        return near_points(found, tolerance)
    if boundary == "davis":
        points = [_points(mask) for mask in _davis_pair(pair)[:2]]
    else:
        points = [surface_points(mask) for mask in (pair.pred, pair.gt)]
    n = _most_pairs(points, pair.gt.shape, tolerance, pair.spacing)
    return MatchedPoints(n, len(points[0]), n, len(points[1]))


def near_points(distances: DirectedDistances, tolerance: float) -> MatchedPoints:
    """Count the points of either side that lie within a tolerance of the other."""
    sides = distances.pred_to_gt, distances.gt_to_pred
    near = [int(side.searchsorted(tolerance, side="right")) for side in sides]
    return MatchedPoints(near[0], sides[0].size, near[1], sides[1].size)


def davis_boundary(mask: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Return the DAVIS benchmark's boundary map of an image: where a mask is about to change.

    A pixel is set if it differs from the one to its right, below, or both; in the last row from
    the one to its right, in the last column from the one below; the last corner never.
    """
    right, below, oblique = np.zeros((3, *mask.shape), np.uint8)
    right[:, :-1] = mask[:, 1:]
    below[:-1] = mask[1:]
    oblique[:-1, :-1] = mask[1:, 1:]
    edge = (mask ^ right) | (mask ^ below) | (mask ^ oblique)
    edge[-1] = mask[-1] ^ right[-1]
    edge[:, -1] = mask[:, -1] ^ below[:, -1]
    edge[-1, -1] = 0
    edge.setflags(write=False)  # as masks are, so that kernels meet one kind of array
    return edge


def _davis_pair(pair: MaskPair) -> MaskPair:
    return MaskPair(davis_boundary(pair.pred), davis_boundary(pair.gt), pair.spacing)


def _points(mask: NDArray[np.generic]) -> NDArray[np.int64]:
    """Return planes, rows and columns: (N, 3)."""
    places = np.argwhere(mask)
    return np.pad(places, ((0, 0), (3 - mask.ndim, 0)))


def _most_pairs(
    points: list[NDArray[np.int64]],
    shape: tuple[int, ...],
    tolerance: float,
    spacing: tuple[float, ...],
) -> int:
    if backend.resolve() == "reference":
        from fastsegmetrics.reference import pairing
    else:
        from fastsegmetrics.kernels import pairing  # type: ignore[no-redef]

    index = np.full((1,) * (3 - len(shape)) + shape, -1)
    index[tuple(points[1].T)] = np.arange(len(points[1]))
    steps = _steps_within(tolerance, spacing, shape)
    starts, neighbours = pairing.close_pairs(points[0], index, steps)
    return int(pairing.most_pairs(starts, neighbours, len(points[1])))


def _steps_within(
    tolerance: float, spacing: tuple[float, ...], shape: tuple[int, ...]
) -> NDArray[np.int64]:
    """Return the steps along three axes that lead no farther than the tolerance: (K, 3)."""
    reach = [min(int(tolerance / step), n - 1) for step, n in zip(spacing, shape)]
    ranges = [range(-n, n + 1) for n in reach]
    isotropic = len(set(spacing)) == 1
    kept = []
    for step in itertools.product(*ranges):
        if isotropic:
            away = math.sqrt(sum(n * n for n in step)) * spacing[0]
        else:
            away = math.sqrt(sum((n * size) ** 2 for n, size in zip(step, spacing)))
        if away <= tolerance:
            kept.append((0,) * (3 - len(shape)) + step)
    return np.array(kept, np.int64)


def shared_band(pair: MaskPair, distance: int) -> SharedBand:
    """Count the pixels of both masks' bands: what `distance` erosions by a 3 x 3 box remove.

    In volumes the box is 3 x 3 x 3; outside the array is background.
    """
    return shared_bits(band(pair.pred, distance), band(pair.gt, distance))


def band(mask: NDArray[np.uint8], distance: int) -> NDArray[np.uint64]:
    """Return a mask's band as a bit volume (`kernels.surface`), read-only."""
    planar = mask.ndim == 2
    if backend.resolve() == "reference":
        from fastsegmetrics.reference import surface as reference, surface_pair

        by_pixels = surface_pair.band(mask, distance).view(np.uint8)
        bits = reference.pack_volume(by_pixels[None] if planar else by_pixels, 0, planar)
    else:
        from fastsegmetrics.kernels import surface as kernels

        whole = kernels.pack_volume(mask[None] if planar else mask, 0, planar)
        left = whole
        for _ in range(distance):
            left = left ^ kernels.surface(left, mask.ndim, planar)
        bits = whole ^ left
    bits.setflags(write=False)
    return bits


def shared_bits(first: NDArray[np.uint64], second: NDArray[np.uint64]) -> SharedBand:
    """Count what two bit volumes share and hold together."""
    if backend.resolve() == "reference":
        from fastsegmetrics.reference import surface
    else:
        from fastsegmetrics.kernels import surface  # type: ignore[no-redef]
    return SharedBand(
        int(surface.count_bits(first & second)), int(surface.count_bits(first | second))
    )


def centre_lines(pair: MaskPair) -> MatchedPoints:
    """Count the points of each side's skeleton, and those that lie in the other mask."""
    if pair.gt.ndim == 3:
        return _lines_of_volumes(pair)
    return covered_lines(pair, _skeleton(pair.gt))


def _lines_of_volumes(pair: MaskPair) -> MatchedPoints:
    if backend.resolve() == "reference":
        from fastsegmetrics.reference import surface, volume_skeleton
    else:
        from fastsegmetrics.kernels import surface, volume_skeleton  # type: ignore[no-redef]

    pred, gt = (surface.pack_volume(mask, 0, False) for mask in (pair.pred, pair.gt))
    line, gt_line = volume_skeleton.thin_volume(pred), volume_skeleton.thin_volume(gt)
    counted = (line & gt, line, gt_line & pred, gt_line)
    return MatchedPoints(*(int(surface.count_bits(bits)) for bits in counted))


def covered_lines(pair: MaskPair, gt_line: NDArray[np.generic]) -> MatchedPoints:
    """Count as `centre_lines` does for images, with the truth's skeleton (H, W) at hand."""
    line, gt_line = _skeleton(pair.pred).view(bool), gt_line.view(bool)
    pred, gt = pair.pred.view(bool), pair.gt.view(bool)
    return MatchedPoints(
        int(np.count_nonzero(line & gt)),
        int(np.count_nonzero(line)),
        int(np.count_nonzero(gt_line & pred)),
        int(np.count_nonzero(gt_line)),
    )


def _skeleton(mask: NDArray[np.uint8]) -> NDArray[np.uint8]:
    if backend.resolve() == "reference":
        from fastsegmetrics.reference import bitmask, skeleton
    else:
        from fastsegmetrics.kernels import bitmask, skeleton  # type: ignore[no-redef]

    width = mask.shape[1]
    line: NDArray[np.uint8] = bitmask.unpack(
        skeleton.thin(bitmask.pack_levels(mask, 0), width), width
    )
    return line
