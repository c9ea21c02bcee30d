"""The slice of a volume to look at, with its boundary's distances in three dimensions."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastsegmetrics.statistics.boundary_map import BoundaryMap, boundary


class VolumeSlice(NamedTuple):
    """One slice of a pair.

    Attributes
    ----------
    axis, place : int
        Along which axis of the array, and where.
    pred, gt : ndarray of bool, shape (H, W)
    boundaries : BoundaryMap
        The slice of the surfaces, with distances through the volume.
    """

    axis: int
    place: int
    pred: NDArray[np.bool_]
    gt: NDArray[np.bool_]
    boundaries: BoundaryMap


def surface_distances_of_voxels(
    pred: NDArray[np.bool_], gt: NDArray[np.bool_], spacing: tuple[float, ...]
) -> BoundaryMap:
    """Return both surfaces and the distance of each of the prediction's voxels to the truth's."""
    own, other = boundary(pred), boundary(gt)
    distance = np.full(own.shape, np.nan)
    if not other.any():
        distance[own] = np.inf
    elif own.any():
        from scipy.ndimage import distance_transform_edt

        field = distance_transform_edt(~other, sampling=spacing)
        distance[own] = field[own]
    return BoundaryMap(own, other, distance)


def worst_slice(
    pred: NDArray[np.bool_],
    gt: NDArray[np.bool_],
    found: BoundaryMap,
    spacing: tuple[float, ...],
) -> VolumeSlice:
    """Return the slice across the coarsest axis that has the most wrong voxels.

    Of axes equally coarse the last is taken, of slices with equally many the first; where nothing
    is wrong, the slice that has most of the truth.
    """
    axis = max(range(3), key=lambda a: (spacing[a], a))
    others = tuple(a for a in range(3) if a != axis)
    wrong = (pred ^ gt).sum(axis=others)
    place = int(np.argmax(wrong if wrong.any() else gt.sum(axis=others)))
    cut = [np.take(values, place, axis=axis) for values in (pred, gt, *found)]
    return VolumeSlice(axis, place, cut[0], cut[1], BoundaryMap(*cut[2:]))
