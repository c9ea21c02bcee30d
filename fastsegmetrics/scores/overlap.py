"""Scores of two binary masks of any number of axes beside those of ``scores.confusion``."""

from __future__ import annotations

import math


def relative_volume_difference(predicted: float, reference: float, both_empty: float) -> float:
    """Signed volume difference over the reference's volume: (predicted − reference)/reference."""
    if reference == 0:
        return both_empty if predicted == 0 else math.inf
    return (predicted - reference) / reference


def soft_dice(shared: float, total: float, smooth: float, both_empty: float) -> float:
    """Dice with sums of probabilities for counts: (2·Σpy + ε)/(total + ε), ε = `smooth`.

    `total` is Σp + Σy, or Σp² + Σy² (Milletari et al., 3DV 2016).
    """
    if total + smooth == 0:
        return both_empty
    return (2.0 * shared + smooth) / (total + smooth)
