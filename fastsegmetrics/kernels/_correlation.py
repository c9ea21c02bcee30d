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

from fastsegmetrics.kernels._jit import apart, fused, kernel
from fastsegmetrics.kernels._taps import correlate_row

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


@apart
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
            to_re[k + _STRIDE] = fused(xr, c1, -(xi * s1))
            to_im[k + _STRIDE] = fused(xr, s1, xi * c1)
            xr = ar - cr
            xi = ai - ci
            to_re[k + 2 * _STRIDE] = fused(xr, c2, -(xi * s2))
            to_im[k + 2 * _STRIDE] = fused(xr, s2, xi * c2)
            xr = br - di
            xi = bi + dr
            to_re[k + 3 * _STRIDE] = fused(xr, c3, -(xi * s3))
            to_im[k + 3 * _STRIDE] = fused(xr, s3, xi * c3)


@apart
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
            ur = fused(re[k + _STRIDE], c1, im[k + _STRIDE] * s1)
            ui = fused(im[k + _STRIDE], c1, -(re[k + _STRIDE] * s1))
            vr = fused(re[k + 2 * _STRIDE], c2, im[k + 2 * _STRIDE] * s2)
            vi = fused(im[k + 2 * _STRIDE], c2, -(re[k + 2 * _STRIDE] * s2))
            wr = fused(re[k + 3 * _STRIDE], c3, im[k + 3 * _STRIDE] * s3)
            wi = fused(im[k + 3 * _STRIDE], c3, -(re[k + 3 * _STRIDE] * s3))
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


