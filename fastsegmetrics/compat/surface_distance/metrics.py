"""Surface elements' distances and what is made of them; the truth comes first."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastsegmetrics import represent
from fastsegmetrics.errors import InputError
from fastsegmetrics.scores import surface as scores
from fastsegmetrics.statistics.surface_distances import surface_distances

Distances = Mapping[str, NDArray[np.float64]]


def compute_surface_distances(
    mask_gt: NDArray[np.bool_], mask_pred: NDArray[np.bool_], spacing_mm: Any
) -> dict[str, NDArray[np.float64]]:
    """Return the sorted distances of the surface elements of two masks to the other surface.

    Parameters
    ----------
    mask_gt, mask_pred : ndarray of bool, shape (H, W) or (D, H, W)
    spacing_mm : sequence of float
        Distance between neighbours along each axis, in the order of the arrays' axes.

    Returns
    -------
    dict of str to ndarray of float64
        ``distances_gt_to_pred``, ``distances_pred_to_gt``, ascending, inf where the other mask is
        empty; ``surfel_areas_gt``, ``surfel_areas_pred``.

    Raises
    ------
    InputError
        When a mask is not boolean or not of two or three axes, the shapes differ, or the spacing
        does not suit them.

    Examples
    --------
    >>> import numpy as np
    >>> gt, pred = np.zeros((2, 5, 5, 5), bool)
    >>> gt[1, 1, 1] = pred[3, 1, 1] = True
    >>> compute_robust_hausdorff(compute_surface_distances(gt, pred, (2.5, 0.5, 0.5)), 100)
    5.0
    """
    for name, mask in (("mask_gt", mask_gt), ("mask_pred", mask_pred)):
        if getattr(mask, "dtype", None) != np.bool_:
            received = getattr(mask, "dtype", type(mask).__name__)
            raise InputError(f"{name} must be an array of booleans; received {received}")
    pair = represent.mask_pair(mask_pred, mask_gt, spacing_mm, n_axes=(2, 3))
    found = surface_distances(pair, surface="elements")
    assert found.gt_areas is not None
    assert found.pred_areas is not None
    sides = {
        "distances_gt_to_pred": found.gt_to_pred,
        "distances_pred_to_gt": found.pred_to_gt,
        "surfel_areas_gt": found.gt_areas,
        "surfel_areas_pred": found.pred_areas,
    }
    return {name: side.copy() for name, side in sides.items()}


def compute_average_surface_distance(surface_distances: Distances) -> tuple[float, float]:
    """Return the mean distance by area of each direction, the truth's first; NaN for no surface."""
    return tuple(  # type: ignore[return-value]
        scores.mean(distances, areas) if areas.size else float("nan")
        for distances, areas in _sides(surface_distances)
    )


def compute_robust_hausdorff(surface_distances: Distances, percent: float) -> float:
    """Return the larger of the two directions' percentiles by area; inf for no surface."""
    return max(
        scores.weighted_rank_percentile(distances, areas, percent) if areas.size else float("inf")
        for distances, areas in _sides(surface_distances)
    )


def compute_surface_overlap_at_tolerance(
    surface_distances: Distances, tolerance_mm: float
) -> tuple[float, float]:
    """Return the share of each surface within a tolerance, the truth's first; NaN for none."""
    return tuple(  # type: ignore[return-value]
        near / total if total else float("nan")
        for near, total in _near(surface_distances, tolerance_mm)
    )


def compute_surface_dice_at_tolerance(surface_distances: Distances, tolerance_mm: float) -> float:
    """Return the share of both surfaces within a tolerance; NaN for none."""
    (near_gt, of_gt), (near_pred, of_pred) = _near(surface_distances, tolerance_mm)
    total = of_gt + of_pred
    return (near_gt + near_pred) / total if total else float("nan")


def compute_dice_coefficient(mask_gt: NDArray[Any], mask_pred: NDArray[Any]) -> float:
    """Return the Dice coefficient of two masks of 0 and 1; NaN when both are empty."""
    pair = represent.mask_pair(mask_pred, mask_gt)
    total = np.count_nonzero(pair.gt) + np.count_nonzero(pair.pred)
    return 2 * np.count_nonzero(pair.gt & pair.pred) / total if total else float("nan")


def _sides(surface_distances: Distances) -> list[tuple[NDArray[Any], NDArray[Any]]]:
    return [
        (surface_distances["distances_gt_to_pred"], surface_distances["surfel_areas_gt"]),
        (surface_distances["distances_pred_to_gt"], surface_distances["surfel_areas_pred"]),
    ]


def _near(surface_distances: Distances, tolerance: float) -> list[tuple[float, float]]:
    return [
        (float(areas[distances <= tolerance].sum()), float(areas.sum()))
        for distances, areas in _sides(surface_distances)
    ]
