"""Requested metrics → the statistics they need, each computed once per pair."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastsegmetrics import backend as backends, catalog, represent
from fastsegmetrics.catalog import Metric
from fastsegmetrics.conventions import Conventions
from fastsegmetrics.errors import InputError
from fastsegmetrics.scores import SWEEP_SCORES
from fastsegmetrics.scores.confusion import ScoreRule
from fastsegmetrics.statistics.pair import LevelCounts
from fastsegmetrics.target import Target


class Measurement(NamedTuple):
    """What one pair contributes: its per-image values, and its counts for curves and pools.

    ``values`` follow `Plan.columns`; ``counts`` are None where no metric needs a partition;
    ``rows`` are the curves that follow from the counts, kept when they are at hand.
    """

    values: NDArray[np.float64]
    counts: LevelCounts | None = None
    rows: NDArray[np.float64] | None = None

    def to_bytes(self) -> bytes:
        """Return a compact form from which `Plan.measurement_from_bytes` restores every bit."""
        tail = b"" if self.counts is None else self.counts.to_bytes()
        return self.values.astype("<f8").tobytes() + tail


class CurveSource(NamedTuple):
    """A mean curve that some metric is made from.

    ``needs`` restricts it to images that have a foreground, or both classes: an area under the
    strict policy is undefined elsewhere, and the two curves of an area must cover the same images.
    """

    score: str
    needs: str = ""


#: The summaries of a sweep score, in the order in which the kernel returns them.
_SUMMARIES = ("bin", "adp", "mean", "max_of_image")
_STRUCTURE = ("s_measure", "s_object", "s_region")
_AREAS = ("ap.trapezoid_of_image", "ap.step_of_image",
          "auc.trapezoid_of_image", "auc.anchored_of_image")  # fmt: skip
#: The two curves (x, y) under which each area lies.
AREA_AXES = {"ap": ("recall", "precision"), "auc": ("fpr", "recall")}


class Plan:
    """What has to be computed for a set of metrics under a set of conventions.

    Parameters
    ----------
    metrics : str or iterable of str
        As in `catalog.resolve`.
    conventions : Conventions, optional
        The choices that shape the numbers.

    Attributes
    ----------
    metrics : tuple of Metric
        The rows asked for.
    columns : tuple of str
        Names of the per-image values, in the order of `Measurement.values`.
    curves : tuple of CurveSource
        The curves whose means over images the metrics need.

    Raises
    ------
    InputError
        When a metric is unknown.
    """

    def __init__(
        self, metrics: str | Iterable[str] = "sod", conventions: Conventions | None = None
    ) -> None:
        self.conventions = conventions or Conventions()
        self.metrics = catalog.resolve(metrics)
        columns = dict.fromkeys(m.column for m in self.metrics if m.column is not None)
        self.columns: tuple[str, ...] = tuple(columns)
        self.curves = tuple(
            dict.fromkeys(
                source
                for metric in self.metrics
                if metric.report.source == "curve"
                for source in self.curves_of(metric)
            )
        )
        families = {metric.score.family for metric in self.metrics}
        self.needs_counts = bool(families & {"confusion", "alignment", "area"})
        self._needs_structure = "structure" in families
        self._needs_sweep = self.needs_counts and bool(
            self.curves or any("." in column for column in self.columns)
        )
        self._needs_areas = any(column in _AREAS for column in self.columns)
        self._take = np.array([_POSITIONS[column] for column in self.columns], np.intp)

    def curves_of(self, metric: Metric) -> tuple[CurveSource, ...]:
        """Return the mean curves that a metric of source "curve" is made from."""
        if metric.score.family != "area":
            return (CurveSource(metric.score.name),)
        needs = ""
        if self.conventions.policy == "strict":
            needs = "foreground" if metric.score.name == "ap" else "both"
        return tuple(CurveSource(axis, needs) for axis in AREA_AXES[metric.score.name])

    @property
    def rule(self) -> ScoreRule:
        """How degenerate counts are scored under the plan's conventions."""
        chosen = self.conventions
        strict = chosen.policy == "strict"
        perfect = 1.0 if chosen.both_empty == "perfect" else math.nan
        return ScoreRule(
            strict, perfect if strict else 0.0, chosen.beta2, chosen.e_denominator == "N"
        )

    def measure(
        self, pred: Any, target: Target | Any, *, backend: backends.Backend | None = None
    ) -> Measurement:
        """Return what one pair contributes; safe to call from many threads at once.

        Parameters
        ----------
        pred : array_like, shape (H, W)
            The prediction: integers in 0…255, booleans, or floats in [0, 1].
        target : Target or array_like, shape (H, W)
            The truth; a `Target` is prepared once for many predictions.
        backend : {"compiled", "reference"}, optional
            Which implementation computes.

        Raises
        ------
        InputError
            When an array is refused.
        """
        with backends.chosen(backend):
            if not isinstance(target, Target):
                target = Target.borrowing(target, self.conventions.gt_threshold, pred)
            elif target.gt_threshold != self.conventions.gt_threshold:
                raise InputError(
                    f"gt_threshold must be what the Target was made with, {target.gt_threshold}; "
                    f"received {self.conventions.gt_threshold}"
                )
            if backends.resolve() == "reference":
                return self._measure_pixels(pred, target)
            return self._measure_compiled(pred, target)

    def _measure_compiled(self, pred: Any, target: Target) -> Measurement:
        from fastsegmetrics.kernels import curves as kernels
        from fastsegmetrics.statistics import sweep

        if not (self.needs_counts or self._needs_structure):
            error = sweep.mean_absolute_error(pred, target, self.conventions)
            return Measurement(np.full(len(self.columns), error))
        pair = sweep.pair_statistics(pred, target, self.conventions, moments=self._needs_structure)
        every = np.full(len(_POSITIONS), math.nan)
        every[_MAE] = pair.absolute_error / (pair.height * pair.width)
        if self._needs_structure:
            every[_STRUCTURE_AT] = kernels.structure_scores(
                pair.moments, pair.split_row, pair.split_column, pair.height, pair.width,
                float(self.conventions.alpha),
            )  # fmt: skip
        if not self.needs_counts:
            return Measurement(every[self._take])
        rows = None
        if self._needs_sweep:
            rows, summaries = kernels.sweep_scores(*pair.counts, self.rule)
            every[_SWEEP_AT] = summaries.ravel()
            if self._needs_areas:
                every[_AREAS_AT] = kernels.curve_areas(rows, self.rule.strict)
        return Measurement(every[self._take], pair.counts, rows)

    def _measure_pixels(self, pred: Any, target: Target) -> Measurement:
        from fastsegmetrics.reference import measure as reference

        canonical = represent.prediction(pred, self.conventions, target.shape)
        if canonical.values.dtype == np.uint8:
            represent.check_scale(int(canonical.values.max()), self.conventions)
        every, counts = reference.measure(
            represent.unit_values(canonical),
            target.mask == 1,
            alpha=self.conventions.alpha,
            keep_at_zero=self.conventions.policy == "published",
            **self.rule._asdict(),
        )
        values = np.array([every[column] for column in self.columns], np.float64)
        return Measurement(values, LevelCounts(*counts) if self.needs_counts else None)

    def measurement_from_bytes(self, data: bytes) -> Measurement:
        """Read what `Measurement.to_bytes` wrote under a plan of the same metrics."""
        size = 8 * len(self.columns)
        values = np.frombuffer(data[:size], "<f8").astype(np.float64)
        counts = LevelCounts.from_bytes(data[size:]) if self.needs_counts else None
        return Measurement(values, counts)

    def sweep(self, counts: LevelCounts) -> NDArray[np.float64]:
        """Return the curves of all `SWEEP_SCORES` [13, 256], thresholds ascending."""
        rows, _ = self._score(counts)
        return rows

    def pooled(self, counts: LevelCounts) -> dict[str, float | NDArray[np.float64]]:
        """Return every sweep value of counts pooled over a data set, by its name in a report."""
        rows, summaries = self._score(counts)
        areas = self._areas(rows)
        found: dict[str, float | NDArray[np.float64]] = {}
        for i, score in enumerate(SWEEP_SCORES):
            found[f"{score}.pooled_curve"] = rows[i]
            for j, report in enumerate(("bin", "adp", "mean", "max")):
                found[f"{score}.pooled_{report}"] = float(summaries[i, j])
        for i, column in enumerate(_AREAS):
            found[column.replace("_of_image", "_pooled")] = float(areas[i])
        return found

    def _score(self, counts: LevelCounts) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        if backends.resolve() == "reference":
            from fastsegmetrics.reference import curves as reference

            return reference.sweep_scores(*counts, self.rule)
        from fastsegmetrics.kernels import curves as kernels

        return kernels.sweep_scores(*counts, self.rule)

    def _areas(self, rows: NDArray[np.float64]) -> NDArray[np.float64]:
        if backends.resolve() == "reference":
            from fastsegmetrics.reference import curves as reference

            return reference.curve_areas(rows, self.rule.strict)
        from fastsegmetrics.kernels import curves as kernels

        return kernels.curve_areas(rows, self.rule.strict)


_POSITIONS = {
    name: i
    for i, name in enumerate(
        (
            *(f"{score}.{summary}" for score in SWEEP_SCORES for summary in _SUMMARIES),
            *_AREAS,
            *_STRUCTURE,
            "mae",
        )
    )
}
_N_SWEEP = len(SWEEP_SCORES) * len(_SUMMARIES)
_SWEEP_AT = slice(0, _N_SWEEP)
_AREAS_AT = slice(_N_SWEEP, _N_SWEEP + len(_AREAS))
_STRUCTURE_AT = slice(_AREAS_AT.stop, _AREAS_AT.stop + len(_STRUCTURE))
_MAE = _POSITIONS["mae"]
