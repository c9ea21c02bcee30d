"""Surface and boundary scores of two masks straight from their pixels."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from fastsegmetrics.reference.skeleton import skeletonize
from fastsegmetrics.reference.surface_pair import band, nearest_distances, surface_voxels

Mask = NDArray[np.bool_]


def surface_scores(
    b: Mask, g: Mask, *, tolerance: float, perfect: bool, diagonal: bool = False
) -> dict[str, float]:
    """Return every surface score of a binary prediction, by name.

    Parameters
    ----------
    b, g : ndarray of bool, shape (H, W)
        Prediction and truth.
    tolerance : float
        Of the normalised surface distance, in pixels.
    perfect : bool
        Whether nothing against nothing is perfect; undefined otherwise.
    diagonal : bool
        Whether an empty side is as far away as the image is long; infinitely far otherwise.
    """
    if not b.any() and not g.any():
        distance, share = (0.0, 1.0) if perfect else (math.nan, math.nan)
        return {**dict.fromkeys(_DISTANCES, distance), **dict.fromkeys(_SHARES, share)}
    if not b.any() or not g.any():
        away = math.sqrt(sum(n * n for n in g.shape)) if diagonal else math.inf
        return {**dict.fromkeys(_DISTANCES, away), **dict.fromkeys(_SHARES, 0.0)}
    surfaces = [
        np.argwhere(surface_voxels(mask.astype(np.uint8))).astype(np.float64) for mask in (b, g)
    ]
    forth = nearest_distances(surfaces[0], surfaces[1])
    back = nearest_distances(surfaces[1], surfaces[0])
    length = math.hypot(*g.shape)
    delta, width = math.ceil(0.008 * length), max(1, round(0.02 * length))
    bands = [band(mask.astype(np.uint8), width) for mask in (b, g)]
    lines = [skeletonize(mask) for mask in (b, g)]
    return {
        **_distances(forth, back),
        "nsd": float((np.concatenate([forth, back]) <= tolerance).mean()),
        "boundary_f": _harmonic((forth <= delta).mean(), (back <= delta).mean()),
        "boundary_iou": float((bands[0] & bands[1]).sum() / (bands[0] | bands[1]).sum()),
        "cl_dice": _harmonic(g[lines[0]].mean(), b[lines[1]].mean()),
    }


_DISTANCES = ("hd", "hd95", "hd95_pooled", "hd95_mean", "hd95_inverse_cdf", "assd", "masd")
_SHARES = ("nsd", "boundary_f", "boundary_iou", "cl_dice")


def _distances(forth: NDArray[np.float64], back: NDArray[np.float64]) -> dict[str, float]:
    pooled = np.concatenate([forth, back])
    linear = np.percentile(forth, 95), np.percentile(back, 95)
    ranks = [np.percentile(side, 95, method="inverted_cdf") for side in (forth, back)]
    values = (
        pooled.max(), max(linear), np.percentile(pooled, 95), np.mean(linear), max(ranks),
        pooled.mean(), (forth.mean() + back.mean()) / 2,
    )  # fmt: skip
    return dict(zip(_DISTANCES, map(float, values), strict=True))


def _harmonic(p: float, r: float) -> float:
    return float(2 * p * r / (p + r)) if p + r else 0.0
