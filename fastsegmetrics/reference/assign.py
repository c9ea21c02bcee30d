"""Twins of ``kernels.assign``: shortest augmenting paths on the whole matrix, column by column."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from fastsegmetrics.reference.proximity import distances

Points = NDArray[np.float64]
Assigned = NDArray[np.int64]


def _assign_rows(costs: list[list[float]], columns: int) -> dict[int, int] | None:
    """Return the row of each assigned column; None when some row cannot have any column."""
    owner: dict[int, int] = {}
    row_price, column_price = [0.0] * len(costs), [0.0] * columns
    for row in range(len(costs)):
        shortest = {column: math.inf for column in range(columns)}
        came_from: dict[int, int] = {}
        # Equal paths are looked at in this order, in which what is settled leaves its place to
        # the last one.
        waiting = list(range(columns))[::-1]
        settled: list[int] = []
        at, length = row, 0.0
        while True:
            for column in waiting:
                through = length + costs[at][column] - row_price[at] - column_price[column]
                if through < shortest[column]:
                    shortest[column], came_from[column] = through, at
            length = min((shortest[column] for column in waiting), default=math.inf)
            if length == math.inf:
                return None
            ties = [column for column in waiting if shortest[column] == length]
            free = [column for column in ties if column not in owner]
            nearest = free[-1] if free else ties[0]
            settled.append(nearest)
            waiting[waiting.index(nearest)] = waiting[-1]
            waiting.pop()
            if free:
                break
            at = owner[nearest]
        row_price[row] += length
        for column in settled:
            column_price[column] -= length - shortest[column]
            if column in owner:
                row_price[owner[column]] += length - shortest[column]
        path: list[tuple[int, int]] = []
        column = settled[-1]
        while not path or path[-1][1] != row:
            path.append((column, came_from[column]))
            column = next((c for c, r in owner.items() if r == path[-1][1]), -1)
        owner.update(path)
    return owner


def assign(costs: NDArray[np.float64]) -> tuple[Assigned, bool]:
    """Return the column of each row, -1 for none, at the lowest total cost, and True if any is."""
    n, m = costs.shape
    found = _assign_rows((costs if n <= m else costs.T).tolist(), max(n, m))
    assigned = np.full(n, -1, np.int64)
    for column, row in (found or {}).items():
        if n <= m:
            assigned[row] = column
        else:
            assigned[column] = row
    return assigned, found is not None


def assign_points(rows: Points, columns: Points) -> Assigned:
    """Assign points [n, 2] to points [m, 2] at the lowest total distance."""
    return assign(distances(rows, columns))[0]


def assign_gated(
    pairs: NDArray[np.int64], costs: NDArray[np.float64], gate: float, n_rows: int, n_columns: int
) -> Assigned:
    """Assign the candidates that make the total of min(cost, gate) lowest."""
    clipped = np.full((n_rows, n_columns), gate)
    clipped[pairs[:, 0], pairs[:, 1]] = np.minimum(costs, gate)
    assigned, _ = assign(clipped)
    for row, column in enumerate(assigned):
        if column >= 0 and not clipped[row, column] < gate:
            assigned[row] = -1
    return assigned
