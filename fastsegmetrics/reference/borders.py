"""Slow, obvious twin of `kernels.borders`."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def _correlated(image: NDArray[np.float64], weights: NDArray[np.float64]) -> NDArray[np.float64]:
    height, width = image.shape
    down, across = weights.shape[0] // 2, weights.shape[1] // 2
    padded = np.pad(image, ((down, down), (across, across)), mode="reflect")
    out = np.zeros(image.shape)
    for i in range(weights.shape[0]):
        for j in range(weights.shape[1]):
            out += weights[i, j] * padded[i : i + height, j : j + width]
    return out


def reflected_sum(
    values: NDArray[np.number],
    scale: NDArray[np.floating],
    mask: NDArray[np.uint8],
    weights: NDArray[np.floating],
) -> float:
    """Return Σ P·(K⋆G) − Σ G·(K⋆P), both continued by reflection about their border pixels.

    By the definition, both correlations over the whole image, in double precision.
    """
    kernel = weights.astype(np.float64)
    p = (values.astype(np.float64) - np.float64(scale[0])) * np.float64(scale[1])
    g = mask.astype(np.float64)
    return float((p * _correlated(g, kernel)).sum() - (g * _correlated(p, kernel)).sum())
