"""Correlation of a map with a small symmetric kernel on the pixels of a mask, tile by tile.

A tile of 64 × 64 goes through a Fourier transform that fits in the second-level cache, two tiles as
the real and imaginary parts of one, since the kernel is real.  A 27 × 27 kernel then takes 9 ns a
pixel, whatever the map (180 as a direct sum), to a few roundings of 1.  Tiles of one value need no
correlation, and tiles with few pixels of the mask are summed directly at those.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from fastsegmetrics.kernels._jit import kernel

_SIDE = 64
_QUARTER = _SIDE // 4
_STAGES = 3
_APART = _QUARTER * _SIDE
#: Width of most kernels in whole vectors.
_LANES = 32
#: Rows of a kernel summed at a time.
_ROWS = 14
#: Pixels of a tile times rows of the kernel up to which sums are cheaper than transforms.
_FEW = 3000
_PLANE = _SIDE * _SIDE
#: Below this a correlation is rounding noise of the transform, and so 0.
_NOISE = 1e-15


def _twiddles() -> NDArray[np.float64]:
    """Return cos and sin of the three factors of each butterfly of each stage."""
    out = np.empty((_STAGES, _QUARTER, 6))
    for stage in range(_STAGES):
        for i in range(_QUARTER):
            for j in range(1, 4):
                turn = j * 4**stage * (i >> (2 * stage)) % _SIDE / _SIDE
                out[stage, i, 2 * j - 2] = math.cos(2 * math.pi * turn)
                out[stage, i, 2 * j - 1] = -math.sin(2 * math.pi * turn)
    return out


_TWIDDLES = _twiddles()
#: The lines of the work array of `_add_tile`, after the forward sums.
_REVERSE, _EXTRA, _GAIN, _ON, _DEGREE, _INNER = (line * _SIDE for line in range(1, 7))
_T2, _T3, _T4, _T5, _T6, _T7, _T8 = (1.0 / math.factorial(k) for k in range(2, 9))
_T9, _T10, _T11, _T12, _T13, _T14, _T15 = (1.0 / math.factorial(k) for k in range(9, 16))
_E_TO_MINUS_HALF = math.exp(-0.5)


@kernel
def _stage(
    source: NDArray[np.float64], out: NDArray[np.float64], twiddles: NDArray[np.float64]
) -> None:
    """One radix-4 stage of the transform along rows, for all columns of a tile at once.

    Constant geometry (Pease 1968): every stage reads four rows a quarter apart and writes four
    neighbours, so that LLVM knows all distances and makes vectors of the loop over columns.  The
    real plane comes first, the imaginary one behind it; frequencies end in digit-reversed order.
    """
    for i in range(_QUARTER):
        t = twiddles[i]
        c1, s1, c2, s2, c3, s3 = t[0], t[1], t[2], t[3], t[4], t[5]
        re = source[i * _SIDE : _PLANE]
        im = source[_PLANE + i * _SIDE :]
        to_re = out[4 * i * _SIDE : _PLANE]
        to_im = out[_PLANE + 4 * i * _SIDE :]
        for k in range(_SIDE):
            ar = re[k] + re[k + 2 * _APART]
            ai = im[k] + im[k + 2 * _APART]
            br = re[k] - re[k + 2 * _APART]
            bi = im[k] - im[k + 2 * _APART]
            cr = re[k + _APART] + re[k + 3 * _APART]
            ci = im[k + _APART] + im[k + 3 * _APART]
            dr = re[k + _APART] - re[k + 3 * _APART]
            di = im[k + _APART] - im[k + 3 * _APART]
            to_re[k] = ar + cr
            to_im[k] = ai + ci
            xr = br + di
            xi = bi - dr
            to_re[k + _SIDE] = xr * c1 - xi * s1
            to_im[k + _SIDE] = xr * s1 + xi * c1
            xr = ar - cr
            xi = ai - ci
            to_re[k + 2 * _SIDE] = xr * c2 - xi * s2
            to_im[k + 2 * _SIDE] = xr * s2 + xi * c2
            xr = br - di
            xi = bi + dr
            to_re[k + 3 * _SIDE] = xr * c3 - xi * s3
            to_im[k + 3 * _SIDE] = xr * s3 + xi * c3


@kernel
def _unstage(
    source: NDArray[np.float64], out: NDArray[np.float64], twiddles: NDArray[np.float64]
) -> None:
    """Undo `_stage`, but for a factor of 4."""
    for i in range(_QUARTER):
        t = twiddles[i]
        c1, s1, c2, s2, c3, s3 = t[0], t[1], t[2], t[3], t[4], t[5]
        re = source[4 * i * _SIDE : _PLANE]
        im = source[_PLANE + 4 * i * _SIDE :]
        to_re = out[i * _SIDE : _PLANE]
        to_im = out[_PLANE + i * _SIDE :]
        for k in range(_SIDE):
            yr = re[k]
            yi = im[k]
            ur = re[k + _SIDE] * c1 + im[k + _SIDE] * s1
            ui = im[k + _SIDE] * c1 - re[k + _SIDE] * s1
            vr = re[k + 2 * _SIDE] * c2 + im[k + 2 * _SIDE] * s2
            vi = im[k + 2 * _SIDE] * c2 - re[k + 2 * _SIDE] * s2
            wr = re[k + 3 * _SIDE] * c3 + im[k + 3 * _SIDE] * s3
            wi = im[k + 3 * _SIDE] * c3 - re[k + 3 * _SIDE] * s3
            ar = yr + vr
            ai = yi + vi
            br = yr - vr
            bi = yi - vi
            cr = ur + wr
            ci = ui + wi
            dr = ur - wr
            di = ui - wi
            to_re[k] = ar + cr
            to_im[k] = ai + ci
            to_re[k + _APART] = br - di
            to_im[k + _APART] = bi + dr
            to_re[k + 2 * _APART] = ar - cr
            to_im[k + 2 * _APART] = ai - ci
            to_re[k + 3 * _APART] = br + di
            to_im[k + 3 * _APART] = bi - dr


@kernel
def _forward(tile: NDArray[np.float64], spare: NDArray[np.float64]) -> None:
    """Transform all columns of a tile; the result is in `spare`."""
    _stage(tile, spare, _TWIDDLES[0])
    _stage(spare, tile, _TWIDDLES[1])
    _stage(tile, spare, _TWIDDLES[2])


@kernel
def _backward(spare: NDArray[np.float64], tile: NDArray[np.float64]) -> None:
    """Transform all columns of `spare` back; the result, 64 times too large, is in `tile`."""
    _unstage(spare, tile, _TWIDDLES[2])
    _unstage(tile, spare, _TWIDDLES[1])
    _unstage(spare, tile, _TWIDDLES[0])


@kernel
def _turn(tile: NDArray[np.float64], out: NDArray[np.float64]) -> None:
    """Transpose both planes, in blocks of 8 × 8 so that lines of the cache are used whole."""
    for plane in range(0, 2 * _PLANE, _PLANE):
        for top in range(0, _SIDE, 8):
            for left in range(0, _SIDE, 8):
                for row in range(top, top + 8):
                    for column in range(left, left + 8):
                        out[plane + column * _SIDE + row] = tile[plane + row * _SIDE + column]


@kernel
def _correlate(
    tile: NDArray[np.float64], spare: NDArray[np.float64], spectrum: NDArray[np.float64]
) -> None:
    """Correlate both planes of a tile, each cyclically, with the kernel of a spectrum."""
    _forward(tile, spare)
    _turn(spare, tile)
    _forward(tile, spare)
    for k in range(_PLANE):
        spare[k] *= spectrum[k]
        spare[_PLANE + k] *= spectrum[k]
    _backward(spare, tile)
    _turn(tile, spare)
    _backward(spare, tile)


@kernel
def kernel_spectrum(weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the transform of a symmetric kernel of odd sides below 64, as `context_sums` takes it.

    It is real, since the weights at d and at −d are equal.  The weights themselves follow.
    """
    tile = np.zeros(2 * _PLANE, np.float64)
    spare = np.zeros(2 * _PLANE, np.float64)
    half_rows = weights.shape[0] // 2
    half_columns = weights.shape[1] // 2
    for i in range(weights.shape[0]):
        row = (i - half_rows) % _SIDE
        for j in range(weights.shape[1]):
            column = (j - half_columns) % _SIDE
            tile[row * _SIDE + column] = weights[i, j] / _PLANE
    _forward(tile, spare)
    _turn(spare, tile)
    _forward(tile, spare)
    out = np.empty(_PLANE + weights.size, np.float64)
    out[:_PLANE] = spare[:_PLANE]
    out[_PLANE:] = weights.reshape(-1)
    return out


