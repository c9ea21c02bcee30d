"""A map cut at a fixed threshold: which pixels are above it, and from which level on."""

from __future__ import annotations

import functools

import numpy as np
from numpy.typing import NDArray

from fastsegmetrics import represent
from fastsegmetrics.conventions import Conventions
from fastsegmetrics.represent import MapInput

#: The fixed threshold of the field.
FIXED = 0.5


def partition(
    pred: MapInput, conventions: Conventions, threshold: float = FIXED
) -> NDArray[np.uint8]:
    """Return ``P > threshold``: read-only uint8 of 0 and 1, (H, W).

    Parameters
    ----------
    pred : MapInput
        What `represent.prediction` returns; floats are compared in their own precision.
    conventions : Conventions
        `pred_scale` is read.
    threshold : float
        In [0, 1).

    Raises
    ------
    InputError
        When an 8-bit map's maximum is 1 and nothing says what that means.
    """
    if pred.values.dtype == np.uint8:
        represent.check_levels(pred, conventions)
        kept = pred.values >= lowest_level(pred, threshold)
    else:
        kept = pred.values > pred.values.dtype.type(threshold)
    kept.flags.writeable = False
    return kept.view(np.uint8)


def lowest_level(pred: MapInput, threshold: float = FIXED) -> int:
    """Return the lowest level of an 8-bit map that is above a threshold: 1 to 256."""
    return lowest_between(*represent.level_range(pred), threshold)


@functools.lru_cache(maxsize=1024)
def lowest_between(low: int, high: int, threshold: float = FIXED) -> int:
    """Return the same of a map of which `low` stands for 0 and `high` for 1."""
    table = represent.unit_table_between(low, high)
    # An int, not NumPy's: the map is compared with it as bytes, ten times as fast.
    return int(np.searchsorted(table, threshold, side="right"))


def lowest_levels(pred: MapInput, thresholds: NDArray[np.float64]) -> NDArray[np.intp]:
    """Return the lowest level of an 8-bit map that is above each threshold."""
    # The table ascends; where a stretched one begins below 0 the map has no such level.
    return np.searchsorted(represent.unit_table(pred), thresholds, side="right")
