"""Thinning of a binary mask to lines of one pixel, pixel-identical to scikit-image's."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fastsegmetrics.kernels._jit import kernel
from fastsegmetrics.kernels.bitmask import Bits, lowest_place

#: Flat tiles, uint64[n], and places in them or turns, int32[n].
Tiles = NDArray[np.uint64]
Places = NDArray[np.int32]

#: The neighbours in ring order from north clockwise, as steps of row and column.
_RING = ((-1, 0), (-1, 1), (0, 1), (1, 1), (1, 0), (1, -1), (0, -1), (-1, -1))
_NAMES = ("N", "NE", "E", "SE", "S", "SW", "W", "NW")
#: Neighbourhoods, by their set neighbours, at which scikit-image departs from Zhang and Suen:
#: the passes (1, 2, both: 3, none: 0) in which their centre is deleted.
_DEPARTURES = {
    1: "NW·N, N·NE, NE·E, N·NE·E, NW·N·W, NW·N·E, N·NE·W, NW·S·W, N·SW·W, N·NE·SW·W",
    2: "E·SE, S·SW, SW·W, E·SE·S, S·SW·W, N·E·SE, E·S·SW, NE·E·S·SW, SE·S·W",
    3: "N·E, E·S, S·W, N·W",
    0: "SE·S, NW·W",
}


def _passes_of_zhang_and_suen(ring: tuple[int, ...]) -> int:
    """Return the passes (1, 2 or 3 for both) that delete a pixel with these ring neighbours."""
    rises = sum(a < b for a, b in zip(ring, (*ring[1:], ring[0])))
    if rises != 1 or not 2 <= sum(ring) <= 6:
        return 0
    north, east, south, west = ring[0::2]
    first = not (north and east and south) and not (east and south and west)
    second = not (north and east and west) and not (north and south and west)
    return first + 2 * second


def _decisions() -> NDArray[np.uint64]:
    """Return the passes by neighbourhood: 9 bits, rows of three from the north-west."""
    departures = {
        frozenset(names.split("·")): passes
        for passes, listed in _DEPARTURES.items()
        for names in listed.split(", ")
    }
    table = np.zeros(512, np.uint64)
    for index in range(512):
        ring = tuple(index >> (3 * (r + 1) + c + 1) & 1 for r, c in _RING)
        names = frozenset(name for name, bit in zip(_NAMES, ring) if bit)
        passes = departures.get(names, _passes_of_zhang_and_suen(ring))
        table[index] = passes if index >> 4 & 1 else 0
    return table


_PASSES = _decisions()

#: A tile is a word: 8 x 8 pixels from the north-west, of which the inner 6 x 6 are its own and the
#: rim copies of its neighbours'.
_OWN = np.uint64(0x007E7E7E7E7E7E00)
_NORTH_ROW = np.uint64(0x0000000000007E00)
_SOUTH_ROW = np.uint64(0x007E000000000000)
_WEST_COLUMN = np.uint64(0x0002020202020200)
_EAST_COLUMN = np.uint64(0x0040404040404000)
_NEIGHBOURHOOD = np.uint64(0x0000000000070707)
_LINE = np.uint64(0xFF)
_0, _1, _5, _6, _7, _8, _9, _10 = (np.uint64(n) for n in (0, 1, 5, 6, 7, 8, 9, 10))
_MIDDLE, _UPPER = np.uint64(0o70), np.uint64(0o700)
_48, _63 = np.uint64(48), np.uint64(63)


@kernel
def _into_tiles(bits: Bits, width: int, tiles: NDArray[np.uint64]) -> None:
    """Cut a bit mask into the tiles [1:-1, 1:-1] of a grid."""
    for row in range(1, bits.shape[0] - 1):
        j = row // 6 + 1
        line = np.uint64(8 * (row % 6))
        for k in range(1, tiles.shape[1] - 1):
            start = 6 * (k - 1)
            word = start >> 6
            shift = np.uint64(start & 63)
            first = bits[row, word]
            second = bits[row, word + 1] if word + 1 < bits.shape[1] else _0
            if first | second == _0:
                continue
            eight = ((first >> shift) | ((second << _1) << (_63 - shift))) & _LINE
            tiles[j, k] |= eight << line
            if line <= _8:
                tiles[j - 1, k] |= eight << (line + _48)


@kernel
def _out_of_tiles(tiles: NDArray[np.uint64], bits: Bits) -> None:
    """Set in an empty bit mask the pixels of tiles."""
    for j in range(1, tiles.shape[0] - 1):
        for k in range(1, tiles.shape[1] - 1):
            tile = tiles[j, k] & _OWN
            line = 6 * (j - 1) + 1
            at = 6 * (k - 1)
            shift = np.uint64(at & 63)
            tile >>= _8
            while tile != _0:
                eight = tile & _LINE
                bits[line, at >> 6] |= eight << shift
                if shift > _63 - _7:
                    bits[line, (at >> 6) + 1] |= eight >> (_1 + _63 - shift)
                tile >>= _8
                line += 1


@kernel
def _deletions(tile: int, second: int) -> int:
    """Return the pixels of its own that a tile loses in the first pass or in the second."""
    # Three quarters of a border's pixels need no table: a pass leaves a pixel alone unless two
    # sides of it, or either of the other two, are free.
    north, south, west, east = tile << _8, tile >> _8, tile << _1, tile >> _1
    spared = north & west & (east | south) if second else east & south & (north | west)
    candidates = tile & _OWN & ~spared
    deleted = _0
    kind = np.uint64(second)
    while candidates != _0:
        at = lowest_place(candidates)
        candidates &= candidates - _1
        around = (tile >> (at - _9)) & _NEIGHBOURHOOD
        index = (around & _7) | ((around >> _5) & _MIDDLE) | ((around >> _10) & _UPPER)
        deleted |= ((_PASSES[index] >> kind) & _1) << at
    return deleted


@kernel
def _decide(
    tiles: Tiles,
    due: Places,
    touched: Places,
    but: int,
    second: int,
    changed: Places,
    lost: Tiles,
    n: int,
) -> int:
    """Write down what due tiles lose, but for those touched in turn `but`; return the new `n`."""
    for j in range(due.size):
        i = due[j]
        if touched[i] != but:
            found = _deletions(tiles[i], second)
            if found != _0:
                changed[n] = i
                lost[n] = found
                n += 1
    return n


@kernel
def _take(tiles: Tiles, i: int, lost: int, turn: int, touched: Places, due: Places, n: int) -> int:
    """Delete pixels of a tile or of its rim, and list it once a turn as one to look at again."""
    tiles[i] &= ~lost
    if touched[i] != turn:
        touched[i] = turn
        due[n] = i
        n += 1
    return n


@kernel
def _delete(
    tiles: Tiles, i: int, lost: int, across: int, turn: int, touched: Places, due: Places, n: int
) -> int:
    """Delete pixels of tile `i`, and their copies in the tiles around it; return the new `n`."""
    n = _take(tiles, i, lost, turn, touched, due, n)
    north, south = lost & _NORTH_ROW, lost & _SOUTH_ROW
    west, east = lost & _WEST_COLUMN, lost & _EAST_COLUMN
    if north != _0:
        n = _take(tiles, i - across, north << _48, turn, touched, due, n)
        if north & west:
            n = _take(tiles, i - across - 1, (north & west) << _48 << _6, turn, touched, due, n)
        if north & east:
            n = _take(tiles, i - across + 1, (north & east) << _48 >> _6, turn, touched, due, n)
    if south != _0:
        n = _take(tiles, i + across, south >> _48, turn, touched, due, n)
        if south & west:
            n = _take(tiles, i + across - 1, (south & west) >> _48 << _6, turn, touched, due, n)
        if south & east:
            n = _take(tiles, i + across + 1, (south & east) >> _48 >> _6, turn, touched, due, n)
    if west != _0:
        n = _take(tiles, i - 1, west << _6, turn, touched, due, n)
    if east != _0:
        n = _take(tiles, i + 1, east >> _6, turn, touched, due, n)
    return n


@kernel
def _thin_tiles(tiles: Tiles, across: int) -> None:
    """Thin flat tiles, `across` to a row, in place."""
    touched = np.full(tiles.size, -1, np.int32)
    due = np.empty((2, tiles.size), np.int32)
    n_due = np.zeros(2, np.int64)
    changed = np.empty(tiles.size, np.int32)
    lost = np.empty(tiles.size, np.uint64)
    for i in range(tiles.size):
        # Both passes look at every tile once.
        if tiles[i] & _OWN:
            due[1, n_due[1]] = i
            n_due[1] += 1
    # Typed, because Numba compiles a function anew for a literal.
    none = np.int64(0)
    turn = none
    while n_due[0] + n_due[1] > 0:
        # Due are the tiles touched in the last turn, and those of the one before unless also in
        # the last; this turn's list takes the place of the older.
        old = turn & 1
        latest, listed = due[1 - old], due[old]
        n = _decide(tiles, latest[: n_due[1 - old]], touched, turn, old, changed, lost, none)
        n = _decide(tiles, listed[: n_due[old]], touched, turn - 1, old, changed, lost, n)
        m = none
        for j in range(n):
            m = _delete(tiles, np.int64(changed[j]), lost[j], across, turn, touched, listed, m)
        n_due[old] = m
        turn += 1


@kernel
def thin(bits: Bits, width: int) -> Bits:
    """Return the skeleton of a bit mask, `width` pixels to a row.

    Two passes in turn, each of which deletes at once the border pixels whose neighbourhood it
    marks, until neither deletes any.  A pixel that the same kind of pass has spared is looked at
    again only when its tile has lost a pixel since: the work is that of the moving border, not of
    the image times the number of passes.  A tile that carries its rim decides alone, and upright
    borders cost what level ones do (with words of 64 x 1 pixels a disc takes four times as long).
    """
    down, across = (bits.shape[0] + 3) // 6 + 2, (width + 5) // 6 + 2
    tiles = np.zeros((down, across), np.uint64)
    _into_tiles(bits, width, tiles)
    _thin_tiles(tiles.reshape(-1), across)
    out = np.zeros_like(bits)
    _out_of_tiles(tiles, out)
    return out
