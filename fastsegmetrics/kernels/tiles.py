"""Sums of the correlation of a map with a small symmetric kernel on the pixels of a mask, by tiles.

Tiles of the map go through `kernels._correlation` two at a time, those of one value need no
correlation, and tiles with few pixels of the mask are summed directly at those.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fastsegmetrics.kernels._correlation import (
    _CIRCLE,
    _LANES,
    _STRIDE,
    _TURNS,
    POINTS,
    _aligned,
    _correlate,
    _whole,
)
from fastsegmetrics.kernels._gains import LEAST, add_tile, gained, series
from fastsegmetrics.kernels._jit import apart, fused, kernel

#: Rows of the shortest tile.
SHORTEST = POINTS
#: The most multiples of them that a tile has: it and its transforms fill a second-level cache.
MOST_FOLDS = 3
#: Columns of a kernel in whole vectors, and rows of it summed at a time, of a direct sum.
_NARROW = 32
_ROWS = 14
#: Time of one direct sum over that of one point of a transformed tile, by the kernel's rows.
_FEW = 0.6


@kernel
def _place(frequency: int, folds: int) -> tuple[int, int]:
    """Return where a frequency stands: its remainder by the folds, the quotient's digits turned."""
    quotient = frequency // folds
    return frequency % folds, quotient % 4 * 16 + quotient // 4 % 4 * 4 + quotient // 16


