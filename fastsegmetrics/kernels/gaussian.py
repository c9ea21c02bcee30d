"""Moments of a mask and the Gaussian kernels made of them."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from fastsegmetrics.kernels._jit import kernel

#: Rows of which 8 bits hold the sums of `_add_rows`.
_ROWS = 8


@kernel
def _add_rows(
    mask: NDArray[np.uint8], top: int, nothing: NDArray[np.uint8], out: NDArray[np.uint8]
) -> None:
    """Write the sums of 1, r and r·(r + 1)/2 over each column's pixels, r = 0 … 7 from `top` on.

    Sums of sums, from the last row up: 64 columns are one vector, and nothing is multiplied.
    """
    height = mask.shape[0]
    a = mask[top]
    b = mask[top + 1] if top + 1 < height else nothing
    c = mask[top + 2] if top + 2 < height else nothing
    d = mask[top + 3] if top + 3 < height else nothing
    e = mask[top + 4] if top + 4 < height else nothing
    f = mask[top + 5] if top + 5 < height else nothing
    g = mask[top + 6] if top + 6 < height else nothing
    h = mask[top + 7] if top + 7 < height else nothing
    counts, firsts, seconds = out[0], out[1], out[2]
    for k in range(nothing.size):
        n = h[k]
        first = n
        second = n
        n = np.uint8(n + g[k])
        first = np.uint8(first + n)
        second = np.uint8(second + first)
        n = np.uint8(n + f[k])
        first = np.uint8(first + n)
        second = np.uint8(second + first)
        n = np.uint8(n + e[k])
        first = np.uint8(first + n)
        second = np.uint8(second + first)
        n = np.uint8(n + d[k])
        first = np.uint8(first + n)
        second = np.uint8(second + first)
        n = np.uint8(n + c[k])
        first = np.uint8(first + n)
        second = np.uint8(second + first)
        n = np.uint8(n + b[k])
        first = np.uint8(first + n)
        counts[k] = np.uint8(n + a[k])
        firsts[k] = first
        seconds[k] = np.uint8(second + first)


@kernel
def _total(numbers: NDArray[np.uint8]) -> int:
    total = np.uint32(0)
    for k in range(numbers.size):
        total += np.uint32(numbers[k])
    return np.int64(total)


@kernel
def mask_moments(
    mask: NDArray[np.uint8],
) -> tuple[tuple[int, int, int, int, int, int], tuple[int, int, int, int]]:
    """Return n and the sums of r, c, r², r·c, c² over the set pixels (r row, c column), and a box.

    Exact integers; the box is top, left, bottom, right around them, zeros where there are none.
    Columns first, eight rows at a time: a quarter of the time of a loop over pixels.
    """
    height, width = mask.shape
    nothing = np.zeros(width, np.uint8)
    sums = np.empty((3, width), np.uint8)
    counts, firsts, seconds = sums[0], sums[1], sums[2]
    in_column = np.zeros(width, np.uint32)
    rows_in_column = np.zeros(width, np.uint64)
    row_squares = 0
    top, bottom = -1, 0
    for start in range(0, height, _ROWS):
        _add_rows(mask, start, nothing, sums)
        n = _total(counts)
        if n == 0:
            continue
        top = start if top < 0 else top
        bottom = start
        offset = np.uint64(start)
        for k in range(width):
            in_column[k] += np.uint32(counts[k])
        for k in range(width):
            rows_in_column[k] += offset * np.uint64(counts[k]) + np.uint64(firsts[k])
        r = _total(firsts)
        row_squares += start * start * n + 2 * start * r + 2 * _total(seconds) - r
    n = 0
    rows = 0
    columns = 0
    products = 0
    column_squares = 0
    left = -1
    right = 0
    for column in range(width):
        here = np.int64(in_column[column])
        if here > 0:
            left = column if left < 0 else left
            right = column + 1
        n += here
        rows += np.int64(rows_in_column[column])
        columns += here * column
        products += np.int64(rows_in_column[column]) * column
        column_squares += here * column * column
    if n > 0:
        bottom = min(bottom + _ROWS, height)
        while not mask[top].any():
            top += 1
        while not mask[bottom - 1].any():
            bottom -= 1
    box = (max(top, 0), max(left, 0), bottom, right)
    return (n, rows, columns, row_squares, products, column_squares), box


@kernel
def gaussian_box(
    half_rows: int, half_columns: int, rows: float, mixed: float, columns: float
) -> NDArray[np.float64]:
    """Return exp(−½(rows·r² + 2·mixed·r·c + columns·c²)) on a box, normalised to sum 1."""
    out = np.empty((2 * half_rows + 1, 2 * half_columns + 1), np.float64)
    # Half a turn leaves it unchanged: exponentials are most of its time.
    for i in range(half_rows + 1):
        r = np.float64(i - half_rows)
        for j in range(out.shape[1]):
            c = np.float64(j - half_columns)
            value = math.exp(-0.5 * (rows * r * r + 2.0 * mixed * r * c + columns * c * c))
            out[i, j] = value
            out[2 * half_rows - i, 2 * half_columns - j] = value
    total = 0.0
    for value in out.flat:
        total += value
    return out / total


@kernel
def gaussian_line(
    half_rows: int, half_columns: int, row_step: int, column_step: int, sigma: float
) -> NDArray[np.float64]:
    """Return a one-dimensional Gaussian at the multiples of a step inside a box, of sum 1."""
    out = np.zeros((2 * half_rows + 1, 2 * half_columns + 1), np.float64)
    total = 0.0
    squared = np.float64(row_step * row_step + column_step * column_step) / (sigma * sigma)
    reach = half_rows + half_columns
    for k in range(-reach, reach + 1):
        r = k * row_step
        c = k * column_step
        if abs(r) <= half_rows and abs(c) <= half_columns:
            value = math.exp(-0.5 * squared * k * k)
            out[half_rows + r, half_columns + c] = value
            total += value
    return out / total
