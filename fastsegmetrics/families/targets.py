"""Scores of matched targets: hIoU and its errors, Pd and Fa, at P > 0.5 and over n bins."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastsegmetrics import represent
from fastsegmetrics.catalog import Metric
from fastsegmetrics.catalog.targets import MATCHING, PIXEL_PREFIX, PIXEL_SCORES
from fastsegmetrics.conventions import Conventions
from fastsegmetrics.families.contract import CurveSource, MeanCurve, Produced, columns_of
from fastsegmetrics.represent import MapInput
from fastsegmetrics.scores import confusion, targets as scores
from fastsegmetrics.scores.confusion import ScoreRule
from fastsegmetrics.scores.targets import QualitySums, TargetCounts
from fastsegmetrics.statistics import targets as statistics
from fastsegmetrics.statistics.partition import FIXED
from fastsegmetrics.statistics.rule import score_rule
from fastsegmetrics.statistics.targets import N_QUALITIES, TargetTally
from fastsegmetrics.target import Target


class _Row:
    """What a tally holds at one threshold, each part made once for all scores."""

    __slots__ = ("_counts", "_quality", "row", "tally")

    def __init__(self, tally: TargetTally, row: int) -> None:
        self.tally, self.row = tally, row
        self._counts: dict[str, TargetCounts] = {}
        self._quality: QualitySums | None = None

    def found(self, matching: str) -> TargetCounts:
        counts = self._counts.get(matching)
        if counts is None:
            counts = self._counts[matching] = self.tally.found(matching, self.row)
        return counts

    @property
    def quality(self) -> QualitySums:
        if self._quality is None:
            self._quality = self.tally.quality("opdc", self.row)
        return self._quality

    @property
    def shots(self) -> statistics.Shots:
        return self.tally.shots(self.row)


_Value = Callable[[_Row, ScoreRule], float]


def _counted(formula: Callable[..., float], matching: str = "opdc") -> _Value:
    return lambda row, rule: formula(row.found(matching))


def _measured(formula: Callable[..., float]) -> _Value:
    return lambda row, rule: formula(row.found("opdc"), row.quality)


def _pair_error(kind: str) -> _Value:
    return lambda row, rule: scores.pair_error(
        row.found("opdc"), getattr(row.quality, kind), rule.strict
    )


def _target_error(count: Callable[[TargetCounts], int]) -> _Value:
    def value(row: _Row, rule: ScoreRule) -> float:
        found = row.found("opdc")
        return scores.target_error(found, count(found))

    return value


def _pd_shooting(row: _Row, rule: ScoreRule) -> float:
    return scores.shooting_detection(*row.shots)


def _fa_shooting(row: _Row, rule: ScoreRule) -> float:
    return row.shots.false_area / row.tally.n_pixels


def _of_pixels(name: str, row: _Row, rule: ScoreRule) -> float:
    formula: Callable[..., float] = getattr(confusion, name)
    return formula(*row.tally.pixels.tolist(), rule)


_VALUES: Mapping[str, _Value] = {
    "hiou": _measured(scores.hierarchical_iou),
    "hiou_seg": _measured(scores.segmentation),
    "hiou_loc": _counted(scores.localisation),
    "hiou_seg_merge": _pair_error("merge"),
    "hiou_seg_interference": _pair_error("interference"),
    "hiou_seg_perception": _pair_error("perception"),
    "hiou_loc_many_to_one": _target_error(scores.many_to_one),
    "hiou_loc_one_to_many": _target_error(scores.one_to_many),
    "hiou_loc_interference": _target_error(lambda found: found.interference),
    "hiou_loc_perception": _target_error(lambda found: found.perception),
    "pd": _counted(scores.detection, "distance"),
    "fa": _counted(scores.false_alarm, "distance"),
    "pd_opdc": _counted(scores.detection),
    "fa_opdc": _counted(scores.false_alarm),
    "target_precision": _counted(scores.precision),
    "target_f1": _counted(scores.f1),
    "pd_shooting": _pd_shooting,
    "fa_shooting": _fa_shooting,
    **{f"{PIXEL_PREFIX}{name}": partial(_of_pixels, name) for name in PIXEL_SCORES},
}


class TargetRecord(NamedTuple):
    """The tally of one pair; its survival is stored only where it is wanted."""

    tally: TargetTally
    survival: bool

    def to_bytes(self) -> bytes:
        """Return the numbers as little-endian integers and doubles."""
        tally = self.tally
        integers = [tally.counts.ravel(), tally.pixels, np.array([tally.n_pixels])]
        if self.survival:
            integers.append(tally.survival)
        return (
            np.concatenate(integers).astype("<i8").tobytes() + tally.shares.astype("<f8").tobytes()
        )


class TargetFamily:
    """What a plan needs of the target scores; see `contract.Family`."""

    def __init__(self, metrics: tuple[Metric, ...], conventions: Conventions) -> None:
        self._conventions = conventions
        self.metrics = metrics
        self.rule = score_rule(conventions)
        self.columns = columns_of(metrics)
        self._scores = [column.rpartition(".")[0] for column in self.columns]
        rules = {MATCHING[metric.score.name] for metric in metrics}
        self._pixels = "pixels" in rules
        self._rules = tuple(rule for rule in statistics.RULES if rule in rules)
        binned = {"pooled_curve", "pooled_mean", "pooled_max"}
        self._thresholds = statistics.thresholds_of(
            conventions.bins if any(metric.report.name in binned for metric in metrics) else 0
        )
        self.survival = any(metric.report.name == "survival_curve" for metric in metrics)
        self._pools = any(metric.report.source == "pooled" for metric in metrics)
        #: A row at P > 0.5, then one for each bin that a metric asks for.
        self.n_rows = 1 + len(self._thresholds)

    def measure(self, pred: MapInput, target: Target) -> Produced:
        """Measure one pair with the compiled kernels."""
        found = statistics.fixed_statistics(
            pred,
            target,
            self._conventions,
            self._rules,
            pixels=self._pixels,
            survival=self.survival,
        )
        if len(self._thresholds):
            counts, shares = statistics.level_statistics(
                pred, target, self._conventions, self._thresholds, self._rules
            )
            found = found._replace(
                counts=np.concatenate((found.counts, counts)),
                shares=np.concatenate((found.shares, shares)),
            )
        return self._produced(found)

    def measure_unread(self, values: NDArray[Any], target: Target) -> Produced | None:
        """Measure one pair of `represent.unread_floats`; None if it has to be read after all.

        The pass that finds the runs of P > 0.5 checks the range as well.
        """
        if self._pixels or len(self._thresholds):
            return None
        runs = statistics.runs_in_range(values, FIXED)
        if runs is None:
            return None
        return self._produced(
            statistics.runs_statistics(runs, target, self._rules, survival=self.survival)
        )

    def measure_pixels(self, pred: MapInput, target: Target) -> Produced:
        """Measure one pair by the reference definitions."""
        from fastsegmetrics.reference import targets as reference

        represent.check_levels(pred, self._conventions)
        p, g = represent.unit_values(pred), target.mask == 1
        tally = TargetTally(*reference.target_tally(p, g, (FIXED, *self._thresholds)))
        return self._produced(tally)

    def _produced(self, tally: TargetTally) -> Produced:
        row, rule = _Row(tally, 0), self.rule
        values = [_VALUES[score](row, rule) for score in self._scores]
        return Produced(values, TargetRecord(tally, self.survival) if self._pools else None)

    def value(self, score: str, tally: TargetTally, row: int = 0) -> float:
        """Return a score by its name, of an image or of a data set."""
        return float(_VALUES[score](_Row(tally, row), self.rule))

    def curves_of(self, metric: Metric) -> tuple[CurveSource, ...]:
        """Return nothing: curves are pooled."""
        return ()

    def read_record(self, data: bytes) -> TargetRecord:
        """Read what a record's `to_bytes` wrote."""
        n = 16 * self.n_rows
        size = n + 5 + N_QUALITIES * self.survival
        integers = np.frombuffer(data, "<i8", size).astype(np.int64)
        shares = np.frombuffer(data, "<f8", offset=8 * size).astype(np.float64)
        survival = integers[n + 5 :] if self.survival else np.zeros(N_QUALITIES, np.int64)
        tally = TargetTally(
            integers[:n].reshape(-1, 16),
            shares.reshape(-1, 8),
            int(integers[n + 4]),
            integers[n : n + 4],
            survival,
        )
        return TargetRecord(tally, self.survival)

    def accumulator(self) -> TargetAccumulator | None:
        """Return a new accumulator."""
        return TargetAccumulator(self) if self._pools else None


