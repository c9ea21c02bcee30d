"""Means with their intervals as text, for people and for programs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from fastsegmetrics.reporting.layout import aligned, markdown
from fastsegmetrics.reporting.plain import csv_text
from fastsegmetrics.reporting.table import ARROWS, LATEX_ARROWS, format_value, latex_escape
from fastsegmetrics.results import json_ready

if TYPE_CHECKING:
    from fastsegmetrics.bulk.run_intervals import MetricInterval

_FIELDS = ("value", "low", "high", "level", "unit", "n_units", "n_used", "n_undefined",
           "n_infinite", "method", "n_resamples", "seed")  # fmt: skip


def to_dicts(found: Sequence[MetricInterval]) -> list[dict[str, Any]]:
    """Return everything as plain data, a dict for each method and metric."""
    return [
        {
            "method": row.method, "metric": row.metric, "direction": row.direction,
            **{f"{'bootstrap_' * (name == 'method')}{name}": getattr(row.found, name)
               for name in _FIELDS},
        }
        for row in found
    ]  # fmt: skip


def to_json_ready(found: Sequence[MetricInterval]) -> Any:
    """Return the same for strict JSON."""
    return json_ready(to_dicts(found))


def to_csv(found: Sequence[MetricInterval]) -> str:
    """Return one line for each method and metric, floats to the last digit."""
    rows = to_dicts(found)
    return csv_text([rows[0], *(row.values() for row in rows)])


def to_text(found: Sequence[MetricInterval], digits: int = 3) -> str:
    """Return a table of methods by metrics, and under it what the intervals are."""
    return "\n".join([*aligned(_cells(found, digits)), _note(found)]) + "\n"


def to_markdown(found: Sequence[MetricInterval], digits: int = 3) -> str:
    """Return the same as GitHub-flavoured Markdown."""
    return f"{markdown(_cells(found, digits))}\n{_note(found)}\n"


def to_latex(found: Sequence[MetricInterval], digits: int = 3) -> str:
    r"""Return the same as a `tabular` with `booktabs` rules."""
    head, *lines = ([latex_escape(cell) for cell in line] for line in _cells(found, digits))
    rows = [f"  {' & '.join(line)} \\\\" for line in (head, *lines)]
    rows[1:1] = [r"  \midrule"]
    begin = [f"% {_note(found)}", rf"\begin{{tabular}}{{l{'c' * (len(head) - 1)}}}", r"  \toprule"]
    text = "\n".join([*begin, *rows, r"  \bottomrule", r"\end{tabular}"])
    for direction, arrow in ARROWS.items():
        text = text.replace(arrow, LATEX_ARROWS[direction])
    return f"{text.replace('–', '--')}\n"


def _cells(found: Sequence[MetricInterval], digits: int) -> list[list[str]]:
    columns = {row.metric: f"{row.metric} {ARROWS[row.direction]}" for row in found}
    lines: dict[str, list[str]] = {}
    for row in found:
        one = row.found
        value, low, high = (format_value(x, digits) for x in (one.value, one.low, one.high))
        notes = [f"n={one.n_used}"] if one.n_undefined or one.n_infinite else []
        notes += [f"{one.n_infinite} inf"] if one.n_infinite else []
        note = f" ({', '.join(notes)})" if notes else ""
        lines.setdefault(row.method, [row.method]).append(f"{value} [{low}, {high}]{note}")
    return [["Method", *columns.values()], *lines.values()]


def _note(found: Sequence[MetricInterval]) -> str:
    first = found[0].found
    units = sorted({row.found.n_units for row in found})
    count = str(units[0]) if len(units) == 1 else f"{units[0]} to {units[-1]}"
    left_out = any(row.found.n_undefined or row.found.n_infinite for row in found)
    return (
        f"mean over cases, with its {100 * first.level:g} % bootstrap interval over units "
        f"({first.unit}, {count} of them)"
        + ("; n=…: the other cases are undefined or infinite (inf)." if left_out else ".")
    )
