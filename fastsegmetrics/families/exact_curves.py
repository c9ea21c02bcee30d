"""Mean curves of many images, exact and free of order."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from fastsegmetrics import backend as backends
from fastsegmetrics.families.contract import CurveSource, MeanCurve


class ExactCurves:
    """Sums of curves cut into slices that add up without rounding, one row for each source."""

    def __init__(self, sources: tuple[CurveSource, ...], length: int = 256) -> None:
        self.sources = sources
        self.sums = np.zeros((len(sources), 4, length))
        self.counts = np.zeros(len(sources), np.int64)

    def add(self, curves: NDArray[np.float64]) -> None:
        """Add one curve for each source; one with a NaN is left out, whole."""
        if backends.resolve() == "reference":
            from fastsegmetrics.reference import curves as reference

            reference.add_exactly(curves, self.sums, self.counts)
        else:
            from fastsegmetrics.kernels import curves as kernels

            kernels.add_exactly(curves, self.sums, self.counts)

    def merge(self, other: ExactCurves) -> None:
        """Add all curves of another one of the same sources."""
        self.sums += other.sums
        self.counts += other.counts

    def means(self) -> dict[CurveSource, MeanCurve]:
        """Return the mean of each source's curves; NaN where there is none."""
        found = {}
        for i, source in enumerate(self.sources):
            n = int(self.counts[i])
            # The four sums are exact, so their exactly rounded total is the same for any order.
            totals = list(map(math.fsum, zip(*self.sums[i].tolist(), strict=True)))
            mean = np.array(totals) / n if n else np.full(len(totals), math.nan)
            found[source] = MeanCurve(mean, n)
        return found
