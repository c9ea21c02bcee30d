"""Twins of ``kernels.elements``, and the area of a surface element from its definition.

The surface inside a cell of 2 x 2 x 2 voxels is that of classic marching cubes with its vertices at
the middle of edges: closed loops on the faces of the cell, each filled with triangles.  A cell with
more than four corners set takes its complement's; on a face with one diagonal pair set, the two
are kept apart; of the ways to fill a loop the one of the largest area (at unit spacing) is taken.
In planes a cell has 2 x 2 pixels and the surface is its segments.
"""

from __future__ import annotations

import functools
import itertools
import math

import numpy as np
from numpy.typing import NDArray

from fastsegmetrics.reference.surface import pack_rows, unpacked

Point = tuple[int, ...]
Triangle = tuple[Point, Point, Point]


def corners(code: int, n_axes: int) -> list[Point]:
    """Return the set corners of a cell; bit i is the i-th corner, those of the last axis first."""
    every = list(itertools.product((0, 1), repeat=n_axes))
    return [corner for i, corner in enumerate(every) if code >> i & 1]


def _faces() -> list[list[Point]]:
    """Return the six faces of a cube, each as its four corners in turn."""
    faces = []
    for axis, side in itertools.product(range(3), (0, 1)):
        square = [(0, 0), (0, 1), (1, 1), (1, 0)]
        faces.append([(*pair[:axis], side, *pair[axis:]) for pair in square])
    return faces


def _middle(one: Point, other: Point) -> Point:
    """Return the middle of an edge, in half steps."""
    return tuple(a + b for a, b in zip(one, other))


def _segments(inside: set[Point]) -> list[tuple[Point, Point]]:
    """Return where the surface cuts the faces; corners of a diagonal pair are cut off singly."""
    found = []
    for face in _faces():
        after = [*face[1:], face[0]]
        crossed = {
            i: _middle(face[i], after[i])
            for i in range(4)
            if (face[i] in inside) != (after[i] in inside)
        }
        if len(crossed) == 2:
            found.append(tuple(crossed.values()))
        elif len(crossed) == 4:
            found += [(crossed[(i - 1) % 4], crossed[i]) for i in range(4) if face[i] in inside]
    return [(one, other) for one, other in found]


def _loops(inside: set[Point]) -> list[list[Point]]:
    """Join the segments: each vertex ends two of them."""
    beside: dict[Point, list[Point]] = {}
    for one, other in _segments(inside):
        beside.setdefault(one, []).append(other)
        beside.setdefault(other, []).append(one)
    loops = []
    while beside:
        at = min(beside)
        loop = []
        while at in beside:
            loop.append(at)
            following = [vertex for vertex in beside.pop(at) if vertex in beside]
            at = following[0] if following else at
        loops.append(loop)
    return loops


def _fillings(loop: list[Point]) -> list[list[Triangle]]:
    """Return every way to fill a polygon with triangles between its vertices."""
    if len(loop) < 3:
        return [[]]
    ways = []
    for k in range(1, len(loop) - 1):
        for left in _fillings(loop[: k + 1]):
            for right in _fillings(loop[k:]):
                ways.append([*left, *right, (loop[0], loop[k], loop[-1])])
    return ways


def cross_product(triangle: Triangle) -> NDArray[np.int64]:
    """Return eight times a triangle's area vector: its vertices are in half steps."""
    first, second, third = (np.array(point) for point in triangle)
    return np.cross(second - first, third - first)


@functools.lru_cache(maxsize=256)
def triangles(code: int) -> tuple[Triangle, ...]:
    """Return the triangles of a cell's surface, their vertices in half steps."""
    inside = set(corners(code, 3))
    if len(inside) > 4:
        inside = set(corners(255 - code, 3))
    found: list[Triangle] = []
    for loop in _loops(inside):
        found += max(
            _fillings(loop),
            key=lambda way: round(sum(float(np.linalg.norm(cross_product(t))) for t in way), 9),
        )
    return tuple(found)


def cell_area(code: int, spacing: tuple[float, ...]) -> float:
    """Return the area of a cell's surface, or the length of a pixel cell's boundary."""
    if len(spacing) == 2:
        return _cell_length(code, spacing)
    first, second, third = spacing
    scale = np.array([second * third, first * third, first * second])
    # The cross product of half steps is four times that of steps; half of it is an area.
    return math.fsum(float(np.linalg.norm(cross_product(t) * scale)) / 8 for t in triangles(code))


def _cell_length(code: int, spacing: tuple[float, ...]) -> float:
    inside = corners(code, 2)
    if len(inside) in (0, 4):
        return 0.0
    oblique = math.hypot(*spacing) / 2
    if len(inside) != 2:
        return oblique
    (row, column), (other_row, other_column) = inside
    if row != other_row and column != other_column:
        return 2 * oblique
    return spacing[0] if column == other_column else spacing[1]


def codes_of(mask: NDArray[np.uint8]) -> NDArray[np.int64]:
    """Return the code of each cell, one more along each axis than there are voxels."""
    padded = np.pad(mask != 0, 1).astype(np.int64)
    codes = np.zeros([side + 1 for side in mask.shape], np.int64)
    for i, corner in enumerate(itertools.product((0, 1), repeat=mask.ndim)):
        shifted = padded[tuple(slice(c, c + n + 1) for c, n in zip(corner, mask.shape))]
        codes |= shifted << i
    return codes


def elements_of(
    mask: NDArray[np.uint8], spacing: tuple[float, ...]
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return the cells (N, axes) that the surface passes, and their areas."""
    codes = codes_of(mask)
    places = np.argwhere((codes > 0) & (codes < 2 ** (2**mask.ndim) - 1))
    areas = [cell_area(int(codes[tuple(place)]), spacing) for place in places]
    return places, np.array(areas, np.float64)


def element_cells(bits: NDArray[np.uint64], planar: bool) -> NDArray[np.uint64]:
    """Return the cells whose corners differ."""
    codes = _codes(bits, planar)
    return pack_rows((codes > 0) & (codes < (15 if planar else 255)))


def element_areas(
    bits: NDArray[np.uint64],
    cells: NDArray[np.uint64],
    areas: NDArray[np.float64],
    planar: bool,
    count: int,
) -> NDArray[np.float64]:
    """Return the area of each cell, in their order, from a table by code."""
    found: NDArray[np.float64] = areas[_codes(bits, planar)[unpacked(cells)]]
    assert found.size == count
    return found


def _codes(bits: NDArray[np.uint64], planar: bool) -> NDArray[np.int64]:
    """Return codes by cell, as many as the bit volume has places for voxels."""
    voxels = unpacked(bits).astype(np.uint8)
    if planar:
        return codes_of(voxels[0])[None, :-1, :-1]
    return codes_of(voxels)[:-1, :-1, :-1]
