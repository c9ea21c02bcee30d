"""Twin of ``kernels.masks``."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fastsegmetrics.reference.levels import mask_sums


def foreground(
    levels: NDArray[np.uint8], threshold: int, summed: bool
) -> tuple[NDArray[np.uint8], tuple[int, int, int], int]:
    """Return the pixels (H, W) above a threshold as 0 and 1, their `mask_sums`, the highest."""
    mask = (levels > threshold).view(np.uint8)
    sums = mask_sums(mask) if summed else (0, 0, 0)
    return mask, sums, int(levels.max())
