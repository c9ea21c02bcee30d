"""What reflection at the border makes of a correlation's transpose."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fastsegmetrics.kernels._jit import kernel

#: Depths of a strip lie side by side, in whole vectors of single precision.
_VECTOR = 16
#: Places of which 16 bits hold the sum of the 8-bit levels.
_PLACES = 256


@kernel
def _strip(
    values: NDArray[np.number],
    scale: NDArray[np.floating],
    depth: int,
    reach: int,
    turned: bool,
    mirrored: bool,
) -> NDArray[np.number]:
    """Return what the rows 0 … depth from a border hold: one line for each column.

    `reach` lines of scale[0], the map's 0, stand before and after.  The rows are columns where
    `turned`, and counted from the last where `mirrored`.
    """
    height, width = values.shape[::-1] if turned else values.shape
    lanes = (depth + _VECTOR) // _VECTOR * _VECTOR
    out = np.zeros((width + 2 * reach, lanes), values.dtype)
    for ends in ((0, reach), (reach + width, width + 2 * reach)):
        out[ends[0] : ends[1]] = scale[0]
    for i in range(depth + 1):
        row = height - 1 - i if mirrored else i
        for column in range(width):
            out[reach + column, i] = values[column, row] if turned else values[row, column]
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
    strip: NDArray[np.number],
    lanes: int,
    places: NDArray[np.int64],
    sums: NDArray[np.number],
    levels: NDArray[np.floating],
) -> None:
    """Write the sums of a strip's lines from each of some places on.

    Four places cost little over one.  `sums`, see `_room`, hold those of 256 places.
    """
    levels[:] = 0.0
    for start in range(0, places.size, _PLACES):
        some = places[start : start + _PLACES]
        sums[:] = 0
        whole = some.size // 4 * 4
        for n in range(0, whole, 4):
            a = strip[some[n] * lanes :]
            b = strip[some[n + 1] * lanes :]
            c = strip[some[n + 2] * lanes :]
            d = strip[some[n + 3] * lanes :]
            for k in range(sums.size):
                sums[k] = sums[k] + a[k] + b[k] + c[k] + d[k]
        for n in range(whole, some.size):
            a = strip[some[n] * lanes :]
            for k in range(sums.size):
                sums[k] += a[k]
        for k in range(sums.size):
            levels[k] += sums[k]


@kernel
def _room(values: NDArray[np.number], size: int) -> NDArray[np.number]:
    """Return room for sums of a map's values: those of 8-bit levels in half a float's bits."""
    return np.zeros(size, (values[0, :1] * np.ones(1, np.uint16)).dtype)


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
    strip = np.empty(0, values.dtype)
    sums = _room(values, (2 * reach + 1) * lanes)
    levels = np.empty(sums.size, scale.dtype)
    places = np.empty(max(mask.shape) + 1, np.int64)
    total = 0.0
    for j in range(depth + 1 if depth > 0 else 0):
        n = _find(mask, j, turned, mirrored, places)
        if n == 0:
            continue
        if strip.size == 0:
            strip = _strip(values, scale, depth, reach, turned, mirrored)
        _add_lines(strip, lanes, places[:n], sums, levels)
        zero = np.float64(scale[0]) * n
        for t in range(2 * reach + 1):
            ahead = 2 * reach - t if mirrored else t
            for i in range(depth + 1 - j):
                s = depth + i + j
                by = -(weights[2 * reach - ahead, s] if turned else weights[s, 2 * reach - ahead])
                if i == 0:
                    by *= 0
                if j > 0:
                    by += weights[ahead, s] if turned else weights[s, ahead]
                total += np.float64(by) * (np.float64(levels[t * lanes + i]) - zero)
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
