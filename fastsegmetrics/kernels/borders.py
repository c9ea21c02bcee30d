"""What reflection at the border makes of a correlation's transpose."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fastsegmetrics.kernels._jit import apart, kernel

#: Rows of a strip, side by side: as many are added that are too deep to be seen as are in one row.
_ROWS = 4
#: Whole vectors of half a float's bits.
_VECTOR = 32
#: Places of which 16 bits hold the sum of the 8-bit levels.
_PLACES = 256


@kernel
def _strips(
    values: NDArray[np.number],
    low: float,
    depth: int,
    reach: int,
    turned: bool,
    mirrored: bool,
) -> NDArray[np.number]:
    """Return what the rows 0 … depth from a border hold, four a line, all rows of a place in turn.

    `reach` places of the map's 0 stand before and after.  The rows are columns where `turned`, and
    counted from the last where `mirrored`.
    """
    height, width = values.shape[::-1] if turned else values.shape
    out = np.empty((depth // _ROWS + 1, _ROWS * (width + 2 * reach) + _VECTOR), values.dtype)
    for strip in range(out.shape[0]):
        line = out[strip]
        line[: _ROWS * reach] = low
        line[_ROWS * (reach + width) :] = low
        inner = line[_ROWS * reach : _ROWS * (reach + width)]
        # Below the last row it does not matter what is found.
        n0, n1, n2, n3 = [min(_ROWS * strip + i, height - 1) for i in range(_ROWS)]
        if mirrored:
            n0, n1, n2, n3 = height - 1 - n0, height - 1 - n1, height - 1 - n2, height - 1 - n3
        if turned:
            for k in range(width):
                row = values[k]
                inner[_ROWS * k] = row[n0]
                inner[_ROWS * k + 1] = row[n1]
                inner[_ROWS * k + 2] = row[n2]
                inner[_ROWS * k + 3] = row[n3]
        else:
            a, b, c, d = values[n0], values[n1], values[n2], values[n3]
            for k in range(width):
                inner[_ROWS * k] = a[k]
                inner[_ROWS * k + 1] = b[k]
                inner[_ROWS * k + 2] = c[k]
                inner[_ROWS * k + 3] = d[k]
    return out


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


@apart
def _add_lines(
    strip: NDArray[np.number],
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
            a = strip[some[n] * _ROWS :]
            b = strip[some[n + 1] * _ROWS :]
            c = strip[some[n + 2] * _ROWS :]
            d = strip[some[n + 3] * _ROWS :]
            for k in range(sums.size):
                sums[k] = sums[k] + a[k] + b[k] + c[k] + d[k]
        for n in range(whole, some.size):
            a = strip[some[n] * _ROWS :]
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

    Levels are summed first, by the shift along the border and the sum of both distances from it,
    which the weights depend on, and those sums weighed after: a pixel of the mask costs an addition
    of neighbouring numbers, and sums of 8-bit levels are exact.
    """
    sides = weights.shape[::-1] if turned else weights.shape
    depth, reach = sides[0] // 2, sides[1] // 2
    shifts = 2 * reach + 1
    strips = np.empty((0, 0), values.dtype)
    sums = _room(values, (_ROWS * shifts + _VECTOR - 1) // _VECTOR * _VECTOR)
    levels = np.empty(sums.size, scale.dtype)
    places = np.empty(max(mask.shape) + 1, np.int64)
    # Both pixels off the border are reflected to the other's weight; one on it is its reflection.
    both = np.zeros((shifts, depth + _ROWS))
    one = np.zeros((shifts, depth + _ROWS))
    for j in range(depth + 1 if depth > 0 else 0):
        n = _find(mask, j, turned, mirrored, places)
        if n == 0:
            continue
        if strips.size == 0:
            strips = _strips(values, scale[0], depth, reach, turned, mirrored)
        zero = np.float64(scale[0]) * n
        for strip in range((depth - j) // _ROWS + 1):
            _add_lines(strips[strip], places[:n], sums, levels)
            into = (both if j > 0 else one)[:, j + _ROWS * strip :]
            sign = 1.0 if j > 0 else -1.0
            for t in range(shifts):
                for i in range(_ROWS):
                    into[t, i] += sign * (np.float64(levels[_ROWS * t + i]) - zero)
                if strip == 0 and j > 0:
                    one[t, j] += np.float64(levels[_ROWS * t]) - zero
    total = 0.0
    for t in range(shifts):
        ahead = shifts - 1 - t if mirrored else t
        for s in range(1, depth + 1):
            by = np.float64(weights[ahead, depth + s] if turned else weights[depth + s, ahead])
            ahead_of = shifts - 1 - ahead
            back = np.float64(
                weights[ahead_of, depth + s] if turned else weights[depth + s, ahead_of]
            )
            total += (by - back) * both[t, s] + back * one[t, s]
    return total


@kernel
def _corner(
    values: NDArray[np.number],
    low: float,
    mask: NDArray[np.uint8],
    weights: NDArray[np.floating],
    down: bool,
    right: bool,
    turned: bool,
) -> float:
    """Return the sum of `reflected_sum` for reflection about a row and a column at once.

    Both directions weigh a pair alike, so that only pairs with one pixel on the border are left:
    on the row, or, where `turned`, on the column but for its first pixel.
    """
    height, width = mask.shape
    half_rows, half_columns = weights.shape[0] // 2, weights.shape[1] // 2
    depth, reach = (half_columns, half_rows) if turned else (half_rows, half_columns)
    edge, bits = np.zeros(reach + 1), np.zeros(reach + 1)
    for m in range(1 if turned else 0, reach + 1):
        i, k = (m, 0) if turned else (0, m)
        row, column = height - 1 - i if down else i, width - 1 - k if right else k
        edge[m] = values[row, column] - low
        bits[m] = mask[row, column]
    sums = np.empty(reach + 1)
    total = 0.0
    for j in range(1, depth + 1):
        sums[:] = 0.0
        for n in range(1, reach + 1):
            i, k = (n, j) if turned else (j, n)
            row, column = height - 1 - i if down else i, width - 1 - k if right else k
            here = np.float64(values[row, column] - low)
            bit = np.float64(mask[row, column])
            if bit == 0.0 and here == 0.0:
                continue
            into = sums[n:]
            for m in range(into.size):
                into[m] += bit * edge[m] - here * bits[m]
        for s in range(1, reach + 1):
            i, k = (s, j) if turned else (j, s)
            across = k if down == right else -k
            total += np.float64(weights[half_rows + i, half_columns + across]) * sums[s]
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
            for turned in (False, True):
                total += _corner(values, scale[0], mask, weights, mirrored, other, turned)
    return total * np.float64(scale[1])
