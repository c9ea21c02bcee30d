"""Contours of a binary mask: found and listed in OpenCV's order, walked, simplified.

Borders follow Suzuki and Abe (1985); a border is named by its first pixel and by which side of it,
outside or a hole, it runs along.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fastsegmetrics.kernels._jit import kernel
from fastsegmetrics.kernels._words import ones
from fastsegmetrics.kernels.bitmask import Bits, lowest_place

#: A bit mask as one row of words, and pixels, int32[n, 2], row and column.
Words = NDArray[np.uint64]
Points = NDArray[np.int32]

#: Steps of row and column by direction, counter-clockwise from east.
_STEPS = ((0, 1), (-1, 1), (-1, 0), (-1, -1), (0, -1), (1, -1), (1, 0), (1, 1))
_EAST, _WEST = 0, 4
#: Flags beside a direction: the pixel has no neighbour; no pixel to the east, to the west, lies
#: between the direction it was entered from and the one it is left by.
_ALONE, _EAST_FREE, _WEST_FREE = 8, 16, 32


def _is_set(neighbourhood: int, direction: int) -> bool:
    row, column = _STEPS[direction % 8]
    return bool(neighbourhood >> (3 * (row + 1) + column + 1) & 1)


def _turns() -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
    """Return the tables [direction entered from, neighbourhood] and [is hole, neighbourhood].

    A neighbourhood is 9 bits, rows of three from the north-west.  The first holds the direction by
    which a border leaves a pixel, with the flags; the second where the border's last pixel lies.
    """
    onward = np.zeros((8, 512), np.uint8)
    back = np.zeros((2, 512), np.uint8)
    for index in range(512):
        around = [d for d in range(8) if _is_set(index, d)]
        for entered in range(8):
            if not around:
                onward[entered, index] = _ALONE | _EAST_FREE | _WEST_FREE
                continue
            turn = next(t for t in range(1, 9) if (entered + t) % 8 in around)
            passed = [(entered + t) % 8 for t in range(1, turn)]
            free = (_EAST in passed) * _EAST_FREE + (_WEST in passed) * _WEST_FREE
            onward[entered, index] = (entered + turn) % 8 + free
        for hole, side in ((0, _WEST), (1, _EAST)):
            clockwise = [(side - t) % 8 for t in range(1, 8)]
            back[hole, index] = next((d for d in clockwise if d in around), _ALONE)
    return onward, back


_ONWARD, _BACK = _turns()
_ROW_STEP = np.array([row for row, _ in _STEPS], np.int64)
_COLUMN_STEP = np.array([column for _, column in _STEPS], np.int64)
_0, _1, _3, _6, _7, _63 = (np.uint64(n) for n in (0, 1, 3, 6, 7, 63))


@kernel
def _three(words: Words, at: int) -> int:
    """Return the bits at - 1, at, at + 1 of flat words."""
    k = np.uint64(at - 1) >> _6
    shift = np.uint64(at - 1) & _63
    return ((words[k] >> shift) | ((words[k + _1] << _1) << (_63 - shift))) & _7


@kernel
def _neighbourhood(words: Words, at: int, row_bits: int) -> int:
    """Return the 9 bits around a pixel."""
    return (
        _three(words, at - row_bits)
        | (_three(words, at) << _3)
        | (_three(words, at + row_bits) << _6)
    )


@kernel
def _sides(words: Words, stride: int) -> Words:
    """Return the sides of all runs: the pixel that begins one and the one behind its end."""
    out = np.zeros(words.size, np.uint64)
    here, west, inside = words[stride:], words[stride - 1 :], out[stride:]
    for i in range(words.size - 2 * stride):
        inside[i] = here[i] ^ ((here[i] << _1) | (west[i] >> _63))
    return out


@kernel
def _numbered(sides: Words) -> NDArray[np.int32]:
    """Return the number of each word's first side, sides being numbered in raster order."""
    before = np.empty(sides.size + 1, np.int32)
    n = 0
    for k in range(sides.size):
        before[k] = n
        if sides[k] != _0:
            n += np.int64(ones(sides[k]))
    before[sides.size] = n
    return before


@kernel
def _number(sides: Words, before: NDArray[np.int32], side: int) -> int:
    """Return the number of a side."""
    k = np.uint64(side) >> _6
    lower = (_1 << (np.uint64(side) & _63)) - _1
    return before[k] + np.int64(ones(sides[k] & lower))