@kernel
def _fill(values: NDArray[np.float64], top: int, left: int, tile: NDArray[np.float64]) -> bool:
    """Copy a window into a plane, zeros beyond its end; return whether it holds one value only."""
    rows = min(_SIDE, values.shape[0] - top)
    columns = min(_SIDE, values.shape[1] - left)
    first = values[top, left]
    differing = 0
    for row in range(rows):
        line = values[top + row, left : left + columns]
        into = tile[row * _SIDE : (row + 1) * _SIDE]
        for column in range(columns):
            into[column] = line[column]
            differing += line[column] != first
        into[columns:] = 0.0
    tile[rows * _SIDE : _PLANE] = 0.0
    return differing == 0


@kernel
def _gain(x: float) -> float:
    """Return 1 − exp(−x) for x in [0, 1] to 2e-16, and 0 of rounding noise.

    The Taylor series about ½, of which 16 terms suffice: unlike the library's exponential, a loop
    can make vectors of it.
    """
    y = 0.5 - x
    e = 1.0 + y * (1.0 + y * (_T2 + y * (_T3 + y * (_T4 + y * (_T5 + y * (_T6 + y * (_T7 + y * (
        _T8 + y * (_T9 + y * (_T10 + y * (_T11 + y * (_T12 + y * (_T13 + y * (_T14 + y * _T15)
    )))))))))))))  # fmt: skip
    return 1.0 - _E_TO_MINUS_HALF * e if x >= _NOISE else 0.0


