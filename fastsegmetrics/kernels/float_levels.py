"""Level histograms, moments and errors of a map of floats against a mask.

Rounding: sums are float64, of one column over at most `_BAND` rows, then over the columns two by
two, so that they miss by a few units in the last place whatever the image's size.  They are also
plain additions of vectors: with a few sums side by side in one row the moments took four times as
long (0.42 ms at 300 x 400 for 0.1).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastsegmetrics.kernels._jit import kernel
from fastsegmetrics.kernels.levels import SUBTABLES, TABLE, _add_subtables, _count_segment

#: Rows that are added before they join the total, and columns added side by side: three arrays of
#: these and a row of the map stay in the fastest cache.
_BAND = 64
_COLUMNS = 512
#: Pixels whose levels are kept at a time; whole words of eight.
_RUN = 4096


@kernel
def absolute_error(pred: NDArray[Any], mask: NDArray[np.uint8]) -> float:
    """Return the sum of |P - G| of a flat float map."""
    total = 0.0
    sums = np.empty(_COLUMNS, np.float64)
    for start in range(0, pred.size, _BAND * _COLUMNS):
        stop = min(start + _BAND * _COLUMNS, pred.size)
        sums[:] = 0.0
        for left in range(start, stop, _COLUMNS):
            right = min(left + _COLUMNS, stop)
            _add_errors(pred[left:right], mask[left:right], sums)
        total += _folded(sums, _COLUMNS)
    return total


@kernel
def float_counts(
    pred: NDArray[Any], mask: NDArray[np.uint8], top: Any, threshold: Any, keep_at_zero: bool
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the level counts [2, 256] and the sides [[tp, fp], [tp, fp]] of a flat float map.

    `top` (255) and `threshold` are of the map's own precision, in which levels are floor(top * P)
    and the adaptive side is P >= threshold.  Levels first, a run of pixels at a time, then counted
    like those of an 8-bit map: a third to a half of the time of a loop that does both for each
    pixel.
    """
    tables = np.zeros(SUBTABLES * TABLE, np.uint32)
    found = np.empty(_RUN, np.uint8)
    sides = np.zeros((2, 2), np.int64)
    for start in range(0, pred.size, _RUN):
        stop = min(start + _RUN, pred.size)
        run, truth = pred[start:stop], mask[start:stop]
        above_half, on_half, above, on = _levels(run, truth, top, threshold, found)
        if threshold == 0 and not keep_at_zero:
            above, on = _positive(run, truth)
        sides[0, 0] += on_half
        sides[0, 1] += above_half - on_half
        sides[1, 0] += on
        sides[1, 1] += above - on
        _count_segment(found, truth, 0, run.size, tables)
    counts = np.zeros((2, 256), np.int64)
    _add_subtables(tables, counts)
    return counts, sides


@kernel
def float_moments(
    pred: NDArray[Any], mask: NDArray[np.uint8], split_row: int, split_column: int
) -> tuple[NDArray[np.float64], float]:
    """Return the cell moments [4, 2, 3] of a float map and the sum of |P - G|.

    Sums are relative to the cell's first value, so that a constant cell has its exact mean and no
    spread.  Blocks are named by their rows and columns: of a slice in two dimensions the compiler
    does not know that rows are contiguous, and adds one number at a time.
    """
    height, width = pred.shape
    moments = np.zeros((4, 2, 3), np.float64)
    origins = np.zeros((4, 2), np.float64)
    error = 0.0
    for q in range(4):
        rows = (0, split_row) if q < 2 else (split_row, height)
        columns = (0, split_column) if q % 2 == 0 else (split_column, width)
        _first_values(pred, mask, rows, columns, origins[q])
        area, off, on, wrong = _block_sums(pred, mask, rows, columns, origins[q, 0], origins[q, 1])
        error += wrong
        outside = (rows[1] - rows[0]) * (columns[1] - columns[0]) - area
        moments[q, 0, 0] = outside
        moments[q, 1, 0] = area
        if outside > 0:
            moments[q, 0, 1] = origins[q, 0] + off / outside
        if area > 0:
            moments[q, 1, 1] = origins[q, 1] + on / area
        off, on = _block_squares(pred, mask, rows, columns, moments[q, 0, 1], moments[q, 1, 1])
        moments[q, 0, 2] = off
        moments[q, 1, 2] = on
    return moments, error


@kernel
def _levels(
    pred: NDArray[Any], mask: NDArray[np.uint8], top: Any, threshold: Any, out: NDArray[np.uint8]
) -> tuple[int, int, int, int]:
    """Put levels into `out`; return the pixels > 0.5, those on the mask, >= threshold, likewise."""
    above_half = 0
    on_half = 0
    above = 0
    on = 0
    for i in range(pred.size):
        p = pred[i]
        g = np.int64(mask[i])
        # By way of 32 bits: processors have vectors of that conversion, but not of floats to bytes.
        out[i] = np.uint8(np.int32(top * p))
        half = np.int64(p > 0.5)
        kept = np.int64(p >= threshold)
        above_half += half
        on_half += half & g
        above += kept
        on += kept & g
    return above_half, on_half, above, on


