"""Correlation of the rows of a tile's transform, each a frequency, with a kernel of its own.

A kernel that half a turn leaves unchanged has the conjugate at the tap −t of what it has at t, so
that two neighbours are added or subtracted before they are multiplied.

Loads that straddle cache lines are what these loops wait for.  A number that the one before it has
seen already is kept from there, which vectors do by a shuffle of two: in one plane of two it pays.
LLVM would do so in both, were the odd places of the other not named apart.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fastsegmetrics.kernels._jit import apart, fused, kernel


@kernel
def _pair(
    x: float, y: float, u: float, v: float, p: float, q: float, a: float, b: float
) -> tuple[float, float]:
    """Add what a tap a + ib and its conjugate at −t see: u + ip ahead, v + iq behind, to x + iy."""
    return fused(q - p, b, fused(u + v, a, x)), fused(u - v, b, fused(p + q, a, y))


@apart
def _first_tap(
    to_re: NDArray[np.floating],
    to_im: NDArray[np.floating],
    re: NDArray[np.floating],
    im: NDArray[np.floating],
    behind_re: NDArray[np.floating],
    behind_im: NDArray[np.floating],
    taps: tuple[float, float, float],
    lanes: int,
) -> None:
    """Write what the middle of a kernel and the taps ±1 see, from the middle and from −1 on."""
    centre, a, b = taps
    for k in range(lanes):
        to_re[k], to_im[k] = _pair(
            re[k] * centre, im[k] * centre,
            re[k + 1], behind_re[k], im[k + 1], behind_im[k], a, b,
        )  # fmt: skip


@apart
def _first_taps(
    to_re: NDArray[np.floating],
    to_im: NDArray[np.floating],
    re: NDArray[np.floating],
    im: NDArray[np.floating],
    im_odd: NDArray[np.floating],
    behind_re: NDArray[np.floating],
    behind_im: NDArray[np.floating],
    behind_odd: NDArray[np.floating],
    taps: tuple[float, float, float, float, float],
    lanes: int,
) -> None:
    """Write what the middle of a kernel and the taps ±1 and ±2 see, from the middle and −2 on."""
    centre, a0, a1, b0, b1 = taps
    u0, v1 = re[1], behind_re[0]
    for k in range(lanes):
        u1, v0 = re[k + 2], behind_re[k + 1]
        x, y = re[k] * centre, im[k] * centre
        x, y = _pair(x, y, u0, v0, im_odd[k], behind_odd[k], a0, b0)
        to_re[k], to_im[k] = _pair(x, y, u1, v1, im[k + 2], behind_im[k], a1, b1)
        u0, v1 = u1, v0


@apart
def _two_taps(
    to_re: NDArray[np.floating],
    to_im: NDArray[np.floating],
    re: NDArray[np.floating],
    im: NDArray[np.floating],
    im_odd: NDArray[np.floating],
    behind_re: NDArray[np.floating],
    behind_im: NDArray[np.floating],
    behind_odd: NDArray[np.floating],
    taps: tuple[float, float, float, float],
    lanes: int,
) -> None:
    """Add what two taps see, from the first on, and those opposite, from the last on."""
    a0, a1, b0, b1 = taps
    u0, v1 = re[0], behind_re[0]
    for k in range(lanes):
        u1, v0 = re[k + 1], behind_re[k + 1]
        x, y = _pair(to_re[k], to_im[k], u0, v0, im[k], behind_odd[k], a0, b0)
        to_re[k], to_im[k] = _pair(x, y, u1, v1, im_odd[k], behind_im[k], a1, b1)
        u0, v1 = u1, v0


@apart
def _four_taps(
    to_re: NDArray[np.floating],
    to_im: NDArray[np.floating],
    re: NDArray[np.floating],
    im: NDArray[np.floating],
    im_odd: NDArray[np.floating],
    behind_re: NDArray[np.floating],
    behind_im: NDArray[np.floating],
    behind_odd: NDArray[np.floating],
    taps: tuple[float, ...],
    lanes: int,
) -> None:
    """Add what four taps see, from the first on, and those opposite, from the last on."""
    a0, a1, a2, a3, b0, b1, b2, b3 = taps
    u0, u2, v1, v3 = re[0], re[2], behind_re[2], behind_re[0]
    for k in range(lanes):
        u1, u3, v0, v2 = re[k + 1], re[k + 3], behind_re[k + 3], behind_re[k + 1]
        x, y = _pair(to_re[k], to_im[k], u0, v0, im[k], behind_odd[k + 2], a0, b0)
        x, y = _pair(x, y, u1, v1, im_odd[k], behind_im[k + 2], a1, b1)
        x, y = _pair(x, y, u2, v2, im[k + 2], behind_odd[k], a2, b2)
        to_re[k], to_im[k] = _pair(x, y, u3, v3, im_odd[k + 2], behind_im[k], a3, b3)
        u0, u2, v1, v3 = u1, u3, v0, v2


@kernel
def correlate_row(
    source: NDArray[np.floating],
    out: NDArray[np.floating],
    place: int,
    a: NDArray[np.floating],
    b: NDArray[np.floating],
    lanes: int,
) -> None:
    """Write the correlation of a row, which begins at a place of both planes, with the taps a + ib.

    The planes of `source` and `out` are their halves.
    """
    plane = source.size // 2
    half = a.size - 1
    to_re, to_im = out[place:plane], out[plane + place :]
    t = 2 - half % 2
    at = place + half
    back = at - t if half > 0 else at
    re, im = source[at:plane], source[plane + at :]
    behind_re, behind_im = source[back:plane], source[plane + back :]
    if half == 0:
        for k in range(lanes):
            to_re[k] = re[k] * a[0]
            to_im[k] = im[k] * a[0]
    elif t == 1:
        taps = a[0], a[1], b[1]
        _first_tap(to_re, to_im, re, im, behind_re, behind_im, taps, lanes)
    else:
        _first_taps(
            to_re, to_im, re, im, im[1:], behind_re, behind_im, behind_im[1:],
            (a[0], a[1], a[2], b[1], b[2]), lanes,
        )  # fmt: skip
    t += 1
    if t < half and (half - t) % 4 == 1:
        ahead, back = at + t, at - t - 1
        _two_taps(
            to_re, to_im,
            source[ahead:plane], source[plane + ahead :], source[plane + ahead + 1 :],
            source[back:plane], source[plane + back :], source[plane + back + 1 :],
            (a[t], a[t + 1], b[t], b[t + 1]), lanes,
        )  # fmt: skip
        t += 2
    while t < half:
        ahead, back = at + t, at - t - 3
        _four_taps(
            to_re, to_im,
            source[ahead:plane], source[plane + ahead :], source[plane + ahead + 1 :],
            source[back:plane], source[plane + back :], source[plane + back + 1 :],
            (a[t], a[t + 1], a[t + 2], a[t + 3], b[t], b[t + 1], b[t + 2], b[t + 3]), lanes,
        )  # fmt: skip
        t += 4
