"""Any protocol as rows of the catalogue, so that it runs wherever a metric does."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from fastsegmetrics.catalog import spatial, surface, sweep
from fastsegmetrics.catalog.rows import PAPER, Metric, Path, Report, Score
from fastsegmetrics.errors import InputError
from fastsegmetrics.protocol.report import labels
from fastsegmetrics.protocol.score_options import MODES, TARGET_TITLES
from fastsegmetrics.protocol.value import Protocol, split_list

#: The family that leads pairs along the general path.
FAMILY = "protocol"
_TARGETS_EMPTY = "neither side has a target: NaN"
_NO_TARGET = "no target to score: NaN"


def rows(protocols: Mapping[str, Protocol]) -> tuple[Metric, ...]:
    """Return the metrics that protocols are, called by the names given.

    Strata by size and quantiles of a report are metrics of their own: ``name[small]``,
    ``name[q0.5]``.  Strata by a column are those of an evaluator that has the table.

    Raises
    ------
    InputError
        When a name is empty, a protocol is none, or its report needs more than an evaluator has.
    """
    found: list[Metric] = []
    for name, protocol in protocols.items():
        if not isinstance(protocol, Protocol):
            raise InputError(f"protocols must be Protocol values; {name!r} is {protocol!r}")
        if protocol.report.by.startswith("halves."):
            raise InputError(
                f"{name}: halves of a column are told by report.of_samples, which takes the column"
            )
        if protocol.report.column and protocol.report.part:
            raise InputError(
                f"{name}: every stratum of a column is told beside the others: leave part out"
            )
        if not name.strip() or len(split_list(name)) > 1:
            raise InputError(f"a protocol must have a name without commas; received {name!r}")
        found += _rows(name, protocol)
    return tuple(found)


def require_column(metrics: Iterable[Metric], column: str | None) -> None:
    """Check that what protocols are told by is the column by which samples are put into strata.

    Raises
    ------
    InputError
        When a protocol is told by another one.
    """
    for metric in metrics:
        own = "" if metric.protocol is None else metric.protocol.report.column
        if own and own != column:
            given = "none" if column is None else f"strata by {column}"
            raise InputError(
                f"{metric.name} is told by the column {own}: strata must be "
                f"Strata.column(FILE, {own!r}), --strata FILE.csv:{own}; received {given}"
            )


def _rows(name: str, protocol: Protocol) -> list[Metric]:
    score = _score(name, protocol)
    words = protocol.words()
    title = TARGET_TITLES.get(protocol.score.name, score.title)
    formula = "" if title == score.formula else f" = {score.formula}"
    words["score"] = f"{MODES[protocol.score.mode].words}: {title}{formula}"
    path = Path(**words)
    told = []
    for label in labels(protocol.report):
        by_images = label == "" and not (
            protocol.report.average in ("pooled", "targets")
            or protocol.report.of == "dataset"
            or protocol.tells_curve
        )
        report = Report(
            label,
            words["representation"],
            words["report"],
            "column" if by_images else "pooled",
            None if label or protocol.tells_curve else "",
            None,
            (protocol.representation, protocol.report),
        )
        shown = f"{name}[{label}]" if label else name
        told.append(Metric(shown, score, report, path, protocol))
    return told


def _score(name: str, protocol: Protocol) -> Score:
    known = {**sweep.SCORES, **spatial.SCORES, **surface.SCORES}.get(protocol.score.name)
    direction, stretched = protocol.direction, not protocol.representation.stretch
    if known is None:
        formula = TARGET_TITLES[protocol.score.name]
        return Score(
            name, protocol.score.name, FAMILY, direction, 0.0, 1.0, formula, _TARGETS_EMPTY,
            PAPER + "B.4",
            stretched=stretched,
        )  # fmt: skip
    empty = known.empty if protocol.target.kind == "whole" else f"{_NO_TARGET}; {known.empty}"
    return Score(
        name, known.title, FAMILY, direction, known.low, known.high, known.formula, empty,
        known.citation, protocol.needs_image, stretched,
    )  # fmt: skip
