"""The weighted errors of the weighted F-measure, in one pass over the rows of a map."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastsegmetrics.kernels._jit import kernel

#: Half of the 7 x 7 Gaussian of sigma 5, which is the product of this with itself.
_SIDE = 3
_TAPS = [math.exp(-(i**2) / 50.0) for i in range(4)]
_TOTAL = _TAPS[0] + 2.0 * (_TAPS[1] + _TAPS[2] + _TAPS[3])
_K0, _K1, _K2, _K3 = (tap / _TOTAL for tap in _TAPS)
_BLOCK = 32


@kernel
def _unit_row(pred: NDArray[Any], table: NDArray[np.float64], out: NDArray[np.float64]) -> None:
    """Write a row as floats: levels by their table, floats (an empty table) as they are."""
    if table.size > 0:
        for i in range(out.size):
            out[i] = table[np.uint8(pred[i])]
    else:
        for i in range(out.size):
            out[i] = pred[i]


@kernel
def _false_row(
    values: NDArray[np.float64], squares: NDArray[np.uint16], weights: NDArray[np.float64]
) -> float:
    """Return the weighted sum of a row; the weight of distance 0, the foreground, is 0.

    Eight pixels that are black are passed over, before their weights are looked up.
    """
    parts = np.zeros(4, np.float64)
    whole = values.size // 8 * 8
    for i in range(0, whole, 8):
        mass = 0.0
        for k in range(8):
            mass += values[i + k]
        if mass > 0.0:
            for k in range(8):
                parts[k & 3] += values[i + k] * weights[squares[i + k]]
    for i in range(whole, values.size):
        parts[0] += values[i] * weights[squares[i]]
    return parts.sum()


@kernel
def _next_run(mask: NDArray[np.uint8], errors: NDArray[np.float64], start: int) -> tuple[int, int]:
    """Return the next columns that hold errors on the foreground, in steps of a block."""
    width = mask.size
    begin = width
    end = width
    for low in range(start, width, _BLOCK):
        worst = 0.0
        for i in range(low, min(low + _BLOCK, width)):
            worst = max(worst, errors[i] * mask[i])
        if begin == width and worst > 0.0:
            begin = low
        elif begin < width and worst == 0.0:
            end = low
            break
    return begin, end


@kernel
def _blur_down(
    ring: NDArray[np.float64], row: int, start: int, stop: int, out: NDArray[np.float64]
) -> None:
    """Smooth the columns [start, stop) of the ring's rows around `row` vertically."""
    u3, u2, u1 = ring[(row - 3) % 7], ring[(row - 2) % 7], ring[(row - 1) % 7]
    d3, d2, d1 = ring[(row + 3) % 7], ring[(row + 2) % 7], ring[(row + 1) % 7]
    here = ring[row % 7]
    for i in range(start, stop):
        near = _K0 * here[i] + _K1 * (u1[i] + d1[i])
        out[i] = near + _K2 * (u2[i] + d2[i]) + _K3 * (u3[i] + d3[i])


@kernel
def _missed_row(
    ring: NDArray[np.float64], row: int, mask: NDArray[np.uint8], column: NDArray[np.float64]
) -> float:
    """Return the sum over a row's foreground of the smaller of error and smoothed error."""
    total = 0.0
    errors = ring[row % 7, _SIDE:-_SIDE]
    parts = np.zeros(4, np.float64)
    start, stop = _next_run(mask, errors, 0)
    while start < stop:
        _blur_down(ring, row, start, stop + 2 * _SIDE, column)
        for i in range(start, stop):
            near = _K0 * column[i + 3] + _K1 * (column[i + 2] + column[i + 4])
            far = _K2 * (column[i + 1] + column[i + 5]) + _K3 * (column[i] + column[i + 6])
            parts[i & 3] += min(errors[i], near + far) * mask[i]
        start, stop = _next_run(mask, errors, stop)
    total += parts.sum()
    return total


@kernel
def weighted_errors(
    pred: NDArray[Any],
    table: NDArray[np.float64],
    mask: NDArray[np.uint8],
    squares: NDArray[np.uint16],
    weights: NDArray[np.float64],
    near: NDArray[np.int32],
    nearest: NDArray[np.int64],
    first: NDArray[np.int64],
) -> tuple[float, float]:
    """Return the sums of the weighted errors on the foreground and on the background.

    Parameters
    ----------
    pred, table : ndarray of uint8, shape (H, W), and float64[256], or of float64 and float64[0]
        The map as levels and what they stand for, or its values in [0, 1] and an empty table.
    mask : ndarray of uint8, shape (H, W)
        0 and 1.
    squares, near, nearest, first
        What `distance.capped_squares` gives for a margin of 18 (3 pixels each way) or more.
    weights : ndarray of float64, shape (CAP + 1,)
        The weight of an error by squared distance; 0 first.
    """
    height, width = mask.shape
    values = np.empty(width, np.float64)
    ring = np.zeros((7, width + 2 * _SIDE), np.float64)
    column = np.empty(width + 2 * _SIDE, np.float64)
    flat = pred.reshape(-1)
    missed = 0.0
    false = 0.0
    for row in range(height + _SIDE):
        line = ring[row % 7, _SIDE:-_SIDE]
        if row < height:
            _unit_row(pred[row], table, values)
            false += _false_row(values, squares[row], weights)
            for i in range(width):
                line[i] = 1.0 - values[i]
            for k in range(first[row], first[row + 1]):
                value = flat[nearest[k]]
                line[near[k]] = 1.0 - (table[np.uint8(value)] if table.size > 0 else value)
        else:
            line[:] = 0.0
        if row >= _SIDE:
            missed += _missed_row(ring, row - _SIDE, mask[row - _SIDE], column)
    return missed, false
