"""Distances between two sets of centroids: all of them, or only those below a limit."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fastsegmetrics.kernels._cells import Grid, accumulate, cell_at, sorted_into_cells
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


@kernel
def _rows_near(
    columns: Points, j: int, rows: Points, grid: Grid, limit: float, found: NDArray[np.int64]
) -> int:
    """Put the rows nearer to a column than the limit into `found`; return how many there are."""
    n = 0
    a = cell_at(columns[j, 0], grid.top, grid.side, grid.height)
    b = cell_at(columns[j, 1], grid.left, grid.side, grid.width)
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
    grid = sorted_into_cells(rows, limit)
    near = np.empty(n, np.int64)
    for j in range(m):
        for place in range(_rows_near(columns, j, rows, grid, limit, near)):
            starts[near[place] + 1] += 1
    accumulate(starts)
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
