"""Protocols that have no fused path: each pair is led through the stages one by one."""

from __future__ import annotations

import dataclasses
import struct
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastsegmetrics.catalog import Metric
from fastsegmetrics.conventions import Conventions
from fastsegmetrics.families.contract import (
    CurveSource,
    MeanCurve,
    PooledValue,
    Produced,
    columns_of,
)
from fastsegmetrics.protocol import measure, report
from fastsegmetrics.protocol.measure import Scored
from fastsegmetrics.protocol.value import Protocol
from fastsegmetrics.represent import MapInput
from fastsegmetrics.target import Target

_LENGTH = struct.Struct("<I")


class ProtocolRecord(NamedTuple):
    """What stage 4 gave for one pair, by group of protocols; see `ProtocolFamily`."""

    groups: tuple[Scored, ...]

    def to_bytes(self) -> bytes:
        """Return a compact form of all groups."""
        parts = [group.to_bytes() for group in self.groups]
        return b"".join(_LENGTH.pack(len(part)) + part for part in parts)


class ProtocolFamily:
    """What a plan needs of protocols; see `contract.Family`.

    Protocols that share stages 1 to 4 are one group, and are led through them once.
    """

    def __init__(self, metrics: tuple[Metric, ...], conventions: Conventions) -> None:
        self.conventions = conventions
        self.metrics = metrics
        self.columns = columns_of(metrics)
        self._own = {m.column: _protocol(m) for m in metrics if m.column is not None}
        keys = {_group(_protocol(metric)): _protocol(metric) for metric in metrics}
        self._leaders = tuple(keys.values())
        self._place = {key: place for place, key in enumerate(keys)}
        self._kept = any(metric.report.source == "pooled" for metric in metrics)

    def place(self, protocol: Protocol) -> int:
        """Return which group a protocol belongs to."""
        return self._place[_group(protocol)]

    def measure(self, pred: MapInput, target: Target) -> Produced:
        """Measure one pair by the backend in force."""
        groups = tuple(
            measure.scored(leader, pred, target, self.conventions) for leader in self._leaders
        )
        values = []
        for column in self.columns:
            protocol = self._own[column]
            values.append(float(report.of_sample(protocol, groups[self.place(protocol)])))
        return Produced(values, ProtocolRecord(groups) if self._kept else None)

    measure_pixels = measure

    def curves_of(self, metric: Metric) -> tuple[CurveSource, ...]:
        """Return nothing: a protocol's curve is told as it is."""
        return ()

    def read_record(self, data: bytes) -> ProtocolRecord:
        """Read what a record's `to_bytes` wrote."""
        groups, at = [], 0
        while at < len(data):
            (size,) = _LENGTH.unpack_from(data, at)
            at += _LENGTH.size
            groups.append(Scored.from_bytes(data[at : at + size]))
            at += size
        return ProtocolRecord(tuple(groups))

    def accumulator(self) -> ProtocolAccumulator | None:
        """Return a new accumulator."""
        return ProtocolAccumulator(self) if self._kept else None


class ProtocolAccumulator:
    """The records themselves: their sums are taken at the end, exactly, in whatever order."""

    def __init__(self, family: ProtocolFamily) -> None:
        self._family = family
        self._records: list[ProtocolRecord] = []

    def add(self, record: ProtocolRecord) -> None:
        """Add the record of one pair."""
        self._records.append(record)

    def merge(self, other: ProtocolAccumulator) -> None:
        """Add all that another one holds."""
        self._records += other._records

    def means(self) -> dict[CurveSource, MeanCurve]:
        """Return nothing, see `ProtocolFamily.curves_of`."""
        return {}

    def pooled(self) -> dict[str, PooledValue]:
        """Return every number and curve of the data set, by metric name."""
        if not self._records:
            return {}
        told: dict[Protocol, dict[str, report.Told]] = {}
        found: dict[str, PooledValue] = {}
        for metric in self._family.metrics:
            protocol = _protocol(metric)
            if metric.report.source != "pooled":
                continue
            if protocol not in told:
                place = self._family.place(protocol)
                samples = [record.groups[place] for record in self._records]
                told[protocol] = report.of_samples(
                    _of_one_stratum(protocol), samples, self._family.conventions
                )
            one = told[protocol][metric.report.name]
            value = _filled(metric, one.value, self._family.conventions.bins)
            found[metric.name] = PooledValue(value, one.n_used, one.n_undefined, one.n_infinite)
        return found


def _of_one_stratum(protocol: Protocol) -> Protocol:
    """Return the path without strata by a column: an evaluator has an accumulator for each."""
    if not protocol.report.column:
        return protocol
    return protocol.replace(report=dataclasses.replace(protocol.report, by=""))


def _filled(
    metric: Metric, value: float | NDArray[np.float64], bins: int
) -> float | NDArray[np.float64]:
    """Return a curve of NaN where there is none to tell."""
    protocol = _protocol(metric)
    if protocol.tells_curve and np.ndim(value) == 0:
        return np.full(protocol.n_points(bins), np.nan)
    return value


def _protocol(metric: Metric) -> Protocol:
    assert metric.protocol is not None  # such rows are made of protocols
    return metric.protocol


def _group(protocol: Protocol) -> tuple[Any, ...]:
    stages = (protocol.representation, protocol.target, protocol.matching, protocol.score)
    told = protocol.report
    return (*stages, told.average == "balanced", told.summary == "survival")
