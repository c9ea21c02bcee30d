"""Structure measure, from the moments of the prediction in eight cells.

A cell is one quadrant around the truth's centroid and one value of the truth; its moments are
(number of pixels, mean of P, sum of squared deviations from that mean).  Fan et al.,
"Structure-measure: a new way to evaluate foreground maps", ICCV 2017; design paper, appendix B.6.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from fastsegmetrics.scores.confusion import EPS

if TYPE_CHECKING:
    from fastsegmetrics.statistics.pair import CellMoments

Moments = tuple[float, float, float]


def join(a: Moments, b: Moments) -> Moments:
    """Moments of two disjoint sets of pixels taken together (Chan, Golub and LeVeque 1979)."""
    if a[0] == 0:
        return b
    if b[0] == 0:
        return a
    n = a[0] + b[0]
    step = b[1] - a[1]
    return (
        n,
        (a[0] * a[1] + b[0] * b[1]) / n,
        a[2] + b[2] + step * step * (a[0] * b[0] / n),
    )


def object_similarity(n: float, mean: float, squares: float) -> float:
    """How bright and how uniform the prediction is over one side of the truth."""
    sigma = math.sqrt(squares / (n - 1.0)) if n > 1 else 0.0
    return 2.0 * mean / (mean * mean + 1.0 + sigma + EPS)


def block_similarity(background: Moments, foreground: Moments) -> float:
    """Structural similarity of prediction and truth in one quadrant; 0 where it is empty."""
    n0 = background[0]
    n1 = foreground[0]
    if n0 + n1 == 0:
        return 0.0
    n, x, squares = join(background, foreground)
    y = n1 / n
    scale = n - 1.0 + EPS
    spread = n0 * n1 / n
    variances = (squares + spread) / scale
    covariance = spread * (foreground[1] - background[1]) / scale
    a = 4.0 * x * y * covariance
    b = (x * x + y * y) * variances
    if a != 0.0:
        return a / (b + EPS)
    return 1.0 if b == 0.0 else 0.0


def s_measure(
    cells: CellMoments,
    split_row: int,
    split_column: int,
    height: int,
    width: int,
    alpha: float,
) -> tuple[float, float, float]:
    """S-measure with its object and region terms.

    ``cells[q, g]`` are the moments where the truth is ``g`` in quadrant ``q`` (0 upper left,
    1 upper right, 2 lower left, 3 lower right).  Without foreground the score is 1 − mean P, with
    nothing else it is mean P, and the terms are NaN: the definition has none there.
    """
    background = (0.0, 0.0, 0.0)
    foreground = (0.0, 0.0, 0.0)
    for q in range(4):
        background = join(background, _cell(cells, q, 0))
        foreground = join(foreground, _cell(cells, q, 1))
    if foreground[0] == 0:
        return 1.0 - background[1], math.nan, math.nan
    if background[0] == 0:
        return foreground[1], math.nan, math.nan

    n = float(height * width)
    share = foreground[0] / n
    by_object = share * object_similarity(foreground[0], foreground[1], foreground[2]) + (
        1.0 - share
    ) * object_similarity(background[0], 1.0 - background[1], background[2])

    weights = (
        split_row * split_column / n,
        split_row * (width - split_column) / n,
        (height - split_row) * split_column / n,
    )
    by_region = 0.0
    rest = 1.0
    for q in range(4):
        weight = weights[q] if q < 3 else rest
        rest -= weight
        by_region += weight * block_similarity(_cell(cells, q, 0), _cell(cells, q, 1))
    combined = alpha * by_object + (1.0 - alpha) * by_region
    return max(0.0, combined), by_object, by_region


def _cell(cells: CellMoments, quadrant: int, truth: int) -> Moments:
    return (
        cells[quadrant, truth, 0],
        cells[quadrant, truth, 1],
        cells[quadrant, truth, 2],
    )
