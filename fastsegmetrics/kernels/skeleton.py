"""Thinning of a binary mask to lines of one pixel, pixel-identical to scikit-image's."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fastsegmetrics.kernels._jit import kernel
from fastsegmetrics.kernels.bitmask import Bits

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


def _decisions() -> NDArray[np.uint8]:
    """Return the passes by neighbourhood: 9 bits, rows of three from the north-west."""
    departures = {
        frozenset(names.split("·")): passes
        for passes, listed in _DEPARTURES.items()
        for names in listed.split(", ")
    }
    table = np.zeros(512, np.uint8)
    for index in range(512):
        ring = tuple(index >> (3 * (r + 1) + c + 1) & 1 for r, c in _RING)
        names = frozenset(name for name, bit in zip(_NAMES, ring) if bit)
        passes = departures.get(names, _passes_of_zhang_and_suen(ring))
        table[index] = passes if index >> 4 & 1 else 0
    return table


_PASSES = _decisions()

#: A power of two times this has a different number in its top six bits for each power.
_DE_BRUIJN = 0x03F79D71B4CB0A89
_PLACES = np.zeros(64, np.uint64)
for _place in range(64):
    _PLACES[(_DE_BRUIJN << _place) % 2**64 >> 58] = _place
_SPREAD = np.uint64(_DE_BRUIJN)

_0, _1, _2, _3, _6, _7 = (np.uint64(n) for n in (0, 1, 2, 3, 6, 7))
_58, _63 = np.uint64(58), np.uint64(63)
_LOW = np.uint64(0x00000000FFFFFFFF)
_HIGH = np.uint64(0xFFFFFFFF00000000)


@kernel
def _decided(candidates, above, here, below, back, bit):
    """Return which of the candidates of a word are deleted in the pass of `bit`.

    `above`, `here` and `below` are shifted so that a pixel's neighbourhood begins `back` bits
    below its own place.
    """
    deleted = _0
    while candidates != _0:
        lowest = candidates & (~candidates + _1)
        candidates ^= lowest
        at = _PLACES[(lowest * _SPREAD) >> _58] - back
        index = ((above >> at) & _7) | (((here >> at) & _7) << _3) | (((below >> at) & _7) << _6)
        if _PASSES[index] & bit:
            deleted |= lowest
    return deleted


@kernel
def _deletions(words, i, stride, bit):
    """Return the pixels of word `i` that the pass of `bit` deletes."""
    here, west, east = words[i], words[i - 1], words[i + 1]
    above, below = words[i - stride], words[i + stride]
    from_west = (here << _1) | (west >> _63)
    from_east = (here >> _1) | (east << _63)
    # A pixel whose four neighbours are all set is deleted by no pass.
    candidates = here & ~(above & below & from_west & from_east)
    if candidates == _0:
        return _0
    up_west = (above << _1) | (words[i - stride - 1] >> _63)
    up_east = (above >> _1) | (words[i - stride + 1] << _63)
    down_west = (below << _1) | (words[i + stride - 1] >> _63)
    down_east = (below >> _1) | (words[i + stride + 1] << _63)
    return _decided(candidates & _LOW, up_west, from_west, down_west, _0, bit) | _decided(
        candidates & _HIGH, up_east, from_east, down_east, _2, bit
    )


@kernel
def _add_neighbours(changed, n_changed, deleted, stride, stamp, now, active, n_active):
    """Add to the active words, once each, those that a deletion may have changed the fate of."""
    for j in range(n_changed):
        i = changed[j]
        first = i - 1 if deleted[i] & _1 else i
        last = i + 1 if deleted[i] >> _63 else i
        for row in (-stride, 0, stride):
            for k in range(first + row, last + row + 1):
                if stamp[k] != now:
                    stamp[k] = now
                    active[n_active] = k
                    n_active += 1
    return n_active


@kernel
def thin(bits: Bits) -> Bits:
    """Return the skeleton of a bit mask.

    Two passes in turn, each of which deletes at once the border pixels whose neighbourhood it
    marks, until neither deletes any.  A pixel that the same kind of pass has spared is looked at
    again only when its word, or one beside it, has lost a pixel since: the work is that of the
    moving border, not of the image times the number of passes.
    """
    out = bits.copy()
    words = out.reshape(-1)
    stride = bits.shape[1]
    # A deletion at the image's edge reaches into the padding, which is never deleted from.
    deleted = np.zeros((2, words.size), np.uint64)
    changed = np.empty((2, words.size), np.int32)
    n_changed = np.zeros(2, np.int64)
    active = np.empty(words.size, np.int32)
    stamp = np.full(words.size, -1, np.int32)
    turn = 0
    while True:
        kind = turn & 1
        n_active = 0
        if turn < 2:
            for i in range(stride, words.size - stride):
                if words[i] != _0:
                    active[n_active] = i
                    n_active += 1
        else:
            for which in range(2):
                n_active = _add_neighbours(
                    changed[which],
                    n_changed[which],
                    deleted[which],
                    stride,
                    stamp,
                    turn,
                    active,
                    n_active,
                )
        n = 0
        bit = np.uint8(1 + kind)
        for j in range(n_active):
            i = active[j]
            if words[i] != _0:
                lost = _deletions(words, i, stride, bit)
                if lost != _0:
                    deleted[kind, i] = lost
                    changed[kind, n] = i
                    n += 1
        n_changed[kind] = n
        for j in range(n):
            i = changed[kind, j]
            words[i] &= ~deleted[kind, i]
        if n == 0 and turn > 0 and n_changed[1 - kind] == 0:
            return out
        turn += 1