@kernel
def kernel_spectrum(weights: NDArray[np.float64], folds: int) -> NDArray[np.float64]:
    """Return what tiles of ``64 · folds`` rows are correlated with.

    `weights` have odd sides, and half a turn leaves them unchanged.  The transform down each column
    from the middle one on, about the middle row and conjugated, for a correlation is wanted and no
    convolution: (folds, 2, 64, columns) for the remainder of a frequency by the folds, real and
    imaginary part, the quotient, its three digits to the base 4 reversed, and column.

    So few rows are transformed by the definition in a tenth of what a library's transform takes:
    two rows at equal distances from the middle at a time, all columns a vector.
    """
    points = POINTS * folds
    down, across = weights.shape[0] // 2, weights.shape[1] // 2
    columns = across + 1
    out = np.empty((folds, 2, POINTS, columns))
    sums = np.zeros((2, points // 2 + 1, columns))
    for k in range(columns):
        sums[0, :, k] = weights[down, across + k] / points
    even, odd = np.empty(columns), np.empty(columns)
    for row in range(1, down + 1):
        for k in range(columns):
            before = weights[down - row, across + k] / points
            after = weights[down + row, across + k] / points
            even[k], odd[k] = after + before, after - before
        angle = 0
        for frequency in range(points // 2 + 1):
            cosine, sine = _TURNS[angle, 0], _TURNS[angle, 1]
            re, im = sums[0, frequency], sums[1, frequency]
            for k in range(columns):
                re[k] = fused(even[k], cosine, re[k])
                im[k] = fused(odd[k], sine, im[k])
            angle += row * (_CIRCLE // points)
            angle -= _CIRCLE if angle >= _CIRCLE else 0
    for frequency in range(points // 2 + 1):
        re, im = sums[0, frequency], sums[1, frequency]
        # The transform of real numbers at the negative of a frequency is the conjugate.
        for sign, place in ((1, frequency), (-1, (points - frequency) % points)):
            residue, at = _place(place, folds)
            to_re, to_im = out[residue, 0, at], out[residue, 1, at]
            for k in range(columns):
                to_re[k] = re[k]
                to_im[k] = im[k] * sign
    return out


@kernel
def _ascending(indices: NDArray[np.int64]) -> tuple[int, int]:
    """Return where the first run of consecutive indices begins and ends."""
    first = 0
    while first + 1 < indices.size and indices[first + 1] != indices[first] + 1:
        first += 1
    last = first + 1
    while last < indices.size and indices[last] == indices[last - 1] + 1:
        last += 1
    return first, last


@kernel
def _constant(
    values: NDArray[np.number], rows: NDArray[np.int64], columns: NDArray[np.int64]
) -> bool:
    """Return whether a map holds one value only at rows × columns."""
    first = values[rows[0], columns[0]]
    start, stop = _ascending(columns)
    for i in range(rows.size):
        line = values[rows[i]]
        run = line[columns[start] : columns[start] + stop - start]
        differing = np.uint8(0)
        for j in range(run.size):
            differing |= np.uint8(run[j] != first)
        if differing > 0:
            return False
        for ends in ((0, start), (stop, columns.size)):
            for j in range(ends[0], ends[1]):
                if line[columns[j]] != first:
                    return False
    return True


@apart
def _fill(
    values: NDArray[np.number],
    scale: NDArray[np.floating],
    rows: NDArray[np.int64],
    columns: NDArray[np.int64],
    tile: NDArray[np.floating],
) -> None:
    """Copy what a map holds at rows × columns, scaled, into a plane, and zeros behind it.

    All but a few columns at the ends are consecutive, and one loop of whole vectors.
    """
    start, stop = _ascending(columns)
    base = columns[start]
    low = scale[0]
    step = scale[1]
    for i in range(rows.size):
        into = tile[i * _STRIDE : (i + 1) * _STRIDE]
        line = values[rows[i]]
        run = line[base : base + stop - start]
        middle = into[start:stop]
        for j in range(run.size):
            middle[j] = (run[j] - low) * step
        for ends in ((0, start), (stop, columns.size)):
            for j in range(ends[0], ends[1]):
                into[j] = line[columns[j]]
                into[j] = (into[j] - low) * step
        into[columns.size :] = 0.0
    tile[rows.size * _STRIDE :] = 0.0


@kernel
def _padded_weights(weights: NDArray[np.floating]) -> NDArray[np.floating]:
    """Return a kernel with zeros up to whole blocks of `_dot`."""
    height, width = weights.shape
    wide = _NARROW if width <= _NARROW else 2 * _NARROW
    out = np.zeros(((height + _ROWS - 1) // _ROWS * _ROWS, wide), weights.dtype)
    out[:height, :width] = weights
    return out.reshape(-1)


@kernel
def _dot(
    tile: NDArray[np.floating],
    weights: NDArray[np.floating],
    lanes: NDArray[np.floating],
    narrow: bool,
) -> float:
    """Return the sum of weights times the window at the beginning of a tile.

    Fourteen rows at a time, each of whole vectors: of a single pixel this takes a hundredth of what
    transforming its tile does.
    """
    for k in range(_NARROW):
        lanes[k] = 0.0
    wide = _NARROW if narrow else 2 * _NARROW
    for block in range(weights.size // (_ROWS * wide)):
        x = tile[_ROWS * block * _STRIDE :]
        w = weights[_ROWS * block * wide :]
        if narrow:
            for k in range(_NARROW):
                lanes[k] += (
                    w[k] * x[k]
                    + w[k + 1 * _NARROW] * x[k + 1 * _STRIDE]
                    + w[k + 2 * _NARROW] * x[k + 2 * _STRIDE]
                    + w[k + 3 * _NARROW] * x[k + 3 * _STRIDE]
                    + w[k + 4 * _NARROW] * x[k + 4 * _STRIDE]
                    + w[k + 5 * _NARROW] * x[k + 5 * _STRIDE]
                    + w[k + 6 * _NARROW] * x[k + 6 * _STRIDE]
                    + w[k + 7 * _NARROW] * x[k + 7 * _STRIDE]
                    + w[k + 8 * _NARROW] * x[k + 8 * _STRIDE]
                    + w[k + 9 * _NARROW] * x[k + 9 * _STRIDE]
                    + w[k + 10 * _NARROW] * x[k + 10 * _STRIDE]
                    + w[k + 11 * _NARROW] * x[k + 11 * _STRIDE]
                    + w[k + 12 * _NARROW] * x[k + 12 * _STRIDE]
                    + w[k + 13 * _NARROW] * x[k + 13 * _STRIDE]
                )
        else:
            for row in range(_ROWS):
                for k in range(_NARROW):
                    lanes[k] += (
                        w[2 * row * _NARROW + k] * x[row * _STRIDE + k]
                        + w[(2 * row + 1) * _NARROW + k] * x[row * _STRIDE + _NARROW + k]
                    )
    for k in range(16):
        lanes[k] += lanes[k + 16]
    for k in range(8):
        lanes[k] += lanes[k + 8]
    return ((lanes[0] + lanes[1]) + (lanes[2] + lanes[3])) + (
        (lanes[4] + lanes[5]) + (lanes[6] + lanes[7])
    )


@kernel
def _add_pixels(
    tile: NDArray[np.floating],
    weights: NDArray[np.floating],
    mask: NDArray[np.uint8],
    degree: NDArray[np.float64],
    place: NDArray[np.int64],
    work: NDArray[np.floating],
    sums: NDArray[np.float64],
) -> None:
    """Add what `add_tile` does, from a tile that is not transformed, pixel by pixel."""
    top, left, bottom, right = place[0], place[1], place[2], place[3]
    padded = _padded_weights(weights)
    narrow = weights.shape[1] <= _NARROW
    terms = series(work)
    places = np.empty(right - left + 1, np.int64)
    for row in range(top, bottom):
        bits = mask[row, left:right]
        n = 0
        for k in range(bits.size):
            places[n] = k
            n += np.int64(bits[k])
        for k in places[:n]:
            x = _dot(tile[(row - top) * _STRIDE + k :], padded, work, narrow)
            if x < terms[LEAST]:
                continue
            gain = gained(x, terms, work.itemsize == 8)
            sums[0, 0] += x
            sums[1, 0] += gain
            if degree.size > 0:
                sums[2, 0] += gain * degree[row, left + k]


@apart
def _count_columns(mask: NDArray[np.uint8], top: int, bottom: int, out: NDArray[np.uint8]) -> None:
    """Write how many pixels of the mask each column has in some rows, fewer than 256."""
    out[:] = 0
    for row in range(top, bottom):
        line = mask[row]
        for column in range(out.size):
            out[column] += line[column]


@kernel
def _total(counts: NDArray[np.uint8]) -> int:
    total = np.uint32(0)
    for k in range(counts.size):
        total += np.uint32(counts[k])
    return np.int64(total)


@kernel
def _balanced(length: int, most: int) -> int:
    """Return the least size of tiles of which no more are needed than of the largest."""
    tiles = max(1, (length + most - 1) // most)
    return max(1, (length + tiles - 1) // tiles)


@kernel
def _window(
    values: NDArray[np.number],
    scale: NDArray[np.floating],
    around: tuple[NDArray[np.int64], NDArray[np.int64]],
    weights: NDArray[np.floating],
    place: NDArray[np.int64],
    tile: NDArray[np.floating],
) -> bool:
    """Fill a plane with what the pixels of a place see; return whether it is one value only."""
    rows = around[0][place[0] : place[2] + weights.shape[0] - 1]
    columns = around[1][place[1] : place[3] + weights.shape[1] - 1]
    _fill(values, scale, rows, columns, tile)
    return _constant(values, rows, columns)


@kernel
def context_sums(
    values: NDArray[np.number],
    scale: NDArray[np.floating],
    around: tuple[NDArray[np.int64], NDArray[np.int64]],
    mask: NDArray[np.uint8],
    degree: NDArray[np.float64],
    weights: NDArray[np.floating],
    spectrum: NDArray[np.floating],
) -> tuple[float, float, float]:
    """Sum the correlation x of a map over a mask; return Σx, Σ(1 − exp(−x)) and Σ(1 − exp(−x))·D.

    The map is (values − scale[0])·scale[1] at the rows and columns of `around`, which are more than
    the mask's by the half-sizes of `weights` on each side.  `degree` (D) may have no elements.
    Scale, weights and spectrum (`kernel_spectrum`) have one precision.
    """
    height, width = mask.shape
    tile_rows = spectrum.shape[0] * POINTS
    plane = tile_rows * _STRIDE
    # What whole tiles leave over is often a few rows, which are summed directly.
    tall = tile_rows - weights.shape[0] + 1
    wide = _whole(_balanced(width, (_STRIDE - weights.shape[1]) // _LANES * _LANES))
    # A few lines more than two planes, since whole vectors and blocks are read.  What lies beyond
    # a plane has weight 0 there, but must be numbers: nothing times NaN is NaN.
    beyond = (_ROWS + 1) * _STRIDE
    tile = _aligned(2 * plane + beyond, scale)
    tile[plane : plane + beyond] = 0.0
    tile[2 * plane :] = 0.0
    out = _aligned(2 * plane + 4 * _STRIDE, scale)
    out[2 * plane :] = 0.0
    found = out[weights.shape[0] // 2 * _STRIDE :]
    place = np.zeros(4, np.int64)
    waiting = np.zeros(4, np.int64)
    n_waiting = 0
    # Of the tiles of few pixels the fullest, which may yet be the second of the last pair.
    kept = np.zeros(4, np.int64)
    n_kept = 0
    in_column = np.empty(width, np.uint8)
    work = _aligned(3 * _STRIDE, scale)
    on = np.empty(4 * _STRIDE, np.uint8)
    sums = np.zeros((3, _STRIDE))
    few = _FEW * tile_rows * wide / weights.shape[0]
    top = 0
    while top < height:
        if not mask[top].any():
            top += 1
            continue
        bottom = min(height, top + tall)
        _count_columns(mask, top, bottom, in_column)
        left = 0
        while left < width:
            if not in_column[left]:
                left += 1
                continue
            place[0] = top
            place[1] = left
            place[2] = bottom
            place[3] = min(width, left + wide)
            part = tile[plane if n_waiting else 0 :]
            n = _total(in_column[left : place[3]])
            if _window(values, scale, around, weights, place, part[:plane]):
                add_tile(part, True, mask, degree, place, work, on, sums)
            elif n < few:
                if n > n_kept:
                    for i in range(4):
                        place[i], kept[i] = kept[i], place[i]
                    n, n_kept = n_kept, n
                    if n > 0:
                        _window(values, scale, around, weights, place, part[:plane])
                if n > 0:
                    _add_pixels(part, weights, mask, degree, place, work, sums)
            elif n_waiting == 0:
                waiting[:] = place
                n_waiting = 1
            else:
                _correlate(tile, out, spectrum, wide)
                add_tile(found, False, mask, degree, waiting, work, on, sums)
                add_tile(found[plane:], False, mask, degree, place, work, on, sums)
                n_waiting = 0
            left += wide
        top = bottom
    if n_kept:
        _window(values, scale, around, weights, kept, tile[plane : 2 * plane])
    elif n_waiting:
        tile[plane : 2 * plane] = 0.0
    if n_waiting:
        _correlate(tile, out, spectrum, wide)
        add_tile(found, False, mask, degree, waiting, work, on, sums)
        if n_kept:
            add_tile(found[plane:], False, mask, degree, kept, work, on, sums)
    elif n_kept:
        _add_pixels(tile[plane:], weights, mask, degree, kept, work, sums)
    return sums[0].sum(), sums[1].sum(), sums[2].sum()
