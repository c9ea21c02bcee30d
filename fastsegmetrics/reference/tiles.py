"""Slow, obvious twins of `kernels.tiles`."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def kernel_spectrum(weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return what `context_sums` takes for a kernel: here the kernel itself, in a square of 64."""
    square = np.zeros((64, 64))
    height, width = weights.shape
    top, left = 32 - height // 2, 32 - width // 2
    square[top : top + height, left : left + width] = weights
    return square.ravel()


def context_sums(
    values: NDArray[np.float64],
    mask: NDArray[np.uint8],
    degree: NDArray[np.float64],
    spectrum: NDArray[np.float64],
    half_rows: int,
    half_columns: int,
    inner: NDArray[np.int64],
) -> tuple[float, float, float]:
    """Sum the correlation x of a map over a mask; return Σx, Σ(1 − exp(−x)) and Σ(1 − exp(−x))·D.

    `spectrum` is this module's own.
    """
    square = spectrum.reshape(64, 64)
    height, width = mask.shape
    x = np.zeros(mask.shape)
    for i in range(2 * half_rows + 1):
        for j in range(2 * half_columns + 1):
            weight = square[32 - half_rows + i, 32 - half_columns + j]
            x += weight * values[i : i + height, j : j + width]
    gain = (1 - np.exp(-x)) * mask
    top, left, bottom, right = inner
    rows, columns = np.arange(height), np.arange(width)
    inside = np.outer((rows >= top) & (rows < bottom), (columns >= left) & (columns < right))
    extra = float((gain * degree).sum()) if degree.size else 0.0
    return float((x * mask * inside).sum()), float(gain.sum()), extra
