"""Two methods of finished runs on the same images or cases, metric by metric."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from fastsegmetrics.bulk.resume import told_apart
from fastsegmetrics.bulk.stored_values import StoredValues, StoredVolumes, stored_values
from fastsegmetrics.catalog import Direction
from fastsegmetrics.errors import InputError
from fastsegmetrics.reporting.paired import PairedComparison, compare_methods


class ComparedMetric(NamedTuple):
    """One metric of both methods.

    Attributes
    ----------
    metric : str
    direction : {"higher", "lower"}
    a, b : float
        Means over the cases that are compared.
    found : PairedComparison
        Of a − b.
    """

    metric: str
    direction: Direction
    a: float
    b: float
    found: PairedComparison

    @property
    def n_a_better(self) -> int:
        """Cases in which the first method is better."""
        return self.found.n_larger if self.direction == "higher" else self.found.n_smaller

    @property
    def n_b_better(self) -> int:
        """Cases in which the second method is better."""
        return self.found.n_smaller if self.direction == "higher" else self.found.n_larger


class ComparedRuns(NamedTuple):
    """What `compare_runs` gives.

    Attributes
    ----------
    a, b : str
        The methods, with their run directories where the names are one.
    rows : tuple of ComparedMetric
    only_a, only_b : tuple of str
        Cases left out because the other method has no value of them.
    warnings : tuple of str
        Where the contracts of two runs differ.
    """

    a: str
    b: str
    rows: tuple[ComparedMetric, ...]
    only_a: tuple[str, ...]
    only_b: tuple[str, ...]
    warnings: tuple[str, ...]


def compare_runs(
    run: str | Path,
    a: str,
    b: str,
    metrics: Sequence[str],
    *,
    other: str | Path | None = None,
    label: int | None = None,
    shared: bool = False,
    units: Mapping[str, Hashable] | None = None,
    unit: str = "case",
    level: float = 0.95,
    n_resamples: int = 9999,
    seed: int = 0,
) -> ComparedRuns:
    """Compare two methods by the paired bootstrap and Wilcoxon's test.

    Parameters
    ----------
    run : path
        The run directory of `a`, and of `b` unless `other` is given.
    a, b : str
        The methods.
    metrics : sequence of str
        Each must have a value for each image (columns of ``per_image.csv``) or case of volumes.
    other : path, optional
        The run directory of `b`.
    label : int, optional
        Of volumes: whose values.
    shared : bool
        Compare the cases that both have, and list the others; False refuses others.
    units, unit
        What each case is resampled with, and what that is called.
    level, n_resamples, seed
        As for `compare_methods`.

    Raises
    ------
    InputError
        A run is not finished, has no such method, metric or label, the cases are not the same, or
        a choice is none.
    """
    first = stored_values(run, label)
    second = first if other is None else stored_values(other, label)
    for stored, method in ((first, a), (second, b)):
        if method not in stored.methods:
            raise InputError(
                f"method must be one of {stored.directory}'s ({', '.join(stored.methods)}); "
                f"received {method!r}"
            )
    if other is None and a == b:
        raise InputError(f"a method must be compared with another; received {a!r} twice")
    rows: list[ComparedMetric] = []
    only_a: tuple[str, ...] = ()
    only_b: tuple[str, ...] = ()
    for metric in metrics:
        ours, theirs = first.values(metric)[a], second.values(metric)[b]
        if shared:
            only_a = tuple(case for case in ours if case not in theirs)
            only_b = tuple(case for case in theirs if case not in ours)
            ours = {case: value for case, value in ours.items() if case in theirs}
            theirs = {case: theirs[case] for case in ours}
        found = compare_methods(
            ours, theirs, units=units, unit=unit, level=level, n_resamples=n_resamples, seed=seed
        )
        direction = first.direction(metric)
        rows.append(ComparedMetric(first.title(metric), direction, *_means(ours, theirs), found))
    names = (f"{a} ({run})", f"{b} ({other})") if a == b else (a, b)
    return ComparedRuns(*names, tuple(rows), only_a, only_b, _differences(first, second, metrics))


def _means(ours: Mapping[str, float], theirs: Mapping[str, float]) -> tuple[float, float]:
    both = [(value, theirs[case]) for case, value in ours.items()]
    used = [pair for pair in both if all(map(math.isfinite, pair))]
    if not used:
        return math.nan, math.nan
    one, two = (math.fsum(side) / len(used) for side in zip(*used, strict=True))
    return one, two


def _differences(
    first: StoredValues | StoredVolumes,
    second: StoredValues | StoredVolumes,
    metrics: Sequence[str],
) -> tuple[str, ...]:
    told: dict[str, None] = {}
    for name in metrics:
        contracts = (first.contract(name), first.directory, second.contract(name), second.directory)
        told |= dict.fromkeys(told_apart(*contracts))
    return tuple(told)
