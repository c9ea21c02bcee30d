"""Minimum-cost assignment by shortest augmenting paths (Crouse, IEEE TAES 52(4), 2016).

Which of several assignments of the same cost is found is part of the result: they are those of
``scipy.optimize.linear_sum_assignment``.  Measured against it: 500 x 500 costs take half
the time or less, 50 x 50 as much, 10 x 10 twice to three times as much (2 to 3.5 us, of which the
call alone is 1.2).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastsegmetrics.kernels._block_search import State, assign_to_points, begin_matrix, no_pairs
from fastsegmetrics.kernels._jit import kernel

Points = NDArray[np.float64]
Assigned = NDArray[np.int64]

_LARGEST = np.finfo(np.float64).max
_DENSE, _POINTS, _GATED = 0, 1, 2
#: From so many rows on it pays to look at blocks of columns; with 700 rows it costs a third more.
_MANY = 1200


class _Costs(NamedTuple):
    """A cost matrix, rows at most as many as columns, whose rows are made when they are needed.

    Dense: `matrix`.  Points: the distance between a row of `matrix` and a column of `points`.
    Gated: `gate`, but `costs[e]` in column `ends[e]` for e from starts[row] to starts[row + 1].
    """

    kind: int
    matrix: NDArray[np.float64]
    points: NDArray[np.float64]
    starts: NDArray[np.int64]
    ends: NDArray[np.int64]
    costs: NDArray[np.float64]
    gate: float


@kernel
def _cost_row(problem: _Costs, row: int, out: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return a row of costs, in `out` if it has to be made."""
    if problem.kind == _DENSE:
        return problem.matrix[row]
    if problem.kind == _POINTS:
        top, left = problem.matrix[row, 0], problem.matrix[row, 1]
        # By index: an array that is unpacked may raise, and the loop is not vectorised (a quarter
        # of the speed).
        tops, lefts = problem.points[0], problem.points[1]
        for j in range(out.size):
            down = top - tops[j]
            across = left - lefts[j]
            out[j] = np.sqrt(down * down + across * across)
    else:
        out[:] = problem.gate
        for e in range(problem.starts[row], problem.starts[row + 1]):
            out[problem.ends[e]] = problem.costs[e]
    return out


class _Search(NamedTuple):
    """The tree of shortest paths from one row, by column.

    `shortest` is the length of the shortest path found to a column, infinite once it is settled;
    `came_from` the row before it.  `place` and `order` are each other's inverse: the order in
    which equal lengths are looked at.  `settled`, `lengths`, `prices`: the columns that are
    settled, in turn, with what they had been.
    """

    shortest: NDArray[np.float64]
    came_from: NDArray[np.int64]
    place: NDArray[np.int64]
    order: NDArray[np.int64]
    settled: NDArray[np.int64]
    lengths: NDArray[np.float64]
    prices: NDArray[np.float64]


@kernel
def _new_search(columns: int) -> _Search:
    return _Search(
        np.empty(columns, np.float64),
        np.empty(columns, np.int64),
        np.empty(columns, np.int64),
        np.empty(columns, np.int64),
        np.empty(columns, np.int64),
        np.empty(columns, np.float64),
        np.empty(columns, np.float64),
    )


@kernel
def _begin(search: _Search) -> None:
    columns = search.shortest.size
    search.shortest[:] = np.inf
    # From the last to the first, so that equal costs everywhere give the identity.
    for j in range(columns):
        search.place[j] = columns - 1 - j
        search.order[j] = columns - 1 - j


@kernel
def _relax(
    costs: NDArray[np.float64],
    length: float,
    row: int,
    row_price: float,
    column_price: NDArray[np.float64],
    search: _Search,
) -> None:
    """Shorten the paths to all columns that are shorter through `row`.

    A settled column has price -inf here, so that no path to it is short: this loop has no branch
    and vectorises.
    """
    shortest, came_from = search.shortest, search.came_from
    for j in range(costs.size):
        through = length + costs[j] - row_price - column_price[j]
        shorter = through < shortest[j]
        shortest[j] = through if shorter else shortest[j]
        came_from[j] = row if shorter else came_from[j]


