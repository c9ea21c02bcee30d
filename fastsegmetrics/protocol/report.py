"""Stage 5: what is told of one pair and of a data set, the same for any order of samples."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastsegmetrics import halves
from fastsegmetrics.conventions import Conventions
from fastsegmetrics.errors import InputError
from fastsegmetrics.protocol import measure
from fastsegmetrics.protocol.measure import Scored
from fastsegmetrics.protocol.report_options import Report
from fastsegmetrics.protocol.score import Setting
from fastsegmetrics.protocol.value import Protocol
from fastsegmetrics.scores import area

Values = NDArray[np.float64]
NO_LEVEL = "the sample has no level by which it belongs to a half"
NO_SAMPLE = "no sample has a target of this size"


class Told(NamedTuple):
    """One number, or curve, of a data set.

    Attributes
    ----------
    value : float or ndarray of float64
        NaN when nothing could be used; a curve over thresholds where the report is one.
    n_used, n_undefined : int
        Samples that it is made of, and that are undefined.  With ``average="targets"`` a sample is
        used if one of its targets is; what is undefined of its others is counted as well.
    reason : str
        Why the first undefined one is, if there is one; where all are infinite, that.
    n_infinite : int
        Samples whose value, or whose curve somewhere, is infinite; they are left out as well.
    """

    value: float | Values
    n_used: int
    n_undefined: int
    reason: str = ""
    n_infinite: int = 0


def stratum_of(sizes: Values, report: Report) -> NDArray[np.intp]:
    """Return the place of each size among the report's strata; −1 for what has no size."""
    places = np.searchsorted(report.limits, sizes, side="right")
    return np.where(sizes > 0, places, -1)


def of_sample(protocol: Protocol, found: Scored) -> float | Values:
    """Return what a protocol tells of one pair; the curves are told as [T], of an area [2, T]."""
    report = protocol.report
    if not found.values.shape[1]:
        return math.nan
    if report.of == "target":
        return float(np.mean([summary(protocol, unit) for unit in _units(found)]))
    return summary(protocol, found.values.mean(axis=1))


def summary(protocol: Protocol, curves: Values) -> float | Values:
    """Return what is told of the curves [S, T] of a target, an image or a data set."""
    report = protocol.report
    if report.summary == "survival":
        return curves[0]
    if report.summary == "raw":
        if protocol.has_curve:
            return curves[0] if len(curves) == 1 else curves
        return float(curves[0, 0])
    if protocol.score.mode == "targets" and report.summary in ("mean", "max"):
        # The highest thresholds may leave no target on either side.
        curves = curves[:, ~np.isnan(curves[0])]
    if np.isnan(curves).any() or not curves.size:
        return math.nan
    if report.summary == "auc" and curves.shape[1] == 1:
        return math.nan
    if report.summary == "mean":
        return float(curves[0].mean())
    if report.summary == "max":
        return float(curves[0].max())
    if len(curves) == 1:
        return float((curves[0][1:] + curves[0][:-1]).mean() / 2)
    return float(getattr(area, report.rule)(*curves))


def of_samples(
    protocol: Protocol,
    samples: Sequence[Scored],
    conventions: Conventions,
    column: Sequence[Any] | None = None,
) -> dict[str, Told]:
    """Return what a protocol tells of a data set.

    Parameters
    ----------
    protocol : Protocol
        The path.
    samples : sequence of Scored
        What `measure.scored` returned, in any order.
    conventions : Conventions
        Those that the samples were scored under.
    column : sequence, optional
        For strata by a column: its value for each sample, numbers for halves.

    Returns
    -------
    dict of str to Told
        Under ``""`` the number of all samples; under ``"small"``, … those of the strata; with
        ``"q0.25"``, … the quantiles, of a stratum ``"small q0.25"``.  Where the report tells one
        stratum alone, that one is told as if it were all.

    Raises
    ------
    InputError
        When the strata need a column and there is none, or one of another length.
    """
    strata = dict(_strata(protocol.report, samples, column)) if protocol.report.by else {}
    if protocol.report.part:
        alone = strata.get(protocol.report.part, [])
        return dict(_named("", protocol, alone, conventions))
    told = dict(_named("", protocol, samples, conventions))
    for name, parts in strata.items():
        told |= dict(_named(name, protocol, parts, conventions))
    return told


