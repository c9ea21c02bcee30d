"""The producer of the difficulty-weighted context score: one map against one truth in its photo."""

from __future__ import annotations

import math
from types import ModuleType
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastsegmetrics import backend, represent
from fastsegmetrics.conventions import Conventions
from fastsegmetrics.errors import InputError
from fastsegmetrics.represent import MapInput, sealed
from fastsegmetrics.scores import difficulty as formulas
from fastsegmetrics.statistics.partition import unit_table
from fastsegmetrics.target import Target

#: Weights of contrast, edge and texture in the raw difficulty, and its least value.
FACTORS = (0.4, 0.35, 0.25)
FLOOR = 0.2
#: Weights of region, structure and boundary in the score.
PARTS = (0.5, 0.3, 0.2)
#: The least radius of ring and windows, and the share of the image below which a truth is too
#: small for its surroundings to be told.
LEAST_RADIUS = 3
LEAST_SHARE = 1000
#: Where more than this share of pixels is contour, as in noise, it is likely to be near all.
_CROWDED = 6


class DifficultyField(NamedTuple):
    """What truth and photograph decide; arrays are read-only float64 (H, W).

    Attributes
    ----------
    weight : ndarray
        W, of mean 1; 1 everywhere where the truth is too small or has no contour.
    far : ndarray
        min(1, D / r), D the Euclidean distance to the truth's edge.
    radius : int
        r in pixels.
    mean_raw : float
        What the raw difficulty was divided by.
    level : float
        Mean raw difficulty of truth and ring, by which images are told easy from hard; NaN where
        the truth is too small or has no contour.
    """

    weight: NDArray[np.float64]
    far: NDArray[np.float64]
    radius: int
    mean_raw: float
    level: float


class DifficultyStatistics(NamedTuple):
    """The parts of the score, each in [0, 1] and 1 for a perfect map.

    Attributes
    ----------
    region, structure, boundary : float
        ΣW·min(P, G)/ΣW·max(P, G); max(0, ΣW·SSIM/ΣW); the share of the truth's edge that is met,
        beside the slopes off it.
    level : float
        The image's difficulty, see `DifficultyField`.
    large_enough : bool
        Whether the truth is at least a thousandth of the image.
    """

    region: float
    structure: float
    boundary: float
    level: float
    large_enough: bool

    @property
    def score(self) -> float:
        """The score with the weights 0.5, 0.3 and 0.2; NaN where the truth is too small."""
        return self.combined(*PARTS)

    def combined(self, alpha: float, beta: float, gamma: float) -> float:
        """Return the score with other weights of region, structure and boundary."""
        if not self.large_enough:
            return math.nan
        return formulas.difficulty_score(
            self.region, self.structure, self.boundary, alpha, beta, gamma
        )


class DifficultyMaps(NamedTuple):
    """Where the weight lies and where each part is lost: float64 (H, W), none negative.

    Attributes
    ----------
    weight : ndarray
        W; read-only.
    region : ndarray
        W·\\|P − G\\|; its sum is (1 − region)·ΣW·max(P, G).
    structure : ndarray
        W·(1 − SSIM); its mean is 1 − structure, unless that is cut off at 0.
    boundary : ndarray
        W·(1 − q_P) on the truth's edge and W·q_P·min(1, D/r) off it, q_P = min(1, 2·slope).
    """

    weight: NDArray[np.float64]
    region: NDArray[np.float64]
    structure: NDArray[np.float64]
    boundary: NDArray[np.float64]


def difficulty_statistics(
    pred: MapInput,
    target: Target,
    conventions: Conventions,
    *,
    factors: tuple[float, float, float] = FACTORS,
    floor: float = FLOOR,
) -> DifficultyStatistics:
    """Return the parts of the difficulty-weighted context score.

    Parameters
    ----------
    pred : MapInput
        The prediction, from `represent.prediction`.
    target : Target
        The truth with its photograph; it keeps W.
    conventions : Conventions
        `pred_scale` is read; the numbers are the same under every policy.
    factors : tuple of float
        Weights of contrast, edge and texture.
    floor : float
        The least raw difficulty, positive.

    Raises
    ------
    InputError
        When the target has no photograph; when an 8-bit map's maximum is 1 and nothing says what
        that means.

    Notes
    -----
    Truth and prediction empty: region, structure and boundary are 1, the score is NaN.  Only the
    truth empty: region 0, boundary 1 if the prediction is constant, else 0.
    """
    field = difficulty_field(target, factors=factors, floor=floor)
    return _measured(pred, target, conventions, field, np.empty((3, 0, 0)))


def difficulty_maps(
    pred: MapInput,
    target: Target,
    conventions: Conventions,
    *,
    factors: tuple[float, float, float] = FACTORS,
    floor: float = FLOOR,
) -> tuple[DifficultyStatistics, DifficultyMaps]:
    """Return the parts, and the maps of the weight and of what each part loses where.

    Parameters and errors are those of `difficulty_statistics`.
    """
    field = difficulty_field(target, factors=factors, floor=floor)
    heat = np.empty((3, *target.shape))
    found = _measured(pred, target, conventions, field, heat)
    return found, DifficultyMaps(field.weight, *heat)


