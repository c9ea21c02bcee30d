"""The worst pairs of a finished run, drawn: what to look at first."""

from __future__ import annotations

import csv
import io
import math
import os
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastsegmetrics import represent
from fastsegmetrics.bulk.files import replace_file
from fastsegmetrics.bulk.heat_maps import file_name
from fastsegmetrics.bulk.measure import read_prediction
from fastsegmetrics.bulk.pairs import PairList
from fastsegmetrics.bulk.resume import identity_now, what_changed
from fastsegmetrics.bulk.run_directory import run_directory
from fastsegmetrics.bulk.sources import Sources
from fastsegmetrics.bulk.store import RunStore, StoredPair
from fastsegmetrics.bulk.stored_values import StoredValues, StoredVolumes
from fastsegmetrics.catalog import Direction
from fastsegmetrics.conventions import Conventions
from fastsegmetrics.errors import InputError
from fastsegmetrics.io import printable, read_image, read_mask
from fastsegmetrics.io.png_writer import png_bytes
from fastsegmetrics.reporting import overlay as pictures
from fastsegmetrics.statistics.boundary_map import BoundaryMap, boundary_map

INDEX, LEGEND = "index.csv", "legend.png"
COLUMNS = (
    "method", "rank", "sample", "metric", "value", "state", "picture", "tp", "fp", "fn",
    "mean_distance", "max_distance",
)  # fmt: skip


class Inspected(NamedTuple):
    """One line of the index: a pair that was drawn, or one whose value is undefined.

    Attributes
    ----------
    method, sample : str
    rank : int or None
        1 is the worst of its method; None for what is undefined.
    metric : str
    value : float
    state : {"drawn", "undefined"}
    picture : str
        Its file, relative to the index; "" if there is none.
    tp, fp, fn : int or None
        Pixels of both masks, of the prediction's alone, and missed.
    mean_distance, max_distance : float or None
        Of the prediction's boundary to the truth's, in pixels or in `unit`; NaN without a
        boundary, infinite where the truth has none.
    label, axis, slice : int or None
        Of volumes: whose values, and which slice was drawn.
    unit : str
        Of volumes: what distances are in.
    """

    method: str
    rank: int | None
    sample: str
    metric: str
    value: float
    state: str = "undefined"
    picture: str = ""
    tp: int | None = None
    fp: int | None = None
    fn: int | None = None
    mean_distance: float | None = None
    max_distance: float | None = None
    label: int | None = None
    axis: int | None = None
    slice: int | None = None
    unit: str = ""


class _Pair(NamedTuple):
    pred: NDArray[np.bool_]
    gt: NDArray[np.bool_]
    background: NDArray[np.uint8]


def ranked(values: dict[str, float], direction: Direction) -> tuple[list[str], list[str]]:
    """Return the samples from the worst on, and those whose value is undefined.

    Infinite values are the worst where lower is better; equal ones stand in order of their names.

    Examples
    --------
    >>> ranked({"a": 0.1, "b": float("nan"), "c": 0.3, "d": 0.1}, "lower")
    (['c', 'a', 'd'], ['b'])
    """
    sign = 1 if direction == "higher" else -1
    defined = [sample for sample, value in values.items() if not math.isnan(value)]
    undefined = sorted(sample for sample, value in values.items() if math.isnan(value))
    return sorted(defined, key=lambda sample: (sign * values[sample], sample)), undefined


