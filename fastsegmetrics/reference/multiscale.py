"""Multi-scale IoU straight from its pixels."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastsegmetrics.reference.edges import edge_mask, shrink


def msiou_of_mask(b: NDArray[np.bool_], g: NDArray[np.bool_]) -> float:
    """Multi-scale IoU of one partition (Ahmadzadeh et al. 2021)."""
    predicted, truth = edge_mask(b), edge_mask(g)
    ratios = []
    for k in range(10):
        there = shrink(truth, 2**k)
        found = shrink(predicted, 2**k) & there
        ratios.append((found.sum() + 1) / (there.sum() + 1))
    return float(np.diff(np.linspace(0, 1, 10)) @ (np.add(ratios[1:], ratios[:-1]) / 2))


def msiou(
    p: NDArray[Any], g: NDArray[np.bool_], *, strict: bool
) -> tuple[float, float, NDArray[np.float64]]:
    """Multi-scale IoU of P > 0.5, at the adaptive threshold, and at levels 0…256.

    Strict: undefined without a foreground, and the adaptive threshold keeps no zeros.
    """
    if strict and not g.any():
        return np.nan, np.nan, np.full(257, np.nan)
    kept = p >= p.dtype.type(min(2 * float(p.mean()), 1.0))
    if strict:
        kept &= p > 0
    levels = np.floor(p.dtype.type(255) * p)
    curve = np.array([msiou_of_mask(levels >= t, g) for t in range(257)])
    return msiou_of_mask(p > 0.5, g), msiou_of_mask(kept, g), curve
