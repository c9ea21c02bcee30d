"""Distances between the surfaces of two objects, by MedPy's conventions.

Its HD95 and its ASSD are of the distances of both directions in one list; its surface is what an
erosion takes, with the neighbours of a `connectivity`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastsegmetrics import represent
from fastsegmetrics.errors import InputError
from fastsegmetrics.reference import surface_pair
from fastsegmetrics.scores import surface as scores
from fastsegmetrics.statistics.surface_distances import DirectedDistances, surface_distances


class NoObjectError(InputError, RuntimeError):
    """One of two masks has no foreground, so that there is no distance."""


def hd(result: Any, reference: Any, voxelspacing: Any = None, connectivity: int = 1) -> float:
    """Hausdorff distance.

    Parameters
    ----------
    result, reference : array_like, shape (…)
        Everything that is not 0 is foreground.
    voxelspacing : float or sequence of float, optional
        Distance between neighbours along each axis; 1 by default.
    connectivity : int
        Along how many axes at most a neighbour lies one step away.

    Raises
    ------
    NoObjectError
        When a mask is empty; also a `RuntimeError`, as in MedPy.
    InputError
        When the shapes differ or an argument is refused.

    Examples
    --------
    >>> import numpy as np
    >>> hd(np.array([[1, 0, 0]]), np.array([[0, 0, 1]]), voxelspacing=(1, 0.5))
    1.0
    """
    found = directed(result, reference, voxelspacing, connectivity)
    return float(max(found.pred_to_gt[-1], found.gt_to_pred[-1]))


def hd95(result: Any, reference: Any, voxelspacing: Any = None, connectivity: int = 1) -> float:
    """95th percentile of the distances of both directions in one list; arguments as for `hd`."""
    found = directed(result, reference, voxelspacing, connectivity)
    return scores.pooled_percentile(found.pred_to_gt, found.gt_to_pred, 95)


def asd(result: Any, reference: Any, voxelspacing: Any = None, connectivity: int = 1) -> float:
    """Mean distance of the result's surface to the reference's; arguments as for `hd`."""
    return scores.mean(directed(result, reference, voxelspacing, connectivity).pred_to_gt)


def assd(result: Any, reference: Any, voxelspacing: Any = None, connectivity: int = 1) -> float:
    """Mean of the distances of both directions in one list; arguments as for `hd`."""
    found = directed(result, reference, voxelspacing, connectivity)
    return scores.pooled_mean(found.pred_to_gt, found.gt_to_pred)


def directed(
    result: Any, reference: Any, voxelspacing: Any, connectivity: int
) -> DirectedDistances:
    """Return the sorted surface distances of both directions; arguments and errors as for `hd`."""
    pair = represent.mask_pair(*masks(result, reference), steps(voxelspacing))
    check_connectivity(connectivity)
    for place, mask in (("first", pair.pred), ("second", pair.gt)):
        if not mask.any():
            raise NoObjectError(f"the {place} array must contain an object; it has no foreground")
    if pair.gt.ndim in (2, 3):
        return surface_distances(pair, connectivity=int(connectivity))
    # Of other numbers of axes there are no kernels; every pair of points is tried.
    forth, back, _, _ = surface_pair.directed_distances(
        pair.pred, pair.gt, pair.spacing, connectivity=int(connectivity)
    )
    return DirectedDistances(forth, back)


def masks(result: Any, reference: Any) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Return what two arrays have as foreground; what is wrong with their shapes is said here, by
    the names that they have here."""
    pred, gt = (np.atleast_1d(np.asarray(mask)) != 0 for mask in (result, reference))
    if pred.shape != gt.shape:
        raise InputError(
            f"result and reference must have one shape; received {pred.shape} and {gt.shape}"
        )
    if not pred.size:
        raise InputError(
            f"result and reference must not be empty; received arrays of shape {pred.shape}"
        )
    return pred, gt


def steps(voxelspacing: Any) -> Any:
    """Return the spacing that an argument stands for."""
    return 1.0 if voxelspacing is None else voxelspacing


def check_connectivity(connectivity: Any) -> None:
    """Raise unless a number of axes is an integer of at least 1."""
    if not isinstance(connectivity, (int, np.integer)) or connectivity < 1:
        raise InputError(
            f"connectivity must be an integer of at least 1; received {connectivity!r}"
        )
