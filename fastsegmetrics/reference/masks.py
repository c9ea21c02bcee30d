"""Twin of ``kernels.masks``."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fastsegmetrics.reference.levels import mask_sums


def foreground(
    levels: NDArray[np.uint8], threshold: int
) -> tuple[NDArray[np.uint8], tuple[int, int, int], int]:
    """Return the pixels (H, W) above a threshold as 0 and 1, their `mask_sums`, the highest."""
    mask = (levels > threshold).view(np.uint8)
    return mask, mask_sums(mask), int(levels.max())
