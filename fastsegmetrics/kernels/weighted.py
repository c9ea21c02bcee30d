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
_ZERO = np.uint64(0)
#: `distance.HERE`.
_HERE = np.uint8(40)


@kernel
def _unit_row(pred: NDArray[Any], table: NDArray[np.float64], out: NDArray[np.float64]) -> None:
    """Write a row as floats: levels by their table, floats (an empty table) as they are.

    Most maps are flat: a block of one level is looked up once.
    """
    if table.size == 0:
        for i in range(out.size):
            out[i] = pred[i]
        return
    for start in range(0, out.size, _BLOCK):
        piece = pred[start : start + _BLOCK]
        values = out[start : start + _BLOCK]
        level = np.uint8(piece[0])
        differ = np.uint8(0)
        for i in range(piece.size):
            differ |= np.uint8(piece[i]) ^ level
        if differ == 0:
            for i in range(piece.size):
                values[i] = table[level]
        else:
            for i in range(piece.size):
                values[i] = table[np.uint8(piece[i])]


@kernel
def _any(bits: NDArray[np.uint64]) -> bool:
    found = np.uint64(0)
    for i in range(bits.size):
        found |= bits[i]
    return found != 0


@kernel
def _any_on(bits: NDArray[np.uint64], mask: NDArray[np.uint8]) -> bool:
    found = np.uint64(0)
    for i in range(bits.size):
        found |= bits[i] & (_ZERO - np.uint64(mask[i]))
    return found != 0


@kernel
def _product(
    values: NDArray[np.float64], squares: NDArray[np.uint16], weights: NDArray[np.float64]
) -> float:
    """Return the weighted sum of a piece: four sums side by side, for one waits for itself."""
    a = b = c = d = 0.0
    whole = values.size // 4 * 4
    for i in range(0, whole, 4):
        a += values[i] * weights[squares[i]]
        b += values[i + 1] * weights[squares[i + 1]]
        c += values[i + 2] * weights[squares[i + 2]]
        d += values[i + 3] * weights[squares[i + 3]]
    for i in range(whole, values.size):
        a += values[i] * weights[squares[i]]
    return (a + b) + (c + d)


@kernel
def _false_row(
    values: NDArray[np.float64], squares: NDArray[np.uint16], weights: NDArray[np.float64]
) -> float:
    """Return the weighted sum of a row; the weight of distance 0, the foreground, is 0.

    Blocks that are black throughout, which is most of most maps, are found by their bits.
    """
    total = 0.0
    bits = values.view(np.uint64)
    for start in range(0, values.size, _BLOCK):
        stop = start + _BLOCK
        if _any(bits[start:stop]):
            total += _product(values[start:stop], squares[start:stop], weights)
    return total


@kernel
def _next_run(mask: NDArray[np.uint8], bits: NDArray[np.uint64], start: int) -> tuple[int, int]:
    """Return the next columns that hold errors on the foreground, in steps of a block.

    `bits` is the memory of the errors, which are 0 or positive.
    """
    width = mask.size
    begin = start
    while begin < width and not _any_on(bits[begin : begin + _BLOCK], mask[begin : begin + _BLOCK]):
        begin += _BLOCK
    end = begin
    while end < width and _any_on(bits[end : end + _BLOCK], mask[end : end + _BLOCK]):
        end += _BLOCK
    return min(begin, width), min(end, width)


@kernel
def _add_rows(
    tap: float, one: NDArray[np.float64], other: NDArray[np.float64], out: NDArray[np.float64]
) -> None:
    for i in range(out.size):
        out[i] += tap * (one[i] + other[i])


@kernel
def _blur_down(
    ring: NDArray[np.float64], row: int, start: int, stop: int, out: NDArray[np.float64]
) -> None:
    """Smooth the columns [start, stop) of the ring's rows around `row` vertically.

    Two rows at a time: a loop over seven is too many arrays for LLVM to find them apart.
    """
    here = ring[row % 7][start:stop]
    for i in range(out.size):
        out[i] = _K0 * here[i]
    _add_rows(_K1, ring[(row + 6) % 7][start:stop], ring[(row + 1) % 7][start:stop], out)
    _add_rows(_K2, ring[(row + 5) % 7][start:stop], ring[(row + 2) % 7][start:stop], out)
    _add_rows(_K3, ring[(row + 4) % 7][start:stop], ring[(row + 3) % 7][start:stop], out)


