"""The producer of multi-scale IoU: edge cells that a map shares with a target."""

from __future__ import annotations

import functools
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from fastsegmetrics import represent
from fastsegmetrics.conventions import Conventions
from fastsegmetrics.represent import MapInput
from fastsegmetrics.statistics.partition import lowest_between, unit_table_between
from fastsegmetrics.target import Target

Array = TypeVar("Array", bound=NDArray[np.generic])


class MultiscaleCounts(NamedTuple):
    """Counts of edge cells at the cell sizes 1, 2, 4, … 512, all integers.

    ``edge_cells`` [10] are the truth's; ``sides`` [10, 2] those of them in which P > 0.5, and the
    map at its adaptive threshold, has an edge; ``thresholds`` [10, 257] the same for level >= t,
    t = 0…256 (at 0 everything is foreground, at 256 nothing), or None where not wanted.
    """

    edge_cells: NDArray[np.int64]
    sides: NDArray[np.int64]
    thresholds: NDArray[np.int64] | None
    n_foreground: int


class MultiscaleScores(NamedTuple):
    """Multi-scale IoU of P > 0.5, at the adaptive threshold, and at the levels 0…256."""

    fixed: float
    adaptive: float
    curve: NDArray[np.float64] | None


def multiscale_statistics(
    pred: MapInput, target: Target, conventions: Conventions, *, thresholds: bool = True
) -> MultiscaleCounts:
    """Return the edge cells that a prediction shares with a target.

    Parameters
    ----------
    pred : MapInput
        What `represent.prediction` gave.
    target : Target
        The truth.
    conventions : Conventions
        The policy is read: whether an adaptive threshold of 0 keeps pixels that are 0.
    thresholds : bool
        Whether the sweep over all thresholds is wanted.

    Raises
    ------
    InputError
        When an 8-bit map seems to be a mask of 0 and 1.
    """
    keep_at_zero = conventions.policy == "published"
    values = pred.values
    if values.dtype == np.uint8:
        levels, bits = _eight_bit(pred, target, conventions)
    else:
        levels = _levels(0, 255)
        bits = packed(values > 0.5, represent.adaptive_mask(values, keep_at_zero))
        if thresholds:
            values = _sealed((values.dtype.type(255) * values).astype(np.uint8))
    swept = threshold_counts(values, levels, target) if thresholds else None
    return MultiscaleCounts(
        edge_cells(target), shared_counts(bits, target), swept, target.n_foreground
    )


def multiscale_scores(found: MultiscaleCounts, *, strict: bool) -> MultiscaleScores:
    """Return the scores of one pair; without a foreground 1, under the strict policy NaN."""
    from fastsegmetrics.kernels import edges

    fixed, adaptive = edges.coverage_scores(found.sides, found.edge_cells).tolist()
    curve = None
    if found.thresholds is not None:
        curve = edges.coverage_scores(found.thresholds, found.edge_cells)
    if strict and found.n_foreground == 0:
        fixed = adaptive = float("nan")
        if curve is not None:
            curve[:] = np.nan
    return MultiscaleScores(fixed, adaptive, curve)


def packed(fixed: NDArray[np.bool_], adaptive: NDArray[np.bool_]) -> NDArray[np.uint8]:
    """Return two masks as bits 0 and 1 of one array."""
    bits = np.left_shift(adaptive.view(np.uint8), np.uint8(1))
    bits |= fixed.view(np.uint8)
    return bits


def shared_counts(bits: NDArray[np.uint8], target: Target) -> NDArray[np.int64]:
    """Return for two packed masks [H, W] the truth's edge cells that each shares: int64[10, 2]."""
    from fastsegmetrics.kernels import edges

    return edges.shared_cells(_pyramid(bits), _truth_pyramid(target), *target.shape)


def edge_cells(target: Target) -> NDArray[np.int64]:
    """Return how many cells of the truth hold an edge, by scale: int64[10]."""
    from fastsegmetrics.kernels import edges

    def count() -> NDArray[np.int64]:
        pyramid = _truth_pyramid(target)
        return _sealed(edges.shared_cells(pyramid, pyramid, *target.shape)[:, 0].copy())

    return target.cached("edge_cells", count)


def threshold_counts(
    values: NDArray[np.uint8], levels: NDArray[np.uint8], target: Target
) -> NDArray[np.int64]:
    """Return the truth's edge cells shared at each threshold: int64[10, 257]."""
    from fastsegmetrics.kernels import edges, thresholds

    first = target.cached(
        "first_edge_scales",
        lambda: _sealed(edges.first_scales(_truth_pyramid(target), *target.shape)),
    )
    return thresholds.threshold_cells(values, levels, first)


def _truth_pyramid(target: Target) -> NDArray[np.uint8]:
    # Both bits are set, so that one "and" with two packed masks asks for both.
    return target.cached("edge_pyramid", lambda: _pyramid(target.mask * np.uint8(3)))


def _pyramid(bits: NDArray[np.uint8]) -> NDArray[np.uint8]:
    from fastsegmetrics.kernels import edges

    return _sealed(edges.edge_pyramid(bits))


def _sealed(array: Array) -> Array:
    """Make an array read-only: cached ones are shared, and a kernel compiles for one kind."""
    array.flags.writeable = False
    return array


def _eight_bit(
    pred: MapInput, target: Target, conventions: Conventions
) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
    """Return the level of each value, and the map's two masks, packed."""
    from fastsegmetrics.kernels import edges
    from fastsegmetrics.kernels.levels import level_range

    keep_at_zero = conventions.policy == "published"
    values = pred.values
    total, low, high = (int(found) for found in level_range(values.reshape(-1)))
    represent.check_scale(high, conventions)
    if not pred.stretch or low == high:
        low, high = 0, 255
    table = unit_table_between(low, high)
    fixed = lowest_between(low, high)
    mean = (total - low * values.size) / ((high - low) * values.size)
    adaptive = int(np.searchsorted(table, min(2.0 * mean, 1.0)))
    around = table[max(0, adaptive - 1) : adaptive + 1].tolist()
    if mean > 0 and any(abs(p - 2.0 * mean) <= mean * represent.NEAR_THRESHOLD for p in around):
        kept = represent.adaptive_mask(represent.unit_values(pred), keep_at_zero)
        return _levels(low, high), packed(values >= fixed, kept)
    if not keep_at_zero:
        adaptive = max(adaptive, low + 1)
    return _levels(low, high), edges.packed_levels(values, fixed, adaptive)


@functools.lru_cache(maxsize=256)
def _levels(low: int, high: int) -> NDArray[np.uint8]:
    """Return the level of each value of a map of which `low` stands for 0 and `high` for 1."""
    table = np.clip(unit_table_between(low, high), 0.0, 1.0)
    return _sealed((255.0 * table).astype(np.uint8))