def _strata(
    report: Report, samples: Sequence[Scored], column: Sequence[Any] | None
) -> Iterator[tuple[str, list[Scored]]]:
    if report.by == "size":
        for place, name in enumerate(report.strata or ()):
            parts = [_part(one, stratum_of(one.sizes, report) == place) for one in samples]
            yield name, [part for part in parts if part is not None]
        return
    if column is None or len(column) != len(samples):
        raise InputError(
            f"strata by {report.by} need the column's value for each of {len(samples)} samples; "
            f"received {'none' if column is None else len(column)}"
        )
    if report.by.startswith("halves."):
        levels = np.array(column, np.float64)
        middle = halves.middle_level(levels)
        unknown = [_without(s) for s, level in zip(samples, levels, strict=True) if level != level]
        for name in ("easy", "hard"):
            chosen = halves.in_half(levels, middle, name == "hard")
            yield name, unknown + [s for s, k in zip(samples, chosen, strict=True) if k]
        return
    for name in sorted({str(value) for value in column}):
        yield name, [s for s, value in zip(samples, column, strict=True) if str(value) == name]


def _without(sample: Scored) -> Scored:
    """Return a sample of which neither half can be told."""
    counts = None if sample.counts is None else sample.counts[:0]
    return Scored(sample.values[:, :0], sample.sizes[:0], counts, NO_LEVEL)


def labels(report: Report) -> tuple[str, ...]:
    """Return the names of all that `of_samples` tells."""
    strata = ("", *(() if report.part else report.strata or ()))
    quantiles = ("", *(f"q{q:g}" for q in report.quantiles))
    return tuple(" ".join(filter(None, (s, q))) for s in strata for q in quantiles)


def _part(sample: Scored, chosen: NDArray[np.bool_]) -> Scored | None:
    if not chosen.any():
        return None
    counts = None if sample.counts is None else sample.counts[chosen]
    return Scored(sample.values[:, chosen], sample.sizes[chosen], counts)


def _named(
    name: str, protocol: Protocol, samples: Sequence[Scored], conventions: Conventions
) -> Iterator[tuple[str, Told]]:
    report = protocol.report
    nothing = next((sample.reason for sample in samples if sample.reason), NO_SAMPLE)
    if report.average == "pooled":
        yield name, _pooled(protocol, samples, conventions, nothing)
        return
    good: list[Values] = []
    n_used = n_undefined = n_infinite = 0
    reason = ""
    for sample in samples:
        units = _averaged(protocol, sample)
        undefined = [bool(np.isnan(one).any()) for one in units]
        finite = [one for one in units if np.isfinite(one).all()]
        good += finite
        n_used += bool(finite)
        if any(undefined) or not units:
            n_undefined += 1
            reason = reason or sample.reason or measure.UNDEFINED
        n_infinite += len(units) - len(finite) > sum(undefined)
    if not reason and not good:
        reason = measure.INFINITE if n_infinite else nothing
    value: float | Values = math.nan
    if good:
        mean = _exact_mean(good)
        already = not report.as_it_is and report.of != "dataset"
        value = float(mean[0, 0]) if already else summary(protocol, mean)
    yield name, Told(value, n_used, n_undefined, reason, n_infinite)
    for q in report.quantiles:
        each = np.array([one[0, 0] for one in good])
        at = float(np.quantile(each, q)) if good else math.nan
        yield f"{name} q{q:g}".strip(), Told(at, n_used, n_undefined, reason, n_infinite)


def _averaged(protocol: Protocol, sample: Scored) -> list[Values]:
    """Return what is averaged of a sample, one array [S, T] each: itself, or its targets."""
    report = protocol.report
    if report.average == "targets":
        rows = list(_units(sample))
        if not report.as_it_is and report.of != "dataset":
            rows = [np.array([[summary(protocol, row)]]) for row in rows]
        return rows
    if not sample.values.shape[1]:
        return []
    if report.as_it_is or report.of == "dataset":
        return [sample.values.mean(axis=1)]
    return [np.array([[of_sample(protocol, sample)]])]


def _pooled(
    protocol: Protocol, samples: Sequence[Scored], conventions: Conventions, nothing: str
) -> Told:
    rows = [sample.counts for sample in samples if sample.counts is not None and sample.sizes.size]
    left_out = len(samples) - len(rows)
    if not rows:
        return Told(math.nan, 0, left_out, nothing)
    units = np.concatenate(rows)
    total = np.array(
        [[math.fsum(column) for column in step] for step in units.transpose(1, 2, 0).tolist()]
    )
    value = summary(protocol, measure.of_counts(protocol, total, Setting(conventions, None)))
    if np.isnan(value).all():
        return Told(value, 0, len(samples), measure.UNDEFINED)
    return Told(value, len(rows), left_out, nothing if left_out else "")


def _units(sample: Scored) -> Iterator[Values]:
    return (sample.values[:, k] for k in range(sample.values.shape[1]))


def _exact_mean(curves: Sequence[Values]) -> Values:
    """Return the mean of arrays of one shape; the exactly rounded sums are free of order."""
    stacked = np.array(curves)
    if len(stacked) == 1:
        return stacked[0]
    flat = stacked.reshape(len(stacked), -1).T.tolist()
    totals = [math.fsum(column) for column in flat]
    return np.array(totals).reshape(stacked.shape[1:]) / len(stacked)
