"""Edges of binary masks at ten cell sizes, and what of the truth's edges a prediction shares.

The edge of a mask is where its Sobel gradient, zeros outside, is not zero.  A cell of the grid of
size 2^k is on iff one of its pixels is; grids are anchored at the bottom-right corner, so that each
comes from the one before by joining 2 x 2 cells.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fastsegmetrics.kernels._jit import formulas, kernel, word_at
from fastsegmetrics.kernels.levels import _BYTES, _FULL, _folded, _pairs
from fastsegmetrics.scores import multiscale

_edge_coverage = formulas(multiscale).edge_coverage

_ONE = np.uint64(1)
#: Cell sizes 1, 2, 4, … 512.
N_SCALES = 10


@kernel
def _edge_row(
    up: NDArray[np.uint8], mid: NDArray[np.uint8], down: NDArray[np.uint8], out: NDArray[np.uint8]
) -> None:
    """Find the edges of eight masks, one a bit, in one row; the rows are padded by one zero.

    A side of the Sobel window weighs 1, 2, 1: with p, q, r its three bits the sum is the number
    of binary digits p^r, q^(p&r), p&q&r.  The gradient is zero iff the digits of opposite sides
    agree.
    """
    for x in range(out.size):
        nw, n, ne = up[x], up[x + 1], up[x + 2]
        w, e = mid[x], mid[x + 2]
        sw, s, se = down[x], down[x + 1], down[x + 2]
        across = (
            (ne ^ se ^ nw ^ sw) | (e ^ (ne & se) ^ w ^ (nw & sw)) | ((ne & e & se) ^ (nw & w & sw))
        )
        along = (
            (sw ^ se ^ nw ^ ne) | (s ^ (sw & se) ^ n ^ (nw & ne)) | ((sw & s & se) ^ (nw & n & ne))
        )
        out[x] = across | along


@kernel
def _copy(values: NDArray[np.uint8], out: NDArray[np.uint8]) -> None:
    """Copy by a loop: assigning a slice takes seconds to compile."""
    for x in range(values.size):
        out[x] = values[x]


@kernel
def _join_rows(upper: NDArray[np.uint8], lower: NDArray[np.uint8], out: NDArray[np.uint8]) -> None:
    for x in range(out.size):
        out[x] = upper[x] | lower[x]


@kernel
def _join_columns(cells: NDArray[np.uint8], out: NDArray[np.uint8]) -> None:
    for x in range(out.size):
        out[x] = cells[2 * x] | cells[2 * x + 1]


@kernel
def _pyramid_size(height: int, width: int) -> int:
    size = 0
    for _ in range(N_SCALES):
        size += height * width
        height = (height + 1) >> 1
        width = (width + 1) >> 1
    return size


@kernel
def edge_pyramid(bits: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Return the edge cells of up to eight masks [H, W], one a bit, at all scales in one array.

    Scale k holds ceil(H / 2^k) rows of ceil(W / 2^k) cells, finest first.
    """
    height, width = bits.shape
    out = np.empty(_pyramid_size(height, width), np.uint8)
    window = np.zeros((3, width + 2), np.uint8)
    blank = np.zeros(width + 2, np.uint8)
    _copy(bits[0], window[1, 1:])
    for y in range(height):
        below = (y + 2) % 3
        if y + 1 < height:
            _copy(bits[y + 1], window[below, 1:])
        else:
            _copy(blank, window[below])
        start = y * width
        _edge_row(window[y % 3], window[(y + 1) % 3], window[below], out[start : start + width])
    joined = np.zeros(width + 1, np.uint8)
    start = 0
    for _ in range(1, N_SCALES):
        # The odd row and column stand alone at the top and at the left.
        odd_row, odd_column = height & 1, width & 1
        rows, columns = (height + 1) >> 1, (width + 1) >> 1
        end = start + height * width
        joined[0] = 0
        for row in range(rows):
            lower = start + (2 * row + 1 - odd_row) * width
            upper = lower if row == 0 and odd_row == 1 else lower - width
            _join_rows(
                out[upper : upper + width],
                out[lower : lower + width],
                joined[odd_column : odd_column + width],
            )
            _join_columns(joined, out[end + row * columns : end + (row + 1) * columns])
        start, height, width = end, rows, columns
    return out


