"""Requested metrics → the families that compute them, each asked once per pair."""

from __future__ import annotations

import dataclasses
import struct
from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastsegmetrics import backend as backends, catalog, represent
from fastsegmetrics.conventions import Conventions
from fastsegmetrics.errors import InputError
from fastsegmetrics.families.contract import Family, OnePass, Produced, Record
from fastsegmetrics.families.registry import Families
from fastsegmetrics.families.target_size import TargetSize
from fastsegmetrics.target import Target


class Request(NamedTuple):
    """What a plan was made for; measurements of different requests do not add up."""

    metrics: tuple[str, ...]
    conventions: Conventions

    def difference(self, other: Request) -> str:
        """Say in what another request differs from this one, "" if in nothing."""
        told = []
        for verb, names, beside in (
            ("has", other.metrics, self.metrics), ("lacks", self.metrics, other.metrics)
        ):  # fmt: skip
            alone = [name for name in names if name not in beside]
            if alone:
                more = f" and {len(alone) - 1} more" if len(alone) > 1 else ""
                told.append(f"it {verb} the metric {alone[0]}{more}")
        if not told and self.metrics != other.metrics:
            told.append("its metrics are in another order")
        mine = self.conventions.to_dict()
        told += [
            f"its {name} is {value!r}, here {mine[name]!r}"
            for name, value in other.conventions.to_dict().items()
            if value != mine[name]
        ]
        return "; ".join(told)


class Measurement(NamedTuple):
    """What one pair contributes to a data set.

    ``values`` follow `Plan.columns`; ``records`` follow `Plan.families`: what curves and pools are
    made from, None for a family that needs nothing but its per-image values; ``request`` is that
    of the plan that measured.
    """

    values: NDArray[np.float64]
    records: tuple[Record | None, ...]
    request: Request

    def to_bytes(self) -> bytes:
        """Return a compact form from which `Plan.measurement_from_bytes` restores every bit."""
        parts = [self.values.astype("<f8").tobytes()]
        for record in self.records:
            data = b"" if record is None else record.to_bytes()
            parts += [struct.pack("<I", len(data)), data]
        return b"".join(parts)


