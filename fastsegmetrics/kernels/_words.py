"""What is done with the bits of 64-bit words, of images and of volumes alike."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fastsegmetrics.kernels._jit import kernel

_GATHER = np.uint64(0x0102040810204080)
_0, _1, _2, _4, _56 = (np.uint64(n) for n in (0, 1, 2, 4, 56))
_HALVES, _QUARTERS = np.uint64(0x5555555555555555), np.uint64(0x3333333333333333)
_EIGHTHS, _EACH_BYTE = np.uint64(0x0F0F0F0F0F0F0F0F), np.uint64(0x0101010101010101)


@kernel
def pack_bytes(pixels: NDArray[np.uint64], out: NDArray[np.uint64]) -> None:
    """Pack bytes of 0 and 1, read as words of eight, into words of 64 bits.

    One product moves the eight low bits of a word's bytes next to each other.
    """
    for k in range(out.size):
        word = _0
        for part in range(8):
            word |= ((pixels[8 * k + part] * _GATHER) >> _56) << np.uint64(8 * part)
        out[k] = word


@kernel
def ones(word: int) -> int:
    """Return the number of set bits, as an integer without sign."""
    word -= (word >> _1) & _HALVES
    word = (word & _QUARTERS) + ((word >> _2) & _QUARTERS)
    return (((word + (word >> _4)) & _EIGHTHS) * _EACH_BYTE) >> _56
