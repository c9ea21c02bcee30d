"""The producer of the context measures: correlations with a Gaussian of the truth's own shape."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastsegmetrics import represent
from fastsegmetrics.conventions import Conventions
from fastsegmetrics.represent import MapInput
from fastsegmetrics.scores.context import context_measure
from fastsegmetrics.statistics.camouflage import (
    GAMMA,
    SPATIAL_WEIGHT,
    camouflage_degree,
    sealed,
)
from fastsegmetrics.target import Target

#: Spread of the context kernel in pixels, and both measures' constants, as published.
ALPHA = 6.0
BETA2 = 1.0
BETA2_W = 1.2

_EPS = float(np.finfo(np.float64).eps)
#: Half-sizes up to which a kernel is worth its place in a tile.
_WIDEST = 24
#: Pixels of the truth's box from which single precision pays: it halves the time, and the sums of
#: so many pixels differ from those in double by 1e-8, where the published forward term is single.
_SINGLE_FROM = 1 << 14


_NOTHING = sealed(np.zeros((0, 0)))
_SINGLE = sealed(np.zeros((0, 0), np.float32))


class ContextStatistics(NamedTuple):
    """The sums that both context measures are made of.

    ``weighted`` and ``degree`` are NaN where the camouflage degree was not asked for.
    """

    #: Σ P·(K⋆G)
    forward: float
    #: Σ P
    mass: float
    #: Σ (1 − exp(−K⋆P)) over the truth
    reverse: float
    #: Number of foreground pixels
    area: int
    #: Σ (1 − exp(−K⋆P))·(1 + D) over the truth
    weighted: float
    #: Σ D
    degree: float

    def c_beta(self, strict: bool = False, *, beta2: float = BETA2) -> float:
        """Return the context measure; where neither map holds anything 0, strictly NaN."""
        return self.terms(strict, beta2=beta2)[0]

    def c_beta_w(self, strict: bool = False, *, beta2: float = BETA2_W) -> float:
        """Return the camouflage-aware context measure; NaN if its sums were not asked for."""
        return self.weighted_terms(strict, beta2=beta2)[0]

    def terms(self, strict: bool = False, *, beta2: float = BETA2) -> tuple[float, float, float]:
        """Return the context measure with its forward and reverse terms."""
        return self._score(self.reverse, float(self.area), strict, beta2)

    def weighted_terms(
        self, strict: bool = False, *, beta2: float = BETA2_W
    ) -> tuple[float, float, float]:
        """Return the camouflage-aware context measure with its forward and reverse terms."""
        if math.isnan(self.weighted):
            return math.nan, math.nan, math.nan
        return self._score(self.weighted, self.area + self.degree, strict, beta2)

    def _score(
        self, reverse: float, weight: float, strict: bool, beta2: float
    ) -> tuple[float, float, float]:
        both_empty = math.nan if strict else 0.0
        return context_measure(self.forward, self.mass, reverse, weight, beta2, both_empty)


class _Context(NamedTuple):
    """What the truth alone decides."""

    #: Number of foreground pixels
    area: int
    weights: NDArray[Any]
    #: What tiles are correlated with; empty for a kernel too wide for them, or for the image.
    spectrum: NDArray[Any]
    #: A box around the truth, top, left, bottom, right, and what it holds.
    box: tuple[int, int, int, int]
    mask: NDArray[np.uint8]
    #: The rows and columns of the map that the box's pixels see, continued by reflection.
    around: tuple[NDArray[np.int64], NDArray[np.int64]]


def context_statistics(
    pred: MapInput,
    target: Target,
    conventions: Conventions,
    *,
    degree: bool | NDArray[np.float64] = False,
    alpha: float = ALPHA,
    gamma: float = GAMMA,
    spatial_weight: float = SPATIAL_WEIGHT,
) -> ContextStatistics:
    """Return the sums of the context measures of a prediction on a target.

    Σ P·(K⋆G) is taken as Σ (K⋆P)·G, which the reverse term needs anyway, so that K⋆G is never
    computed; what the reflection at the image's border changes is made good there.

    Parameters
    ----------
    pred : MapInput
        The prediction, see `represent.prediction`.
    target : Target
        The truth, with its photograph if `degree`.
    conventions : Conventions
        How the prediction was read.
    degree : bool or ndarray of float64, shape (H, W)
        Whether the sums weighted by the camouflage degree are wanted; or the weights themselves.
    alpha : float
        Spread of the context kernel in pixels.
    gamma, spatial_weight : float
        See `camouflage_degree`.

    Raises
    ------
    InputError
        When the photograph is missing, or an 8-bit map looks like a mask of 0 and 1.
    """
    from fastsegmetrics.kernels import borders, tiles

    mass, low, high = _range(pred, conventions)
    context = target.cached(f"context {alpha}", lambda: _context(target.mask, alpha))
    weighted = total_degree = math.nan
    crop = _NOTHING
    by_pixel = degree if isinstance(degree, np.ndarray) else None
    if degree is True:
        by_pixel = camouflage_degree(target, gamma=gamma, spatial_weight=spatial_weight)
    if by_pixel is not None:
        weighted, total_degree = 0.0, float(by_pixel.sum())
        if total_degree != 0.0:
            top, left, bottom, right = context.box
            crop = sealed(by_pixel[top:bottom, left:right])
    if context.area == 0:
        return ContextStatistics(0.0, mass, 0.0, 0, weighted, total_degree)

    values = pred.values
    if values.dtype != np.uint8:
        values = sealed(values.astype(context.weights.dtype, copy=False))
    scale = np.array([low, 1 / (high - low)], context.weights.dtype)
    if context.spectrum.size:
        found: tuple[float, float, float] = tiles.context_sums(
            values, scale, context.around, context.mask, crop, context.weights, context.spectrum
        )
        forward, reverse, extra = found
        # Nothing of P·(K⋆G) is negative, but the difference of two roundings may be.
        forward += borders.reflected_sum(values, scale, target.mask, context.weights)
        forward = max(forward, 0.0)
    else:
        forward, reverse, extra = _wide_sums(values, scale, target.mask, crop, context)
    if by_pixel is not None:
        weighted = reverse + extra
    return ContextStatistics(forward, mass, reverse, context.area, weighted, total_degree)


def _range(pred: MapInput, conventions: Conventions) -> tuple[float, int, int]:
    """Return the sum of a map that is made 0 … 1, and which of its values become 0 and 1."""
    values = pred.values
    if values.dtype != np.uint8:
        return float(values.sum(dtype=np.float64)), 0, 1
    from fastsegmetrics.kernels import levels

    total, low, high = levels.level_range(values.reshape(-1))
    represent.check_scale(high, conventions)
    if not pred.stretch or low == high:
        low, high = 0, 255
    return (total - low * values.size) / (high - low), low, high


def _context(mask: NDArray[np.uint8], alpha: float) -> _Context:
    from fastsegmetrics.kernels import gaussian, windows

    moments, (top, left, bottom, right) = gaussian.mask_moments(mask)
    weights = context_kernel(mask, moments, alpha)
    half_rows, half_columns = weights.shape[0] // 2, weights.shape[1] // 2
    height, width = mask.shape
    area = int(moments[0])
    pixels = (bottom - top) * (right - left)
    if 4 * (right - left) > 3 * width:
        # Whole rows lie in one piece already.
        left, right = 0, width
    box = top, left, bottom, right
    crop = sealed(mask[top:bottom, left:right])
    fits = max(half_rows, half_columns) <= _WIDEST and half_rows < height and half_columns < width
    if not (fits and area):
        rows = windows.reflected(top - half_rows, bottom + half_rows, height)
        columns = windows.reflected(left - half_columns, right + half_columns, width)
        return _Context(area, weights, _NOTHING, box, crop, (rows, columns))
    precision = _SINGLE if pixels >= _SINGLE_FROM else _NOTHING
    rounded, spectrum, rows, columns = windows.lay_out(
        weights, box, mask.shape, area / pixels, precision
    )
    return _Context(area, rounded, spectrum, box, crop, (rows, columns))


def context_kernel(
    mask: NDArray[np.uint8], moments: tuple[int, int, int, int, int, int], alpha: float
) -> NDArray[np.float64]:
    """Return the Gaussian of the truth's covariance, scaled to the trace α², of sum 1.

    The covariance is taken from exact integers, so that truths on one oblique line, on which it is
    singular, are known for certain: their kernel is one-dimensional, along the line.
    """
    from fastsegmetrics.kernels import gaussian

    n, rows, columns, row_squares, products, column_squares = map(int, moments)
    if n <= 1:
        return gaussian.gaussian_box(1, 1, 4.0, 0.0, 4.0)
    down = n * row_squares - rows * rows
    mixed = n * products - rows * columns
    across = n * column_squares - columns * columns
    half_rows, half_columns = _half_sizes(mask, down, across, alpha)
    determinant = down * across - mixed * mixed
    if determinant == 0 and down > 0 and across > 0:
        divisor = math.gcd(down, mixed)
        steps = down // divisor, mixed // divisor
        return gaussian.gaussian_line(half_rows, half_columns, *steps, alpha)
    # A line along an axis: the published programs put eps for its zero variance.
    scale = n * (n - 1)
    if down == 0 or across == 0:
        a, b = down / scale or _EPS, across / scale or _EPS
        trace = (a + b) / alpha**2
        return gaussian.gaussian_box(half_rows, half_columns, trace / a, 0.0, trace / b)
    trace = down + across
    return gaussian.gaussian_box(
        half_rows,
        half_columns,
        across * trace / determinant / alpha**2,
        -mixed * trace / determinant / alpha**2,
        down * trace / determinant / alpha**2,
    )


def _half_sizes(mask: NDArray[np.uint8], down: int, across: int, alpha: float) -> tuple[int, int]:
    sizes = [3.0 * alpha * math.sqrt(part / (down + across)) for part in (down, across)]
    if any(abs(size % 1.0 - 0.5) < 1e-9 for size in sizes):
        # Half-way between two sizes: the published order of roundings decides.
        spread = np.diag(np.cov(np.array(np.nonzero(mask))))
        spread = np.where(spread == 0, _EPS, spread)
        sizes = [float(3 * alpha * np.sqrt(s) / np.sqrt(spread.sum())) for s in spread]
    return round(sizes[0]), round(sizes[1])


def _wide_sums(
    values: NDArray[Any],
    scale: NDArray[np.float64],
    mask: NDArray[np.uint8],
    degree: NDArray[np.float64],
    context: _Context,
) -> tuple[float, float, float]:
    """Return the sums of a kernel too wide for tiles or for the image, by whole transforms."""
    from fastsegmetrics.kernels import windows

    p = (values - scale[0]) * scale[1]
    around = [
        windows.reflected(-half, size + half, size)
        for half, size in zip((w // 2 for w in context.weights.shape), mask.shape, strict=True)
    ]
    forward = float((p * _correlated(mask[np.ix_(*around)], context.weights)).sum())
    x = _correlated(p[np.ix_(*context.around)], context.weights)
    gain = 1.0 - np.exp(-np.where(context.mask.view(np.bool_), x, 0.0))
    return forward, float(gain.sum()), float((gain * degree).sum()) if degree.size else 0.0


def _correlated(window: NDArray[Any], weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the correlation where the kernel lies wholly in a window, its rounding noise as 0."""
    shape = [v + w - 1 for v, w in zip(window.shape, weights.shape, strict=True)]
    # A kernel that half a turn leaves unchanged is convolved with as it is correlated with.
    whole = np.fft.irfft2(np.fft.rfft2(window, shape) * np.fft.rfft2(weights, shape), shape)
    inside = tuple(slice(w - 1, v) for v, w in zip(window.shape, weights.shape, strict=True))
    return np.where(whole[inside] > 1e-15, whole[inside], 0.0)