class Plan:
    """What has to be computed for a set of metrics under a set of conventions.

    Parameters
    ----------
    metrics : str, Protocol, Metric, or iterable of them
        As in `catalog.resolve`.
    conventions : Conventions, optional
        The choices that shape the numbers.
    sizes : bool
        Whether the size of each truth is a column too, see `strata`.

    Attributes
    ----------
    metrics : tuple of Metric
        The rows asked for.
    columns : tuple of str
        Names of the per-image values, in the order of `Measurement.values`.
    families : tuple of Family
        Who computes them.
    needs_image : bool
        Whether a metric looks at the photograph of its target.

    Raises
    ------
    InputError
        When a metric is unknown.
    """

    def __init__(
        self,
        metrics: catalog.Wanted | Iterable[catalog.Wanted] = "sod",
        conventions: Conventions | None = None,
        *,
        sizes: bool = False,
    ) -> None:
        self.conventions = conventions or Conventions()
        self.metrics = catalog.resolve(metrics)
        told_apart = [metric.told_apart for metric in self.metrics]
        self.request = Request(
            (*told_apart, *(TargetSize.columns if sizes else ())), self.conventions
        )
        made = Families(self.metrics, self.conventions)
        self.families: tuple[Family, ...] = made.all + ((TargetSize(),) if sizes else ())
        self.curves_of = made.curves_of
        as_they_are = dataclasses.replace(self.conventions, stretch=False)
        readings = [self.conventions if stretched else as_they_are for stretched in made.stretched]
        readings += readings[:1] if sizes else []
        # A map is read once in each way that a family asks for.
        self._readings = tuple(dict.fromkeys(readings))
        self._reading_of = tuple(self._readings.index(reading) for reading in readings)
        self.columns: tuple[str, ...] = tuple(
            dict.fromkeys(column for metric in self.metrics for column in metric.columns)
        )
        if sizes:
            self.columns += self.families[-1].columns
        first = self.families[0] if len(self.families) == 1 else None
        self._unread = first.measure_unread if isinstance(first, OnePass) else None
        self.needs_image = any(metric.score.needs_image for metric in self.metrics)
        given = [column for family in self.families for column in family.columns]
        self._take = np.array([given.index(column) for column in self.columns], np.intp)

    def measure(
        self,
        pred: Any,
        target: Target | Any,
        *,
        image: Any | None = None,
        backend: backends.Backend | None = None,
    ) -> Measurement:
        """Return what one pair contributes; safe to call from many threads at once.

        Parameters
        ----------
        pred : array_like, shape (H, W)
            The prediction: integers in 0…255, booleans, or floats in [0, 1].
        target : Target or array_like, shape (H, W)
            The truth; a `Target` is prepared once for many predictions.
        image : array_like of uint8, shape (H, W, 3), optional
            The RGB photograph, for metrics that look at it; a `Target` brings its own.
        backend : {"compiled", "reference"}, optional
            Which implementation computes.

        Raises
        ------
        InputError
            When an array is refused.
        """
        with backends.chosen(backend):
            return self._measure(pred, target, image)

    def _measure(self, pred: Any, target: Target | Any, image: Any | None) -> Measurement:
        target = self.target_of(target, image, pred)
        by_pixels = backends.resolve() == "reference"
        if self._unread is not None and not by_pixels:
            values = represent.unread_floats(pred, self._readings[0], target.shape)
            found = None if values is None else self._unread(values, target)
            if found is not None:
                return self._measurement(found)
        if len(self.families) == 1:
            # Its columns are the plan's, in its order; what several families need takes 4 us of a
            # call that takes 12 for a small image's error.
            (family,) = self.families
            measure = family.measure_pixels if by_pixels else family.measure
            read = represent.prediction(pred, self._readings[0], target.shape)
            return self._measurement(measure(read, target))
        maps = [represent.prediction(pred, reading, target.shape) for reading in self._readings]
        produced = [
            family.measure_pixels(maps[reading], target)
            if by_pixels
            else family.measure(maps[reading], target)
            for family, reading in zip(self.families, self._reading_of, strict=True)
        ]
        values = np.concatenate([found.values for found in produced], dtype=np.float64)
        return Measurement(
            values[self._take], tuple(found.record for found in produced), self.request
        )

    def _measurement(self, found: Produced) -> Measurement:
        """Return what the only family found."""
        return Measurement(np.array(found.values, np.float64), (found.record,), self.request)

    def target_of(
        self, target: Target | Any, image: Any | None = None, pred: Any | None = None
    ) -> Target:
        """Return the truth as these conventions read it, with its photograph if a metric needs one.

        Parameters
        ----------
        target : Target or array_like, shape (H, W)
            The truth.
        image : array_like of uint8, shape (H, W, 3), optional
            The RGB photograph, beside a truth that is no `Target`.
        pred : array_like, optional
            The prediction, for what is said about a truth of another shape.

        Raises
        ------
        InputError
            When an array is refused or the photograph is missing.
        """
        if not isinstance(target, Target):
            target = Target.borrowing(target, self.conventions.gt_threshold, pred, image)
        elif target.gt_threshold != self.conventions.gt_threshold:
            raise InputError(
                f"gt_threshold must be what the Target was made with, {target.gt_threshold}; "
                f"received {self.conventions.gt_threshold}"
            )
        elif image is not None:
            raise InputError("image must be given to the Target; received one beside a Target")
        if self.needs_image and target.image is None:
            name = next(metric.name for metric in self.metrics if metric.score.needs_image)
            raise InputError(
                f"image must be given for {name} (RGB uint8, H × W × 3); received none"
            )
        return target

    def measurement_from_bytes(self, data: bytes) -> Measurement:
        """Read what `Measurement.to_bytes` wrote under a plan of the same metrics."""
        at = 8 * len(self.columns)
        values = np.frombuffer(data[:at], "<f8").astype(np.float64)
        records = []
        for family in self.families:
            (size,) = struct.unpack_from("<I", data, at)
            at += 4
            records.append(family.read_record(data[at : at + size]) if size else None)
            at += size
        return Measurement(values, tuple(records), self.request)
