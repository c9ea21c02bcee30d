"""What reflection at the border makes of a correlation's transpose."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fastsegmetrics.kernels._jit import kernel

#: Depths of a strip lie side by side, in whole vectors of single precision.
_VECTOR = 16


@kernel
def _strip(
    values: NDArray[np.number],
    scale: NDArray[np.floating],
    depth: int,
    reach: int,
    turned: bool,
    mirrored: bool,
) -> NDArray[np.floating]:
    """Return values − scale[0] of the rows 0 … depth from a border: one line for each column.

    `reach` lines of zeros stand before and after.  The rows are columns where `turned`, and counted
    from the last where `mirrored`.
    """
    height, width = values.shape[::-1] if turned else values.shape
    lanes = (depth + _VECTOR) // _VECTOR * _VECTOR
    out = np.zeros((width + 2 * reach, lanes), scale.dtype)
    for i in range(depth + 1):
        row = height - 1 - i if mirrored else i
        for column in range(width):
            out[reach + column, i] = values[column, row] if turned else values[row, column]
    if scale[0] != 0:
        out[reach : reach + width, : depth + 1] -= scale[0]
    return out.reshape(-1)


@kernel
def _find(
    mask: NDArray[np.uint8], i: int, turned: bool, mirrored: bool, out: NDArray[np.int64]
) -> int:
    """Write the places of a mask's pixels along the row i from a border; return their number."""
    n = 0
    if turned:
        column = mask.shape[1] - 1 - i if mirrored else i
        for row in range(mask.shape[0]):
            out[n] = row
            n += np.int64(mask[row, column])
    else:
        line = mask[mask.shape[0] - 1 - i if mirrored else i]
        for column in range(line.size):
            out[n] = column
            n += np.int64(line[column])
    return n


@kernel
def _add_lines(
    strip: NDArray[np.floating],
    lanes: int,
    places: NDArray[np.int64],
    levels: NDArray[np.floating],
) -> None:
    """Add the lines of a strip from each of some places on; four places cost little over one."""
    levels[:] = 0.0
    whole = places.size // 4 * 4
    for n in range(0, whole, 4):
        a = strip[places[n] * lanes :]
        b = strip[places[n + 1] * lanes :]
        c = strip[places[n + 2] * lanes :]
        d = strip[places[n + 3] * lanes :]
        for k in range(levels.size):
            levels[k] += (a[k] + b[k]) + (c[k] + d[k])
    for n in range(whole, places.size):
        a = strip[places[n] * lanes :]
        for k in range(levels.size):
            levels[k] += a[k]


@kernel
def _side(
    values: NDArray[np.number],
    scale: NDArray[np.floating],
    mask: NDArray[np.uint8],
    weights: NDArray[np.floating],
    turned: bool,
    mirrored: bool,
) -> float:
    """Return the sum of `reflected_sum` for reflection about one border alone, before its scale.

    Levels are summed first, by the two distances from the border and the shift along it, and those
    sums weighed after: a pixel of the mask costs an addition of neighbouring numbers, and sums of
    8-bit levels are exact.
    """
    sides = weights.shape[::-1] if turned else weights.shape
    depth, reach = sides[0] // 2, sides[1] // 2
    lanes = (depth + _VECTOR) // _VECTOR * _VECTOR
    strip = np.empty(0, scale.dtype)
    levels = np.empty((2 * reach + 1) * lanes, scale.dtype)
    places = np.empty(max(mask.shape) + 1, np.int64)
    total = 0.0
    for j in range(depth + 1 if depth > 0 else 0):
        n = _find(mask, j, turned, mirrored, places)
        if n == 0:
            continue
        if strip.size == 0:
            strip = _strip(values, scale, depth, reach, turned, mirrored)
        _add_lines(strip, lanes, places[:n], levels)
        for t in range(2 * reach + 1):
            ahead = 2 * reach - t if mirrored else t
            for i in range(depth + 1 - j):
                s = depth + i + j
                by = -(weights[2 * reach - ahead, s] if turned else weights[s, 2 * reach - ahead])
                if i == 0:
                    by *= 0
                if j > 0:
                    by += weights[ahead, s] if turned else weights[s, ahead]
                total += np.float64(by) * np.float64(levels[t * lanes + i])
    return total


@kernel
def _corner(
    values: NDArray[np.number],
    low: float,
    mask: NDArray[np.uint8],
    weights: NDArray[np.floating],
    down: bool,
    right: bool,
) -> float:
    """Return the sum of `reflected_sum` for reflection about a row and a column at once.

    Both directions weigh a pair alike, so that only pairs with one pixel on the border are left.
    """
    height, width = mask.shape
    depth, reach = weights.shape[0] // 2, weights.shape[1] // 2
    total = 0.0
    for j in range(1, depth + 1):
        row = height - 1 - j if down else j
        for n in range(1, reach + 1):
            column = width - 1 - n if right else n
            here = np.float64(values[row, column] - low)
            bit = mask[row, column]
            if bit == 0 and here == 0.0:
                continue
            for i in range(depth + 1 - j):
                other_row = height - 1 - i if down else i
                for m in range(reach + 1 - n if i == 0 else 1):
                    other = width - 1 - m if right else m
                    across = m + n if down == right else -m - n
                    by = np.float64(weights[depth + i + j, reach + across])
                    if bit:
                        total += by * np.float64(values[other_row, other] - low)
                    if mask[other_row, other]:
                        total -= by * here
    return total


@kernel
def reflected_sum(
    values: NDArray[np.number],
    scale: NDArray[np.floating],
    mask: NDArray[np.uint8],
    weights: NDArray[np.floating],
) -> float:
    """Return Σ P·(K⋆G) − Σ G·(K⋆P), both continued by reflection about their border pixels.

    P is (values − scale[0])·scale[1], G the mask, K the weights, unchanged by half a turn and of
    half-sizes less than the sides of the mask.  Inside, the correlation is its own transpose: a
    pair x of P, y of G is weighed by K(y − x) on both sides.  What differs is K(z − x) over the
    reflections z of y, against K(z − y) over those of x, which the half-sizes keep to the border.
    """
    total = 0.0
    for mirrored in (False, True):
        for other in (False, True):
            total += _side(values, scale, mask, weights, other, mirrored)
            total += _corner(values, scale[0], mask, weights, mirrored, other)
    return total * np.float64(scale[1])
