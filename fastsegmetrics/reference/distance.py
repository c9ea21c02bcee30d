"""Twin of ``kernels.distance``: every column is tried for every pixel."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

#: Farther than any pixel; its square still is an int64.
_FAR = 2**31


def nearest_foreground(mask: NDArray[np.uint8]) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Return the row and the column of the foreground pixel nearest to each pixel.

    Of equidistant ones the smallest column, then the smallest row; -1 without foreground.
    """
    height, width = mask.shape
    rows = np.full((height, width), -1, np.int32)
    columns = np.full((height, width), -1, np.int32)
    if not mask.any():
        return rows, columns
    every = np.arange(width)
    for row in range(height):
        # In each column: how far the nearest foreground is, and where (argmin takes the first).
        vertical = np.where(mask == 1, np.abs(np.arange(height) - row)[:, None], _FAR)
        where = vertical.argmin(axis=0)
        squares = vertical.min(axis=0) ** 2
        for column in range(width):
            site = int(np.argmin((every - column) ** 2 + squares))
            rows[row, column], columns[row, column] = where[site], site
    return rows, columns