@kernel
def _nearest(search: _Search, owners: NDArray[np.int64]) -> int:
    """Return the column to settle next, -1 where no path leads on.

    Of those at the lowest length, in the order of `place`, the last one that is free, or else the
    first one.
    """
    shortest, place = search.shortest, search.place
    lowest = _LARGEST
    found = -1
    free = False
    for j in range(owners.size):
        # Seldom true: a running minimum changes about log n times.
        if shortest[j] <= lowest:
            if shortest[j] < lowest or found < 0:
                lowest = shortest[j]
                found = j
                free = owners[j] < 0
            elif owners[j] < 0:
                if not free or place[j] > place[found]:
                    found = j
                free = True
            elif not free and place[j] < place[found]:
                found = j
    return found


@kernel
def _settle(search: _Search, column: int, left: int) -> None:
    """Take a column out of the order, in which the last of the `left` ones takes its place."""
    moved = search.order[left - 1]
    search.order[search.place[column]] = moved
    search.place[moved] = search.place[column]
    search.shortest[column] = np.inf


@kernel
def _augment(
    search: _Search, sink: int, row: int, owners: NDArray[np.int64], assigned: Assigned
) -> None:
    """Give each row on the path from `row` to the column `sink` the next column on it."""
    column = sink
    while True:
        owner = search.came_from[column]
        owners[column] = owner
        column, assigned[owner] = assigned[owner], column
        if owner == row:
            return


@kernel
def _assign_rows(problem: _Costs, state: State, first: int) -> tuple[Assigned, bool]:
    """Assign every row from the first on; False when some row cannot have any column."""
    assigned, owners, row_prices, column_prices = state
    rows, columns = assigned.size, owners.size
    made = np.empty(columns, np.float64)
    search = _new_search(columns)
    for row in range(first, rows):
        _begin(search)
        length = 0.0
        at = row
        steps = 0
        while at >= 0:
            costs = _cost_row(problem, at, made)
            _relax(costs, length, at, row_prices[at], column_prices, search)
            column = _nearest(search, owners)
            if column < 0:
                return assigned, False
            length = search.shortest[column]
            _settle(search, column, columns - steps)
            search.settled[steps] = column
            search.lengths[steps] = length
            search.prices[steps] = column_prices[column]
            column_prices[column] = -np.inf
            steps += 1
            at = owners[column]
        row_prices[row] += length
        for step in range(steps):
            column = search.settled[step]
            shift = length - search.lengths[step]
            column_prices[column] = search.prices[step] - shift
            if owners[column] >= 0:
                row_prices[owners[column]] += shift
        _augment(search, search.settled[steps - 1], row, owners, assigned)
    return assigned, True


@kernel
def _assign_matrix(costs: NDArray[np.float64]) -> tuple[Assigned, bool]:
    """Assign the rows of a matrix, in which there are no more than columns."""
    n, m = costs.shape
    state = no_pairs(n, m)
    first = np.int64(0)
    if n >= _MANY:
        first, feasible = begin_matrix(costs, state)
        if first == n or not feasible:
            return state.assigned, feasible
    return _assign_rows(_by_matrix(_DENSE, costs, np.empty((2, 0))), state, first)


@kernel
def _assign_points(rows: Points, columns: Points) -> Assigned:
    """Assign points to at least as many others."""
    n, m = rows.shape[0], columns.shape[0]
    if n >= _MANY:
        return assign_to_points(rows, columns)
    return _assign_rows(_by_matrix(_POINTS, rows, columns.T.copy()), no_pairs(n, m), 0)[0]


