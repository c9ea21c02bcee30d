"""Border following as Suzuki and Abe (1985) describe it, and polygons by recursion."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fastsegmetrics.reference.bitmask import Bits, unpack

Point = tuple[int, int]

#: Steps counter-clockwise from east.
_AROUND = ((0, 1), (-1, 1), (-1, 0), (-1, -1), (0, -1), (1, -1), (1, 0), (1, 1))


def _follow(f: NDArray[np.int64], start: Point, outside: Point, number: int) -> list[Point]:
    """Follow one border of padded `f`, label it as in step 3, and return its pixels.

    `outside` is the zero pixel beside `start` that the search begins from.
    """
    row, column = start
    side = _AROUND.index((outside[0] - row, outside[1] - column))
    for turn in range(1, 8):
        step = _AROUND[(side - turn) % 8]
        if f[row + step[0], column + step[1]] != 0:
            last = (row + step[0], column + step[1])
            break
    else:
        f[start] = -number
        return [start]
    points = []
    here, previous = start, last
    while True:
        points.append(here)
        came = _AROUND.index((previous[0] - here[0], previous[1] - here[1]))
        east_was_empty = False
        for turn in range(1, 9):
            direction = (came + turn) % 8
            step = _AROUND[direction]
            following = (here[0] + step[0], here[1] + step[1])
            if f[following] != 0:
                break
            east_was_empty = east_was_empty or direction == 0
        if east_was_empty:
            f[here] = -number
        elif f[here] == 1:
            f[here] = number
        if following == start and here == last:
            return points
        here, previous = following, here


def trace(g: NDArray[np.bool_]) -> tuple[list[list[Point]], list[bool], list[int]]:
    """Return the borders of a mask in order of discovery: pixels, is hole, parent or -1."""
    f = np.pad(g.astype(np.int64), 1)
    borders: list[list[Point]] = []
    holes: list[bool] = []
    parents: list[int] = []
    for row in range(1, f.shape[0] - 1):
        last = 1
        for column in range(1, f.shape[1] - 1):
            if f[row, column] == 0:
                continue
            begins = []
            if f[row, column] == 1 and f[row, column - 1] == 0:
                begins.append((False, column - 1))
            # A pixel that begins an outer border may, once that is labelled, begin a hole's.
            begins.append((True, column + 1))
            for hole, beside in begins:
                if hole and not (f[row, column] >= 1 and f[row, column + 1] == 0):
                    continue
                if hole and f[row, column] > 1:
                    last = int(f[row, column])
                number = len(borders) + 2
                # Border 1 is the frame, which is a hole.
                kind = True if last == 1 else holes[last - 2]
                parent = last if kind != hole else (1 if last == 1 else parents[last - 2] + 2)
                points = _follow(f, (row, column), (row, beside), number)
                borders.append([(r - 1, c - 1) for r, c in points])
                holes.append(hole)
                parents.append(parent - 2)
            if f[row, column] != 1:
                last = abs(int(f[row, column]))
    return borders, holes, parents


def _width(bits: Bits) -> int:
    return 64 * bits.shape[1] - 1


def find_borders(bits: Bits) -> tuple[NDArray[np.int64], NDArray[np.bool_], NDArray[np.int32]]:
    """Return the borders of a bit mask in order of discovery: first pixel, is hole, parent or -1.

    A pixel is the number of its bit.
    """
    borders, holes, parents = trace(unpack(bits, _width(bits)) > 0)
    row_bits = 64 * bits.shape[1]
    starts = [(row + 1) * row_bits + column + 1 for (row, column), *_ in borders]
    return np.array(starts, np.int64), np.array(holes, bool), np.array(parents, np.int32)


def listing_order(parents: NDArray[np.int32]) -> NDArray[np.int32]:
    """Return OpenCV's order of a tree of borders: depth first, the latest sibling first."""
    order: list[int] = []
    waiting = [i for i, parent in enumerate(parents) if parent == -1]
    while waiting:
        order.append(waiting.pop())
        waiting += [i for i, parent in enumerate(parents) if parent == order[-1]]
    return np.array(order, np.int32)