@kernel
def _blur_across(
    column: NDArray[np.float64],
    errors: NDArray[np.float64],
    mask: NDArray[np.uint8],
    out: NDArray[np.float64],
) -> None:
    """Finish the smoothing along a run, and take the smaller error on its foreground."""
    for i in range(out.size):
        near = _K0 * column[i + 3] + _K1 * (column[i + 2] + column[i + 4])
        far = _K2 * (column[i + 1] + column[i + 5]) + _K3 * (column[i] + column[i + 6])
        smooth = near + far
        out[i] = (smooth if smooth < errors[i] else errors[i]) * mask[i]


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
    ring: NDArray[np.float64],
    bits: NDArray[np.uint64],
    row: int,
    mask: NDArray[np.uint8],
    column: NDArray[np.float64],
    kept: NDArray[np.float64],
) -> float:
    """Return the sum over a row's foreground of the smaller of error and smoothed error."""
    total = 0.0
    width = mask.size
    errors = ring[row % 7][_SIDE : _SIDE + width]
    own = bits[row % 7][_SIDE : _SIDE + width]
    start, stop = _next_run(mask, own, np.int64(0))
    while start < stop:
        size = stop - start
        _blur_down(ring, row, start, stop + 2 * _SIDE, column[: size + 2 * _SIDE])
        _blur_across(column, errors[start:], mask[start:], kept[:size])
        total += _sum(kept[:size])
        start, stop = _next_run(mask, own, stop)
    return total


@kernel
def _carry_errors(
    pred: NDArray[Any],
    table: NDArray[np.float64],
    start: int,
    steps: NDArray[np.int64],
    toward: NDArray[np.uint8],
    line: NDArray[np.float64],
) -> None:
    """Give the near background of a row the errors of its nearest foreground.

    `pred` is flat and `start` where the row begins.  A whole block is read where one pixel is
    near: the others lead to themselves.
    """
    for begin in range(0, line.size, _BLOCK):
        codes = toward[begin : begin + _BLOCK]
        leads = np.uint8(0)
        for i in range(codes.size):
            leads |= codes[i] ^ _HERE
        if leads != 0:
            out = line[begin : begin + _BLOCK]
            at = start + begin
            for i in range(codes.size):
                value = pred[np.uint64(at + i + steps[codes[i]])]
                out[i] = 1.0 - (table[np.uint8(value)] if table.size > 0 else value)


@kernel
def weighted_errors(
    pred: NDArray[Any],
    table: NDArray[np.float64],
    mask: NDArray[np.uint8],
    squares: NDArray[np.uint16],
    toward: NDArray[np.uint8],
    weights: NDArray[np.float64],
) -> tuple[float, float]:
    """Return the sums of the weighted errors on the foreground and on the background.

    Parameters
    ----------
    pred, table : ndarray of uint8, shape (H, W), and float64[256], or of float64 and float64[0]
        The map as levels and what they stand for, or its values in [0, 1] and an empty table.
    mask : ndarray of uint8, shape (H, W)
        0 and 1.
    squares, toward
        What `distance.capped_squares` gives.
    weights : ndarray of float64, shape (CAP + 1,)
        The weight of an error by squared distance; 0 first.
    """
    height, width = mask.shape
    values = np.empty(width, np.float64)
    ring = np.zeros((7, width + 2 * _SIDE), np.float64)
    bits = ring.view(np.uint64)
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
            _unit_row(pred[row], table, values)
            false += _false_row(values, squares[row], weights)
            for i in range(width):
                line[i] = 1.0 - values[i]
            _carry_errors(flat, table, row * width, steps, toward[row], line)
        else:
            for i in range(width):
                line[i] = 0.0
        if row >= _SIDE:
            missed += _missed_row(ring, bits, row - _SIDE, mask[row - _SIDE], column, kept)
    return missed, false
