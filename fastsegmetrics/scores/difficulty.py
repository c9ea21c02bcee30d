"""The difficulty-weighted context score: factors of difficulty, and the parts of the score."""

from __future__ import annotations


def relative_difference(a: float, b: float) -> float:
    """Return |a - b| / (a + b + 1e-6) of two numbers that are not negative."""
    return abs(a - b) / (a + b + 1e-6)


def sharpness(mean_slope: float) -> float:
    """Return the edge factor: a straight step of the full range of 255 gives 1."""
    return min(1.0, 6.0 * mean_slope / 255.0)


def raw_difficulty(
    contrast: float, edge: float, texture: float, k1: float, k2: float, k3: float, floor: float
) -> float:
    """Return 1 + k1 (1 - contrast) + k2 (1 - edge) + k3 texture, at least `floor`."""
    return max(floor, 1.0 + k1 * (1.0 - contrast) + k2 * (1.0 - edge) + k3 * texture)


def similarity(p: float, p_squared: float, g: float, p_times_g: float) -> float:
    """Return the SSIM of a 7 x 7 window from its sums, at data range 1; g is binary.

    Wang et al., "Image quality assessment: from error visibility to structural similarity", 2004,
    with uniform weights, sample covariances, K1 = 0.01 and K2 = 0.03.
    """
    mean_p = p / 49.0
    mean_g = g / 49.0
    products = mean_p * mean_g
    squares = mean_p * mean_p + mean_g * mean_g
    both = ((p_squared + g) / 49.0 - squares) * (49.0 / 48.0)
    covariance = (p_times_g / 49.0 - products) * (49.0 / 48.0)
    above = (2.0 * products + 1e-4) * (2.0 * covariance + 9e-4)
    return above / ((squares + 1e-4) * (both + 9e-4))


def region(common: float, either: float) -> float:
    """Return ΣW·min(P, G) / ΣW·max(P, G); nothing in either is a perfect match."""
    return common / either if either > 0.0 else 1.0


def structure(alike: float, weight: float) -> float:
    """Return max(0, ΣW·SSIM / ΣW)."""
    return min(1.0, max(0.0, alike / weight))


def boundary(met: float, edges: float, spilt: float) -> float:
    """Return the share of edge that is met, beside what lies off it.

    Without an edge in the truth, 1 for a prediction without slopes and 0 for any other.
    """
    whole = edges + spilt
    return met / whole if whole > 0.0 else 1.0


def difficulty_score(
    region: float, structure: float, boundary: float, alpha: float, beta: float, gamma: float
) -> float:
    """Return the weighted sum of the three parts."""
    return alpha * region + beta * structure + gamma * boundary
