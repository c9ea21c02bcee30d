"""Context measures straight from their pixels, by the published definition."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastsegmetrics.reference import colour, patches

_EPS = float(np.finfo(np.float64).eps)


def context_measures(
    p: NDArray[Any],
    g: NDArray[np.bool_],
    image: NDArray[np.uint8] | None = None,
    *,
    strict: bool = False,
) -> tuple[float, float]:
    """Return the plain and the camouflage-aware measure, this NaN without a photograph.

    Parameters
    ----------
    p, g
        See `context_measure`.
    image : ndarray of uint8, shape (H, W, 3), optional
        The photograph.
    strict : bool
        Whether the measures are undefined, and not 0, where neither map holds anything.
    """
    both_empty = math.nan if strict else 0.0
    plain = context_measure(p, g, both_empty=both_empty)[0]
    if image is None:
        return plain, math.nan
    degree = camouflage_degree(image, g)
    return plain, context_measure(p, g, beta2=1.2, degree=degree, both_empty=both_empty)[0]


def context_measure(
    p: NDArray[Any],
    g: NDArray[np.bool_],
    *,
    beta2: float = 1.0,
    alpha: float = 6.0,
    degree: NDArray[np.float64] | None = None,
    both_empty: float = 0.0,
) -> tuple[float, float, float]:
    """Context measure with its forward and reverse terms (Wang et al. 2025).

    Parameters
    ----------
    p : ndarray of float, shape (H, W)
        The map in [0, 1].
    g : ndarray of bool, shape (H, W)
        The truth.
    beta2, alpha : float
        β², and the spread of the context kernel in pixels.
    degree : ndarray of float64, shape (H, W), optional
        The camouflage degree, for the camouflage-aware measure.
    both_empty : float
        The score where neither map holds anything.
    """
    p = p.astype(np.float64)
    weights = context_kernel(g, alpha=alpha)
    d = np.zeros(g.shape) if degree is None else degree
    forward = float((correlation(g.astype(np.float64), weights) * p).sum() / (p.sum() + _EPS))
    found = math.e / (math.e - 1) * g * (1 - np.exp(-correlation(p, weights)))
    reverse = float((found * (g + d)).sum() / (g.sum() + d.sum() + _EPS))
    if not g.any() and not p.any():
        return both_empty, forward, reverse
    score = (1 + beta2) * forward * reverse / (beta2 * forward + reverse + _EPS)
    return score, forward, reverse


def correlation(x: NDArray[np.float64], weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """Correlate with a kernel, the map continued by reflection about its border pixels."""
    down, across = weights.shape[0] // 2, weights.shape[1] // 2
    wide = np.pad(x, ((down, down), (across, across)), mode="reflect")
    out = np.zeros(x.shape)
    for (i, j), weight in np.ndenumerate(weights):
        out += weight * wide[i : i + x.shape[0], j : j + x.shape[1]]
    return out


def context_kernel(g: NDArray[np.bool_], *, alpha: float = 6.0) -> NDArray[np.float64]:
    """Return the Gaussian of the truth's covariance, scaled to the trace α², of sum 1."""
    points = [(int(r), int(c)) for r, c in np.argwhere(g)]
    if len(points) <= 1:
        return _gaussian(np.diag([0.25, 0.25]), 1, 1)
    # In fractions, so that a singular covariance is one.
    n = len(points)
    means = [Fraction(sum(point[k] for point in points), n) for k in (0, 1)]
    exact = [
        sum((q[i] - means[i]) * (q[j] - means[j]) for q in points) / (n - 1)
        for i, j in ((0, 0), (0, 1), (1, 1))
    ]
    down, across = (float(v) or _EPS for v in (exact[0], exact[2]))
    half_rows, half_columns = (
        round(3 * alpha * math.sqrt(v) / math.sqrt(down + across)) for v in (down, across)
    )
    if exact[0] and exact[2] and exact[0] * exact[2] == exact[1] ** 2:
        return _line(points, half_rows, half_columns, alpha)
    mixed = float(exact[1])
    covariance = np.array([[down, mixed], [mixed, across]]) * alpha**2 / (down + across)
    return _gaussian(covariance, half_rows, half_columns)


def _gaussian(
    covariance: NDArray[np.float64], half_rows: int, half_columns: int
) -> NDArray[np.float64]:
    grid = np.mgrid[-half_rows : half_rows + 1, -half_columns : half_columns + 1]
    inverse = np.linalg.inv(covariance)
    weights = np.exp(-0.5 * np.einsum("irc,ij,jrc->rc", grid, inverse, grid))
    return weights / weights.sum()


def _line(
    points: list[tuple[int, int]], half_rows: int, half_columns: int, alpha: float
) -> NDArray[np.float64]:
    down, across = points[-1][0] - points[0][0], points[-1][1] - points[0][1]
    divisor = math.gcd(down, across)
    step = down // divisor, across // divisor
    weights = np.zeros((2 * half_rows + 1, 2 * half_columns + 1))
    for k in range(-half_rows - half_columns, half_rows + half_columns + 1):
        r, c = k * step[0], k * step[1]
        if abs(r) <= half_rows and abs(c) <= half_columns:
            weights[half_rows + r, half_columns + c] = math.exp(
                -(k**2) * (step[0] ** 2 + step[1] ** 2) / (2 * alpha**2)
            )
    return weights / weights.sum()


def camouflage_degree(
    image: NDArray[np.uint8],
    g: NDArray[np.bool_],
    *,
    gamma: float = 8.0,
    spatial_weight: float = 20.0,
) -> NDArray[np.float64]:
    """Return how well each foreground pixel could be made of patches around the foreground."""
    degree = np.zeros(g.shape)
    mask = g.astype(np.uint8)
    inside = patches.fitting_origins(mask, 7, 3)
    around = patches.fitting_origins(patches.surrounding_band(mask, 9, 10), 7, 3)
    if len(inside) == 0 or len(around) == 0:
        return degree
    both = np.concatenate((inside, around)).astype(np.float64)
    spread = both.std(axis=0)
    places = (both - both.mean(axis=0)) / np.where(spread == 0, 1, spread) * spatial_weight
    bytes_of = [patches.patch_bytes(colour.lab_bytes(image), o, 7) for o in (inside, around)]
    nearest = np.zeros(len(inside), np.int64)
    ours, theirs = np.split(places.astype(np.float32), [len(inside)])
    bounds = np.zeros((len(inside), 1, 32), np.int32)
    patches.nearest_by_bounds(bounds, 0.0, bytes_of[0], bytes_of[1], ours, theirs, nearest)
    rebuilt = patches.rebuilt_image(image, inside, around, nearest, 7)
    likeness = 1 - np.clip(colour.delta_e_on(mask, rebuilt, image) / 100, 0, 1)
    degree[g] = (np.exp(gamma * likeness) - 1) / (math.exp(gamma) - 1)
    return degree
