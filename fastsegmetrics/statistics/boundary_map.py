"""Where two masks' boundaries lie, and how far each boundary pixel of the one is from the other."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastsegmetrics import backend


class BoundaryMap(NamedTuple):
    """The boundaries of a pair on the grid of its pixels.

    Attributes
    ----------
    pred, gt : ndarray of bool, shape (H, W)
        Foreground with a 4-neighbour that is not; outside the image is background.
    distance : ndarray of float64, shape (H, W)
        On the prediction's boundary the distance in pixels to the truth's, infinite where that has
        none; NaN elsewhere.
    """

    pred: NDArray[np.bool_]
    gt: NDArray[np.bool_]
    distance: NDArray[np.float64]


def boundary(mask: NDArray[Any]) -> NDArray[np.bool_]:
    """Return the foreground that has a neighbour outside the mask, or the array.

    Parameters
    ----------
    mask : ndarray, any number of axes
        Neighbours are next to each other along one axis: 4 in images, 6 in volumes.

    Examples
    --------
    >>> boundary(np.ones((3, 4), bool)).astype(int).tolist()
    [[1, 1, 1, 1], [1, 0, 0, 1], [1, 1, 1, 1]]
    """
    padded = np.pad(np.asarray(mask, bool), 1)
    core = (slice(1, -1),) * padded.ndim
    within = padded[core].copy()
    for axis in range(padded.ndim):
        for beside in (slice(None, -2), slice(2, None)):
            place = list(core)
            place[axis] = beside
            within &= padded[tuple(place)]
    found: NDArray[np.bool_] = padded[core] & ~within
    return found


def boundary_map(pred: NDArray[Any], gt: NDArray[Any]) -> BoundaryMap:
    """Return both boundaries and the distances of the prediction's to the truth's.

    Parameters
    ----------
    pred, gt : ndarray, shape (H, W)
        Binary masks.

    Examples
    --------
    >>> found = boundary_map(np.array([[1, 0, 0, 0]]), np.array([[0, 0, 0, 1]]))
    >>> found.distance.tolist()
    [[3.0, nan, nan, nan]]
    """
    if backend.resolve() == "reference":
        from fastsegmetrics.reference.distance import nearest_foreground
    else:
        from fastsegmetrics.kernels.distance import nearest_foreground

    own, other = boundary(pred), boundary(gt)
    distance = np.full(own.shape, np.nan)
    if not other.any():
        distance[own] = np.inf
        return BoundaryMap(own, other, distance)
    rows, columns = nearest_foreground(other.view(np.uint8))
    at = np.nonzero(own)
    distance[own] = np.hypot(rows[at] - at[0], columns[at] - at[1])
    return BoundaryMap(own, other, distance)
