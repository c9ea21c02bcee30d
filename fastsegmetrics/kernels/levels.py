"""Level histograms and moments of an 8-bit map against a mask: all that the sweep family needs."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastsegmetrics.kernels._jit import kernel

_BYTES = np.uint64(0x0101010101010101)
_EVEN = np.uint64(0x00FF00FF00FF00FF)
_ODD = np.uint64(0xFF00FF00FF00FF00)
_BYTE = np.uint64(0xFF)
_PAIR = np.uint64(0xFFFF)
_8, _16, _32, _48 = np.uint64(8), np.uint64(16), np.uint64(32), np.uint64(48)
_ONE = np.uint32(1)


@kernel
def mask_sums(mask: NDArray[np.uint8]) -> tuple[int, int, int]:
    """Return the number of set pixels and the sums of their rows and of their columns.

    Column totals first, one multiplication per column at the end: the inner loop then is a plain
    vector addition (0.018 ms at 512 x 512, 0.028 with a product per pixel).
    """
    height, width = mask.shape
    column_totals = np.zeros(width, np.uint32)
    area = 0
    row_sum = 0
    for row in range(height):
        in_row = np.uint32(0)
        for column in range(width):
            bit = np.uint32(mask[row, column])
            in_row += bit
            column_totals[column] += bit
        area += np.int64(in_row)
        row_sum += np.int64(in_row) * row
    column_sum = 0
    for column in range(width):
        column_sum += np.int64(column_totals[column]) * column
    return area, row_sum, column_sum


@kernel
def _count_segment(
    pred: NDArray[np.uint8],
    mask: NDArray[np.uint8],
    pred_words: NDArray[np.uint64],
    mask_words: NDArray[np.uint64],
    start: int,
    stop: int,
    tables: NDArray[np.uint32],
) -> None:
    """Add the pixels [start, stop) to four sub-tables indexed by level + 256 * truth.

    Eight pixels at a time as two 64-bit words.  A run of equal words of one level is counted at
    once, which is what flat maps consist of; otherwise the bytes of both words are interleaved to
    table indices, and four sub-tables keep a store from being the next load.  Measured at
    512 x 512: flat 0.05 ms, smooth 0.13, noise 0.14; a plain loop 0.18 to 0.25 on all.
    """
    i = start
    head = min(stop, (start + 7) // 8 * 8)
    while i < head:
        tables[0, np.int64(pred[i]) + 256 * np.int64(mask[i])] += _ONE
        i += 1
    word = i >> 3
    last = stop >> 3
    while word < last:
        levels = pred_words[word]
        truths = mask_words[word]
        level = levels & _BYTE
        truth = truths & _BYTE
        if levels == level * _BYTES and truths == truth * _BYTES:
            end = word + 1
            while end < last and pred_words[end] == levels and mask_words[end] == truths:
                end += 1
            tables[0, np.int64(level) + 256 * np.int64(truth)] += np.uint32(8 * (end - word))
            word = end
        else:
            even = (levels & _EVEN) | ((truths << _8) & _ODD)
            odd = ((levels >> _8) & _EVEN) | (truths & _ODD)
            tables[0, even & _PAIR] += _ONE
            tables[1, odd & _PAIR] += _ONE
            tables[2, (even >> _16) & _PAIR] += _ONE
            tables[3, (odd >> _16) & _PAIR] += _ONE
            tables[0, (even >> _32) & _PAIR] += _ONE
            tables[1, (odd >> _32) & _PAIR] += _ONE
            tables[2, even >> _48] += _ONE
            tables[3, odd >> _48] += _ONE
            word += 1
    i = max(i, 8 * word)
    while i < stop:
        tables[0, np.int64(pred[i]) + 256 * np.int64(mask[i])] += _ONE
        i += 1


@kernel
def level_table(
    pred: NDArray[np.uint8],
    mask: NDArray[np.uint8],
    pred_words: NDArray[np.uint64],
    mask_words: NDArray[np.uint64],
    width: int,
    split_row: int,
    split_column: int,
) -> NDArray[np.int64]:
    """Count pixels by quadrant, truth and level: int64[4, 2, 256].

    `pred` and `mask` are the flat 8-bit map and 0/1 mask, `*_words` the same memory as 64-bit
    words (without the odd bytes at its end).
    """
    height = pred.size // width
    tables = np.zeros((4, 4, 512), np.uint32)
    for row in range(height):
        start = row * width
        middle = start + split_column
        q = 2 if row >= split_row else 0
        _count_segment(pred, mask, pred_words, mask_words, start, middle, tables[q])
        _count_segment(pred, mask, pred_words, mask_words, middle, start + width, tables[q + 1])
    out = np.zeros((4, 2, 256), np.int64)
    for q in range(4):
        for part in range(4):
            for g in range(2):
                for level in range(256):
                    out[q, g, level] += np.int64(tables[q, part, 256 * g + level])
    return out


#: A piece whose sums of two bytes fit 16 bits: 128 · 2 · 255 < 2¹⁶.
_PIECE = 128
_LOW_PAIRS = np.uint64(0x0000FFFF0000FFFF)
_LOW_HALF = np.uint64(0xFFFFFFFF)


@kernel
def _pairs(word: Any) -> Any:
    """Return the four sums of neighbouring bytes of a word, 16 bits each."""
    return (word & _EVEN) + ((word >> _8) & _EVEN)


@kernel
def _folded(pairs: Any) -> int:
    """Return the sum of the four numbers of 16 bits in a word."""
    halves = (pairs & _LOW_PAIRS) + ((pairs >> _16) & _LOW_PAIRS)
    return np.int64((halves & _LOW_HALF) + (halves >> _32))


@kernel
def _piece_sums(pred: NDArray[np.uint64], mask: NDArray[np.uint64]) -> tuple[int, int, int]:
    """Return the sum of a piece's bytes, their sum on the mask, and the mask's area.

    Eight pixels a word and four words a vector: half the time of a loop over pixels, which has to
    widen each byte to four before it can add.
    """
    total = np.uint64(0)
    inside = np.uint64(0)
    area = np.uint64(0)
    for i in range(pred.size):
        levels = pred[i]
        truths = mask[i]
        total += _pairs(levels)
        inside += _pairs(levels & (truths * _BYTE))
        area += truths
    return _folded(total), _folded(inside), _folded(_pairs(area))


@kernel
def _piece_sum(words: NDArray[np.uint64]) -> int:
    """Return the sum of a piece's bytes, see `_piece_sums`."""
    total = np.uint64(0)
    for i in range(words.size):
        total += _pairs(words[i])
    return _folded(total)


