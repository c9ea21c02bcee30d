"""Surfaces, bands and centre lines of a map above one half, beside those of its truth."""

from __future__ import annotations

import math
from collections.abc import Collection
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastsegmetrics.conventions import Conventions
from fastsegmetrics.represent import MapInput, MaskPair
from fastsegmetrics.statistics.boundary import (
    MatchedPoints,
    SharedBand,
    band,
    covered_lines,
    shared_bits,
)
from fastsegmetrics.statistics.effort import skeleton_of
from fastsegmetrics.statistics.partition import partition
from fastsegmetrics.statistics.surface_distances import DirectedDistances, surface_distances
from fastsegmetrics.target import Target

Part = Literal["distances", "band", "lines"]
#: The tolerance of boundaries as a share of the diagonal, rounded up (DAVIS), and the width of
#: bands as another, rounded (boundary IoU).
BOUNDARY_SHARE, BAND_SHARE = 0.008, 0.02


class MapSurfaces(NamedTuple):
    """What all surface scores of one map are made of; None is what nobody asked for.

    Attributes
    ----------
    distances : DirectedDistances or None
        Between the surfaces, in pixels, ascending in each direction.
    band : SharedBand or None
        Pixels that the two bands below the surfaces share, and hold together.
    lines : MatchedPoints or None
        Skeleton pixels of the one that lie in the other, and all.
    """

    distances: DirectedDistances | None
    band: SharedBand | None
    lines: MatchedPoints | None


def map_surfaces(
    pred: MapInput, target: Target, conventions: Conventions, parts: Collection[Part]
) -> MapSurfaces:
    """Return the statistics of ``pred > 0.5`` that surface scores need, each computed once.

    Parameters
    ----------
    pred : MapInput
        What `represent.prediction` returns.
    target : Target
        The truth; it keeps its skeleton and its band, half of the time of their scores.  Its
        surface is a tenth of that of the distances, and is not kept.
    conventions : Conventions
        `pred_scale` is read.
    parts : collection of {"distances", "band", "lines"}
        What is wanted.

    Raises
    ------
    InputError
        When an 8-bit map's maximum is 1 and nothing says what that means.
    """
    pair = MaskPair(partition(pred, conventions), target.mask, (1.0, 1.0))
    return MapSurfaces(
        surface_distances(pair) if "distances" in parts else None,
        _shared_band(pair.pred, target) if "band" in parts else None,
        covered_lines(pair, skeleton_of(target)) if "lines" in parts else None,
    )


def _shared_band(mask: NDArray[np.uint8], target: Target) -> SharedBand:
    width = band_width(target.shape)
    own = target.cached("band", lambda: band(target.mask, width))
    return shared_bits(band(mask, width), own)


def boundary_tolerance(share: float, shape: tuple[int, int]) -> float:
    """Return a share of an image's diagonal, rounded up to pixels."""
    return float(math.ceil(share * math.hypot(*shape)))


def band_width(shape: tuple[int, int]) -> int:
    """Return how many pixels a band of boundary IoU is wide in an image, at least 1."""
    return max(1, round(BAND_SHARE * math.hypot(*shape)))
