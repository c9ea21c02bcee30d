"""Several methods on one folder of label volumes: means over cases by label, and their files."""

from __future__ import annotations

import csv
import dataclasses
import io
import json
import math
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from fastsegmetrics.bulk.files import replace_file
from fastsegmetrics.bulk.kept_volumes import UnfinishedRun
from fastsegmetrics.bulk.pairs import PairList, pair
from fastsegmetrics.bulk.run import RunInterrupted
from fastsegmetrics.bulk.run_directory import run_directory
from fastsegmetrics.bulk.sources import Sources
from fastsegmetrics.bulk.volumes import UnitOf, VolumeRun, evaluate_volumes
from fastsegmetrics.catalog import Direction
from fastsegmetrics.errors import InputError
from fastsegmetrics.io import printable, volumes
from fastsegmetrics.reporting.evaluation_contract import EvaluationContract
from fastsegmetrics.reporting.intervals import Interval, bootstrap_mean
from fastsegmetrics.results import Aggregate, json_ready

#: Which values are better, of what is told as a mean over cases.
SCORES: dict[str, Direction] = {
    "dice": "higher", "iou": "higher", "precision": "higher", "recall": "higher",
    "hd": "lower", "hd95": "lower", "assd": "lower", "nsd": "higher",
}  # fmt: skip
PER_LABEL, CONTRACT, SUMMARY = "per_label.csv", "evaluation.json", "volumes.json"
_COLUMNS = (
    "method", "label", "score", "value", "low", "high", "unit", "n_units", "direction",
    "n_expected", "n_used", "n_undefined", "n_infinite",
)  # fmt: skip

Table = dict[str, Aggregate]


class VolumeMethods(Mapping[str, VolumeRun]):
    """The runs of several methods on the same truths, by method.

    Parameters
    ----------
    runs : mapping of str to VolumeRun
        At least one, all of the same labels.
    unit : str
        What cases are resampled by: "case", or the name of a column.
    read : mapping, optional
        Where the files lay and how they were read, ready for JSON; kept in ``volumes.json``.
    """

    def __init__(
        self,
        runs: Mapping[str, VolumeRun],
        unit: str = "case",
        read: Mapping[str, Any] | None = None,
    ) -> None:
        self._runs = dict(runs)
        self._read = read
        self.unit = unit
        first = next(iter(self._runs.values()))
        told = first.rows[0] if first.rows else {}
        self.scores = tuple(score for score in SCORES if score in told)
        self.labels = tuple(dict.fromkeys(row["label"] for row in first.rows))

    def __getitem__(self, method: str) -> VolumeRun:
        return self._runs[method]

    def __iter__(self) -> Iterator[str]:
        return iter(self._runs)

    def __len__(self) -> int:
        return len(self._runs)

    @property
    def complete(self) -> bool:
        """Whether every truth counts for every method."""
        return not any(run.missing for run in self.values())

    @property
    def contract(self) -> EvaluationContract:
        """What was measured how; a spacing in which methods differ is "per case"."""
        contracts = [run.contract for run in self.values()]
        spacings = {contract.spacing for contract in contracts}
        return dataclasses.replace(
            contracts[0],
            spacing=spacings.pop() if len(spacings) == 1 else "per case",
            unit=", ".join(sorted({contract.unit for contract in contracts})),
            sampling_unit=self.unit,
        )

    def over_cases(self, method: str, label: int) -> Table:
        """Return a label's means over cases, by score; undefined and infinite values counted."""
        run = self[method]
        return {
            score: _mean(score, _of_label(run, label, score), len(run.missing))
            for score in self.scores
        }

    def over_labels(self, method: str) -> Table:
        """Return the means over labels of each label's mean over the cases that have it."""
        tables = [self.over_cases(method, label) for label in self.labels]
        return {score: _mean(score, [t[score].value for t in tables], 0) for score in self.scores}

    def interval(self, method: str, label: int, score: str) -> Interval:
        """Return a label's mean over cases with its bootstrap interval over units."""
        run = self[method]
        return bootstrap_mean(
            _of_label(run, label, score), units=list(run.cases.units().values()), unit=self.unit
        )

    def to_dict(self) -> dict[str, Any]:
        """Return means, intervals, counts, what was left out and the contract, ready for JSON."""
        methods = {}
        for method, run in self.items():
            labels: dict[str, Table] = {"mean over labels": self.over_labels(method)}
            by_label = {str(label): self.over_cases(method, label) for label in self.labels}
            methods[method] = {
                "missing": list(run.missing),
                "extra": list(run.extra),
                "labels": {
                    label: {name: self._told(method, label, one) for name, one in table.items()}
                    for label, table in (by_label | labels).items()
                },
            }
        return {"methods": methods, "contract": self.contract.to_dict()}

    def to_csv(self) -> str:
        """Return one line for each method, label and score, floats to the last digit."""
        told = self.to_dict()["methods"]
        return _csv(
            [_COLUMNS]
            + [
                [method, label, score, *(values[name] for name in _COLUMNS[3:])]
                for method, entry in told.items()
                for label, table in entry["labels"].items()
                for score, values in table.items()
            ]
        )

    def write(self, directory: str | Path) -> None:
        """Write ``per_label.csv``, ``evaluation.json`` (the contract) and ``volumes.json``."""
        out = Path(directory)
        try:
            out.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise InputError(
                f"{printable(out)}: the run directory cannot be made ({error.strerror})"
            ) from error
        columns = list(next((run.rows[0] for run in self.values() if run.rows), {}))
        lines = [["method", *columns]]
        lines += [[m, *row.values()] for m, run in self.items() for row in run.rows]
        told = {**self.to_dict(), "read": self._read}
        summary = json.dumps(told, indent=1, ensure_ascii=False, allow_nan=False) + "\n"
        # volumes.json last: where it stands, the others do.
        for name, text in (
            (PER_LABEL, _csv(lines)),
            (CONTRACT, self.contract.to_json()),
            (SUMMARY, summary),
        ):
            replace_file(out / name, printable(text).encode("utf-8"))

    def _told(self, method: str, label: str, one: Aggregate) -> dict[str, Any]:
        told = {
            "value": one.value, "direction": one.direction, "n_expected": one.n_expected,
            "n_used": one.n_used, "n_undefined": one.n_undefined, "n_infinite": one.n_infinite,
            "low": math.nan, "high": math.nan, "unit": "label", "n_units": one.n_used,
        }  # fmt: skip
        if label != "mean over labels":
            found = self.interval(method, int(label), one.name)
            told |= {
                "low": found.low, "high": found.high, "unit": found.unit, "n_units": found.n_units
            }  # fmt: skip
        return {name: json_ready(value) for name, value in told.items()}


