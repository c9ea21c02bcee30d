"""Folders of label volumes: one row for each case and label, on the grid of the files."""

from __future__ import annotations

import contextlib
import dataclasses
import os
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from fastsegmetrics import represent_labels
from fastsegmetrics.arguments import one_of
from fastsegmetrics.bulk.executor import check_workers, in_order
from fastsegmetrics.bulk.files import EVALUATION, write_texts
from fastsegmetrics.bulk.measure import identity
from fastsegmetrics.bulk.pairs import PairList, pair
from fastsegmetrics.bulk.volume_case import (
    MeasuredCase,
    Row,
    SurfaceRule,
    read_pair,
    require_surfaces,
    rows_of,
    surface_rule,
)
from fastsegmetrics.bulk.volume_grids import Grid, grid_of, require_one_unit
from fastsegmetrics.bulk.volume_tables import PER_LABEL
from fastsegmetrics.conventions import CHOICES, BothEmpty, OneEmpty
from fastsegmetrics.errors import InputError
from fastsegmetrics.functional.labels import LabelOverlap, label_overlap
from fastsegmetrics.functional.surface import Percentile
from fastsegmetrics.io import printable, volumes
from fastsegmetrics.reporting.cases import Cases
from fastsegmetrics.reporting.evaluation_contract import EvaluationContract
from fastsegmetrics.reporting.plain import csv_text
from fastsegmetrics.statistics.surface_distances import Surface

if TYPE_CHECKING:
    from fastsegmetrics.bulk.kept_volumes import KeptCases

_BOUNDARIES = {
    "voxels": "voxels with a 4- (3-D: 6-) neighbour outside, outside the array is background",
    "elements": "elements of 2 x 2 (x 2) voxels by length or area, outside the array is background",
}
UnitOf = Mapping[str, Hashable] | Callable[[str], Hashable]


@dataclass(frozen=True, eq=False)
class VolumeRun:
    """What `evaluate_volumes` measured.

    Attributes
    ----------
    cases : Cases
        The `LabelOverlap` of each case, for means, pooling and intervals.
    rows : tuple of dict
        One for each case and label but the background: voxels, overlap, volumes, surface distances.
    missing, extra : tuple of str
        Truths without a prediction (left out), and predictions without a truth.
    contract : EvaluationContract
        What was measured how.
    """

    cases: Cases[LabelOverlap]
    rows: tuple[Row, ...]
    missing: tuple[str, ...]
    extra: tuple[str, ...]
    contract: EvaluationContract

    def to_csv(self) -> str:
        """Return the rows as CSV with a header line; floats to the last digit."""
        lines = [row.values() for row in self.rows]
        return csv_text([self.rows[0], *lines]) if self.rows else ""

    def split(self, by: Mapping[str, str]) -> dict[str, VolumeRun]:
        """Return the run of each stratum's cases alone, those missing too.

        Parameters
        ----------
        by : mapping of str to str
            By case, its stratum; for every truth.
        """
        cases = self.cases.split(by)
        names = {by[case] for case in (*map(str, self.cases), *self.missing)}
        return {
            name: dataclasses.replace(
                self,
                cases=cases.get(name, Cases()),
                rows=tuple(row for row in self.rows if by[row["case"]] == name),
                missing=tuple(case for case in self.missing if by[case] == name),
                extra=(),
            )
            for name in sorted(names)
        }

    def write(self, folder: str | os.PathLike[str]) -> None:
        """Write ``per_label.csv`` and ``evaluation.json`` (the contract) into a folder."""
        write_texts(Path(folder), {PER_LABEL: self.to_csv(), EVALUATION: self.contract.to_json()})