class TargetAccumulator:
    """The counts and shares of a data set.

    Shares are quotients of pixel counts below 2³¹ and sums of such: multiples of 2⁻⁸⁴, which are
    added up as integers, so that no order of images moves a bit.
    """

    _UNITS = 84

    def __init__(self, family: TargetFamily) -> None:
        self._family = family
        self._counts = np.zeros((family.n_rows, 16), np.int64)
        self._n_pixels = 0
        self._pixels = np.zeros(4, np.int64)
        self._survival = np.zeros(N_QUALITIES, np.int64)
        self._shares = [0] * (8 * family.n_rows)

    def add(self, record: TargetRecord) -> None:
        """Add the record of one pair."""
        tally = record.tally
        self._counts += tally.counts
        self._n_pixels += tally.n_pixels
        self._pixels += tally.pixels
        self._survival += tally.survival
        for i, share in enumerate(tally.shares.ravel().tolist()):
            if share:
                self._shares[i] += int(math.ldexp(share, self._UNITS))

    def merge(self, other: TargetAccumulator) -> None:
        """Add all that another one holds."""
        self._counts += other._counts
        self._n_pixels += other._n_pixels
        self._pixels += other._pixels
        self._survival += other._survival
        self._shares = [a + b for a, b in zip(self._shares, other._shares, strict=True)]

    def means(self) -> dict[CurveSource, MeanCurve]:
        """Return nothing: curves are pooled."""
        return {}

    def pooled(self) -> dict[str, float | NDArray[np.float64]]:
        """Return the scores of all targets of all images, by metric name."""
        if not self._n_pixels:
            return {}
        # The quotient of two integers is rounded once.
        shares = [total / 2**self._UNITS for total in self._shares]
        tally = TargetTally(
            self._counts,
            np.array(shares).reshape(-1, 8),
            self._n_pixels,
            self._pixels,
            self._survival,
        )
        return {
            metric.name: self._report(metric, tally)
            for metric in self._family.metrics
            if metric.report.source == "pooled"
        }

    def _report(self, metric: Metric, tally: TargetTally) -> float | NDArray[np.float64]:
        value = partial(self._family.value, metric.score.name, tally)
        if metric.report.name == "pooled_bin":
            return value(0)
        if metric.report.name == "survival_curve":
            total = tally.found("opdc").total
            curve: NDArray[np.float64] = tally.survival / (total or math.nan)
            return curve
        curve = np.array([value(row) for row in range(1, self._family.n_rows)])
        if metric.report.name == "pooled_curve":
            return curve
        # The highest thresholds may leave no target on either side of the whole data set.
        defined = curve[~np.isnan(curve)]
        if not len(defined):
            return math.nan
        return float(defined.max() if metric.report.name == "pooled_max" else defined.mean())
