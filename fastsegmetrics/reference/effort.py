"""Human correction effort straight from its pixels (Qin et al., ECCV 2022)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastsegmetrics.reference.bitmask import Bits, pack_levels, unpack
from fastsegmetrics.reference.contour import count_corrections
from fastsegmetrics.reference.skeleton import skeletonize

Mask = NDArray[np.bool_]


def _grown(mask: Mask) -> Mask:
    padded = np.pad(mask, 1)
    return mask | padded[:-2, 1:-1] | padded[2:, 1:-1] | padded[1:-1, :-2] | padded[1:-1, 2:]


def _shrunk(mask: Mask) -> Mask:
    # Outside the image counts as foreground.
    return ~_grown(~mask)


def _errors(b: Mask, g: Mask, skeleton: Mask, relax: int) -> tuple[Mask, Mask, Mask, Mask]:
    core = b | g
    for _ in range(relax):
        core = _shrunk(core)
    over, under = b & ~g & core, g & ~b & core
    for _ in range(relax):
        over, under = _grown(over) & ~g, _grown(under) & ~b
    over, under = over & b & ~g, (under & g & ~b) | (skeleton & ~(b & g))
    return over, under, _grown((b & g) | under), _grown(~((b & g) | over | under))


def error_masks(
    pred: Bits, gt: Bits, skeleton: Bits, width: int, relax: int
) -> tuple[Bits, Bits, Bits, Bits]:
    """Return the errors worth correcting, false positives and negatives, and where each counts."""
    b, g, thin = (unpack(bits, width) > 0 for bits in (pred, gt, skeleton))
    over, under, near_over, near_under = (
        pack_levels(mask.view(np.uint8), 0) for mask in _errors(b, g, thin, relax)
    )
    return over, under, near_over, near_under


def hce(
    p: NDArray[Any], g: Mask, *, relax: int = 5, epsilon: float = 2.0
) -> tuple[int, int, int, int]:
    """Return control points and independent regions of false positives, then of false negatives."""
    over, under, near_over, near_under = _errors(p > 0.5, g, skeletonize(g), relax)
    return (
        *count_corrections(over, near_over, epsilon),
        *count_corrections(under, near_under, epsilon),
    )
