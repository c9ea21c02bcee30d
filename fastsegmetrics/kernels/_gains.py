"""What a correlated tile adds up to on a mask: Σx, Σ(1 − exp(−x)) and Σ(1 − exp(−x))·D."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from fastsegmetrics.kernels._correlation import _STRIDE, _whole
from fastsegmetrics.kernels._jit import apart, fused, kernel

#: Below this a correlation is rounding noise of the transform, and so 0: in double and in single.
_NOISE = 1e-15
_NOISE_SINGLE = 2.0**-22
#: Where a `series` has what follows its sixteen powers.
_CENTRE, _ZERO, LEAST = 16, 17, 18
#: 1 - exp(-1/2 - y) for |y| <= 1/2, by powers of y: good to 2e-16 with the fifteenth.
_SERIES = np.array(
    [1 - math.exp(-0.5)] + [-((-1) ** k) * math.exp(-0.5) / math.factorial(k) for k in range(1, 16)]
)
#: The same to 2e-8, by interpolation between the roots of a Chebyshev polynomial.
_SHORT = np.polynomial.Chebyshev.interpolate(
    lambda y: -np.expm1(-0.5 - y), 6, domain=[-0.5, 0.5]
).convert(kind=np.polynomial.Polynomial, domain=[-1, 1]).coef  # fmt: skip


@kernel
def series(like: NDArray[np.floating]) -> tuple[float, ...]:
    """Return the terms of `gained`, its centre, 0 and the noise in an array's own precision.

    A literal would turn every sum in single precision into one in double.
    """
    double = like.itemsize == 8
    rest = np.array([0.5, 0.0, _NOISE if double else _NOISE_SINGLE])
    s = np.zeros(_SERIES.size, like.dtype)
    if double:
        s[:] = _SERIES
    else:
        s[: _SHORT.size] = _SHORT
    r = rest.astype(like.dtype)
    return (
        s[0], s[1], s[2], s[3], s[4], s[5], s[6], s[7], s[8], s[9], s[10], s[11], s[12], s[13],
        s[14], s[15], r[0], r[1], r[2],
    )  # fmt: skip


@kernel
def gained(x: float, terms: tuple[float, ...], double: bool) -> float:
    """Return 1 − exp(−x) for x in [0, 1] to a rounding of its own.

    Powers about ½: unlike the library's exponential, a loop can make vectors of them.  In single
    precision seven of them are enough.
    """
    y = x - terms[_CENTRE]
    high = terms[6]
    if double:
        high = fused(terms[15], y, terms[14])
        high = fused(fused(high, y, terms[13]), y, terms[12])
        high = fused(fused(high, y, terms[11]), y, terms[10])
        high = fused(fused(high, y, terms[9]), y, terms[8])
        high = fused(fused(high, y, terms[7]), y, terms[6])
    high = fused(fused(high, y, terms[5]), y, terms[4])
    high = fused(fused(high, y, terms[3]), y, terms[2])
    return fused(fused(high, y, terms[1]), y, terms[0])


@kernel
def _spread(
    mask: NDArray[np.uint8], place: NDArray[np.int64], row: int, on: NDArray[np.uint8]
) -> None:
    """Write four rows of a place of the mask a line each, with zeros beside and below the place."""
    wide = place[3] - place[1]
    for i in range(4):
        into = on[i * _STRIDE : (i + 1) * _STRIDE]
        if row + i < place[2]:
            bits = mask[row + i, place[1] : place[3]]
            for k in range(wide):
                into[k] = bits[k]
        else:
            into[:] = 0


@apart
def add_tile(
    tile: NDArray[np.floating],
    constant: bool,
    mask: NDArray[np.uint8],
    degree: NDArray[np.float64],
    place: NDArray[np.int64],
    work: NDArray[np.floating],
    on: NDArray[np.uint8],
    sums: NDArray[np.float64],
) -> None:
    """Add what a correlated tile holds on the mask to sums by column, see `context_sums`.

    `work` is three lines of a tile's width, `on` four.  Loops run over whole vectors of four rows,
    and eight rows are summed in the precision of the tile before they are in double.
    """
    lanes = _whole(place[3] - place[1])
    terms = series(work)
    zero, noise = terms[_ZERO], terms[LEAST]
    double = work.itemsize == 8
    forward, reverse = work[:_STRIDE], work[_STRIDE : 2 * _STRIDE]
    gains = work[2 * _STRIDE :]
    work[:] = 0.0
    on[:] = 0
    for row in range(place[0], place[2], 4):
        _spread(mask, place, row, on)
        line = tile[(row - place[0]) * _STRIDE :]
        if constant:
            line[: 4 * _STRIDE] = tile[0]
        if degree.size == 0:
            for k in range(lanes):
                x0, x1, x2, x3 = (
                    line[k], line[k + _STRIDE], line[k + 2 * _STRIDE], line[k + 3 * _STRIDE]
                )  # fmt: skip
                b0 = work.dtype.type(on[k]) if x0 >= noise else zero
                b1 = work.dtype.type(on[k + _STRIDE]) if x1 >= noise else zero
                b2 = work.dtype.type(on[k + 2 * _STRIDE]) if x2 >= noise else zero
                b3 = work.dtype.type(on[k + 3 * _STRIDE]) if x3 >= noise else zero
                forward[k] = fused(x3, b3, fused(x2, b2, fused(x1, b1, fused(x0, b0, forward[k]))))
                y = fused(gained(x0, terms, double), b0, reverse[k])
                y = fused(gained(x1, terms, double), b1, y)
                y = fused(gained(x2, terms, double), b2, y)
                reverse[k] = fused(gained(x3, terms, double), b3, y)
        else:
            for i in range(min(4, place[2] - row)):
                seen, bits = line[i * _STRIDE :], on[i * _STRIDE :]
                for k in range(lanes):
                    x = seen[k]
                    bit = work.dtype.type(bits[k]) if x >= noise else zero
                    gains[k] = gained(x, terms, double) * bit
                    forward[k] = fused(x, bit, forward[k])
                    reverse[k] += gains[k]
                by = degree[row + i, place[1] : place[3]]
                for k in range(by.size):
                    sums[2, k] += gains[k] * by[k]
        if (row - place[0]) % 8 == 4 or row + 4 >= place[2]:
            for k in range(lanes):
                sums[0, k] += forward[k]
                sums[1, k] += reverse[k]
                forward[k] = zero
                reverse[k] = zero