def inspect_run(
    directory: str | Path,
    metric: str,
    out: str | Path,
    *,
    worst: int = 10,
    methods: Iterable[str] | None = None,
    limit: float = 10.0,
    zoom: int = pictures.LEAST_ZOOM,
) -> list[Inspected]:
    """Draw the worst pairs of each method of a run.

    Parameters
    ----------
    directory : path-like
        A finished run directory of `evaluate_folders`.
    metric : str
        What ranks them: a column of ``per_image.csv``, or a metric that is made from one.
    out : path-like
        A new or empty folder for ``index.csv``, ``legend.png`` and ``METHOD/RANK_SAMPLE.png``.
    worst : int
        How many of each method, at least 1; all if there are fewer.
    methods : iterable of str, optional
        Which methods; all by default.
    limit : float
        The distance in pixels at which the scale of the boundaries ends.
    zoom : int
        Side of the block that a pixel becomes, at least 3.

    Returns
    -------
    list of Inspected
        The lines of the index: of each method those drawn, worst first, then those undefined.

    Raises
    ------
    InputError
        The run is not finished, has no such values or method, a choice is none, a file has changed
        since it was measured, or the folder is not empty.
    FormatError
        A file cannot be read.
    """
    check_choices(worst, limit, zoom)
    stored = StoredValues(directory)
    lines = lines_of(stored, metric, worst, methods)
    with RunStore(directory, create=False) as store:
        sources = Sources.stored(store)
        rows = {(row.method, row.sample): row for row in store.pairs()}
    reader = _Reader(sources, _conventions(stored, metric), rows)
    # Before the first picture, so that no folder is left with some.
    for line in lines:
        if line.rank is not None:
            reader.require_unchanged(line.method, line.sample)
    folder = new_folder(out, sources)
    lines = [
        line
        if line.rank is None
        else _drawn(line, reader.read(line.method, line.sample), folder, limit, zoom)
        for line in lines
    ]
    write_index(folder, lines, COLUMNS, limit, "px")
    return lines


def check_choices(worst: int, limit: float, zoom: int) -> None:
    """Refuse what cannot be drawn."""
    for name, value, least in (("worst", worst, 1), ("zoom", zoom, pictures.LEAST_ZOOM)):
        if value < least:
            raise InputError(f"{name} must be at least {least}; received {value!r}")
    if not (math.isfinite(limit) and limit > 0):
        raise InputError(f"limit must be a finite number above 0; received {limit!r}")


def lines_of(
    stored: StoredValues | StoredVolumes,
    metric: str,
    worst: int,
    methods: Iterable[str] | None,
) -> list[Inspected]:
    """Return the lines of the index, of which those with a rank are still to be drawn."""
    title, direction = stored.title(metric), stored.direction(metric)
    lines: list[Inspected] = []
    for method in _methods(stored, methods):
        values = stored.values(metric)[method]
        order, undefined = ranked(values, direction)
        for rank, sample in enumerate(order[:worst], 1):
            lines.append(Inspected(method, rank, sample, title, values[sample]))
        lines += [Inspected(method, None, one, title, values[one]) for one in undefined]
    return lines


def _methods(
    stored: StoredValues | StoredVolumes, methods: Iterable[str] | None
) -> tuple[str, ...]:
    chosen = stored.methods if methods is None else tuple(methods)
    for method in chosen:
        if method not in stored.methods:
            known = ", ".join(stored.methods)
            raise InputError(f"method must be one of the run's ({known}); received {method!r}")
    return chosen


def _conventions(stored: StoredValues, metric: str) -> Conventions:
    told = stored.summary["contract"]["conventions"]
    row = stored.row(metric)
    # Targets are read off the map as it is.
    stretched = told["stretch"] and (row is None or row.score.stretched)
    return Conventions(**{**told, "stretch": stretched})


def new_folder(out: str | Path, sources: Sources) -> Path:
    """Make the folder of the pictures, or refuse one that holds anything."""
    read = {f"the predictions of {method!r}": folder for method, folder in sources.preds.items()}
    read["the ground truths"] = sources.gt
    if sources.image is not None:
        read["the photographs"] = sources.image
    folder = run_directory(out, read, files=())
    try:
        folder.mkdir(parents=True, exist_ok=True)
        held = sorted(os.listdir(folder))
    except OSError as error:
        raise InputError(f"{printable(folder)}: cannot be made ({error.strerror})") from error
    if held:
        raise InputError(
            f"{printable(folder)}: must be new or empty, so that it holds these pictures alone; "
            f"it holds {printable(held[0])}"
        )
    return folder


