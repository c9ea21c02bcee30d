"""The Markdown speed tables of the README and of docs/performance.md, made from the JSON."""

from __future__ import annotations

from typing import Any

from speed.rows import Row, geometric_mean, markdown_table, milliseconds, shown, verdict, wanted


def markdown(data: dict[str, Any]) -> str:
    """Return the tables of one file of measurements, losses like wins."""
    rows = [Row.from_dict(row) for row in data["rows"]]
    parts = [_environment(data["environment"])]
    for way, words in (
        ("native", "functional interface"),
        ("compat", "`compat.py_sod_metrics`, import changed and nothing else"),
    ):
        found = [row for row in rows if row.section == way]
        if found:
            parts.append(
                f"**Times faster than pysodmetrics**, one pair, one thread, {words}. Geometric "
                f"mean over the contents, in brackets the worst content; target "
                f"{wanted(found[0])}×.\n\n{_speedups(found)}"
            )
    for section, words in (
        ("decoding", "**`Evaluator.update` over decoding the pair's two PNG files with OpenCV**"),
        ("folders", "**Folder runs**: from end to end over only reading the same files"),
        ("cold", "**Fresh processes**"),
    ):
        found = [row for row in rows if row.section == section]
        if found:
            parts.append(f"{words}\n\n{_plain(found)}")
    return "\n\n".join(parts)


def _environment(found: dict[str, str]) -> str:
    return "Measured with " + ", ".join(f"{name} {value}" for name, value in found.items()) + "."


def _speedups(rows: list[Row]) -> str:
    sizes = list(dict.fromkeys(row.size for row in rows))
    names = list(dict.fromkeys(row.name for row in rows))
    lines = []
    for name in names:
        cells = [name]
        for size in sizes:
            cells.append(_cell([r for r in rows if (r.name, r.size) == (name, size)]))
        lines.append(cells)
    return markdown_table(["", *sizes], lines)


def _cell(rows: list[Row]) -> str:
    if not rows:
        return ""
    mean = f"{shown(geometric_mean(row.figure for row in rows), 'x')}"
    if any(row.met is False for row in rows):
        mean = f"**{mean} missed**"
    if len(rows) == 1:
        return mean
    worst = min(rows, key=lambda row: row.figure)
    return f"{mean} ({shown(worst.figure, 'x')} {worst.content})"


def _plain(rows: list[Row]) -> str:
    header = ["", "size", "content", "figure", "target", "", "ms"]
    lines = [
        [
            row.name,
            row.size,
            row.content,
            shown(row.figure, row.unit),
            wanted(row),
            verdict(row).replace("MISSED", "**missed**"),
            milliseconds(row.times_ms),
        ]
        for row in rows
    ]
    used = [i for i in range(len(header)) if any(line[i] for line in lines)]
    return markdown_table([header[i] for i in used], [[line[i] for i in used] for line in lines])
