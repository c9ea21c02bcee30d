"""The sweep family: error, structure, confusion and alignment scores from one table of levels."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastsegmetrics import backend as backends, represent
from fastsegmetrics.catalog import Metric
from fastsegmetrics.conventions import Conventions
from fastsegmetrics.families.contract import (
    CurveSource,
    MeanCurve,
    Produced,
    columns_of,
    sources_of,
)
from fastsegmetrics.families.exact_curves import ExactCurves
from fastsegmetrics.represent import MapInput
from fastsegmetrics.scores import SWEEP_SCORES, area
from fastsegmetrics.scores.confusion import ScoreRule
from fastsegmetrics.statistics import sweep
from fastsegmetrics.statistics.pair import LevelCounts
from fastsegmetrics.statistics.rule import ALL_SCORES, score_rule
from fastsegmetrics.target import Target

#: The summaries of a sweep score, in the order in which the kernel returns them.
_SUMMARIES = ("bin", "adp", "mean", "max_of_image")
_STRUCTURE = ("s_measure", "s_object", "s_region")
_AREAS = ("ap.trapezoid_of_image", "ap.step_of_image",
          "auc.trapezoid_of_image", "auc.anchored_of_image")  # fmt: skip
#: The catalogue's families that are computed here.
CATALOGUE_FAMILIES = frozenset({"error", "structure", "confusion", "alignment", "area"})

#: Place of every per-image value in the vector that a measurement is taken from.
POSITIONS = {
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
_MAE = POSITIONS["mae"]
_UNKNOWN = np.full(len(POSITIONS), math.nan)


class SweepRecord(NamedTuple):
    """The level counts of one pair, and the curves that follow from them when at hand."""

    counts: LevelCounts
    rows: NDArray[np.float64] | None = None

    def to_bytes(self) -> bytes:
        """Return a compact form of the counts."""
        return self.counts.to_bytes()


class SweepFamily:
    """What a plan needs of the sweep family; see `contract.Family`."""

    def __init__(self, metrics: tuple[Metric, ...], conventions: Conventions) -> None:
        self._conventions = conventions
        self.rule = score_rule(conventions)
        self.columns = columns_of(metrics)
        self.sources = sources_of(metrics, self.curves_of)
        families = {metric.score.family for metric in metrics}
        self._needs_counts = bool(families & {"confusion", "alignment", "area"})
        self._needs_structure = "structure" in families
        self._needs_sweep = bool(self.sources or any("." in column for column in self.columns))
        self._needs_areas = any(column in _AREAS for column in self.columns)
        asked = {column.partition(".")[0] for column in self.columns}
        asked |= {source.score for source in self.sources}
        if self._needs_areas:
            asked.update(*area.AXES.values())
        self.wanted = np.array([score in asked for score in SWEEP_SCORES])
        self.pools = tuple(m for m in metrics if m.report.source == "pooled")
        self._take = np.array([POSITIONS[column] for column in self.columns], np.intp)

    def curves_of(self, metric: Metric) -> tuple[CurveSource, ...]:
        """Return the mean curves that a metric of source "curve" is made from."""
        if metric.score.family != "area":
            return (CurveSource(metric.score.name),)
        needs = ""
        if self.rule.strict:
            needs = "foreground" if metric.score.name == "ap" else "both"
        return tuple(CurveSource(axis, needs) for axis in area.AXES[metric.score.name])

    def measure(self, pred: MapInput, target: Target) -> Produced:
        """Measure one pair with the compiled kernels."""
        if not (self._needs_counts or self._needs_structure):
            return Produced([sweep.mean_absolute_error(pred, target, self._conventions)])
        from fastsegmetrics.kernels import curves as kernels

        pair = sweep.pair_statistics(
            pred, target, self._conventions,
            counts=self._needs_counts, moments=self._needs_structure,
        )  # fmt: skip
        every = _UNKNOWN.copy()
        every[_MAE] = pair.absolute_error / (pair.height * pair.width)
        if self._needs_structure:
            every[_STRUCTURE_AT] = kernels.structure_scores(
                pair.moments, pair.split_row, pair.split_column, pair.height, pair.width,
                float(self._conventions.alpha),
            )  # fmt: skip
        if not self._needs_counts:
            return Produced(every[self._take])
        rows = None
        if self._needs_sweep:
            rows, summaries = kernels.sweep_scores(*pair.counts, self.rule, self.wanted)
            every[_SWEEP_AT] = summaries.ravel()
            if self._needs_areas:
                every[_AREAS_AT] = kernels.curve_areas(rows, self.rule.strict)
        return Produced(every[self._take], SweepRecord(pair.counts, rows))

    def measure_pixels(self, pred: MapInput, target: Target) -> Produced:
        """Measure one pair by the reference definitions."""
        from fastsegmetrics.reference import measure as reference

        represent.check_levels(pred, self._conventions)
        every, counts = reference.measure(
            represent.unit_values(pred),
            target.mask == 1,
            alpha=self._conventions.alpha,
            keep_at_zero=not self.rule.strict,
            **self.rule._asdict(),
        )
        values = [every[column] for column in self.columns]
        return Produced(values, SweepRecord(LevelCounts(*counts)) if self._needs_counts else None)

    def read_record(self, data: bytes) -> SweepRecord:
        """Read what a record's `to_bytes` wrote."""
        return SweepRecord(LevelCounts.from_bytes(data))

    def accumulator(self) -> SweepAccumulator | None:
        """Return a new accumulator."""
        return SweepAccumulator(self) if self._needs_counts else None

    def curves(self, counts: LevelCounts) -> NDArray[np.float64]:
        """Return the curves of `SWEEP_SCORES` [13, 256], NaN where no metric asks for one."""
        rows, _ = score_levels(counts, self.rule, self.wanted)
        return rows


