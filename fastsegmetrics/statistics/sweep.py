"""The producer of the sweep family: one map against one target, in one pass over its pixels."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastsegmetrics import represent
from fastsegmetrics.conventions import Conventions
from fastsegmetrics.represent import MapInput
from fastsegmetrics.statistics.pair import LevelCounts, PairStatistics
from fastsegmetrics.target import Target


def pair_statistics(
    pred: MapInput,
    target: Target,
    conventions: Conventions,
    *,
    counts: bool = True,
    moments: bool = True,
) -> PairStatistics:
    """Return the level counts and moments of a prediction on a target.

    Parameters
    ----------
    pred : MapInput
        What `represent.prediction` gave.
    target : Target
        The truth.
    conventions : Conventions
        How the prediction is read, stretched and thresholded.
    counts, moments : bool
        Whether the level counts and the cell moments are needed.  Of floats they are zeros
        otherwise; of an 8-bit map, where both come from one table, the moments then are those of
        the whole image as one quadrant.

    Raises
    ------
    InputError
        When the prediction is refused.
    """
    if pred.values.dtype == np.uint8:
        return _eight_bit(pred, target, conventions, moments)
    return _floating(pred.values, target, conventions, counts, moments)


def mean_absolute_error(pred: MapInput, target: Target, conventions: Conventions) -> float:
    """Return mean |P − G| alone, without a table.

    Of an 8-bit map the same bits as `PairStatistics` gives; of floats to a few roundings, which are
    summed in another order beside the moments.

    Parameters, errors: as for `pair_statistics`.
    """
    if pred.values.dtype != np.uint8:
        from fastsegmetrics.kernels import float_levels

        flat = pred.values.reshape(-1)
        return float(float_levels.absolute_error(flat, target.mask.reshape(-1)) / target.n_pixels)
    from fastsegmetrics.kernels import levels

    error, area, low, high = levels.error_sums(pred.values.reshape(-1), target.mask.reshape(-1))
    represent.check_scale(high, conventions)
    n = target.n_pixels
    if not pred.stretch or low == high:
        low, high = 0, 255
    error -= (255 - high) * area + low * (n - area)
    return float(error / (high - low) / n)


def _eight_bit(
    pred: MapInput, target: Target, conventions: Conventions, with_moments: bool
) -> PairStatistics:
    from fastsegmetrics.kernels import levels

    keep_at_zero = conventions.policy == "published"
    height, width = target.shape
    # Without moments the whole image is one quadrant.
    split_row, split_column = target.split if with_moments else (height, width)
    flat, truth = pred.values.reshape(-1), target.mask.reshape(-1)
    table = levels.level_table(flat, truth, width, split_row, split_column)
    counts, sides, moments, error, highest, ambiguous = levels.describe_table(
        table, pred.stretch, keep_at_zero, represent.NEAR_THRESHOLD
    )
    represent.check_scale(highest, conventions)
    if ambiguous:
        kept = represent.adaptive_mask(represent.unit_values(pred), keep_at_zero).reshape(-1)
        tp = int(np.count_nonzero(kept & (truth != 0)))
        sides[1] = tp, int(np.count_nonzero(kept)) - tp
    return PairStatistics(
        LevelCounts(counts, sides), moments, error, split_row, split_column, height, width
    )


def _floating(
    pred: NDArray[Any],
    target: Target,
    conventions: Conventions,
    with_counts: bool,
    with_moments: bool,
) -> PairStatistics:
    from fastsegmetrics.kernels import float_levels

    split_row, split_column = target.split
    height, width = target.shape
    flat, truth = pred.reshape(-1), target.mask.reshape(-1)
    counts, sides = np.zeros((2, 256), np.int64), np.zeros((2, 2), np.int64)
    if with_counts:
        of_map = pred.dtype.type
        counts, sides = float_levels.float_counts(
            flat,
            truth,
            of_map(255),
            of_map(represent.adaptive_threshold(pred)),
            conventions.policy == "published",
        )
    if with_moments:
        moments, error = float_levels.float_moments(pred, target.mask, split_row, split_column)
    else:
        moments, error = np.zeros((4, 2, 3)), float_levels.absolute_error(flat, truth)
    return PairStatistics(
        LevelCounts(counts, sides), moments, error, split_row, split_column, height, width
    )
