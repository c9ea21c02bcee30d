"""The table of a paper: methods as rows, metrics as columns, the best value of each marked."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from fastsegmetrics.catalog import METRICS
from fastsegmetrics.reporting.plain import csv_text

if TYPE_CHECKING:
    from fastsegmetrics.results import Aggregate

Aggregates = Mapping[str, "Aggregate"]

ARROWS = {"higher": "↑", "lower": "↓"}
LATEX_ARROWS = {"higher": r"$\uparrow$", "lower": r"$\downarrow$"}
_LATEX_SPECIAL = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "_": r"\_",
    "%": r"\%",
    "&": r"\&",
    "#": r"\#",
    "$": r"\$",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
}
_UNEVEN = "Where methods have values for different numbers of samples, none is marked best."
_CSV_FIELDS = ("value", "direction", "n_expected", "n_used", "n_undefined", "n_infinite")


class Column(NamedTuple):
    """One metric: its name and whether "higher" or "lower" is better."""

    name: str
    direction: str


class Cell(NamedTuple):
    """One value as shown, whether it is the best of its column, and a note ("" if none)."""

    text: str
    best: bool
    note: str


class Row(NamedTuple):
    """One method: its name, how many samples were used of how many expected, its cells."""

    method: str
    used: int
    expected: int
    cells: tuple[Cell, ...]


class Table(NamedTuple):
    """What every written form of the table is made from.

    `show_samples` is true when some method was not evaluated on all expected samples; `note` is a
    sentence that must stand under the table ("" if none); `rows_are` heads the first column.
    """

    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    show_samples: bool
    note: str
    rows_are: str = "Method"


def build(
    results: Mapping[str, Aggregates],
    *,
    digits: int = 3,
    rows_are: str = "Method",
    comparable: bool = True,
) -> Table:
    """Lay out the results of one run.

    Parameters
    ----------
    results : mapping of str to mapping of str to Aggregate
        Method to metric to aggregate; all methods with the same metrics.
    digits : int
        Digits after the decimal point, as for `format_value`.
    rows_are : str
        What the rows are.  Only methods compete: of other rows none is best.
    comparable : bool
        Whether all numbers came about alike.  Where they did not, none is best either.

    Returns
    -------
    Table
        With one row per method, in the order given. A value that rounds to the same digits as the
        best one is marked best too: a reader cannot tell them apart. With a single method nothing
        is marked. A mean that leaves out infinite values is never the best: whoever misses the
        hardest samples would win. Nor is any value of a column whose methods have a value for
        different numbers of samples, so that they are means over different images.
    """
    first: Aggregates = next(iter(results.values()), {})
    columns = tuple(Column(name, aggregate.direction) for name, aggregate in first.items())
    compete = len(results) > 1 and rows_are == "Method" and comparable
    uneven = {column.name for column in columns if compete and _uneven(column, results)}
    best = [
        _best(column, results, digits) if compete and column.name not in uneven else None
        for column in columns
    ]
    rows = []
    elsewhere = False
    for method, aggregates in results.items():
        used = max((a.n_used for a in aggregates.values()), default=0)
        expected = max((a.n_expected for a in aggregates.values()), default=0)
        cells = []
        for column, marked in zip(columns, best, strict=True):
            aggregate = aggregates[column.name]
            text = format_value(aggregate.value, digits)
            best_of_all = text == marked and not aggregate.n_infinite
            cells.append(Cell(text, best_of_all, _cell_note(aggregate, used)))
            elsewhere |= aggregate.n_used + aggregate.n_undefined + aggregate.n_infinite < used
        rows.append(Row(method, used, expected, tuple(cells)))
    partial = any(row.used != row.expected for row in rows)
    note = _table_note(columns, rows, elsewhere)
    if uneven:
        note = f"{note} {_UNEVEN}".lstrip()
    return Table(columns, tuple(rows), partial, note, rows_are)


def _cell_note(aggregate: Aggregate, used_by_row: int) -> str:
    parts = [] if aggregate.n_used == used_by_row else [f"n={aggregate.n_used}"]
    parts += [f"{aggregate.n_infinite} inf"] if aggregate.n_infinite else []
    return ", ".join(parts)


def _table_note(columns: Sequence[Column], rows: Sequence[Row], elsewhere: bool) -> str:
    notes = " ".join(cell.note for row in rows for cell in row.cells)
    sentences = []
    if "n=" in notes:
        known = [METRICS[column.name] for column in columns if column.name in METRICS]
        halves = any(metric.report.half is not None for metric in known)
        others = "value of the others is undefined"
        if halves:
            others = "others are in the other half or undefined"
        elif any("[" in column.name for column in columns):
            others = "others have no target of that size or are undefined"
        elif elsewhere:
            others = "others are in other strata or undefined"
        sentences.append(f"n=…: mean of that many samples, the {others}.")
    if "inf" in notes:
        sentences.append(
            "inf: that many samples have an infinite value and are not in the mean, which is never "
            "marked best."
        )
    return " ".join(sentences)


def _uneven(column: Column, results: Mapping[str, Aggregates]) -> bool:
    """Whether the means of a column are over different numbers of samples."""
    told = [aggregates[column.name] for aggregates in results.values()]
    # An infinite value is one: its sample is not missing, and its mean is told apart already.
    return len({aggregate.n_used + aggregate.n_infinite for aggregate in told}) > 1


def _best(column: Column, results: Mapping[str, Aggregates], digits: int) -> str | None:
    told = [aggregates[column.name] for aggregates in results.values()]
    values = [aggregate.value for aggregate in told if not aggregate.n_infinite]
    defined = [value for value in values if not math.isnan(value)]
    if not defined:
        return None
    return format_value(max(defined) if column.direction == "higher" else min(defined), digits)


def format_value(value: float, digits: int, *, sign: str = "") -> str:
    """`value` with `digits` digits; "–" for an undefined one.

    What is not 0 but would look it is written with a power of ten: a rate of false alarms of 1e-6
    is not none, and of two of them one is the better.  `sign` is "+" where 0.5 is to be "+0.5".

    Examples
    --------
    >>> format_value(0.91249, 3), format_value(float("nan"), 3), format_value(float("inf"), 3)
    ('0.912', '–', 'inf')
    >>> format_value(0.000088, 3), format_value(0.0, 3), format_value(0.0024, 3, sign="+")
    ('8.8e-05', '0.000', '+0.002')
    """
    if math.isnan(value):
        return "–"
    text = f"{value:{sign}.{digits}f}"
    if value and math.isfinite(value) and not float(text):
        return f"{value:{sign}.1e}"
    return text


def cells_as_text(
    table: Table,
    *,
    bold: str,
    arrows: Mapping[str, str] = ARROWS,
    clean: Callable[[str], str] = str,
) -> list[list[str]]:
    """The table as lines of strings, the header first.

    Parameters
    ----------
    bold : str
        Format of a best value, as ``"**{}**"``.
    arrows : mapping of str to str
        Signs for "higher" and "lower".
    clean : callable
        Applied to names.
    """
    head = [table.rows_are, *(["n"] if table.show_samples else [])]
    head += [f"{clean(column.name)} {arrows[column.direction]}" for column in table.columns]
    lines = [head]
    for row in table.rows:
        line = [clean(row.method)]
        line += [f"{row.used}/{row.expected}"] if table.show_samples else []
        for cell in row.cells:
            text = bold.format(cell.text) if cell.best else cell.text
            line.append(f"{text} ({cell.note})" if cell.note else text)
        lines.append(line)
    return lines


def to_markdown(table: Table) -> str:
    """The table as GitHub-flavoured Markdown, columns aligned."""
    lines = cells_as_text(table, bold="**{}**", clean=lambda text: text.replace("|", r"\|"))
    widths = [max(len(line[i]) for line in lines) for i in range(len(lines[0]))]
    padded = [
        [line[0].ljust(widths[0]), *(c.rjust(w) for c, w in zip(line[1:], widths[1:], strict=True))]
        for line in lines
    ]
    rule = ["-" * widths[0], *("-" * (w - 1) + ":" for w in widths[1:])]
    text = "\n".join(f"| {' | '.join(line)} |" for line in [padded[0], rule, *padded[1:]])
    return f"{text}\n\n{table.note}\n" if table.note else f"{text}\n"


def to_latex(table: Table) -> str:
    r"""The table as a `tabular` with `booktabs` rules (needs ``\usepackage{booktabs}``)."""
    lines = cells_as_text(table, bold=r"\textbf{{{}}}", arrows=LATEX_ARROWS, clean=latex_escape)
    widths = [max(len(line[i]) for line in lines) for i in range(len(lines[0]))]
    text = [
        "  " + " & ".join(c.ljust(w) for c, w in zip(line, widths, strict=True)).rstrip() + r" \\"
        for line in lines
    ]
    spec = "l" + "c" * (len(lines[0]) - 1)
    parts = [rf"\begin{{tabular}}{{{spec}}}", r"  \toprule", text[0], r"  \midrule", *text[1:]]
    parts += [r"  \bottomrule", r"\end{tabular}"]
    if table.note:
        parts.insert(0, f"% {table.note}")
    return "\n".join(parts).replace("–", "--") + "\n"


def latex_escape(text: str) -> str:
    """`text` with LaTeX's special characters escaped.

    Examples
    --------
    >>> latex_escape("f_beta.max & 5%")
    'f\\\\_beta.max \\\\& 5\\\\%'
    """
    escaped = "".join(_LATEX_SPECIAL.get(character, character) for character in text)
    # At the begin of a line, the "\\" before it would take these for an argument of its own.
    return f"{{{escaped[0]}}}{escaped[1:]}" if escaped.startswith(("[", "*")) else escaped


def to_csv(results: Mapping[str, Aggregates], contracts: Mapping[str, str] | None = None) -> str:
    """One line per method and metric, at full precision, with the counts of samples.

    The last column is the hash of each method's contract, where `contracts` tell them.
    """
    lines: list[list[object]] = [
        ["method", "metric", *_CSV_FIELDS, *(["contract"] if contracts else [])]
    ]
    for method, aggregates in results.items():
        for name, a in aggregates.items():
            counts = (a.n_expected, a.n_used, a.n_undefined, a.n_infinite)
            own = [contracts[method]] if contracts else []
            lines.append([method, name, float(a.value), a.direction, *counts, *own])
    return csv_text(lines)
