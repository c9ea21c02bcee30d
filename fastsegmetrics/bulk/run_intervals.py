"""Means of finished runs with their bootstrap intervals, metric by metric."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from fastsegmetrics.bulk.stored_values import stored_values
from fastsegmetrics.catalog import Direction
from fastsegmetrics.errors import InputError
from fastsegmetrics.reporting.intervals import Interval, Method, bootstrap_mean


class MetricInterval(NamedTuple):
    """The mean of one metric of one method over its cases.

    Attributes
    ----------
    method, metric : str
    direction : {"higher", "lower"}
    found : Interval
    """

    method: str
    metric: str
    direction: Direction
    found: Interval


def run_intervals(
    run: str | Path,
    metrics: Sequence[str],
    *,
    methods: Iterable[str] | None = None,
    label: int | None = None,
    units: Mapping[str, Hashable] | None = None,
    unit: str = "case",
    level: float = 0.95,
    n_resamples: int = 9999,
    method: Method = "percentile",
    seed: int = 0,
) -> list[MetricInterval]:
    """Return the means over cases of a finished run with their bootstrap intervals.

    Parameters
    ----------
    run : path
        A run directory, of images or of volumes.
    metrics : sequence of str
        Each must have a value for each image (columns of ``per_image.csv``) or case of volumes.
    methods : iterable of str, optional
        Which methods; all by default.
    label : int, optional
        Of volumes: whose values.
    units, unit
        What each case is resampled with, and what that is called; the case by default.
    level, n_resamples, method, seed
        As for `bootstrap_mean`.

    Returns
    -------
    list of MetricInterval
        Method by method, in the order of `metrics`.

    Raises
    ------
    InputError
        The run is not finished, has no such method, metric or label, a case has no unit, or a
        choice is none.
    """
    stored = stored_values(run, label)
    chosen = stored.methods if methods is None else tuple(methods)
    found = []
    for name in chosen:
        if name not in stored.methods:
            known = ", ".join(stored.methods)
            raise InputError(f"method must be one of the run's ({known}); received {name!r}")
        for metric in metrics:
            values = stored.values(metric)[name]
            interval = bootstrap_mean(
                values.values(), units=_units(values, units), unit=unit, level=level,
                n_resamples=n_resamples, method=method, seed=seed,
            )  # fmt: skip
            column, direction = stored.column(metric), stored.direction(metric)
            found.append(MetricInterval(name, column, direction, interval))
    return found


def _units(cases: Iterable[str], units: Mapping[str, Hashable] | None) -> list[Hashable] | None:
    if units is None:
        return None
    missing = [case for case in cases if case not in units]
    if missing:
        raise InputError(f"units must have every case; {missing[0]!r} has none")
    return [units[case] for case in cases]
