"""The confusion counts of all binary maps of one pair, and the E-measure of such counts."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastsegmetrics.scores.confusion import EPS
from fastsegmetrics.statistics.pair import LevelCounts

#: Where the counts of each kind of binary map lie: thresholds 255, 254, … 0, then the two others.
DYNAMIC = slice(0, 256)
ADAPTIVE = 256
BINARY = 257


class Counts(NamedTuple):
    """int64[258] each: see `DYNAMIC`, `ADAPTIVE` and `BINARY`."""

    tp: NDArray[np.int64]
    fp: NDArray[np.int64]
    tn: NDArray[np.int64]
    fn: NDArray[np.int64]

    def at(self, where: int | slice) -> dict[str, Any]:
        """Return one binary map's counts as integers, or a range's as arrays of their own."""
        if isinstance(where, slice):
            return {name: column[where].copy() for name, column in self._asdict().items()}
        return {name: int(column[where]) for name, column in self._asdict().items()}


def confusion_counts(counts: LevelCounts) -> Counts:
    """Return the confusion counts of every threshold, of the adaptive one and of P > 0.5."""
    kept = np.empty((2, 258), np.int64)
    np.cumsum(counts.levels[:, ::-1], axis=1, out=kept[:, DYNAMIC])
    kept[:, ADAPTIVE] = counts.sides[1, ::-1]
    kept[:, BINARY] = counts.sides[0, ::-1]
    background, foreground = kept[:, 255]
    fp, tp = kept
    return Counts(tp, fp, background - fp, foreground - tp)


def alignment(tp: Any, fp: Any, tn: Any, fn: Any) -> Any:
    """Return the E-measure of confusion counts, element by element, divided by N - 1 + eps.

    In contrast to the native score this holds for one pixel too, where it is of the order 1/eps.
    The class sizes must be those of one truth.
    """
    predicted = np.asarray(tp + fp, np.float64)
    foreground, background = (float(np.ravel(count)[0]) for count in (tp + fn, tn + fp))
    size = foreground + background
    if foreground == 0:
        total = size - predicted
    elif background == 0:
        total = predicted
    else:
        # The four cells as one array: at 258 values a NumPy call costs more than its arithmetic.
        cells = np.empty((4, *predicted.shape))
        b = predicted / size
        cells[:2] = 1 - b
        cells[2:] = -b
        g = foreground / size
        truth = np.array([1 - g, -g, 1 - g, -g]).reshape(4, *[1] * predicted.ndim)
        aligned = 2 * cells * truth / (cells * cells + truth * truth + EPS) + 1
        total = (np.stack((tp, fp, fn, tn)) * (aligned * aligned / 4)).sum(axis=0)
    return total / (size - 1 + EPS)
