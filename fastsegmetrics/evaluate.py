"""The Evaluator: many pairs in, one result out, the same bits in any order and grouping."""

from __future__ import annotations

import math
import numbers
from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastsegmetrics import backend as backends
from fastsegmetrics.catalog import Metric, Wanted
from fastsegmetrics.catalog.protocols import require_column
from fastsegmetrics.conventions import Conventions
from fastsegmetrics.errors import InputError
from fastsegmetrics.families.contract import CurveSource, MeanCurve, PooledValue
from fastsegmetrics.halves import middle_level
from fastsegmetrics.plan import Measurement, Plan
from fastsegmetrics.results import Aggregate, Contract, Result, aggregate, aggregate_half
from fastsegmetrics.strata import Strata


class Evaluator:
    """Accumulate the pairs of one method on one data set.

    It keeps, per sample, its name and its per-image values (a few hundred bytes), and exact sums
    of curves and counts for the rest, so that updates may come in any order, on any number of
    evaluators that are merged in any tree, and give the same bits.

    Parameters
    ----------
    metrics : str, Protocol, or iterable of them
        A suite ("sod", "cod", "all"), metrics ("f_beta.max"), scores ("iou": all its reports), or
        protocols; a string may list several with commas.
    backend : {"compiled", "reference"}, optional
        Which implementation computes.
    strata : Strata, optional
        By what the samples are put into strata; `Result.strata` then holds the result of each.
        Protocols that report by a column (``by=column.NAME``) need those of that column.
    **conventions
        The fields of `Conventions`: ``policy``, ``stretch``, ``beta2``, …

    Raises
    ------
    InputError
        When a metric, a convention or a value is unknown, or a protocol reports by a column that
        the strata are not of.

    Examples
    --------
    >>> import numpy as np
    >>> truth = np.array([[0, 0, 255, 255]], np.uint8)
    >>> evaluator = Evaluator("mae,f_beta.max")
    >>> evaluator.update(np.array([[0, 51, 255, 204]], np.uint8), truth)
    >>> round(evaluator.result()["mae"].value, 12)
    0.1
    """

    def __init__(
        self,
        metrics: Wanted | Iterable[Wanted] = "sod",
        *,
        backend: backends.Backend | None = None,
        strata: Strata | None = None,
        **conventions: Any,
    ) -> None:
        if strata is not None and not isinstance(strata, Strata):
            raise InputError(
                f"strata must be Strata.sizes(…), Strata.column(…) or Strata.parse(…); received "
                f"{strata!r}"
            )
        by_size = strata is not None and strata.by_size
        plan = Plan(metrics, Conventions.of(**conventions), sizes=by_size)
        require_column(plan.metrics, None if strata is None or by_size else strata.by)
        self._begin(plan, backend, strata)

    def _begin(
        self, plan: Plan, backend: backends.Backend | None, strata: Strata | None = None
    ) -> None:
        self.plan = plan
        self.strata = strata
        self._contract: Contract | None = None
        self._parts: dict[str, Evaluator] = {}
        self.backend: backends.Backend | None = backend
        if backend is not None:
            backends.resolve(backend)
        self._values: dict[str | int, NDArray[np.float64]] = {}
        self._unnamed = 0
        self._accumulators = [family.accumulator() for family in self.plan.families]

    @property
    def n_samples(self) -> int:
        """Number of samples added so far."""
        return len(self._values)

    def update(
        self, pred: Any, gt: Any, *, image: Any | None = None, sample_id: str | None = None
    ) -> None:
        """Measure one pair and add it.

        Parameters
        ----------
        pred : array_like, shape (H, W)
            The prediction: integers in 0…255, booleans, or floats in [0, 1].
        gt : Target or array_like, shape (H, W)
            The truth; a `Target` is prepared once for many methods.
        image : array_like of uint8, shape (H, W, 3), optional
            The RGB photograph, for metrics that look at it; a `Target` brings its own.
        sample_id : str, optional
            The sample's name; samples without one are numbered.

        Raises
        ------
        InputError
            When an array is refused or the name was added before; nothing is added then.
        """
        self._refuse_known(sample_id)
        measured = self.plan.measure(pred, gt, image=image, backend=self.backend)
        self.add(measured, sample_id=sample_id)

    def add(self, measurement: Measurement, *, sample_id: str | None = None) -> None:
        """Add what `Plan.measure` returned, on this or another thread or machine.

        Raises
        ------
        InputError
            When the name was added before, or the plan that measured had other metrics (or the
            same in another order) or other conventions.
        """
        self._refuse_known(sample_id)
        if measurement.request != self.plan.request:
            raise InputError(
                "measurement must come from a plan of the same metrics and conventions; "
                f"{self.plan.request.difference(measurement.request)}"
            )
        if self.strata is not None:
            self._part_of(measurement, sample_id).add(measurement, sample_id=sample_id)
        with backends.chosen(self.backend):
            for accumulator, record in zip(self._accumulators, measurement.records, strict=True):
                if accumulator is not None and record is not None:
                    accumulator.add(record)
        if sample_id is None:
            self._values[self._unnamed] = measurement.values
            self._unnamed += 1
        else:
            self._values[sample_id] = measurement.values

    def _part_of(self, measurement: Measurement, sample_id: str | None) -> Evaluator:
        assert self.strata is not None
        size = float(measurement.values[-1]) if self.strata.by_size else 0.0
        return self._part(self.strata.of(sample_id, size))

    def _part(self, stratum: str) -> Evaluator:
        if stratum not in self._parts:
            self._parts[stratum] = self._without_samples(None)
        return self._parts[stratum]

    def new_part(self) -> Evaluator:
        """Return an evaluator of the same metrics, conventions and strata that holds no sample.

        For another thread to fill, and to be merged then.

        Examples
        --------
        >>> import numpy as np
        >>> whole = Evaluator("mae")
        >>> part = whole.new_part()
        >>> part.update(np.zeros((2, 2), np.uint8), np.eye(2, dtype=bool), sample_id="eye")
        >>> whole.merge(part)
        >>> whole.result()["mae"].value
        0.5
        """
        part = self._without_samples(self.strata)
        part._contract = self._contract
        return part

    def _without_samples(self, strata: Strata | None) -> Evaluator:
        part = Evaluator.__new__(Evaluator)
        part._begin(self.plan, self.backend, strata)
        return part

    def merge(self, other: Evaluator) -> None:
        """Add all samples of another evaluator of the same metrics and conventions.

        Samples without a name are numbered on after this evaluator's own.

        Raises
        ------
        InputError
            When the contracts differ or a sample is in both; nothing is added then.
        """
        self._require_same_request(other, "other")
        if other is self:
            raise InputError("other must be another evaluator; received this one")
        shared = [name for name in other._values if isinstance(name, str) and name in self._values]
        if shared:
            raise InputError(
                f"other must hold no sample of this evaluator; {len(shared)} are in both, the "
                f"first {shared[0]!r}"
            )
        for stratum, part in other._parts.items():
            self._part(stratum).merge(part)
        for name, values in other._values.items():
            if isinstance(name, int):
                name = self._unnamed
                self._unnamed += 1
            self._values[name] = values
        for mine, theirs in zip(self._accumulators, other._accumulators, strict=True):
            if mine is not None:
                mine.merge(theirs)

    @property
    def contract(self) -> Contract:
        """What shapes the numbers."""
        if self._contract is None:
            strata = None if self.strata is None else self.strata.to_dict()
            self._contract = Contract.of(self.plan.metrics, self.plan.conventions, strata)
        return self._contract

    def result(self, *, n_expected: int | None = None, beside: Iterable[Evaluator] = ()) -> Result:
        """Return the aggregates of all samples so far.

        Parameters
        ----------
        n_expected : int, optional
            Samples that the data set has, if some could not be added.
        beside : iterable of Evaluator, optional
            Those of other methods on the same data set. Halves (``difficulty.hard``) are then of
            the samples of all of them, so that they are the same halves for every method, whatever
            one of them lacks; a numbered sample is the same in all.

        Raises
        ------
        InputError
            When fewer are expected than were added, or an evaluator beside has other metrics or
            conventions.
        """
        n = self.n_samples
        if n_expected is None:
            n_expected = n
        if not isinstance(n_expected, numbers.Integral) or n_expected < n:
            raise InputError(
                f"n_expected must be an integer of at least {n} (the samples added); received "
                f"{n_expected!r}"
            )
        middles = self._middle_levels(tuple(beside))
        result = self._result(n_expected, middles)
        names = () if self.strata is None else self.strata.names
        for stratum in (name for name in names if name in self._parts):
            part = self._parts[stratum]
            result.strata[stratum] = part._result(part.n_samples, middles)
        return result

    def _result(self, n_expected: int, middles: dict[str, float]) -> Result:
        n = self.n_samples
        ids = sorted(self._values, key=lambda name: (isinstance(name, str), name))
        table = np.array([self._values[name] for name in ids]).reshape(n, len(self.plan.columns))
        per_image = dict(zip(self.plan.columns, table.T, strict=True))
        means: dict[CurveSource, MeanCurve] = {}
        pooled: dict[str, float | NDArray[np.float64] | PooledValue] = {}
        with backends.chosen(self.backend):
            for accumulator in self._accumulators:
                if accumulator is not None:
                    means |= accumulator.means()
                    pooled |= accumulator.pooled()

        aggregates: dict[str, Aggregate] = {}
        # A curve over the images that have both classes is not the score's curve by its name.
        curves = {
            f"{source.score}.curve": mean for source, mean in means.items() if not source.needs
        }
        for metric in self.plan.metrics:
            if metric.report.half is not None:
                row = aggregate_half(metric, per_image, middles, n_expected)
                aggregates[metric.name] = row
            elif metric.report.source == "column":
                assert metric.column is not None
                row = aggregate(metric, per_image[metric.column], n_expected)
                aggregates[metric.name] = row
            elif metric.report.source == "pooled":
                value, n_used, n_undefined, n_infinite = _counts(
                    pooled.get(metric.name, math.nan), n
                )
                if isinstance(value, float):
                    aggregates[metric.name] = Aggregate(
                        metric.name, value, n_expected, n_used, n_undefined, n_infinite,
                        metric.direction,
                    )  # fmt: skip
                else:
                    curves[metric.name] = MeanCurve(value, n_used)
            elif metric.report.name != "curve":
                sources = self.plan.curves_of(metric)
                used = [means[source] for source in sources]
                n_used = used[0].n_used
                value = metric.of_curves(*(mean.values for mean in used)) if n_used else math.nan
                aggregates[metric.name] = _counted(metric, value, n_expected, n_used, n)
        return Result(
            aggregates,
            {name: curve.values for name, curve in curves.items()},
            {name: curve.n_used for name, curve in curves.items()},
            per_image,
            list(ids),
            self.contract,
            middles,
        )

    def _middle_levels(self, beside: tuple[Evaluator, ...]) -> dict[str, float]:
        for other in beside:
            self._require_same_request(other, "beside")
        halves = [metric.report.half for metric in self.plan.metrics]
        middles = {}
        for column in dict.fromkeys(half.column for half in halves if half is not None):
            at = self.plan.columns.index(column)
            levels: dict[str | int, float] = {}
            for evaluator in (*beside, self):
                levels |= {name: values[at] for name, values in evaluator._values.items()}
            middles[column] = middle_level(levels.values())
        return middles

    def _require_same_request(self, other: Evaluator, parameter: str) -> None:
        if not isinstance(other, Evaluator):
            raise InputError(
                f"{parameter} must be an Evaluator; received one of {type(other).__name__}"
            )
        difference = self.plan.request.difference(other.plan.request)
        if not difference and self.strata != other.strata:
            difference = "its strata are others"
        if difference:
            raise InputError(
                f"{parameter} must have the same metrics and conventions; {difference}"
            )

    def _refuse_known(self, sample_id: str | None) -> None:
        if sample_id is not None and not isinstance(sample_id, str):
            raise InputError(f"sample_id must be a string; received {sample_id!r}")
        if sample_id in self._values:
            raise InputError(f"sample_id must be new; received {sample_id!r} a second time")


def _counts(found: float | NDArray[np.float64] | PooledValue, n: int) -> PooledValue:
    """Return a pooled value with what it is made of: all `n` samples if it does not say."""
    if isinstance(found, PooledValue):
        return found
    undefined = isinstance(found, float) and math.isnan(found)
    return PooledValue(found, 0 if undefined else n, n if undefined else 0)


def _counted(metric: Metric, value: float, n_expected: int, n_used: int, n: int) -> Aggregate:
    return Aggregate(metric.name, value, n_expected, n_used, n - n_used, 0, metric.direction)
