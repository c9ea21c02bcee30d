"""Slow, obvious twins of `kernels.windows`."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fastsegmetrics.reference.tiles import kernel_spectrum


def reflected(start: int, stop: int, size: int) -> NDArray[np.int64]:
    """Return the indices start … stop, those off the axis reflected about its end pixels."""
    before, after = max(0, -start), max(0, stop - size)
    whole = np.pad(np.arange(size), (before, after), mode="reflect")
    return whole[start + before : stop + before]


def lay_out(
    weights: NDArray[np.float64],
    box: tuple[int, int, int, int],
    shape: tuple[int, int],
    share: float,
    like: NDArray[np.floating],
) -> tuple[NDArray[np.floating], NDArray[np.floating], NDArray[np.int64], NDArray[np.int64]]:
    """Return the weights, their spectrum, and the rows and columns that a box's pixels see."""
    rows, columns = weights.shape
    times = []
    for points in (64, 128, 192):
        whole, left = divmod(box[2] - box[0], points - rows + 1)
        tile = points * (1.9 + 0.2 * (points // 64))
        times.append(whole * tile + min(tile, left * share * rows * 3.0))
    folds = 1 + times.index(min(times))
    return (
        weights.astype(like.dtype),
        kernel_spectrum(weights, folds).astype(like.dtype),
        reflected(box[0] - rows // 2, box[2] + rows // 2, shape[0]),
        reflected(box[1] - columns // 2, box[3] + columns // 2, shape[1]),
    )
