"""Several methods on one folder of label volumes: means over cases by label, and their files."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from fastsegmetrics.bulk.files import EVALUATION, write_texts
from fastsegmetrics.bulk.kept_volumes import UnfinishedRun, asked_of, check_finished
from fastsegmetrics.bulk.pairs import pair
from fastsegmetrics.bulk.run import RunInterrupted
from fastsegmetrics.bulk.run_directory import run_directory
from fastsegmetrics.bulk.sources import Sources
from fastsegmetrics.bulk.volume_case import Row
from fastsegmetrics.bulk.volume_grids import require_one_unit
from fastsegmetrics.bulk.volume_tables import (
    DISTANCES,
    OVER_LABELS,
    PER_LABEL,
    SCORES,
    SUMMARY,
    Report,
    Stratum,
    Table,
    csv_of,
    report_of,
)
from fastsegmetrics.bulk.volumes import UnitOf, VolumeRun, evaluate_volumes, require_predictions
from fastsegmetrics.errors import InputError
from fastsegmetrics.io import volumes
from fastsegmetrics.reporting.evaluation_contract import EvaluationContract
from fastsegmetrics.reporting.intervals import Interval, bootstrap_mean, bootstrap_pooled
from fastsegmetrics.reporting.plain import csv_text, json_text
from fastsegmetrics.results import Aggregate, json_ready
from fastsegmetrics.strata import Strata

#: Numerators and denominators of pooled scores by tp, fp and fn.
_Share = Callable[[int, int, int], int]
_POOLED: dict[str, tuple[_Share, _Share]] = {
    "dice": (lambda tp, fp, fn: 2 * tp, lambda tp, fp, fn: 2 * tp + fp + fn),
    "iou": (lambda tp, fp, fn: tp, lambda tp, fp, fn: tp + fp + fn),
    "precision": (lambda tp, fp, fn: tp, lambda tp, fp, fn: tp + fp),
    "recall": (lambda tp, fp, fn: tp, lambda tp, fp, fn: tp + fn),
}
#: What an aggregate counts.
_COUNTS = ("n_expected", "n_used", "n_undefined", "n_infinite")


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
    strata : Strata, optional
        By a column that holds every truth: what `strata` has the cases of.

    Attributes
    ----------
    strata : dict of str to VolumeMethods
        The cases of each stratum as if they were all, where they were asked for.
    replaced : bool
        Whether the same run was there already, finished, and was measured again.
    """

    replaced = False

    def __init__(
        self,
        runs: Mapping[str, VolumeRun],
        unit: str = "case",
        read: Mapping[str, Any] | None = None,
        strata: Strata | None = None,
    ) -> None:
        self._runs = dict(runs)
        self._rows = {method: _by_label(run) for method, run in self._runs.items()}
        self._kept_numbers: dict[str, dict[str, Any]] = {}
        self._by = strata
        self._read = read
        self.unit = unit
        first = next(iter(self._runs.values()))
        told = first.rows[0] if first.rows else {}
        self.scores = tuple(score for score in SCORES if score in told)
        self._length_unit = told.get("unit", "")
        self.labels = tuple(dict.fromkeys(row["label"] for row in first.rows))
        of_sample = None if strata is None else strata.of_sample
        self.strata = {} if of_sample is None else self._split(of_sample)

    def _split(self, by: Mapping[str, str]) -> dict[str, VolumeMethods]:
        parts = {method: run.split(by) for method, run in self.items()}
        strata = {}
        for name in next(iter(parts.values())):
            part = VolumeMethods({method: of[name] for method, of in parts.items()}, self.unit)
            # Where no case of a stratum was measured, no row says them.
            part.scores, part.labels = self.scores, self.labels
            part._length_unit = self._length_unit
            strata[name] = part
        return strata

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
            aggregation=(
                "mean over cases by label; mean over labels of these; where named pooled, all "
                "cases' voxels of a label together"
            ),
            sampling_unit=self.unit,
        )

    @property
    def n_cases(self) -> int:
        """How many truths there are, those without a prediction too."""
        first = next(iter(self.values()))
        return len(first.cases) + len(first.missing)

    def over_cases(self, method: str, label: int) -> Table:
        """Return a label's means over cases, by score; undefined and infinite values counted."""
        n_missing = len(self[method].missing)
        return {
            score: _mean(score, self._values(method, label, score), n_missing)
            for score in self.scores
        }

    def over_labels(self, method: str) -> Table:
        """Return the means over labels of each label's mean over the cases that have it.

        The counts are those of the labels' means together: a case counts once for each label.
        """
        tables = [self.over_cases(method, label) for label in self.labels]
        found = {}
        for score in self.scores:
            of_labels = [table[score] for table in tables]
            counts = {name: sum(getattr(one, name) for one in of_labels) for name in _COUNTS}
            mean = _mean(score, [one.value for one in of_labels], 0)
            found[score] = dataclasses.replace(mean, **counts)
        return found

    def pooled(self, method: str, label: int) -> dict[str, Interval]:
        """Return the overlap of all cases' voxels of a label together, with its bootstrap interval.

        Micro over voxels, where `over_cases` is macro over cases: large structures weigh more.
        NaN where no case has the label.
        """
        cases = self[method].cases
        place = next((case.labels.index(label) for case in map(cases.__getitem__, cases)), 0)
        counts = [[int(column[place]) for column in cases[case].counts] for case in cases]
        units = list(cases.units().values())
        return {
            score: bootstrap_pooled(
                [part(tp, fp, fn) for tp, fp, fn, _ in counts],
                [whole(tp, fp, fn) for tp, fp, fn, _ in counts],
                units=units, unit=self.unit,
            )
            for score, (part, whole) in _POOLED.items()
        }  # fmt: skip

    def interval(self, method: str, label: int, score: str) -> Interval:
        """Return a label's mean over cases with its bootstrap interval over units."""
        units = list(self[method].cases.units().values())
        return bootstrap_mean(self._values(method, label, score), units=units, unit=self.unit)

    def _values(self, method: str, label: int, score: str) -> list[float]:
        return [row[score] for row in self._rows[method].get(label, ())]

    def to_dict(self) -> dict[str, Any]:
        """Return means, intervals, counts, what was left out and the contract, ready for JSON.

        Of each method ``labels`` has the means over cases, ``pooled`` the overlap of all voxels,
        ``strata`` the same of each stratum, where there are strata.
        """
        methods = {
            method: {
                "missing": list(run.missing),
                "extra": list(run.extra),
                **self._numbers(method),
                **self._numbers_of_strata(method),
            }
            for method, run in self.items()
        }
        return {"methods": methods, "contract": self._told_contract()}

    def _numbers(self, method: str) -> dict[str, Any]:
        # Ten thousand resamples of each: what is written and printed asks twice.
        if method not in self._kept_numbers:
            self._kept_numbers[method] = self._made_numbers(method)
        return self._kept_numbers[method]

    def _made_numbers(self, method: str) -> dict[str, Any]:
        labels = {
            label: {score: self._told(method, label, one) for score, one in table.items()}
            for label, table in self._means(method).items()
        }
        n_missing = len(self[method].missing)
        pooled = {
            str(label): {
                score: _told(_of_all_voxels(score, found, n_missing), found, 1, self._length_unit)
                for score, found in self.pooled(method, label).items()
            }
            for label in self.labels
        }
        return {"labels": labels, "pooled": pooled}

    def _told(self, method: str, label: str, one: Aggregate) -> dict[str, Any]:
        if label != OVER_LABELS:
            return _told(one, self.interval(method, int(label), one.name), 1, self._length_unit)
        of_labels = (self._values(method, each, one.name) for each in self.labels)
        n_labels = sum(any(map(math.isfinite, values)) for values in of_labels)
        return _told(one, None, n_labels, self._length_unit)

    def _numbers_of_strata(self, method: str) -> dict[str, Any]:
        parts = {
            name: {"n_cases": part.n_cases, **part._numbers(method)}
            for name, part in self.strata.items()
        }
        return {"strata": parts} if parts else {}

    def _means(self, method: str) -> dict[str, Table]:
        by_label = {str(label): self.over_cases(method, label) for label in self.labels}
        return {**by_label, OVER_LABELS: self.over_labels(method)}

    def _told_contract(self) -> dict[str, Any]:
        strata = {} if self._by is None else {"strata": self._by.to_dict()}
        return {**self.contract.to_dict(), **strata}

    def to_csv(self) -> str:
        """Return one line for each method, label and score, floats to the last digit.

        Scores of all voxels pooled are named so, ``dice.pooled``; strata follow their method,
        ``mine[small]``.
        """
        return csv_of(self.to_dict()["methods"])

    def report(self) -> Report:
        """Return the tables that are printed, those of all cases and then of each stratum."""
        strata = {
            name: Stratum(part.n_cases, {method: part._means(method) for method in part})
            for name, part in self.strata.items()
        }
        means = {method: self._means(method) for method in self}
        return report_of(means, strata, [self.contract.unit])

    def write(self, directory: str | Path) -> None:
        """Write ``per_label.csv``, ``evaluation.json`` (the contract) and ``volumes.json``."""
        columns = list(next((run.rows[0] for run in self.values() if run.rows), {}))
        lines = [["method", *columns]]
        lines += [[m, *row.values()] for m, run in self.items() for row in run.rows]
        # volumes.json last: where it stands, the others do.
        texts = {
            PER_LABEL: csv_text(lines),
            EVALUATION: json_text(self._told_contract(), indent=2),
            SUMMARY: json_text({**self.to_dict(), "read": self._read}),
        }
        write_texts(Path(directory), texts)


