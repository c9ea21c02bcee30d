"""Which family computes which metrics of the catalogue."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

from fastsegmetrics.catalog import Metric
from fastsegmetrics.conventions import Conventions
from fastsegmetrics.families import scalars, surface
from fastsegmetrics.families.contract import CurveSource, Family
from fastsegmetrics.families.multiscale import MultiscaleFamily
from fastsegmetrics.families.protocols import ProtocolFamily
from fastsegmetrics.families.scalars import ScalarFamily
from fastsegmetrics.families.size_invariant import SizeInvariantFamily
from fastsegmetrics.families.sweep import CATALOGUE_FAMILIES, SweepFamily
from fastsegmetrics.families.targets import TargetFamily

_Maker = Callable[[tuple[Metric, ...], Conventions], Family]
_Key = tuple[_Maker, bool]

#: By the family that a score names; sweep scores name what they are and are computed together.
_MAKERS: Mapping[str, _Maker] = {
    **dict.fromkeys(sorted(CATALOGUE_FAMILIES), SweepFamily),
    "weighted": partial(ScalarFamily, scalars.weighted, scalars.weighted_by_pixels),
    "multiscale": MultiscaleFamily,
    "size_invariant": SizeInvariantFamily,
    "effort": partial(ScalarFamily, scalars.effort, scalars.effort_by_pixels),
    "context": partial(ScalarFamily, scalars.context, scalars.context_by_pixels),
    "difficulty": partial(ScalarFamily, scalars.difficulty, scalars.difficulty_by_pixels),
    "surface": partial(ScalarFamily, surface.surface, surface.surface_by_pixels),
    "protocol": ProtocolFamily,
    "targets": TargetFamily,
}


class Families:
    """The families that have a metric in a request, each made for its own metrics."""

    def __init__(self, metrics: tuple[Metric, ...], conventions: Conventions) -> None:
        own: dict[_Key, list[Metric]] = {}
        for metric in metrics:
            own.setdefault(_key(metric), []).append(metric)
        made = {key: key[0](tuple(rows), conventions) for key, rows in own.items()}
        self._by_key = made
        self.all: tuple[Family, ...] = tuple(made.values())
        #: Whether each family reads maps that are stretched, if the conventions say so.
        self.stretched: tuple[bool, ...] = tuple(stretched for _, stretched in own)

    def curves_of(self, metric: Metric) -> tuple[CurveSource, ...]:
        """Return the mean curves that a metric of source "curve" is made from."""
        return self._by_key[_key(metric)].curves_of(metric)


def _key(metric: Metric) -> _Key:
    # Protocols read maps either way, and each way is a family of its own.
    return _MAKERS[metric.score.family], metric.score.stretched