def evaluate_volume_methods(
    gt: str | Path,
    preds: Mapping[str, str | Path],
    *,
    out: str | Path | None = None,
    unit_of: UnitOf | None = None,
    unit_name: str = "case",
    missing: str = "error",
    **choices: Any,
) -> VolumeMethods:
    """Measure several folders of predicted label volumes against one of truths.

    Parameters
    ----------
    gt : path-like
        Folder of the truths.
    preds : mapping of str to path-like
        Method name to folder of predictions.
    out : path-like, optional
        Where the files of `VolumeMethods.write` are put, once all is measured.  Until then cases
        are kept there, so that the same call continues a run that was stopped.
    unit_of, unit_name : optional
        What each case is resampled with, as for `evaluate_volumes`, and what that is called.
    missing : {"error", "skip"}
        What is done with a truth that has no prediction.
    **choices
        As for `evaluate_volumes`.

    Raises
    ------
    InputError, FormatError, MissingExtraError
        As `evaluate_volumes`; what is missing in any folder before anything is measured; when a
        stopped run in `out` was begun with other choices.
    RunInterrupted
        A `KeyboardInterrupt` that says how much `out` holds.
    """
    directory = None
    if out is not None:
        read = {f"the predictions of {method!r}": folder for method, folder in preds.items()}
        directory = run_directory(
            out, {"the ground truths": gt, **read},
            files=(PER_LABEL, CONTRACT, SUMMARY), marker=SUMMARY,
        )  # fmt: skip
    parts: dict[str, Any] = {
        name: choices[name]
        for name in ("gt_prefix", "gt_suffix", "pred_prefix", "pred_suffix")
        if name in choices
    }
    pairs = pair(gt, preds, suffixes=volumes.SUFFIXES, **parts)
    if missing == "error":
        _require_predictions(pairs)

    def measured(unfinished: UnfinishedRun | None) -> VolumeMethods:
        runs = {}
        for method, folder in preds.items():
            kept = None if unfinished is None else unfinished.of_method(method)
            runs[method] = evaluate_volumes(
                gt, folder, unit_of=unit_of, missing=missing, kept=kept, **choices
            )
        read = {
            "sources": dataclasses.asdict(Sources.named(gt, preds, None, parts)),
            **{name: choices.get(name) for name in ("spacing", "unit", "ignore_label")},
        }
        return VolumeMethods(runs, unit_name, read)

    if directory is None:
        return measured(None)
    with UnfinishedRun(directory, choices) as unfinished:
        try:
            found = measured(unfinished)
        except KeyboardInterrupt:
            total = sum(map(len, pairs.predictions.values()))
            raise RunInterrupted(unfinished.n_kept(), total, directory) from None
        found.write(directory)
        unfinished.finished()
    return found


def _require_predictions(pairs: PairList) -> None:
    for method, names in pairs.missing.items():
        if names:
            hint = f"; {pairs.hints[method]}" if method in pairs.hints else ""
            count = f"{len(names)} truth{'s have' if len(names) != 1 else ' has'}"
            shown = ", ".join(names[:5]) + (", …" if len(names) > 5 else "")
            raise InputError(
                f"{method!r}: {count} no prediction ({shown}{hint}); missing='skip' leaves "
                f"{'them' if len(names) != 1 else 'it'} out"
            )


def _of_label(run: VolumeRun, label: int, score: str) -> list[float]:
    return [row[score] for row in run.rows if row["label"] == label]


def _mean(score: str, values: list[float], n_missing: int) -> Aggregate:
    used = [value for value in values if math.isfinite(value)]
    undefined = sum(map(math.isnan, values))
    mean = math.fsum(used) / len(used) if used else math.nan
    return Aggregate(
        score, mean, len(values) + n_missing, len(used), undefined,
        len(values) - len(used) - undefined, SCORES[score],
    )  # fmt: skip


def _csv(lines: list[Any]) -> str:
    stream = io.StringIO()
    csv.writer(stream, lineterminator="\n").writerows(lines)
    return stream.getvalue()
