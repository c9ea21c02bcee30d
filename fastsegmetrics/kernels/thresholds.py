"""Edges of all 256 threshold masks of a map at once, one bit of a 256-bit word for each."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fastsegmetrics.kernels._jit import kernel
from fastsegmetrics.kernels.edges import N_SCALES

#: The padding that makes a side a multiple of the coarsest cell is `-side & _COARSEST`.
_COARSEST = (1 << (N_SCALES - 1)) - 1
_ONE = np.uint64(1)
#: Words that are summed together, and the binary digits of a sum of words.
_QUEUE = 16
_DIGITS = 40


@kernel
def _level_words(levels: NDArray[np.uint8]) -> NDArray[np.uint64]:
    """Return for each index 4 * (value + 1) the word of the thresholds at which a pixel is on.

    Bit t of a word is `level >= t`; index 0 is a pixel outside the image, which is never on.
    """
    words = np.zeros(4 * 257, np.uint64)
    for value in range(256):
        for t in range(np.int64(levels[value]) + 1):
            words[4 * (value + 1) + (t >> 6)] |= _ONE << np.uint64(t & 63)
    return words


@kernel
def _bounds(
    up: NDArray[np.int16],
    mid: NDArray[np.int16],
    down: NDArray[np.int16],
    lowest: NDArray[np.int16],
    highest: NDArray[np.int16],
) -> None:
    """Take the minimum and the maximum of the three rows, column by column."""
    for x in range(up.size):
        a, b, c = up[x], mid[x], down[x]
        low = a if a < b else b
        high = b if a < b else a
        lowest[x] = c if c < low else low
        highest[x] = c if c > high else high


@kernel
def _busy_pixels(
    lowest: NDArray[np.int16],
    highest: NDArray[np.int16],
    first: NDArray[np.uint8],
    busy: NDArray[np.uint8],
) -> None:
    """Turn the columns' bounds into the windows', in place from the left, and mark the pixels
    whose window is not flat and whose cell matters at some scale."""
    for x in range(first.size):
        a, b, c = lowest[x], lowest[x + 1], lowest[x + 2]
        low = a if a < b else b
        low = c if c < low else low
        a, b, c = highest[x], highest[x + 1], highest[x + 2]
        high = a if a > b else b
        high = c if c > high else high
        lowest[x] = low
        highest[x] = high
        busy[x] = (low != high) & (first[x] < N_SCALES)


@kernel
def _write_words(
    values: NDArray[np.uint8], words: NDArray[np.uint64], out: NDArray[np.uint64]
) -> None:
    """Write the word of each pixel of a row; `out` is padded by one word that is not on."""
    for x in range(values.size):
        at = 4 * (np.int64(values[x]) + 1)
        # All four are read before one is written, so that they move as one vector.
        a, b, c, d = words[at], words[at + 1], words[at + 2], words[at + 3]
        out[4 * x + 4] = a
        out[4 * x + 5] = b
        out[4 * x + 6] = c
        out[4 * x + 7] = d


@kernel
def _edge_words(
    up: NDArray[np.uint64],
    mid: NDArray[np.uint64],
    down: NDArray[np.uint64],
    out: NDArray[np.uint64],
) -> None:
    """Find the edges of 256 masks in a stretch of one row; the logic is `edges._edge_row`'s."""
    for i in range(out.size):
        nw, n, ne = up[i], up[i + 4], up[i + 8]
        w, e = mid[i], mid[i + 8]
        sw, s, se = down[i], down[i + 4], down[i + 8]
        across = (
            (ne ^ se ^ nw ^ sw) | (e ^ (ne & se) ^ w ^ (nw & sw)) | ((ne & e & se) ^ (nw & w & sw))
        )
        along = (
            (sw ^ se ^ nw ^ ne) | (s ^ (sw & se) ^ n ^ (nw & ne)) | ((sw & s & se) ^ (nw & n & ne))
        )
        out[i] = across | along


@kernel
def _add(a: np.uint64, b: np.uint64, c: np.uint64) -> tuple[np.uint64, np.uint64]:
    """Add three words bit by bit: the sums and the carries."""
    half = a ^ b
    return half ^ c, (a & b) | (half & c)


@kernel
def _fold(
    queue: NDArray[np.uint64], digits: NDArray[np.uint64], carries: NDArray[np.uint64]
) -> None:
    """Add sixteen words to the counters of their bits, of which `digits` holds one digit a row.

    A tree of adders: 15 for 16 words, so that a word costs seven operations, not one per digit.
    """
    for i in range(4):
        ones, twos, fours, eights = digits[i], digits[4 + i], digits[8 + i], digits[12 + i]
        ones, a = _add(ones, queue[i], queue[4 + i])
        ones, b = _add(ones, queue[8 + i], queue[12 + i])
        twos, a4 = _add(twos, a, b)
        ones, a = _add(ones, queue[16 + i], queue[20 + i])
        ones, b = _add(ones, queue[24 + i], queue[28 + i])
        twos, b4 = _add(twos, a, b)
        fours, a8 = _add(fours, a4, b4)
        ones, a = _add(ones, queue[32 + i], queue[36 + i])
        ones, b = _add(ones, queue[40 + i], queue[44 + i])
        twos, a4 = _add(twos, a, b)
        ones, a = _add(ones, queue[48 + i], queue[52 + i])
        ones, b = _add(ones, queue[56 + i], queue[60 + i])
        twos, b4 = _add(twos, a, b)
        fours, b8 = _add(fours, a4, b4)
        eights, carry = _add(eights, a8, b8)
        digits[i], digits[4 + i], digits[8 + i], digits[12 + i] = ones, twos, fours, eights
        carries[i] = carry
    for place in range(16, 4 * _DIGITS, 4):
        rest = np.uint64(0)
        for i in range(4):
            old = digits[place + i]
            carry = carries[i]
            digits[place + i] = old ^ carry
            carries[i] = old & carry
            rest |= old & carry
        if rest == 0:
            break


