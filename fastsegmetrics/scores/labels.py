"""Summaries over classes, from per-class scores and integer counts; NaN marks what is absent."""

from __future__ import annotations

import math


def mean_of_present(values: list[float]) -> float:
    """Mean of the values that are not NaN, exactly rounded; NaN if there is none."""
    present = [value for value in values if not math.isnan(value)]
    return math.fsum(present) / len(present) if present else math.nan


def mean_accuracy(tp: list[int], support: list[int]) -> float:
    """Mean recall over the classes that the truth holds (Long et al., CVPR 2015)."""
    return mean_of_present([t / n if n else math.nan for t, n in zip(tp, support, strict=True)])


def frequency_weighted(values: list[float], support: list[int]) -> float:
    """Mean of class scores, each weighted by its class's share of the truth's pixels."""
    n = sum(support)
    if n == 0:
        return math.nan
    return math.fsum(v * m for v, m in zip(values, support, strict=True) if m) / n


def pixel_accuracy(tp: list[int], n_pixels: int) -> float:
    """Share of pixels that have their true label."""
    return sum(tp) / n_pixels if n_pixels else math.nan


def kappa(tp: list[int], support: list[int], predicted: list[int]) -> float:
    """Cohen's kappa: agreement beyond that of independent labels of the same frequencies.

    (N·Σtp − Σ support·predicted)/(N² − Σ support·predicted) in whole numbers, so that nothing
    cancels; NaN where both images are one and the same label throughout.
    """
    n = sum(support)
    chance = sum(g * p for g, p in zip(support, predicted, strict=True))
    return (n * sum(tp) - chance) / (n * n - chance) if n * n != chance else math.nan
