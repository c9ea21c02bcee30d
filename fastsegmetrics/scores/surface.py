"""Scores of sorted surface distances; lengths in the unit of the spacing.

Each takes the distances of both directions, ascending: of the prediction's surface points to the
truth's surface (`forth`), and back.  Neither is empty, unless it says so.
"""

from __future__ import annotations

import math
from typing import Any


def linear_percentile(distances: Any, q: float) -> float:
    """Return the percentile, interpolated linearly between the two nearest ranks (NumPy's way)."""
    lower, upper, share = _ranks(distances.size, q)
    return _between(float(distances[lower]), float(distances[upper]), share)


def _ranks(size: int, q: float) -> tuple[int, int, float]:
    """Return the two ranks, from 0, next to a percentile, and how far from the lower it lies."""
    position = (size - 1) * (q / 100.0)
    lower = math.floor(position)
    return lower, min(lower + 1, size - 1), position - lower


def _between(low: float, high: float, share: float) -> float:
    if high == low:
        return low
    # From the nearer end, as NumPy does: the last bit depends on it.
    return high - (high - low) * (1.0 - share) if share >= 0.5 else low + (high - low) * share


def rank_percentile(distances: Any, q: float) -> float:
    """Return the first distance that at least q percent of all do not exceed."""
    rank = math.ceil(distances.size * q / 100.0)
    return float(distances[max(rank, 1) - 1])


def weighted_rank_percentile(distances: Any, weights: Any, q: float) -> float:
    """Return the first distance at which the cumulative share of the weights reaches q percent."""
    shares = weights.cumsum() / weights.sum()
    return float(distances[min(int(shares.searchsorted(q / 100.0)), distances.size - 1)])


def larger_percentile(forth: Any, back: Any, q: float) -> float:
    """Return the larger of the two directions' linear percentiles."""
    return max(linear_percentile(forth, q), linear_percentile(back, q))


def mean_percentile(forth: Any, back: Any, q: float) -> float:
    """Return the mean of the two directions' linear percentiles."""
    return (linear_percentile(forth, q) + linear_percentile(back, q)) / 2


def larger_rank_percentile(forth: Any, back: Any, q: float) -> float:
    """Return the larger of the two directions' percentiles without interpolation."""
    return max(rank_percentile(forth, q), rank_percentile(back, q))


def pooled_percentile(forth: Any, back: Any, q: float) -> float:
    """Return the linear percentile of all distances of both directions in one list."""
    lower, upper, share = _ranks(forth.size + back.size, q)
    return _between(_pooled(forth, back, lower), _pooled(forth, back, upper), share)


def _pooled(forth: Any, back: Any, rank: int) -> float:
    """Return the value of a rank, from 0, among two ascending lists together."""
    # How many of the values before that rank are of the first list: found by halving.
    low, high = max(0, rank - back.size), min(rank, forth.size)
    while low < high:
        middle = (low + high) // 2
        if forth[middle] < back[rank - middle - 1]:
            low = middle + 1
        else:
            high = middle
    following = [
        float(side[at]) for side, at in ((forth, low), (back, rank - low)) if at < side.size
    ]
    return min(following)


def mean(distances: Any, weights: Any = None) -> float:
    """Return the (weighted) mean distance of one direction."""
    if weights is None:
        return float(distances.mean())
    return float((distances * weights).sum() / weights.sum())


def pooled_mean(forth: Any, back: Any, weights: tuple[Any, Any] | None = None) -> float:
    """Return the mean of all distances of both directions together; one may be empty."""
    if weights is None:
        return float((forth.sum() + back.sum()) / (forth.size + back.size))
    total = (forth * weights[0]).sum() + (back * weights[1]).sum()
    return float(total / (weights[0].sum() + weights[1].sum()))


def within(distances: Any, tolerance: float, weights: Any = None) -> float:
    """Return the number, or the weight, of the distances that do not exceed the tolerance."""
    count = int(distances.searchsorted(tolerance, side="right"))
    return float(count) if weights is None else float(weights[:count].sum())


def largest(forth: Any, back: Any) -> float:
    """Return the largest distance of either direction (Hausdorff)."""
    return float(max(forth[-1], back[-1]))


def mean_of_means(forth: Any, back: Any, weights: tuple[Any, Any] | None = None) -> float:
    """Return the mean of the two directions' (weighted) means."""
    of_forth, of_back = (None, None) if weights is None else weights
    return (mean(forth, of_forth) + mean(back, of_back)) / 2


#: Distances of both directions by the name that they have in the catalogue.
DISTANCES: dict[str, Any] = {
    "hd": largest,
    "hd95": lambda forth, back: larger_percentile(forth, back, 95.0),
    "hd95_pooled": lambda forth, back: pooled_percentile(forth, back, 95.0),
    "hd95_mean": lambda forth, back: mean_percentile(forth, back, 95.0),
    "hd95_inverse_cdf": lambda forth, back: larger_rank_percentile(forth, back, 95.0),
    "assd": pooled_mean,
    "masd": mean_of_means,
}


def distance(score: Any, forth: Any, back: Any, *, perfect: bool, one_empty: float) -> float:
    """Return a score of distances, as those of `DISTANCES`, where either side may be empty.

    `one_empty` if one is; if both are 0, or NaN unless nothing against nothing is perfect.
    """
    if not forth.size and not back.size:
        return 0.0 if perfect else math.nan
    if not forth.size or not back.size:
        return one_empty
    value: float = score(forth, back)
    return value


def distance_of_one(choice: str, shape: tuple[int, ...]) -> float:
    """Return the distance to an empty side in an image of a shape, by the convention for it."""
    return math.inf if choice == "infinite" else math.hypot(*shape)


def near_share(
    forth: Any,
    back: Any,
    tolerance: float,
    weights: tuple[Any, Any] | None = None,
    *,
    perfect: bool,
) -> float:
    """Return the share of both sides, by number or weight, within a tolerance of the other side.

    0 if one side is empty; if both are 1, or NaN unless nothing against nothing is perfect.
    """
    if not forth.size and not back.size:
        return 1.0 if perfect else math.nan
    if weights is None:
        near, total = within(forth, tolerance) + within(back, tolerance), forth.size + back.size
    else:
        near = within(forth, tolerance, weights[0]) + within(back, tolerance, weights[1])
        total = weights[0].sum() + weights[1].sum()
    return near / float(total)
