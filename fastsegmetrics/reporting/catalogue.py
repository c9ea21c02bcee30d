"""The catalogue of metrics in writing: an overview, one metric in full, Markdown, JSON."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from fastsegmetrics.reporting.layout import markdown
from fastsegmetrics.reporting.table import ARROWS
from fastsegmetrics.results import json_ready

if TYPE_CHECKING:
    from fastsegmetrics.catalog import Metric

_STAGES = ("representation", "target", "matching", "score", "report")


def to_dicts(metrics: Iterable[Metric]) -> list[dict[str, Any]]:
    """Every metric as a dictionary for JSON; an infinite end of a range is a string."""
    return [
        {
            "name": metric.name,
            "title": metric.score.title,
            "direction": metric.direction,
            "range": json_ready(list(metric.range)),
            "path": metric.path.to_dict(),
            "empty": metric.score.empty,
            "citation": metric.score.citation,
        }
        for metric in metrics
    ]


def overview(metrics: Sequence[Metric], width: int) -> str:
    """One line per score, then the paths of all their reports, those that are alike once."""
    width = max(width, 60)
    scores = {metric.score.name: metric.score for metric in metrics}
    pad = max(map(len, scores), default=0) + 2
    lines = []
    for name, score in scores.items():
        span = f"[{score.low:g}, {score.high:g}]"
        start = f"{name:{pad}}{ARROWS[score.direction]}  {span:9} "
        lines += _wrapped(start, score.formula, width)
    lines += ["", f"paths ({' → '.join(_STAGES)}):"]
    for (target, matching, mode), members in _alike(metrics).items():
        title = f"… → {target} → {matching} → {mode}: formula above → …"
        lines += ["", *textwrap.wrap(title, width, subsequent_indent="  ")]
        for names, reports in members.items():
            lines += _wrapped("  ", f"{', '.join(names)}:", width)
            inset = max(map(len, reports)) + 8
            for report, (first, last) in reports.items():
                label = f".{report}" if report else ""
                lines += _wrapped(f"    {label}".ljust(inset), f"{first} → … → {last}", width)
    return "\n".join(lines) + "\n"


def suites(all_suites: Mapping[str, Sequence[str]], metrics: Sequence[Metric], width: int) -> str:
    """The members of each suite; a score of which all reports are in it stands for them.

    One whose name is that of a metric, as ``difficulty``, asks for that metric alone.
    """
    reports: dict[str, list[str]] = {}
    for metric in metrics:
        reports.setdefault(metric.score.name, []).append(metric.name)
    owner = {metric.name: metric.score.name for metric in metrics}
    asks_for_all = {score: set(names) for score, names in reports.items() if score not in names}
    lines = []
    for suite, members in all_suites.items():
        known = set(members)
        shown = (
            o if asks_for_all.get(o := owner[name], {""}) <= known else name for name in members
        )
        names = ", ".join(dict.fromkeys(shown))
        lines += textwrap.wrap(f"suite {suite}: {names}", max(width, 60), subsequent_indent="  ")
    return "\n".join(lines) + "\n"


def _wrapped(start: str, text: str, width: int) -> list[str]:
    return textwrap.wrap(text, width, initial_indent=start, subsequent_indent=" " * len(start))


_Group = tuple[str, str, str]
_Reports = dict[str, tuple[str, str]]


def _alike(metrics: Iterable[Metric]) -> dict[_Group, dict[tuple[str, ...], _Reports]]:
    """Target, matching and way of scoring, to scores that share reports, to their reports'
    representation and report."""
    by_score: dict[_Group, dict[str, _Reports]] = {}
    for metric in metrics:
        path = metric.path
        group = (path.target, path.matching, path.score.partition(":")[0])
        reports = by_score.setdefault(group, {}).setdefault(metric.score.name, {})
        reports[metric.report.name] = (path.representation, path.report)
    groups: dict[_Group, dict[tuple[str, ...], _Reports]] = {}
    for group, scores in by_score.items():
        owners: dict[tuple[tuple[str, tuple[str, str]], ...], list[str]] = {}
        for name, reports in scores.items():
            owners.setdefault(tuple(reports.items()), []).append(name)
        groups[group] = {tuple(names): dict(shared) for shared, names in owners.items()}
    return groups


def full(metrics: Iterable[Metric], width: int) -> str:
    """Every metric in full: the five stages of its path, range, empty case, source."""
    blocks = []
    for metric in metrics:
        low, high = metric.range
        facts = [
            *((stage, metric.path.to_dict()[stage]) for stage in _STAGES),
            ("better", f"{metric.direction} {ARROWS[metric.direction]}"),
            ("range", f"[{low:g}, {high:g}]"),
            ("empty case", metric.score.empty),
            ("source", metric.score.citation),
        ]
        lines = [f"{metric.name}: {metric.score.title}"]
        for label, text in facts:
            lines += textwrap.wrap(
                text,
                max(width, 60),
                initial_indent=f"  {label:16}",
                subsequent_indent=" " * 18,
            )
        blocks.append("\n".join(lines))
    return "\n\n".join(blocks) + "\n"


def to_markdown(metrics: Iterable[Metric]) -> str:
    """The catalogue as a Markdown table, one line per metric."""
    lines = [["metric", *_STAGES, "better", "range", "empty case", "source"]]
    for metric in metrics:
        low, high = metric.range
        path = metric.path.to_dict()
        lines.append(
            [
                f"`{metric.name}`",
                *(path[stage] for stage in _STAGES),
                ARROWS[metric.direction],
                f"[{low:g}, {high:g}]",
                metric.score.empty,
                metric.score.citation,
            ]
        )
    return markdown(lines)
