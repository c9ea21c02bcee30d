"""What an ``update`` is given, read as the peer reads it: floats in [0, 1] and booleans."""

from __future__ import annotations

from collections.abc import Collection
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastsegmetrics import represent
from fastsegmetrics.conventions import Conventions
from fastsegmetrics.errors import InputError
from fastsegmetrics.represent import MapInput
from fastsegmetrics.statistics import targets
from fastsegmetrics.statistics.partition import FIXED, partition
from fastsegmetrics.statistics.targets import Limits
from fastsegmetrics.target import Target

_AS_IT_IS = Conventions(stretch=False)


class RefusedPair(InputError, AssertionError):
    """An array is refused: an AssertionError, because callers of the peer catch that."""


def checked(prob: Any, mask: Any) -> tuple[NDArray[Any], NDArray[np.bool_]]:
    """Return a prediction and a mask as arrays of one shape, refused as the peer refuses them."""
    values, truth = _arrays(prob, mask)
    _check_range(values)
    return values, truth


def _arrays(prob: Any, mask: Any) -> tuple[NDArray[Any], NDArray[np.bool_]]:
    values, truth = np.asarray(prob), np.asarray(mask)
    if values.shape != truth.shape:
        raise RefusedPair(
            f"prob and mask must have one shape; received {values.shape} and {truth.shape}"
        )
    if truth.dtype.kind != "b":
        raise RefusedPair(f"mask must be boolean; received dtype {truth.dtype}")
    if values.dtype.kind != "f":
        raise RefusedPair(f"prob must be floats in [0, 1]; received dtype {values.dtype}")
    if values.size == 0:
        raise RefusedPair(f"prob must have at least one pixel; received shape {values.shape}")
    return values, truth


def _check_range(values: NDArray[Any]) -> None:
    low, high = float(values.min()), float(values.max())
    if not (low >= 0 and high <= 1):
        raise RefusedPair(f"prob must lie in [0, 1]; received values from {low!r} to {high!r}")


class TargetPair:
    """One prediction against one mask, (H, W), for scores of targets.

    The range of the prediction is checked where its values are looked at.
    """

    def __init__(self, prob: Any, mask: Any) -> None:
        self.values, truth = _arrays(prob, mask)
        if truth.ndim != 2:
            raise RefusedPair(f"prob and mask must be 2-D (H, W); received shape {truth.shape}")
        self.target = Target.borrowing(truth, None, self.values)

    @property
    def size(self) -> int:
        """Number of pixels."""
        return self.target.n_pixels

    @cached_property
    def _map(self) -> MapInput:
        _check_range(self.values)
        return represent.prediction(self.values, _AS_IT_IS, self.target.shape)

    def counts(
        self, thresholds: NDArray[np.float64], rule: str, limits: Limits
    ) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Return the rows of a `TargetTally` at each threshold."""
        rules: Collection[str] = (rule,)
        if len(thresholds) == 1:
            runs = self._runs(self.thresholds(thresholds)[0])
            found = targets.runs_statistics(runs, self.target, rules, limits, survival=False)
            return found.counts, found.shares
        return targets.level_statistics(
            self._map, self.target, _AS_IT_IS, self.thresholds(thresholds), rules, limits=limits
        )

    def _runs(self, threshold: float) -> NDArray[np.int32]:
        unread = represent.unread_floats(self.values, _AS_IT_IS, self.target.shape)
        runs = None if unread is None else targets.runs_in_range(unread, float(threshold))
        return targets.runs_above(self._map, _AS_IT_IS, threshold) if runs is None else runs

    def thresholds(self, thresholds: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return thresholds as the map's own precision has them."""
        return thresholds.astype(self.values.dtype).astype(np.float64)

    def found(self, threshold: float) -> targets.Parts:
        """Return the predicted targets at one threshold of `thresholds`."""
        return targets.parts_of(partition(self._map, _AS_IT_IS, threshold))


def thresholds_of(num_bins: int) -> NDArray[np.float64]:
    """Return 0.5 for one bin, else `num_bins` thresholds from 0 up.

    Raises
    ------
    InputError
        When `num_bins` is no positive integer.
    """
    if not isinstance(num_bins, int) or isinstance(num_bins, bool) or num_bins < 1:
        raise RefusedPair(f"num_bins must be an integer of at least 1; received {num_bins!r}")
    return np.array([FIXED]) if num_bins == 1 else targets.thresholds_of(num_bins)


def distance_limit(distance_threshold: Any) -> float:
    """Return the limit of a distance in pixels as a float.

    Raises
    ------
    InputError
        When it is not positive.
    """
    if not distance_threshold > 0:
        raise RefusedPair(
            f"distance_threshold must be greater than 0; received {distance_threshold!r}"
        )
    return float(distance_threshold)


def overlap_limit(overlap_threshold: Any) -> float:
    """Return the limit of an IoU as a float.

    Raises
    ------
    InputError
        When it is not in [0, 1).
    """
    if not 0 <= overlap_threshold < 1:
        raise RefusedPair(f"overlap_threshold must be in [0, 1); received {overlap_threshold!r}")
    return float(overlap_threshold)


def quotient(numerator: Any, denominator: Any) -> NDArray[np.float64]:
    """Return the quotient in float64, 0 where the denominator is 0."""
    top, bottom = np.asarray(numerator, np.float64), np.asarray(denominator, np.float64)
    shape = np.broadcast(top, bottom).shape
    return np.divide(top, bottom, out=np.zeros(shape), where=bottom != 0)
