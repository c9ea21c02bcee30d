"""Human correction effort: how many operations repair a prediction, in four parts."""

from __future__ import annotations

import functools
from types import ModuleType
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastsegmetrics import backend, represent
from fastsegmetrics.conventions import Conventions
from fastsegmetrics.represent import MapInput
from fastsegmetrics.statistics.partition import FIXED, lowest_level
from fastsegmetrics.target import Target

#: The published constants: erosion steps, and the tolerance of a polygon in pixels.
RELAX = 5
EPSILON = 2.0


class Effort(NamedTuple):
    """Operations that correct one prediction; all are integers, and lower is better.

    Attributes
    ----------
    control_points_fp, control_points_fn : int
        Polygon vertices to draw along false positives, along false negatives.
    regions_fp, regions_fn : int
        Independent regions to remove, to fill, each with one click.
    """

    control_points_fp: int
    regions_fp: int
    control_points_fn: int
    regions_fn: int

    @property
    def total(self) -> int:
        """Human correction effort (HCE)."""
        return sum(self)


def effort_statistics(
    pred: MapInput,
    target: Target,
    conventions: Conventions,
    *,
    relax: int = RELAX,
    epsilon: float = EPSILON,
) -> Effort:
    """Return the operations that correct ``pred > 0.5`` (Qin et al., ECCV 2022).

    Parameters
    ----------
    pred : MapInput
        What `represent.prediction` returns.
    target : Target
        The truth; it keeps its bit mask and its skeleton.
    conventions : Conventions
        `pred_scale` is read; the number is the same under every policy.
    relax : int
        Steps by which errors along the border of the union are let pass.
    epsilon : float
        Tolerance of the polygons in pixels.

    Raises
    ------
    InputError
        When an 8-bit map's maximum is 1 and nothing says what that means.

    Notes
    -----
    Defined everywhere: no error costs nothing, so that an empty prediction of an empty truth, like
    any perfect one, is 0.
    """
    rooms = _rooms()
    over, under, near_over, near_under = rooms.effort.error_masks(
        _prediction_bits(pred, conventions),
        _bits(target),
        _skeleton(target),
        target.shape[1],
        relax,
    )
    return Effort(
        *rooms.contour.control_points(over, near_over, float(epsilon)),
        *rooms.contour.control_points(under, near_under, float(epsilon)),
    )


def skeleton_of(target: Target) -> NDArray[np.bool_]:
    """Return the truth's skeleton: bool, (H, W)."""
    pixels: NDArray[np.uint8] = _rooms().bitmask.unpack(_skeleton(target), target.shape[1])
    return pixels.view(np.bool_)


def _prediction_bits(pred: MapInput, conventions: Conventions) -> NDArray[np.uint64]:
    bitmask = _rooms().bitmask
    if pred.values.dtype != np.uint8:
        return bitmask.pack_values(pred.values, FIXED)
    represent.check_levels(pred, conventions)
    return bitmask.pack_levels(pred.values, lowest_level(pred) - 1)


def _bits(target: Target) -> NDArray[np.uint64]:
    return target.cached("bits", lambda: _sealed(_rooms().bitmask.pack_levels(target.mask, 0)))


def _skeleton(target: Target) -> NDArray[np.uint64]:
    def compute() -> NDArray[np.uint64]:
        return _sealed(_rooms().skeleton.thin(_bits(target), target.shape[1]))

    return target.cached("skeleton", compute)


def _sealed(bits: NDArray[np.uint64]) -> NDArray[np.uint64]:
    bits.setflags(write=False)
    return bits


class _Rooms(NamedTuple):
    bitmask: ModuleType
    skeleton: ModuleType
    effort: ModuleType
    contour: ModuleType


def _rooms() -> _Rooms:
    """Return the kernels, or their twins under the reference backend."""
    return _rooms_of(backend.resolve())


@functools.lru_cache(maxsize=2)
def _rooms_of(chosen: backend.Backend) -> _Rooms:
    if chosen == "reference":
        from fastsegmetrics.reference import bitmask, contour, effort, skeleton
    else:
        from fastsegmetrics.kernels import (  # type: ignore[no-redef]
            bitmask,
            contour,
            effort,
            skeleton,
        )
    return _Rooms(bitmask, skeleton, effort, contour)
