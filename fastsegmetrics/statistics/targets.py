"""Targets of a thresholded map against those of a truth: how many match, and how well.

Targets are 8-connected components, of ``P > t`` and of the truth, in raster order of their first
pixels.
"""

from __future__ import annotations

from collections.abc import Collection
from functools import cache, lru_cache
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastsegmetrics import backend, represent
from fastsegmetrics.conventions import Conventions
from fastsegmetrics.errors import InputError
from fastsegmetrics.represent import MapInput, words
from fastsegmetrics.scores.targets import QualitySums, TargetCounts
from fastsegmetrics.statistics.partition import FIXED, lowest_levels, partition
from fastsegmetrics.target import Target

#: The ways to find out which targets were detected, and their bits for the kernels.
RULES = {"opdc": 1, "distance": 2, "shooting": 4}
#: Levels of quality at which the survival of matched pairs is told: t = i/256.
N_QUALITIES = 256

# Where the numbers of a rule begin in a row of `TargetTally`.
_COUNTS = {"opdc": 0, "distance": 6, "shooting": 12}
_SHARES = {"opdc": 0, "distance": 4}


class Limits(NamedTuple):
    """What makes two targets one; the defaults are those of the field.

    A pair qualifies by IoU >= ``overlap`` or by centroids nearer than ``distance`` pixels.  A shot
    hits a target up to ``hit`` pixels away in each direction, and is false if no target is within
    ``clear``.
    """

    overlap: float = 0.5
    distance: float = 3.0
    hit: int = 1
    clear: int = 4


_FIELD = Limits()
# What was not asked for is the same zeros for all: a call for a small image takes 60 us.
_NO_PIXELS = np.zeros(4, np.int64)
_NO_SURVIVAL = np.zeros(N_QUALITIES, np.int64)
for _zeros in (_NO_PIXELS, _NO_SURVIVAL):
    _zeros.setflags(write=False)


class Parts(NamedTuple):
    """The targets of one mask.

    ``runs`` int32[r, 3] (row, start, stop) with their ``labels`` int32[r], from 1; ``areas``
    int64[n] and ``centroids`` float64[n, 2] of the targets; the ``width`` of the image.
    """

    runs: NDArray[np.int32]
    labels: NDArray[np.int32]
    areas: NDArray[np.int64]
    centroids: NDArray[np.float64]
    width: int


class Shots(NamedTuple):
    """What the shooting rule finds: true targets hit and missed, false pixels, predictions."""

    detected: int
    missed: int
    false_area: int
    n_predicted: int


class TargetTally(NamedTuple):
    """What the target scores of an image are made of, a row for each threshold.

    ``counts`` int64[n, 16] and ``shares`` float64[n, 8] are the rows of
    ``kernels.matching.match_levels``; ``n_pixels`` are those of the image.  Where they were asked
    for, ``pixels`` int64[4] are tp, fp, fn and tn, and ``survival`` int64[256] the pairs matched
    by OPDC with an IoU above i/256, both at the first threshold; else both are zeros.  The numbers
    of several images add up to those of all.
    """

    counts: NDArray[np.int64]
    shares: NDArray[np.float64]
    n_pixels: int
    pixels: NDArray[np.int64]
    survival: NDArray[np.int64]

    def found(self, rule: str, row: int = 0) -> TargetCounts:
        """Return the counts of ``"opdc"`` or ``"distance"`` at one threshold."""
        at = _COUNTS[rule]
        numbers = self.counts[row, at : at + 6].tolist()
        return TargetCounts._make((*numbers, self.n_pixels))

    def quality(self, rule: str, row: int = 0) -> QualitySums:
        """Return the sums over the pairs of ``"opdc"`` or ``"distance"`` at one threshold."""
        at = _SHARES[rule]
        return QualitySums(*self.shares[row, at : at + 4].tolist())

    def shots(self, row: int = 0) -> Shots:
        """Return what the shooting rule finds at one threshold."""
        return Shots(*self.counts[row, 12:].tolist())