@kernel
def extremes(pred: NDArray[np.uint8]) -> tuple[int, int]:
    """Return the lowest and the highest value of a flat 8-bit map."""
    low = np.uint8(255)
    high = np.uint8(0)
    for i in range(pred.size):
        value = pred[i]
        low = value if value < low else low
        high = value if value > high else high
    return np.int64(low), np.int64(high)


@kernel
def level_range(pred: NDArray[np.uint8]) -> tuple[int, int, int]:
    """Return the sum of a flat 8-bit map, its minimum and its maximum."""
    whole = pred.size // 8 * 8
    words = pred[:whole].view(np.uint64)
    total = 0
    for start in range(0, words.size, _PIECE):
        total += _piece_sum(words[start : start + _PIECE])
    for i in range(whole, pred.size):
        total += np.int64(pred[i])
    low, high = extremes(pred)
    return total, low, high


@kernel
def level_sums(pred: NDArray[np.uint8], mask: NDArray[np.uint8]) -> tuple[int, int, int, int, int]:
    """Return the sum of a flat 8-bit map, its sum on the mask, the mask's area, minimum, maximum.

    All that the mean absolute error needs: 0.015 ms at 512 x 512, where a table takes up to 0.14.
    """
    whole = pred.size // 8 * 8
    pred_words = pred[:whole].view(np.uint64)
    mask_words = mask[:whole].view(np.uint64)
    total = 0
    inside = 0
    area = 0
    for start in range(0, pred_words.size, _PIECE):
        stop = start + _PIECE
        found = _piece_sums(pred_words[start:stop], mask_words[start:stop])
        total += found[0]
        inside += found[1]
        area += found[2]
    for i in range(whole, pred.size):
        truth = np.int64(mask[i])
        total += np.int64(pred[i])
        inside += np.int64(pred[i]) * truth
        area += truth
    low, high = extremes(pred)
    return total, inside, area, low, high


@kernel
def describe_table(
    table: NDArray[np.int64], stretch: bool, keep_at_zero: bool, tolerance: float
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64], float, int, bool]:
    """Turn a table of raw 8-bit values into the statistics of the (stretched) map.

    Returns the level counts [2, 256], the foreground and background pixels kept by P > 0.5 and by
    the adaptive threshold [[tp, fp], [tp, fp]], the cell moments [4, 2, 3], the sum of |P - G|,
    the highest raw value, and whether a value lies within `tolerance` (relative) of the adaptive
    threshold.
    """
    low = 255
    high = 0
    for value in range(256):
        present = 0
        for q in range(4):
            present += table[q, 0, value] + table[q, 1, value]
        if present > 0:
            low = min(low, value)
            high = max(high, value)
    highest = high
    if not stretch or low == high:
        low = 0
        high = 255
    span = high - low

    # Quotients of integers where the published order of roundings cannot be seen in the result;
    # the published double arithmetic where it decides a pixel's level or side.
    counts = np.zeros((2, 256), np.int64)
    values = np.zeros(256, np.float64)
    moments = np.zeros((4, 2, 3), np.float64)
    error = 0
    total = 0
    n = 0
    for q in range(4):
        for g in range(2):
            cell = 0
            mass = 0
            for value in range(256):
                cell += table[q, g, value]
                mass += table[q, g, value] * (value - low)
            n += cell
            total += mass
            error += mass if g == 0 else cell * span - mass
            if cell > 0:
                mean = mass / (np.float64(span) * cell)
                squares = 0.0
                for value in range(256):
                    if table[q, g, value] > 0:
                        off = (value - low) / span - mean
                        squares += table[q, g, value] * (off * off)
                moments[q, g, 0] = cell
                moments[q, g, 1] = mean
                moments[q, g, 2] = squares
    mean = total / (np.float64(span) * n)
    threshold = min(2.0 * mean, 1.0)

    bottom = low / 255.0
    reach = high / 255.0 - bottom
    plain = low == 0 and high == 255
    sides = np.zeros((2, 2), np.int64)
    ambiguous = False
    for value in range(256):
        fore = 0
        back = 0
        for q in range(4):
            back += table[q, 0, value]
            fore += table[q, 1, value]
        if fore + back == 0:
            continue
        p = value / 255.0
        if not plain:
            p = (p - bottom) / reach
        values[value] = p
        level = np.int64(255.0 * p)
        counts[0, level] += back
        counts[1, level] += fore
        if p > 0.5:
            sides[0, 0] += fore
            sides[0, 1] += back
        if p >= threshold and (p > 0.0 or keep_at_zero):
            sides[1, 0] += fore
            sides[1, 1] += back
        if total > 0 and abs(p - 2.0 * mean) <= tolerance * mean:
            ambiguous = True
    return counts, sides, moments, error / np.float64(span), highest, ambiguous
