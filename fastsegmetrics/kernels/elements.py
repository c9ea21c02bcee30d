"""Surface elements: the cells between voxels, of which some corners are in the mask and some not.

Cell (z, y, x) has voxel (z, y, x) as its last corner and (z - 1, y - 1, x - 1) as its first, so
that a volume has one more of them along each axis.  Its code has one bit for each corner, the first
corner's lowest and those along the last axis next to each other.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fastsegmetrics.kernels._jit import kernel
from fastsegmetrics.kernels.bitmask import lowest_place
from fastsegmetrics.kernels.surface import BitVolume

_1, _63 = np.uint64(1), np.uint64(63)
_ALL = np.uint64(0xFFFFFFFFFFFFFFFF)


@kernel
def element_cells(bits: BitVolume, planar: bool) -> BitVolume:
    """Return the cells whose corners differ; the volume has a margin of 1 (`pack_volume`)."""
    depth, height, words = bits.shape
    out = np.zeros_like(bits)
    first = 0 if planar else -1
    for z in range(depth):
        for y in range(height):
            for k in range(1, words):
                some, all_ = np.uint64(0), _ALL
                for dz in range(first, 1):
                    for dy in range(-1, 1):
                        word = beside = np.uint64(0)
                        if z + dz >= 0 and y + dy >= 0:
                            word = bits[z + dz, y + dy, k]
                            beside = (word << _1) | (bits[z + dz, y + dy, k - 1] >> _63)
                        some |= word | beside
                        all_ &= word & beside
                out[z, y, k] = some & ~all_
    return out


@kernel
def _code(bits: BitVolume, planar: bool, z: int, y: int, position: int) -> int:
    """Return the code of the cell whose last corner is bit `position` of row (z, y)."""
    code = place = 0
    for dz in range(0 if planar else -1, 1):
        for dy in range(-1, 1):
            for at in range(position - 1, position + 1):
                if z + dz >= 0 and y + dy >= 0:
                    word = bits[z + dz, y + dy, at >> 6]
                    code |= np.int64((word >> (np.uint64(at) & _63)) & _1) << place
                place += 1
    return code


@kernel
def element_areas(
    bits: BitVolume, cells: BitVolume, areas: NDArray[np.float64], planar: bool, count: int
) -> NDArray[np.float64]:
    """Return the area of each of the `count` cells, in their order, from a table by code."""
    depth, height, words = cells.shape
    out = np.empty(count)
    n = 0
    for z in range(depth):
        for y in range(height):
            for k in range(1, words):
                word = cells[z, y, k]
                while word:
                    position = 64 * k + np.int64(lowest_place(word))
                    out[n] = areas[_code(bits, planar, z, y, position)]
                    word &= word - _1
                    n += 1
    return out
