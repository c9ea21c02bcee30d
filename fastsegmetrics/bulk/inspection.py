"""The worst pairs of a finished run, drawn: what to look at first."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastsegmetrics import represent
from fastsegmetrics.bulk.measure import read_prediction
from fastsegmetrics.bulk.pairs import PairList
from fastsegmetrics.bulk.picture_folder import (
    COLUMNS,
    check_choices,
    new_folder,
    write_index,
    write_picture,
)
from fastsegmetrics.bulk.resume import identity_now, what_changed
from fastsegmetrics.bulk.sources import Sources
from fastsegmetrics.bulk.store import RunStore, StoredPair
from fastsegmetrics.bulk.stored_values import StoredValues
from fastsegmetrics.bulk.worst import Inspected, lines_of
from fastsegmetrics.conventions import Conventions
from fastsegmetrics.errors import InputError
from fastsegmetrics.io import printable, read_image, read_mask
from fastsegmetrics.reporting import overlay as pictures
from fastsegmetrics.statistics.boundary_map import boundary_map


class _Pair(NamedTuple):
    pred: NDArray[np.bool_]
    gt: NDArray[np.bool_]
    background: NDArray[np.uint8]


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


def _conventions(stored: StoredValues, metric: str) -> Conventions:
    told = stored.summary["contract"]["conventions"]
    row = stored.row(metric)
    # Targets are read off the map as it is.
    stretched = told["stretch"] and (row is None or row.score.stretched)
    return Conventions(**{**told, "stretch": stretched})


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
    found = boundary_map(pair.pred, pair.gt)
    drawn = pictures.overlay(
        pair.background, pair.pred, pair.gt, found, limit=limit, zoom=zoom
    )  # fmt: skip
    return write_picture(folder, line, drawn, pair.pred, pair.gt, found)
