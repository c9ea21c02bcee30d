"""The four counts of two binary masks, and the sums of a soft mask against a binary one."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastsegmetrics.represent import words
from fastsegmetrics.represent_labels import contingency, flat


class OverlapCounts(NamedTuple):
    """Pixels of two masks by prediction and truth; integers, exact in any order of merges."""

    tp: int
    fp: int
    fn: int
    tn: int

    def merged(self, other: OverlapCounts) -> OverlapCounts:
        """Return the counts of both sets of pixels together."""
        return OverlapCounts(*(mine + its for mine, its in zip(self, other, strict=True)))


class SoftSums(NamedTuple):
    """Sums over the pixels of probabilities p and a truth y of 0 and 1."""

    shared: float
    predicted: float
    predicted_squares: float
    truth: float


def mask_counts(pred: NDArray[np.uint8], gt: NDArray[np.uint8]) -> OverlapCounts:
    """Return the four counts of two masks of 0 and 1 and of one shape."""
    p, g = flat(pred), flat(gt)
    (tn, fp), (fn, tp) = contingency().label_table(p, g, words(p), words(g), 1).tolist()
    return OverlapCounts(tp, fp, fn, tn)


def soft_sums(pred: NDArray[Any], gt: NDArray[np.uint8]) -> SoftSums:
    """Return the sums of soft Dice, in float64 whatever the prediction's precision."""
    p, inside = pred.astype(np.float64, copy=False), gt.view(np.bool_)
    return SoftSums(float(p[inside].sum()), float(p.sum()), float((p * p).sum()), int(inside.sum()))