@kernel
def _inverse(assigned: Assigned, size: int) -> Assigned:
    found = np.full(size, -1, np.int64)
    for k in range(assigned.size):
        if assigned[k] >= 0:
            found[assigned[k]] = k
    return found


@kernel
def _by_matrix(kind: int, matrix: NDArray[np.float64], points: NDArray[np.float64]) -> _Costs:
    none = np.empty(0, np.int64)
    return _Costs(kind, matrix, points, none, none, np.empty(0, np.float64), 0.0)


@kernel
def assign(costs: NDArray[np.float64]) -> tuple[Assigned, bool]:
    """Return the column of each row, -1 for none, at the lowest total cost, and True.

    As many pairs as the shorter side of `costs`, float64[n, m], has.  Infinite costs forbid a
    pair; False where they leave no such assignment.  No cost is NaN or -inf.
    """
    n, m = costs.shape
    if n <= m:
        return _assign_matrix(costs)
    found, feasible = _assign_matrix(costs.T.copy())
    return _inverse(found, n), feasible


@kernel
def assign_points(rows: Points, columns: Points) -> Assigned:
    """Assign points [n, 2] to points [m, 2] at the lowest total distance, without a matrix.

    Returns what `assign` does on their distances, from memory that is linear in the points.  5,000
    against 5,000 that have nothing to do with each other: 0.5 to 1.2 s.
    """
    n, m = rows.shape[0], columns.shape[0]
    if n <= m:
        return _assign_points(rows, columns)
    return _inverse(_assign_points(columns, rows), n)


@kernel
def _gated(
    pairs: NDArray[np.int64], costs: NDArray[np.float64], gate: float, side: int, size: int
) -> _Costs:
    """Sort pairs by their member on one side, which has `size` of them; the order stays."""
    starts = np.zeros(size + 2, np.int64)
    for pair in range(pairs.shape[0]):
        starts[pairs[pair, side] + 2] += 1
    for k in range(size):
        starts[k + 2] += starts[k + 1]
    ends = np.empty(pairs.shape[0], np.int64)
    sorted_costs = np.empty(pairs.shape[0], np.float64)
    for pair in range(pairs.shape[0]):
        # While k is being filled, starts[k + 1] is its next place: at the end, its end.
        place = starts[pairs[pair, side] + 1]
        starts[pairs[pair, side] + 1] += 1
        ends[place] = pairs[pair, 1 - side]
        sorted_costs[place] = min(costs[pair], gate)
    nothing = np.empty((0, 0), np.float64)
    return _Costs(_GATED, nothing, nothing, starts, ends, sorted_costs, gate)


@kernel
def _below_gate(problem: _Costs, row: int, column: int) -> bool:
    for e in range(problem.starts[row], problem.starts[row + 1]):
        if problem.ends[e] == column:
            return problem.costs[e] < problem.gate
    return False


@kernel
def assign_gated(
    pairs: NDArray[np.int64], costs: NDArray[np.float64], gate: float, n_rows: int, n_columns: int
) -> Assigned:
    """Assign the candidates that make the total of min(cost, gate) lowest.

    All pairs but the candidates, int64[k, 2] with float64[k] costs, cost the gate, which is
    finite; a pair that costs the gate is no pair.  Returns the column of each row, -1 for none:
    what `assign` finds on the matrix of costs clipped at the gate, without that matrix.  5,000
    against 5,000: 40 to 70 ms.
    """
    if n_rows <= n_columns:
        problem = _gated(pairs, costs, gate, 0, n_rows)
        found = _assign_rows(problem, no_pairs(n_rows, n_columns), 0)[0]
    else:
        problem = _gated(pairs, costs, gate, 1, n_columns)
        found = _assign_rows(problem, no_pairs(n_columns, n_rows), 0)[0]
    for k in range(found.size):
        if not _below_gate(problem, k, found[k]):
            found[k] = -1
    return found if n_rows <= n_columns else _inverse(found, n_rows)
