"""The size of each truth: no metric, but the column by which samples are put into strata."""

from __future__ import annotations

from fastsegmetrics.catalog import Metric
from fastsegmetrics.families.contract import CurveSource, Produced, Record
from fastsegmetrics.represent import MapInput
from fastsegmetrics.target import Target


class TargetSize:
    """What a plan needs of sizes; see `contract.Family`."""

    columns: tuple[str, ...] = ("target_size",)

    def measure(self, pred: MapInput, target: Target) -> Produced:
        """Return the number of foreground pixels; the prediction is not looked at."""
        return Produced([float(target.n_foreground)])

    measure_pixels = measure

    def curves_of(self, metric: Metric) -> tuple[CurveSource, ...]:
        """Return nothing: there are no curves."""
        return ()

    def read_record(self, data: bytes) -> Record:
        """Refuse: there are no records."""
        raise ValueError(f"a family without records was given one of {len(data)} bytes")

    def accumulator(self) -> None:
        """Return None: per-image values say everything."""
        return None
