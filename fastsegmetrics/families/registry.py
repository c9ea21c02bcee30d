"""Which family computes which metrics of the catalogue."""

from __future__ import annotations

from collections.abc import Callable

from fastsegmetrics.catalog import Metric
from fastsegmetrics.conventions import Conventions
from fastsegmetrics.families import sweep
from fastsegmetrics.families.contract import Family

_MAKERS: tuple[tuple[frozenset[str], Callable[[tuple[Metric, ...], Conventions], Family]], ...] = (
    (sweep.CATALOGUE_FAMILIES, sweep.SweepFamily),
)


def families_for(metrics: tuple[Metric, ...], conventions: Conventions) -> tuple[Family, ...]:
    """Return the families that have a metric in a request, each made for its own metrics."""
    found = []
    for names, make in _MAKERS:
        own = tuple(metric for metric in metrics if metric.score.family in names)
        if own:
            found.append(make(own, conventions))
    return tuple(found)


def family_of(metric: Metric, families: tuple[Family, ...]) -> Family:
    """Return the family, of those made for a request, that computes a metric."""
    for names, make in _MAKERS:
        if metric.score.family in names:
            return next(family for family in families if isinstance(family, make))  # type: ignore[arg-type]
    raise LookupError(metric.name)
