"""Level counts of a map in the boxes of its truth's targets, and what is outside all boxes.

Counts are sparse: of target k the entries ``starts[k]:starts[k + 1]`` of ``levels`` (ascending)
and ``counts`` (background, foreground).  So that neither memory nor time grows by 256 levels for
each of half a million targets of one pixel.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastsegmetrics.kernels._jit import kernel
from fastsegmetrics.kernels.levels import SUBTABLES, TABLE, _add_subtables, _count_segment, extremes

_ONE = np.uint32(1)
#: From this area on, counting by words is worth clearing and adding up four sub-tables (a noisy
#: box of 576 pixels: 1.3 us in one table, 1.8 by words; of 1024: 1.7 and 2.2).
_BY_WORDS = 2048


@kernel
def rectangles_outside(boxes: NDArray[np.int64], height: int, width: int) -> NDArray[np.int64]:
    """Return disjoint rectangles (top, left, bottom, right) that make up all outside the boxes.

    Row by row only where a box begins or ends: between such rows the gaps stay the same.
    """
    n = boxes.shape[0]
    first = np.full((2, height + 1), -1, np.int64)
    following = np.empty((2, n), np.int64)
    for k in range(n):
        for side in range(2):
            row = boxes[k, 2 * side]
            following[side, k] = first[side, row]
            first[side, row] = k
    steps = np.zeros(width + 1, np.int64)
    found = np.empty((64, 4), np.int64)
    size = 0
    row = 0
    while row < height:
        for side in range(2):
            k = first[side, row]
            while k >= 0:
                steps[boxes[k, 1]] += 1 - 2 * side
                steps[boxes[k, 3]] -= 1 - 2 * side
                k = following[side, k]
        bottom = row + 1
        while bottom < height and first[0, bottom] < 0 and first[1, bottom] < 0:
            bottom += 1
        depth = 0
        left = 0
        for column in range(width + 1):
            before = depth
            depth += steps[column]
            if column == width:
                depth = 1
            if before > 0 and depth == 0:
                left = column
            if before == 0 and depth > 0 and left < column:
                if size == found.shape[0]:
                    larger = np.empty((2 * size, 4), np.int64)
                    larger[:size] = found
                    found = larger
                found[size, 0] = row
                found[size, 1] = left
                found[size, 2] = bottom
                found[size, 3] = column
                size += 1
        row = bottom
    return found[:size].copy()


@kernel
def _sparse_room(boxes: NDArray[np.int64]) -> int:
    """Return the largest number of entries that counts in the boxes can take, and one."""
    room = 1
    for k in range(boxes.shape[0]):
        room += min(256, (boxes[k, 2] - boxes[k, 0]) * (boxes[k, 3] - boxes[k, 1]))
    return room


@kernel
def _gather(
    tables: NDArray[np.uint32],
    n_tables: int,
    levels: NDArray[np.uint8],
    counts: NDArray[np.int64],
    at: int,
) -> int:
    """Move what sub-tables hold to sparse entries from `at` on, clear them, return the end.

    Each level is written, and kept if it occurs: with a branch a box of 256 noisy pixels takes
    three times as long.  So one entry beyond the last is written.
    """
    for level in range(256):
        back = np.int64(0)
        fore = np.int64(0)
        for part in range(n_tables):
            at_level = TABLE * part + level
            back += np.int64(tables[at_level])
            fore += np.int64(tables[at_level + 256])
            tables[at_level] = 0
            tables[at_level + 256] = 0
        levels[at] = level
        counts[at, 0] = back
        counts[at, 1] = fore
        at += np.int64(back + fore > 0)
    return at


@kernel
def box_levels(
    pred: NDArray[np.uint8],
    mask: NDArray[np.uint8],
    width: int,
    boxes: NDArray[np.int64],
) -> tuple[NDArray[np.int64], NDArray[np.uint8], NDArray[np.int64]]:
    """Count the raw values of a flat 8-bit map in each box: starts, levels, counts."""
    n = boxes.shape[0]
    room = _sparse_room(boxes)
    starts = np.zeros(n + 1, np.int64)
    levels = np.empty(room, np.uint8)
    counts = np.empty((room, 2), np.int64)
    tables = np.zeros(SUBTABLES * TABLE, np.uint32)
    for k in range(n):
        rows = boxes[k, 2] - boxes[k, 0]
        columns = boxes[k, 3] - boxes[k, 1]
        begin = boxes[k, 0] * width + boxes[k, 1]
        n_tables = SUBTABLES if rows * columns >= _BY_WORDS else 1
        if n_tables == 1:
            for row in range(rows):
                for i in range(begin + row * width, begin + row * width + columns):
                    tables[np.int64(pred[i]) + 256 * np.int64(mask[i])] += _ONE
        elif columns == width:
            stop = begin + rows * width
            _count_segment(pred, mask, begin, stop, tables)
        else:
            for row in range(rows):
                start = begin + row * width
                stop = start + columns
                _count_segment(pred, mask, start, stop, tables)
        starts[k + 1] = _gather(tables, n_tables, levels, counts, starts[k])
    return starts, levels[: starts[n]].copy(), counts[: starts[n]].copy()


@kernel
def rectangles_table(
    pred: NDArray[np.uint8],
    mask: NDArray[np.uint8],
    width: int,
    rectangles: NDArray[np.int64],
) -> NDArray[np.int64]:
    """Count the raw values of a flat 8-bit map in disjoint rectangles together: int64[2, 256]."""
    tables = np.zeros(SUBTABLES * TABLE, np.uint32)
    for k in range(rectangles.shape[0]):
        top, left, bottom, right = rectangles[k]
        if right - left == width:
            start = top * width
            _count_segment(pred, mask, start, bottom * width, tables)
        else:
            for row in range(top, bottom):
                start = row * width + left
                stop = row * width + right
                _count_segment(pred, mask, start, stop, tables)
    out = np.zeros((2, 256), np.int64)
    _add_subtables(tables, out)
    return out


@kernel
def span(raw: NDArray[np.uint8], outside: NDArray[np.int64]) -> tuple[int, int]:
    """Return the lowest and the highest raw value in all boxes and in a table of the rest."""
    low, high = extremes(raw)
    for value in range(256):
        if outside[0, value] + outside[1, value] > 0:
            low = min(low, value)
            high = max(high, value)
    return low, high


@kernel
def error_of_table(table: NDArray[np.int64], low: int, high: int) -> int:
    """Return the sum of |P - G|, `high` - `low` times as large, of a table [2, 256]."""
    error = 0
    for value in range(256):
        error += table[0, value] * (value - low) + table[1, value] * (high - value)
    return error


@kernel
def describe_boxes(
    starts: NDArray[np.int64],
    raw: NDArray[np.uint8],
    counts: NDArray[np.int64],
    span: tuple[int, int],
    n_pixels: int,
    keep_at_zero: bool,
    tolerance: float,
) -> tuple[
    NDArray[np.int64],
    NDArray[np.uint8],
    NDArray[np.int64],
    NDArray[np.int64],
    NDArray[np.float64],
    NDArray[np.bool_],
]:
    """Turn raw values in boxes into the statistics of local maps, zero outside their boxes.

    `span` are the raw values that stand for 0 and 1.  Returns starts, levels and counts of the
    (stretched) local maps of `n_pixels` pixels, the foreground and background kept by P > 0.5 and
    by the adaptive threshold [T, 2, 2], the sums of |P - G| in the boxes, and whether a value lies
    within `tolerance` (relative) of the adaptive threshold.
    """
    n = starts.size - 1
    low, high = span
    width = high - low
    bottom = low / 255.0
    reach = high / 255.0 - bottom
    plain = low == 0 and high == 255
    out_starts = np.zeros(n + 1, np.int64)
    levels = np.empty(raw.size + n, np.uint8)
    out = np.empty((raw.size + n, 2), np.int64)
    sides = np.zeros((n, 2, 2), np.int64)
    errors = np.zeros(n, np.float64)
    near = np.zeros(n, np.bool_)
    at = 0
    for k in range(n):
        outside = n_pixels
        total = 0
        error = 0
        for i in range(starts[k], starts[k + 1]):
            mass = np.int64(raw[i]) - low
            outside -= counts[i, 0] + counts[i, 1]
            total += mass * (counts[i, 0] + counts[i, 1])
            error += mass * counts[i, 0] + (width - mass) * counts[i, 1]
        errors[k] = error / np.float64(width)
        mean = total / (np.float64(width) * n_pixels)
        threshold = min(2.0 * mean, 1.0)
        at = out_starts[k]
        if outside > 0:
            levels[at] = 0
            out[at, 0] = outside
            out[at, 1] = 0
            at += 1
            if total == 0 and keep_at_zero:
                sides[k, 1, 1] = outside
        for i in range(starts[k], starts[k + 1]):
            p = raw[i] / 255.0
            if not plain:
                p = (p - bottom) / reach
            level = np.int64(255.0 * p)
            if at == out_starts[k] or levels[at - 1] != level:
                levels[at] = level
                out[at, 0] = 0
                out[at, 1] = 0
                at += 1
            out[at - 1, 0] += counts[i, 0]
            out[at - 1, 1] += counts[i, 1]
            if p > 0.5:
                sides[k, 0, 0] += counts[i, 1]
                sides[k, 0, 1] += counts[i, 0]
            if p >= threshold and (p > 0.0 or keep_at_zero):
                sides[k, 1, 0] += counts[i, 1]
                sides[k, 1, 1] += counts[i, 0]
            if total > 0 and abs(p - 2.0 * mean) <= tolerance * mean:
                near[k] = True
        out_starts[k + 1] = at
    return out_starts, levels[:at].copy(), out[:at].copy(), sides, errors, near


@kernel
def float_boxes(
    pred: NDArray[Any],
    mask: NDArray[np.uint8],
    boxes: NDArray[np.int64],
    top: Any,
    keep_at_zero: bool,
    tolerance: float,
) -> tuple[
    NDArray[np.int64],
    NDArray[np.uint8],
    NDArray[np.int64],
    NDArray[np.int64],
    NDArray[np.float64],
    NDArray[np.bool_],
]:
    """Return of a float map what `describe_boxes` returns; `top` is 255 in the map's precision."""
    n = boxes.shape[0]
    room = _sparse_room(boxes) + n
    starts = np.zeros(n + 1, np.int64)
    levels = np.empty(room, np.uint8)
    counts = np.empty((room, 2), np.int64)
    sides = np.zeros((n, 2, 2), np.int64)
    errors = np.zeros(n, np.float64)
    near = np.zeros(n, np.bool_)
    tables = np.zeros(TABLE, np.uint32)
    sums = np.empty(2, np.float64)
    for k in range(n):
        box = pred[boxes[k, 0] : boxes[k, 2], boxes[k, 1] : boxes[k, 3]]
        truth = mask[boxes[k, 0] : boxes[k, 2], boxes[k, 1] : boxes[k, 3]]
        _count_floats(box, truth, top, tables, sides[k, 0], sums)
        outside = pred.size - box.size
        starts[k + 1] = _gather(tables, 1, levels, counts, starts[k])
        if outside > 0:
            # Level 0 comes first; room for it was left.
            if starts[k] == starts[k + 1] or levels[starts[k]] != 0:
                for i in range(starts[k + 1], starts[k], -1):
                    levels[i] = levels[i - 1]
                    counts[i] = counts[i - 1]
                levels[starts[k]] = 0
                counts[starts[k]] = 0
                starts[k + 1] += 1
            counts[starts[k], 0] += outside
        errors[k] = sums[1]
        mean = sums[0] / pred.size
        near[k] = _keep_floats(box, truth, mean, keep_at_zero, tolerance, sides[k, 1])
        if keep_at_zero and sums[0] == 0.0:
            sides[k, 1, 1] += outside
    return starts, levels[: starts[n]].copy(), counts[: starts[n]].copy(), sides, errors, near


