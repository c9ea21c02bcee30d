"""Bit masks pixel by pixel: uint64[H + 2, W // 64 + 2], pixel (r, c) bit c + 1 of row r + 1."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Bits = NDArray[np.uint64]


def _packed(pixels: NDArray[np.bool_]) -> Bits:
    height, width = pixels.shape
    bits = np.zeros((height + 2, width // 64 + 2), np.uint64)
    for row, column in zip(*np.nonzero(pixels)):
        word, place = divmod(int(column) + 1, 64)
        bits[row + 1, word] |= np.uint64(1 << place)
    return bits


def pack_levels(levels: NDArray[np.uint8], level: int) -> Bits:
    """Return the bit mask of the pixels of an 8-bit map above `level` (0…255)."""
    return _packed(levels.astype(np.int64) > level)


def pack_values(values: NDArray[Any], threshold: float) -> Bits:
    """Return the bit mask of the pixels of a float map above `threshold`."""
    return _packed(values > threshold)


def unpack(bits: Bits, width: int) -> NDArray[np.uint8]:
    """Return a bit mask as bytes of 0 and 1, `width` to a row."""
    out = np.zeros((bits.shape[0] - 2, width), np.uint8)
    for row in range(out.shape[0]):
        whole = sum(int(word) << (64 * k) for k, word in enumerate(bits[row + 1]))
        out[row] = [whole >> (column + 1) & 1 for column in range(width)]
    return out


def frame(height: int, width: int) -> Bits:
    """Return the bit mask of all pixels of an image."""
    return _packed(np.ones((height, width), bool))


def dilate_within(bits: Bits, allowed: Bits, times: int) -> Bits:
    """Return a mask grown `times` times by a 3 x 3 cross, each time cut to the allowed pixels."""
    width = 64 * bits.shape[1] - 1
    pixels = unpack(bits, width).astype(bool)
    within = unpack(allowed, width).astype(bool)
    for _ in range(times):
        padded = np.pad(pixels, 1)
        pixels = within & (
            padded[1:-1, 1:-1]
            | padded[:-2, 1:-1]
            | padded[2:, 1:-1]
            | padded[1:-1, :-2]
            | padded[1:-1, 2:]
        )
    return _packed(pixels)[:, : bits.shape[1]]


def lowest_place(word: int) -> int:
    """Return the place, 0…63, of the lowest set bit of a word that is not 0."""
    return next(place for place in range(64) if int(word) >> place & 1)
