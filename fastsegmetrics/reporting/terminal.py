"""The table on a terminal, cut into blocks that fit its width, and as plain text in a pipe."""

from __future__ import annotations

from collections.abc import Sequence

from fastsegmetrics.reporting.table import Table, cells_as_text

_GAP = "  "
_DIM, _BOLD, _OFF = "\x1b[2m", "\x1b[1m", "\x1b[0m"


def to_text(table: Table, *, width: int | None = None, styled: bool = False) -> str:
    """The table as lines of text.

    Parameters
    ----------
    table : Table
        From `fastsegmetrics.reporting.table.build`.
    width : int or None
        Columns of the terminal; a wider table is cut into blocks, each with the method names.
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
    if not styled:
        _align_unstarred(lines, marks)
    widths = [max(len(line[i]) for line in lines) for i in range(len(lines[0]))]
    out = []
    for columns in _blocks(widths, first, width):
        out += _block(lines, marks, widths, columns, styled)
    if not styled and any(any(line) for line in marks):
        out.append("* best")
    if table.note:
        out.append(table.note)
    return "\n".join(out) + "\n"


def _align_unstarred(lines: list[list[str]], marks: list[list[bool]]) -> None:
    for i in range(len(lines[0])):
        if any(line[i] for line in marks):
            for line, marked in zip(lines, marks, strict=True):
                line[i] += "" if marked[i] else " "


def _blocks(widths: Sequence[int], first: int, width: int | None) -> list[list[int]]:
    head = list(range(first))
    if width is None:
        return [list(range(len(widths)))]
    taken = sum(widths[i] + len(_GAP) for i in head)
    blocks: list[list[int]] = [[]]
    room = width - taken
    for i in range(first, len(widths)):
        if blocks[-1] and room < widths[i]:
            blocks.append([])
            room = width - taken
        blocks[-1].append(i)
        room -= widths[i] + len(_GAP)
    return [head + block for block in blocks]


def _block(
    lines: Sequence[Sequence[str]],
    marks: Sequence[Sequence[bool]],
    widths: Sequence[int],
    columns: Sequence[int],
    styled: bool,
) -> list[str]:
    dim, bold, off = (_DIM, _BOLD, _OFF) if styled else ("", "", "")
    length = sum(widths[i] for i in columns) + len(_GAP) * (len(columns) - 1)
    rule = f"{dim}{'─' * length}{off}"
    out = [rule]
    for number, (line, marked) in enumerate(zip(lines, marks, strict=True)):
        parts = [line[i].ljust(widths[i]) if i == 0 else line[i].rjust(widths[i]) for i in columns]
        if styled:
            parts = [
                f"{bold}{part}{off}" if number == 0 or marked[i] else part
                for i, part in zip(columns, parts, strict=True)
            ]
        out.append(_GAP.join(parts).rstrip())
        if number == 0:
            out.append(rule)
    return [*out, rule]
