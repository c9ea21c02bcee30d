"""Slow, obvious twins of `kernels.tiles`."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def kernel_spectrum(weights: NDArray[np.float64], folds: int) -> NDArray[np.float64]:
    """Return the conjugate transform down each column, in the order of the kernels."""
    height, width = weights.shape
    points = 64 * folds
    out = np.zeros((folds, 2, 64, -(-width // 3) * 3))
    for residue in range(folds):
        for f in range(64):
            quotient = f % 4 * 16 + f // 4 % 4 * 4 + f // 16
            turns = 2 * np.pi * (folds * quotient + residue) * np.arange(height) / points
            out[residue, 0, f, :width] = np.cos(turns) @ weights / points
            out[residue, 1, f, :width] = np.sin(turns) @ weights / points
    return out


def context_sums(
    values: NDArray[np.number],
    scale: NDArray[np.floating],
    around: tuple[NDArray[np.int64], NDArray[np.int64]],
    mask: NDArray[np.uint8],
    degree: NDArray[np.float64],
    weights: NDArray[np.floating],
    spectrum: NDArray[np.floating],
) -> tuple[float, float, float]:
    """Sum the correlation x of a map over a mask; return Σx, Σ(1 − exp(−x)) and Σ(1 − exp(−x))·D.

    In double precision whatever the arguments are, and without the spectrum.
    """
    rows, columns = around
    window = (values[np.ix_(rows, columns)].astype(np.float64) - scale[0]) * np.float64(scale[1])
    height, width = mask.shape
    x = np.zeros(mask.shape)
    for i in range(weights.shape[0]):
        for j in range(weights.shape[1]):
            x += np.float64(weights[i, j]) * window[i : i + height, j : j + width]
    gain = (1 - np.exp(-x)) * mask
    extra = float((gain * degree).sum()) if degree.size else 0.0
    return float((x * mask).sum()), float(gain.sum()), extra
