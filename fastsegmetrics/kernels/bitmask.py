"""Binary masks of 64 pixels a word.

A bit mask is uint64[H + 2, W // 64 + 2]: pixel (r, c) is bit c + 1 of row r + 1, everything around
the image is 0.  So every pixel has eight neighbours, and a neighbourhood that crosses a word ends
in the next one, which exists.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastsegmetrics.kernels._jit import kernel
from fastsegmetrics.kernels._words import pack_bytes

Bits = NDArray[np.uint64]

_1, _63 = np.uint64(1), np.uint64(63)
_ALL = np.uint64(0xFFFFFFFFFFFFFFFF)

#: Shifted by 0…63, this number has a different one of 0…63 in its top six bits each time.
_DE_BRUIJN = 0x03F79D71B4CB0A89
_PLACES = np.zeros(64, np.uint64)
for _place in range(64):
    _PLACES[(_DE_BRUIJN << _place) % 2**64 >> 58] = _place
_SPREAD, _58 = np.uint64(_DE_BRUIJN), np.uint64(58)


@kernel
def lowest_place(word: int) -> int:
    """Return the place, 0…63, of the lowest set bit of a word (uint64) that is not 0."""
    return _PLACES[((word & (~word + _1)) * _SPREAD) >> _58]


@kernel
def pack_levels(levels: NDArray[np.uint8], level: int) -> Bits:
    """Return the bit mask of the pixels of an 8-bit map above `level` (0…255)."""
    height, width = levels.shape
    bits = np.zeros((height + 2, width // 64 + 2), np.uint64)
    line = np.zeros(64 * bits.shape[1], np.uint8)
    cut = np.uint8(level)
    for row in range(height):
        for column in range(width):
            line[column + 1] = levels[row, column] > cut
        pack_bytes(line.view(np.uint64), bits[row + 1])
    return bits


@kernel
def pack_values(values: NDArray[Any], threshold: float) -> Bits:
    """Return the bit mask of the pixels of a float map above `threshold`."""
    height, width = values.shape
    bits = np.zeros((height + 2, width // 64 + 2), np.uint64)
    line = np.zeros(64 * bits.shape[1], np.uint8)
    for row in range(height):
        for column in range(width):
            line[column + 1] = values[row, column] > threshold
        pack_bytes(line.view(np.uint64), bits[row + 1])
    return bits


@kernel
def unpack(bits: Bits, width: int) -> NDArray[np.uint8]:
    """Return a bit mask as bytes of 0 and 1, `width` to a row."""
    out = np.empty((bits.shape[0] - 2, width), np.uint8)
    for row in range(out.shape[0]):
        for column in range(width):
            at = np.uint64(column + 1)
            out[row, column] = (bits[row + 1, (column + 1) >> 6] >> (at & _63)) & _1
    return out


@kernel
def frame(height: int, width: int) -> Bits:
    """Return the bit mask of all pixels of an image."""
    bits = np.zeros((height + 2, width // 64 + 2), np.uint64)
    for k in range(bits.shape[1]):
        n = min(64, width + 1 - 64 * k)
        word = _ALL if n == 64 else (_1 << np.uint64(max(0, n))) - _1
        if k == 0:
            word &= ~_1
        for row in range(height):
            bits[row + 1, k] = word
    return bits


@kernel
def _dilated(source: Bits, allowed: Bits, stride: int, out: Bits) -> None:
    """Fill the rows inside the padding of flat `out`: one step of a 3 x 3 cross, within a mask.

    The last bits of a row and the padding are never allowed, so that a shift finds a 0 where it
    reaches into the next row.  Five slices with one index: indices that may be negative keep the
    loop from becoming vectors, which costs a factor of eight.
    """
    n = source.size - 2 * stride
    here, within, inside = source[stride:], allowed[stride:], out[stride:]
    west, east = source[stride - 1 :], source[stride + 1 :]
    south = source[2 * stride :]
    for i in range(n):
        across = (here[i] << _1) | (west[i] >> _63) | (here[i] >> _1) | (east[i] << _63)
        inside[i] = (here[i] | across | source[i] | south[i]) & within[i]


@kernel
def dilate_within(bits: Bits, allowed: Bits, times: int) -> Bits:
    """Return a mask grown `times` times by a 3 x 3 cross, each time cut to the allowed pixels."""
    source = bits.copy()
    out = np.zeros_like(source)
    for _ in range(times):
        _dilated(source.reshape(-1), allowed.reshape(-1), bits.shape[1], out.reshape(-1))
        source, out = out, source
    return source
