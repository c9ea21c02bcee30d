"""The three parts of the difficulty-weighted score: sums over one map, weighted by pixel.

Windows of structural similarity, 7 x 7, are sums of seven column sums, which gain and lose a row at
a time: the cost is linear in pixels.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fastsegmetrics.kernels import _jit
from fastsegmetrics.kernels._jit import kernel
from fastsegmetrics.scores import difficulty as formulas

#: Half of a window.
_HALF = 3
#: Rows after which the column sums of floats begin anew, before their roundings add up.
_FRESH = 64

_similarity = _jit.formulas(formulas).similarity


@kernel
def _add_values(
    sums: NDArray[np.float64], values: NDArray[np.float64], mask: NDArray[np.uint8], sign: float
) -> None:
    """Add one row of a map and a truth to the column sums of p, p·p, g and p·g."""
    p_sums, square_sums = sums[0, _HALF:], sums[1, _HALF:]
    g_sums, product_sums = sums[2, _HALF:], sums[3, _HALF:]
    for column in range(values.size):
        p = values[column]
        g = np.float64(mask[column])
        p_sums[column] += sign * p
        square_sums[column] += sign * (p * p)
        g_sums[column] += sign * g
        product_sums[column] += sign * (p * g)


@kernel
def _reflected(index: int, size: int) -> int:
    """Return the index within an axis that repeats itself mirrored, its end pixels twice."""
    index %= 2 * size
    return min(index, 2 * size - 1 - index)


@kernel
def _box(sums: NDArray[np.float64], column: int) -> float:
    near = (sums[column] + sums[column + 1]) + (sums[column + 2] + sums[column + 3])
    return near + ((sums[column + 4] + sums[column + 5]) + sums[column + 6])


@kernel
def _similarities(sums: NDArray[np.float64], out: NDArray[np.float64]) -> None:
    """Write a row's structural similarities from its column sums, 3 wider on either side."""
    width = out.size
    for k in range(4):
        for i in range(_HALF):
            sums[k, i] = sums[k, _HALF + _reflected(i - _HALF, width)]
            sums[k, _HALF + width + i] = sums[k, _HALF + _reflected(width + i, width)]
    p_sums, square_sums, g_sums, product_sums = sums[0], sums[1], sums[2], sums[3]
    for column in range(width):
        out[column] = _similarity(
            _box(p_sums, column),
            _box(square_sums, column),
            _box(g_sums, column),
            _box(product_sums, column),
        )


@kernel
def _row_of_slopes(values: NDArray[np.float64], row: int, out: NDArray[np.float64]) -> None:
    """Write min(1, 2·slope) along a row, of central differences reflected at the borders."""
    height, width = values.shape
    above, below = row - 1, row + 1
    if row == 0 or row == height - 1:
        above = below = row
    up, down, line = values[above], values[below], values[row]
    for column in range(0, width, max(1, width - 1)):
        out[column] = min(1.0, abs(down[column] - up[column]))
    for column in range(1, width - 1):
        vertical = down[column] - up[column]
        across = line[column + 1] - line[column - 1]
        out[column] = min(1.0, np.sqrt(vertical * vertical + across * across))


@kernel
def part_sums(
    values: NDArray[np.float64],
    mask: NDArray[np.uint8],
    weight: NDArray[np.float64],
    far: NDArray[np.float64],
    heat: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Return the weighted sums of the three parts, and optionally where they are lost.

    Parameters
    ----------
    values : ndarray of float64, shape (H, W)
        The prediction in [0, 1].
    mask : ndarray of uint8, shape (H, W)
        The truth, 0 and 1.
    weight : ndarray of float64, shape (H, W)
        W.
    far : ndarray of float64, shape (H, W)
        min(1, D / r), D the distance to the truth's edge; 0 on it and only there.
    heat : ndarray of float64, shape (3, H, W) or (3, 0, 0)
        Receives the losses of region, structure and boundary, unless it is empty.

    Returns
    -------
    ndarray of float64, shape (7,)
        ΣW·min(p, g), ΣW·max(p, g), ΣW·SSIM, ΣW, ΣW·q_P on the edge, ΣW on the edge, and
        ΣW·q_P·far.
    """
    height, width = values.shape
    keep = heat.shape[1] > 0
    sums = np.zeros((4, width + 2 * _HALF), np.float64)
    similarity = np.empty(width, np.float64)
    slopes = np.empty(width, np.float64)
    totals = np.zeros(7, np.float64)
    for row in range(height):
        if row % _FRESH == 0:
            sums = np.zeros((4, width + 2 * _HALF), np.float64)
            for off in range(-_HALF, _HALF + 1):
                there = _reflected(row + off, height)
                _add_values(sums, values[there], mask[there], 1.0)
        else:
            there = _reflected(row + _HALF, height)
            _add_values(sums, values[there], mask[there], 1.0)
            there = _reflected(row - _HALF - 1, height)
            _add_values(sums, values[there], mask[there], -1.0)
        _similarities(sums, similarity)
        _row_of_slopes(values, row, slopes)
        _add_parts(values[row], mask[row], weight[row], far[row], similarity, slopes, totals)
        if keep:
            for column in range(width):
                w = weight[row, column]
                heat[0, row, column] = w * abs(values[row, column] - mask[row, column])
                heat[1, row, column] = w * (1.0 - similarity[column])
                away = far[row, column]
                q = slopes[column]
                heat[2, row, column] = w * (1.0 - q if away == 0.0 else q * away)
    return totals


@kernel
def _add_parts(
    values: NDArray[np.float64],
    mask: NDArray[np.uint8],
    weight: NDArray[np.float64],
    far: NDArray[np.float64],
    similarity: NDArray[np.float64],
    slopes: NDArray[np.float64],
    totals: NDArray[np.float64],
) -> None:
    common = either = alike = all_weight = met = edges = spilt = 0.0
    for column in range(values.size):
        w = weight[column]
        p = values[column]
        common += w * p if mask[column] else 0.0
        either += w if mask[column] else w * p
        alike += w * similarity[column]
        all_weight += w
        on_edge = far[column] == 0.0
        pull = w * slopes[column]
        met += pull if on_edge else 0.0
        edges += w if on_edge else 0.0
        spilt += pull * far[column]
    totals[0] += common
    totals[1] += either
    totals[2] += alike
    totals[3] += all_weight
    totals[4] += met
    totals[5] += edges
    totals[6] += spilt
