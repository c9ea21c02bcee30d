"""Moments of a mask and the Gaussian kernels made of them."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from fastsegmetrics.kernels._jit import kernel


@kernel
def mask_moments(
    mask: NDArray[np.uint8],
) -> tuple[tuple[int, int, int, int, int, int], tuple[int, int, int, int]]:
    """Return n and the sums of r, c, r², r·c, c² over the set pixels (r row, c column), and a box.

    Exact integers; the box is top, left, bottom, right around them, zeros where there are none.
    Column totals first, so that the inner loop is a plain vector addition.
    """
    height, width = mask.shape
    column_totals = np.zeros(width, np.uint32)
    n = 0
    rows = 0
    row_squares = 0
    products = 0
    top = -1
    bottom = 0
    for row in range(height):
        in_row = np.uint32(0)
        columns_in_row = np.uint32(0)
        for column in range(width):
            bit = np.uint32(mask[row, column])
            in_row += bit
            columns_in_row += bit * np.uint32(column)
            column_totals[column] += bit
        if in_row > 0:
            top = row if top < 0 else top
            bottom = row + 1
        n += np.int64(in_row)
        rows += np.int64(in_row) * row
        row_squares += np.int64(in_row) * row * row
        products += np.int64(columns_in_row) * row
    columns = 0
    column_squares = 0
    left = -1
    right = 0
    for column in range(width):
        if column_totals[column] > 0:
            left = column if left < 0 else left
            right = column + 1
        columns += np.int64(column_totals[column]) * column
        column_squares += np.int64(column_totals[column]) * column * column
    box = (max(top, 0), max(left, 0), bottom, right)
    return (n, rows, columns, row_squares, products, column_squares), box


@kernel
def gaussian_box(
    half_rows: int, half_columns: int, rows: float, mixed: float, columns: float
) -> NDArray[np.float64]:
    """Return exp(−½(rows·r² + 2·mixed·r·c + columns·c²)) on a box, normalised to sum 1."""
    out = np.empty((2 * half_rows + 1, 2 * half_columns + 1), np.float64)
    total = 0.0
    for i in range(out.shape[0]):
        r = np.float64(i - half_rows)
        for j in range(out.shape[1]):
            c = np.float64(j - half_columns)
            value = math.exp(-0.5 * (rows * r * r + 2.0 * mixed * r * c + columns * c * c))
            out[i, j] = value
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
