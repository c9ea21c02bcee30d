"""The values of single images, or of single cases of volumes, of a finished run directory."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import numpy as np

from fastsegmetrics.bulk.files import EVALUATION, PER_IMAGE
from fastsegmetrics.bulk.stored_runs import load_summary
from fastsegmetrics.bulk.stored_volumes import holds_volumes
from fastsegmetrics.bulk.volume_tables import IN_UNITS, OF_CASES, PER_LABEL
from fastsegmetrics.catalog import METRICS, Direction, Metric
from fastsegmetrics.catalog.rows import Half
from fastsegmetrics.errors import InputError
from fastsegmetrics.halves import in_half
from fastsegmetrics.io import printable

Values = dict[str, dict[str, float]]


class StoredValues:
    """Per-image values of a run by metric, method and sample.

    Parameters
    ----------
    directory : path
        The run directory.

    Raises
    ------
    InputError
        It holds no finished run, or its ``per_image.csv`` is damaged.
    """

    def __init__(self, directory: str | Path) -> None:
        self.directory = Path(directory)
        self.summary: dict[str, Any] = load_summary(directory)
        self.samples: list[tuple[str, str]] = []
        self._columns: dict[str, list[float]] = {}
        self._read(self.directory / PER_IMAGE)

    def _read(self, path: Path) -> None:
        try:
            with open(path, encoding="utf-8", newline="") as stream:
                (_, _, *names), *rows = csv.reader(stream)
            self.samples = [(method, sample) for method, sample, *_ in rows]
            columns = zip(*((float(value) for value in row[2:]) for row in rows), strict=True)
            self._columns = dict(zip(names, map(list, columns), strict=bool(rows)))
        except OSError as error:
            raise InputError(f"{printable(path)}: cannot be read ({error.strerror})") from error
        except (ValueError, csv.Error) as error:
            raise InputError(f"{printable(path)}: not the per-image values of a run") from error

    @property
    def methods(self) -> tuple[str, ...]:
        """The methods of the run."""
        return tuple(self.summary["methods"])

    @property
    def metrics(self) -> tuple[str, ...]:
        """What has a value for each image, and a direction."""
        return tuple(name for name in self._columns if self._direction(name) is not None)

    def column(self, metric: str) -> str:
        """Return the name by which the run knows a metric's per-image values.

        Parameters
        ----------
        metric : str
            A column of ``per_image.csv``, or a metric of the catalogue that is made from one.

        Raises
        ------
        InputError
            The run has no such values; the message names those that it has.
        """
        row = METRICS.get(metric)
        half = _half(metric)
        if half is None or half.column in self._columns:
            for name in (metric, None if row is None else row.column):
                if name in self.metrics:
                    return str(name)
        raise InputError(
            f"metric must have a value for each image of {printable(self.directory)}, which has "
            f"{', '.join(self.metrics) or 'none'}; received {metric!r}"
        )

    def title(self, metric: str) -> str:
        """Return what a metric's values are called: `column`, or the half of which they are."""
        column = self.column(metric)
        return column if _half(metric) is None else metric

    def direction(self, metric: str) -> Direction:
        """Return which values of a metric are better: "higher" or "lower"."""
        found = self._direction(self.column(metric))
        assert found is not None
        return found

    def contract(self, metric: str) -> dict[str, Any]:
        """Return what shaped a metric's values."""
        told = self.summary["contract"]
        title = self.title(metric)
        rows = {name: row for name, row in told["metrics"].items() if name == title}
        return {**told, "metrics": rows}

    def row(self, metric: str) -> Metric | None:
        """Return the catalogue's row of a metric's values, if there is one."""
        return _row(self.column(metric))

    def values(self, metric: str) -> Values:
        """Return the values of a metric by method and sample.

        Of a half of the data set they are its images'; NaN where an image belongs to neither.
        """
        values = np.array(self._columns[self.column(metric)])
        kept = np.ones(values.shape, bool)
        half = _half(metric)
        if half is not None:
            levels = np.array(self._columns[half.column])
            values = np.where(np.isnan(levels), np.nan, values)
            kept = np.isnan(levels)
            middle = self.summary["middle_levels"][half.column]
            if middle is not None:  # None where no image has a level
                kept |= in_half(levels, middle, half.hard)
        found: Values = {method: {} for method in self.methods}
        rows = zip(self.samples, values.tolist(), kept.tolist(), strict=True)
        for (method, sample), value, belongs in rows:
            if belongs:
                found[method][sample] = value
        return found

    def _direction(self, column: str) -> Direction | None:
        told = self.summary["contract"]["metrics"].get(column)
        if told is not None:
            direction: Direction = told["direction"]
            return direction
        row = _row(column)
        return None if row is None else row.direction


