"""Bootstrap intervals that resample the unit which was sampled: a case, a patient, a video."""

from __future__ import annotations

import math
import numbers
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import compress
from statistics import NormalDist
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastsegmetrics.arguments import integer, one_of
from fastsegmetrics.errors import InputError

Method = Literal["percentile", "bca"]

#: Relative difference of two sums of the same numbers.
_ROUNDING = 1e-12
#: Draws held at once: 32 MB of indices and of sums.
_AT_ONCE = 1 << 21


@dataclass(frozen=True)
class Interval:
    """A mean, or a pooled share, with its bootstrap interval and what both are made of.

    Attributes
    ----------
    value, low, high : float
        NaN where nothing could be used; the limits also where there is but one unit.
    level : float
        Nominal coverage, as 0.95.
    unit : str
        What was resampled.
    n_units, n_used : int
        Units resampled, and values used in all.
    n_undefined, n_infinite : int
        Values left out because they are NaN, or infinite.
    method : {"percentile", "bca"}
    n_resamples, seed : int
    """

    value: float
    low: float
    high: float
    level: float
    unit: str
    n_units: int
    n_used: int
    n_undefined: int
    n_infinite: int
    method: Method
    n_resamples: int
    seed: int

    def __float__(self) -> float:
        return self.value


class Resampling(NamedTuple):
    """How an interval is made."""

    level: float = 0.95
    n_resamples: int = 9999
    method: Method = "percentile"
    seed: int = 0

    def checked(self) -> Resampling:
        """Return itself, or refuse a choice."""
        if not isinstance(self.level, numbers.Real) or not 0 < self.level < 1:
            raise InputError(f"level must lie between 0 and 1; received {self.level!r}")
        integer("n_resamples", self.n_resamples, 1)
        integer("seed", self.seed, 0)
        one_of("method", self.method, ("percentile", "bca"))
        return self


def bootstrap_mean(
    values: Iterable[float],
    *,
    units: Sequence[Any] | None = None,
    unit: str = "case",
    level: float = 0.95,
    n_resamples: int = 9999,
    method: Method = "percentile",
    seed: int = 0,
) -> Interval:
    """Mean over cases with a bootstrap interval over units.

    Parameters
    ----------
    values : iterable of float, shape (n,)
        One value per case.  NaN and infinities are left out and counted.
    units : sequence, shape (n,), optional
        The unit that each case belongs to: cases of one patient, frames of one video.  Each case
        is its own by default.
    unit : str
        What a unit is, for the record.
    level : float
        Nominal coverage.
    n_resamples : int
    method : {"percentile", "bca"}
        ``"bca"`` corrects for bias and skewness (Efron, JASA 1987).
    seed : int
        The same seed gives the same interval, in any order of the cases.

    Returns
    -------
    Interval

    Raises
    ------
    InputError
        When `units` and `values` are not as many, or a choice is none.

    Notes
    -----
    A resample draws as many units as there are, with replacement, and takes the mean over all
    their cases.  Frames of one video resampled as if they were independent give intervals that are
    too narrow.  Source: Davison and Hinkley, Bootstrap Methods and their Application, 1997, 3.8.

    Examples
    --------
    >>> found = bootstrap_mean([0.9, 0.8, 0.85, 0.3], units=["a", "a", "b", "c"], unit="patient")
    >>> found.value, found.n_units, found.low < found.value < found.high
    (0.7125, 3, True)
    """
    array = _vector(values, "values")
    return _interval(
        array, np.ones_like(array), units, unit, Resampling(level, n_resamples, method, seed)
    )


def bootstrap_pooled(
    numerators: Iterable[float],
    denominators: Iterable[float],
    *,
    units: Sequence[Any] | None = None,
    unit: str = "case",
    level: float = 0.95,
    n_resamples: int = 9999,
    method: Method = "percentile",
    seed: int = 0,
) -> Interval:
    """Pooled share Σ numerators / Σ denominators with a bootstrap interval over units.

    Pooled Dice has the numerators 2·tp and the denominators 2·tp + fp + fn.

    Parameters
    ----------
    numerators, denominators : iterable of float, shape (n,)
        Of each case.  Where either is not finite the case is left out and counted.
    units, unit, level, n_resamples, method, seed
        As for `bootstrap_mean`.

    Returns
    -------
    Interval

    Raises
    ------
    InputError
        When they are not as many, a denominator is negative, or a choice is none.

    Examples
    --------
    >>> found = bootstrap_pooled([0, 198], [1, 198])
    >>> round(found.value, 4), found.low, found.high
    (0.995, 0.0, 1.0)
    """
    parts, wholes = _vector(numerators, "numerators"), _vector(denominators, "denominators")
    if parts.size != wholes.size:
        raise InputError(
            f"numerators and denominators must be as many; received {parts.size} and {wholes.size}"
        )
    if (wholes < 0).any():
        raise InputError(f"denominators must not be negative; received {float(wholes.min())!r}")
    return _interval(parts, wholes, units, unit, Resampling(level, n_resamples, method, seed))


