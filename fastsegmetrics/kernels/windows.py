"""What a context measure's tiles are made of, as far as the truth decides it, in one call."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fastsegmetrics.kernels._jit import kernel
from fastsegmetrics.kernels.tiles import MOST_FOLDS, SHORTEST, kernel_spectrum


@kernel
def reflected(start: int, stop: int, size: int) -> NDArray[np.int64]:
    """Return the indices start … stop, those off the axis reflected about its end pixels."""
    out = np.zeros(stop - start, np.int64)
    if size > 1:
        period = 2 * (size - 1)
        for i in range(out.size):
            index = start + i
            # A division takes ten times as long as all else.
            if index < 0 or index >= size:
                index %= period
                index = min(index, period - index)
            out[i] = index
    return out


@kernel
def _best_folds(height: int, rows: int, share: float) -> int:
    """Return of which tiles so many rows take the least time, as measured, for one column."""
    best = 1
    least = np.inf
    for folds in range(1, MOST_FOLDS + 1):
        points = SHORTEST * folds
        whole = height // (points - rows + 1)
        left = height - whole * (points - rows + 1)
        tile = points * (1.9 + 0.2 * folds)
        # Rows that whole tiles leave over are summed directly, pixel by pixel.
        nanoseconds = whole * tile + min(tile, left * share * rows * 3.0)
        if nanoseconds < least:
            best, least = folds, nanoseconds
    return best


@kernel
def lay_out(
    weights: NDArray[np.float64],
    box: tuple[int, int, int, int],
    shape: tuple[int, int],
    share: float,
    like: NDArray[np.floating],
) -> tuple[NDArray[np.floating], NDArray[np.floating], NDArray[np.int64], NDArray[np.int64]]:
    """Return what `tiles.context_sums` takes beside the map and the mask of a box.

    That is the weights, their spectrum for the tiles that cover the box in the least time, both in
    the precision of `like`, and the rows and the columns that the box's pixels see in an image of
    that shape.  `share` of the box's pixels are the truth's.
    """
    top, left, bottom, right = box
    down, across = weights.shape[0] // 2, weights.shape[1] // 2
    folds = _best_folds(bottom - top, weights.shape[0], share)
    # In double first: single precision would err at frequency 0 by 1e-7 of all sums alike.
    spectrum = kernel_spectrum(weights, folds)
    return (
        weights.astype(like.dtype),
        spectrum.astype(like.dtype),
        reflected(top - down, bottom + down, shape[0]),
        reflected(left - across, right + across, shape[1]),
    )
