"""The catalogue of metrics in writing: an overview, one metric in full, Markdown, JSON."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from fastsegmetrics.reporting.table import ARROWS

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
            "range": list(metric.range),
            "path": metric.path.to_dict(),
            "empty": metric.score.empty,
            "citation": metric.score.citation,
        }
        for metric in metrics
    ]


def overview(metrics: Sequence[Metric], width: int) -> str:
    """One line per score, then what their reports mean, each once."""
    width = max(width, 60)
    scores = {metric.score.name: metric.score for metric in metrics}
    pad = max(map(len, scores), default=0) + 2
    lines = []
    for name, score in scores.items():
        span = f"[{score.low:g}, {score.high:g}]"
        lines.append(f"{name:{pad}}{ARROWS[score.direction]}  {span:8} {score.formula}")
    for owners, reports in _reports_by_owners(metrics).items():
        title = f"reports of {', '.join(owners)}:"
        lines += ["", *textwrap.wrap(title, width, subsequent_indent="  ")]
        inset = max(map(len, reports)) + 5
        for name, words in reports.items():
            first = f"  .{name}".ljust(inset)
            lines += textwrap.wrap(
                words, width, initial_indent=first, subsequent_indent=" " * inset
            )
    return "\n".join(lines) + "\n"


def _reports_by_owners(metrics: Iterable[Metric]) -> dict[tuple[str, ...], dict[str, str]]:
    owners: dict[str, list[str]] = {}
    words: dict[str, str] = {}
    for metric in metrics:
        name = metric.report.name
        if name:
            owners.setdefault(name, []).append(metric.score.name)
            partition = metric.path.representation.partition(":")[0]
            words.setdefault(name, f"{partition}: {metric.path.report}")
    groups: dict[tuple[str, ...], dict[str, str]] = {}
    for name, scores in owners.items():
        groups.setdefault(tuple(scores), {})[name] = words[name]
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
    head = ["metric", *_STAGES, "better", "range", "empty case", "source"]
    lines = [head, ["---"] * len(head)]
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
    return "".join(
        f"| {' | '.join(c.replace('|', chr(92) + '|') for c in line)} |\n" for line in lines
    )
