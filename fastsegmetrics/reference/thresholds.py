"""Twins of ``kernels.thresholds``: one pass over the image for each threshold."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fastsegmetrics.reference.edges import edge_mask, shrink


def threshold_cells(
    values: NDArray[np.uint8], levels: NDArray[np.uint8], first: NDArray[np.uint8]
) -> NDArray[np.int64]:
    """Count, by scale and threshold 0…256, the truth's edge cells that hold an edge of the map."""
    counts = np.zeros((10, 257), np.int64)
    truth = [shrink(first == 0, 2**k) for k in range(10)]
    for t in range(257):
        edges = edge_mask(levels[values].astype(np.int64) >= t)
        for k in range(10):
            counts[k, t] = np.count_nonzero(shrink(edges, 2**k) & truth[k])
    return counts
