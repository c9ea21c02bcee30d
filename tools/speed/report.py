"""The Markdown speed tables of the README and of docs/performance.md, made from the JSON."""

from __future__ import annotations

from typing import Any

from speed.rows import Row, geometric_mean, markdown_table, milliseconds, shown, verdict, wanted


def markdown(data: dict[str, Any], *, full: bool = False) -> str:
    """Return the tables of one file of measurements, losses like wins.

    `full` lists every size and content of the decoding and folder figures; otherwise one line
    gives the contents' geometric mean and the worst.
    """
    rows = [Row.from_dict(row) for row in data["rows"]]
    parts = []
    for way, words in (
        ("native", "its own functions"),
        ("compat", "`compat.py_sod_metrics`, where only the import was changed"),
    ):
        found = [row for row in rows if row.section == way]
        if found:
            parts.append(
                f"**Times faster than pysodmetrics** through {words}: one pair, nothing "
                f"prepared, one thread; geometric mean over contents, in brackets the worst "
                f"content. Target {wanted(found[0])} for 8-bit maps.\n\n{_by_size(found)}"
            )
    for section, words in (
        ("decoding", "`Evaluator.update` of a pair, as a share of decoding its two PNG files"),
        ("folders", "Folder runs from end to end, as a multiple of only reading the files"),
    ):
        found = [row for row in rows if row.section == section]
        if found:
            table = _plain(found) if full else _by_size(found, targets=True)
            parts.append(f"**{words}**\n\n{table}")
    found = [row for row in rows if row.section == "cold"]
    if found:
        parts.append(f"**Fresh processes**\n\n{_plain(found)}")
    found = [row for row in rows if row.section == "surfaces"]
    if found:
        words = "All surface scores of a pair of masks: times faster than other packages"
        parts.append(f"**{words}**, each asked for the same scores, one thread\n\n{_plain(found)}")
    how = "" if full else " How it is measured: [performance](docs/performance.md)."
    parts.append(_environment(data["environment"]) + how)
    return "\n\n".join(parts)


def put_into(document: str, table: str) -> str:
    """Return a document with the text between its two speed-table comments exchanged.

    Raises
    ------
    ValueError
        When the document has no such comments.
    """
    before, begin, rest = document.partition("<!-- speed table -->\n")
    _, end, after = rest.partition("<!-- end -->")
    if not (begin and end):
        raise ValueError("the document has no <!-- speed table --> … <!-- end -->")
    return f"{before}{begin}{table}\n{end}{after}"


def _environment(found: dict[str, str]) -> str:
    rest = ", ".join(f"{name} {value}" for name, value in found.items() if name != "processor")
    return f"Measured on {found['processor']} with {rest}."


def _by_size(rows: list[Row], *, targets: bool = False) -> str:
    sizes = list(dict.fromkeys(row.size for row in rows))
    names = list(dict.fromkeys(row.name for row in rows))
    lines = []
    for name in names:
        own = [row for row in rows if row.name == name]
        cells = [_cell([row for row in own if row.size == size]) for size in sizes]
        lines.append([name, *([wanted(own[0])] if targets else []), *cells])
    return markdown_table(["", *(["target"] if targets else []), *sizes], lines)


def _cell(rows: list[Row]) -> str:
    if not rows:
        return ""
    text = shown(geometric_mean(row.figure for row in rows), rows[0].unit)
    if len(rows) > 1:
        most_is_worst = rows[0].goal == "at most"
        worst = (max if most_is_worst else min)(rows, key=lambda row: row.figure)
        text += f" ({shown(worst.figure, worst.unit)} {worst.content})"
    missed = any(row.met is False for row in rows)
    return f"**{text} missed**" if missed else text


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
