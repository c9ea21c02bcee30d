"""The per-image values of a finished run directory, read back by metric."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

from fastsegmetrics.bulk.files import PER_IMAGE
from fastsegmetrics.bulk.stored_runs import load_summary
from fastsegmetrics.catalog import METRICS, Direction, Metric
from fastsegmetrics.errors import InputError
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
        for name in (metric, None if row is None else row.column):
            if name in self.metrics:
                return str(name)
        raise InputError(
            f"metric must have a value for each image of {printable(self.directory)}, which has "
            f"{', '.join(self.metrics) or 'none'}; received {metric!r}"
        )

    def direction(self, metric: str) -> Direction:
        """Return which values of a metric are better: "higher" or "lower"."""
        found = self._direction(self.column(metric))
        assert found is not None
        return found

    def row(self, metric: str) -> Metric | None:
        """Return the catalogue's row of a metric's values, if there is one."""
        return _row(self.column(metric))

    def values(self, metric: str) -> Values:
        """Return the values of a metric by method and sample."""
        column = self._columns[self.column(metric)]
        found: Values = {method: {} for method in self.methods}
        for (method, sample), value in zip(self.samples, column, strict=True):
            found[method][sample] = value
        return found

    def _direction(self, column: str) -> Direction | None:
        told = self.summary["contract"]["metrics"].get(column)
        if told is not None:
            direction: Direction = told["direction"]
            return direction
        row = _row(column)
        return None if row is None else row.direction


def _row(column: str) -> Metric | None:
    return METRICS.get(column) or next(
        (row for row in METRICS.values() if row.column == column), None
    )
