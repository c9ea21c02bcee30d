"""Thinning of a binary volume to lines of one voxel, pixel-identical to scikit-image's.

The algorithm of Lee, Kashyap and Chu, "Building skeleton models via 3-D medial surface/axis
thinning algorithms", 1994.  Rows are cut into words of 62 voxels with a copy of the next one at
either end, so that whatever the bit, a neighbourhood is three bits of nine words.  The words are
flat below: `row` and `plane` are how many a row and a plane have, `i` is the place of one.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fastsegmetrics.kernels._jit import kernel
from fastsegmetrics.kernels._words import ones
from fastsegmetrics.kernels.bitmask import lowest_place
from fastsegmetrics.kernels.surface import BitVolume, extent

#: Flat words of 62 voxels, uint64[n].
Words = NDArray[np.uint64]

_0, _1, _2, _3, _7, _9 = (np.uint64(n) for n in (0, 1, 2, 3, 7, 9))
_16, _28, _32, _61, _63 = (np.uint64(n) for n in (16, 28, 32, 61, 63))
_OWN = np.uint64(0x7FFFFFFFFFFFFFFE)
_FIRST_OWN, _LAST_OWN, _LAST = np.uint64(1 << 1), np.uint64(1 << 62), np.uint64(1 << 63)


def _of_neighbours(*places: int) -> np.uint64:
    return np.uint64(sum(1 << place for place in places))


# A neighbourhood is 27 bits, (z, y, x) at 9 z + 3 y + x; 13 is its centre.
_OTHERS = _of_neighbours(*(k for k in range(27) if k != 13))
_NOT_FIRST = _of_neighbours(*(k for k in range(27) if k % 3 > 0))
_NOT_LAST = _of_neighbours(*(k for k in range(27) if k % 3 < 2))
_NOT_UPPER = _of_neighbours(*(k for k in range(27) if k // 3 % 3 > 0))
_NOT_LOWER = _of_neighbours(*(k for k in range(27) if k // 3 % 3 < 2))
#: The faces of the centre by the neighbours that share them; its edges along x, y and z, and its
#: corners, by the first of the voxels that share them.
_FACES = _of_neighbours(4, 10, 12, 14, 16, 22)
_EDGES_X = _of_neighbours(1, 4, 10, 13)
_EDGES_Y = _of_neighbours(3, 4, 12, 13)
_EDGES_Z = _of_neighbours(9, 10, 12, 13)
_CORNERS = _of_neighbours(0, 1, 3, 4, 9, 10, 12, 13)


@kernel
def _around(solid: Words, i: int, at: int, row: int, plane: int) -> int:
    """Return the neighbourhood of bit `at` of word `i`."""
    shift = at - _1
    found = _0
    for z in range(3):
        for y in range(3):
            three = (solid[i + (z - 1) * plane + (y - 1) * row] >> shift) & _7
            found |= three << np.uint64(9 * z + 3 * y)
    return found


@kernel
def _keeps_euler(others: int) -> bool:
    """Whether the Euler characteristic stays when the centre goes.

    Voxels are closed cubes.  With the centre go its cube and those faces, edges and corners that no
    other voxel has: nothing changes if of those that others have, corners - edges + faces is 1.
    """
    along_x = others | (others >> _1)
    along_y = others | (others >> _3)
    level = along_x | (along_x >> _3)
    edges = level & _EDGES_Z
    edges |= ((along_x | (along_x >> _9)) & _EDGES_Y) << _16
    edges |= ((along_y | (along_y >> _9)) & _EDGES_X) << _32
    corners = (level | (level >> _9)) & _CORNERS
    return ones(corners | ((others & _FACES) << _28)) == ones(edges) + _1


@kernel
def _connected(others: int) -> bool:
    """Whether neighbours are one 26-component; so is none."""
    reached = others & (~others + _1)
    while True:
        grown = reached | ((reached & _NOT_LAST) << _1) | ((reached & _NOT_FIRST) >> _1)
        grown |= ((grown & _NOT_LOWER) << _3) | ((grown & _NOT_UPPER) >> _3)
        grown |= (grown << _9) | (grown >> _9)
        grown &= others
        if grown == others:
            return True
        if grown == reached:
            return False
        reached = grown


@kernel
def _deletable(others: int) -> bool:
    """Whether a voxel with these neighbours ends no line, and its deletion changes no topology."""
    return others & (others - _1) != _0 and _keeps_euler(others) and _connected(others)


@kernel
def _free(solid: Words, i: int, side: int, row: int, plane: int) -> int:
    """Return the voxels of word `i` that have background on a side."""
    word = solid[i]
    if side == 0:
        beside = solid[i - row]
    elif side == 1:
        beside = solid[i + row]
    elif side == 2:
        beside = word >> _1
    elif side == 3:
        beside = word << _1
    elif side == 4:
        beside = solid[i + plane]
    else:
        beside = solid[i - plane]
    return word & ~beside & _OWN


@kernel
def _judge(
    solid: Words,
    dirty: Words,
    ready: Words,
    side: int,
    row: int,
    plane: int,
    where: NDArray[np.int64],
    which: Words,
) -> int:
    """List the words with voxels to delete from a side; return how many.

    What a voxel's neighbourhood says of it holds, from every side, until the neighbourhood loses a
    voxel: `ready` are voxels found deletable, `dirty` those to look at (again).
    """
    n = 0
    for i in range(plane + row, solid.size - plane - row):
        awake = dirty[i] | ready[i]
        if awake == _0:
            continue
        border = awake & _free(solid, i, side, row, plane)
        due = border & dirty[i]
        dirty[i] &= ~due
        while due != _0:
            bit = due & (~due + _1)
            due ^= bit
            others = _around(solid, i, lowest_place(bit), row, plane) & _OTHERS
            if _deletable(others):
                ready[i] |= bit
            else:
                ready[i] &= ~bit
        border &= ready[i]
        if border != _0:
            where[n] = i
            which[n] = border
            n += 1
    return n


@kernel
def _wake(dirty: Words, i: int, gone: int, row: int, plane: int) -> None:
    """Mark what lies around voxels that word `i` has lost."""
    near = gone | (gone << _1) | (gone >> _1)
    before, after = (gone & _FIRST_OWN) << _61, (gone & _LAST_OWN) >> _61
    for z in range(-1, 2):
        for y in range(-1, 2):
            j = i + z * plane + y * row
            dirty[j] |= near
            if before != _0:
                dirty[j - 1] |= before
            if after != _0:
                dirty[j + 1] |= after


@kernel
def _delete(solid: Words, dirty: Words, i: int, chosen: int, row: int, plane: int) -> int:
    """Delete voxels of word `i`, one after another, that are still simple; return those."""
    gone = _0
    while chosen != _0:
        bit = chosen & (~chosen + _1)
        chosen ^= bit
        # Without a loss around it since it was judged it is simple still.
        if (dirty[i] | (gone << _1)) & bit != _0:
            others = _around(solid, i, lowest_place(bit), row, plane) & _OTHERS
            if not _connected(others):
                continue
        gone |= bit
        solid[i] ^= bit
    # Their copies in the words beside.
    if gone & _FIRST_OWN:
        solid[i - 1] &= ~_LAST
    if gone & _LAST_OWN:
        solid[i + 1] &= ~_1
    return gone


@kernel
def _thin_words(solid: Words, row: int, plane: int, planar: bool) -> None:
    """Thin flat words in place, of which a row and a plane have so many."""
    dirty, ready = np.zeros_like(solid), np.zeros_like(solid)
    where, which = np.empty(solid.size, np.int64), np.empty_like(solid)
    for i in range(plane + row, solid.size - plane - row):
        for side in range(6):
            dirty[i] |= _free(solid, i, side, row, plane)
    busy = True
    while busy:
        busy = False
        for side in range(4 if planar else 6):
            n = _judge(solid, dirty, ready, side, row, plane, where, which)
            for k in range(n):
                i = where[k]
                gone = _delete(solid, dirty, i, which[k], row, plane)
                ready[i] &= ~gone
                if gone != _0:
                    busy = True
                    _wake(dirty, i, gone, row, plane)


@kernel
def _cut(bits: BitVolume, box: NDArray[np.int64], words: int) -> NDArray[np.uint64]:
    """Return what a box of a bit volume holds as words of 62 voxels, with empty ones around."""
    depth, height = box[0, 1] - box[0, 0], box[1, 1] - box[1, 0]
    solid = np.zeros((depth + 2, height + 2, words), np.uint64)
    for z in range(depth):
        for y in range(height):
            line = bits[box[0, 0] + z, box[1, 0] + y]
            for k in range(words):
                at = 63 + box[2, 0] + 62 * k
                shift = np.uint64(at & 63)
                upper = (line[(at >> 6) + 1] << _1) << (_63 - shift)
                solid[z + 1, y + 1, k] = (line[at >> 6] >> shift) | upper
    return solid


@kernel
def _paste(solid: NDArray[np.uint64], box: NDArray[np.int64], bits: BitVolume) -> None:
    """Set in an empty bit volume what words of 62 voxels hold."""
    for z in range(solid.shape[0] - 2):
        for y in range(solid.shape[1] - 2):
            line = bits[box[0, 0] + z, box[1, 0] + y]
            for k in range(solid.shape[2]):
                word = (solid[z + 1, y + 1, k] & _OWN) >> _1
                if word == _0:
                    continue
                at = 64 + box[2, 0] + 62 * k
                shift = np.uint64(at & 63)
                line[at >> 6] |= word << shift
                if shift > _2:
                    line[(at >> 6) + 1] |= word >> (_63 - shift) >> _1


@kernel
def thin_volume(bits: BitVolume) -> BitVolume:
    """Return the skeleton of a bit volume (`kernels.surface`).

    From each of six sides in turn, voxels are marked whose deletion leaves the Euler characteristic
    and the 26-components of their neighbourhood as they are, ends of lines excepted; then, in the
    order of the array, those are deleted that are still simple when their turn comes.  Until no
    side loses any.  A volume of one plane is thinned from the four sides in it.

    A voxel is looked at when it lies at the border and its neighbourhood has lost a voxel: the work
    is that of the moving border, not of the volume times the number of passes.
    """
    out = np.zeros_like(bits)
    box = extent(bits, bits)
    if box[0, 1] == 0:
        return out
    # The last word is never full, and each word that has something has another after it.
    words = (box[2, 1] - box[2, 0]) // 62 + 1
    solid = _cut(bits, box, words)
    _thin_words(solid.reshape(-1), words, words * solid.shape[1], bits.shape[0] == 1)
    _paste(solid, box, out)
    return out