@kernel
def _add_tile(
    tile: NDArray[np.float64],
    constant: bool,
    mask: NDArray[np.uint8],
    degree: NDArray[np.float64],
    inner: NDArray[np.int64],
    place: NDArray[np.int64],
    work: NDArray[np.float64],
) -> None:
    """Add what a correlated tile holds on the mask to sums by column, see `context_sums`.

    `work` is seven lines of a tile's width: three of sums, then the gains, the mask, the degree and
    the inner columns of a row.  Loops run over the whole width, with the mask 0 beyond its place,
    and all lines lie at known distances in one array: so LLVM makes vectors of every loop.
    """
    top, left, bottom, right = place[0], place[1], place[2], place[3]
    for k in range(_SIDE):
        work[_ON + k] = 0.0
        work[_DEGREE + k] = 0.0
        work[_INNER + k] = np.float64(inner[1] <= left + k < inner[3])
    for row in range(top, bottom):
        on = mask[row, left:right]
        for k in range(on.size):
            work[_ON + k] = on[k]
        line = tile[(row - top) * _SIDE : (row - top + 1) * _SIDE]
        if constant:
            line[:] = tile[0]
        for k in range(_SIDE):
            gain = _gain(line[k]) * work[_ON + k]
            work[_GAIN + k] = gain
            work[_REVERSE + k] += gain
        if degree.size > 0:
            by = degree[row, left:right]
            for k in range(by.size):
                work[_DEGREE + k] = by[k]
            for k in range(_SIDE):
                work[_EXTRA + k] += work[_GAIN + k] * work[_DEGREE + k]
        if inner[0] <= row < inner[2]:
            for k in range(_SIDE):
                value = line[k] * (work[_ON + k] * work[_INNER + k])
                work[k] += value if value >= _NOISE else 0.0