@kernel
def packed_levels(levels: NDArray[np.uint8], lowest: int, other: int) -> NDArray[np.uint8]:
    """Return which pixels of a map [H, W] are at `lowest` or above as bit 0, at `other` as bit 1.

    Both are 0 to 256, at which no pixel is.
    """
    out = np.empty(levels.shape, np.uint8)
    first, second = np.uint8(min(lowest, 255)), np.uint8(min(other, 255))
    one, two = np.uint8(lowest < 256), np.uint8(2 * (other < 256))
    values, bits = levels.reshape(-1), out.reshape(-1)
    for i in range(bits.size):
        at_first = one if values[i] >= first else np.uint8(0)
        at_second = two if values[i] >= second else np.uint8(0)
        bits[i] = at_first | at_second
    return out


@kernel
def _shared_bits(
    first: NDArray[np.uint8], second: NDArray[np.uint8], start: int, stop: int
) -> tuple[int, int]:
    """Count where both have bit 0, and bit 1; the bits of eight cells are added as bytes."""
    low = 0
    high = 0
    whole = start + (stop - start) // 8 * 8
    for begin in range(start, whole, 8 * _FULL):
        zeros = ones = np.uint64(0)
        for i in range(begin, min(begin + 8 * _FULL, whole), 8):
            both = word_at(first, i) & word_at(second, i)
            zeros += both & _BYTES
            ones += (both >> _ONE) & _BYTES
        low += _folded(_pairs(zeros))
        high += _folded(_pairs(ones))
    for i in range(whole, stop):
        both = np.int64(first[i] & second[i])
        low += both & 1
        high += (both >> 1) & 1
    return low, high


@kernel
def shared_cells(
    first: NDArray[np.uint8], second: NDArray[np.uint8], height: int, width: int
) -> NDArray[np.int64]:
    """Count, by scale, the cells in which both pyramids have bit 0, and bit 1: int64[10, 2]."""
    counts = np.zeros((N_SCALES, 2), np.int64)
    start = 0
    for k in range(N_SCALES):
        end = start + height * width
        counts[k, 0], counts[k, 1] = _shared_bits(first, second, start, end)
        start = end
        height = (height + 1) >> 1
        width = (width + 1) >> 1
    return counts


@kernel
def first_scales(pyramid: NDArray[np.uint8], height: int, width: int) -> NDArray[np.uint8]:
    """Return for each pixel [H, W] the finest scale at which its cell is on (bit 0); 10: none.

    Written from the coarsest scale down: a cell that is off takes its parent's value.
    """
    starts = np.zeros(N_SCALES + 1, np.int64)
    sides = np.zeros((N_SCALES, 2), np.int64)
    h, w = height, width
    for k in range(N_SCALES):
        sides[k, 0] = h
        sides[k, 1] = w
        starts[k + 1] = starts[k] + h * w
        h = (h + 1) >> 1
        w = (w + 1) >> 1
    parents = np.empty((h, w), np.uint8)
    for row in range(h):
        for x in range(w):
            parents[row, x] = N_SCALES
    spread = np.empty(width + 1, np.uint8)
    for k in range(N_SCALES - 1, -1, -1):
        rows, columns = sides[k, 0], sides[k, 1]
        odd_row, odd_column = rows & 1, columns & 1
        found = np.empty((rows, columns), np.uint8)
        for row in range(rows):
            above = parents[(row + odd_row) >> 1]
            if row == 0 or (row + odd_row) & 1 == 0:
                for x in range(above.size):
                    spread[2 * x] = above[x]
                    spread[2 * x + 1] = above[x]
            start = starts[k] + row * columns
            _choose(
                pyramid[start : start + columns],
                spread[odd_column : odd_column + columns],
                np.uint8(k),
                found[row],
            )
        parents = found
    return parents


@kernel
def _choose(
    on: NDArray[np.uint8], coarser: NDArray[np.uint8], k: int, out: NDArray[np.uint8]
) -> None:
    for x in range(out.size):
        out[x] = k if on[x] & 1 else coarser[x]


@kernel
def coverage_scores(
    shared: NDArray[np.int64], edge_cells: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Return the multi-scale score of each column of counts [10, n]."""
    scores = np.empty(shared.shape[1], np.float64)
    for column in range(scores.size):
        scores[column] = _edge_coverage(shared[:, column], edge_cells)
    return scores
