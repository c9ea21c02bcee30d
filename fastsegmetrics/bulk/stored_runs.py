"""Finished run directories read back, one or several for one table."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from fastsegmetrics.bulk.files import SUMMARY, Stratum
from fastsegmetrics.bulk.resume import agree, told_apart
from fastsegmetrics.bulk.store import STORE_NAME
from fastsegmetrics.errors import InputError
from fastsegmetrics.results import Aggregate


class Shown(NamedTuple):
    """Finished runs side by side.

    Attributes
    ----------
    aggregates : dict of str to dict of str to Aggregate
        By method, by metric.
    strata : dict of str to dict of str to Stratum
        By method, by name.
    as_json : object
        The same, ready for JSON, with the contract of each run.
    warnings : tuple of str
        What must be said about them.
    unnamed : dict of str to str
        The texts of the protocols that nobody named.
    comparable : bool
        Whether contracts and halves are the same.
    contracts : dict of str to str
        By method, the hash of its contract; empty where all are one.
    """

    aggregates: dict[str, dict[str, Aggregate]]
    strata: dict[str, dict[str, Stratum]]
    as_json: Any
    warnings: tuple[str, ...]
    unnamed: dict[str, str]
    comparable: bool
    contracts: dict[str, str]


def load_summary(directory: str | Path) -> dict[str, Any]:
    """The summary of a finished run directory.

    Raises
    ------
    InputError
        No run directory, an unfinished one, or a damaged summary.
    """
    path = Path(directory) / SUMMARY
    try:
        loaded = json.loads(path.read_text(encoding="utf-8"))
        if not isinstance(loaded["methods"], dict):
            raise TypeError
    except FileNotFoundError as error:
        if (Path(directory) / STORE_NAME).is_file():
            raise InputError(
                f"{directory}: the run is not finished; the `evaluate` command that began it "
                f"continues it"
            ) from error
        raise InputError(f"{directory}: not a run directory, it has no {SUMMARY}") from error
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror})") from error
    except (ValueError, KeyError, TypeError) as error:
        raise InputError(f"{path}: not the summary of a run") from error
    return loaded


def combine(summaries: Mapping[str, dict[str, Any]]) -> Shown:
    """Lay one or more summaries side by side.

    Parameters
    ----------
    summaries : mapping of str to dict
        Run directory to `load_summary` of it.

    Returns
    -------
    Shown
        With a warning for each run whose contract, number of ground truths or halves are not the
        first one's. A method's name gets its run directory added where several runs have it.

    Raises
    ------
    InputError
        The runs have other metrics.
    """
    first_directory, first = next(iter(summaries.items()))
    names = [method for one in summaries.values() for method in one["methods"]]
    aggregates: dict[str, dict[str, Aggregate]] = {}
    strata: dict[str, dict[str, Stratum]] = {}
    contracts: dict[str, str] = {}
    warnings: list[str] = []
    comparable = True
    for directory, one in summaries.items():
        for method, entry in one["methods"].items():
            label = f"{method} ({directory})" if names.count(method) > 1 else method
            aggregates[label] = _aggregates(entry)
            contracts[label] = one["contract"].get("hash", "")
            strata[label] = {
                name: Stratum(part["n_samples"], _aggregates(part))
                for name, part in entry.get("strata", {}).items()
            }
        comparable &= agree(first["contract"], one["contract"])
        warnings += told_apart(first["contract"], first_directory, one["contract"], directory)
        for column, middle in one.get("middle_levels", {}).items():
            before = first.get("middle_levels", {}).get(column, middle)
            if middle != before:
                comparable = False
                warnings.append(
                    f"not comparable: {column} is halved at {before} in {first_directory} and at "
                    f"{middle} in {directory}"
                )
        if one["n_samples"] != first["n_samples"]:
            warnings.append(
                f"{first_directory} has {first['n_samples']:,} ground truths, {directory} has "
                f"{one['n_samples']:,}"
            )
    _require_same_metrics(summaries)
    as_json = first if len(summaries) == 1 else dict(summaries)
    if len(set(contracts.values())) == 1:
        contracts = {}
    return Shown(
        aggregates, strata, as_json, tuple(warnings), _unnamed(summaries), comparable, contracts
    )


def _unnamed(summaries: Mapping[str, dict[str, Any]]) -> dict[str, str]:
    rows = (row for one in summaries.values() for row in one["contract"]["metrics"].items())
    # By the name, and not by the text: that of a registered cost can be read nowhere else.
    return {
        name: row["protocol"]
        for name, row in rows
        if "protocol" in row and re.fullmatch(r"\w+@[0-9a-f]{8}", name)
    }


def _require_same_metrics(summaries: Mapping[str, dict[str, Any]]) -> None:
    told = {
        directory: list(next(iter(one["methods"].values()), {"metrics": ()})["metrics"])
        for directory, one in summaries.items()
    }
    first_directory, names = next(iter(told.items()))
    for directory, others in told.items():
        alone = [f"{name} in {first_directory}" for name in names if name not in others]
        alone += [f"{name} in {directory}" for name in others if name not in names]
        if alone:
            more = f" and {len(alone) - 3} more" if len(alone) > 3 else ""
            raise InputError(
                f"the runs have other metrics and do not fit into one table: {', '.join(alone[:3])}"
                f"{more} {'has' if len(alone) == 1 else 'have'} no counterpart"
            )


def _aggregates(entry: Mapping[str, Any]) -> dict[str, Aggregate]:
    return {name: aggregate_of(name, told) for name, told in entry["metrics"].items()}


def aggregate_of(name: str, told: Mapping[str, Any]) -> Aggregate:
    """Return the aggregate that a summary tells of, maybe among other things."""
    value = math.nan if told["value"] is None else float(told["value"])
    return Aggregate(
        name, value, told["n_expected"], told["n_used"], told["n_undefined"], told["n_infinite"],
        told["direction"],
    )  # fmt: skip
