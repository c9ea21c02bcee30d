"""Two methods on the same cases: the difference by unit, its interval and Wilcoxon's test."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from itertools import compress
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastsegmetrics.errors import InputError
from fastsegmetrics.reporting.intervals import Interval, Method, bootstrap_mean

Values = Mapping[Any, float] | Sequence[float] | NDArray[np.float64]


@dataclass(frozen=True)
class PairedComparison:
    """What two methods' values on the same cases differ by; positive where `a` is larger.

    Attributes
    ----------
    difference : Interval
        Mean of a − b over cases, with the paired bootstrap interval over units.
    n_pairs : int
        Cases compared: both values finite.
    n_undefined, n_infinite : int
        Cases left out because either value is NaN, or none is and either is infinite.
    n_larger, n_equal, n_smaller : int
        Cases in which a is larger than b, equal, smaller.
    wilcoxon, p_value : float
        Wilcoxon's signed-rank statistic of the units' mean differences, and its two-sided p; zero
        differences are left out.  NaN without a pair, 0 and 1 where all differences are zero.
    n_ranked : int
        Units that the test ranks.
    """

    difference: Interval
    n_pairs: int
    n_undefined: int
    n_infinite: int
    n_larger: int
    n_equal: int
    n_smaller: int
    wilcoxon: float
    p_value: float
    n_ranked: int


def compare_methods(
    a: Values,
    b: Values,
    *,
    units: Mapping[Any, Hashable] | Sequence[Hashable] | None = None,
    unit: str = "case",
    level: float = 0.95,
    n_resamples: int = 9999,
    method: Method = "percentile",
    seed: int = 0,
) -> PairedComparison:
    """Compare two methods on the same cases.

    Parameters
    ----------
    a, b : mapping from case to float, or sequences of float in one order
        Mappings must have the same cases.
    units : mapping from case, or sequence, optional
        The unit of each case; each case is its own by default.  The bootstrap resamples units, and
        the test ranks their mean differences: cases of one patient are not independent.
    unit, level, n_resamples, method, seed
        As for `bootstrap_mean`.

    Returns
    -------
    PairedComparison

    Raises
    ------
    InputError
        When the cases are not the same, one has no unit, or a choice is none.

    Notes
    -----
    Source: Wilcoxon, Biometrics Bulletin 1(6), 1945; exact for up to 50 units without ties
    (``scipy.stats.wilcoxon``).

    Examples
    --------
    >>> found = compare_methods([0.9, 0.8, 0.7, 0.9, 0.8, 0.6], [0.85, 0.7, 0.6, 0.88, 0.75, 0.3])
    >>> round(found.difference.value, 4), found.n_larger, found.p_value
    (0.1033, 6, 0.03125)
    """
    first, second, groups = _aligned(a, b, units)
    both = np.stack((first, second))
    undefined = np.isnan(both).any(axis=0)
    finite = np.isfinite(both[0]) & np.isfinite(both[1])
    # Of two infinities there is no difference; the pair is left out anyway.
    differences = np.full(first.shape, math.nan)
    differences[finite] = first[finite] - second[finite]
    interval = bootstrap_mean(
        differences[finite],
        units=None if groups is None else list(compress(groups, finite.tolist())),
        unit=unit, level=level, n_resamples=n_resamples, method=method, seed=seed,
    )  # fmt: skip
    ranked = _unit_means(differences, groups, finite)
    statistic, p_value = _wilcoxon(ranked)
    n_pairs, n_undefined = int(finite.sum()), int(undefined.sum())
    return PairedComparison(
        interval, n_pairs, n_undefined, first.size - n_pairs - n_undefined,
        int((differences > 0).sum()), int((differences == 0).sum()), int((differences < 0).sum()),
        statistic, p_value, int(np.count_nonzero(ranked)),
    )  # fmt: skip


def _aligned(
    a: Values, b: Values, units: Any
) -> tuple[NDArray[np.float64], NDArray[np.float64], list[Hashable] | None]:
    if isinstance(a, Mapping) != isinstance(b, Mapping):
        raise InputError("a and b must both be mappings from case to value, or both sequences")
    if isinstance(a, Mapping) and isinstance(b, Mapping):
        alone = [f"{case!r} (a only)" for case in a if case not in b]
        alone += [f"{case!r} (b only)" for case in b if case not in a]
        if alone:
            shown = ", ".join(alone[:5]) + (", …" if len(alone) > 5 else "")
            raise InputError(f"a and b must have the same cases; {len(alone)} differ: {shown}")
        cases = list(a)
        if units is not None:
            units = [_unit_of(case, units) for case in cases]
        a, b = [a[case] for case in cases], [b[case] for case in cases]
    first, second = np.asarray(a, np.float64), np.asarray(b, np.float64)
    if first.ndim != 1 or first.shape != second.shape:
        raise InputError(
            f"a and b must be one value per case; received shapes {first.shape} and {second.shape}"
        )
    if units is not None and len(units) != first.size:
        raise InputError(
            f"units must be one per case; received {len(units)} units of {first.size} cases"
        )
    return first, second, None if units is None else list(units)


def _unit_of(case: Any, units: Any) -> Hashable:
    if not isinstance(units, Mapping) or case not in units:
        raise InputError(f"units must be a mapping that has every case; {case!r} has none")
    found: Hashable = units[case]
    return found


def _unit_means(
    differences: NDArray[np.float64], groups: list[Hashable] | None, finite: NDArray[np.bool_]
) -> NDArray[np.float64]:
    if groups is None:
        return differences[finite]
    members: dict[Hashable, list[float]] = {}
    for name, value, kept in zip(groups, differences.tolist(), finite, strict=True):
        if kept:
            members.setdefault(name, []).append(value)
    return np.array([math.fsum(values) / len(values) for values in members.values()])


def _wilcoxon(differences: NDArray[np.float64]) -> tuple[float, float]:
    if not differences.size:
        return math.nan, math.nan
    if not differences.any():
        return 0.0, 1.0
    from scipy.stats import wilcoxon

    # Given without zeros, so that SciPy's choice of exact or approximate does not hang on them.
    found = wilcoxon(differences[differences != 0])
    return float(found.statistic), float(found.pvalue)
