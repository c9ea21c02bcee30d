"""Every metric straight from its pixels, by the published definition.

``p`` is a float map in [0, 1] and ``g`` a boolean truth of its shape, ``b`` a boolean partition of
the prediction.  Nothing here shares a line with the compiled path.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

Map = NDArray[Any]
Mask = NDArray[np.bool_]
_EPS = float(np.finfo(np.float64).eps)


def mae(p: Map, g: Mask) -> float:
    """Mean absolute error."""
    return float(np.abs(p.astype(np.float64) - g).mean())


def s_measure(p: Map, g: Mask, alpha: float) -> tuple[float, float, float]:
    """Structure measure and its object and region terms (Fan et al. 2017)."""
    rows, columns = np.nonzero(g)
    if rows.size == 0:
        return s_measure_around(p, g, g.shape, alpha)
    centroid = int(np.round(rows.mean())) + 1, int(np.round(columns.mean())) + 1
    return s_measure_around(p, g, centroid, alpha)


def s_measure_around(
    p: Map, g: Mask, split: tuple[int, int], alpha: float
) -> tuple[float, float, float]:
    """Structure measure and its terms, the quadrants meeting at a given row and column."""
    p = p.astype(np.float64)
    share = g.mean()
    if share == 0:
        return float(1 - p.mean()), np.nan, np.nan
    if share == 1:
        return float(p.mean()), np.nan, np.nan
    by_object = share * _object(p[g]) + (1 - share) * _object(1 - p[~g])
    row, column = split
    by_region = 0.0
    rest = 1.0
    for q, (vertical, horizontal) in enumerate(
        (v, h)
        for v in (slice(0, row), slice(row, None))
        for h in (slice(0, column), slice(column, None))
    ):
        block = p[vertical, horizontal]
        weight = block.size / p.size if q < 3 else rest
        rest -= weight
        if block.size:
            by_region += weight * _similarity(block, g[vertical, horizontal])
    return max(0.0, alpha * by_object + (1 - alpha) * by_region), by_object, by_region


def _object(x: Map) -> float:
    spread = x.std(ddof=1) if x.size > 1 and x.min() != x.max() else 0.0
    mean = x.mean()
    return float(2 * mean / (mean**2 + 1 + spread + _EPS))


def _similarity(p: Map, g: Mask) -> float:
    # A constant block has its constant as mean; summation may miss it by a rounding.
    x = p.flat[0] if p.min() == p.max() else p.mean()
    y = g.mean()
    scale = p.size - 1 + _EPS
    variance_p = ((p - x) ** 2).sum() / scale
    variance_g = ((g - y) ** 2).sum() / scale
    covariance = ((p - x) * (g - y)).sum() / scale
    a = 4 * x * y * covariance
    b = (x**2 + y**2) * (variance_p + variance_g)
    if a != 0:
        return float(a / (b + _EPS))
    return 1.0 if b == 0 else 0.0


def e_measure(b: Mask, g: Mask, *, strict: bool, divide_by_n: bool) -> float:
    """Enhanced-alignment measure of one partition (Fan et al. 2018), from its alignment map."""
    if not g.any():
        if strict and not b.any():
            return 1.0
        enhanced = (~b).astype(np.float64)
    elif g.all():
        enhanced = b.astype(np.float64)
    else:
        from_b = b - b.mean()
        from_g = g - g.mean()
        alignment = 2 * from_b * from_g / (from_b**2 + from_g**2 + _EPS)
        enhanced = (alignment + 1) ** 2 / 4
    whole = divide_by_n or g.size == 1
    return float(enhanced.sum() / (g.size if whole else g.size - 1 + _EPS))


def _divide(part: float, whole: float, undefined: float = 0.0) -> float:
    return part / whole if whole else undefined


def confusion_scores(
    b: Mask, g: Mask, *, strict: bool, both_empty: float, beta2: float
) -> dict[str, float]:
    """Every confusion score of one partition, by name."""
    tp, fp = int((b & g).sum()), int((b & ~g).sum())
    fn, tn = int((~b & g).sum()), int((~b & ~g).sum())
    n = g.size
    nothing = tp + fp + fn == 0
    tpr, tnr = _divide(tp, tp + fn), _divide(tn, tn + fp)
    p, r = _divide(tp, tp + fp), tpr
    no_background = float("nan") if strict else 0.0

    rates = [rate for rate, size in ((tpr, tp + fn), (tnr, tn + fp)) if size or not strict]
    agreement = (tp + tn) / n

    def beyond_chance(background: int) -> float:
        chance = ((tp + fp) * (tp + fn) + (tn + fn) * background) / n**2
        return no_background if chance == 1.0 else (agreement - chance) / (1 - chance)

    scores = {
        "specificity": _divide(tn, tn + fp, no_background),
        "fpr": _divide(fp, tn + fp, no_background),
        "ber": 1 - float(np.mean(rates)),
        "kappa": beyond_chance(tn + tp),
        "cohen_kappa": beyond_chance(tn + fp),
        "accuracy": agreement,
    }
    overlap: dict[str, Callable[[], float]] = {
        "f_beta": lambda: _divide((1 + beta2) * p * r, beta2 * p + r),
        "f1": lambda: _divide(2 * p * r, p + r),
        "precision": lambda: p,
        "recall": lambda: r,
        "iou": lambda: tp / (tp + fp + fn),
        "dice": lambda: 2 * tp / (2 * tp + fp + fn),
    }
    return scores | {name: both_empty if nothing else score() for name, score in overlap.items()}


def areas(
    recall: Map, precision: Map, fpr: Map, *, one_sided_is_undefined: bool
) -> tuple[float, float, float, float]:
    """AP (trapezoid, step) and ROC AUC (trapezoid, anchored) of curves over 0…255, ascending."""
    by_recall = np.argsort(recall, kind="stable")
    by_fpr = np.argsort(fpr, kind="stable")
    ap = [
        _trapezoid(recall[by_recall], precision[by_recall]),
        float((-np.diff(recall, append=0.0) * precision).sum()),
    ]
    auc = [
        _trapezoid(fpr[by_fpr], recall[by_fpr]),
        _trapezoid(np.append(fpr, 0.0)[::-1], np.append(recall, 0.0)[::-1]),
    ]
    if one_sided_is_undefined and recall[0] != 1.0:
        ap = auc = [np.nan, np.nan]
    if one_sided_is_undefined and fpr[0] != 1.0:
        auc = [np.nan, np.nan]
    return ap[0], ap[1], auc[0], auc[1]


def _trapezoid(x: Map, y: Map) -> float:
    return float((np.diff(x) * (y[1:] + y[:-1]) / 2).sum())
