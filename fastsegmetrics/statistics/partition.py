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
    return lowest_between(*level_range(pred), threshold)


@functools.lru_cache(maxsize=1024)
def lowest_between(low: int, high: int, threshold: float = FIXED) -> int:
    """Return the same of a map of which `low` stands for 0 and `high` for 1."""
    table = unit_table_between(low, high)
    # An int, not NumPy's: the map is compared with it as bytes, ten times as fast.
    return int(np.searchsorted(table, threshold, side="right"))


def lowest_levels(pred: MapInput, thresholds: NDArray[np.float64]) -> NDArray[np.intp]:
    """Return the lowest level of an 8-bit map that is above each threshold."""
    # The table ascends; where a stretched one begins below 0 the map has no such level.
    return np.searchsorted(unit_table(pred), thresholds, side="right")


def unit_table(pred: MapInput) -> NDArray[np.float64]:
    """Return what each level of an 8-bit map stands for, as `represent.unit_values` gives it.

    Of a stretched map, entries outside its own minimum and maximum occur nowhere in it.
    """
    return unit_table_between(*level_range(pred))


@functools.lru_cache(maxsize=256)
def unit_table_between(low: int, high: int) -> NDArray[np.float64]:
    """Return what each level stands for where `low` stands for 0 and `high` for 1, read-only."""
    table = np.arange(256) / 255.0
    if (low, high) != (0, 255):
        table = (table - table[low]) / (table[high] - table[low])
    table.flags.writeable = False
    return table


def level_range(pred: MapInput) -> tuple[int, int]:
    """Return the levels of an 8-bit map that stand for 0 and for 1.

    Those of its minimum and maximum where it is stretched; a constant map is not.
    """
    if pred.stretch:
        low, high = represent.extremes(pred.values)
        if low != high:
            return low, high
    return 0, 255
