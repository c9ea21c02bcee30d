"""Families whose per-image values say everything: no curve, nothing to pool."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from fastsegmetrics import represent
from fastsegmetrics.catalog import Metric
from fastsegmetrics.conventions import Conventions
from fastsegmetrics.families.contract import CurveSource, Produced, Record
from fastsegmetrics.represent import MapInput
from fastsegmetrics.target import Target

#: (prediction, target, conventions, columns wanted) → values by column.
Measure = Callable[[MapInput, Target, Conventions, tuple[str, ...]], Mapping[str, float]]


class ScalarFamily:
    """Metrics of one value per image, computed together; see `contract.Family`."""

    def __init__(
        self,
        compiled: Measure,
        by_pixels: Measure,
        metrics: tuple[Metric, ...],
        conventions: Conventions,
    ) -> None:
        self._compiled = compiled
        self._by_pixels = by_pixels
        self._conventions = conventions
        self.columns = tuple(dict.fromkeys(column for m in metrics for column in m.columns))

    def measure(self, pred: MapInput, target: Target) -> Produced:
        """Measure one pair with the compiled kernels."""
        return self._produced(self._compiled, pred, target)

    def measure_pixels(self, pred: MapInput, target: Target) -> Produced:
        """Measure one pair by the reference definitions."""
        represent.check_levels(pred, self._conventions)
        return self._produced(self._by_pixels, pred, target)

    def _produced(self, measure: Measure, pred: MapInput, target: Target) -> Produced:
        values = measure(pred, target, self._conventions, self.columns)
        return Produced([values[column] for column in self.columns])

    def curves_of(self, metric: Metric) -> tuple[CurveSource, ...]:
        """Return nothing: there are no curves."""
        return ()

    def read_record(self, data: bytes) -> Record:
        """Refuse: these families keep no records."""
        raise ValueError(f"a family without records was given one of {len(data)} bytes")

    def accumulator(self) -> None:
        """Return None: per-image values say everything."""
        return None


def _both_empty(conventions: Conventions) -> float:
    return 1.0 if conventions.both_empty == "perfect" else float("nan")


def weighted(
    pred: MapInput, target: Target, conventions: Conventions, wanted: tuple[str, ...]
) -> dict[str, float]:
    """Return the weighted F-measure with its precision and recall."""
    from fastsegmetrics.statistics.weighted import weighted_statistics

    found = weighted_statistics(pred, target, conventions)
    return {
        "weighted_f": found.f(conventions.weighted_beta2),
        "weighted_precision": found.precision,
        "weighted_recall": found.recall,
    }


def weighted_by_pixels(
    pred: MapInput, target: Target, conventions: Conventions, wanted: tuple[str, ...]
) -> dict[str, float]:
    """Return the same by the reference definition."""
    from fastsegmetrics.reference.weighted import weighted_f

    f, precision, recall = weighted_f(
        represent.unit_values(pred),
        target.mask == 1,
        beta2=conventions.weighted_beta2,
        strict=conventions.policy == "strict",
        both_empty=_both_empty(conventions),
    )
    return {"weighted_f": f, "weighted_precision": precision, "weighted_recall": recall}


def _pixels(pred: MapInput, target: Target) -> tuple[Any, Any]:
    return represent.unit_values(pred), target.mask == 1


def effort(
    pred: MapInput, target: Target, conventions: Conventions, wanted: tuple[str, ...]
) -> dict[str, float]:
    """Return the human correction effort and its four parts."""
    from fastsegmetrics.statistics.effort import effort_statistics

    return _effort_values(effort_statistics(pred, target, conventions))


def effort_by_pixels(
    pred: MapInput, target: Target, conventions: Conventions, wanted: tuple[str, ...]
) -> dict[str, float]:
    """Return the same by the reference definition."""
    from fastsegmetrics.reference.effort import hce

    return _effort_values(hce(*_pixels(pred, target)))


def _effort_values(parts: tuple[int, int, int, int]) -> dict[str, float]:
    names = ("hce_fp_points", "hce_fp_regions", "hce_fn_points", "hce_fn_regions")
    values = dict(zip(names, map(float, parts), strict=True))
    return {"hce": float(sum(parts)), **values}


def context(
    pred: MapInput, target: Target, conventions: Conventions, wanted: tuple[str, ...]
) -> dict[str, float]:
    """Return the context measure, and the camouflage-aware one if it is wanted."""
    from fastsegmetrics.statistics.context import context_statistics

    found = context_statistics(pred, target, conventions, degree="c_beta_w" in wanted)
    strict = conventions.policy == "strict"
    return {"c_beta": found.c_beta(strict), "c_beta_w": found.c_beta_w(strict)}


def context_by_pixels(
    pred: MapInput, target: Target, conventions: Conventions, wanted: tuple[str, ...]
) -> dict[str, float]:
    """Return the same by the reference definition."""
    from fastsegmetrics.reference.context import context_measures

    plain, weighted_by_degree = context_measures(
        *_pixels(pred, target), target.image, strict=conventions.policy == "strict"
    )
    return {"c_beta": plain, "c_beta_w": weighted_by_degree}


def difficulty(
    pred: MapInput, target: Target, conventions: Conventions, wanted: tuple[str, ...]
) -> dict[str, float]:
    """Return the difficulty-weighted context score, its three parts, and the image's level."""
    from fastsegmetrics.statistics.difficulty import difficulty_statistics

    found = difficulty_statistics(pred, target, conventions)
    values = _difficulty_values(found.score, found.region, found.structure, found.boundary)
    return {**values, "difficulty_level": found.level}


def difficulty_by_pixels(
    pred: MapInput, target: Target, conventions: Conventions, wanted: tuple[str, ...]
) -> dict[str, float]:
    """Return the same by the reference definition."""
    from fastsegmetrics.reference.difficulty import difficulty as by_definition, difficulty_level

    assert target.image is not None  # a plan has seen to it
    p, g = _pixels(pred, target)
    values = _difficulty_values(*by_definition(p, g, target.image))
    if "difficulty_level" in wanted:
        values["difficulty_level"] = difficulty_level(g, target.image)
    return values


def _difficulty_values(
    score: float, region: float, structure: float, boundary: float
) -> dict[str, float]:
    return {
        "difficulty": score,
        "difficulty_region": region,
        "difficulty_structure": structure,
        "difficulty_boundary": boundary,
    }
