"""The two masks of errors that human correction effort counts, from bit masks."""

from __future__ import annotations

import numpy as np

from fastsegmetrics.kernels._jit import kernel
from fastsegmetrics.kernels.bitmask import Bits, dilate_within, frame


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
    p, g, thin, every = pred.reshape(-1), gt.reshape(-1), skeleton.reshape(-1), whole.reshape(-1)
    outside, beside_p, beside_g = whole.copy(), whole.copy(), whole.copy()
    o, not_p, not_g = outside.reshape(-1), beside_p.reshape(-1), beside_g.reshape(-1)
    for i in range(every.size):
        o[i] &= ~(p[i] | g[i])
        not_p[i] &= ~p[i]
        not_g[i] &= ~g[i]

    # The union's erosion, outside the image being foreground, is what the rest does not grow into.
    outside = dilate_within(outside, whole, relax)
    over, under = np.empty_like(whole), np.empty_like(whole)
    o, a, b = outside.reshape(-1), over.reshape(-1), under.reshape(-1)
    for i in range(every.size):
        a[i] = p[i] & ~(g[i] | o[i])
        b[i] = g[i] & ~(p[i] | o[i])
    over = dilate_within(over, beside_g, relax)
    under = dilate_within(under, beside_p, relax)

    kept, rest = np.empty_like(whole), np.empty_like(whole)
    a, b, k, r = over.reshape(-1), under.reshape(-1), kept.reshape(-1), rest.reshape(-1)
    for i in range(every.size):
        a[i] &= p[i]
        b[i] = (b[i] & g[i]) | (thin[i] & ~p[i])
        k[i] = (p[i] & g[i]) | b[i]
        r[i] = every[i] & ~(k[i] | a[i])
    # Typed, because Numba compiles a function anew for a literal.
    once = np.int64(1)
    return over, under, dilate_within(kept, whole, once), dilate_within(rest, whole, once)
