"""Slow, obvious twins of `kernels.patches`."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def surrounding_band(mask: NDArray[np.uint8], before: int, after: int) -> NDArray[np.uint8]:
    """Return the pixels off the mask that a box around one of its pixels covers."""
    covered = np.zeros(mask.shape, bool)
    for row, column in np.argwhere(mask):
        rows = slice(max(0, row - before), row + after + 1)
        covered[rows, max(0, column - before) : column + after + 1] = True
    return (covered & (mask == 0)).astype(np.uint8)


def fitting_origins(region: NDArray[np.uint8], side: int, step: int) -> NDArray[np.int64]:
    """Return the upper left corners, multiples of `step`, of the squares inside a region."""
    height, width = region.shape
    found = [
        (top, left)
        for top in range(0, height - side + 1, step)
        for left in range(0, width - side + 1, step)
        if region[top : top + side, left : left + side].all()
    ]
    return np.array(found, np.int64).reshape(-1, 2)


def patch_bytes(
    image: NDArray[np.uint8], origins: NDArray[np.int64], side: int
) -> NDArray[np.uint8]:
    """Return the bytes of each patch, row by row, with zeros up to 160."""
    out = np.zeros((len(origins), 160), np.uint8)
    for i, (top, left) in enumerate(origins):
        out[i, : 3 * side * side] = image[top : top + side, left : left + side].ravel()
    return out


def floats_about(patches: NDArray[np.uint8], middle: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the bytes less one patch of `middle`, in single precision."""
    return patches.astype(np.float32) - middle


def _distances(
    colours: NDArray[np.int64], places: NDArray[np.float32], other_places: NDArray[np.float32]
) -> NDArray[np.float64]:
    away = places[:, None].astype(np.float64) - other_places[None]
    return colours + (away * away).sum(axis=2)


def nearest_by_bounds(
    bounds: NDArray[np.int32],
    slack: float,
    patches: NDArray[np.uint8],
    others: NDArray[np.uint8],
    places: NDArray[np.float32],
    other_places: NDArray[np.float32],
    out: NDArray[np.int64],
) -> int:
    """Write the index of the nearest of `others` for each patch; all of them are compared."""
    off = patches[:, None].astype(np.int64) - others[None]
    out[:] = _distances((off * off).sum(axis=2), places, other_places).argmin(axis=1)
    return bounds.size


def nearest_by_products(
    products: NDArray[np.float32],
    squares: NDArray[np.int64],
    other_squares: NDArray[np.int64],
    places: NDArray[np.float32],
    other_places: NDArray[np.float32],
    out: NDArray[np.int64],
) -> None:
    """Write the index of the nearest of `others` for each patch, from all inner products."""
    colours = squares[:, None] + other_squares[None] - 2 * products.astype(np.int64)
    out[:] = _distances(colours, places, other_places).argmin(axis=1)


def rebuilt_image(
    image: NDArray[np.uint8],
    origins: NDArray[np.int64],
    sources: NDArray[np.int64],
    nearest: NDArray[np.int64],
    side: int,
) -> NDArray[np.uint8]:
    """Return the image pieced together, at `origins`, from the patches at `sources[nearest]`."""
    totals = np.zeros(image.shape)
    covers = np.zeros((*image.shape[:2], 1))
    for (top, left), (from_top, from_left) in zip(origins, sources[nearest], strict=True):
        into = slice(top, top + side), slice(left, left + side)
        totals[into] += image[from_top : from_top + side, from_left : from_left + side]
        covers[into] += 1
    return np.round(totals / np.maximum(covers, 1)).astype(np.uint8)
