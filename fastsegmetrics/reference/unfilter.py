"""The row filters of PNG undone byte by byte, as the format's definition words them."""

from __future__ import annotations

import numpy as np


def unfilter(
    source: np.ndarray, words: np.ndarray, out: np.ndarray, out_words: np.ndarray, width: int
) -> int:
    """Fill `out` from `source`; `words` and `out_words` are the same memory and not needed here.

    Filters: 0 none, 1 the byte to the left, 2 the byte above, 3 half the sum of both, 4 whichever
    of left, above and above-left is nearest to left + above - above-left (in that order on a tie).
    Bytes outside the image are 0, sums are modulo 256.  Returns -1, or the first row whose filter
    does not exist.
    """
    above = [0] * width
    for row, filtered in enumerate(source.reshape(-1, width + 1).tolist()):
        kind, *values = filtered
        line: list[int] = []
        for i, value in enumerate(values):
            left = line[i - 1] if i > 0 else 0
            corner = above[i - 1] if i > 0 else 0
            up = above[i]
            if kind == 0:
                predicted = 0
            elif kind == 1:
                predicted = left
            elif kind == 2:
                predicted = up
            elif kind == 3:
                predicted = (left + up) // 2
            elif kind == 4:
                aim = left + up - corner
                distances = [abs(near - aim) for near in (left, up, corner)]
                predicted = (left, up, corner)[distances.index(min(distances))]
            else:
                return row
            line.append((value + predicted) % 256)
        out[row * width : (row + 1) * width] = line
        above = line
    return -1
