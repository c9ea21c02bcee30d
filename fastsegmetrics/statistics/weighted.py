"""The producer of the weighted F-measure: one map against one target."""

from __future__ import annotations

from functools import lru_cache
from types import ModuleType
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastsegmetrics import backend, represent
from fastsegmetrics.conventions import Conventions
from fastsegmetrics.represent import MapInput
from fastsegmetrics.scores import weighted as formulas
from fastsegmetrics.target import Target


class DistanceField(NamedTuple):
    """How far pixels lie from the foreground, see ``kernels.capped_distance.capped_squares``."""

    squares: NDArray[np.uint16]
    toward: NDArray[np.uint8]


class WeightedStatistics(NamedTuple):
    """Weighted error sums of one map on one truth.

    ``missed`` is on the foreground and ``false`` on the background; ``decided`` is the value of
    all three scores where the strict policy sets it, else None.
    """

    n_foreground: int
    missed: float
    false: float
    decided: float | None

    @property
    def precision(self) -> float:
        """Weighted precision."""
        if self.decided is not None:
            return self.decided
        return formulas.weighted_precision(self.n_foreground, self.missed, self.false)

    @property
    def recall(self) -> float:
        """Weighted recall."""
        if self.decided is not None:
            return self.decided
        return formulas.weighted_recall(self.n_foreground, self.missed, self.false)

    def f(self, beta2: float = 1.0) -> float:
        """Weighted F; the weight is β² itself, 1 in the literature."""
        if self.decided is not None:
            return self.decided
        return formulas.weighted_f(self.n_foreground, self.missed, self.false, beta2)


def weighted_statistics(
    pred: MapInput, target: Target, conventions: Conventions
) -> WeightedStatistics:
    """Return the weighted error sums of a prediction on a target.

    Parameters
    ----------
    pred : MapInput
        The prediction, from `represent.prediction`.
    target : Target
        The truth; what it alone decides is computed once.
    conventions : Conventions
        `policy` and `both_empty` are read.

    Raises
    ------
    InputError
        When an 8-bit map's maximum is 1.
    """
    n = target.n_foreground
    if pred.values.dtype == np.uint8:
        return _eight_bit(pred, n, target, conventions)
    if conventions.policy == "strict" and not pred.values.any():
        return _of_nothing(n, conventions)
    if n == 0:
        return WeightedStatistics(0, 0.0, 0.0, None)
    # Exact, and one compiled kernel less.
    values = pred.values.astype(np.float64, copy=False)
    values.setflags(write=False)
    missed, false = _rooms()[1].weighted_errors(
        values, 0.0, 1.0, target.mask, *distance_field(target), distance_weights()
    )
    return WeightedStatistics(n, float(missed), float(false), None)


def _eight_bit(
    pred: MapInput, n: int, target: Target, conventions: Conventions
) -> WeightedStatistics:
    _, errors, levels = _rooms()
    low, high = levels.extremes(pred.values.reshape(-1))
    represent.check_scale(high, conventions)
    if high == 0 and conventions.policy == "strict":
        return _of_nothing(n, conventions)
    if n == 0:
        return WeightedStatistics(0, 0.0, 0.0, None)
    if not pred.stretch or low == high:
        low, high = 0, 255
    ends = np.uint8(low), np.uint8(high)
    missed, false = errors.weighted_errors(
        pred.values, *ends, target.mask, *distance_field(target), distance_weights()
    )
    return WeightedStatistics(n, float(missed), float(false), None)


def _of_nothing(n: int, conventions: Conventions) -> WeightedStatistics:
    """The statistics of an all-zero map, which the strict policy decides."""
    if n > 0:
        return WeightedStatistics(n, float(n), 0.0, 0.0)
    value = 1.0 if conventions.both_empty == "perfect" else float("nan")
    return WeightedStatistics(0, 0.0, 0.0, value)


def distance_field(target: Target) -> DistanceField:
    """Return the distances of a target's pixels to its foreground, computed once."""
    return target.cached("distance_field", lambda: _distance_field(target.mask))


@lru_cache(maxsize=1)
def distance_weights() -> NDArray[np.float64]:
    """Return the weight of an error by squared distance to the foreground: 2 - 0.5^(d / 5).

    0 on the foreground, whose errors are weighted otherwise; 2 from 223 pixels on, where 4e-14 are
    missing.
    """
    from fastsegmetrics.reference.capped_distance import CAP

    weights = 2.0 - 0.5 ** (np.sqrt(np.arange(CAP + 1)) / 5.0)
    weights[0], weights[CAP] = 0.0, 2.0
    weights.setflags(write=False)
    return weights


def _distance_field(mask: NDArray[np.uint8]) -> DistanceField:
    field = DistanceField(*_rooms()[0].capped_squares(mask))
    for array in field:
        array.setflags(write=False)
    return field


def _rooms() -> tuple[ModuleType, ModuleType, ModuleType]:
    """Return the modules of the distance, error and level kernels, or their twins."""
    if backend.resolve() == "reference":
        from fastsegmetrics.reference import (
            capped_distance as slow_distance,
            levels as slow_levels,
            weighted as slow_weighted,
        )

        return slow_distance, slow_weighted, slow_levels
    from fastsegmetrics.kernels import capped_distance, levels, weighted

    return capped_distance, weighted, levels
