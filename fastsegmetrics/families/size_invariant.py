"""Size-invariant error and sweep scores: the boxes of a truth's targets, each by itself."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastsegmetrics import represent
from fastsegmetrics.catalog import Metric
from fastsegmetrics.conventions import Conventions
from fastsegmetrics.families.contract import (
    CurveSource,
    MeanCurve,
    PooledValue,
    Produced,
    columns_of,
    sources_of,
)
from fastsegmetrics.families.exact_curves import ExactCurves
from fastsegmetrics.families.sweep import score_levels
from fastsegmetrics.represent import MapInput
from fastsegmetrics.scores import SWEEP_SCORES
from fastsegmetrics.scores.confusion import ScoreRule
from fastsegmetrics.statistics.pair import LevelCounts
from fastsegmetrics.statistics.rule import ALL_SCORES, score_rule
from fastsegmetrics.statistics.size_invariant import TargetCounts, TargetScores
from fastsegmetrics.target import Target

PREFIX = "si_"
_SUMMARIES = ("bin", "adp", "mean", "max_of_image")


class TargetsRecord(NamedTuple):
    """The counts of one image's targets, and the scores that follow from them when at hand."""

    counts: TargetCounts
    scores: TargetScores | None = None

    def to_bytes(self) -> bytes:
        """Return a compact form of the counts."""
        return self.counts.to_bytes()

    def curves(self, conventions: Conventions) -> NDArray[np.float64]:
        """Return the mean curves over the targets [13, 256], rows as in `SWEEP_SCORES`."""
        return self.scored(score_rule(conventions), ALL_SCORES).curves

    def scored(self, rule: ScoreRule, wanted: NDArray[np.bool_]) -> TargetScores:
        """Return the scores of the targets, computed unless they are at hand."""
        from fastsegmetrics.statistics.size_invariant import target_scores

        return self.scores or target_scores(self.counts, rule, wanted)


class SizeInvariantFamily:
    """What a plan needs of the size-invariant scores; see `contract.Family`."""

    def __init__(self, metrics: tuple[Metric, ...], conventions: Conventions) -> None:
        self._conventions = conventions
        self.rule = score_rule(conventions)
        self.columns = columns_of(metrics)
        self.sources = sources_of(metrics, self.curves_of)
        asked = {metric.score.name.removeprefix(PREFIX) for metric in metrics}
        self.wanted = np.array([score in asked for score in SWEEP_SCORES])
        self._needs_scores = bool(self.wanted.any())
        every = [f"{PREFIX}{name}.{summary}" for name in SWEEP_SCORES for summary in _SUMMARIES]
        every.append("si_mae")
        self._take = np.array([every.index(column) for column in self.columns], np.intp)

    def curves_of(self, metric: Metric) -> tuple[CurveSource, ...]:
        """Return the mean curves that a metric of source "curve" is made from."""
        return (CurveSource(metric.score.name),)

    def measure(self, pred: MapInput, target: Target) -> Produced:
        """Measure one pair with the compiled kernels."""
        from fastsegmetrics.statistics import size_invariant

        found = size_invariant.size_invariant_statistics(pred, target, self._conventions)
        if not self._needs_scores:
            return Produced([found.mae])
        scores = size_invariant.target_scores(found.counts, self.rule, self.wanted)
        values = np.append(scores.summaries, found.mae)
        return Produced(values[self._take], TargetsRecord(found.counts, scores))

    def measure_pixels(self, pred: MapInput, target: Target) -> Produced:
        """Measure one pair by the reference definitions."""
        from fastsegmetrics.reference import size_invariant as reference

        represent.check_levels(pred, self._conventions)
        p, g = represent.unit_values(pred), target.mask == 1
        values = {"si_mae": reference.size_invariant_mae(p, g)}
        if not self._needs_scores:
            return Produced([values[column] for column in self.columns])
        scores, counts = reference.size_invariant_scores(
            p, g, keep_at_zero=not self.rule.strict, **self.rule._asdict()
        )
        values |= {f"{PREFIX}{name}": value for name, value in scores.items()}
        record = TargetsRecord(TargetCounts.of([LevelCounts(*count) for count in counts]))
        return Produced([values[column] for column in self.columns], record)

    def read_record(self, data: bytes) -> TargetsRecord:
        """Read what a record's `to_bytes` wrote."""
        return TargetsRecord(TargetCounts.from_bytes(data))

    def accumulator(self) -> SizeInvariantAccumulator | None:
        """Return a new accumulator."""
        return SizeInvariantAccumulator(self) if self._needs_scores else None


class SizeInvariantAccumulator:
    """Mean curves over images, mean curves over all targets of all images, and pooled counts."""

    def __init__(self, family: SizeInvariantFamily) -> None:
        self._family = family
        self._curves = ExactCurves(family.sources)
        self._rows = np.array(
            [SWEEP_SCORES.index(s.score.removeprefix(PREFIX)) for s in family.sources], np.intp
        )
        self._targets = ExactCurves(tuple(CurveSource(name) for name in SWEEP_SCORES))
        self._pooled = LevelCounts.none()
        self._n = 0
        self._used = np.zeros(len(SWEEP_SCORES), np.int64)

    def add(self, record: TargetsRecord) -> None:
        """Add the record of one pair."""
        scores = record.scored(self._family.rule, self._family.wanted)
        if len(self._rows):
            self._curves.add(scores.curves[self._rows])
        self._targets.sums += scores.sums
        self._targets.counts += scores.used
        self._pooled.add(record.counts.pooled())
        self._n += 1
        # Where one target's score is undefined, it is the image's only one.
        self._used += scores.used > 0

    def merge(self, other: SizeInvariantAccumulator) -> None:
        """Add all that another one holds."""
        self._curves.merge(other._curves)
        self._targets.merge(other._targets)
        self._pooled.add(other._pooled)
        self._n += other._n
        self._used += other._used

    def means(self) -> dict[CurveSource, MeanCurve]:
        """Return the means over images of the mean curves over each image's targets."""
        return self._curves.means()

    def pooled(self) -> dict[str, float | NDArray[np.float64] | PooledValue]:
        """Return what is told of all targets of all images together, by metric name."""
        if not self._pooled.n_pixels:
            return {}
        _, summaries = score_levels(self._pooled, self._family.rule)
        found: dict[str, float | NDArray[np.float64] | PooledValue] = {}
        means = self._targets.means()
        for i, name in enumerate(SWEEP_SCORES):
            if not self._family.wanted[i]:
                continue
            curve = means[CurveSource(name)].values
            used = int(self._used[i])
            for report, value in (
                ("curve", curve), ("mean", float(curve.mean())), ("max", float(curve.max())),
            ):  # fmt: skip
                found[f"{PREFIX}{name}.targets_{report}"] = PooledValue(value, used, self._n - used)
            found[f"{PREFIX}{name}.pooled_bin"] = float(summaries[i, 0])
        return found