def difficulty_field(
    target: Target,
    *,
    factors: tuple[float, float, float] = FACTORS,
    floor: float = FLOOR,
) -> DifficultyField:
    """Return the weights of a target's pixels, computed once.

    Parameters
    ----------
    target : Target
        A truth with its photograph.
    factors : tuple of float
        Weights of contrast, edge and texture.
    floor : float
        The least raw difficulty, positive.

    Raises
    ------
    InputError
        When the target has no photograph.
    """
    image = target.image
    if image is None:
        raise InputError(
            "image must be given with the ground truth, Target(gt, image=...), for its difficulty; "
            "received None"
        )
    weights = np.array([*factors, floor], np.float64)
    name = f"difficulty {weights.tolist()}"
    return target.cached(name, lambda: _field(target, image, weights))


def large_enough(target: Target) -> bool:
    """Return whether a truth is at least a thousandth of its image."""
    return LEAST_SHARE * target.n_foreground >= target.n_pixels


def _measured(
    pred: MapInput,
    target: Target,
    conventions: Conventions,
    field: DifficultyField,
    heat: NDArray[np.float64],
) -> DifficultyStatistics:
    if pred.values.dtype == np.uint8:
        represent.check_levels(pred, conventions)
        values = unit_table(pred)[pred.values]
    else:
        values = pred.values.astype(np.float64, copy=False)
    values.setflags(write=False)
    common, either, alike, weight, met, edges, spilt = (
        _rooms().parts.part_sums(values, target.mask, field.weight, field.far, heat).tolist()
    )
    return DifficultyStatistics(
        formulas.region(common, either),
        formulas.structure(alike, weight),
        formulas.boundary(met, edges, spilt),
        field.level,
        large_enough(target),
    )


def _field(
    target: Target, image: NDArray[np.uint8], factors: NDArray[np.float64]
) -> DifficultyField:
    rooms = _rooms()
    kernels = rooms.difficulty
    radius = max(LEAST_RADIUS, math.isqrt(target.n_foreground // 100))
    weight, far = np.ones(target.shape), np.ones(target.shape)
    mean_raw, level = 1.0, math.nan
    if 0 < target.n_foreground < target.n_pixels:
        # Beyond r nothing depends on the truth; one pixel more, for the slopes.
        top, left, bottom, right = kernels.foreground_box(target.mask)
        rows = slice(max(0, top - radius - 1), bottom + radius + 1)
        columns = slice(max(0, left - radius - 1), right + radius + 1)
        # Read-only also where a copy is made, or kernels are compiled for both.
        mask = sealed(np.ascontiguousarray(target.mask[rows, columns]))
        far[rows, columns] = _nearness(mask, radius, rooms)
        if large_enough(target):
            sides = kernels.side_distances(mask)
            grey = kernels.grey_thousandths(sealed(np.ascontiguousarray(image[rows, columns])))
            raw = kernels.contour_difficulty(grey, sides, radius, factors)
            spread, total, count = _spread(raw, sides, radius, rooms)
            level = total / count
            mean_raw = (total + (target.n_pixels - count)) / target.n_pixels
            weight[rows, columns] = spread
            weight /= mean_raw
    weight.setflags(write=False)
    far.setflags(write=False)
    return DifficultyField(weight, far, radius, mean_raw, level)


def _spread(
    raw: NDArray[np.float64],
    sides: NDArray[np.int32],
    radius: int,
    rooms: _Rooms,
) -> tuple[NDArray[np.float64], float, int]:
    contour = (sides == -1).view(np.uint8)
    if _CROWDED * np.count_nonzero(contour) > contour.size:
        field = rooms.capped_distance.capped_squares(contour)
        near = rooms.difficulty.spread_near(raw, *field, sides, radius)
        if near[2] >= 0:
            return near
    nearest = rooms.distance.nearest_foreground(contour)
    return rooms.difficulty.spread_difficulty(raw, *nearest, sides, radius)


def _nearness(mask: NDArray[np.uint8], radius: int, rooms: _Rooms) -> NDArray[np.float64]:
    """Return min(1, D / r), D the distance to the truth's edge."""
    edges = rooms.difficulty.edge_mask(mask)
    shares = np.minimum(np.sqrt(np.arange(radius * radius + 1)) / radius, 1.0)
    if radius * radius < rooms.capped_distance.CAP:
        squares = rooms.capped_distance.capped_squares(edges)[0]
    else:
        rows, columns = rooms.distance.nearest_foreground(edges)
        own_row, own_column = np.ogrid[: mask.shape[0], : mask.shape[1]]
        squares = (rows - own_row).astype(np.int64) ** 2 + (columns - own_column) ** 2
        if not edges.any():
            squares[:] = radius * radius
    return shares[np.minimum(squares, radius * radius)]


class _Rooms(NamedTuple):
    """The kernels that this uses, or their twins."""

    difficulty: ModuleType
    parts: ModuleType
    capped_distance: ModuleType
    distance: ModuleType


def _rooms() -> _Rooms:
    if backend.resolve() == "reference":
        from fastsegmetrics.reference import (
            capped_distance,
            difficulty,
            difficulty_parts,
            distance,
        )
    else:
        from fastsegmetrics.kernels import (  # type: ignore[no-redef]
            capped_distance,
            difficulty,
            difficulty_parts,
            distance,
        )
    return _Rooms(difficulty, difficulty_parts, capped_distance, distance)
