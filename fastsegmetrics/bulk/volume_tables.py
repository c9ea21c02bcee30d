"""What is told of runs of label volumes: the scores, the tables of means, and their text as CSV."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from fastsegmetrics.catalog import Direction
from fastsegmetrics.reporting.plain import csv_text
from fastsegmetrics.results import Aggregate

PER_LABEL, SUMMARY = "per_label.csv", "volumes.json"
#: Which values are better, of what is told as a mean over cases.
SCORES: dict[str, Direction] = {
    "dice": "higher", "iou": "higher", "precision": "higher", "recall": "higher",
    "hd": "lower", "hd95": "lower", "assd": "lower", "nsd": "higher",
}  # fmt: skip
#: Which of these are lengths, in the unit of the spacing.
DISTANCES = ("hd", "hd95", "assd")
#: What single cases can be ranked and compared by.
OF_CASES: dict[str, Direction] = {**SCORES, "masd": "lower", "absolute_size_difference": "lower"}
#: Which of these are in the unit of the spacing, or a power of it.
IN_UNITS = (*DISTANCES, "masd", "absolute_size_difference")
_COLUMNS = (
    "method", "label", "score", "value", "low", "high", "unit", "n_units", "direction",
    "n_expected", "n_used", "n_undefined", "n_infinite", "length_unit",
)  # fmt: skip

#: The entry of the means over labels, beside those of the labels.
OVER_LABELS = "mean over labels"

Table = dict[str, Aggregate]
#: By method and label, the means over labels after those of the labels.
Means = dict[str, dict[str, Table]]


class Stratum(NamedTuple):
    """One stratum: how many truths it has, measured or missing, and the means over them."""

    n_cases: int
    means: Means


class Titled(NamedTuple):
    """One table of a report: its title, what its rows are, and the aggregates of each."""

    title: str
    rows_are: str
    rows: dict[str, Table]


class Report(NamedTuple):
    """The tables of runs of volumes, and the labels that are in none because no case has them."""

    tables: tuple[Titled, ...]
    absent: tuple[str, ...]


def csv_of(methods: Mapping[str, Any]) -> str:
    """Return the text of `VolumeMethods.to_csv` from the methods of `VolumeMethods.to_dict`.

    What is None there is ``nan``, as in all CSV of this package.
    """
    told = dict(methods)
    for method, entry in methods.items():
        told |= {f"{method}[{name}]": part for name, part in entry.get("strata", {}).items()}
    lines: list[Any] = [_COLUMNS]
    lines += [
        [
            method,
            label,
            f"{score}{ending}",
            *(_cell(values[name]) for name in _COLUMNS[3:-1]),
            values.get("length_unit", ""),
        ]
        for method, entry in told.items()
        for part, ending in (("labels", ""), ("pooled", ".pooled"))
        for label, table in entry[part].items()
        for score, values in table.items()
    ]
    return csv_text(lines)


def _cell(value: Any) -> Any:
    return math.nan if value is None else value


def report_of(means: Means, strata: Mapping[str, Stratum], units: Iterable[str]) -> Report:
    """Return the tables of a report: of one method one with a row for each label, else one a label.

    Where there are several labels, their means too.  Each stratum has the same tables.  Titles say
    which of the `units` distances are in, if there are distances.
    """
    labels = [label for label in next(iter(means.values()), {}) if label != OVER_LABELS]
    present = [
        label
        for label in labels
        if any(one.n_used or one.n_infinite for of in means.values() for one in of[label].values())
    ]
    absent = tuple(label for label in labels if label not in present) if present else ()
    shown = present or labels
    tables = list(_tables(means, shown, len(labels)))
    for name, part in strata.items():
        start = f"{name} ({part.n_cases:,} case{'' if part.n_cases == 1 else 's'})"
        for table in _tables(part.means, shown, len(labels)):
            tables.append(table._replace(title=f"{start}: {table.title}"))
    if any(score in table for of in means.values() for table in of.values() for score in DISTANCES):
        ending = f", distances in {' or '.join(dict.fromkeys(units))}"
        tables = [table._replace(title=f"{table.title}{ending}") for table in tables]
    return Report(tuple(tables), absent)


def _tables(means: Means, shown: list[str], n_labels: int) -> Iterator[Titled]:
    if len(means) == 1 and n_labels > 1:
        ((method, of),) = means.items()
        rows = {label: of[label] for label in (*shown, OVER_LABELS)}
        yield Titled(f"{method}, mean over cases", "Label", rows)
        return
    for label in shown:
        rows = {method: of[label] for method, of in means.items()}
        yield Titled(f"label {label}, mean over cases", "Method", rows)
    if n_labels > 1:
        title = f"mean over the {n_labels} labels of their means over cases"
        rows = {method: of[OVER_LABELS] for method, of in means.items()}
        yield Titled(title, "Method", rows)