@kernel
def _bit_counts(digits: NDArray[np.uint64], out: NDArray[np.int64]) -> None:
    for place in range(_DIGITS):
        for t in range(256):
            bit = (digits[4 * place + (t >> 6)] >> np.uint64(t & 63)) & _ONE
            out[t] += np.int64(bit) << place


@kernel
def _close_cells(
    k: int,
    first: NDArray[np.uint8],
    cells: NDArray[np.uint64],
    parents: NDArray[np.uint64],
    queue: NDArray[np.uint64],
    digits: NDArray[np.uint64],
    filled: int,
) -> int:
    """Count the finished cells of one row at scale k that are on, and join them to their parents.

    `first` is the last row of pixels in these cells; a cell is on iff any, and so every pixel of
    it is so at this scale or a finer one.  Returns how many words wait in the queue.
    """
    carries = np.zeros(4, np.uint64)
    width = first.size
    pad = -width & _COARSEST
    skipped = pad >> k
    parent_skipped = pad >> (k + 1)
    for cell in range(cells.size >> 2):
        last = ((cell + skipped + 1) << k) - 1 - pad
        if first[last] <= k:
            parent = 4 * (((cell + skipped) >> 1) - parent_skipped)
            for i in range(4):
                word = cells[4 * cell + i]
                queue[4 * filled + i] = word
                parents[parent + i] |= word
                cells[4 * cell + i] = 0
            filled += 1
            if filled == _QUEUE:
                _fold(queue, digits, carries)
                filled = 0
    return filled


@kernel
def threshold_cells(
    values: NDArray[np.uint8], levels: NDArray[np.uint8], first: NDArray[np.uint8]
) -> NDArray[np.int64]:
    """Count, by scale and threshold 0…256, the truth's edge cells that hold an edge of the map.

    `values` [H, W] are the map's, `levels` [256] the level of each value (not decreasing), `first`
    what `edges.first_scales` gives of the truth.  Rows are streamed: what is held is a row of
    words at each scale.
    """
    height, width = values.shape
    words = _level_words(levels)
    window = np.zeros((3, width + 2), np.int16)
    lowest = np.empty(width + 2, np.int16)
    highest = np.empty(width + 2, np.int16)
    window_words = np.zeros((3, 4 * (width + 2)), np.uint64)
    written = np.full(3, -1, np.int64)
    found = np.empty(4 * width, np.uint64)
    busy = np.zeros((width + 7) // 8 * 8, np.uint8)
    busy_words = busy.view(np.uint64)
    pad = -width & _COARSEST
    starts = np.zeros(N_SCALES + 2, np.int64)
    for k in range(N_SCALES + 1):
        starts[k + 1] = starts[k] + 4 * (((width + pad) >> k) - (pad >> k) + (k == N_SCALES))
    cells = np.zeros(starts[N_SCALES + 1], np.uint64)
    queues = np.zeros((N_SCALES, 4 * _QUEUE), np.uint64)
    filled = np.zeros(N_SCALES, np.int64)
    digits = np.zeros((N_SCALES, 4 * _DIGITS), np.uint64)
    carries = np.zeros(4, np.uint64)

    window[0] = -1
    window[1:, 0] = -1
    window[1:, width + 1] = -1
    window[1, 1 : width + 1] = values[0]
    for y in range(height):
        up, mid, down = window[y % 3], window[(y + 1) % 3], window[(y + 2) % 3]
        if y + 1 < height:
            down[1 : width + 1] = values[y + 1]
        else:
            down[:] = -1
        here = first[y]
        _bounds(up, mid, down, lowest, highest)
        _busy_pixels(lowest, highest, here, busy)
        block = 0
        while block < busy_words.size:
            if busy_words[block] == 0:
                block += 1
                continue
            start = 8 * block
            while block < busy_words.size and busy_words[block] != 0:
                block += 1
            end = min(8 * block, width)
            for near in range(y - 1, y + 2):
                if written[(near + 1) % 3] != near:
                    written[(near + 1) % 3] = near
                    out = window_words[(near + 1) % 3]
                    if near < 0 or near == height:
                        out[:] = 0
                    else:
                        _write_words(values[near], words, out)
            _edge_words(
                window_words[y % 3, 4 * start : 4 * end + 8],
                window_words[(y + 1) % 3, 4 * start : 4 * end + 8],
                window_words[(y + 2) % 3, 4 * start : 4 * end + 8],
                found[4 * start : 4 * end],
            )
            for x in range(start, end):
                if busy[x]:
                    k = np.int64(here[x])
                    at = starts[k] + 4 * (((x + pad) >> k) - (pad >> k))
                    for i in range(4):
                        cells[at + i] |= found[4 * x + i]
        row = y + (-height & _COARSEST) + 1
        for k in range(N_SCALES):
            if row & ((1 << k) - 1) != 0:
                break
            filled[k] = _close_cells(
                k, here, cells[starts[k] : starts[k + 1]], cells[starts[k + 1] : starts[k + 2]],
                queues[k], digits[k], filled[k],
            )  # fmt: skip
    counts = np.zeros((N_SCALES, 257), np.int64)
    for k in range(N_SCALES):
        queues[k, 4 * filled[k] :] = 0
        _fold(queues[k], digits[k], carries)
        _bit_counts(digits[k], counts[k])
    return counts
