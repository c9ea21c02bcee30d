"""Square patches of an image: where they fit, which are alike, and an image rebuilt from them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fastsegmetrics.kernels._jit import kernel


@kernel
def _row_dilation(
    mask: NDArray[np.uint8], row: int, before: int, after: int, out: NDArray[np.uint8]
) -> None:
    """Mark what lies at most `after` columns right or `before` columns left of a set pixel."""
    width = mask.shape[1]
    last = -after - 1
    for column in range(width):
        if mask[row, column]:
            last = column
        out[column] = column - last <= after
    last = width + before
    for column in range(width - 1, -1, -1):
        if mask[row, column]:
            last = column
        if last - column <= before:
            out[column] = 1


@kernel
def surrounding_band(mask: NDArray[np.uint8], before: int, after: int) -> NDArray[np.uint8]:
    """Return the pixels off the mask that a box around one of its pixels covers.

    The box reaches `before` pixels up and left of its pixel and `after` down and right.  Totals of
    set pixels per column slide down with it.
    """
    height, width = mask.shape
    out = np.zeros((height, width), np.uint8)
    wide = np.zeros((height, width), np.uint8)
    filled = np.zeros(height, np.bool_)
    for row in range(height):
        if mask[row].any():
            filled[row] = True
            _row_dilation(mask, row, before, after, wide[row])
    totals = np.zeros(width, np.uint16)
    rows_in = 0
    for row in range(-before, height):
        entering = row + before
        if entering < height and filled[entering]:
            rows_in += 1
            for column in range(width):
                totals[column] += wide[entering, column]
        leaving = row - after - 1
        if leaving >= 0 and filled[leaving]:
            rows_in -= 1
            for column in range(width):
                totals[column] -= wide[leaving, column]
        if row >= 0 and rows_in > 0:
            for column in range(width):
                out[row, column] = np.uint8(totals[column] > 0) & (mask[row, column] ^ np.uint8(1))
    return out


@kernel
def fitting_origins(region: NDArray[np.uint8], side: int, step: int) -> NDArray[np.int64]:
    """Return the upper left corners of the squares that lie wholly inside a region, int64 (n, 2).

    Corners are multiples of `step`, listed in raster order.
    """
    height, width = region.shape
    found = np.empty((((height + step - 1) // step) * ((width + step - 1) // step), 2), np.int64)
    n = 0
    depth = np.zeros(width, np.int32)
    for row in range(height):
        for column in range(width):
            depth[column] = (depth[column] + 1) * np.int32(region[row, column])
        top = row - side + 1
        if top < 0 or top % step != 0:
            continue
        run = 0
        for column in range(width):
            run = run + 1 if depth[column] >= side else 0
            left = column - side + 1
            if run >= side and left % step == 0:
                found[n, 0] = top
                found[n, 1] = left
                n += 1
    return found[:n].copy()


@kernel
def patch_features(
    image: NDArray[np.uint8], origins: NDArray[np.int64], side: int
) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
    """Return the bytes of each patch as float32 (n, 3 · side²), and the sums of their squares."""
    n = origins.shape[0]
    out = np.empty((n, 3 * side * side), np.float32)
    squares = np.zeros(n, np.int64)
    for i in range(n):
        top, left = origins[i]
        k = 0
        total = 0
        for row in range(top, top + side):
            for column in range(left, left + side):
                for channel in range(3):
                    value = np.int64(image[row, column, channel])
                    out[i, k] = value
                    total += value * value
                    k += 1
        squares[i] = total
    return out, squares


@kernel
def nearest_of_block(
    products: NDArray[np.float32],
    other_squares: NDArray[np.int64],
    places: NDArray[np.float32],
    other_places: NDArray[np.float32],
    out: NDArray[np.int64],
) -> None:
    """Write the index of the nearest row of `other` for each row of a block.

    `products` are inner products of bytes: integers below 2^24, which single precision holds
    exactly in whatever order they are summed.  The squared distance is the exact integer of the
    bytes plus the squared distance of the places; on a tie the first wins.
    """
    for i in range(products.shape[0]):
        best = np.inf
        chosen = 0
        y = np.float64(places[i, 0])
        x = np.float64(places[i, 1])
        for j in range(products.shape[1]):
            away = np.float64(other_squares[j]) - 2.0 * np.float64(products[i, j])
            if away >= best:
                continue
            down = np.float64(other_places[j, 0]) - y
            across = np.float64(other_places[j, 1]) - x
            away += down * down + across * across
            if away < best:
                best = away
                chosen = j
        out[i] = chosen


@kernel
def _round_half_even(total: int, n: int) -> int:
    quotient = total // n
    twice = 2 * (total - quotient * n)
    if twice > n or (twice == n and quotient % 2 == 1):
        quotient += 1
    return quotient


@kernel
def rebuilt_image(
    image: NDArray[np.uint8],
    origins: NDArray[np.int64],
    sources: NDArray[np.int64],
    nearest: NDArray[np.int64],
    side: int,
) -> NDArray[np.uint8]:
    """Return the image pieced together, at `origins`, from the patches at `sources[nearest]`.

    A pixel is the mean of the patches that cover it, rounded half to even; black where none does.
    """
    height, width, _ = image.shape
    totals = np.zeros((height, width, 3), np.int32)
    covers = np.zeros((height, width), np.int32)
    for i in range(origins.shape[0]):
        top, left = origins[i]
        from_top, from_left = sources[nearest[i]]
        for row in range(side):
            for column in range(side):
                covers[top + row, left + column] += 1
                for channel in range(3):
                    totals[top + row, left + column, channel] += np.int32(
                        image[from_top + row, from_left + column, channel]
                    )
    out = np.zeros((height, width, 3), np.uint8)
    for row in range(height):
        for column in range(width):
            n = covers[row, column]
            if n > 0:
                for channel in range(3):
                    out[row, column, channel] = _round_half_even(totals[row, column, channel], n)
    return out
