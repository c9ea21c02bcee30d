"""The Markdown speed tables of the README and of docs/performance.md, made from the JSON."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from speed.rows import Row, geometric_mean, markdown_table, milliseconds, shown, verdict, wanted

#: Rows that differ by a handler alone share a line.
_HANDLERS = "one handler (FmeasureV2)"
_HOW = "one pair, one thread; geometric mean over contents, in brackets the worst content"
_TARGETS = (
    "**Scores of matched targets: times faster than pyirstdmetrics** through our own functions, "
    "nothing prepared; *import changed*: `compat.py_irstd_metrics`; one pair of a float map and a "
    "mask, one thread; geometric mean over 0 to 200 targets, in brackets the worst"
)
_WAYS = {
    "native": "its own functions, nothing prepared",
    "compat": "`compat.py_sod_metrics`, where only the import was changed",
    "warm": "its own functions, the truth prepared in a `Target`",
}


def markdown(data: dict[str, Any], *, full: bool = False) -> str:
    """Return the tables of one file of measurements, losses like wins.

    `full` lists every class by each way, and every size and content of the decoding and folder
    figures; otherwise one line gives the contents' geometric mean and the worst.
    """
    rows = [Row.from_dict(row) for row in data["rows"]]
    parts = _of_each_way(rows) if full else _in_one_table(rows)
    found = [row for row in rows if row.section == "module" and row.name.startswith("whole")]
    if found:
        parts.append(
            "**All classes of pysodmetrics**, geometric mean over classes, sizes and contents\n\n"
            + _plain(found)
        )
    for section, words in (
        ("decoding", "`Evaluator.update` of a pair, as a share of decoding its two PNG files"),
        ("no peer", "What has no counterpart there"),
        ("folders", "Folder runs from end to end, as a multiple of only reading the files"),
    ):
        found = [row for row in rows if row.section == section]
        if found:
            table = _plain(found) if full else _by_size(found, targets=section != "no peer")
            parts.append(f"**{words}**\n\n{table}")
    found = [row for row in rows if row.section == "targets"]
    if found:
        table = _plain(found) if full else _by_way(found)
        parts.append(f"{_TARGETS}\n\n{table}")
    for section, words in (
        ("crowds", "Thousands of targets on each side, one thread"),
        ("hair", "Human correction effort of hair-thin masks, in a fresh process"),
        ("surfaces", "All surface scores of a pair of masks: times faster than other packages"),
        ("labels", "Contingency tables: times faster than numpy.bincount"),
        ("cold", "Fresh processes"),
    ):
        found = [row for row in rows if row.section == section]
        if found:
            parts.append(f"**{words}**\n\n{_plain(found)}")
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


def _of_each_way(rows: Sequence[Row]) -> list[str]:
    parts = []
    for way, words in _WAYS.items():
        found = [row for row in rows if row.section == way]
        if found:
            target = f" Target {wanted(found[0])} for 8-bit maps." if wanted(found[0]) else ""
            parts.append(
                f"**Times faster than pysodmetrics** through {words}: {_HOW}.{target}\n\n"
                f"{_by_size(found)}"
            )
    return parts


def _in_one_table(rows: Sequence[Row]) -> list[str]:
    """Return a line for each class: our functions by size, and the other ways over all sizes."""
    by_way = {way: [row for row in rows if row.section == way] for way in _WAYS}
    native = by_way["native"]
    if not native:
        return []
    sizes = list(dict.fromkeys(row.size for row in native))
    others = {
        way: title
        for way, title in (("compat", "import changed"), ("warm", "truth prepared"))
        if by_way[way]
    }
    lines = []
    for name in dict.fromkeys(_line_of(row.name) for row in native):
        own = {w: [row for row in found if _line_of(row.name) == name]
               for w, found in by_way.items()}  # fmt: skip
        cells = [_cell([row for row in own["native"] if row.size == size]) for size in sizes]
        lines.append([name, *cells, *(_cell(own[way], with_size=True) for way in others)])
    more = "".join(f"; *{title}*: {_WAYS[way]}, all sizes" for way, title in others.items())
    return [
        f"**Times faster than pysodmetrics** through {_WAYS['native']}: {_HOW}{more}. "
        f"Target {wanted(native[0])} for 8-bit maps.\n\n"
        + markdown_table(["", *sizes, *others.values()], lines)
    ]


def _by_way(rows: Sequence[Row]) -> str:
    """Return a line for each score of rows named ``score: way``."""
    names, ways = (list(dict.fromkeys(row.name.split(": ")[k] for row in rows)) for k in (0, 1))
    sizes = list(dict.fromkeys(row.size for row in rows))
    lines = []
    for name in names:
        first, *others = ([row for row in rows if row.name == f"{name}: {way}"] for way in ways)
        target = next(filter(None, map(wanted, first)), "")
        cells = [_cell([row for row in first if row.size == size]) for size in sizes]
        lines.append([name, target, *cells, *(_cell(own, with_size=True) for own in others)])
    return markdown_table(["", "target", *sizes, *ways[1:]], lines)


def _line_of(name: str) -> str:
    return _HANDLERS if "Handler" in name and "together" not in name else name


def _by_size(rows: Sequence[Row], *, targets: bool = False) -> str:
    sizes = list(dict.fromkeys(row.size for row in rows))
    names = list(dict.fromkeys(row.name for row in rows))
    lines = []
    for name in names:
        own = [row for row in rows if row.name == name]
        cells = [_cell([row for row in own if row.size == size]) for size in sizes]
        target = next(filter(None, map(wanted, own)), "")
        lines.append([name, *([target] if targets else []), *cells])
    return markdown_table(["", *(["target"] if targets else []), *sizes], lines)


def _cell(rows: Sequence[Row], *, with_size: bool = False) -> str:
    if not rows:
        return ""
    text = shown(geometric_mean(row.figure for row in rows), rows[0].unit)
    if len(rows) > 1:
        worst_of: Callable[..., Row] = min if rows[0].unit == "x" else max
        worst = worst_of(rows, key=lambda row: row.figure)
        where = f"{worst.content} {worst.size}" if with_size else worst.content
        text += f" ({shown(worst.figure, worst.unit)} {where})"
    missed = any(row.met is False for row in rows)
    return f"**{text} missed**" if missed else text


def _plain(rows: Sequence[Row]) -> str:
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