def thresholds_of(bins: int) -> NDArray[np.float64]:
    """Return the thresholds of a curve: ``bins`` of them, 0 and up, as linspace rounds them."""
    return np.linspace(0.0, 1.0, bins, endpoint=False)


def fixed_statistics(
    pred: MapInput,
    target: Target,
    conventions: Conventions,
    rules: Collection[str] = RULES.keys(),
    *,
    threshold: float = FIXED,
    limits: Limits | None = None,
    pixels: bool = True,
    survival: bool = True,
) -> TargetTally:
    """Return what matches between the targets of ``P > threshold`` and of a truth.

    Parameters
    ----------
    pred : MapInput
        What `represent.prediction` returns; floats are compared in their own precision.
    target : Target
        The truth; it keeps its targets.
    conventions : Conventions
        `pred_scale` is read.
    rules : collection of str
        Which of ``"opdc"``, ``"distance"`` and ``"shooting"`` are wanted; what belongs to the
        others is 0.
    threshold : float
        In [0, 1).
    limits : Limits, optional
        What makes two targets one.
    pixels, survival : bool
        Whether these counts are wanted.

    Raises
    ------
    InputError
        When an 8-bit map's maximum is 1 and nothing says what that means, or a rule is unknown.
    """
    if _bits_of(tuple(rules)):
        runs = runs_above(pred, conventions, threshold)
        found = runs_statistics(runs, target, rules, limits, survival=survival)
    else:
        nothing = np.zeros((1, 16), np.int64), np.zeros((1, 8))
        found = TargetTally(*nothing, target.n_pixels, _NO_PIXELS, _NO_SURVIVAL)
    if pixels:
        mask = partition(pred, conventions, threshold)
        tp = int(np.count_nonzero(mask & target.mask))
        fp, fn = int(np.count_nonzero(mask)) - tp, target.n_foreground - tp
        counts = np.array([tp, fp, fn, target.n_pixels - tp - fp - fn], np.int64)
        found = found._replace(pixels=counts)
    return found


def runs_statistics(
    runs: NDArray[np.int32],
    target: Target,
    rules: Collection[str] = RULES.keys(),
    limits: Limits | None = None,
    *,
    survival: bool = True,
) -> TargetTally:
    """Return what `fixed_statistics` does, but its pixels, from the runs of ``P > threshold``."""
    counts, shares, quality = _rooms().matching.match_runs(
        true_parts(target), runs, _typed(limits), _bits_of(tuple(rules))
    )
    surviving = survival_of(quality) if survival else _NO_SURVIVAL
    return TargetTally(counts, shares, target.n_pixels, _NO_PIXELS, surviving)