def evaluate_volume_methods(
    gt: str | Path,
    preds: Mapping[str, str | Path],
    *,
    out: str | Path | None = None,
    unit_of: UnitOf | None = None,
    unit_name: str = "case",
    strata: Strata | None = None,
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
        are kept there, so that the same call continues a run that was stopped; that of a finished
        one measures again.
    unit_of, unit_name : optional
        What each case is resampled with, as for `evaluate_volumes`, and what that is called.
    strata : Strata, optional
        `Strata.column` or ``Strata.parse("FILE.csv:COLUMN")``, which hold every truth: the means,
        pooled voxels and intervals are told of each stratum's cases too, as if they were all.
    missing : {"error", "skip"}
        What is done with a truth that has no prediction.
    **choices
        As for `evaluate_volumes`.

    Raises
    ------
    InputError, FormatError, MissingExtraError
        As `evaluate_volumes`; what is missing in any folder, or in `strata`, before anything is
        measured; strata by size; when a run in `out`, stopped or finished, was of other choices.
    RunInterrupted
        A `KeyboardInterrupt` that says how much `out` holds.
    """
    _check_strata(strata)
    directory = None
    if out is not None:
        read = {f"the predictions of {method!r}": folder for method, folder in preds.items()}
        directory = run_directory(
            out, {"the ground truths": gt, **read},
            files=(PER_LABEL, EVALUATION, SUMMARY), marker=SUMMARY,
        )  # fmt: skip
    parts: dict[str, Any] = {
        name: choices[name]
        for name in ("gt_prefix", "gt_suffix", "pred_prefix", "pred_suffix")
        if name in choices
    }
    pairs = pair(gt, preds, suffixes=volumes.SUFFIXES, **parts)
    if missing == "error":
        require_predictions(pairs, named=True)
    if strata is not None:
        strata.require(pairs.samples)
    measurable = [path for case, path in pairs.truths.items()
                  if any(case in found for found in pairs.predictions.values())]  # fmt: skip
    spacing, unit = choices.get("spacing"), choices.get("unit")
    require_one_unit(measurable, spacing, unit, choices.get("surfaces", True))

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
            "asked": asked_of(choices),
        }
        return VolumeMethods(runs, unit_name, read, strata)

    if directory is None:
        return measured(None)
    finished = check_finished(directory, choices, preds)
    with UnfinishedRun(directory, choices) as unfinished:
        try:
            found = measured(unfinished)
        except KeyboardInterrupt:
            total = sum(map(len, pairs.predictions.values()))
            raise RunInterrupted(unfinished.n_kept(), total, directory) from None
        found.write(directory)
        unfinished.finished()
    found.replaced = finished
    return found


def _told(
    one: Aggregate, found: Interval | None, n_labels: int, length_unit: str
) -> dict[str, Any]:
    """Return a number with its counts and its interval; a mean over `n_labels` labels has none."""
    told = {
        "value": one.value, "direction": one.direction, "n_expected": one.n_expected,
        "n_used": one.n_used, "n_undefined": one.n_undefined, "n_infinite": one.n_infinite,
        "low": math.nan, "high": math.nan, "unit": "label", "n_units": n_labels,
    }  # fmt: skip
    if one.name in DISTANCES:
        told["length_unit"] = length_unit
    if found is not None:
        told |= {name: getattr(found, name) for name in ("low", "high", "unit", "n_units")}
    return {name: json_ready(value) for name, value in told.items()}


def _of_all_voxels(score: str, found: Interval, n_missing: int) -> Aggregate:
    """Return a pooled share with its counts; where nobody has the label, no case has part in it."""
    used = 0 if math.isnan(found.value) else found.n_used
    n_expected = found.n_used + n_missing
    return Aggregate(score, found.value, n_expected, used, found.n_used - used, 0, SCORES[score])


def _by_label(run: VolumeRun) -> dict[int, list[Row]]:
    found: dict[int, list[Row]] = {}
    for row in run.rows:
        found.setdefault(row["label"], []).append(row)
    return found


def _mean(score: str, values: list[float], n_missing: int) -> Aggregate:
    used = [value for value in values if math.isfinite(value)]
    undefined = sum(map(math.isnan, values))
    mean = math.fsum(used) / len(used) if used else math.nan
    return Aggregate(
        score, mean, len(values) + n_missing, len(used), undefined,
        len(values) - len(used) - undefined, SCORES[score],
    )  # fmt: skip


def _check_strata(strata: Strata | None) -> None:
    if strata is not None and not isinstance(strata, Strata):
        raise InputError(f"strata must be Strata.column(…) or Strata.parse(…); received {strata!r}")
    if strata is not None and strata.by_size:
        raise InputError(
            "strata of volumes must be by a column, FILE.csv:COLUMN; received strata by the "
            "target's size, which are of maps"
        )
