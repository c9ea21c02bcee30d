"""One case of label volumes: its files, its grid, and a row of values for each label."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastsegmetrics import represent
from fastsegmetrics.arguments import number, one_of
from fastsegmetrics.bulk.volume_grids import Grid
from fastsegmetrics.conventions import CHOICES, BothEmpty, OneEmpty
from fastsegmetrics.errors import FormatError, InputError
from fastsegmetrics.functional.labels import LabelOverlap
from fastsegmetrics.functional.surface import (
    Percentile,
    SurfaceDistances,
    surface_distances,
)
from fastsegmetrics.io import printable, volumes
from fastsegmetrics.io.volumes import Volume
from fastsegmetrics.reporting.evaluation_contract import HD95_CONVENTIONS
from fastsegmetrics.scores.overlap import relative_volume_difference
from fastsegmetrics.statistics.surface_distances import Surface

Row = dict[str, Any]


class SurfaceRule(NamedTuple):
    """How surfaces of volumes are measured, see `evaluate_volumes`."""

    surface: Surface
    hd95: Percentile
    one_empty: OneEmpty
    tolerance: float | None


class MeasuredCase(NamedTuple):
    """What was measured of one case."""

    overlap: LabelOverlap
    rows: list[Row]
    grid: Grid
    #: The identities of truth and prediction before they were read.
    files: tuple[str, str]


def surface_rule(
    surfaces: bool, surface: Any, hd95: Any, one_empty: Any, tolerance: float | None
) -> SurfaceRule | None:
    """Return how surfaces are measured, checked before a file is read; None if they are not."""
    if not surfaces:
        asked = {
            "tolerance": (tolerance, None), "surface": (surface, "voxels"), "hd95": (hd95, None),
            "one_empty": (one_empty, "infinite"),
        }  # fmt: skip
        for name, (value, default) in asked.items():
            if value != default:
                raise InputError(f"{name} must be {default!r} without surfaces; received {value!r}")
        return None
    one_of("surface", surface, ("voxels", "elements"))
    one_of("one_empty", one_empty, CHOICES["one_empty"])
    conventions = HD95_CONVENTIONS if surface == "voxels" else ("inverse_cdf",)
    rule: Any = conventions[0] if hd95 is None else hd95
    one_of("hd95", rule, conventions)
    limit = None if tolerance is None else number("tolerance", tolerance, 0.0)
    return SurfaceRule(surface, rule, one_empty, limit)


def read_pair(gt: Path, pred: Path) -> tuple[Volume, Volume]:
    """Read a truth and a prediction, which must lie on one grid; errors name the file."""
    truth, guess = volumes.read_volume(gt), volumes.read_volume(pred)
    try:
        volumes.check_one_grid(guess, truth)
    except FormatError as error:
        raise FormatError(f"{printable(pred)}: {error}") from None
    return truth, guess


def require_surfaces(path: Path, truth: Volume, surfaces: SurfaceRule | None) -> None:
    """Refuse a truth, named by its file, that has no surface to be measured but should."""
    if surfaces is not None and truth.values.ndim not in (2, 3):
        raise FormatError(
            f"{printable(path)}: surfaces are measured of 2 or 3 axes; its shape is "
            f"{truth.values.shape} (surfaces=False leaves them out)"
        )


def rows_of(
    case: str,
    overlap: LabelOverlap,
    pred: Volume,
    gt: Volume,
    grid: Grid,
    surfaces: SurfaceRule | None,
    both_empty: BothEmpty,
) -> Iterator[Row]:
    """Yield what is measured of each label of a case, but the background and the ignored one.

    Parameters
    ----------
    case : str
        Its name.
    overlap : LabelOverlap
        Of the two volumes.
    pred, gt : Volume
        On one grid.
    grid : Grid
        What lengths are in.
    surfaces : SurfaceRule or None
        How surfaces are measured; None: they are not.
    both_empty : {"perfect", "undefined"}
        What is told of a label that neither volume has.
    """
    size = math.prod(grid.spacing)
    columns = (overlap.support, overlap.predicted, overlap.dice, overlap.iou, overlap.precision,
               overlap.recall)  # fmt: skip
    p, g = np.ascontiguousarray(pred.values), np.ascontiguousarray(gt.values)
    for label, *values in zip(overlap.labels, *(c.tolist() for c in columns), strict=True):
        if label in (overlap.background, overlap.ignored):
            continue
        n_gt, n_pred, dice, iou, precision, recall = values
        of_nothing = math.nan
        if both_empty == "perfect":
            of_nothing = 0.0
            if n_gt == n_pred == 0:
                dice = iou = precision = recall = 1.0
        row = {
            "case": case, "label": label, "unit": grid.unit, "gt_voxels": n_gt,
            "pred_voxels": n_pred, "dice": dice, "iou": iou, "precision": precision,
            "recall": recall, "gt_size": n_gt * size, "pred_size": n_pred * size,
            "size_difference": (n_pred - n_gt) * size,
            "absolute_size_difference": abs(n_pred - n_gt) * size,
            "relative_size_difference": relative_volume_difference(n_pred, n_gt, of_nothing),
        }  # fmt: skip
        if surfaces is not None:
            found = _distances(p == label, g == label, grid.spacing, surfaces, both_empty)
            row |= _told(found, surfaces)
        yield row


def _distances(
    pred: NDArray[np.bool_],
    gt: NDArray[np.bool_],
    spacing: Any,
    how: SurfaceRule,
    both_empty: BothEmpty,
) -> SurfaceDistances:
    # What lies outside the box of both is background, as it is outside the array.
    box = box_of(pred | gt)
    found = surface_distances(
        pred[box], gt[box], spacing=spacing, surface=how.surface, both_empty=both_empty,
        one_empty=how.one_empty,
    )  # fmt: skip
    steps = represent.grid_spacing(spacing, gt.ndim)
    whole = math.hypot(*(n * step for n, step in zip(gt.shape, steps, strict=True)))
    return dataclasses.replace(found, diagonal=whole)


def _told(found: SurfaceDistances, how: SurfaceRule) -> Row:
    told: Row = {
        "hd": found.hd, "hd95": found.hd_percentile(95, how.hd95), "assd": found.assd,
        "masd": found.masd,
    }  # fmt: skip
    return told if how.tolerance is None else {**told, "nsd": found.nsd(how.tolerance)}


def box_of(mask: NDArray[np.bool_]) -> tuple[slice, ...]:
    """Return the smallest box that holds a mask, of one voxel if it is empty."""
    sides = []
    for axis in range(mask.ndim):
        others = tuple(other for other in range(mask.ndim) if other != axis)
        places = np.flatnonzero(mask.any(axis=others))
        sides.append(slice(int(places[0]), int(places[-1]) + 1) if places.size else slice(0, 1))
    return tuple(sides)
