"""Correlation of two tiles with a small kernel: Fourier down the columns, sums along the rows.

Down the columns a transform costs a few operations a point, and all columns of a tile share each of
its steps, so that rows of a tile are the vectors and nothing is ever transposed.  Along the rows,
where neighbours lie in one vector, each frequency has a kernel of its own and is summed directly.
The two tiles are the real and the imaginary part of one, since the kernel is real.

All arrays of a call have one precision: in double a correlation is good to a few roundings of 1 in
10^-16, in single to 2·10^-7 of the map's maximum, without bias, at half the cost.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from fastsegmetrics.kernels._jit import kernel

#: Points of a radix-4 transform; a tile has a small multiple of them as rows.
POINTS = 64
_QUARTER = POINTS // 4
_STAGES = 3
#: Columns of a tile, all alike one cache line after another.
_STRIDE = 176
_PART = POINTS * _STRIDE
_APART = _QUARTER * _STRIDE
#: Loops over columns take whole vectors of single precision.
_LANES = 16
#: Neighbours summed at a time: more do not fit in the registers.
_TAPS = 3
#: Positions on the circle: tiles have 64, 128, 192 or 256 rows, all of which divide it.
_CIRCLE = 768


def _twiddles() -> NDArray[np.float64]:
    """Return cos and sin of the three factors of each butterfly of each stage."""
    out = np.empty((_STAGES, _QUARTER, 6))
    for stage in range(_STAGES):
        for i in range(_QUARTER):
            for j in range(1, 4):
                turn = j * 4**stage * (i >> (2 * stage)) % POINTS / POINTS
                out[stage, i, 2 * j - 2] = math.cos(2 * math.pi * turn)
                out[stage, i, 2 * j - 1] = -math.sin(2 * math.pi * turn)
    return out


_TWIDDLES = _twiddles()
_TURNS = np.array(
    [(math.cos(2 * math.pi * k / _CIRCLE), math.sin(2 * math.pi * k / _CIRCLE))
     for k in range(_CIRCLE)]
)  # fmt: skip


@kernel
def _aligned(size: int, like: NDArray[np.floating]) -> NDArray[np.floating]:
    """Return zeros that begin a cache line: vectors that straddle lines cost a fifth more here."""
    line = 64 // like.itemsize
    room = np.zeros(size + line, like.dtype)
    start = -room.ctypes.data % 64 // like.itemsize
    return room[start : start + size]


@kernel
def _stage(
    source: NDArray[np.floating],
    out: NDArray[np.floating],
    twiddles: NDArray[np.floating],
    lanes: int,
) -> None:
    """One radix-4 stage of the transform of 64 rows, for all columns of a tile at once.

    Constant geometry (Pease 1968): every stage reads four rows a quarter apart and writes four
    neighbours, so that LLVM knows all distances and makes vectors of the loop over columns.  The
    real plane comes first, the imaginary one behind it; frequencies end in digit-reversed order.
    """
    for i in range(_QUARTER):
        t = twiddles[i]
        c1, s1, c2, s2, c3, s3 = t[0], t[1], t[2], t[3], t[4], t[5]
        re = source[i * _STRIDE : _PART]
        im = source[_PART + i * _STRIDE :]
        to_re = out[4 * i * _STRIDE : _PART]
        to_im = out[_PART + 4 * i * _STRIDE :]
        for k in range(lanes):
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
            to_re[k + _STRIDE] = xr * c1 - xi * s1
            to_im[k + _STRIDE] = xr * s1 + xi * c1
            xr = ar - cr
            xi = ai - ci
            to_re[k + 2 * _STRIDE] = xr * c2 - xi * s2
            to_im[k + 2 * _STRIDE] = xr * s2 + xi * c2
            xr = br - di
            xi = bi + dr
            to_re[k + 3 * _STRIDE] = xr * c3 - xi * s3
            to_im[k + 3 * _STRIDE] = xr * s3 + xi * c3


@kernel
def _unstage(
    source: NDArray[np.floating],
    out: NDArray[np.floating],
    twiddles: NDArray[np.floating],
    lanes: int,
) -> None:
    """Undo `_stage`, but for a factor of 4."""
    for i in range(_QUARTER):
        t = twiddles[i]
        c1, s1, c2, s2, c3, s3 = t[0], t[1], t[2], t[3], t[4], t[5]
        re = source[4 * i * _STRIDE : _PART]
        im = source[_PART + 4 * i * _STRIDE :]
        to_re = out[i * _STRIDE : _PART]
        to_im = out[_PART + i * _STRIDE :]
        for k in range(lanes):
            yr = re[k]
            yi = im[k]
            ur = re[k + _STRIDE] * c1 + im[k + _STRIDE] * s1
            ui = im[k + _STRIDE] * c1 - re[k + _STRIDE] * s1
            vr = re[k + 2 * _STRIDE] * c2 + im[k + 2 * _STRIDE] * s2
            vi = im[k + 2 * _STRIDE] * c2 - re[k + 2 * _STRIDE] * s2
            wr = re[k + 3 * _STRIDE] * c3 + im[k + 3 * _STRIDE] * s3
            wi = im[k + 3 * _STRIDE] * c3 - re[k + 3 * _STRIDE] * s3
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
def _fold(
    tile: NDArray[np.floating],
    out: NDArray[np.floating],
    turns: NDArray[np.floating],
    folds: int,
    residue: int,
    lanes: int,
) -> None:
    """Fold a tile to the 64 rows whose transform is its own at every frequency of a residue.

    Those are the frequencies that leave `residue` when divided by the number of folds.
    """
    points = folds * POINTS
    beyond = points * _STRIDE
    for i in range(POINTS):
        to_re = out[i * _STRIDE : _PART]
        to_im = out[_PART + i * _STRIDE :]
        if residue == 0:
            to_re[:lanes] = tile[i * _STRIDE : i * _STRIDE + lanes]
            to_im[:lanes] = tile[beyond + i * _STRIDE : beyond + i * _STRIDE + lanes]
        for n in range(i, points, POINTS):
            turn = turns[residue * n % points * (_CIRCLE // points)]
            c, s = turn[0], turn[1]
            re = tile[n * _STRIDE : beyond]
            im = tile[beyond + n * _STRIDE :]
            if residue == 0:
                if n > i:
                    for k in range(lanes):
                        to_re[k] += re[k]
                        to_im[k] += im[k]
            elif n == i:
                for k in range(lanes):
                    to_re[k] = re[k] * c + im[k] * s
                    to_im[k] = im[k] * c - re[k] * s
            else:
                for k in range(lanes):
                    to_re[k] += re[k] * c + im[k] * s
                    to_im[k] += im[k] * c - re[k] * s


@kernel
def _unfold(
    part: NDArray[np.floating],
    out: NDArray[np.floating],
    turns: NDArray[np.floating],
    folds: int,
    residue: int,
    lanes: int,
) -> None:
    """Add what the frequencies of a residue contribute to a tile; the first, 0, overwrites it."""
    points = folds * POINTS
    beyond = points * _STRIDE
    for n in range(points):
        turn = turns[residue * n % points * (_CIRCLE // points)]
        c, s = turn[0], turn[1]
        re = part[n % POINTS * _STRIDE : _PART]
        im = part[_PART + n % POINTS * _STRIDE :]
        to_re = out[n * _STRIDE : beyond]
        to_im = out[beyond + n * _STRIDE :]
        if residue == 0:
            for k in range(lanes):
                to_re[k] = re[k]
                to_im[k] = im[k]
        else:
            for k in range(lanes):
                to_re[k] += re[k] * c - im[k] * s
                to_im[k] += im[k] * c + re[k] * s


@kernel
def _across(
    source: NDArray[np.floating],
    out: NDArray[np.floating],
    spectrum: NDArray[np.floating],
    lanes: int,
) -> None:
    """Correlate each row, a frequency, with its own complex kernel along the columns.

    Sums are written out one after another: as a tree, LLVM loads each neighbour twice, and loads
    that straddle cache lines are what this loop waits for (4.0 ns a point, this way 2.7).
    """
    for f in range(POINTS):
        to_re = out[f * _STRIDE : _PART]
        to_im = out[_PART + f * _STRIDE :]
        to_re[:lanes] = 0.0
        to_im[:lanes] = 0.0
        for t in range(0, spectrum.shape[2], _TAPS):
            re = source[f * _STRIDE + t : _PART]
            im = source[_PART + f * _STRIDE + t :]
            a = spectrum[0, f, t : t + _TAPS]
            b = spectrum[1, f, t : t + _TAPS]
            a0, a1, a2 = a[0], a[1], a[2]
            b0, b1, b2 = b[0], b[1], b[2]
            for k in range(lanes):
                x = to_re[k]
                y = to_im[k]
                u = re[k]
                v = im[k]
                x = x + u * a0 - v * b0
                y = y + v * a0 + u * b0
                u = re[k + 1]
                v = im[k + 1]
                x = x + u * a1 - v * b1
                y = y + v * a1 + u * b1
                u = re[k + 2]
                v = im[k + 2]
                to_re[k] = x + u * a2 - v * b2
                to_im[k] = y + v * a2 + u * b2


@kernel
def _whole(lanes: int) -> int:
    """Return the next number of lanes that are whole vectors."""
    return (lanes + _LANES - 1) // _LANES * _LANES


@kernel
def _correlate(
    tile: NDArray[np.floating],
    out: NDArray[np.floating],
    spectrum: NDArray[np.floating],
    work: NDArray[np.floating],
    lanes: int,
) -> None:
    """Write the correlation of both planes of a tile: row r, column c sums the window from there.

    The first rows, all but as many as the kernel has less one, and the first `lanes` columns are
    the correlation; what follows is not.
    """
    folds = spectrum.shape[0]
    twiddles = _TWIDDLES.astype(tile.dtype)
    turns = _TURNS.astype(tile.dtype)
    part, spare = work[: 2 * _PART], work[2 * _PART :]
    wide = _whole(lanes + spectrum.shape[3])
    for residue in range(folds):
        _fold(tile, part, turns, folds, residue, wide)
        _stage(part, spare, twiddles[0], wide)
        _stage(spare, part, twiddles[1], wide)
        _stage(part, spare, twiddles[2], wide)
        _across(spare, part, spectrum[residue], lanes)
        _unstage(part, spare, twiddles[2], lanes)
        _unstage(spare, part, twiddles[1], lanes)
        _unstage(part, spare, twiddles[0], lanes)
        _unfold(spare, out, turns, folds, residue, lanes)
