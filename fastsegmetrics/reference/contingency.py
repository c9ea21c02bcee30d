"""Plain twins of ``kernels.contingency``, and the scores of classes straight from pixels."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def label_table(
    pred: NDArray[np.uint8],
    gt: NDArray[np.uint8],
    pred_words: NDArray[np.uint64],
    gt_words: NDArray[np.uint64],
    bits: int,
) -> NDArray[np.int64]:
    """Count pixels by the low `bits` bits of their labels: int64[2^bits, 2^bits], [truth, pred]."""
    n = 1 << bits
    return wide_label_table(pred.astype(np.uint16) % n, gt.astype(np.uint16) % n, n, n)


def checked_table(
    pred: NDArray[np.unsignedinteger],
    gt: NDArray[np.unsignedinteger],
    first: int,
    last: int,
    ignored: int,
    bits: int,
) -> tuple[NDArray[np.int64], bool]:
    """Return what `label_table` counts of wide integers, and whether one is no label."""
    n = 1 << bits
    labels = np.arange(first, last + 1)
    known = np.isin(pred, labels).all() and np.isin(gt, [*labels, ignored]).all()
    table = wide_label_table((pred % n).astype(np.uint16), (gt % n).astype(np.uint16), n, n)
    return table, not known


def wide_label_table(
    pred: NDArray[np.uint16], gt: NDArray[np.uint16], n_rows: int, n_columns: int
) -> NDArray[np.int64]:
    """Count pixels by their codes: int64[n_rows, n_columns], [truth, pred]."""
    out = np.zeros((n_rows, n_columns), np.int64)
    np.add.at(out, (gt, pred), 1)
    return out


def narrow(values: NDArray[np.unsignedinteger], out: NDArray[np.uint8]) -> bool:
    """Write the low byte of each unsigned integer; return whether some value is above 255."""
    out[:] = values & np.uint8(255)
    return bool((values > 255).any())


def any_outside(values: NDArray[np.uint8], first: int, last: int, extra: int) -> bool:
    """Whether some 8-bit value is neither in first…last nor equal to `extra`."""
    inside = (first <= values) & (values <= last)
    return bool((~inside & (values != extra)).any())


def any_unknown(
    values: NDArray[np.uint8], words: NDArray[np.uint64], allowed: NDArray[np.bool_]
) -> bool:
    """Whether some 8-bit value is not allowed, by a table of 256."""
    return not allowed[values].all()


def mask_overlap(pred: NDArray[np.bool_], gt: NDArray[np.bool_]) -> dict[str, float]:
    """Return the overlap of two masks by its set definitions; NaN where they are 0/0."""
    both, either = int((pred & gt).sum()), int((pred | gt).sum())
    sizes = int(pred.sum()) + int(gt.sum())
    neither = pred.size - either
    # A share of an empty set is 0, but for a pair of which neither has a pixel.
    empty = float("nan") if either == 0 else 0.0
    return {
        "iou": both / either if either else empty,
        "dice": 2 * both / sizes if either else empty,
        "precision": both / int(pred.sum()) if pred.any() else empty,
        "recall": both / int(gt.sum()) if gt.any() else empty,
        "specificity": neither / int((~gt).sum()) if not gt.all() else 0.0,
        "accuracy": int((pred == gt).sum()) / pred.size if pred.size else float("nan"),
    }


def class_overlap(
    pred: NDArray[Any], gt: NDArray[Any], labels: tuple[int, ...], ignore_label: int | None
) -> dict[int, dict[str, float]]:
    """Return the overlap of every class, one class against the rest, where the truth counts.

    That of the ignored one is undefined.
    """
    counted = np.ones(gt.shape, bool) if ignore_label is None else gt != ignore_label
    found = {label: mask_overlap(pred[counted] == label, gt[counted] == label) for label in labels}
    if ignore_label in found:
        found[ignore_label] = dict.fromkeys(found[ignore_label], float("nan"))
    return found


def agreement(
    pred: NDArray[Any], gt: NDArray[Any], labels: tuple[int, ...], ignore_label: int | None
) -> dict[str, float]:
    """Return pixel accuracy, frequency-weighted IoU and Cohen's kappa from the pixels."""
    counted = np.ones(gt.shape, bool) if ignore_label is None else gt != ignore_label
    p, g = pred[counted], gt[counted]
    if not g.size:
        return dict.fromkeys(("pixel_accuracy", "frequency_weighted_iou", "kappa"), float("nan"))
    same = float((p == g).mean())
    chance = sum(float((p == label).mean()) * float((g == label).mean()) for label in labels)
    scores = class_overlap(pred, gt, labels, ignore_label)
    weights = {label: float((g == label).mean()) for label in labels}
    return {
        "pixel_accuracy": same,
        "frequency_weighted_iou": sum(
            weight * scores[label]["iou"] for label, weight in weights.items() if weight
        ),
        "kappa": (same - chance) / (1 - chance) if chance < 1 else float("nan"),
    }
