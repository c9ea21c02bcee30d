"""Distances between two sets of centroids: all of them, or only those below a limit."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastsegmetrics.kernels._jit import kernel

Points = NDArray[np.float64]


@kernel
def _distance(rows: Points, i: int, columns: Points, j: int) -> float:
    down = rows[i, 0] - columns[j, 0]
    across = rows[i, 1] - columns[j, 1]
    return np.sqrt(down * down + across * across)


@kernel
def distances(rows: Points, columns: Points) -> NDArray[np.float64]:
    """Return the Euclidean distance of each of the points [n, 2] to each of [m, 2]: [n, m]."""
    found = np.empty((rows.shape[0], columns.shape[0]), np.float64)
    for i in range(rows.shape[0]):
        for j in range(columns.shape[0]):
            found[i, j] = _distance(rows, i, columns, j)
    return found


class _Grid(NamedTuple):
    """Points sorted into square cells; cell (a, b) holds members[starts[c]:starts[c + 1]]."""

    top: float
    left: float
    side: float
    height: int
    width: int
    starts: NDArray[np.int64]
    members: NDArray[np.int64]


@kernel
def _bounds(points: Points) -> tuple[float, float, float, float]:
    # A loop, because NumPy's min and max of a column take half a second to compile.
    top = bottom = points[0, 0]
    left = right = points[0, 1]
    for k in range(1, points.shape[0]):
        top, bottom = min(top, points[k, 0]), max(bottom, points[k, 0])
        left, right = min(left, points[k, 1]), max(right, points[k, 1])
    return top, bottom, left, right


@kernel
def _accumulate(counts: NDArray[np.int64]) -> None:
    for k in range(1, counts.size):
        counts[k] += counts[k - 1]


@kernel
def _cell(position: float, origin: float, side: float, cells: int) -> int:
    """Return the cell of a coordinate; outside of the grid, one that has no neighbour in it."""
    return np.int64(min(max(np.floor((position - origin) / side), -2.0), cells + 1.0))


@kernel
def _cells_along(extent: float, side: float, most: float) -> int:
    return np.int64(min(np.floor(extent / side) + 1.0, most))


@kernel
def _sorted_into_cells(points: Points, reach: float) -> _Grid:
    """Sort points into cells so wide that nothing within `reach` is further than the next one.

    No more cells than about four for each point, however far apart the points are.
    """
    n = points.shape[0]
    top, bottom, left, right = _bounds(points)
    tall, wide = bottom - top, right - left
    most = np.floor(2 * np.sqrt(n)) + 1
    # Wider by more than the rounding of a quotient of coordinates.
    side = reach * (1 + 1e-9)
    side = max(side, tall / most, wide / most)
    height, width = _cells_along(tall, side, most), _cells_along(wide, side, most)
    cells = np.empty(n, np.int64)
    starts = np.zeros(height * width + 2, np.int64)
    for k in range(n):
        a = min(_cell(points[k, 0], top, side, height), height - 1)
        b = min(_cell(points[k, 1], left, side, width), width - 1)
        cells[k] = a * width + b
        starts[cells[k] + 2] += 1
    _accumulate(starts)
    members = np.empty(n, np.int64)
    for k in range(n):
        # While cell c is being filled, starts[c + 1] is its next place: at the end, its end.
        members[starts[cells[k] + 1]] = k
        starts[cells[k] + 1] += 1
    return _Grid(top, left, side, height, width, starts, members)


@kernel
def _rows_near(
    columns: Points, j: int, rows: Points, grid: _Grid, limit: float, found: NDArray[np.int64]
) -> int:
    """Put the rows nearer to a column than the limit into `found`; return how many there are."""
    n = 0
    a = _cell(columns[j, 0], grid.top, grid.side, grid.height)
    b = _cell(columns[j, 1], grid.left, grid.side, grid.width)
    left, right = max(b - 1, 0), min(b + 2, grid.width)
    if left >= right:
        return 0
    for line in range(max(a - 1, 0), min(a + 2, grid.height)):
        # The cells of a line follow each other.
        first = grid.starts[line * grid.width + left]
        last = grid.starts[line * grid.width + right]
        for place in range(first, last):
            i = grid.members[place]
            if _distance(rows, i, columns, j) < limit:
                found[n] = i
                n += 1
    return n


@kernel
def near_pairs(
    rows: Points, columns: Points, limit: float
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return the pairs of points nearer than the limit, row-major, and their distances.

    int64[k, 2] and float64[k], the numbers that `distances` gives.  Time and memory follow the
    points and the pairs found, because the rows are sorted into cells as wide as the limit: 5,000
    by 5,000 points take 1 ms, their matrix 200 MB.
    """
    n, m = rows.shape[0], columns.shape[0]
    starts = np.zeros(n + 1, np.int64)
    if n == 0 or m == 0 or not limit > 0:
        return np.empty((0, 2), np.int64), np.empty(0, np.float64)
    grid = _sorted_into_cells(rows, limit)
    near = np.empty(n, np.int64)
    for j in range(m):
        for place in range(_rows_near(columns, j, rows, grid, limit, near)):
            starts[near[place] + 1] += 1
    _accumulate(starts)
    pairs = np.empty((starts[n], 2), np.int64)
    costs = np.empty(starts[n], np.float64)
    # Columns come in order, so that every row gets its own in order.
    for j in range(m):
        for place in range(_rows_near(columns, j, rows, grid, limit, near)):
            i = near[place]
            pairs[starts[i], 0] = i
            pairs[starts[i], 1] = j
            costs[starts[i]] = _distance(rows, i, columns, j)
            starts[i] += 1
    return pairs, costs


@kernel
def match_greedily(pairs: NDArray[np.int64], n_rows: int, n_columns: int) -> NDArray[np.int64]:
    """Give each row, in order, the first column of its pairs that no row before it took.

    The pairs are in row-major order.  Returns the column of each row, -1 for none.
    """
    assigned = np.full(n_rows, -1, np.int64)
    free = np.ones(n_columns, np.bool_)
    for pair in range(pairs.shape[0]):
        i, j = pairs[pair]
        if assigned[i] < 0 and free[j]:
            assigned[i] = j
            free[j] = False
    return assigned
