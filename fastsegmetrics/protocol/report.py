"""Stage 5: what is told of one pair and of a data set, the same for any order of samples."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastsegmetrics.conventions import Conventions
from fastsegmetrics.protocol import measure
from fastsegmetrics.protocol.measure import Scored
from fastsegmetrics.protocol.report_options import Report
from fastsegmetrics.protocol.score import Setting
from fastsegmetrics.protocol.value import Protocol
from fastsegmetrics.scores import area

Values = NDArray[np.float64]
NO_SAMPLE = "no sample has a target of this size"


class Told(NamedTuple):
    """One number, or curve, of a data set.

    Attributes
    ----------
    value : float or ndarray of float64
        NaN when nothing could be used; a curve over thresholds where the report is one.
    n_used, n_undefined : int
        Samples (targets with ``average="targets"``) that it is made of, and that are undefined.
    reason : str
        Why the first undefined one is, if there is one.
    """

    value: float | Values
    n_used: int
    n_undefined: int
    reason: str = ""


def size_strata(report: Report) -> tuple[str, ...]:
    """Return the names of the strata of sizes, ascending."""
    if len(report.limits) == 2:
        return "small", "medium", "large"
    bounds = [0.0, *report.limits, math.inf]
    return tuple(f"{low:g}-{high:g}" for low, high in itertools.pairwise(bounds))


def stratum_of(sizes: Values, report: Report) -> NDArray[np.intp]:
    """Return the place of each size among `size_strata`; −1 for what has no size."""
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
    if report.summary == "raw":
        if protocol.has_curve:
            return curves[0] if len(curves) == 1 else curves
        return float(curves[0, 0])
    if np.isnan(curves).any():
        return math.nan
    if report.summary == "mean":
        return float(curves[0].mean())
    if report.summary == "max":
        return float(curves[0].max())
    if len(curves) == 1:
        return float((curves[0][1:] + curves[0][:-1]).mean() / 2)
    return float(getattr(area, report.rule)(*curves))


def of_samples(
    protocol: Protocol, samples: Sequence[Scored], conventions: Conventions
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

    Returns
    -------
    dict of str to Told
        Under ``""`` the number of all samples; under ``"small"``, … those of the strata; with
        ``"q0.25"``, … the quantiles, of a stratum ``"small q0.25"``.
    """
    told = dict(_named("", protocol, samples, conventions))
    if protocol.report.by == "size":
        for place, name in enumerate(size_strata(protocol.report)):
            parts = [
                part
                for sample in samples
                if (part := _part(sample, stratum_of(sample.sizes, protocol.report) == place))
            ]
            told |= dict(_named(name, protocol, parts, conventions))
    return told


def labels(report: Report) -> tuple[str, ...]:
    """Return the names of all that `of_samples` tells."""
    strata = ("", *(size_strata(report) if report.by == "size" else ()))
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
    curves, reasons = _curves(protocol, samples)
    undefined = [bool(np.isnan(one).any()) for one in curves]
    good = [one for one, bad in zip(curves, undefined, strict=True) if not bad]
    n_undefined = len(curves) - len(good)
    bad_ones = (r for r, bad in zip(reasons, undefined, strict=True) if bad)
    # Samples without any target are no targets to count, and all the reason there is.
    reason = next(bad_ones, "") or (nothing if not good else "")
    value: float | Values = math.nan
    if good:
        mean = _exact_mean(good)
        already = report.summary != "raw" and report.of != "dataset"
        value = float(mean[0, 0]) if already else summary(protocol, mean)
    yield name, Told(value, len(good), n_undefined, reason)
    for q in report.quantiles:
        each = np.array([one[0, 0] for one in good])
        at = float(np.quantile(each, q)) if good else math.nan
        yield f"{name} q{q:g}".strip(), Told(at, len(good), n_undefined, reason)


def _curves(protocol: Protocol, samples: Sequence[Scored]) -> tuple[list[Values], list[str]]:
    """Return what is averaged, one array [S, T] each, and why each is undefined if it is."""
    report = protocol.report
    if report.average == "targets":
        rows = [unit for sample in samples for unit in _units(sample)]
        if report.summary != "raw" and report.of != "dataset":
            rows = [np.array([[summary(protocol, row)]]) for row in rows]
        return rows, [measure.UNDEFINED] * len(rows)
    found, reasons = [], []
    for sample in samples:
        reasons.append(sample.reason or measure.UNDEFINED)
        if not sample.values.shape[1]:
            found.append(np.full((1, 1), math.nan))
        elif report.summary == "raw" or report.of == "dataset":
            found.append(sample.values.mean(axis=1))
        else:
            found.append(np.array([[of_sample(protocol, sample)]]))
    return found, reasons


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
    if np.isnan(value).any():
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