@kernel
def _mark(
    words: Words,
    row_bits: int,
    start: int,
    hole: int,
    number: int,
    sides: Words,
    before: NDArray[np.int32],
    owner: NDArray[np.int32],
) -> None:
    """Follow a border once and write its number to each side of a run that it passes."""
    back = _BACK[hole, _neighbourhood(words, start, row_bits)]
    if back == _ALONE:
        first = _number(sides, before, start)
        owner[first] = number
        owner[first + 1] = number
        return
    last = start + row_bits * _ROW_STEP[back] + _COLUMN_STEP[back]
    at = start
    entered = np.int64(back)
    while True:
        onward = _ONWARD[entered, _neighbourhood(words, at, row_bits)]
        if onward & _EAST_FREE:
            owner[_number(sides, before, at + 1)] = number
        if onward & _WEST_FREE:
            owner[_number(sides, before, at)] = number
        direction = np.int64(onward & 7)
        following = at + row_bits * _ROW_STEP[direction] + _COLUMN_STEP[direction]
        if following == start and at == last:
            return
        at = following
        entered = (direction + 4) & 7


@kernel
def find_borders(
    bits: Bits,
) -> tuple[NDArray[np.int64], NDArray[np.bool_], NDArray[np.int32]]:
    """Return the borders of a bit mask in order of discovery: first pixel, is hole, parent or -1.

    A pixel is the number of its bit.  The sides of the runs of each row are visited from west to
    east; a side that no border has passed begins one: an outer border on the west, a hole's on the
    east.  Its parent follows from the border at the side before it.
    """
    words = bits.reshape(-1)
    stride = bits.shape[1]
    row_bits = 64 * stride
    # Owners by the number of a side: a table of all pixels takes a hundred times the memory.
    sides = _sides(words, stride)
    before = _numbered(sides)
    # Numbers of borders from 1, 0 where none has passed.
    owner = np.zeros(before[-1], np.int32)
    # Long enough for any mask, so that nothing grows: memory that is not written to is not taken,
    # and arrays that change places in a loop are counted in every turn (0.07 ms at 512 x 512).
    starts = np.empty(owner.size, np.int64)
    holes = np.empty(owner.size, np.bool_)
    parents = np.empty(owner.size, np.int32)
    n = 0
    side = 0
    for row in range(1, bits.shape[0] - 1):
        last = 0
        for k in range(row * stride, (row + 1) * stride):
            left = sides[k]
            while left != _0:
                step = lowest_place(left)
                left &= left - _1
                if owner[side] == 0:
                    hole = (words[k] >> step) & _1 == _0
                    starts[n] = 64 * k + np.int64(step) - np.int64(hole)
                    holes[n] = hole
                    # An outer border lies in the hole to its west, or beside the border there; a
                    # hole lies in the outer border to its west, or beside the hole there.
                    parent = last - 1
                    if parent >= 0 and holes[parent] == hole:
                        parent = np.int64(parents[parent])
                    parents[n] = parent
                    n += 1
                    _mark(words, row_bits, starts[n - 1], np.int64(hole), n, sides, before, owner)
                last = np.int64(owner[side])
                side += 1
    return starts[:n].copy(), holes[:n].copy(), parents[:n].copy()


@kernel
def listing_order(parents: NDArray[np.int32]) -> NDArray[np.int32]:
    """Return OpenCV's order of a tree of borders: depth first, the latest sibling first."""
    n = parents.size
    child = np.full(n + 1, -1, np.int32)
    sibling = np.full(n, -1, np.int32)
    for i in range(n):
        sibling[i] = child[parents[i] + 1]
        child[parents[i] + 1] = i
    order = np.empty(n, np.int32)
    at = child[0]
    for j in range(n):
        order[j] = at
        if child[at + 1] >= 0:
            at = child[at + 1]
        else:
            while at >= 0 and sibling[at] < 0:
                at = parents[at]
            at = sibling[at] if at >= 0 else at
    return order


