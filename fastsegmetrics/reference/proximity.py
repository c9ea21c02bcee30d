"""Twins of ``kernels.proximity``: the whole matrix of distances, then what is small in it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Points = NDArray[np.float64]


def distances(rows: Points, columns: Points) -> NDArray[np.float64]:
    """Return the Euclidean distance of each of the points [n, 2] to each of [m, 2]: [n, m]."""
    steps = rows[:, None, :] - columns[None, :, :]
    squares: NDArray[np.float64] = steps * steps
    return np.sqrt(squares[..., 0] + squares[..., 1])


def near_pairs(
    rows: Points, columns: Points, limit: float
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return the pairs of points nearer than the limit, row-major, and their distances."""
    every = distances(rows, columns)
    pairs = np.argwhere(every < limit)
    return pairs, every[pairs[:, 0], pairs[:, 1]]


def match_greedily(pairs: NDArray[np.int64], n_rows: int, n_columns: int) -> NDArray[np.int64]:
    """Give each row, in order, the first column of its pairs that no row before it took."""
    candidate = np.zeros((n_rows, n_columns), bool)
    candidate[pairs[:, 0], pairs[:, 1]] = True
    assigned = np.full(n_rows, -1, np.int64)
    for row in range(n_rows):
        for column in range(n_columns):
            if candidate[row, column] and column not in assigned:
                assigned[row] = column
                break
    return assigned
