"""The weighted F-measure straight from its pixels, and the twin of ``kernels.weighted``."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastsegmetrics.reference.distance import nearest_foreground

_EPS = float(np.finfo(np.float64).eps)


def weighted_f(
    p: NDArray[Any],
    g: NDArray[np.bool_],
    *,
    beta2: float = 1.0,
    strict: bool = False,
    both_empty: float = 0.0,
) -> tuple[float, float, float]:
    """Weighted F, precision and recall (Margolin, Zelnik-Manor and Tal, CVPR 2014).

    Parameters
    ----------
    p : ndarray of float, shape (H, W)
        The map in [0, 1].
    g : ndarray of bool, shape (H, W)
        The truth.
    beta2 : float
        β².
    strict : bool
        Whether an empty prediction scores 0 (`both_empty` on an empty truth), as it does for the
        F-measure.
    both_empty : float
        See `strict`.
    """
    if strict and not p.any():
        value = 0.0 if g.any() else both_empty
        return value, value, value
    if not g.any():
        return 0.0, 0.0, 0.0
    error = np.abs(p.astype(np.float64) - g)
    rows, columns = nearest_foreground(g.view(np.uint8))
    own_row, own_column = np.indices(g.shape)
    distance = np.hypot(own_row - rows, own_column - columns)
    smooth = _blurred(error[rows, columns])
    weighted = np.where(g, np.minimum(error, smooth), error * (2.0 - 0.5 ** (distance / 5.0)))
    hit = g.sum() - weighted[g].sum()
    recall = 1.0 - weighted[g].mean()
    precision = hit / (hit + weighted[~g].sum() + _EPS)
    f = (1.0 + beta2) * recall * precision / (recall + beta2 * precision + _EPS)
    return float(f), float(precision), float(recall)


def _blurred(error: NDArray[np.float64]) -> NDArray[np.float64]:
    """Smooth by the normalised 7 x 7 Gaussian of sigma 5, zeros outside."""
    steps = np.arange(-3, 4)
    window = np.exp(-(steps[:, None] ** 2 + steps**2) / 50.0)
    window /= window.sum()
    padded = np.pad(error, 3)
    height, width = error.shape
    out = np.zeros_like(error)
    for row in range(7):
        for column in range(7):
            out += window[row, column] * padded[row : row + height, column : column + width]
    return out


def weighted_errors(
    pred: NDArray[Any],
    low: Any,
    high: Any,
    mask: NDArray[np.uint8],
    squares: NDArray[np.uint16],
    toward: NDArray[np.uint8],
    weights: NDArray[np.float64],
) -> tuple[float, float]:
    """Return the sums of the weighted errors on the foreground and on the background."""
    p = (pred.astype(np.float64) - low) / (float(high) - float(low))
    false = (p * weights[squares])[mask == 0].sum()
    rows, columns = np.asarray(np.indices(mask.shape))
    down, right = np.divmod(toward.astype(np.int64), 9)
    error = (1.0 - p)[rows + down - 4, columns + right - 4]
    missed = np.minimum(error, _blurred(error))[mask == 1].sum()
    return float(missed), float(false)
