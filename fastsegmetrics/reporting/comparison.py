"""The comparison of two methods as text, for people and for programs."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from fastsegmetrics.reporting.layout import aligned, markdown
from fastsegmetrics.reporting.plain import csv_text
from fastsegmetrics.reporting.table import ARROWS, format_value
from fastsegmetrics.results import json_ready

if TYPE_CHECKING:
    from fastsegmetrics.bulk.comparison import ComparedMetric, ComparedRuns


def to_dicts(compared: ComparedRuns) -> list[dict[str, Any]]:
    """Return everything that was found as plain data, a dict for each metric."""
    return [
        {
            "metric": row.metric, "direction": row.direction, "a": compared.a, "b": compared.b,
            "mean_a": row.a, "mean_b": row.b, "difference": row.found.difference.value,
            "low": row.found.difference.low, "high": row.found.difference.high,
            "level": row.found.difference.level, "unit": row.found.difference.unit,
            "n_units": row.found.difference.n_units,
            "n_resamples": row.found.difference.n_resamples, "seed": row.found.difference.seed,
            "n_pairs": row.found.n_pairs, "n_undefined": row.found.n_undefined,
            "n_infinite": row.found.n_infinite, "n_a_better": row.n_a_better,
            "n_equal": row.found.n_equal, "n_b_better": row.n_b_better,
            "wilcoxon": row.found.wilcoxon, "p_value": row.found.p_value,
            "n_ranked": row.found.n_ranked,
        }
        for row in compared.rows
    ]  # fmt: skip


def to_json_ready(compared: ComparedRuns) -> Any:
    """Return the same for strict JSON, with what was left out and what differs."""
    return json_ready(
        {
            "metrics": to_dicts(compared),
            "only_a": list(compared.only_a),
            "only_b": list(compared.only_b),
            "warnings": list(compared.warnings),
        }
    )


def to_csv(compared: ComparedRuns) -> str:
    """Return one line for each metric, floats to the last digit."""
    rows = to_dicts(compared)
    return csv_text([rows[0], *(row.values() for row in rows)])


def to_text(compared: ComparedRuns, digits: int = 3) -> str:
    """Return a table for people, and under it what was compared how."""
    lines = aligned(_cells(compared, digits), right=True)
    return "\n".join([*lines, *_notes(compared)]) + "\n"


def to_markdown(compared: ComparedRuns, digits: int = 3) -> str:
    """Return the same as GitHub-flavoured Markdown."""
    table = markdown(_cells(compared, digits), right=True)
    return f"{table}\n{' '.join(_notes(compared))}\n"


def _cells(compared: ComparedRuns, digits: int) -> list[list[str]]:
    a, b = compared.a, compared.b
    head = ["Metric", a, b, "difference", "interval", f"{a} better", "equal", f"{b} better",
            "n", "p"]  # fmt: skip
    return [head, *(_line(row, digits) for row in compared.rows)]


def _line(row: ComparedMetric, digits: int) -> list[str]:
    interval = row.found.difference
    difference, low, high = (
        format_value(one, digits, sign="+") for one in (interval.value, interval.low, interval.high)
    )
    p_value = row.found.p_value
    counts = (row.n_a_better, row.found.n_equal, row.n_b_better, row.found.n_pairs)
    return [
        f"{row.metric} {ARROWS[row.direction]}",
        format_value(row.a, digits),
        format_value(row.b, digits),
        difference,
        f"[{low}, {high}]",
        *map(str, counts),
        "–" if math.isnan(p_value) else f"{p_value:.2g}",
    ]


def _notes(compared: ComparedRuns) -> Sequence[str]:
    first = compared.rows[0].found.difference
    notes = [
        f"difference: {compared.a} − {compared.b}, with its {100 * first.level:g} % interval of "
        f"the paired bootstrap over units ({first.unit}); p: Wilcoxon's signed-rank test of the "
        f"units' mean differences, not corrected for the number of metrics."
    ]
    for row in compared.rows:
        if row.found.n_undefined or row.found.n_infinite:
            notes.append(
                f"{row.metric}: {row.found.n_undefined} undefined and {row.found.n_infinite} "
                f"infinite left out."
            )
    return notes
