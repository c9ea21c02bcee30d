"""Twins of ``kernels.difficulty_parts``: slopes and similarities of whole planes."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def slopes(plane: NDArray[Any]) -> NDArray[np.float64]:
    """Return the length of the gradient: halved central differences, borders reflected."""
    padded = np.pad(plane.astype(np.float64), 1, mode="reflect")
    down = (padded[2:, 1:-1] - padded[:-2, 1:-1]) / 2
    right = (padded[1:-1, 2:] - padded[1:-1, :-2]) / 2
    return np.hypot(down, right)


def similarity_map(p: NDArray[np.float64], g: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the SSIM of 7 x 7 windows, mirrored at the borders (end pixels twice)."""

    def mean(plane: NDArray[np.float64]) -> NDArray[np.float64]:
        padded = np.pad(plane, 3, mode="symmetric")
        windows = np.lib.stride_tricks.sliding_window_view(padded, (7, 7))
        average: NDArray[np.float64] = windows.mean(axis=(2, 3))
        return average

    mean_p, mean_g = mean(p), mean(g)
    variance_p = (mean(p * p) - mean_p * mean_p) * 49 / 48
    variance_g = (mean(g * g) - mean_g * mean_g) * 49 / 48
    covariance = (mean(p * g) - mean_p * mean_g) * 49 / 48
    c1, c2 = 0.01**2, 0.03**2
    above = (2 * mean_p * mean_g + c1) * (2 * covariance + c2)
    return above / ((mean_p**2 + mean_g**2 + c1) * (variance_p + variance_g + c2))


def part_sums(
    values: NDArray[np.float64],
    mask: NDArray[np.uint8],
    weight: NDArray[np.float64],
    far: NDArray[np.float64],
    heat: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Return the weighted sums of the three parts; fill the maps of losses unless empty."""
    g = mask.astype(np.float64)
    similar = similarity_map(values, g)
    q_p, q_g = np.minimum(1, 2 * slopes(values)), np.minimum(1, 2 * slopes(g))
    common, either = np.minimum(values, g), np.maximum(values, g)
    met, spilt = np.minimum(q_p, q_g), np.maximum(q_p - q_g, 0) * far
    if heat.size:
        heat[0] = weight * (either - common)
        heat[1] = weight * (1 - similar)
        heat[2] = weight * (q_g - met + spilt)
    terms = (common, either, similar, np.ones(mask.shape), met, q_g, spilt)
    return np.array([(weight * term).sum() for term in terms])