class StoredVolumes:
    """Values of one label of a run of volumes, by metric, method and case.

    Parameters
    ----------
    directory : path
        What `evaluate_volume_methods` wrote.
    label : int
        Whose values.

    Raises
    ------
    InputError
        A file is damaged, or the run has no such label.
    """

    def __init__(self, directory: str | Path, label: int) -> None:
        self.directory = Path(directory)
        path = self.directory / PER_LABEL
        try:
            with open(path, encoding="utf-8", newline="") as stream:
                rows = list(csv.DictReader(stream))
            self._contract = json.loads((self.directory / EVALUATION).read_text(encoding="utf-8"))
            labels = {int(row["label"]): None for row in rows}
            self._rows = [row for row in rows if int(row["label"]) == label]
            self.metrics = tuple(name for name in OF_CASES if name in rows[0])
            self._values = [[float(row[name]) for name in self.metrics] for row in self._rows]
        except OSError as error:
            raise InputError(f"{printable(path)}: cannot be read ({error.strerror})") from error
        except (ValueError, KeyError, TypeError, IndexError, csv.Error) as error:
            raise InputError(f"{printable(path)}: not the values of a run of volumes") from error
        if label not in labels:
            known = ", ".join(map(str, labels))
            raise InputError(f"label must be one of the run's ({known}); received {label!r}")
        self.methods = tuple(dict.fromkeys(row["method"] for row in self._rows))

    def column(self, metric: str) -> str:
        """Return a score's name, or refuse one that the run does not have."""
        if metric not in self.metrics:
            raise InputError(
                f"metric must have a value for each case of {printable(self.directory)}, which has "
                f"{', '.join(self.metrics)}; received {metric!r}"
            )
        return metric

    #: What a score's values are called.
    title = column

    def direction(self, metric: str) -> Direction:
        """Return which values of a score are better: "higher" or "lower"."""
        return OF_CASES[self.column(metric)]

    def contract(self, metric: str) -> dict[str, Any]:
        """Return what shaped a score's values, which strata of the cases do not."""
        return {name: told for name, told in self._contract.items() if name != "strata"}

    def values(self, metric: str) -> Values:
        """Return the values of a score by method and case; refuse lengths in unlike units."""
        place = self.metrics.index(self.column(metric))
        units = {row["unit"]: row["case"] for row in self._rows}
        if metric in IN_UNITS and len(units) > 1:
            (one, case), (other, second) = list(units.items())[:2]
            raise InputError(
                f"{printable(self.directory)}: {metric} must be in one unit to be compared over "
                f"cases; {case!r} is in {one}, {second!r} in {other}"
            )
        found: Values = {method: {} for method in self.methods}
        for row, values in zip(self._rows, self._values, strict=True):
            found[row["method"]][row["case"]] = values[place]
        return found

    def voxels(self, method: str, case: str) -> tuple[int, int]:
        """Return how many voxels of the label a case had, true and predicted."""
        row = next(r for r in self._rows if (r["method"], r["case"]) == (method, case))
        return int(row["gt_voxels"]), int(row["pred_voxels"])


def asked_of_volumes(directory: str | Path, label: int | None) -> bool:
    """Whether a directory holds a run of volumes; whether a label is given must fit that.

    Raises
    ------
    InputError
        A label is given for images, or none for volumes.
    """
    found = holds_volumes(directory)
    if found == (label is None):
        where = printable(Path(directory))
        if found:
            raise InputError(f"label must say which label of the volumes in {where} is meant")
        raise InputError(
            f"label must be None for a run of images, as that in {where}; received {label!r}"
        )
    return found


def stored_values(directory: str | Path, label: int | None = None) -> StoredValues | StoredVolumes:
    """Read the values of a finished run, of volumes those of a label.

    Raises
    ------
    InputError
        As for `asked_of_volumes` and the two classes.
    """
    if asked_of_volumes(directory, label):
        assert label is not None
        return StoredVolumes(directory, label)
    return StoredValues(directory)


def _half(metric: str) -> Half | None:
    row = METRICS.get(metric)
    return None if row is None else row.report.half


def _row(column: str) -> Metric | None:
    return METRICS.get(column) or next(
        (row for row in METRICS.values() if row.column == column), None
    )
