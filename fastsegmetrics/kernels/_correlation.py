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
#: Columns of a tile, an odd number of cache lines; with 176, noise takes 3 to 11 % more.
_STRIDE = 240
_PART = POINTS * _STRIDE
_APART = _QUARTER * _STRIDE
#: Loops over columns take whole vectors of single precision.
_LANES = 16
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
    """Return room that begins a cache line: vectors that straddle lines cost a fifth more here."""
    line = 64 // like.itemsize
    room = np.empty(size + line, like.dtype)
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
        for n in range(i, points, POINTS):
            turn = turns[residue * n % points * (_CIRCLE // points)]
            c, s = turn[0], turn[1]
            re = tile[n * _STRIDE : beyond]
            im = tile[beyond + n * _STRIDE :]
            if residue == 0 and n == i:
                for k in range(lanes):
                    to_re[k] = re[k]
                    to_im[k] = im[k]
            elif residue == 0:
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

    A kernel that half a turn leaves unchanged has the conjugate at the tap −t of what it has at t,
    so that two neighbours are added or subtracted before they are multiplied.  Loads that straddle
    cache lines are what this loop waits for; with fewer pairs at a time also for its own results.
    """
    half = spectrum.shape[2] - 1
    whole = half // 4 * 4
    for f in range(POINTS):
        to_re = out[f * _STRIDE : _PART]
        to_im = out[_PART + f * _STRIDE :]
        re = source[f * _STRIDE + half : _PART]
        im = source[_PART + f * _STRIDE + half :]
        a = spectrum[0, f]
        b = spectrum[1, f]
        centre = a[0]
        for k in range(lanes):
            to_re[k] = re[k] * centre
            to_im[k] = im[k] * centre
        for t in range(1, whole + 1, 4):
            a0, a1, a2, a3 = a[t], a[t + 1], a[t + 2], a[t + 3]
            b0, b1, b2, b3 = b[t], b[t + 1], b[t + 2], b[t + 3]
            before_re = source[f * _STRIDE + half - t - 3 : _PART]
            before_im = source[_PART + f * _STRIDE + half - t - 3 :]
            re = source[f * _STRIDE + half + t : _PART]
            im = source[_PART + f * _STRIDE + half + t :]
            for k in range(lanes):
                x = to_re[k]
                y = to_im[k]
                u, v, p, q = re[k], before_re[k + 3], im[k], before_im[k + 3]
                x = x + (u + v) * a0 - (p - q) * b0
                y = y + (p + q) * a0 + (u - v) * b0
                u, v, p, q = re[k + 1], before_re[k + 2], im[k + 1], before_im[k + 2]
                x = x + (u + v) * a1 - (p - q) * b1
                y = y + (p + q) * a1 + (u - v) * b1
                u, v, p, q = re[k + 2], before_re[k + 1], im[k + 2], before_im[k + 1]
                x = x + (u + v) * a2 - (p - q) * b2
                y = y + (p + q) * a2 + (u - v) * b2
                u, v, p, q = re[k + 3], before_re[k], im[k + 3], before_im[k]
                to_re[k] = x + (u + v) * a3 - (p - q) * b3
                to_im[k] = y + (p + q) * a3 + (u - v) * b3
        for t in range(whole + 1, half + 1):
            a0, b0 = a[t], b[t]
            before_re = source[f * _STRIDE + half - t : _PART]
            before_im = source[_PART + f * _STRIDE + half - t :]
            re = source[f * _STRIDE + half + t : _PART]
            im = source[_PART + f * _STRIDE + half + t :]
            for k in range(lanes):
                u, v, p, q = re[k], before_re[k], im[k], before_im[k]
                to_re[k] = to_re[k] + (u + v) * a0 - (p - q) * b0
                to_im[k] = to_im[k] + (p + q) * a0 + (u - v) * b0


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
    """Write the correlation of both planes of a tile: row r sums the window about that row.

    It is the correlation from the half-size of the kernel on, as many rows as the tile has more
    than the kernel has less one, and in the first `lanes` columns, each the first of its window.

    Fresh memory costs as much as arithmetic here: the first frequencies are found in `out`, the
    last in the tile, which is overwritten; `work` is room for 128 lines twice with three folds,
    once with two.
    """
    folds = spectrum.shape[0]
    twiddles = _TWIDDLES.astype(tile.dtype)
    turns = _TURNS.astype(tile.dtype)
    wide = _whole(lanes + 2 * (spectrum.shape[3] - 1))
    for residue in range(folds):
        part = out if residue == 0 else work
        spare = tile if residue == folds - 1 else work[work.size - 2 * _PART :]
        _fold(tile, part, turns, folds, residue, wide)
        _stage(part, spare, twiddles[0], wide)
        _stage(spare, part, twiddles[1], wide)
        _stage(part, spare, twiddles[2], wide)
        _across(spare, part, spectrum[residue], lanes)
        _unstage(part, spare, twiddles[2], lanes)
        _unstage(spare, part, twiddles[1], lanes)
        _unstage(part, spare, twiddles[0], lanes)
        _unfold(spare, out, turns, folds, residue, lanes)