class _Reader:
    """Reads pairs as the run measured them."""

    def __init__(
        self,
        sources: Sources,
        conventions: Conventions,
        rows: dict[tuple[str, str], StoredPair],
    ) -> None:
        self._pairs: PairList = sources.pairs()
        self._conventions = conventions
        self._rows = rows

    def require_unchanged(self, method: str, sample: str) -> None:
        row = self._rows[method, sample]
        truth, prediction = self._files(method, sample)
        # That of the photograph, if the run looked at it, stands after a "/".
        for role, path, before in (
            ("ground truth", truth, row.truth.split("/")[0]),
            (f"prediction of {method!r}", prediction, row.prediction),
        ):
            now = identity_now(path)
            if now != before:
                file = repr(sample) if path is None else printable(path)
                end = what_changed(before, now)
                raise InputError(f"the {role} {file} {end}; put the measured one back")

    def read(self, method: str, sample: str) -> _Pair:
        truth, prediction = self._files(method, sample)
        assert truth is not None
        gt = represent.mask(read_mask(truth), self._conventions.gt_threshold).view(bool)
        shape = gt.shape[0], gt.shape[1]
        values, _ = read_prediction(prediction, truth, shape, self._conventions)
        pred = represent.prediction(values, self._conventions, shape)
        return _Pair(represent.unit_values(pred) > 0.5, gt, self._background(sample, gt))

    def _files(self, method: str, sample: str) -> tuple[Path | None, Path | None]:
        return self._pairs.truths.get(sample), self._pairs.predictions[method].get(sample)

    def _background(self, sample: str, gt: NDArray[np.bool_]) -> NDArray[np.uint8]:
        path = self._pairs.images.get(sample)
        if path is None:
            return pictures.truth_as_background(gt)
        image = read_image(path)
        if image.shape[:2] != gt.shape:
            raise InputError(
                f"{printable(path)}: a photograph must have its truth's size {gt.shape}; it has "
                f"{image.shape[:2]}"
            )
        return pictures.photograph_as_background(image)


def _drawn(line: Inspected, pair: _Pair, folder: Path, limit: float, zoom: int) -> Inspected:
    found: BoundaryMap = boundary_map(pair.pred, pair.gt)
    drawn = pictures.overlay(
        pair.background, pair.pred, pair.gt, found, limit=limit, zoom=zoom
    )  # fmt: skip
    name = write_picture(folder, line, drawn)
    return told_of(line, name, pair.pred, pair.gt, found.distance[found.pred])


def write_picture(folder: Path, line: Inspected, drawn: NDArray[np.uint8]) -> str:
    """Write the picture of a line; return its file, relative to the folder."""
    name = f"{file_name(line.method)}/{line.rank:03d}_{file_name(line.sample)}.png"
    path = folder / name
    try:
        path.parent.mkdir(exist_ok=True)
    except OSError as error:
        raise InputError(f"{printable(path.parent)}: cannot be made ({error.strerror})") from error
    replace_file(path, png_bytes(drawn))
    return name


def told_of(
    line: Inspected,
    picture: str,
    pred: NDArray[np.bool_],
    gt: NDArray[np.bool_],
    distances: NDArray[np.float64],
) -> Inspected:
    """Return a line with what was drawn, counted."""
    return line._replace(
        state="drawn",
        picture=picture,
        tp=int((pred & gt).sum()),
        fp=int((pred & ~gt).sum()),
        fn=int((gt & ~pred).sum()),
        mean_distance=float(distances.mean()) if distances.size else math.nan,
        max_distance=float(distances.max()) if distances.size else math.nan,
    )


def write_index(
    folder: Path, lines: list[Inspected], columns: tuple[str, ...], limit: float, unit: str
) -> None:
    """Write the index, and the legend with the scale of the distances."""
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows([getattr(line, name) for name in columns] for line in lines)
    replace_file(folder / LEGEND, png_bytes(pictures.legend(limit, unit)))
    replace_file(folder / INDEX, printable(stream.getvalue()).encode("utf-8"))
