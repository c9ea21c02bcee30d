"""Twins of ``kernels.difficulty``, and the difficulty-weighted context score from its pixels."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastsegmetrics.reference.capped_distance import HERE, NEAR
from fastsegmetrics.reference.difficulty_parts import part_sums, slopes
from fastsegmetrics.reference.distance import nearest_foreground

BAND = 3


def foreground_box(mask: NDArray[np.uint8]) -> tuple[int, int, int, int]:
    """Return first row, first column, and one past the last of each; all 0 without foreground."""
    rows, columns = np.nonzero(mask)
    if rows.size == 0:
        return 0, 0, 0, 0
    return int(rows.min()), int(columns.min()), int(rows.max()) + 1, int(columns.max()) + 1


def grey_thousandths(image: NDArray[np.uint8]) -> NDArray[np.int32]:
    """Return 299 R + 587 G + 114 B."""
    grey: NDArray[np.int32] = (image @ np.array([299, 587, 114])).astype(np.int32)
    return grey


def side_distances(mask: NDArray[np.uint8]) -> NDArray[np.int32]:
    """Return the L1 distance to the nearest pixel of the other class, negative in the foreground.

    Each class grows by one pixel up, down, left and right at a time.
    """
    sides = np.full(mask.shape, sum(mask.shape), np.int32)
    for label in (0, 1):
        grown = mask == label
        for step in range(1, sum(mask.shape)):
            padded = np.pad(grown, 1)
            larger = padded[1:-1, 1:-1] | padded[:-2, 1:-1] | padded[2:, 1:-1]
            larger |= padded[1:-1, :-2] | padded[1:-1, 2:]
            sides[larger & ~grown] = step
            grown = larger
    return np.where(mask == 1, -sides, sides)


def _mean_and_deviation(thousandths: NDArray[np.int32]) -> tuple[float, float]:
    """Return both in grey levels; from integers, so that equal values deviate by nothing."""
    n = thousandths.size
    total = sum(thousandths.tolist())
    squares = sum(value * value for value in thousandths.tolist())
    return total / n / 1000, math.sqrt(n * squares - total * total) / n / 1000


def _difference(a: float, b: float) -> float:
    return abs(a - b) / (a + b + 1e-6)


def factors_at(
    grey: NDArray[np.int32], sides: NDArray[np.int32], radius: int, row: int, column: int
) -> tuple[float, float, float]:
    """Return contrast, edge and texture in the window around one pixel."""
    window = (
        slice(max(row - radius, 0), row + radius + 1),
        slice(max(column - radius, 0), column + radius + 1),
    )
    here, side = grey[window], sides[window]
    inside, around = here[side < 0], here[(side > 0) & (side <= radius)]
    slope = slopes(grey / 1000)[window][np.abs(side) <= BAND]
    contrast = edge = texture = 0.5
    if inside.size and around.size:
        mean_g, deviation_g = _mean_and_deviation(inside)
        mean_r, deviation_r = _mean_and_deviation(around)
        contrast = _difference(mean_g, mean_r)
        texture = 1 - _difference(deviation_g, deviation_r)
    if slope.size:
        edge = min(1.0, 6 * float(slope.mean()) / 255)
    return contrast, edge, texture


def contour_difficulty(
    grey: NDArray[np.int32], sides: NDArray[np.int32], radius: int, factors: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the raw difficulty of the contour's pixels, 0 elsewhere."""
    k1, k2, k3, floor = factors
    raw = np.zeros(grey.shape)
    for row, column in zip(*np.nonzero(sides == -1), strict=True):
        contrast, edge, texture = factors_at(grey, sides, radius, row, column)
        raw[row, column] = max(floor, 1 + k1 * (1 - contrast) + k2 * (1 - edge) + k3 * texture)
    return raw


def spread_difficulty(
    raw: NDArray[np.float64],
    rows: NDArray[np.int32],
    columns: NDArray[np.int32],
    sides: NDArray[np.int32],
    radius: int,
) -> tuple[NDArray[np.float64], float, int]:
    """Carry the contour's difficulty to the truth and its ring, each pixel from its nearest."""
    near = sides <= radius
    spread = np.where(near, raw[rows, columns], 1.0)
    return spread, float(spread[near].sum()), int(near.sum())


