"""Finished runs of volumes read back, one or several for one set of tables."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from fastsegmetrics.bulk.resume import agree, told_apart
from fastsegmetrics.bulk.stored_runs import aggregate_of
from fastsegmetrics.bulk.volume_tables import (
    SUMMARY,
    Report,
    Stratum,
    Table,
    csv_of,
    report_of,
)
from fastsegmetrics.errors import InputError
from fastsegmetrics.io import printable


class ShownVolumes(NamedTuple):
    """Tables, the same as CSV and as JSON, what must be said, and whether the numbers compare."""

    report: Report
    as_csv: str
    as_json: Any
    warnings: tuple[str, ...]
    comparable: bool


def holds_volumes(directory: str | Path) -> bool:
    """Whether a directory holds a finished run of volumes."""
    return (Path(directory) / SUMMARY).is_file()


def shown_volumes(directories: tuple[str, ...]) -> ShownVolumes:
    """Lay one or more runs of volumes side by side.

    Parameters
    ----------
    directories : tuple of str
        What `evaluate_volume_methods` wrote.

    Returns
    -------
    ShownVolumes
        With a warning where a run's contract is not the first one's.  A method's name gets its
        run directory added where several runs have it.

    Raises
    ------
    InputError
        A directory holds no finished run of volumes, or the runs have other labels or scores.
    """
    runs = {directory: _read(directory) for directory in directories}
    first_directory, first = next(iter(runs.items()))
    names = [method for run in runs.values() for method in run["methods"]]
    methods: dict[str, Any] = {}
    warnings: list[str] = []
    comparable = True
    for directory, run in runs.items():
        for method, entry in run["methods"].items():
            several = names.count(method) > 1
            methods[f"{method} ({printable(directory)})" if several else method] = entry
        comparable &= agree(first["contract"], run["contract"])
        warnings += told_apart(first["contract"], first_directory, run["contract"], directory)
    try:
        means = {method: _of_labels(entry) for method, entry in methods.items()}
        strata = _strata(methods)
        as_csv = csv_of(methods)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise InputError(f"{first_directory}: not the summary of a run of volumes") from error
    told = (means, *(part.means for part in strata.values()))
    layouts = {
        tuple((label, *table) for label, table in of.items()) for one in told for of in one.values()
    }
    if len(layouts) > 1:
        raise InputError("the runs have other labels or scores and do not fit into one table")
    as_json = first if len(runs) == 1 else runs
    units = [run["contract"]["unit"] for run in runs.values()]
    report = report_of(means, strata, units)
    return ShownVolumes(report, as_csv, as_json, tuple(warnings), comparable)


def _read(directory: str) -> dict[str, Any]:
    path = Path(directory) / SUMMARY
    try:
        told = json.loads(path.read_text(encoding="utf-8"))
        run = {"methods": dict(told["methods"]), "contract": dict(told["contract"])}
        if "unit" not in run["contract"]:
            raise TypeError
        if not all({"labels", "pooled"} <= entry.keys() for entry in run["methods"].values()):
            raise TypeError
    except FileNotFoundError as error:
        raise InputError(f"{printable(directory)}: not a run of volumes, no {SUMMARY}") from error
    except OSError as error:
        raise InputError(f"{printable(path)}: cannot be read ({error.strerror})") from error
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise InputError(f"{printable(path)}: not the summary of a run of volumes") from error
    return run


def _strata(methods: Mapping[str, Any]) -> dict[str, Stratum]:
    """Return the strata of all methods by name; a method without one is not in its tables."""
    found: dict[str, Stratum] = {}
    for method, entry in methods.items():
        for name, part in entry.get("strata", {}).items():
            before = found.get(name, Stratum(0, {}))
            means = {**before.means, method: _of_labels(part)}
            found[name] = Stratum(max(before.n_cases, part["n_cases"]), means)
    return found


def _of_labels(entry: Mapping[str, Any]) -> dict[str, Table]:
    return {
        label: {name: aggregate_of(name, told) for name, told in scores.items()}
        for label, scores in entry["labels"].items()
    }
