"""Twins of ``kernels.edges``: gradients in integers, cells by reshaping."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

_SCALES = range(10)


def edge_mask(mask: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return where the Sobel gradient of a mask, zeros outside, is not zero."""
    height, width = mask.shape
    padded = np.zeros((height + 2, width + 2), np.int64)
    padded[1:-1, 1:-1] = mask
    columns = padded[:-2] + 2 * padded[1:-1] + padded[2:]
    rows = padded[:, :-2] + 2 * padded[:, 1:-1] + padded[:, 2:]
    gradient = abs(columns[:, 2:] - columns[:, :-2]) + abs(rows[2:] - rows[:-2])
    return np.asarray(gradient > 0)


def shrink(mask: NDArray[np.bool_], size: int) -> NDArray[np.bool_]:
    """Return which cells hold a pixel of a mask; the grid is anchored at the bottom right."""
    height, width = mask.shape
    rows, columns = -(-height // size), -(-width // size)
    padded = np.zeros((rows * size, columns * size), np.bool_)
    padded[-height:, -width:] = mask
    return np.asarray(padded.reshape(rows, size, columns, size).any(axis=(1, 3)))


def _sides(height: int, width: int) -> list[tuple[int, int]]:
    return [(-(-height // 2**k), -(-width // 2**k)) for k in _SCALES]


def _levels(pyramid: NDArray[np.uint8], height: int, width: int) -> list[NDArray[np.uint8]]:
    sides = _sides(height, width)
    ends = np.cumsum([rows * columns for rows, columns in sides])[:-1]
    return [part.reshape(side) for part, side in zip(np.split(pyramid, ends), sides)]


def edge_pyramid(bits: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Return the edge cells of eight masks, one a bit, at all scales, finest first."""
    parts = [np.zeros(side, np.uint8) for side in _sides(*bits.shape)]
    for bit in range(8):
        edges = edge_mask((bits >> bit & 1).astype(np.bool_))
        for k in _SCALES:
            parts[k] |= (shrink(edges, 2**k) * (1 << bit)).astype(np.uint8)
    return np.concatenate([part.ravel() for part in parts])


def packed_levels(levels: NDArray[np.uint8], lowest: int, other: int) -> NDArray[np.uint8]:
    """Return which pixels of a map are at `lowest` or above as bit 0, at `other` as bit 1."""
    wide = levels.astype(np.int64)
    return ((wide >= lowest) + 2 * (wide >= other)).astype(np.uint8)


def shared_cells(
    first: NDArray[np.uint8], second: NDArray[np.uint8], height: int, width: int
) -> NDArray[np.int64]:
    """Count, by scale, the cells in which both pyramids have bit 0, and bit 1."""
    both = _levels(first & second, height, width)
    return np.array([[(part >> bit & 1).sum() for bit in (0, 1)] for part in both], np.int64)


def first_scales(pyramid: NDArray[np.uint8], height: int, width: int) -> NDArray[np.uint8]:
    """Return for each pixel the finest scale at which its cell is on (bit 0), or 10."""
    found = np.full((height, width), 10, np.uint8)
    cells = _levels(pyramid, height, width)
    for k in reversed(_SCALES):
        spread = cells[k].repeat(2**k, axis=0).repeat(2**k, axis=1)
        found[spread[-height:, -width:] & 1 == 1] = k
    return found


def coverage_scores(
    shared: NDArray[np.int64], edge_cells: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Return the multi-scale score of each column of counts."""
    ratios = (shared + 1) / (edge_cells[:, None] + 1)
    areas: NDArray[np.float64] = ((ratios[1:] + ratios[:-1]) / 2).mean(axis=0)
    return areas
