"""Overlap and volume functions of ``medpy.metric.binary``."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastsegmetrics.errors import InputError
from fastsegmetrics.statistics.overlap import OverlapCounts, mask_counts


def _mask(array: Any) -> NDArray[np.uint8]:
    """Return what is not 0 as ones: MedPy's reading of every input."""
    # NaN is foreground, as for the peer.
    values = np.atleast_1d(np.asarray(array))
    mask: NDArray[np.uint8] = (values != 0).view(np.uint8)
    return mask


def _counts(result: Any, reference: Any) -> OverlapCounts:
    pred, gt = _mask(result), _mask(reference)
    if pred.shape != gt.shape:
        raise InputError(
            f"result and reference must have one shape; received {pred.shape} and {gt.shape}"
        )
    return mask_counts(pred, gt)


def _share(part: int, whole: int, of_nothing: float) -> float:
    return part / whole if whole else of_nothing


def dc(result: Any, reference: Any) -> float:
    """Dice coefficient 2·|A∩B|/(|A| + |B|); 1 if both are empty."""
    tp, fp, fn, _ = _counts(result, reference)
    return _share(2 * tp, 2 * tp + fp + fn, 1.0)


def jc(result: Any, reference: Any) -> float:
    """Jaccard coefficient |A∩B|/|A∪B|; 1 if both are empty."""
    tp, fp, fn, _ = _counts(result, reference)
    return _share(tp, tp + fp + fn, 1.0)


def precision(result: Any, reference: Any) -> float:
    """Precision tp/(tp + fp); 0 if the result is empty."""
    tp, fp, _, _ = _counts(result, reference)
    return _share(tp, tp + fp, 0.0)


def recall(result: Any, reference: Any) -> float:
    """Recall tp/(tp + fn); 0 if the reference is empty."""
    tp, _, fn, _ = _counts(result, reference)
    return _share(tp, tp + fn, 0.0)


def specificity(result: Any, reference: Any) -> float:
    """Specificity tn/(tn + fp); 0 if the reference is full."""
    _, fp, _, tn = _counts(result, reference)
    return _share(tn, tn + fp, 0.0)


def sensitivity(result: Any, reference: Any) -> float:
    """Sensitivity, which is `recall`."""
    return recall(result, reference)


def true_positive_rate(result: Any, reference: Any) -> float:
    """True positive rate, which is `recall`."""
    return recall(result, reference)


def true_negative_rate(result: Any, reference: Any) -> float:
    """True negative rate, which is `specificity`."""
    return specificity(result, reference)


def positive_predictive_value(result: Any, reference: Any) -> float:
    """Positive predictive value, which is `precision`."""
    return precision(result, reference)


def ravd(result: Any, reference: Any) -> float:
    """Relative volume difference (|A| − |B|)/|B|, signed whatever its name says.

    Raises
    ------
    RuntimeError
        When the reference is empty.
    """
    predicted, volume = (int(np.count_nonzero(_mask(array))) for array in (result, reference))
    if volume == 0:
        raise RuntimeError("The second supplied array does not contain any binary object.")
    return (predicted - volume) / volume


def volume_correlation(results: Sequence[Any], references: Sequence[Any]) -> tuple[float, float]:
    """Pearson correlation of volumes over a series of pairs, and its two-sided p value."""
    return _correlation(_volumes(results), _volumes(references))


def volume_change_correlation(
    results: Sequence[Any], references: Sequence[Any]
) -> tuple[float, float]:
    """Pearson correlation of the changes of volume along a series, and its two-sided p value."""
    changes = ([b - a for a, b in pairwise(_volumes(s))] for s in (results, references))
    return _correlation(*changes)


def _volumes(masks: Sequence[Any]) -> list[int]:
    return [int(np.count_nonzero(_mask(mask))) for mask in masks]


def _correlation(x: list[int], y: list[int]) -> tuple[float, float]:
    from scipy.stats import pearsonr

    if len(x) != len(y) or len(x) < 2:
        raise InputError(
            f"results and references must be as many, and enough for two numbers to correlate; "
            f"received {len(x)} and {len(y)} numbers"
        )
    if len(set(x)) == 1 or len(set(y)) == 1:
        return float("nan"), float("nan")
    r, p = pearsonr(x, y)
    return float(r), float(p)
