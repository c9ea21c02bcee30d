"""A truth of 8 bits made a mask, with what falls out of that."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fastsegmetrics.kernels._jit import kernel
from fastsegmetrics.kernels.levels import extremes, mask_sums


@kernel
def foreground(
    levels: NDArray[np.uint8], threshold: int, summed: bool
) -> tuple[NDArray[np.uint8], tuple[int, int, int], int]:
    """Return the pixels (H, W) above a threshold as 0 and 1, their `mask_sums`, the highest level.

    The sums are zeros unless they are asked for.  One kernel: to compare, to ask whether any is
    above and to sum gave the interpreter's lock away three times.
    """
    height, width = levels.shape
    mask = np.empty((height, width), np.uint8)
    flat = levels.reshape(-1)
    out = mask.reshape(-1)
    least = np.uint8(threshold)
    for i in range(flat.size):
        out[i] = np.uint8(flat[i] > least)
    sums = mask_sums(mask) if summed else (0, 0, 0)
    return mask, sums, extremes(flat)[1]
