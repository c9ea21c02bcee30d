"""Multi-scale IoU, at P > 0.5, at the adaptive threshold and at the 257 levels 0…256."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastsegmetrics import represent
from fastsegmetrics.catalog import Metric
from fastsegmetrics.conventions import Conventions
from fastsegmetrics.families.contract import CurveSource, MeanCurve, Produced, columns_of
from fastsegmetrics.families.exact_curves import ExactCurves
from fastsegmetrics.represent import MapInput
from fastsegmetrics.target import Target

N_THRESHOLDS = 257
_SOURCE = CurveSource("ms_iou")


class CurveRecord(NamedTuple):
    """The curve of one pair: not the counts behind it, which take five times the room."""

    curve: NDArray[np.float64]

    def to_bytes(self) -> bytes:
        """Return the curve as little-endian doubles."""
        return self.curve.astype("<f8").tobytes()


class MultiscaleFamily:
    """What a plan needs of multi-scale IoU; see `contract.Family`."""

    def __init__(self, metrics: tuple[Metric, ...], conventions: Conventions) -> None:
        self._conventions = conventions
        self._strict = conventions.policy == "strict"
        self.columns = columns_of(metrics)
        self._sweep = any(metric.report.name not in ("bin", "adp") for metric in metrics)

    def measure(self, pred: MapInput, target: Target) -> Produced:
        """Measure one pair with the compiled kernels."""
        from fastsegmetrics.statistics import multiscale

        counts = multiscale.multiscale_statistics(
            pred, target, self._conventions, thresholds=self._sweep
        )
        return self._produced(*multiscale.multiscale_scores(counts, strict=self._strict))

    def measure_pixels(self, pred: MapInput, target: Target) -> Produced:
        """Measure one pair by the reference definitions."""
        from fastsegmetrics.reference import multiscale

        represent.check_levels(pred, self._conventions)
        return self._produced(
            *multiscale.msiou(represent.unit_values(pred), target.mask == 1, strict=self._strict)
        )

    def _produced(
        self, fixed: float, adaptive: float, curve: NDArray[np.float64] | None
    ) -> Produced:
        values = {"ms_iou.bin": fixed, "ms_iou.adp": adaptive}
        if curve is not None:
            values["ms_iou.mean"] = float(curve.mean())
            values["ms_iou.max_of_image"] = float(curve.max())
        record = CurveRecord(curve) if curve is not None and self._sweep else None
        return Produced([values[column] for column in self.columns], record)

    def curves_of(self, metric: Metric) -> tuple[CurveSource, ...]:
        """Return the mean curves that a metric of source "curve" is made from."""
        return (_SOURCE,)

    def read_record(self, data: bytes) -> CurveRecord:
        """Read what a record's `to_bytes` wrote."""
        return CurveRecord(np.frombuffer(data, "<f8").astype(np.float64))

    def accumulator(self) -> MultiscaleAccumulator | None:
        """Return a new accumulator."""
        return MultiscaleAccumulator() if self._sweep else None


class MultiscaleAccumulator:
    """The mean curve of a data set."""

    def __init__(self) -> None:
        self._curves = ExactCurves((_SOURCE,), N_THRESHOLDS)

    def add(self, record: CurveRecord) -> None:
        """Add the curve of one pair."""
        self._curves.add(record.curve[None])

    def merge(self, other: MultiscaleAccumulator) -> None:
        """Add all that another one holds."""
        self._curves.merge(other._curves)

    def means(self) -> dict[CurveSource, MeanCurve]:
        """Return the mean curve."""
        return self._curves.means()

    def pooled(self) -> dict[str, float | NDArray[np.float64]]:
        """Return nothing: the scores of different images have different cells."""
        return {}