def border_points(bits: Bits, start: int, hole: bool) -> NDArray[np.int32]:
    """Return the pixels of a border in the order of OpenCV's contours: int32[n, 2], row, column."""
    row, column = divmod(start, 64 * bits.shape[1])
    f = np.pad(unpack(bits, _width(bits)).astype(np.int64), 1)
    points = _follow(f, (row, column), (row, column + 1 if hole else column - 1), 2)
    return np.array(points, np.int32) - 1


def simplify(points: NDArray[np.int32], epsilon: float) -> NDArray[np.int32]:
    """Return which points of an open polyline are its vertices, as OpenCV's approxPolyDP."""
    walk = [(int(row), int(column)) for row, column in points]
    kept = _halved(walk, 0, len(walk) - 1, epsilon**2)
    out = [kept[0]]
    i = 1
    dropped = 0
    while i < len(kept) - 1:
        if len(kept) - dropped > 2 and _is_idle(walk, out[-1], kept[i], kept[i + 1], epsilon**2):
            dropped += 1
            i += 1
        out.append(kept[i])
        i += 1
    if i < len(kept):
        out.append(kept[i])
    return np.array(out, np.int32)


def _distance(point: Point, a: Point, b: Point) -> tuple[int, int]:
    """Return a point's distance from the line through two, times their distance, and its square."""
    down, across = b[0] - a[0], b[1] - a[1]
    return abs((point[0] - a[0]) * across - (point[1] - a[1]) * down), down**2 + across**2


def _halved(walk: list[Point], first: int, last: int, limit: float) -> list[int]:
    """Return the vertices by Douglas and Peucker: split at the first point that is farthest off."""
    if first == last:
        return [first]
    off = [_distance(walk[i], walk[first], walk[last])[0] for i in range(first, last)]
    square = _distance(walk[first], walk[first], walk[last])[1]
    if max(off) ** 2 <= limit * square:
        return [first, last]
    middle = first + off.index(max(off))
    return _halved(walk, first, middle, limit)[:-1] + _halved(walk, middle, last, limit)


def _is_idle(walk: list[Point], a: int, b: int, c: int, limit: float) -> bool:
    """Tell whether a vertex is dropped in the clean-up: almost on an oblique line, and onward."""
    (ar, ac), (br, bc), (cr, cc) = walk[a], walk[b], walk[c]
    off, square = _distance(walk[b], walk[a], walk[c])
    onward = (br - ar) * (cr - br) + (bc - ac) * (cc - bc)
    return off**2 <= limit / 2 * square and ar != cr and ac != cc and onward >= 0


def control_points(bits: Bits, near: Bits, epsilon: float) -> tuple[int, int]:
    """Return how many control points and how many independent regions correct a mask of errors."""
    width = _width(bits)
    return count_corrections(unpack(bits, width) > 0, unpack(near, width) > 0, epsilon)


def count_corrections(
    errors: NDArray[np.bool_], near: NDArray[np.bool_], epsilon: float
) -> tuple[int, int]:
    """Return the control points and the independent regions of a mask of errors."""
    borders, holes, parents = trace(errors)
    seen: set[Point] = set()
    touched: set[int] = set()
    n = 0
    for i in listing_order(np.array(parents, np.int32)).tolist():
        pieces: list[list[Point]] = [[]]
        for point in borders[i]:
            if near[point] and point not in seen:
                seen.add(point)
                pieces[-1].append(point)
            elif pieces[-1]:
                pieces.append([])
        pieces = [piece for piece in pieces if piece]
        if pieces:
            touched.add(parents[i] if holes[i] else i)
        if len(pieces) > 1:
            (row, column), (last_row, last_column) = pieces[0][0], pieces[-1][-1]
            if max(abs(row - last_row), abs(column - last_column)) == 1:
                pieces[-1] += pieces.pop(0)[::-1]
        n += sum(simplify(np.array(piece, np.int32), epsilon).size for piece in pieces)
    regions = [i for i in range(len(borders)) if not holes[i]]
    return n, sum(i not in touched for i in regions)