@kernel
def border_points(bits: Bits, start: int, hole: bool) -> Points:
    """Return the pixels of a border in the order of OpenCV's contours: int32[n, 2], row, column."""
    words = bits.reshape(-1)
    row_bits = 64 * bits.shape[1]
    points = np.empty((64, 2), np.int32)
    n = 0
    back = np.int64(_BACK[np.int64(hole), _neighbourhood(words, start, row_bits)])
    alone = back == _ALONE
    last = start if alone else start + row_bits * _ROW_STEP[back] + _COLUMN_STEP[back]
    at = start
    entered = back & 7
    while True:
        if n == points.shape[0]:
            longer = np.empty((2 * n, 2), np.int32)
            longer[:n] = points
            points = longer
        points[n, 0] = at // row_bits - 1
        points[n, 1] = at % row_bits - 1
        n += 1
        direction = np.int64(_ONWARD[entered, _neighbourhood(words, at, row_bits)] & 7)
        following = at + row_bits * _ROW_STEP[direction] + _COLUMN_STEP[direction]
        if alone or (following == start and at == last):
            return points[:n].copy()
        at = following
        entered = (direction + 4) & 7


@kernel
def _collect(
    words: Words,
    row_bits: int,
    start: int,
    hole: int,
    pending: Words,
    points: Points,
    ends: NDArray[np.int64],
) -> int:
    """Walk a border and gather the pixels of it that are still pending, in pieces.

    Fills `points` and, for each piece, where it ends there; takes the pixels off `pending`.
    Returns the number of pieces.
    """
    back = np.int64(_BACK[hole, _neighbourhood(words, start, row_bits)])
    alone = back == _ALONE
    last = start if alone else start + row_bits * _ROW_STEP[back] + _COLUMN_STEP[back]
    at = start
    row = start // row_bits
    column = start % row_bits
    entered = back & 7
    n = 0
    begun = 0
    pieces = 0
    while True:
        k = at >> 6
        bit = _1 << np.uint64(at & 63)
        if pending[k] & bit:
            pending[k] ^= bit
            points[n, 0] = row
            points[n, 1] = column
            n += 1
        elif n > begun:
            ends[pieces] = n
            pieces += 1
            begun = n
        direction = np.int64(_ONWARD[entered, _neighbourhood(words, at, row_bits)] & 7)
        following = at + row_bits * _ROW_STEP[direction] + _COLUMN_STEP[direction]
        if alone or (following == start and at == last):
            break
        at = following
        row += _ROW_STEP[direction]
        column += _COLUMN_STEP[direction]
        entered = (direction + 4) & 7
    if n > begun:
        ends[pieces] = n
        pieces += 1
    return pieces


@kernel
def _split_point(points: Points, first: int, last: int) -> tuple[int, float, float]:
    """Return the point farthest from the line through two, the earliest of several, its distance
    times the line's length, and that length squared."""
    down = np.int64(points[last, 0]) - points[first, 0]
    across = np.int64(points[last, 1]) - points[first, 1]
    farthest = 0
    at = first
    for i in range(first + 1, last):
        distance = abs(
            (np.int64(points[i, 0]) - points[first, 0]) * across
            - (np.int64(points[i, 1]) - points[first, 1]) * down
        )
        if distance > farthest:
            farthest = distance
            at = i
    return at, np.float64(farthest), np.float64(down * down + across * across)


@kernel
def _vertices(
    points: Points,
    first: int,
    stop: int,
    epsilon: float,
    pending: NDArray[np.int32],
    kept: NDArray[np.int32],
) -> int:
    """Write the vertices of an open polyline [first, stop) to `kept`; return their number.

    `pending` is a stack for the ends of the stretches still to be looked at.
    """
    limit = epsilon * epsilon
    n = 0
    begin = first
    depth = 1
    pending[0] = stop - 1
    # A stretch that is close to its chord is settled by its beginning; else its first half is next.
    while begin < stop - 1:
        end = pending[depth - 1]
        at, distance, length = _split_point(points, begin, end)
        if distance * distance <= limit * length:
            kept[n] = begin
            n += 1
            begin = end
            depth -= 1
        else:
            pending[depth] = at
            depth += 1
    kept[n] = stop - 1
    return _cleaned(points, kept, n + 1, limit)


