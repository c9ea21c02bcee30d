"""The exact Euclidean distance field of a bit volume, on a grid of any spacing.

Three passes that do not touch each other's axis: along each row the distance to the nearest set
voxel of that row, then twice the lower envelope of the parabolas that the pass before put up
(Meijster, Roerdink and Hesselink, 2000; Felzenszwalb and Huttenlocher, 2012).  Squared distances
are doubles: exact where the spacings are integers, or a power of two of them.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fastsegmetrics.kernels._jit import kernel
from fastsegmetrics.kernels.surface import BitVolume

_1, _63 = np.uint64(1), np.uint64(63)
#: Columns that are copied together, so that each piece of memory fetched is used whole.
_TOGETHER = 8


@kernel
def _along_row(
    row: NDArray[np.uint64], first: int, spacing: float, out: NDArray[np.float64]
) -> int:
    """Write squared distances to the nearest set bit of a row from `first` on; return 0 if none."""
    words = np.uint64(0)
    for word in row:
        words |= word
    away = np.inf
    for x in range(out.size):
        at = first + x
        away += 1.0
        if (row[at >> 6] >> (np.uint64(at) & _63)) & _1:
            away = 0.0
        out[x] = away
    away = np.inf
    for x in range(out.size - 1, -1, -1):
        away = min(away + 1.0, out[x])
        out[x] = (away * spacing) * (away * spacing)
    return np.int64(words != 0)


@kernel
def _envelope(
    heights: NDArray[np.float64],
    spacing: float,
    sites: NDArray[np.int64],
    starts: NDArray[np.int64],
) -> int:
    """List which position is nearest on each stretch of a line, with its height added.

    Position ``sites[k]`` serves from ``starts[k]`` to the start of the next; returns their number.
    """
    count = 0
    weight = spacing * spacing
    for at in range(heights.size):
        height = heights[at]
        if height == np.inf:
            continue
        start = 0
        while count > 0:
            site, begin = sites[count - 1], starts[count - 1]
            ours, theirs = (at - begin) * spacing, (begin - site) * spacing
            # Where `site` begins, is `at` nearer?  Then `site` serves nothing.
            if height + ours * ours < heights[site] + theirs * theirs:
                count -= 1
            else:
                excess = height - heights[site]
                span = np.float64(at - site)
                middle = (np.float64(at + site) * span * weight + excess) / (2.0 * weight * span)
                start = max(begin, np.int64(min(middle, np.float64(heights.size))) + 1)
                break
        if start < heights.size:
            sites[count] = at
            starts[count] = start
            count += 1
    return count


@kernel
def _transform_line(
    line: NDArray[np.float64],
    spacing: float,
    sites: NDArray[np.int64],
    starts: NDArray[np.int64],
    out: NDArray[np.float64],
) -> None:
    """Write the least of height + squared distance over all positions of a line."""
    count = _envelope(line, spacing, sites, starts)
    end = line.size
    if count == 0:
        for i in range(end):
            out[i] = np.inf
    for k in range(count - 1, -1, -1):
        site = sites[k]
        height = line[site]
        for i in range(starts[k], end):
            away = (i - site) * spacing
            out[i] = away * away + height
        end = starts[k]


@kernel
def _transform_columns(field: NDArray[np.float64], spacing: float) -> None:
    """Transform each column of (N, X) in place."""
    n, width = field.shape
    if n == 1:
        return
    sites, starts = np.empty(n, np.int64), np.empty(n, np.int64)
    lines = np.empty((_TOGETHER, n), np.float64)
    out = np.empty((_TOGETHER, n), np.float64)
    for first in range(0, width, _TOGETHER):
        together = min(_TOGETHER, width - first)
        for i in range(n):
            for j in range(together):
                lines[j, i] = field[i, first + j]
        for j in range(together):
            _transform_line(lines[j], spacing, sites, starts, out[j])
        for i in range(n):
            for j in range(together):
                field[i, first + j] = out[j, i]


@kernel
def squared_distances(
    sites: BitVolume, box: NDArray[np.int64], spacing: tuple[float, float, float]
) -> NDArray[np.float64]:
    """Return the squared distance of each voxel of a box to the nearest set voxel of that box.

    Parameters
    ----------
    sites : ndarray of uint64, shape (Z, Y, W)
        A bit volume (`kernels.surface`).
    box : ndarray of int64, shape (3, 2)
        First plane, row and column, and the ones after the last.
    spacing : tuple of float
        Distance between planes, rows and columns.

    Returns
    -------
    ndarray of float64
        The box's shape; inf everywhere if no voxel is set in it.
    """
    depth, height, width = box[0, 1] - box[0, 0], box[1, 1] - box[1, 0], box[2, 1] - box[2, 0]
    field = np.empty((depth, height, width), np.float64)
    for z in range(depth):
        found = 0
        for y in range(height):
            row = sites[box[0, 0] + z, box[1, 0] + y]
            found += _along_row(row, box[2, 0] + 64, spacing[2], field[z, y])
        if found:
            _transform_columns(field[z], spacing[1])
    for y in range(height):
        _transform_columns(field[:, y], spacing[0])
    return field