@kernel
def _positive(pred: NDArray[Any], mask: NDArray[np.uint8]) -> tuple[int, int]:
    above = 0
    on = 0
    for i in range(pred.size):
        kept = np.int64(pred[i] > 0)
        above += kept
        on += kept & np.int64(mask[i])
    return above, on


@kernel
def _first_values(
    pred: NDArray[Any],
    mask: NDArray[np.uint8],
    rows: tuple[int, int],
    columns: tuple[int, int],
    out: NDArray[np.float64],
) -> None:
    """Put the first background and the first foreground value of a block into `out`."""
    missing = 2
    found = np.zeros(2, np.bool_)
    for row in range(rows[0], rows[1]):
        for column in range(columns[0], columns[1]):
            g = np.int64(mask[row, column])
            if not found[g]:
                found[g] = True
                out[g] = pred[row, column]
                missing -= 1
                if missing == 0:
                    return


@kernel
def _block_sums(
    pred: NDArray[Any],
    mask: NDArray[np.uint8],
    rows: tuple[int, int],
    columns: tuple[int, int],
    low: float,
    high: float,
) -> tuple[int, float, float, float]:
    """Return a block's area, the sums of P - low off and P - high on the mask, and of |P - G|."""
    area = 0
    totals = np.zeros(3, np.float64)
    sums = np.empty((3, _COLUMNS), np.float64)
    for left in range(columns[0], columns[1], _COLUMNS):
        right = min(left + _COLUMNS, columns[1])
        for top in range(rows[0], rows[1], _BAND):
            sums[:, : right - left] = 0.0
            for row in range(top, min(top + _BAND, rows[1])):
                values, truth = pred[row, left:right], mask[row, left:right]
                _add_deviations(values, truth, low, high, sums[0], sums[1])
                _add_errors(values, truth, sums[2])
                for i in range(truth.size):
                    area += np.int64(truth[i])
            for k in range(3):
                totals[k] += _folded(sums[k], right - left)
    return area, totals[0], totals[1], totals[2]


@kernel
def _block_squares(
    pred: NDArray[Any],
    mask: NDArray[np.uint8],
    rows: tuple[int, int],
    columns: tuple[int, int],
    low: float,
    high: float,
) -> tuple[float, float]:
    """Return the sums of squared deviations of a block from `low` off and `high` on the mask."""
    totals = np.zeros(2, np.float64)
    sums = np.empty((2, _COLUMNS), np.float64)
    for left in range(columns[0], columns[1], _COLUMNS):
        right = min(left + _COLUMNS, columns[1])
        for top in range(rows[0], rows[1], _BAND):
            sums[:, : right - left] = 0.0
            for row in range(top, min(top + _BAND, rows[1])):
                values, truth = pred[row, left:right], mask[row, left:right]
                _add_squares(values, truth, low, high, sums[0], sums[1])
            for k in range(2):
                totals[k] += _folded(sums[k], right - left)
    return totals[0], totals[1]


@kernel
def _add_errors(pred: NDArray[Any], mask: NDArray[np.uint8], sums: NDArray[np.float64]) -> None:
    for i in range(pred.size):
        sums[i] += abs(np.float64(pred[i]) - np.float64(mask[i]))


@kernel
def _add_deviations(
    pred: NDArray[Any],
    mask: NDArray[np.uint8],
    low: float,
    high: float,
    off: NDArray[np.float64],
    on: NDArray[np.float64],
) -> None:
    for i in range(pred.size):
        value = np.float64(pred[i])
        g = np.float64(mask[i])
        off[i] += (value - low) * (1.0 - g)
        on[i] += (value - high) * g


@kernel
def _add_squares(
    pred: NDArray[Any],
    mask: NDArray[np.uint8],
    low: float,
    high: float,
    off: NDArray[np.float64],
    on: NDArray[np.float64],
) -> None:
    for i in range(pred.size):
        value = np.float64(pred[i])
        g = np.float64(mask[i])
        from_low = (value - low) * (1.0 - g)
        from_high = (value - high) * g
        off[i] += from_low * from_low
        on[i] += from_high * from_high


@kernel
def _folded(sums: NDArray[np.float64], count: int) -> float:
    """Return the sum of the first `count` numbers, taken two by two; they are overwritten."""
    while count > 1:
        half = (count + 1) // 2
        for i in range(count - half):
            sums[i] += sums[half + i]
        count = half
    return sums[0]