def evaluate_volumes(
    gt: str | os.PathLike[str],
    pred: str | os.PathLike[str],
    *,
    labels: int | Iterable[int],
    ignore_label: int | None = None,
    background: int | None = None,
    surfaces: bool = True,
    tolerance: float | None = None,
    surface: Surface = "voxels",
    hd95: Percentile | None = None,
    one_empty: OneEmpty = "infinite",
    both_empty: BothEmpty = "undefined",
    spacing: Any = None,
    unit: str | None = None,
    unit_of: UnitOf | None = None,
    missing: str = "error",
    workers: int | None = 1,
    gt_prefix: str = "",
    gt_suffix: str = "",
    pred_prefix: str = "",
    pred_suffix: str = "",
    kept: KeptCases | None = None,
) -> VolumeRun:
    """Measure a folder of predicted label volumes against one of truths.

    Parameters
    ----------
    gt, pred : path-like
        Folders of ``.nii``, ``.nii.gz`` (extra ``volumes``), ``.npy`` or ``.npz`` files, paired by
        name without extension.
    labels : int or iterable of int
        Every label that a volume may hold; binary masks have ``labels=2, background=0``.
    ignore_label, background : int, optional
        As for `label_overlap`.  Neither has rows.
    surfaces : bool
        Whether HD, HD95, ASSD and MASD are measured.  Not with `ignore_label`, which would cut
        surfaces.
    tolerance : float, optional
        Of the normalised surface distance, in the unit of the spacing; without it there is none.
    surface : {"voxels", "elements"}
        What the surface points are, as for `surface_distances`.
    hd95 : {"max", "pooled", "mean", "inverse_cdf"}, optional
        The convention of HD95, as for `SurfaceDistances.hd_percentile`: ``"max"`` by default, of
        elements ``"inverse_cdf"``, their only one.
    one_empty : {"infinite", "diagonal"}
        Distances where only one volume has the label: infinite, in no mean, or its diagonal.
    both_empty : {"undefined", "perfect"}
        What the rows say of a label that a case has in neither volume: NaN, counted and in no mean,
        or overlap 1, distances 0 and NSD 1.  `VolumeRun.cases` has NaN in either case.
    spacing, unit : optional
        For files that do not say theirs; by default 1 and ``"voxel"``.  A spacing that a file
        tells without a unit is taken as mm, and the contract says that it was assumed.
    unit_of : mapping from case, or function of a case, optional
        What each case is resampled with: its patient.
    missing : {"error", "skip"}
        What is done with a truth that has no prediction; those skipped are listed.
    workers : int, optional
        Threads, each of which holds the volumes of a case; None: as many as the processors that
        may be used, at most 8.  The result does not depend on it.
    gt_prefix, gt_suffix, pred_prefix, pred_suffix : str
        Parts of file names to leave off before pairing.
    kept : KeptCases, optional
        Where cases are kept as they are measured, and taken from that were before.

    Returns
    -------
    VolumeRun

    Raises
    ------
    InputError
        When names are missing, a choice is none, a value is no label, or surfaces' units differ.
    FormatError
        When a file cannot be read or two do not lie on one grid.
    MissingExtraError
        When nibabel is needed and not installed.
    """
    chosen = represent_labels.label_set(labels, ignore_label)
    _check_choices(chosen, background, missing, both_empty, surfaces)
    how = surface_rule(surfaces, surface, hd95, one_empty, tolerance)
    pairs = pair(
        gt, {"pred": pred}, gt_prefix=gt_prefix, gt_suffix=gt_suffix, pred_prefix=pred_prefix,
        pred_suffix=pred_suffix, suffixes=volumes.SUFFIXES,
    )  # fmt: skip
    absent, found = pairs.missing["pred"], pairs.predictions["pred"]
    if missing == "error":
        require_predictions(pairs, named=False)
    units = {case: _unit_of(case, unit_of) for case in sorted(found)}
    require_one_unit([pairs.truths[case] for case in units], spacing, unit, surfaces)

    def measured(case: str) -> MeasuredCase:
        files = identity(pairs.truths[case]), identity(found[case])
        truth, guess = read_pair(pairs.truths[case], found[case])
        require_surfaces(pairs.truths[case], truth, how)
        grid = grid_of(truth, spacing, unit)
        try:
            overlap = label_overlap(
                guess.values, truth.values, labels=chosen.values, ignore_label=ignore_label,
                background=background,
            )  # fmt: skip
        except InputError as error:
            wrong = pairs.truths if str(error).startswith("gt ") else found
            raise InputError(f"{printable(wrong[case])}: {error}") from error
        rows = list(rows_of(case, overlap, guess, truth, grid, how, both_empty))
        return MeasuredCase(overlap, rows, grid, files)

    cases: Cases[LabelOverlap] = Cases()
    rows: list[Row] = []
    grids: set[Grid] = set()
    todo = _Todo(pairs.truths, found, kept, check_workers(workers))
    for case, one in _each(measured, units, todo):
        cases.add(case, one.overlap, unit=units[case])
        rows += one.rows
        grids.add(one.grid)
    extra = tuple(pairs.extra["pred"])
    contract = _contract(grids, chosen, background, how, both_empty, unit_of)
    return VolumeRun(cases, tuple(rows), tuple(absent), extra, contract)


