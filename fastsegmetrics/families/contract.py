"""What a family of metrics is to the planner and to the evaluator."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from fastsegmetrics.catalog import Metric
from fastsegmetrics.represent import MapInput
from fastsegmetrics.target import Target


def columns_of(metrics: Iterable[Metric]) -> tuple[str, ...]:
    """Return the names of the per-image values that some metrics are, each once."""
    return tuple(dict.fromkeys(m.column for m in metrics if m.column is not None))


class Record(Protocol):
    """What of one pair the curves and pools of a data set are made from."""

    def to_bytes(self) -> bytes:
        """Return a compact form that the family reads back to the bit."""


class Produced(NamedTuple):
    """What a family gives for one pair: values in the order of its columns, and its record."""

    values: Sequence[float] | NDArray[np.float64]
    record: Record | None = None


class CurveSource(NamedTuple):
    """A mean curve that some metric is made from.

    ``needs`` restricts it to images that have a foreground, or both classes: an area under the
    strict policy is undefined elsewhere, and the two curves of an area must cover the same images.
    """

    score: str
    needs: str = ""


def sources_of(
    metrics: Iterable[Metric], curves_of: Callable[[Metric], tuple[CurveSource, ...]]
) -> tuple[CurveSource, ...]:
    """Return the mean curves that some metrics are made from, each once."""
    asked = [curves_of(metric) for metric in metrics if metric.report.source == "curve"]
    return tuple(dict.fromkeys(source for sources in asked for source in sources))


class MeanCurve(NamedTuple):
    """A curve averaged over a data set, and the number of curves it is made of."""

    values: NDArray[np.float64]
    n_used: int


class PooledValue(NamedTuple):
    """A number or a curve of a data set, and of how much of it it is made."""

    value: float | NDArray[np.float64]
    n_used: int
    n_undefined: int
    n_infinite: int = 0


class Accumulator(Protocol):
    """Exact sums over a data set: the same bits for any order of records and tree of merges."""

    def add(self, record: Any) -> None:
        """Add the record of one pair."""

    def merge(self, other: Any) -> None:
        """Add all that another accumulator of the same family holds."""

    def means(self) -> dict[CurveSource, MeanCurve]:
        """Return the mean curves."""

    def pooled(self) -> Mapping[str, float | NDArray[np.float64] | PooledValue]:
        """Return what follows from pooled counts, by metric name; a plain value is made of all."""


class Family(Protocol):
    """Metrics that are computed together, as far as a plan asks for them."""

    #: Names of the per-image values that it gives.
    columns: tuple[str, ...]

    def measure(self, pred: MapInput, target: Target) -> Produced:
        """Measure one pair with the compiled kernels; pure and thread-safe."""

    def measure_pixels(self, pred: MapInput, target: Target) -> Produced:
        """Measure one pair by the reference definitions."""

    def curves_of(self, metric: Metric) -> tuple[CurveSource, ...]:
        """Return the mean curves that a metric of source "curve" is made from."""

    def read_record(self, data: bytes) -> Record:
        """Read what the record's `to_bytes` wrote."""

    def accumulator(self) -> Accumulator | None:
        """Return a new accumulator, or None where per-image values say everything."""


@runtime_checkable
class OnePass(Protocol):
    """A family that can check the range of floats in the pass in which it measures them."""

    def measure_unread(self, values: NDArray[Any], target: Target) -> Produced | None:
        """Measure one pair of `represent.unread_floats`; None if it has to be read after all."""
