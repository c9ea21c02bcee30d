"""The peer's phantom targets: under OPDC an empty side holds one, as far as the image is large."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fastsegmetrics.compat.py_irstd_metrics.pairs import TargetPair
from fastsegmetrics.statistics.targets import Limits


def with_phantoms(
    pair: TargetPair,
    thresholds: NDArray[np.float64],
    counts: NDArray[np.int64],
    shares: NDArray[np.float64],
    limits: Limits,
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Add the phantoms to counts and shares under OPDC, where a side is empty.

    A phantom shares no pixel, so that it is matched only where every distance would do: in images
    of fewer pixels than the limit, or if no overlap is asked for.
    """
    if counts[:, 0].all():
        return counts, shares
    predicted = counts[:, 0] + counts[:, 1]
    true = counts[:, 0] + counts[:, 2]
    empty = np.flatnonzero((predicted == 0) | (true == 0))
    if not len(empty):
        return counts, shares
    columns, rows = np.maximum(predicted[empty], 1), np.maximum(true[empty], 1)
    if not (pair.size < limits.distance or limits.overlap <= 0):
        counts[empty, 0], counts[empty, 1], counts[empty, 2] = 0, columns, rows
        counts[empty, 4], counts[empty, 5] = columns, rows
        return counts, shares
    counts[empty, 0], counts[empty, 1], counts[empty, 2] = 1, columns - 1, rows - 1
    counts[empty, 4:6] = 0
    for row in empty:
        if predicted[row]:
            # All are as far from the phantom; the first one is assigned.
            threshold = float(pair.thresholds(thresholds)[row])
            counts[row, 3] -= pair.found(threshold).areas[0]
            shares[row, :4] = 0, 0, 1, 0
        elif true[row]:
            shares[row, :4] = 0, 0, 0, 1
    return counts, shares
