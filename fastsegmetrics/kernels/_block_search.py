"""Shortest augmenting paths that look only at the blocks of columns that may matter.

The steps, the sums and the choices among equal paths are those of ``kernels.assign``, to the bit.
A search ends no later than at the nearest free column that it knows.  No column of a block is
nearer to a row than the block's lowest cost less its highest price: where that bound is above the
free column, nothing is looked at.  Rounding is monotonic, so that a bound made by the same
operations as a length holds for the rounded numbers.

Of 5,000 unrelated points or costs a row a step looks at a tenth or less.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastsegmetrics.kernels._cells import bounds, sorted_into_cells
from fastsegmetrics.kernels._jit import kernel

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

#: Columns of a block.
_BLOCK = 32
#: So many blocks are looked at before it is judged whether that pays.
_TRIED = 50_000


class _Costs(NamedTuple):
    """A cost matrix, or the distances between two sets of points.

    Matrix: `rows` [n, m] and `lowest` [n, blocks], the lowest of each block.  Points: `rows`
    [n, 2], `columns` [2, blocks, 32], and `lowest` [4, blocks], the top, bottom, left and right of
    each block.
    """

    of_points: bool
    rows: Floats
    columns: Floats
    lowest: Floats


class _Search(NamedTuple):
    """The tree of shortest paths from one row.

    By column, in rows of a block each: `shortest`, the length of the shortest path that is known,
    infinite once it is settled, and the row that it `came_from`; `prices`, -inf where nothing may
    lead.  `place` and `order` are each other's inverse: the order in which equal lengths are
    looked at.  By block: the `nearest` of `shortest`, and the `highest` price.

    By step: `lengths` float64[2, n], that of the column it settled and the price of that; `trail`
    int64[3, n], the column, the place that it left and the column that took it.
    """

    shortest: Floats
    came_from: Ints
    prices: Floats
    nearest: Floats
    highest: Floats
    place: Ints
    order: Ints
    lengths: Floats
    trail: Ints


class State(NamedTuple):
    """The pairs so far, and the prices: the column of each row, the row of each column."""

    assigned: Ints
    owners: Ints
    row_prices: Floats
    column_prices: Floats


@kernel
def no_pairs(rows: int, columns: int) -> State:
    """Return the state before the first row."""
    return State(
        np.full(rows, -1, np.int64),
        np.full(columns, -1, np.int64),
        np.zeros(rows),
        np.zeros(columns),
    )


@kernel
def _new_search(rows: int, ids: Ints) -> _Search:
    """Return a search among columns whose numbers are `ids`."""
    columns = ids.size
    n_blocks = (columns + _BLOCK - 1) // _BLOCK
    place, order = np.empty(columns, np.int64), np.empty(columns, np.int64)
    prices = np.full((n_blocks, _BLOCK), -np.inf)
    for k in range(columns):
        # From the last to the first, so that equal costs everywhere give the identity.
        place[k] = columns - 1 - ids[k]
        order[place[k]] = k
        prices[k // _BLOCK, k % _BLOCK] = 0.0
    return _Search(
        np.empty((n_blocks, _BLOCK)),
        np.zeros((n_blocks, _BLOCK), np.int64),
        prices,
        np.empty(n_blocks),
        np.zeros(n_blocks),
        place,
        order,
        np.empty((2, rows + 1)),
        np.empty((3, rows + 1), np.int64),
    )


@kernel
def _box_distances(row: Floats, boxes: Floats, out: Floats) -> Floats:
    """Return how far a point is at least from the points in each box."""
    down, across = row[0], row[1]
    top, bottom, left, right = boxes[0], boxes[1], boxes[2], boxes[3]
    for b in range(out.size):
        # Selects and not max, which looks for NaN and keeps the loop from being vectorised.
        above, below = top[b] - down, down - bottom[b]
        before, behind = left[b] - across, across - right[b]
        tall = above if above > below else below
        wide = before if before > behind else behind
        tall = tall if tall > 0.0 else 0.0
        wide = wide if wide > 0.0 else 0.0
        out[b] = np.sqrt(tall * tall + wide * wide)
    return out


@kernel
def _distances(row: Floats, tops: Floats, lefts: Floats, out: Floats) -> Floats:
    """Return the distances of a point to those of a block."""
    top, left = row[0], row[1]
    for k in range(_BLOCK):
        down = top - tops[k]
        across = left - lefts[k]
        out[k] = np.sqrt(down * down + across * across)
    return out


@kernel
def _filled(line: Floats, out: Floats) -> Floats:
    """Return the costs of a block, infinite past the last column."""
    if line.size == _BLOCK:
        return line
    # By item: slices that are assigned to each other take two seconds to compile.
    for k in range(_BLOCK):
        out[k] = line[k] if k < line.size else np.inf
    return out


@kernel
def _relaxed(
    shortest: Floats,
    came_from: Ints,
    prices: Floats,
    line: Floats,
    begun: float,
    by: tuple[int, float],
) -> bool:
    """Shorten the paths to a block's columns that are shorter through a row; tell if any was.

    `by` is the row and its price.
    """
    row, row_price = by
    n = np.int64(0)
    # Counted first, which vectorises: in most blocks there is none.
    for k in range(_BLOCK):
        n += begun + line[k] - row_price - prices[k] < shortest[k]
    if n == 0:
        return False
    for k in range(_BLOCK):
        through = begun + line[k] - row_price - prices[k]
        shorter = through < shortest[k]
        shortest[k] = through if shorter else shortest[k]
        came_from[k] = row if shorter else came_from[k]
    return True


@kernel
def _lowest(values: Floats) -> float:
    """Return the lowest of a block, four at a time, which do not wait for each other."""
    a, b, c, d = values[0], values[1], values[2], values[3]
    for k in range(4, _BLOCK, 4):
        a = values[k] if values[k] < a else a
        b = values[k + 1] if values[k + 1] < b else b
        c = values[k + 2] if values[k + 2] < c else c
        d = values[k + 3] if values[k + 3] < d else d
    a = a if a < b else b
    c = c if c < d else d
    return a if a < c else c


@kernel
def _choose(shortest: Floats, nearest: Floats, place: Ints, owners: Ints) -> int:
    """Return the column to settle next, -1 where no path leads on.

    Of the nearest ones, in the order of `place`, the last one that is free, or else the first one.
    """
    lowest = np.inf
    for b in range(nearest.size):
        lowest = nearest[b] if nearest[b] < lowest else lowest
    found = np.int64(-1)
    if lowest == np.inf:
        return found
    for b in range(nearest.size):
        if nearest[b] != lowest:
            continue
        for k in range(_BLOCK):
            if shortest[b, k] != lowest:
                continue
            column = b * _BLOCK + k
            if found < 0:
                found = column
            elif owners[column] < 0:
                if owners[found] >= 0 or place[column] > place[found]:
                    found = column
            elif owners[found] >= 0 and place[column] < place[found]:
                found = column
    return found


@kernel
def _find_path(costs: _Costs, search: _Search, state: State, row: int) -> tuple[int, int]:
    """Settle columns until one is free; return how many, 0 without a path, and blocks looked at."""
    shortest, came_from, prices, nearest, highest, place, order, lengths, trail = search
    owners = state.owners
    bounds_made, made = np.empty(nearest.size), np.empty(_BLOCK)
    shortest[:] = np.inf
    nearest[:] = np.inf
    begun, end = 0.0, np.inf
    step, looked = 0, 0
    at = row
    while at >= 0:
        row_price = state.row_prices[at]
        line = costs.rows[at]
        if costs.of_points:
            least = _box_distances(line, costs.lowest, bounds_made)
        else:
            least = costs.lowest[at]
        for b in range(nearest.size):
            if begun + least[b] - row_price - highest[b] > end:
                continue
            looked += 1
            first = b * _BLOCK
            if costs.of_points:
                _distances(line, costs.columns[0, b], costs.columns[1, b], made)
                given = made
            else:
                given = _filled(line[first : first + _BLOCK], made)
            by = (at, row_price)
            if not _relaxed(shortest[b], came_from[b], prices[b], given, begun, by):
                continue
            nearest[b] = _lowest(shortest[b])
            if nearest[b] < end:
                for k in range(min(_BLOCK, owners.size - first)):
                    if shortest[b, k] < end and owners[first + k] < 0:
                        end = shortest[b, k]
        column = _choose(shortest, nearest, place, owners)
        if column < 0:
            return 0, looked
        b, k = column // _BLOCK, column % _BLOCK
        begun = shortest[b, k]
        lengths[0, step], lengths[1, step] = begun, prices[b, k]
        shortest[b, k], prices[b, k] = np.inf, -np.inf
        nearest[b] = _lowest(shortest[b])
        # What is last in the order takes the place of what is settled.
        left, moved = place[column], order[order.size - 1 - step]
        order[left], place[moved] = moved, left
        trail[0, step], trail[1, step], trail[2, step] = column, left, moved
        at = owners[column]
        step += 1
    return step, looked


@kernel
def _finish(search: _Search, state: State, row: int, steps: int) -> None:
    """Change the prices after so many steps, take back the order, and change the pairs."""
    _, came_from, prices, _, highest, place, order, lengths, trail = search
    assigned, owners, row_prices, _ = state
    length = lengths[0, steps - 1]
    row_prices[row] += length
    for step in range(steps):
        column = trail[0, step]
        shift = length - lengths[0, step]
        prices[column // _BLOCK, column % _BLOCK] = lengths[1, step] - shift
        if owners[column] >= 0:
            row_prices[owners[column]] += shift
    for step in range(steps - 1, -1, -1):
        column, left, moved = trail[0, step], trail[1, step], trail[2, step]
        last = order.size - 1 - step
        place[moved], place[column] = last, left
        order[last], order[left] = moved, column
        b = column // _BLOCK
        highest[b] = prices[b, 0]
        for k in range(_BLOCK):
            highest[b] = prices[b, k] if prices[b, k] > highest[b] else highest[b]
    column = trail[0, steps - 1]
    owner = np.int64(-1)
    while owner != row:
        owner = came_from[column // _BLOCK, column % _BLOCK]
        owners[column] = owner
        column, assigned[owner] = assigned[owner], column


@kernel
def _assign_rows(costs: _Costs, ids: Ints, state: State) -> tuple[int, bool]:
    """Assign rows, unless most blocks have to be looked at; return how many, and True.

    False where the next row cannot have any column.
    """
    n = costs.rows.shape[0]
    search = _new_search(n, ids)
    n_blocks = search.nearest.size
    looked, known = 0, 0
    for row in range(n):
        if not costs.of_points and 2 * looked > max(known, _TRIED):
            for column in range(ids.size):
                state.column_prices[column] = search.prices[column // _BLOCK, column % _BLOCK]
            return row, True
        steps, blocks = _find_path(costs, search, state, row)
        if steps == 0:
            return row, False
        # The first step knows no free column and looks at all.
        looked += blocks - n_blocks
        known += (steps - 1) * n_blocks
        _finish(search, state, row, steps)
    return n, True


@kernel
def begin_matrix(matrix: Floats, state: State) -> tuple[int, bool]:
    """Assign rows of a matrix, in which there are no more than columns, while that is faster.

    Returns how many were, and False where the next one cannot have any column.
    """
    n, m = matrix.shape
    n_blocks = (m + _BLOCK - 1) // _BLOCK
    lowest, made = np.empty((n, n_blocks)), np.empty(_BLOCK)
    for row in range(n):
        line = matrix[row]
        for b in range(n_blocks):
            lowest[row, b] = _lowest(_filled(line[b * _BLOCK : (b + 1) * _BLOCK], made))
    return _assign_rows(_Costs(False, matrix, np.empty((2, 0, 0)), lowest), np.arange(m), state)


@kernel
def assign_to_points(rows: Floats, columns: Floats) -> Ints:
    """Return the column of each row at the lowest total distance; no more rows than columns."""
    m = columns.shape[0]
    top, bottom, left, right = bounds(columns)
    # Cells of about half a block, which lie beside each other in it.
    side = max(np.sqrt(8 * (bottom - top) * (right - left) / m), (bottom - top + right - left) / m)
    ids = sorted_into_cells(columns, side if side > 0 else 1.0).members
    n_blocks = (m + _BLOCK - 1) // _BLOCK
    placed = np.full((2, n_blocks, _BLOCK), np.inf)
    boxes = np.empty((4, n_blocks))
    boxes[0::2], boxes[1::2] = np.inf, -np.inf
    for k in range(m):
        for axis in range(2):
            position = columns[ids[k], axis]
            placed[axis, k // _BLOCK, k % _BLOCK] = position
            box = boxes[2 * axis : 2 * axis + 2, k // _BLOCK]
            box[0], box[1] = min(box[0], position), max(box[1], position)
    state = no_pairs(rows.shape[0], m)
    _assign_rows(_Costs(True, rows, placed, boxes), ids, state)
    return ids[state.assigned]
