"""The nearest surface point of each surface point.

Where two surfaces are near each other, each point finds the other in a few rows beside its own,
tried in the order of their distance; 127 voxels of a row are one pair of words.  What is left is
tried against all points, or read from a distance field: all three add a squared distance up as
(x² + y²) + z², so that they give the same bits.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastsegmetrics.kernels._jit import kernel
from fastsegmetrics.kernels.bitmask import lowest_place
from fastsegmetrics.kernels.surface import BitVolume

_0, _1, _63 = np.uint64(0), np.uint64(1), np.uint64(63)
#: Voxels to either side that one look at a row sees.
REACH = 64
_BLOCK = 64


class Rows(NamedTuple):
    """Which rows are tried, and how far each is; ascending, the row itself first."""

    steps: NDArray[np.int64]  # (K, 2): planes and rows away
    squares: NDArray[np.float64]  # (K, 2): the squared distances of both
    horizon: float  # no row that is missing is nearer than this, squared


@kernel
def _window(row: NDArray[np.uint64], position: int) -> int:
    """Return the 64 bits of a row from a position on."""
    at = np.uint64(position)
    k = position >> 6
    return (row[k] >> (at & _63)) | ((row[k + 1] << _1) << (_63 - (at & _63)))


@kernel
def _nearest(
    target: BitVolume,
    backward: BitVolume,
    rows: Rows,
    across: NDArray[np.float64],
    z: int,
    y: int,
    position: int,
) -> tuple[float, int]:
    """Return the squared distance to the nearest target point, and how many rows were tried."""
    depth, height, words = target.shape
    last = 64 * words - 1
    best = np.inf
    n = rows.steps.shape[0]
    for k in range(n):
        down, forth = rows.squares[k, 0], rows.squares[k, 1]
        if down + forth >= best:
            return best, k
        zz, yy = z + rows.steps[k, 0], y + rows.steps[k, 1]
        if not (0 <= zz < depth and 0 <= yy < height):
            continue
        near = _window(target[zz, yy], position) | _window(backward[zz, yy], last - position)
        if near:
            best = min(best, (across[np.int64(lowest_place(near))] + forth) + down)
    return best, n


@kernel
def near_squares(
    source: BitVolume,
    target: BitVolume,
    backward: BitVolume,
    rows: Rows,
    across: NDArray[np.float64],
    out: NDArray[np.float64],
    patience: int,
) -> int:
    """Write the squared distance of each source point to the nearest target point, if it is near.

    Parameters
    ----------
    source, target, backward : ndarray of uint64, shape (Z, Y, W)
        Bit volumes of both surfaces; `backward` is the target's, mirrored.
    rows : Rows
        The rows that are tried.
    across : ndarray of float64, shape (65,)
        Squared distances of 0…64 voxels along a row.
    out : ndarray of float64
        One value for each set bit of `source`, in their order; -1 where no target is near enough to
        be known as the nearest.
    patience : int
        Try no further point after so many rows.

    Returns
    -------
    int
        The number of -1 written.
    """
    depth, height, words = source.shape
    certain = min(rows.horizon, across[64])
    n = left = tried = 0
    for z in range(depth):
        for y in range(height):
            for k in range(1, words - 1):
                word = source[z, y, k]
                while word:
                    position = 64 * k + np.int64(lowest_place(word))
                    word &= word - _1
                    best = np.inf
                    if tried < patience:
                        best, more = _nearest(target, backward, rows, across, z, y, position)
                        tried += more
                    if best > certain:
                        left += 1
                        best = -1.0
                    out[n] = best
                    n += 1
    return left


@kernel
def points_left(source: BitVolume, squares: NDArray[np.float64], count: int) -> NDArray[np.int64]:
    """Return plane, row and column of the `count` set bits whose value is negative: (count, 3)."""
    depth, height, words = source.shape
    out = np.empty((count, 3), np.int64)
    n = found = 0
    for z in range(depth):
        for y in range(height):
            for k in range(1, words - 1):
                word = source[z, y, k]
                while word:
                    if squares[n] < 0:
                        out[found, 0], out[found, 1] = z, y
                        out[found, 2] = 64 * (k - 1) + np.int64(lowest_place(word))
                        found += 1
                    word &= word - _1
                    n += 1
    return out


@kernel
def _try_one(
    target: NDArray[np.int64],
    points: NDArray[np.float64],
    spacing: tuple[float, float, float],
    best: NDArray[np.float64],
) -> None:
    """Lower the squared distances of a block of points (3, N) by one target; loops of vectors."""
    at_z, at_y, at_x = np.float64(target[0]), np.float64(target[1]), np.float64(target[2])
    for i in range(best.size):
        z = (points[0, i] - at_z) * spacing[0]
        y = (points[1, i] - at_y) * spacing[1]
        x = (points[2, i] - at_x) * spacing[2]
        best[i] = min(best[i], (x * x + y * y) + z * z)


@kernel
def tried_squares(
    points: NDArray[np.int64], targets: NDArray[np.int64], spacing: tuple[float, float, float]
) -> NDArray[np.float64]:
    """Return the squared distance of each point (N, 3) to the nearest of the targets (M, 3).

    Every one is tried; targets outermost, so that a block of points is one loop of vectors.
    """
    out = np.full(points.shape[0], np.inf)
    for first in range(0, points.shape[0], _BLOCK):
        best = out[first : first + _BLOCK]
        block = np.empty((3, best.size))
        for i in range(best.size):
            for axis in range(3):
                block[axis, i] = points[first + i, axis]
        for k in range(targets.shape[0]):
            _try_one(targets[k], block, spacing, best)
    return out