def score_levels(
    counts: LevelCounts, rule: ScoreRule, wanted: NDArray[np.bool_] = ALL_SCORES
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return curves [13, 256] and summaries [13, 4] of some counts by the backend in force."""
    if backends.resolve() == "reference":
        from fastsegmetrics.reference import curves as reference

        return reference.sweep_scores(*counts, rule, wanted)
    from fastsegmetrics.kernels import curves as kernels

    return kernels.sweep_scores(*counts, rule, wanted)


def _areas(rows: NDArray[np.float64], rule: ScoreRule) -> NDArray[np.float64]:
    if backends.resolve() == "reference":
        from fastsegmetrics.reference import curves as reference

        return reference.curve_areas(rows, rule.strict)
    from fastsegmetrics.kernels import curves as kernels

    return kernels.curve_areas(rows, rule.strict)


class SweepAccumulator:
    """Mean curves and pooled counts of a data set."""

    def __init__(self, family: SweepFamily) -> None:
        self._family = family
        # In the order of the rows, so that all of them are added as they are.
        self._sources = tuple(sorted(family.sources, key=lambda s: SWEEP_SCORES.index(s.score)))
        self._curves = ExactCurves(self._sources)
        self._rows = [SWEEP_SCORES.index(source.score) for source in self._sources]
        self._takes_all = self._rows == list(range(len(SWEEP_SCORES)))
        self._restricted = any(source.needs for source in self._sources)
        self._pooled = LevelCounts.none()

    def add(self, record: SweepRecord) -> None:
        """Add the record of one pair."""
        if self._family.pools:
            self._pooled.add(record.counts)
        if self._rows:
            rows = record.rows if record.rows is not None else self._family.curves(record.counts)
            wanted = rows if self._takes_all and not self._restricted else rows[self._rows]
            if self._restricted:
                background, foreground = record.counts.levels.sum(axis=1) > 0
                for i, source in enumerate(self._sources):
                    if source.needs and not (foreground and (background or source.needs != "both")):
                        wanted[i] = math.nan
            self._curves.add(wanted)

    def merge(self, other: SweepAccumulator) -> None:
        """Add all that another one holds."""
        self._curves.merge(other._curves)
        self._pooled.add(other._pooled)

    def means(self) -> dict[CurveSource, MeanCurve]:
        """Return the mean curves."""
        means = self._curves.means()
        return {source: means[source] for source in self._family.sources}

    def pooled(self) -> dict[str, float | NDArray[np.float64]]:
        """Return sweep values of the counts pooled over the data set, by metric name, if asked."""
        asked = {metric.score.family for metric in self._family.pools}
        if not (asked and self._pooled.n_pixels):
            return {}
        rows, summaries = score_levels(self._pooled, self._family.rule)
        found: dict[str, float | NDArray[np.float64]] = {}
        for i, score in enumerate(SWEEP_SCORES):
            found[f"{score}.pooled_curve"] = rows[i]
            for j, report in enumerate(("bin", "adp", "mean", "max")):
                found[f"{score}.pooled_{report}"] = float(summaries[i, j])
        if "area" in asked:
            names = (column.replace("_of_image", "_pooled") for column in _AREAS)
            found |= zip(names, _areas(rows, self._family.rule).tolist(), strict=True)
        return found
