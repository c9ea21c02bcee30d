"""The worst cases of a run of volumes, each drawn in its worst slice."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastsegmetrics.bulk.pairs import PairList
from fastsegmetrics.bulk.picture_folder import (
    COLUMNS,
    check_choices,
    new_folder,
    write_index,
    write_picture,
)
from fastsegmetrics.bulk.sources import Sources
from fastsegmetrics.bulk.stored_values import StoredVolumes
from fastsegmetrics.bulk.volume_case import box_of, read_pair
from fastsegmetrics.bulk.volume_grids import Grid, grid_of
from fastsegmetrics.bulk.volume_tables import SUMMARY
from fastsegmetrics.bulk.worst import Inspected, lines_of, units_of
from fastsegmetrics.errors import InputError
from fastsegmetrics.io import printable, volumes
from fastsegmetrics.reporting import overlay as pictures
from fastsegmetrics.reporting.volume_slices import surface_distances_of_voxels, worst_slice


class _Case(NamedTuple):
    pred: NDArray[np.bool_]
    gt: NDArray[np.bool_]
    grid: Grid


def inspect_volumes(
    directory: str | Path,
    metric: str,
    label: int,
    out: str | Path,
    *,
    worst: int = 10,
    methods: Iterable[str] | None = None,
    limit: float = 10.0,
    zoom: int = pictures.LEAST_ZOOM,
) -> list[Inspected]:
    """Draw the worst cases of each method of a run of volumes.

    Parameters
    ----------
    directory : path
        What `evaluate_volume_methods` wrote.
    metric : str
        What ranks the cases: a score of ``per_label.csv``.
    label : int
        Whose values and masks.
    out, worst, methods, zoom
        As for `inspect_run`.
    limit : float
        The distance at which the scale of the surfaces ends, in the unit of the spacing.

    Returns
    -------
    list of Inspected
        The lines of the index.  Counts and distances are those of the whole volume.

    Raises
    ------
    InputError
        The run has no such label, score or method, a choice is none, a volume has not three axes or
        not the voxels that were measured, or the folder is not empty.
    FormatError, MissingExtraError
        A file cannot be read.
    """
    check_choices(worst, limit, zoom)
    stored = StoredVolumes(directory, label)
    lines = lines_of(stored, metric, worst, methods)
    reading = _reading(Path(directory))
    sources = Sources(**reading.pop("sources"))
    pairs = sources.pairs(volumes.SUFFIXES)
    folder = new_folder(out, sources)
    done: list[Inspected] = []
    for line in lines:
        if line.rank is None:
            done.append(line._replace(label=label))
            continue
        case = _read_case(pairs, line, label, **reading)
        _require_unchanged(stored, line, case)
        done.append(_drawn(line._replace(label=label), case, folder, limit, zoom))
    columns = (*COLUMNS, "label", "axis", "slice", "unit")
    write_index(folder, done, columns, limit, units_of(done) or "units")
    return done


def _reading(directory: Path) -> dict[str, Any]:
    path = directory / SUMMARY
    try:
        found = json.loads(path.read_text(encoding="utf-8"))["read"]
        return {name: found[name] for name in ("sources", "spacing", "unit", "ignore_label")}
    except OSError as error:
        raise InputError(f"{printable(path)}: cannot be read ({error.strerror})") from error
    except (ValueError, KeyError, TypeError) as error:
        raise InputError(f"{printable(path)}: does not say where the volumes lie") from error


def _read_case(
    pairs: PairList,
    line: Inspected,
    label: int,
    spacing: Any,
    unit: str | None,
    ignore_label: int | None,
) -> _Case:
    truth, prediction = (
        files.get(line.sample) for files in (pairs.truths, pairs.predictions[line.method])
    )
    if truth is None or prediction is None:
        role = "ground truth" if truth is None else f"prediction of {line.method!r}"
        raise InputError(f"the {role} {line.sample!r} is gone since it was measured")
    gt, pred = read_pair(truth, prediction)
    if gt.values.ndim != 3:
        raise InputError(
            f"{printable(truth)}: a volume that is drawn must have three axes; it has "
            f"{gt.values.ndim}"
        )
    kept = True if ignore_label is None else gt.values != ignore_label
    return _Case(
        (pred.values == label) & kept, (gt.values == label) & kept, grid_of(gt, spacing, unit)
    )


def _require_unchanged(stored: StoredVolumes, line: Inspected, case: _Case) -> None:
    now = int(case.gt.sum()), int(case.pred.sum())
    before = stored.voxels(line.method, line.sample)
    if now != before:
        raise InputError(
            f"case {line.sample!r} of {line.method!r} must have the voxels that were measured, "
            f"{before[0]:,} true and {before[1]:,} predicted; it has {now[0]:,} and {now[1]:,}"
        )


def _drawn(line: Inspected, case: _Case, folder: Path, limit: float, zoom: int) -> Inspected:
    spacing = case.grid.spacing
    # Surfaces in the box of both masks are those in the volume.
    box = box_of(case.pred | case.gt)
    pred, gt = case.pred[box], case.gt[box]
    found = surface_distances_of_voxels(pred, gt, spacing)
    cut = worst_slice(pred, gt, found, spacing)
    background = pictures.truth_as_background(cut.gt)
    drawn = pictures.overlay(background, cut.pred, cut.gt, cut.boundaries, limit=limit, zoom=zoom)
    line = write_picture(folder, line, drawn, pred, gt, found)
    place = cut.place + box[cut.axis].start
    return line._replace(axis=cut.axis, slice=place, unit=case.grid.unit)
