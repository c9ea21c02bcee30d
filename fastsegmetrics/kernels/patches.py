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
def patch_bytes(
    image: NDArray[np.uint8], origins: NDArray[np.int64], side: int
) -> NDArray[np.uint8]:
    """Return the bytes of each patch, row by row, with zeros up to a multiple of 32: uint8 (n, m).

    The zeros make the comparison of two patches a loop of whole vectors.
    """
    n = origins.shape[0]
    line = 3 * side
    out = np.zeros((n, (side * line + 31) // 32 * 32), np.uint8)
    for i in range(n):
        top, left = origins[i]
        for row in range(side):
            for column in range(side):
                for channel in range(3):
                    out[i, row * line + 3 * column + channel] = image[
                        top + row, left + column, channel
                    ]
    return out


@kernel
def _squared_distance(
    first: NDArray[np.uint8],
    second: NDArray[np.uint8],
    place: NDArray[np.float32],
    other: NDArray[np.float32],
) -> float:
    total = np.int32(0)
    for k in range(first.size):
        off = np.int32(first[k]) - np.int32(second[k])
        total += off * off
    down = np.float64(place[0]) - np.float64(other[0])
    across = np.float64(place[1]) - np.float64(other[1])
    return np.float64(total) + (down * down + across * across)


_CHUNK = 32


@kernel
def nearest_by_bounds(
    bounds: NDArray[np.float32],
    slack: float,
    patches: NDArray[np.uint8],
    others: NDArray[np.uint8],
    places: NDArray[np.float32],
    other_places: NDArray[np.float32],
    out: NDArray[np.int64],
) -> int:
    """Write the index of the nearest of `others` for each patch; return how many were compared.

    The squared distance is the exact integer of the bytes plus that of the places; on a tie the
    first wins.  ``bounds[i, j]`` exceeds no squared distance by more than `slack`: only what it
    does not rule out is compared.  Minima of 32 bounds at a time settle most of them.
    """
    n, m = bounds.shape
    rounded = np.empty((m + _CHUNK - 1) // _CHUNK * _CHUNK, np.int32)
    rounded[m:] = np.iinfo(np.int32).max
    lowest = np.empty(rounded.size // _CHUNK, np.int32)
    compared = 0
    for i in range(n):
        for j in range(m):
            rounded[j] = np.int32(bounds[i, j])
        start = 0
        for chunk in range(lowest.size):
            low = rounded[chunk * _CHUNK]
            for j in range(chunk * _CHUNK, (chunk + 1) * _CHUNK):
                low = min(low, rounded[j])
            lowest[chunk] = low
            if low < lowest[start]:
                start = chunk
        chosen = start * _CHUNK
        while rounded[chosen] != lowest[start]:
            chosen += 1
        best = _squared_distance(patches[i], others[chosen], places[i], other_places[chosen])
        # One more for the fraction cut off above.
        limit = np.int64(best + slack) + 1
        compared += 1
        for chunk in range(lowest.size):
            if lowest[chunk] > limit:
                continue
            for j in range(chunk * _CHUNK, min(m, (chunk + 1) * _CHUNK)):
                if rounded[j] <= limit:
                    away = _squared_distance(patches[i], others[j], places[i], other_places[j])
                    compared += 1
                    if away < best or (away == best and j < chosen):
                        best = away
                        chosen = j
                        limit = np.int64(best + slack) + 1
        out[i] = chosen
    return compared


@kernel
def nearest_by_products(
    products: NDArray[np.float32],
    squares: NDArray[np.int64],
    other_squares: NDArray[np.int64],
    places: NDArray[np.float32],
    other_places: NDArray[np.float32],
    out: NDArray[np.int64],
) -> None:
    """Write the index of the nearest of `others` for each patch, from all inner products.

    Products of bytes are integers below 2^24, which single precision holds exactly in whatever
    order they are summed: the distances, and so the choice, are those of `nearest_by_bounds`.
    """
    for i in range(products.shape[0]):
        best = np.inf
        chosen = 0
        for j in range(products.shape[1]):
            total = np.float64(squares[i] + other_squares[j]) - 2.0 * np.float64(products[i, j])
            if total < best:
                down = np.float64(places[i, 0]) - np.float64(other_places[j, 0])
                across = np.float64(places[i, 1]) - np.float64(other_places[j, 1])
                away = total + (down * down + across * across)
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
    line = 3 * side
    pixels = image.reshape(height, 3 * width)
    totals = np.zeros((height, 3 * width), np.int32)
    covers = np.zeros((height, width), np.int32)
    for i in range(origins.shape[0]):
        top, left = origins[i]
        from_top, from_left = sources[nearest[i]]
        for row in range(side):
            into = totals[top + row, 3 * left : 3 * left + line]
            source = pixels[from_top + row, 3 * from_left : 3 * from_left + line]
            for k in range(line):
                into[k] += np.int32(source[k])
            for column in range(left, left + side):
                covers[top + row, column] += 1
    out = np.zeros((height, width, 3), np.uint8)
    for row in range(height):
        for column in range(width):
            n = covers[row, column]
            if n > 0:
                for channel in range(3):
                    out[row, column, channel] = _round_half_even(
                        totals[row, 3 * column + channel], n
                    )
    return out
