"""The weighted errors of the weighted F-measure, in one pass over the rows of a map.

Levels stay bytes until they are multiplied: P - low and high - P are exact, and one division by
high - low at the end makes them errors.
"""

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
_BLOCK = 64
#: `capped_distance.HERE`.
_HERE = np.uint8(40)


@kernel
def _all_at(values: NDArray[Any], value: Any) -> bool:
    """Tell whether a piece is flat; without a branch inside, bytes are compared in vectors.

    A maximum stays a byte, where Numba makes a word of eight of `|`: a fifth of the time.
    """
    differ = np.uint8(0)
    for i in range(values.size):
        differ = max(differ, np.uint8(values[i] != value))
    return differ == 0


@kernel
def _any_on(values: NDArray[Any], mask: NDArray[np.uint8]) -> bool:
    found = np.uint8(0)
    for i in range(values.size):
        found = max(found, min(np.uint8(values[i] != 0), mask[i]))
    return found != 0


@kernel
def _product(
    pred: NDArray[Any], low: float, squares: NDArray[np.uint16], weights: NDArray[np.float64]
) -> float:
    """Return the weighted sum of a piece: four sums side by side, for one waits for itself."""
    a = b = c = d = 0.0
    whole = pred.size // 4 * 4
    for i in range(0, whole, 4):
        a += (np.float64(pred[i]) - low) * weights[squares[i]]
        b += (np.float64(pred[i + 1]) - low) * weights[squares[i + 1]]
        c += (np.float64(pred[i + 2]) - low) * weights[squares[i + 2]]
        d += (np.float64(pred[i + 3]) - low) * weights[squares[i + 3]]
    for i in range(whole, pred.size):
        a += (np.float64(pred[i]) - low) * weights[squares[i]]
    return (a + b) + (c + d)


@kernel
def _false_row(
    pred: NDArray[Any], low: Any, squares: NDArray[np.uint16], weights: NDArray[np.float64]
) -> float:
    """Return the weighted sum of a row; the weight of distance 0, the foreground, is 0.

    Most of most maps is black: rows are asked first, for asking every block costs 0.06 ms at
    512 x 512.
    """
    total = 0.0
    if _all_at(pred, low):
        return total
    base = np.float64(low)
    for start in range(0, pred.size, _BLOCK):
        piece = pred[start : start + _BLOCK]
        if not _all_at(piece, low):
            total += _product(piece, base, squares[start : start + _BLOCK], weights)
    return total


@kernel
def _next_run(errors: NDArray[Any], mask: NDArray[np.uint8], start: int) -> tuple[int, int]:
    """Return the next columns that hold errors on the foreground, in steps of a block."""
    width = mask.size
    begin = start
    while begin < width and not _any_on(
        errors[begin : begin + _BLOCK], mask[begin : begin + _BLOCK]
    ):
        begin += _BLOCK
    end = begin
    while end < width and _any_on(errors[end : end + _BLOCK], mask[end : end + _BLOCK]):
        end += _BLOCK
    return min(begin, width), min(end, width)


@kernel
def _add_rows(tap: float, one: NDArray[Any], other: NDArray[Any], out: NDArray[np.float64]) -> None:
    for i in range(out.size):
        out[i] += tap * (np.float64(one[i]) + np.float64(other[i]))


@kernel
def _blur_down(
    ring: NDArray[Any], row: int, start: int, stop: int, out: NDArray[np.float64]
) -> None:
    """Smooth the columns [start, stop) of the ring's rows around `row` vertically.

    Two rows at a time: a loop over seven is too many arrays for LLVM to find them apart.
    """
    here = ring[row % 7][start:stop]
    for i in range(out.size):
        out[i] = _K0 * np.float64(here[i])
    _add_rows(_K1, ring[(row + 6) % 7][start:stop], ring[(row + 1) % 7][start:stop], out)
    _add_rows(_K2, ring[(row + 5) % 7][start:stop], ring[(row + 2) % 7][start:stop], out)
    _add_rows(_K3, ring[(row + 4) % 7][start:stop], ring[(row + 3) % 7][start:stop], out)


