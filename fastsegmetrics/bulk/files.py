"""The files of a finished run directory, for people and for other programs."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from itertools import zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from fastsegmetrics.errors import InputError
from fastsegmetrics.io import printable
from fastsegmetrics.reporting.evaluation_contract import contract_of_maps
from fastsegmetrics.reporting.plain import csv_text, json_text
from fastsegmetrics.results import json_ready

if TYPE_CHECKING:
    from fastsegmetrics.bulk.run import Run
    from fastsegmetrics.results import Aggregate, Result

SUMMARY, CONTRACT, EVALUATION, PER_IMAGE, CURVES = (
    "summary.json", "contract.json", "evaluation.json", "per_image.csv", "curves.csv",
)  # fmt: skip

_COUNTS = ("value", "n_expected", "n_used", "n_undefined", "n_infinite", "direction")


class Stratum(NamedTuple):
    """One stratum of a method: its samples, and its aggregates by metric."""

    n_samples: int
    aggregates: dict[str, Aggregate]


def summary(run: Run) -> dict[str, Any]:
    """The aggregates of a run with everything that was left out, ready for JSON.

    NaN becomes None, infinities the strings "inf" and "-inf".
    """
    skipped: dict[str, dict[str, str]] = {method: {} for method in run}
    for one in run.skipped:
        skipped[one.method][one.sample] = one.reason
    return {
        "contract_hash": run.contract.hash,
        "n_samples": len(run.samples),
        "faint_truths": list(run.faint_truths),
        "middle_levels": json_ready(next(iter(run.values())).middle_levels),
        "methods": {
            method: {
                "metrics": _told(result),
                **_strata(result),
                "curves": {name: {"n_used": n} for name, n in result.curve_counts.items()},
                "n_resized": run.n_resized[method],
                "missing": run.missing[method],
                "extra": run.extra[method],
                "skipped": skipped[method],
            }
            for method, result in run.items()
        },
        "contract": run.contract.to_dict(),
    }


def _told(result: Result) -> dict[str, dict[str, Any]]:
    return {
        name: {field: json_ready(getattr(aggregate, field)) for field in _COUNTS}
        for name, aggregate in result.aggregates.items()
    }


def _strata(result: Result) -> dict[str, Any]:
    """The aggregates of each stratum, if there are any."""
    parts = {
        name: {"n_samples": len(part.sample_ids), "metrics": _told(part)}
        for name, part in result.strata.items()
    }
    return {"strata": parts} if parts else {}


def file_texts(run: Run) -> dict[str, str]:
    """What is to be written of a run: summary, both contracts, per-image values and curves."""
    return {
        CONTRACT: json_text(run.contract.to_dict()),
        EVALUATION: contract_of_maps(run.contract).to_json(),
        PER_IMAGE: csv_text(_per_image(run)),
        CURVES: csv_text(_curves(run)),
        # The last to be written: where it stands, all the others do.
        SUMMARY: json_text(summary(run)),
    }


def write_texts(directory: Path, texts: Mapping[str, str]) -> None:
    """Write files by name in their order, each whole or not at all, into a directory.

    Raises
    ------
    InputError
        The directory cannot be made, or a file not be written.
    """
    try:
        directory.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(
            f"{printable(directory)}: the run directory cannot be made ({error.strerror})"
        ) from error
    for name, text in texts.items():
        replace_file(directory / name, printable(text).encode("utf-8"))


def discard_summary(directory: Path) -> None:
    """Take away the summary, so that a directory which is being added to is not taken for done."""
    path = directory / SUMMARY
    try:
        path.unlink(missing_ok=True)
    except OSError as error:
        raise InputError(f"{printable(path)}: cannot be replaced ({error.strerror})") from error


def replace_file(path: Path, data: bytes) -> None:
    """Write a file, whole or not at all, in folders made for it if need be.

    One that holds these bytes already is left alone.

    Raises
    ------
    InputError
        It cannot be written.
    """
    part = path.with_name(f".{path.name}.part")
    try:
        if path.is_file() and path.read_bytes() == data:
            return
        path.parent.mkdir(parents=True, exist_ok=True)
        part.write_bytes(data)
        os.replace(part, path)
    except OSError as error:
        raise InputError(f"{printable(path)}: cannot be written ({error.strerror})") from error


def _per_image(run: Run) -> Iterator[list[Any]]:
    columns = list(next(iter(run.values())).per_image)
    yield ["method", "sample", *columns]
    for method, result in run.items():
        values = [result.per_image[column].tolist() for column in columns]
        for sample, *row in zip(result.sample_ids, *values, strict=True):
            yield [method, sample, *row]


def _curves(run: Run) -> Iterator[list[Any]]:
    """One line per threshold: each curve, and beside it how many images it is made of.

    A curve of 257 thresholds (that of ``ms_iou``) makes one line more, empty for the others.
    Strata follow their method, as in printed CSV: ``method[stratum]``.
    """
    names = list(next(iter(run.values())).curves)
    yield ["method", "threshold", *(part for name in names for part in (name, f"{name}:n_used"))]
    told: dict[str, Result] = {}
    for method, result in run.items():
        told |= {method: result, **{f"{method}[{s}]": part for s, part in result.strata.items()}}
    for method, result in told.items():
        counts = [result.curve_counts[name] for name in names]
        values = [result.curves[name].tolist() for name in names]
        for threshold, points in enumerate(zip_longest(*values)):
            row = [method, threshold]
            for point, count in zip(points, counts, strict=True):
                row += ["", ""] if point is None else [point, count]
            yield row