def _vector(values: Iterable[float], name: str) -> NDArray[np.float64]:
    try:
        array = np.array(list(values), dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(f"{name} must be numbers, one per case; received {values!r}") from error
    if array.ndim != 1:
        raise InputError(f"{name} must be one number per case; received shape {array.shape}")
    return array


def _interval(
    parts: NDArray[np.float64],
    wholes: NDArray[np.float64],
    units: Sequence[Any] | None,
    unit: str,
    how: Resampling,
) -> Interval:
    how.checked()
    if units is not None and len(units) != parts.size:
        raise InputError(
            f"units must be one per value; received {len(units)} units of {parts.size} values"
        )
    both = np.stack((parts, wholes))
    undefined = np.isnan(both).any(axis=0)
    finite = np.isfinite(both[0]) & np.isfinite(both[1])
    kept = None if units is None else list(compress(units, finite.tolist()))
    sums = _unit_sums(both[:, finite], kept)
    value = _share(math.fsum(sums[0]), math.fsum(sums[1]))
    low, high = _limits(sums, value, how)
    n_undefined, n_used = int(undefined.sum()), int(finite.sum())
    return Interval(
        value, low, high, how.level, unit, sums.shape[1], n_used, n_undefined,
        parts.size - n_used - n_undefined, how.method, how.n_resamples, how.seed,
    )  # fmt: skip


def _share(part: float, whole: float) -> float:
    return part / whole if whole > 0 else math.nan


def _unit_sums(both: NDArray[np.float64], units: list[Any] | None) -> NDArray[np.float64]:
    """Return numerator and denominator of each unit, in an order that is not the cases'."""
    if units is None:
        return both[:, np.lexsort(both)]
    members: dict[Any, list[int]] = {}
    for i, name in enumerate(units):
        if name is None or name != name:
            raise InputError(f"units must name the unit of every case; received {name!r}")
        members.setdefault(name, []).append(i)
    names = sorted(members, key=lambda name: (str(name), type(name).__name__))
    sums = [[math.fsum(row[members[name]]) for name in names] for row in both]
    return np.array(sums).reshape(2, len(members))


def _limits(sums: NDArray[np.float64], value: float, how: Resampling) -> tuple[float, float]:
    n = sums.shape[1]
    if n < 2 or math.isnan(value):
        return math.nan, math.nan
    drawn = _resampled(sums, how)
    drawn = drawn[~np.isnan(drawn)]
    shares = (1 - how.level) / 2, (1 + how.level) / 2
    if how.method == "bca":
        shares = _corrected(shares, drawn, sums, value)
    low, high = np.quantile(drawn, shares).tolist()
    # The same mean, summed in another order: units that are all alike have an interval of one
    # point, which is the value and not its neighbour.
    if math.isclose(low, value, rel_tol=_ROUNDING):
        low = value
    if math.isclose(high, value, rel_tol=_ROUNDING):
        high = value
    return low, high


def _resampled(sums: NDArray[np.float64], how: Resampling) -> NDArray[np.float64]:
    rng = np.random.Generator(np.random.PCG64(how.seed))
    n = sums.shape[1]
    rows = max(1, _AT_ONCE // n)
    shares = []
    for start in range(0, how.n_resamples, rows):
        chosen = rng.integers(0, n, (min(rows, how.n_resamples - start), n))
        parts, wholes = (row[chosen].sum(axis=1) for row in sums)
        shares.append(np.divide(parts, wholes, out=np.full_like(parts, np.nan), where=wholes > 0))
    return np.concatenate(shares)


def _corrected(
    shares: tuple[float, float],
    drawn: NDArray[np.float64],
    sums: NDArray[np.float64],
    value: float,
) -> tuple[float, float]:
    """Return the shares of the drawn values that BCa takes for limits (Efron, JASA 1987)."""
    below = ((drawn < value).mean() + (drawn <= value).mean()) / 2
    rest = sums.sum(axis=1, keepdims=True) - sums
    without = rest[0][rest[1] > 0] / rest[1][rest[1] > 0]
    off = without.mean() - without
    spread = float((off**2).sum())
    normal = NormalDist()
    if not 0 < below < 1 or spread == 0:
        return shares
    bias, skew = normal.inv_cdf(float(below)), float((off**3).sum()) / (6 * spread**1.5)

    def moved(share: float) -> float:
        z = bias + normal.inv_cdf(share)
        return normal.cdf(bias + z / (1 - skew * z))

    return moved(shares[0]), moved(shares[1])
