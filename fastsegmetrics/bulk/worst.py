"""Which pairs of maps or cases of volumes of a finished run are its worst."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import NamedTuple

from fastsegmetrics.bulk.stored_values import StoredValues, StoredVolumes
from fastsegmetrics.catalog import Direction
from fastsegmetrics.errors import InputError


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


def _methods(
    stored: StoredValues | StoredVolumes, methods: Iterable[str] | None
) -> tuple[str, ...]:
    chosen = stored.methods if methods is None else tuple(methods)
    for method in chosen:
        if method not in stored.methods:
            known = ", ".join(stored.methods)
            raise InputError(f"method must be one of the run's ({known}); received {method!r}")
    return chosen


def units_of(lines: Iterable[Inspected]) -> str:
    """Return what the distances of all lines are in, "" if none says it."""
    return "/".join(sorted({line.unit for line in lines if line.unit}))