@apart
def _stage_two_folds(
    tile: NDArray[np.floating],
    out: NDArray[np.floating],
    turns: NDArray[np.floating],
    lanes: int,
) -> None:
    """Split a tile of two folds into parts of 64 rows, and do the first stage of both.

    One radix-8 butterfly, for what is not written between two is not read: the transform of a part
    is the tile's at the even, or the odd, frequencies.  Both planes of a part are side by side.
    """
    half = turns[_CIRCLE // 8, 0]
    for i in range(_QUARTER):
        x = tile[i * _STRIDE :]
        to = out[4 * i * _STRIDE :]
        step = i * (_CIRCLE // (2 * POINTS))
        c1, s1, c2, s2 = turns[step, 0], turns[step, 1], turns[2 * step, 0], turns[2 * step, 1]
        c3, s3, c4, s4 = (
            turns[3 * step, 0], turns[3 * step, 1], turns[4 * step, 0], turns[4 * step, 1]
        )  # fmt: skip
        c5, s5, c6, s6 = (
            turns[5 * step, 0], turns[5 * step, 1], turns[6 * step, 0], turns[6 * step, 1]
        )  # fmt: skip
        c7, s7 = turns[7 * step, 0], turns[7 * step, 1]
        for k in range(lanes):
            ar = x[k] + x[k + 4 * _APART]
            ai = x[k + 2 * _PART] + x[k + 4 * _APART + 2 * _PART]
            br = x[k + _APART] + x[k + 5 * _APART]
            bi = x[k + _APART + 2 * _PART] + x[k + 5 * _APART + 2 * _PART]
            cr = x[k + 2 * _APART] + x[k + 6 * _APART]
            ci = x[k + 2 * _APART + 2 * _PART] + x[k + 6 * _APART + 2 * _PART]
            hr = x[k + 3 * _APART] + x[k + 7 * _APART]
            hi = x[k + 3 * _APART + 2 * _PART] + x[k + 7 * _APART + 2 * _PART]
            sr, si, dr, di = ar + cr, ai + ci, ar - cr, ai - ci
            tr, ti, er, ei = br + hr, bi + hi, br - hr, bi - hi
            to[k] = sr + tr
            to[k + _PART] = si + ti
            xr = dr + ei
            xi = di - er
            to[k + _STRIDE] = fused(xr, c2, xi * s2)
            to[k + _STRIDE + _PART] = fused(xi, c2, -(xr * s2))
            xr = sr - tr
            xi = si - ti
            to[k + 2 * _STRIDE] = fused(xr, c4, xi * s4)
            to[k + 2 * _STRIDE + _PART] = fused(xi, c4, -(xr * s4))
            xr = dr - ei
            xi = di + er
            to[k + 3 * _STRIDE] = fused(xr, c6, xi * s6)
            to[k + 3 * _STRIDE + _PART] = fused(xi, c6, -(xr * s6))
            ar = x[k] - x[k + 4 * _APART]
            ai = x[k + 2 * _PART] - x[k + 4 * _APART + 2 * _PART]
            xr = x[k + _APART] - x[k + 5 * _APART]
            xi = x[k + _APART + 2 * _PART] - x[k + 5 * _APART + 2 * _PART]
            br, bi = (xr + xi) * half, (xi - xr) * half
            cr = x[k + 2 * _APART + 2 * _PART] - x[k + 6 * _APART + 2 * _PART]
            ci = x[k + 6 * _APART] - x[k + 2 * _APART]
            xr = x[k + 3 * _APART] - x[k + 7 * _APART]
            xi = x[k + 3 * _APART + 2 * _PART] - x[k + 7 * _APART + 2 * _PART]
            hr, hi = (xi - xr) * half, -(xr + xi) * half
            sr, si, dr, di = ar + cr, ai + ci, ar - cr, ai - ci
            tr, ti, er, ei = br + hr, bi + hi, br - hr, bi - hi
            xr = sr + tr
            xi = si + ti
            to[k + 2 * _PART] = fused(xr, c1, xi * s1)
            to[k + 3 * _PART] = fused(xi, c1, -(xr * s1))
            xr = dr + ei
            xi = di - er
            to[k + 2 * _PART + _STRIDE] = fused(xr, c3, xi * s3)
            to[k + 3 * _PART + _STRIDE] = fused(xi, c3, -(xr * s3))
            xr = sr - tr
            xi = si - ti
            to[k + 2 * _PART + 2 * _STRIDE] = fused(xr, c5, xi * s5)
            to[k + 3 * _PART + 2 * _STRIDE] = fused(xi, c5, -(xr * s5))
            xr = dr - ei
            xi = di + er
            to[k + 2 * _PART + 3 * _STRIDE] = fused(xr, c7, xi * s7)
            to[k + 3 * _PART + 3 * _STRIDE] = fused(xi, c7, -(xr * s7))


@apart
def _unstage_two_folds(
    parts: NDArray[np.floating],
    out: NDArray[np.floating],
    turns: NDArray[np.floating],
    lanes: int,
) -> None:
    """Undo `_stage_two_folds`, but for a factor of 8."""
    half = turns[_CIRCLE // 8, 0]
    for i in range(_QUARTER):
        x = parts[4 * i * _STRIDE :]
        to = out[i * _STRIDE :]
        step = i * (_CIRCLE // (2 * POINTS))
        c1, s1, c2, s2 = turns[step, 0], turns[step, 1], turns[2 * step, 0], turns[2 * step, 1]
        c3, s3, c4, s4 = (
            turns[3 * step, 0], turns[3 * step, 1], turns[4 * step, 0], turns[4 * step, 1]
        )  # fmt: skip
        c5, s5, c6, s6 = (
            turns[5 * step, 0], turns[5 * step, 1], turns[6 * step, 0], turns[6 * step, 1]
        )  # fmt: skip
        c7, s7 = turns[7 * step, 0], turns[7 * step, 1]
        for k in range(lanes):
            ar, ai = x[k], x[k + _PART]
            xr, xi = x[k + _STRIDE], x[k + _STRIDE + _PART]
            br, bi = fused(xr, c2, -(xi * s2)), fused(xi, c2, xr * s2)
            xr, xi = x[k + 2 * _STRIDE], x[k + 2 * _STRIDE + _PART]
            cr, ci = fused(xr, c4, -(xi * s4)), fused(xi, c4, xr * s4)
            xr, xi = x[k + 3 * _STRIDE], x[k + 3 * _STRIDE + _PART]
            hr, hi = fused(xr, c6, -(xi * s6)), fused(xi, c6, xr * s6)
            sr, si, dr, di = ar + cr, ai + ci, ar - cr, ai - ci
            tr, ti, er, ei = br + hr, bi + hi, br - hr, bi - hi
            p0, q0, p1, q1 = sr + tr, si + ti, dr - ei, di + er
            p2, q2, p3, q3 = sr - tr, si - ti, dr + ei, di - er
            xr, xi = x[k + 2 * _PART], x[k + 3 * _PART]
            ar, ai = fused(xr, c1, -(xi * s1)), fused(xi, c1, xr * s1)
            xr, xi = x[k + 2 * _PART + _STRIDE], x[k + 3 * _PART + _STRIDE]
            br, bi = fused(xr, c3, -(xi * s3)), fused(xi, c3, xr * s3)
            xr, xi = x[k + 2 * _PART + 2 * _STRIDE], x[k + 3 * _PART + 2 * _STRIDE]
            cr, ci = fused(xr, c5, -(xi * s5)), fused(xi, c5, xr * s5)
            xr, xi = x[k + 2 * _PART + 3 * _STRIDE], x[k + 3 * _PART + 3 * _STRIDE]
            hr, hi = fused(xr, c7, -(xi * s7)), fused(xi, c7, xr * s7)
            sr, si, dr, di = ar + cr, ai + ci, ar - cr, ai - ci
            tr, ti, er, ei = br + hr, bi + hi, br - hr, bi - hi
            xr, xi = sr + tr, si + ti
            to[k], to[k + 2 * _PART] = p0 + xr, q0 + xi
            to[k + 4 * _APART], to[k + 4 * _APART + 2 * _PART] = p0 - xr, q0 - xi
            yr, yi = dr - ei, di + er
            xr, xi = (yr - yi) * half, (yr + yi) * half
            to[k + _APART], to[k + _APART + 2 * _PART] = p1 + xr, q1 + xi
            to[k + 5 * _APART], to[k + 5 * _APART + 2 * _PART] = p1 - xr, q1 - xi
            xr, xi = ti - si, sr - tr
            to[k + 2 * _APART], to[k + 2 * _APART + 2 * _PART] = p2 + xr, q2 + xi
            to[k + 6 * _APART], to[k + 6 * _APART + 2 * _PART] = p2 - xr, q2 - xi
            yr, yi = dr + ei, di - er
            xr, xi = -(yr + yi) * half, (yr - yi) * half
            to[k + 3 * _APART], to[k + 3 * _APART + 2 * _PART] = p3 + xr, q3 + xi
            to[k + 7 * _APART], to[k + 7 * _APART + 2 * _PART] = p3 - xr, q3 - xi


@apart
def _split_three(
    tile: NDArray[np.floating],
    out: NDArray[np.floating],
    turns: NDArray[np.floating],
    lanes: int,
) -> None:
    """Split a tile of three folds into parts of 64 rows, one behind the other, both planes of each.

    The transform of a part is the tile's at the frequencies that leave its number divided by 3.
    """
    half = turns[_CIRCLE // 6, 0]
    slope = turns[_CIRCLE // 3, 1]
    for i in range(POINTS):
        re = tile[i * _STRIDE : 3 * _PART]
        im = tile[3 * _PART + i * _STRIDE :]
        to_re = out[i * _STRIDE :]
        to_im = out[_PART + i * _STRIDE :]
        step = i * (_CIRCLE // (3 * POINTS))
        c1, s1, c2, s2 = turns[step, 0], turns[step, 1], turns[2 * step, 0], turns[2 * step, 1]
        for k in range(lanes):
            ar = re[k + _PART] + re[k + 2 * _PART]
            ai = im[k + _PART] + im[k + 2 * _PART]
            br = (re[k + _PART] - re[k + 2 * _PART]) * slope
            bi = (im[k + _PART] - im[k + 2 * _PART]) * slope
            cr = fused(-half, ar, re[k])
            ci = fused(-half, ai, im[k])
            to_re[k] = re[k] + ar
            to_im[k] = im[k] + ai
            xr = cr + bi
            xi = ci - br
            to_re[k + 2 * _PART] = fused(xr, c1, xi * s1)
            to_im[k + 2 * _PART] = fused(xi, c1, -(xr * s1))
            xr = cr - bi
            xi = ci + br
            to_re[k + 4 * _PART] = fused(xr, c2, xi * s2)
            to_im[k + 4 * _PART] = fused(xi, c2, -(xr * s2))


@apart
def _join_three(
    parts: NDArray[np.floating],
    out: NDArray[np.floating],
    turns: NDArray[np.floating],
    lanes: int,
) -> None:
    """Undo `_split_three`, but for a factor of 3."""
    half = turns[_CIRCLE // 6, 0]
    slope = turns[_CIRCLE // 3, 1]
    for i in range(POINTS):
        re = parts[i * _STRIDE :]
        im = parts[_PART + i * _STRIDE :]
        to_re = out[i * _STRIDE : 3 * _PART]
        to_im = out[3 * _PART + i * _STRIDE :]
        step = i * (_CIRCLE // (3 * POINTS))
        c1, s1, c2, s2 = turns[step, 0], turns[step, 1], turns[2 * step, 0], turns[2 * step, 1]
        for k in range(lanes):
            ur = fused(re[k + 2 * _PART], c1, -(im[k + 2 * _PART] * s1))
            ui = fused(im[k + 2 * _PART], c1, re[k + 2 * _PART] * s1)
            vr = fused(re[k + 4 * _PART], c2, -(im[k + 4 * _PART] * s2))
            vi = fused(im[k + 4 * _PART], c2, re[k + 4 * _PART] * s2)
            ar = ur + vr
            ai = ui + vi
            br = (ur - vr) * slope
            bi = (ui - vi) * slope
            cr = fused(-half, ar, re[k])
            ci = fused(-half, ai, im[k])
            to_re[k] = re[k] + ar
            to_im[k] = im[k] + ai
            to_re[k + _PART] = cr - bi
            to_im[k + _PART] = ci + br
            to_re[k + 2 * _PART] = cr + bi
            to_im[k + 2 * _PART] = ci - br


@kernel
def _across(
    source: NDArray[np.floating],
    out: NDArray[np.floating],
    spectrum: NDArray[np.floating],
    lanes: int,
) -> None:
    """Correlate each row, a frequency, with its own complex kernel along the columns."""
    for f in range(POINTS):
        correlate_row(source, out, f * _STRIDE, spectrum[0, f], spectrum[1, f], lanes)


@kernel
def _whole(lanes: int) -> int:
    """Return the next number of lanes that are whole vectors."""
    return (lanes + _LANES - 1) // _LANES * _LANES


@kernel
def _correlate(
    tile: NDArray[np.floating],
    out: NDArray[np.floating],
    spectrum: NDArray[np.floating],
    lanes: int,
) -> None:
    """Write the correlation of both planes of a tile: row r sums the window about that row.

    It is the correlation from the half-size of the kernel on, as many rows as the tile has more
    than the kernel has less one, and in the first `lanes` columns, each the first of its window.

    Fresh memory costs as much as arithmetic here: nothing is written but `out` and the tile.
    """
    folds = spectrum.shape[0]
    twiddles = _TWIDDLES.astype(tile.dtype)
    turns = _TURNS.astype(tile.dtype)
    wide = _whole(lanes + 2 * (spectrum.shape[3] - 1))
    if folds == 2:
        _stage_two_folds(tile, out, turns, wide)
    elif folds == 3:
        _split_three(tile, out, turns, wide)
    for residue in range(folds):
        # One fold is its own part, and ends where it is wanted.
        part = (tile if folds == 1 else out)[2 * _PART * residue : 2 * _PART * (residue + 1)]
        spare = (out if folds == 1 else tile)[2 * _PART * residue : 2 * _PART * (residue + 1)]
        if folds != 2:
            _stage(part, spare, twiddles[0], wide)
            part, spare = spare, part
        _stage(part, spare, twiddles[1], wide)
        _stage(spare, part, twiddles[2], wide)
        _across(part, spare, spectrum[residue], lanes)
        _unstage(spare, part, twiddles[2], lanes)
        _unstage(part, spare, twiddles[1], lanes)
        if folds != 2:
            _unstage(spare, part, twiddles[0], lanes)
    if folds == 2:
        _unstage_two_folds(tile, out, turns, lanes)
    elif folds == 3:
        _join_three(tile, out, turns, lanes)
