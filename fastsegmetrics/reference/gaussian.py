"""Slow, obvious twins of `kernels.gaussian`."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Box = tuple[int, int, int, int]


def mask_moments(
    mask: NDArray[np.uint8],
) -> tuple[tuple[int, int, int, int, int, int], Box]:
    """Return n and the sums of r, c, r², r·c, c² over the set pixels, and the box around them."""
    r, c = np.nonzero(mask)
    sums = (
        r.size,
        int(r.sum()),
        int(c.sum()),
        int((r * r).sum()),
        int((r * c).sum()),
        int((c * c).sum()),
    )
    if r.size == 0:
        return sums, (0, 0, 0, 0)
    return sums, (int(r.min()), int(c.min()), int(r.max()) + 1, int(c.max()) + 1)


def gaussian_box(
    half_rows: int, half_columns: int, rows: float, mixed: float, columns: float
) -> NDArray[np.float64]:
    """Return exp(−½(rows·r² + 2·mixed·r·c + columns·c²)) on a box, normalised to sum 1."""
    r, c = np.mgrid[-half_rows : half_rows + 1, -half_columns : half_columns + 1]
    weights = np.exp(-0.5 * (rows * r * r + 2 * mixed * r * c + columns * c * c))
    return weights / weights.sum()


def gaussian_line(
    half_rows: int, half_columns: int, row_step: int, column_step: int, sigma: float
) -> NDArray[np.float64]:
    """Return a one-dimensional Gaussian at the multiples of a step inside a box, of sum 1."""
    weights = np.zeros((2 * half_rows + 1, 2 * half_columns + 1))
    k = 0
    while k * abs(row_step) <= half_rows and k * abs(column_step) <= half_columns:
        for sign in (-1, 1):
            place = half_rows + sign * k * row_step, half_columns + sign * k * column_step
            distance = k * np.hypot(row_step, column_step)
            weights[place] = np.exp(-0.5 * (distance / sigma) ** 2)
        k += 1
    return weights / weights.sum()