def spread_near(
    raw: NDArray[np.float64],
    squares: NDArray[np.uint16],
    toward: NDArray[np.uint8],
    sides: NDArray[np.int32],
    radius: int,
) -> tuple[NDArray[np.float64], float, int]:
    """Do the same from the codes of near pixels; number -1 where a pixel is farther than √18."""
    near = sides <= radius
    if (squares[near] > NEAR).any():
        return raw, 0.0, -1
    down = (toward.astype(np.int64) - HERE + 4) // 9
    right = toward.astype(np.int64) - HERE - 9 * down
    own_row, own_column = np.indices(raw.shape)
    rows, columns = own_row + down, own_column + right
    return spread_difficulty(raw, rows.astype(np.int32), columns.astype(np.int32), sides, radius)


def edge_mask(mask: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Return where the truth has a slope."""
    return (slopes(mask) > 0).astype(np.uint8)


def weight_map(
    g: NDArray[np.bool_],
    image: NDArray[np.uint8],
    *,
    factors: tuple[float, float, float] = (0.4, 0.35, 0.25),
    floor: float = 0.2,
) -> NDArray[np.float64]:
    """Return W: raw / mean(raw), see `difficulty`."""
    raw, _ = raw_map(g, image, factors=factors, floor=floor)
    return raw / raw.mean()


def difficulty_level(
    g: NDArray[np.bool_],
    image: NDArray[np.uint8],
    *,
    factors: tuple[float, float, float] = (0.4, 0.35, 0.25),
    floor: float = 0.2,
) -> float:
    """Return the mean raw difficulty of truth and ring, NaN where there is none."""
    raw, near = raw_map(g, image, factors=factors, floor=floor)
    return float(raw[near].mean()) if near.any() else math.nan


def raw_map(
    g: NDArray[np.bool_],
    image: NDArray[np.uint8],
    *,
    factors: tuple[float, float, float],
    floor: float,
) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Return the raw difficulty of all pixels, and which are of the truth or its ring.

    It is 1 everywhere, and no pixel is, where the truth is too small or has no contour.
    """
    area = int(g.sum())
    mask = g.astype(np.uint8)
    sides = side_distances(mask)
    if 1000 * area < g.size or not (sides == -1).any():
        return np.ones(g.shape), np.zeros(g.shape, bool)
    radius = max(3, math.isqrt(area // 100))
    raw = contour_difficulty(grey_thousandths(image), sides, radius, np.array([*factors, floor]))
    nearest = nearest_foreground((sides == -1).astype(np.uint8))
    spread, _, _ = spread_difficulty(raw, *nearest, sides, radius)
    return spread, sides <= radius


def difficulty(
    p: NDArray[Any],
    g: NDArray[np.bool_],
    image: NDArray[np.uint8],
    *,
    factors: tuple[float, float, float] = (0.4, 0.35, 0.25),
    floor: float = 0.2,
    parts: tuple[float, float, float] = (0.5, 0.3, 0.2),
) -> tuple[float, float, float, float]:
    """Return the difficulty-weighted context score and its region, structure and boundary parts.

    Along the truth's contour a raw difficulty says how much its surroundings, within r pixels,
    resemble it: in grey level (contrast), by soft edges (edge) and in roughness (texture).  The
    truth and a ring of r pixels around it take that of their nearest contour pixel, all else 1, and
    W is this map over its mean.

    Parameters
    ----------
    p : ndarray of float, shape (H, W)
        Prediction in [0, 1].
    g : ndarray of bool, shape (H, W)
        Truth.
    image : ndarray of uint8, shape (H, W, 3)
        RGB photograph.
    factors : tuple of float
        Weights of 1 - contrast, 1 - edge and texture.
    floor : float
        The least raw difficulty.
    parts : tuple of float
        Weights of region, structure and boundary.

    Returns
    -------
    tuple of float
        The score is NaN where the truth is below a thousandth of the image; the parts stand there
        with W = 1.
    """
    values = p.astype(np.float64)
    area = int(g.sum())
    weight = weight_map(g, image, factors=factors, floor=floor)
    radius = max(3, math.isqrt(area // 100))
    edges = edge_mask(g.astype(np.uint8))
    far = np.ones(g.shape)
    if edges.any():
        rows, columns = nearest_foreground(edges)
        own_row, own_column = np.indices(g.shape)
        far = np.minimum(1, np.hypot(rows - own_row, columns - own_column) / radius)
    common, either, similar, whole, met, edge, spilt = part_sums(
        values, g.astype(np.uint8), weight, far, np.empty((3, 0, 0))
    )
    region = float(common / either) if either > 0 else 1.0
    structure = max(0.0, float(similar / whole))
    boundary = float(met / (edge + spilt)) if edge + spilt > 0 else 1.0
    score = math.nan
    if 1000 * area >= g.size:
        score = parts[0] * region + parts[1] * structure + parts[2] * boundary
    return score, region, structure, boundary