@kernel
def _count_floats(
    pred: NDArray[Any],
    mask: NDArray[np.uint8],
    top: Any,
    table: NDArray[np.uint32],
    side: NDArray[np.int64],
    sums: NDArray[np.float64],
) -> None:
    """Count levels and P > 0.5 in one box, and set `sums` to the sums of P and of |P - G|.

    Sums are taken row by row, so that their rounding grows with the root of the box.
    """
    sums[:] = 0.0
    half = np.int64(0)
    on_half = np.int64(0)
    for row in range(pred.shape[0]):
        in_row = 0.0
        wrong = 0.0
        for column in range(pred.shape[1]):
            p = pred[row, column]
            g = np.int64(mask[row, column])
            table[np.int64(top * p) + 256 * g] += _ONE
            above = np.int64(p > 0.5)
            half += above
            on_half += above & g
            v = np.float64(p)
            in_row += v
            wrong += abs(v - g)
        sums[0] += in_row
        sums[1] += wrong
    side[0] = on_half
    side[1] = half - on_half


@kernel
def _keep_floats(
    pred: NDArray[Any],
    mask: NDArray[np.uint8],
    mean: float,
    keep_at_zero: bool,
    tolerance: float,
    side: NDArray[np.int64],
) -> bool:
    """Count what the adaptive threshold keeps of one box, and tell whether rounding decides it."""
    threshold = min(2.0 * mean, 1.0)
    reach = tolerance * mean
    kept = np.int64(0)
    on = np.int64(0)
    close = np.int64(0)
    for row in range(pred.shape[0]):
        for column in range(pred.shape[1]):
            p = np.float64(pred[row, column])
            keep = np.int64(p >= threshold) & np.int64(keep_at_zero or p > 0.0)
            kept += keep
            on += keep & np.int64(mask[row, column])
            close += np.int64(abs(p - 2.0 * mean) <= reach)
    side[0] = on
    side[1] = kept - on
    return mean > 0.0 and close > 0


@kernel
def rectangles_error(
    pred: NDArray[Any], mask: NDArray[np.uint8], rectangles: NDArray[np.int64]
) -> float:
    """Return the sum of |P - G| of a float map in disjoint rectangles."""
    error = 0.0
    for k in range(rectangles.shape[0]):
        top, left, bottom, right = rectangles[k]
        for row in range(top, bottom):
            wrong = 0.0
            for column in range(left, right):
                wrong += abs(np.float64(pred[row, column]) - mask[row, column])
            error += wrong
    return error