@kernel
def _blur_across(
    column: NDArray[np.float64],
    errors: NDArray[Any],
    mask: NDArray[np.uint8],
    out: NDArray[np.float64],
) -> None:
    """Finish the smoothing along a run, and take the smaller error on its foreground."""
    for i in range(out.size):
        near = _K0 * column[i + 3] + _K1 * (column[i + 2] + column[i + 4])
        far = _K2 * (column[i + 1] + column[i + 5]) + _K3 * (column[i] + column[i + 6])
        smooth = near + far
        error = np.float64(errors[i])
        out[i] = (smooth if smooth < error else error) * mask[i]


@kernel
def _sum(values: NDArray[np.float64]) -> float:
    a = b = c = d = 0.0
    whole = values.size // 4 * 4
    for i in range(0, whole, 4):
        a += values[i]
        b += values[i + 1]
        c += values[i + 2]
        d += values[i + 3]
    for i in range(whole, values.size):
        a += values[i]
    return (a + b) + (c + d)


@kernel
def _missed_row(
    ring: NDArray[Any],
    row: int,
    mask: NDArray[np.uint8],
    column: NDArray[np.float64],
    kept: NDArray[np.float64],
) -> float:
    """Return the sum over a row's foreground of the smaller of error and smoothed error."""
    total = 0.0
    width = mask.size
    errors = ring[row % 7][_SIDE : _SIDE + width]
    if not _any_on(errors, mask):
        return total
    start, stop = _next_run(errors, mask, np.int64(0))
    while start < stop:
        size = stop - start
        _blur_down(ring, row, start, stop + 2 * _SIDE, column[: size + 2 * _SIDE])
        _blur_across(column, errors[start:], mask[start:], kept[:size])
        total += _sum(kept[:size])
        start, stop = _next_run(errors, mask, stop)
    return total


@kernel
def _carry_errors(
    pred: NDArray[Any],
    high: Any,
    start: int,
    steps: NDArray[np.int64],
    toward: NDArray[np.uint8],
    line: NDArray[Any],
) -> None:
    """Give the near background of a row the errors of its nearest foreground.

    `pred` is flat and `start` where the row begins.  A whole block is read where one pixel is
    near: the others lead to themselves.
    """
    if _all_at(toward, _HERE):
        return
    for begin in range(0, line.size, _BLOCK):
        codes = toward[begin : begin + _BLOCK]
        if not _all_at(codes, _HERE):
            out = line[begin : begin + _BLOCK]
            at = start + begin
            for i in range(codes.size):
                out[i] = high - pred[np.uint64(at + i + steps[codes[i]])]


@kernel
def weighted_errors(
    pred: NDArray[Any],
    low: Any,
    high: Any,
    mask: NDArray[np.uint8],
    squares: NDArray[np.uint16],
    toward: NDArray[np.uint8],
    weights: NDArray[np.float64],
) -> tuple[float, float]:
    """Return the sums of the weighted errors on the foreground and on the background.

    Parameters
    ----------
    pred : ndarray of uint8 or float64, shape (H, W)
        The map; all of it lies in [low, high].
    low, high
        What stands for 0 and for 1, of the map's own type.
    mask : ndarray of uint8, shape (H, W)
        0 and 1.
    squares, toward
        What `distance.capped_squares` gives.
    weights : ndarray of float64, shape (CAP + 1,)
        The weight of an error by squared distance; 0 first.
    """
    height, width = mask.shape
    ring = np.zeros((7, width + 2 * _SIDE), pred.dtype)
    column = np.empty(width + 2 * _SIDE, np.float64)
    kept = np.empty(width, np.float64)
    flat = pred.reshape(-1)
    steps = np.empty(81, np.int64)
    for code in range(81):
        steps[code] = (code // 9 - 4) * width + code % 9 - 4
    missed = 0.0
    false = 0.0
    for row in range(height + _SIDE):
        line = ring[row % 7][_SIDE : _SIDE + width]
        if row < height:
            values = pred[row]
            false += _false_row(values, low, squares[row], weights)
            for i in range(width):
                line[i] = high - values[i]
            _carry_errors(flat, high, row * width, steps, toward[row], line)
        else:
            for i in range(width):
                line[i] = 0
        if row >= _SIDE:
            missed += _missed_row(ring, row - _SIDE, mask[row - _SIDE], column, kept)
    span = np.float64(high) - np.float64(low)
    return missed / span, false / span