class _Todo(NamedTuple):
    """Where the files of the cases lie, what is kept of them, and the number of threads."""

    truths: Mapping[str, Path]
    predictions: Mapping[str, Path]
    kept: KeptCases | None
    workers: int


def _each(
    measured: Callable[[str], MeasuredCase], cases: Iterable[str], todo: _Todo
) -> Iterator[tuple[str, MeasuredCase]]:
    """Yield every case in order: what is kept as it is, the others measured and kept."""
    truths, predictions, kept, workers = todo
    before = {} if kept is None else {
        case: one for case in cases if (one := kept.standing(case, truths[case], predictions[case]))
    }  # fmt: skip
    fresh = [case for case in cases if case not in before]
    with contextlib.closing(in_order(measured, fresh, workers, len(fresh))) as found:
        for case in cases:
            if case in before:
                yield case, before[case]
                continue
            _, one = next(found)
            if kept is not None:
                kept.add(case, one)
            yield case, one


def _check_choices(
    labels: represent_labels.LabelSet,
    background: int | None,
    missing: str,
    both_empty: str,
    surfaces: bool,
) -> None:
    represent_labels.check_background(background, labels)
    one_of("missing", missing, ("error", "skip"))
    if labels.ignored is not None and surfaces:
        raise InputError("surfaces must be False with ignore_label, which would cut surfaces")
    one_of("both_empty", both_empty, CHOICES["both_empty"])


def require_predictions(pairs: PairList, *, named: bool) -> None:
    """Refuse truths without a prediction; `named` says whether methods have names of the user's."""
    for method, names in pairs.missing.items():
        if names:
            hint = f"; {pairs.hints[method]}" if method in pairs.hints else ""
            count = f"{len(names)} truth{'s have' if len(names) != 1 else ' has'}"
            shown = ", ".join(names[:5]) + (", …" if len(names) > 5 else "")
            raise InputError(
                f"{f'{method!r}: ' * named}{count} no prediction ({shown}{hint}); missing='skip' "
                f"leaves {'them' if len(names) != 1 else 'it'} out"
            )


def _unit_of(case: str, unit_of: UnitOf | None) -> Hashable:
    if unit_of is None or callable(unit_of):
        return case if unit_of is None else unit_of(case)
    if case not in unit_of:
        raise InputError(f"unit_of must have every case; {case!r} has none")
    return unit_of[case]


def _contract(
    grids: set[Grid],
    labels: represent_labels.LabelSet,
    background: int | None,
    surfaces: SurfaceRule | None,
    both_empty: BothEmpty,
    unit_of: UnitOf | None,
) -> EvaluationContract:
    neither = "NaN, counted" if both_empty == "undefined" else "overlap 1, distances 0"
    spacings = {grid.spacing for grid in grids}
    units = {unit: {grid.told for grid in grids if grid.unit == unit} for unit in _units(grids)}
    away = "inf, counted"
    if surfaces is not None and surfaces.one_empty == "diagonal":
        away = "the volume's diagonal"
    boundary = "none" if surfaces is None else _BOUNDARIES[surfaces.surface]
    if surfaces is not None and surfaces.tolerance is not None:
        boundary += f"; NSD within {surfaces.tolerance:g} {'/'.join(_units(grids))}"
    outside = "" if background is None else f", without background {background}"
    if labels.ignored in labels.values:
        outside += f", without the ignored {labels.ignored}"
    return EvaluationContract(
        foreground=f"each of the labels {labels} against the rest{outside}",
        alignment="one grid by shape and affine, no resampling",
        ignored_regions="none" if labels.ignored is None else f"truth {labels.ignored}",
        spacing=spacings.pop() if len(spacings) == 1 else "per case",
        unit=", ".join(map(_with_assumed, units, units.values())) or "not stated",
        threshold="none: labels",
        boundary=boundary,
        empty_masks=f"label in neither: {neither}; in one: overlap 0, distances {away}",
        hd95="not used" if surfaces is None else surfaces.hd95,
        aggregation="one row per case and label",
        sampling_unit="case" if unit_of is None else "as named by unit_of",
    )


def _units(grids: set[Grid]) -> list[str]:
    return sorted({grid.unit for grid in grids})


def _with_assumed(unit: str, told: set[bool]) -> str:
    """Add to a unit whether all of its cases say it, only some or none."""
    if False not in told:
        return unit
    return f"{unit} ({'of some cases ' * (True in told)}assumed, not told)"
