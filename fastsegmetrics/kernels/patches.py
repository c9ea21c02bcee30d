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


#: Room for a patch of 7 × 7 colours: loops of a known number of whole vectors.
PATCH_BYTES = 160


@kernel
def patch_bytes(
    image: NDArray[np.uint8], origins: NDArray[np.int64], side: int
) -> NDArray[np.uint8]:
    """Return the bytes of each patch, row by row, then zeros: uint8 (n, `PATCH_BYTES`)."""
    n = origins.shape[0]
    height, width, _ = image.shape
    pixels = image.reshape(height, 3 * width)
    line = 3 * side
    out = np.zeros((n, PATCH_BYTES), np.uint8)
    for i in range(n):
        top, left = origins[i]
        for row in range(side):
            into = out[i, row * line : (row + 1) * line]
            source = pixels[top + row, 3 * left : 3 * left + line]
            for k in range(line):
                into[k] = source[k]
    return out


@kernel
def floats_about(patches: NDArray[np.uint8], middle: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the bytes less one patch of `middle`, in single precision: float32 (n, m)."""
    n, m = patches.shape
    out = np.empty((n, m), np.float32)
    for i in range(n):
        for k in range(m):
            out[i, k] = np.float32(patches[i, k]) - middle[k]
    return out


@kernel
def _squared_distance(
    first: NDArray[np.uint8],
    second: NDArray[np.uint8],
    place: NDArray[np.float32],
    other: NDArray[np.float32],
) -> float:
    total = np.int32(0)
    for k in range(PATCH_BYTES):
        # Differences of bytes fit 16 bits, which are multiplied and added in pairs: a third of the
        # time that 32 bits take.
        off = np.int16(np.int16(first[k]) - np.int16(second[k]))
        total = np.int32(total + np.int32(np.int32(off) * np.int32(off)))
    down = np.float64(place[0]) - np.float64(other[0])
    across = np.float64(place[1]) - np.float64(other[1])
    return np.float64(total) + (down * down + across * across)


#: Runs that the bounds of a patch are taken in.
RUNS = 32


@kernel
def _lowest_of_runs(bounds: NDArray[np.int32], out: NDArray[np.int32]) -> None:
    """Write the minimum of each column.

    Four rows at a time: what one step stores is what the next must wait for.
    """
    last = bounds.shape[0] - 1
    out[:] = bounds[0]
    for k in range(0, last + 1, 4):
        first = bounds[k]
        second = bounds[min(k + 1, last)]
        third = bounds[min(k + 2, last)]
        fourth = bounds[min(k + 3, last)]
        for run in range(out.size):
            low = min(min(first[run], second[run]), min(third[run], fourth[run]))
            out[run] = min(out[run], low)


@kernel
def nearest_by_bounds(
    bounds: NDArray[np.int32],
    slack: float,
    patches: NDArray[np.uint8],
    others: NDArray[np.uint8],
    places: NDArray[np.float32],
    other_places: NDArray[np.float32],
    out: NDArray[np.int64],
) -> int:
    """Write the index of the nearest of `others` for each patch; return how many were compared.

    The squared distance is the exact integer of the bytes plus that of the places; on a tie the
    first wins.  Bounds, the bits of positive numbers in single precision, exceed no squared
    distance by more than `slack`: only what they do not rule out is compared.  `others` are dealt
    out in `RUNS` runs of equal length: ``bounds[i, k, run]`` is that of the k-th of its run, so
    that the minima of all runs are taken at once, and settle most of them.  What fills up the last
    runs must exceed all distances.
    """
    n, length, _ = bounds.shape
    lowest = np.empty(RUNS, np.int32)
    limit = np.empty(1, np.float32)
    # Positive numbers are in the order of their bits, and minima of integers take whole vectors.
    limit_bits = limit.view(np.int32)
    compared = 0
    for i in range(n):
        _lowest_of_runs(bounds[i], lowest)
        low = lowest[0]
        start = 0
        for run in range(RUNS):
            if lowest[run] < low:
                low = lowest[run]
                start = run
        first = 0
        while bounds[i, first, start] != low:
            first += 1
        first += start * length
        chosen = first
        best = _squared_distance(patches[i], others[first], places[i], other_places[first])
        limit[0] = best + slack
        bar = limit_bits[0]
        compared += 1
        for run in range(RUNS):
            if lowest[run] > bar:
                continue
            for k in range(length):
                j = run * length + k
                if bounds[i, k, run] <= bar and j != first:
                    away = _squared_distance(patches[i], others[j], places[i], other_places[j])
                    compared += 1
                    if away < best or (away == best and j < chosen):
                        best = away
                        chosen = j
                        limit[0] = best + slack
                        bar = limit_bits[0]
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


#: Single precision has no fractions beyond this: a sum with it is rounded half to even.
_TO_WHOLE = np.float32(3 << 22)


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
    No more than 257 may cover one.
    """
    height, width, _ = image.shape
    line = 3 * side
    pixels = image.reshape(height, 3 * width)
    totals = np.zeros((height, 3 * width), np.uint16)
    # What the number of patches over a pixel changes by, from above and from the left.
    changes = np.zeros((height + 1, width + 1), np.int32)
    for i in range(origins.shape[0]):
        top, left = origins[i]
        from_top, from_left = sources[nearest[i]]
        for row in range(side):
            into = totals[top + row, 3 * left : 3 * left + line]
            source = pixels[from_top + row, 3 * from_left : 3 * from_left + line]
            for k in range(line):
                into[k] += source[k]
        changes[top, left] += 1
        changes[top, left + side] -= 1
        changes[top + side, left] -= 1
        changes[top + side, left + side] += 1
    out = np.empty((height, width, 3), np.uint8)
    column_changes = np.zeros(width, np.int32)
    covers = np.empty(width, np.float32)
    for row in range(height):
        n = 0
        for column in range(width):
            column_changes[column] += changes[row, column]
            n += column_changes[column]
            covers[column] = max(n, 1)
        for column in range(width):
            for channel in range(3):
                mean = np.float32(totals[row, 3 * column + channel]) / covers[column]
                out[row, column, channel] = np.uint8(np.int32((mean + _TO_WHOLE) - _TO_WHOLE))
    return out