def level_statistics(
    pred: MapInput,
    target: Target,
    conventions: Conventions,
    thresholds: NDArray[np.float64],
    rules: Collection[str] = RULES.keys(),
    *,
    limits: Limits | None = None,
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return the rows of counts and shares of `TargetTally` at ascending thresholds.

    As `fixed_statistics` at each of them; see there.
    """
    positions, ranks = _ranked(pred, conventions, thresholds)
    counts, shares = _rooms().matching.match_levels(
        true_parts(target),
        positions,
        ranks,
        len(thresholds),
        _typed(limits),
        _bits_of(tuple(rules)),
    )
    return counts, shares


def survival_of(quality: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return how many pairs have an IoU above i/256, for i = 0…255: int64[256].

    `quality` is what ``kernels.matching.qualities`` gives.  On integers, so that an IoU that lies
    on a level does not survive it.
    """
    if len(quality) == 0:
        return np.zeros(N_QUALITIES, np.int64)
    survived = -(-N_QUALITIES * quality[:, 1] // quality[:, 0])
    ending = np.bincount(survived, minlength=N_QUALITIES + 1)
    return ending[::-1].cumsum()[-2::-1]


def runs_above(pred: MapInput, conventions: Conventions, threshold: float) -> NDArray[np.int32]:
    """Return the runs of ``P > threshold`` in raster order: int32[n, 3], row, start, stop."""
    values = pred.values
    if values.dtype != np.uint8:
        runs = runs_in_range(values, threshold)
        if runs is None:
            # Of what `represent.prediction` gives only -0.0 is out of order; the sum has none.
            runs = runs_in_range(values + values.dtype.type(0), threshold)
            assert runs is not None
        return runs
    # Another kind of numbers would be another compilation of the kernel.
    flat = partition(pred, conventions, threshold).reshape(-1)
    found: NDArray[np.int32] = _rooms().label.find_runs(flat, words(flat), values.shape[1])
    return found


def runs_in_range(values: NDArray[Any], threshold: float) -> NDArray[np.int32] | None:
    """Return the runs of floats above a threshold; None where one of them is not in [0, 1].

    -0.0 is not in order among the others and None as well.  `values` is C-contiguous.
    """
    as_integers, limit, one = _as_integers(values.dtype.char, threshold)
    flat = values.reshape(-1).view(as_integers)
    flat.flags.writeable = False
    runs, highest = _rooms().label.runs_above(flat, limit, values.shape[1])
    return runs if highest <= one else None


@lru_cache(maxsize=1024)
def _as_integers(kind: str, threshold: float) -> tuple[np.dtype[Any], Any, Any]:
    """Return the integers that are in the order of a kind of floats, a threshold and 1 in them."""
    of_map = np.dtype(kind)
    integers = np.dtype(f"u{of_map.itemsize}")
    limit, one = np.array([threshold, 1], of_map).view(integers)
    return integers, limit, one


def true_parts(target: Target) -> Parts:
    """Return the targets of a truth, computed once per `target`."""
    return target.cached("target_parts", lambda: parts_of(target.mask))


def parts_of(mask: NDArray[np.uint8]) -> Parts:
    """Return the 8-connected components of a read-only mask of 0 and 1, (H, W)."""
    flat, width = mask.reshape(-1), mask.shape[1]
    runs, labels, areas, centroids = _rooms().regions.targets(flat, words(flat), width)
    return Parts(runs, labels, areas, centroids, width)


def _typed(limits: Limits | None) -> Limits:
    """Return limits in the types that the kernels are compiled for, once."""
    if limits is None:
        return _FIELD
    return Limits(float(limits.overlap), float(limits.distance), int(limits.hit), int(limits.clear))


@lru_cache(maxsize=16)
def _bits_of(rules: tuple[str, ...]) -> int:
    for rule in rules:
        if rule not in RULES:
            raise InputError(f"rules must be of {', '.join(RULES)}; received {rule!r}")
    return sum(RULES[rule] for rule in set(rules))


def _ranked(
    pred: MapInput, conventions: Conventions, thresholds: NDArray[np.float64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return where the map is above the first threshold, and how many it is above there."""
    values = pred.values.reshape(-1)
    if values.dtype == np.uint8:
        represent.check_levels(pred, conventions)
        cuts = lowest_levels(pred, thresholds)
        positions = np.flatnonzero(values >= cuts[0])
        ranks = np.searchsorted(cuts, np.arange(256), side="right")[values[positions]]
    else:
        limits: NDArray[Any] = thresholds.astype(values.dtype)
        positions = np.flatnonzero(values > limits[0])
        ranks = np.searchsorted(limits, values[positions], side="left")
    return positions.astype(np.int64, copy=False), ranks.astype(np.int64, copy=False)


class _Rooms(NamedTuple):
    """The modules of the kernels, or of their twins under the reference backend."""

    label: ModuleType
    matching: ModuleType
    regions: ModuleType


@cache
def _rooms_of(chosen: backend.Backend) -> _Rooms:
    if chosen == "reference":
        from fastsegmetrics.reference import label, matching, regions
    else:
        from fastsegmetrics.kernels import label, matching, regions  # type: ignore[no-redef]
    return _Rooms(label, matching, regions)


def _rooms() -> _Rooms:
    # Two import statements in a function take a thirtieth of a call for a small image.
    return _rooms_of(backend.resolve())
