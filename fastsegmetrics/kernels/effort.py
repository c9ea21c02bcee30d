"""The two masks of errors that human correction effort counts, from bit masks."""

from __future__ import annotations

import numpy as np

from fastsegmetrics.kernels._jit import kernel
from fastsegmetrics.kernels.bitmask import Bits, dilate_within, frame


@kernel
def _both(a: Bits, b: Bits) -> Bits:
    """Return a & b."""
    out = np.empty_like(a)
    x, y, z = a.reshape(-1), b.reshape(-1), out.reshape(-1)
    for i in range(z.size):
        z[i] = x[i] & y[i]
    return out


@kernel
def _only(a: Bits, b: Bits) -> Bits:
    """Return a & ~b."""
    out = np.empty_like(a)
    x, y, z = a.reshape(-1), b.reshape(-1), out.reshape(-1)
    for i in range(z.size):
        z[i] = x[i] & ~y[i]
    return out


@kernel
def _either(a: Bits, b: Bits) -> Bits:
    """Return a | b."""
    out = np.empty_like(a)
    x, y, z = a.reshape(-1), b.reshape(-1), out.reshape(-1)
    for i in range(z.size):
        z[i] = x[i] | y[i]
    return out


@kernel
def error_masks(
    pred: Bits, gt: Bits, skeleton: Bits, width: int, relax: int
) -> tuple[Bits, Bits, Bits, Bits]:
    """Return the errors worth correcting: false positives, false negatives, and where each counts.

    All are bit masks of images `width` pixels wide.  Errors nearer than `relax` steps to the
    border of the union are let pass, but for the truth's skeleton where it was missed.  A border
    pixel of the false positives counts beside what is right or missed; one of the false negatives
    counts beside the background.
    """
    whole = frame(pred.shape[0] - 2, width)
    outside = _only(whole, _either(pred, gt))
    core = _only(whole, dilate_within(outside, whole, relax))
    extra, missed = _only(pred, gt), _only(gt, pred)
    over = _both(dilate_within(_both(extra, core), _only(whole, gt), relax), extra)
    under = _both(dilate_within(_both(missed, core), _only(whole, pred), relax), missed)
    under = _either(under, _only(skeleton, pred))
    right = _both(pred, gt)
    kept = _either(right, under)
    near_over = dilate_within(kept, whole, 1)
    near_under = dilate_within(_only(whole, _either(kept, over)), whole, 1)
    return over, under, near_over, near_under
