"""Points sorted into square cells, so that what is near a point is in the cells around it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastsegmetrics.kernels._jit import kernel

Points = NDArray[np.float64]


class Grid(NamedTuple):
    """Points sorted into square cells; cell (a, b) holds members[starts[c]:starts[c + 1]]."""

    top: float
    left: float
    side: float
    height: int
    width: int
    starts: NDArray[np.int64]
    members: NDArray[np.int64]


@kernel
def bounds(points: Points) -> tuple[float, float, float, float]:
    """Return top, bottom, left and right of points [n, 2], of which there is one at least."""
    # A loop, because NumPy's min and max of a column take half a second to compile.
    top = bottom = points[0, 0]
    left = right = points[0, 1]
    for k in range(1, points.shape[0]):
        top, bottom = min(top, points[k, 0]), max(bottom, points[k, 0])
        left, right = min(left, points[k, 1]), max(right, points[k, 1])
    return top, bottom, left, right


@kernel
def accumulate(counts: NDArray[np.int64]) -> None:
    """Put into each place the sum of all up to it."""
    for k in range(1, counts.size):
        counts[k] += counts[k - 1]


@kernel
def cell_at(position: float, origin: float, side: float, cells: int) -> int:
    """Return the cell of a coordinate; outside of the grid, one that has no neighbour in it."""
    return np.int64(min(max(np.floor((position - origin) / side), -2.0), cells + 1.0))


@kernel
def _cells_along(extent: float, side: float, most: float) -> int:
    return np.int64(min(np.floor(extent / side) + 1.0, most))


@kernel
def sorted_into_cells(points: Points, reach: float) -> Grid:
    """Sort points into cells so wide that nothing within `reach` is further than the next one.

    No more cells than about four for each point, however far apart the points are.
    """
    n = points.shape[0]
    top, bottom, left, right = bounds(points)
    tall, wide = bottom - top, right - left
    most = np.floor(2 * np.sqrt(n)) + 1
    # Wider by more than the rounding of a quotient of coordinates.
    side = reach * (1 + 1e-9)
    side = max(side, tall / most, wide / most)
    height, width = _cells_along(tall, side, most), _cells_along(wide, side, most)
    cells = np.empty(n, np.int64)
    starts = np.zeros(height * width + 2, np.int64)
    for k in range(n):
        a = min(cell_at(points[k, 0], top, side, height), height - 1)
        b = min(cell_at(points[k, 1], left, side, width), width - 1)
        cells[k] = a * width + b
        starts[cells[k] + 2] += 1
    accumulate(starts)
    members = np.empty(n, np.int64)
    for k in range(n):
        # While cell c is being filled, starts[c + 1] is its next place: at the end, its end.
        members[starts[cells[k] + 1]] = k
        starts[cells[k] + 1] += 1
    return Grid(top, left, side, height, width, starts, members)
