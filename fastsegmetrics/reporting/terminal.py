"""The table on a terminal, cut into blocks that fit its width, and as plain text in a pipe."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from fastsegmetrics.reporting.table import ARROWS, Table, cells_as_text

Entry = TypeVar("Entry")

_MOST_COLUMNS = 16
_DIM, _BOLD, _OFF = "\x1b[2m", "\x1b[1m", "\x1b[0m"


def to_text(table: Table, *, width: int | None = None, styled: bool = False) -> str:
    """The table as lines of text.

    Parameters
    ----------
    table : Table
        From `fastsegmetrics.reporting.table.build`. With many metrics it is turned: metrics as
        rows, methods as columns.
    width : int or None
        Columns of the terminal; a wider table is cut into blocks, each with the first column.
        None: never cut.
    styled : bool
        Best values in bold and rules dimmed by terminal codes; otherwise best values carry a star.

    Returns
    -------
    str
        Ends with a line break.
    """
    lines = cells_as_text(table, bold="{}" if styled else "{}*")
    first = len(lines[0]) - len(table.columns)
    marks = [[False] * len(lines[0])]
    marks += [[False] * first + [cell.best for cell in row.cells] for row in table.rows]
    n_head = 1
    if len(table.columns) > _MOST_COLUMNS:
        lines, marks, first = _turned(lines), _turned(marks), 1
        lines[0][0] = "Metric"
    else:
        lines, marks, n_head = [*_two_lines(lines[0]), *lines[1:]], [marks[0], *marks], 2
    if not styled:
        _align_unstarred(lines, marks)
    widths = [max(len(line[i]) for line in lines) for i in range(len(lines[0]))]
    out: list[str] = []
    # A gap of one where that saves a cut: the eight columns of a paper then fit into 80.
    gap = min((" ", "  "), key=lambda gap: (len(_blocks(widths, first, width, gap)), -len(gap)))
    for columns in _blocks(widths, first, width, gap):
        # One rule between two blocks.
        out = out[:-1] + _block(lines, marks, widths, columns, gap, styled, n_head)
    if not styled and any(any(line) for line in marks):
        out.append("* best")
    if table.note:
        out.append(table.note)
    return "\n".join(out) + "\n"


def _two_lines(head: Sequence[str]) -> tuple[list[str], list[str]]:
    """Column titles as score over report: the report's names are short, the whole ones are not."""
    above, below = [], []
    for title in head:
        name, space, arrow = title.rpartition(" ")
        if not space or arrow not in ARROWS.values():
            name, arrow = title, ""
        # A report of a metric, or a stratum or quantile of a protocol: mine[q0.25].
        at = min((k for k in (name.find("."), name.find("[")) if k >= 0), default=len(name))
        above.append(name[:at])
        below.append(f"{name[at:]} {arrow}".strip())
    return above, below


def _turned(lines: Sequence[Sequence[Entry]]) -> list[list[Entry]]:
    return [list(column) for column in zip(*lines, strict=True)]


def _align_unstarred(lines: list[list[str]], marks: list[list[bool]]) -> None:
    for i in range(len(lines[0])):
        if any(line[i] for line in marks):
            for line, marked in zip(lines, marks, strict=True):
                line[i] += "" if marked[i] else " "


def _blocks(widths: Sequence[int], first: int, width: int | None, gap: str) -> list[list[int]]:
    head = list(range(first))
    if width is None:
        return [list(range(len(widths)))]
    taken = sum(widths[i] + len(gap) for i in head)
    blocks: list[list[int]] = [[]]
    room = width - taken
    for i in range(first, len(widths)):
        if blocks[-1] and room < widths[i]:
            blocks.append([])
            room = width - taken
        blocks[-1].append(i)
        room -= widths[i] + len(gap)
    return [head + block for block in blocks]


def _block(
    lines: Sequence[Sequence[str]],
    marks: Sequence[Sequence[bool]],
    widths: Sequence[int],
    columns: Sequence[int],
    gap: str,
    styled: bool,
    n_head: int,
) -> list[str]:
    dim, bold, off = (_DIM, _BOLD, _OFF) if styled else ("", "", "")
    length = sum(widths[i] for i in columns) + len(gap) * (len(columns) - 1)
    rule = f"{dim}{'─' * length}{off}"
    out = [rule]
    for number, (line, marked) in enumerate(zip(lines, marks, strict=True)):
        parts = [line[i].ljust(widths[i]) if i == 0 else line[i].rjust(widths[i]) for i in columns]
        if styled:
            parts = [
                f"{bold}{part}{off}" if number < n_head or marked[i] else part
                for i, part in zip(columns, parts, strict=True)
            ]
        out.append(gap.join(parts).rstrip())
        if number == n_head - 1:
            out.append(rule)
    return [*out, rule]