@kernel
def _cleaned(points: Points, kept: NDArray[np.int32], n: int, limit: float) -> int:
    """Drop vertices that are almost on the line of their neighbours; return how many remain.

    The walk goes on from the vertex behind a dropped one, which it does not test.
    """
    remaining = n
    out = 1
    start = 0
    i = 1
    while i < n - 1 and remaining > 2:
        a, b, c = kept[start], kept[i], kept[i + 1]
        first_down = np.int64(points[b, 0]) - points[a, 0]
        first_across = np.int64(points[b, 1]) - points[a, 1]
        down = np.int64(points[c, 0]) - points[a, 0]
        across = np.int64(points[c, 1]) - points[a, 1]
        distance = np.float64(abs(first_across * down - first_down * across))
        forward = first_down * (down - first_down) + first_across * (across - first_across)
        close = distance * distance <= 0.5 * limit * np.float64(down * down + across * across)
        if close and down != 0 and across != 0 and forward >= 0:
            remaining -= 1
            i += 1
        kept[out] = kept[i]
        start = out
        out += 1
        i += 1
    while i < n:
        kept[out] = kept[i]
        out += 1
        i += 1
    return out


@kernel
def simplify(points: Points, epsilon: float) -> NDArray[np.int32]:
    """Return which points of an open polyline are its vertices, as OpenCV's approxPolyDP.

    `points` is int32[n, 2] with different ends, or a single point.
    """
    kept = np.empty(points.shape[0], np.int32)
    pending = np.empty(points.shape[0] + 1, np.int32)
    n = _vertices(points, np.int64(0), points.shape[0], epsilon, pending, kept)
    return kept[:n].copy()


@kernel
def _keep_borders(words: Words, stride: int, pending: Words) -> int:
    """Take off `pending` what is no pixel of a border; return how many are left."""
    here, inside = words[stride:], pending[stride:]
    west, east, south = words[stride - 1 :], words[stride + 1 :], words[2 * stride :]
    n = _0
    for i in range(words.size - 2 * stride):
        around = (here[i] << _1) | (west[i] >> _63)
        around &= (here[i] >> _1) | (east[i] << _63)
        inside[i] &= here[i] & ~(around & words[i] & south[i])
        n += ones(inside[i])
    return np.int64(n)


@kernel
def _touch(points: Points, a: int, b: int) -> bool:
    """Tell whether two different points are neighbours."""
    return abs(points[a, 0] - points[b, 0]) <= 1 and abs(points[a, 1] - points[b, 1]) <= 1


@kernel
def control_points(bits: Bits, near: Bits, epsilon: float) -> tuple[int, int]:
    """Return how many control points and how many independent regions correct a mask of errors.

    The borders of `bits` are walked in OpenCV's order.  A pixel counts once, where `near` is set;
    pieces of consecutive counted pixels are simplified to `epsilon`, and their vertices are the
    control points.  A region none of whose pixels counted is independent.
    """
    words = bits.reshape(-1)
    row_bits = 64 * bits.shape[1]
    pending = near.copy().reshape(-1)
    # No piece is longer than this; memory that is not written to is not taken.
    most = _keep_borders(words, bits.shape[1], pending)
    points = np.empty((2 * most + 1, 2), np.int32)
    ends = np.empty(most + 1, np.int64)
    kept = np.empty(most + 1, np.int32)
    stack = np.empty(most + 2, np.int32)
    starts, holes, parents = find_borders(bits)
    order = listing_order(parents)
    counted = np.zeros(starts.size, np.bool_)
    n = 0
    for j in range(order.size):
        i = order[j]
        pieces = _collect(words, row_bits, starts[i], np.int64(holes[i]), pending, points, ends)
        if pieces == 0:
            continue
        counted[parents[i] if holes[i] else i] = True
        # Typed, because Numba compiles a function anew for a literal.
        begin = np.int64(0)
        first = 0
        if pieces > 1 and _touch(points, begin, ends[pieces - 1] - 1):
            # The first piece, turned round, continues the last.
            begin = ends[0]
            first = 1
            end = ends[pieces - 1]
            for k in range(begin - 1, -1, -1):
                points[end, 0] = points[k, 0]
                points[end, 1] = points[k, 1]
                end += 1
            ends[pieces - 1] = end
        for piece in range(first, pieces):
            n += _vertices(points, begin, ends[piece], epsilon, stack, kept)
            begin = ends[piece]
    independent = 0
    for i in range(starts.size):
        if not holes[i] and not counted[i]:
            independent += 1
    return n, independent
