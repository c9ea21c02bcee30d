"""Exact Euclidean distances to the foreground, and which foreground pixel is the nearest.

Two passes that do not touch each other's axis: along the columns, the nearest foreground pixel of
each pixel's own column; along each row, the lower envelope of the parabolas that those heights put
up (Meijster, Roerdink and Hesselink, "A general algorithm for computing distance transforms in
linear time", 2000).  All comparisons are of integers, so that ties are found exactly: among
equidistant foreground pixels the smallest column wins, then the smallest row, as in
``scipy.ndimage.distance_transform_edt``.

The row pass knows only heights.  Other spacings and further axes come as other heights: those of
the pass before, squared and scaled.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastsegmetrics.kernels._jit import kernel

_FAR = np.int32(2**31 - 1)


@kernel
def _envelope(
    heights: NDArray[Any],
    far: Any,
    left: int,
    right: int,
    sites: NDArray[np.int32],
    starts: NDArray[np.int32],
) -> int:
    """List which column is nearest on each stretch of the gap (left, right) of one row.

    `left` and `right` are foreground columns of the row or one past its ends; no foreground lies
    between them, so that nothing beyond them can be nearest.  Column ``sites[k]`` serves from
    ``starts[k]`` to the start of the next.  Returns their number; 0 where nothing is in reach.

    A quotient of integers below 2^52 rounds to a double on its own side of the next integer, and
    a division of doubles takes a third of the time of one of 64-bit integers.
    """
    width = heights.size
    count = 0
    if left >= 0:
        sites[0] = left
        starts[0] = left + 1
        count = 1
    for column in range(left + 1, min(right + 1, width)):
        height = heights[column]
        if height == far:
            continue
        square = np.int64(height) * np.int64(height)
        start = left + 1
        while count > 0:
            site = np.int64(sites[count - 1])
            begin = np.int64(starts[count - 1])
            tall = np.int64(heights[site])
            excess = square - tall * tall
            # Where `site` begins, is `column` nearer?  Then `site` serves nothing.
            span = column - site
            if (column + site - 2 * begin) * span + excess < 0:
                count -= 1
            else:
                start = np.int64(((column + site) * span + excess) / (2.0 * span)) + 1
                break
        if start < right:
            sites[count] = column
            starts[count] = start
            count += 1
    return count


@kernel
def nearest_foreground(mask: NDArray[np.uint8]) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Return the row and the column of the foreground pixel nearest to each pixel: int32[H, W].

    A foreground pixel is its own nearest; without foreground all are -1.  Sides up to 2^30.
    """
    height, width = mask.shape
    rows = np.empty((height, width), np.int32)
    columns = np.empty((height, width), np.int32)
    below = np.full(width, -1, np.int32)
    for row in range(height - 1, -1, -1):
        for column in range(width):
            below[column] = row if mask[row, column] else below[column]
            rows[row, column] = below[column]
    above = np.full(width, -1, np.int32)
    heights = np.empty(width, np.int32)
    nearest = np.empty(width, np.int32)
    sites = np.empty(width + 1, np.int32)
    starts = np.empty(width + 1, np.int32)
    for row in range(height):
        for column in range(width):
            above[column] = row if mask[row, column] else above[column]
            up = np.int32(row) - above[column] if above[column] >= 0 else _FAR
            down = rows[row, column] - np.int32(row) if rows[row, column] >= 0 else _FAR
            heights[column] = min(up, down)
            nearest[column] = above[column] if up <= down else rows[row, column]
        column = 0
        while column < width:
            if heights[column] == 0:
                rows[row, column] = row
                columns[row, column] = column
                column += 1
                continue
            left = column - 1
            right = column + 1
            while right < width and heights[right] != 0:
                right += 1
            end = right
            count = _envelope(heights, _FAR, left, right, sites, starts)
            if count == 0:
                rows[row, column:end] = -1
                columns[row, column:end] = -1
            for k in range(count - 1, -1, -1):
                rows[row, starts[k] : end] = nearest[sites[k]]
                columns[row, starts[k] : end] = sites[k]
                end = starts[k]
            column = right
    return rows, columns
