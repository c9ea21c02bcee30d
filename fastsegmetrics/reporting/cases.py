"""Results of named cases: means over cases and pooled pixels under their own names, by stratum."""

from __future__ import annotations

import math
import numbers
from collections.abc import Callable, Hashable, Iterator, Mapping
from dataclasses import dataclass
from functools import reduce
from typing import Any, Generic, TypeAlias, TypeVar

import numpy as np

from fastsegmetrics.errors import InputError
from fastsegmetrics.reporting.intervals import Interval, Method, bootstrap_mean

Found = TypeVar("Found")
#: The name of an attribute, or what gives the number of a result.
Score: TypeAlias = str | Callable[[Any], Any]


@dataclass(frozen=True)
class CaseMean:
    """A mean over cases, with the count of what it is made of.

    Attributes
    ----------
    name : str
    value : float
        NaN when no case could be used.
    n_cases, n_used : int
        Cases there are, and cases with a finite value.
    n_undefined, n_infinite : int
        Cases left out because the value is NaN, or infinite.
    """

    name: str
    value: float
    n_cases: int
    n_used: int
    n_undefined: int
    n_infinite: int

    def __float__(self) -> float:
        return self.value


class Cases(Generic[Found]):
    """Results of one method by case, as `overlap`, `label_overlap`, `surface_distances` give them.

    Every summary is named by its axis: `mean_over_cases` is the mean of each case's value (macro
    over cases), `pooled` the value of all pixels together (micro over pixels).

    Examples
    --------
    >>> import fastsegmetrics as fsm
    >>> cases = fsm.Cases()
    >>> cases.add("small", fsm.overlap([[0] * 100], [[1] + [0] * 99]), unit="Ann")
    >>> cases.add("large", fsm.overlap([[1] * 99 + [0]], [[1] * 99 + [0]]), unit="Ben")
    >>> cases.mean_over_cases("dice").value, round(cases.pooled("dice"), 4)
    (0.5, 0.995)
    """

    def __init__(self) -> None:
        self._found: dict[Hashable, Found] = {}
        self._units: dict[Hashable, Hashable] = {}

    def __len__(self) -> int:
        return len(self._found)

    def __iter__(self) -> Iterator[Hashable]:
        return iter(self._found)

    def __getitem__(self, case: Hashable) -> Found:
        return self._found[case]

    def add(self, case: Hashable, found: Found, *, unit: Hashable = None) -> None:
        """Add the result of one case.

        Parameters
        ----------
        case : hashable
            Its name; a second one of the same name is an error.
        found : Overlap, LabelOverlap, …
        unit : hashable, optional
            What the case belongs to and is resampled with: a patient, a video.  The case itself
            by default.

        Raises
        ------
        InputError
            When the case is there already.
        """
        if case in self._found:
            raise InputError(f"case must be new; {case!r} was added before")
        self._found[case] = found
        self._units[case] = case if unit is None else unit

    def merge(self, other: Cases[Found]) -> None:
        """Add all cases of another collection; a case that is in both is an error."""
        for case in other:
            if case in self._found:
                raise InputError(f"cases must be in one collection only; {case!r} is in both")
        self._found.update(other._found)
        self._units.update(other._units)

    def values(self, score: Score, label: int | None = None) -> dict[Hashable, float]:
        """Return the value of each case.

        Parameters
        ----------
        score : str or function of a result
            An attribute of the results: ``"dice"``, ``"mean_iou"``, …; or what gives its number, as
            ``lambda found: found.nsd(1)``.
        label : int, optional
            Which class of an attribute that has one value for each.

        Raises
        ------
        InputError
            When the results have no such attribute or label, or it needs a label.
        """
        return {case: _value(found, score, label) for case, found in self._found.items()}

    def mean_over_cases(self, score: Score, label: int | None = None) -> CaseMean:
        """Return the mean of each case's value: macro over cases.

        Parameters, errors: as for `values`.
        """
        values = list(self.values(score, label).values())
        used = [value for value in values if math.isfinite(value)]
        undefined = sum(math.isnan(value) for value in values)
        told = score if isinstance(score, str) else getattr(score, "__name__", "score")
        name = told if label is None else f"{told}[{label}]"
        mean = math.fsum(used) / len(used) if used else math.nan
        return CaseMean(
            f"{name}, mean over cases", mean, len(values), len(used), undefined,
            len(values) - len(used) - undefined,
        )  # fmt: skip

    def mean_over_classes_and_cases(self, score: Score) -> float:
        """Return the mean over classes of each class's mean over the cases that have it.

        The background and the ignored label, where the results name them, are left out.
        """
        means = (self.mean_over_cases(score, label).value for label in self._labels())
        present = [mean for mean in means if not math.isnan(mean)]
        return math.fsum(present) / len(present) if present else math.nan

    def pooled(self, score: Score, label: int | None = None) -> float:
        """Return the value of all cases' pixels together: micro over pixels.

        Parameters, errors: as for `values`; NaN without a case.  Surface distances have no pixels
        to pool.
        """
        if not self._found:
            return math.nan
        kinds = sorted({type(found).__name__ for found in self._found.values()})
        first: Any = next(iter(self._found.values()))
        if len(kinds) > 1 or not hasattr(first, "merged"):
            raise InputError(f"cases must be overlaps of one kind to be pooled; they are {kinds}")
        merged = reduce(lambda one, other: one.merged(other), list(self._found.values())[1:], first)
        return _value(merged, score, label)

    def interval(
        self,
        score: Score,
        label: int | None = None,
        *,
        unit: str = "case",
        level: float = 0.95,
        n_resamples: int = 9999,
        method: Method = "percentile",
        seed: int = 0,
    ) -> Interval:
        """Return the mean over cases with its bootstrap interval over the cases' units.

        Parameters, errors: as for `values` and `bootstrap_mean`.
        """
        return bootstrap_mean(
            self.values(score, label).values(), units=list(self._units.values()), unit=unit,
            level=level, n_resamples=n_resamples, method=method, seed=seed,
        )  # fmt: skip

    def units(self) -> dict[Hashable, Hashable]:
        """Return the unit of each case, as `compare_methods` takes it."""
        return dict(self._units)

    def split(
        self, by: Mapping[Any, Hashable] | Callable[[Found], Hashable]
    ) -> dict[Hashable, Cases[Found]]:
        """Return the cases of each stratum.

        Parameters
        ----------
        by : mapping from case to stratum, or function of a result
            ``lambda found: found.truth_is_empty`` keeps detection of empty truths apart.

        Raises
        ------
        InputError
            When a case has no stratum.
        """
        strata: dict[Hashable, Cases[Found]] = {}
        for case, found in self._found.items():
            if not callable(by) and case not in by:
                raise InputError(f"by must name the stratum of every case; {case!r} has none")
            stratum = by(found) if callable(by) else by[case]
            strata.setdefault(stratum, Cases()).add(case, found, unit=self._units[case])
        return strata

    def rows(self, scores: tuple[str, ...]) -> Iterator[dict[str, Any]]:
        """Yield one row per case, or per case and label but the ignored, with the scores named.

        Parameters
        ----------
        scores : tuple of str
            As for `values`; arrays give the rows of each label.
        """
        for case, found in self._found.items():
            start = {"case": case, "unit": self._units[case]}
            labels = getattr(found, "labels", None)
            if labels is None:
                yield {**start, **{score: _value(found, score, None) for score in scores}}
                continue
            for label in labels:
                if label == getattr(found, "ignored", None):
                    continue
                yield {
                    **start,
                    "label": label,
                    **{score: _value(found, score, label) for score in scores},
                }

    def _labels(self) -> tuple[int, ...]:
        first = next(iter(self._found.values()), None)
        left_out = [getattr(first, name, None) for name in ("background", "ignored")]
        return tuple(label for label in getattr(first, "labels", ()) if label not in left_out)


def _value(found: Any, score: Score, label: int | None) -> float:
    value = getattr(found, score, None) if isinstance(score, str) else score(found)
    if isinstance(value, np.ndarray) and value.ndim == 1:
        if label is None:
            raise InputError(f"label must say which class of {score!r} is meant; received None")
        if label not in found.labels:
            raise InputError(f"label must be one of {found.labels}; received {label!r}")
        return float(value[found.labels.index(label)])
    if not isinstance(value, numbers.Real):
        asks = f" ({score} needs an argument: lambda found: found.{score}(…))" * callable(value)
        raise InputError(f"score must be an attribute with numbers{asks}; received {score!r}")
    if label is not None:
        raise InputError(f"label must be None for {score!r}, which is one number")
    return float(value)