@kernel
def _padded_weights(spectrum: NDArray[np.float64], height: int, width: int) -> NDArray[np.float64]:
    """Return a kernel, kept behind its transform, with zeros up to whole blocks of `_dot`."""
    wide = _LANES if width <= _LANES else 2 * _LANES
    out = np.zeros(((height + _ROWS - 1) // _ROWS * _ROWS, wide), np.float64)
    for i in range(height):
        for j in range(width):
            out[i, j] = spectrum[_PLANE + i * width + j]
    return out.reshape(-1)


@kernel
def _dot(
    tile: NDArray[np.float64],
    weights: NDArray[np.float64],
    lanes: NDArray[np.float64],
    narrow: bool,
) -> float:
    """Return the sum of weights times the window at the beginning of a tile.

    Fourteen rows at a time, each of whole vectors: of a single pixel this takes a hundredth of what
    transforming its tile does.
    """
    for k in range(_LANES):
        lanes[k] = 0.0
    wide = _LANES if narrow else 2 * _LANES
    for block in range(weights.size // (_ROWS * wide)):
        x = tile[_ROWS * block * _SIDE :]
        w = weights[_ROWS * block * wide :]
        if narrow:
            for k in range(_LANES):
                lanes[k] += (
                    w[k] * x[k]
                    + w[k + 1 * _LANES] * x[k + 1 * _SIDE]
                    + w[k + 2 * _LANES] * x[k + 2 * _SIDE]
                    + w[k + 3 * _LANES] * x[k + 3 * _SIDE]
                    + w[k + 4 * _LANES] * x[k + 4 * _SIDE]
                    + w[k + 5 * _LANES] * x[k + 5 * _SIDE]
                    + w[k + 6 * _LANES] * x[k + 6 * _SIDE]
                    + w[k + 7 * _LANES] * x[k + 7 * _SIDE]
                    + w[k + 8 * _LANES] * x[k + 8 * _SIDE]
                    + w[k + 9 * _LANES] * x[k + 9 * _SIDE]
                    + w[k + 10 * _LANES] * x[k + 10 * _SIDE]
                    + w[k + 11 * _LANES] * x[k + 11 * _SIDE]
                    + w[k + 12 * _LANES] * x[k + 12 * _SIDE]
                    + w[k + 13 * _LANES] * x[k + 13 * _SIDE]
                )
        else:
            for row in range(_ROWS):
                for k in range(_LANES):
                    lanes[k] += (
                        w[2 * row * _LANES + k] * x[row * _SIDE + k]
                        + w[(2 * row + 1) * _LANES + k] * x[row * _SIDE + _LANES + k]
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
    tile: NDArray[np.float64],
    weights: NDArray[np.float64],
    narrow: bool,
    mask: NDArray[np.uint8],
    degree: NDArray[np.float64],
    inner: NDArray[np.int64],
    place: NDArray[np.int64],
    work: NDArray[np.float64],
) -> None:
    """Add what `_add_tile` does, from a tile that is not transformed, pixel by pixel."""
    top, left, bottom, right = place[0], place[1], place[2], place[3]
    lanes = work[_GAIN:]
    for row in range(top, bottom):
        for column in range(left, right):
            if mask[row, column]:
                x = _dot(tile[(row - top) * _SIDE + column - left :], weights, lanes, narrow)
                if x >= _NOISE and inner[0] <= row < inner[2] and inner[1] <= column < inner[3]:
                    work[0] += x
                gain = _gain(x)
                work[_REVERSE] += gain
                if degree.size > 0:
                    work[_EXTRA] += gain * degree[row, column]


@kernel
def _count(mask: NDArray[np.uint8], place: NDArray[np.int64]) -> int:
    total = 0
    for row in range(place[0], place[2]):
        line = mask[row, place[1] : place[3]]
        in_row = np.uint32(0)
        for k in range(line.size):
            in_row += np.uint32(line[k])
        total += np.int64(in_row)
    return total


@kernel
def context_sums(
    values: NDArray[np.float64],
    mask: NDArray[np.uint8],
    degree: NDArray[np.float64],
    spectrum: NDArray[np.float64],
    half_rows: int,
    half_columns: int,
    inner: NDArray[np.int64],
) -> tuple[float, float, float]:
    """Sum the correlation x of a map over a mask; return Σx, Σ(1 − exp(−x)) and Σ(1 − exp(−x))·D.

    `values` is larger than the mask by the half-sizes on each side.  The first sum takes only
    pixels of the box `inner` (top, left, bottom, right).  `degree` (D) may have no elements.
    """
    height, width = mask.shape
    tall = _SIDE - 2 * half_rows
    wide = _SIDE - 2 * half_columns
    # A few lines more than two planes, since whole vectors and blocks are read.
    tile = np.zeros(2 * _PLANE + (_ROWS + 1) * _SIDE, np.float64)
    weights = _padded_weights(spectrum, 2 * half_rows + 1, 2 * half_columns + 1)
    narrow = 2 * half_columns + 1 <= _LANES
    spare = np.zeros(2 * _PLANE, np.float64)
    first = tile[:_PLANE]
    second = tile[_PLANE : 2 * _PLANE]
    place = np.zeros(4, np.int64)
    waiting = np.zeros(4, np.int64)
    n_waiting = 0
    occupied = np.zeros(width, np.uint8)
    work = np.zeros(7 * _SIDE, np.float64)
    centre = half_rows * _SIDE + half_columns
    top = 0
    while top < height:
        if not mask[top].any():
            top += 1
            continue
        bottom = min(height, top + tall)
        occupied[:] = 0
        for row in range(top, bottom):
            for column in range(width):
                occupied[column] |= mask[row, column]
        left = 0
        while left < width:
            if not occupied[left]:
                left += 1
                continue
            place[0] = top
            place[1] = left
            place[2] = bottom
            place[3] = min(width, left + wide)
            constant = _fill(values, top, left, second if n_waiting else first)
            part = tile[_PLANE:] if n_waiting else tile
            if constant:
                _add_tile(part, True, mask, degree, inner, place, work)
            elif _count(mask, place) * (2 * half_rows + 1) < _FEW:
                _add_pixels(part, weights, narrow, mask, degree, inner, place, work)
            elif n_waiting == 0:
                waiting[:] = place
                n_waiting = 1
            else:
                _correlate(tile, spare, spectrum)
                _add_tile(tile[centre:], False, mask, degree, inner, waiting, work)
                _add_tile(tile[_PLANE + centre :], False, mask, degree, inner, place, work)
                n_waiting = 0
            left += wide
        top = bottom
    if n_waiting:
        second[:] = 0.0
        _correlate(tile, spare, spectrum)
        _add_tile(tile[centre:], False, mask, degree, inner, waiting, work)
    return (
        work[:_REVERSE].sum(),
        work[_REVERSE:_EXTRA].sum(),
        work[_EXTRA:_GAIN].sum(),
    )
