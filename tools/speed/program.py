"""The command of ``tools/compare_peers.py``, in a process whose threads are already bounded."""

from __future__ import annotations

import argparse
import json
import platform
import sys
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from speed.report import markdown, put_into
from speed.rows import Row, text_table, verdict

SECTIONS = (
    "scores", "spatial", "decoding", "hair", "folders", "cold", "surfaces", "labels", "targets",
)  # fmt: skip
_PACKAGES = (
    "fastsegmetrics", "pysodmetrics", "pyirstdmetrics", "MedPy", "mikan-rs", "numpy", "numba",
    "opencv-python-headless", "deflate",
)  # fmt: skip
SIZES = ("300x400", "512x512", "1024x1024", "2048x2048")
TITLES = {
    "native": "Each score alone, functional interface: times faster than pysodmetrics",
    "compat": "Each score alone, compat.py_sod_metrics: times faster than pysodmetrics",
    "warm": "Each score alone, functional interface, truth prepared: times faster",
    "module": "pysodmetrics as a whole, geometric means: times faster",
    "no peer": "What has no counterpart",
    "decoding": "Evaluator.update of one 8-bit pair over decoding its two PNG files",
    "hair": "Human correction effort of hair-thin masks",
    "folders": "Folder runs over reading the same files alone",
    "cold": "Fresh processes",
    "surfaces": "All surface scores of a pair: times faster than other packages",
    "labels": "Contingency tables: times faster than numpy.bincount",
    "targets": "Scores of matched targets: times faster than pyirstdmetrics",
    "crowds": "Thousands of targets on each side",
}


def main(description: str, arguments: list[str] | None = None) -> int:
    """Measure or render; return 1 if a target is missed."""
    options = _parsed(description, arguments)
    if options.markdown:
        data = json.loads(options.markdown.read_text(encoding="utf-8"))
        table = markdown(data, full=options.full)
        if options.into:
            document = options.into.read_text(encoding="utf-8")
            options.into.write_text(put_into(document, table), encoding="utf-8")
        else:
            _print(table)
        return 0
    import cv2

    cv2.setNumThreads(0)
    rows: list[Row] = []
    for row in _measured(options):
        rows.append(row)
        if options.verbose:
            _print(text_table([row]))
    if {"scores", "spatial"} & {*options.sections}:
        from speed import module

        rows += module.run(rows, complete=_is_complete(options))
    for section, title in TITLES.items():
        found = [row for row in rows if row.section == section]
        if found:
            _print(f"\n{title}\n{text_table(found)}")
    with_target = [row for row in rows if row.met is not None]
    missed = [row for row in with_target if not row.met]
    _print(f"\n{len(with_target) - len(missed)} of {len(with_target)} targets met")
    for row in missed:
        _print(f"{verdict(row)}: {row.section}: {text_table([row])}")
    if options.json:
        data = {"environment": environment(), "rows": [row.to_dict() for row in rows]}
        options.json.write_text(json.dumps(data, indent=1, ensure_ascii=False), encoding="utf-8")
    return 1 if missed else 0


def _measured(options: argparse.Namespace) -> Iterator[Row]:
    sizes = [_size(text) for text in options.sizes]
    seconds = options.seconds
    if "scores" in options.sections:
        from speed import scores

        yield from scores.run(sizes, options.contents, seconds, options.rows)
    if "spatial" in options.sections:
        from speed import spatial

        kinds = [kind for kind in spatial.CONTENTS if kind in options.contents]
        yield from spatial.run(sizes, kinds, seconds, options.rows)
    if "decoding" in options.sections:
        from speed import decoding

        yield from decoding.run(sizes, options.contents, seconds)
    if "hair" in options.sections:
        from speed import hair

        yield from hair.run(1 if options.quick else 3)
    if "folders" in options.sections:
        from speed import folders

        own = None
        if options.gt and options.pred:
            own = options.gt, options.pred
        kinds = [kind for kind in ("maps", "flat", "smooth", "noise") if kind in options.contents]
        yield from folders.run(options.pairs, (512, 512), kinds, options.rounds, own)
    if "cold" in options.sections:
        from speed import cold

        yield from cold.run(3 if options.quick else 9)
    if "surfaces" in options.sections:
        from speed import surfaces

        yield from surfaces.run(seconds)
    if "labels" in options.sections:
        from speed import labels

        yield from labels.run(seconds)
    if "targets" in options.sections:
        from speed import crowds, targets

        yield from targets.run(seconds)
        yield from crowds.run(1000 if options.quick else crowds.N)


def _is_complete(options: argparse.Namespace) -> bool:
    from speed.spatial import CONTENTS

    return (
        {"scores", "spatial"} <= {*options.sections}
        and {*SIZES} <= {*options.sizes}
        and {*CONTENTS} <= {*options.contents}
        and not options.rows
    )


def environment() -> dict[str, str]:
    """Return what the figures were measured with."""
    found = {"processor": _processor(), "python": platform.python_version()}
    for package in _PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            found[package] = "from the work tree"
    return found


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    return next((x.partition(":")[2].strip() for x in lines if x.startswith("model name")), "")


def _size(text: str) -> tuple[int, int]:
    height, _, width = text.partition("x")
    return int(height), int(width)


def _parsed(description: str, arguments: list[str] | None) -> argparse.Namespace:
    from speed.contents import CONTENTS

    parser = argparse.ArgumentParser(prog="compare_peers.py", description=description)
    parser.add_argument("--sections", nargs="+", choices=SECTIONS, default=list(SECTIONS))
    parser.add_argument("--sizes", nargs="+", default=list(SIZES), metavar="HxW")
    parser.add_argument("--contents", nargs="+", choices=CONTENTS, default=list(CONTENTS))
    parser.add_argument(
        "--rows", nargs="+", default=[], metavar="WORD",
        help="of scores and spatial only rows whose name has one of these words",
    )  # fmt: skip
    parser.add_argument("--seconds", type=float, default=0.1, help="least time a comparison runs")
    parser.add_argument("--pairs", type=int, help="pairs of a folder (1000, of a quick run 100)")
    parser.add_argument("--rounds", type=int, help="rounds of a folder run (7)")
    parser.add_argument("--gt", type=Path, help="a folder of your own ground truths, and …")
    parser.add_argument("--pred", type=Path, help="… of predictions, for the folder runs")
    parser.add_argument("--quick", action="store_true", help="two sizes, few rounds: a rough look")
    parser.add_argument("--verbose", action="store_true", help="print each row as it is measured")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures here")
    parser.add_argument("--markdown", type=Path, metavar="FILE", help="only render such a file")
    parser.add_argument("--full", action="store_true", help="… with every content on a line")
    parser.add_argument("--into", type=Path, metavar="DOC", help="… into the place DOC has for it")
    options = parser.parse_args(arguments)
    if options.quick:
        if options.sizes == list(SIZES):
            options.sizes = options.sizes[1:3]
        options.seconds = 0.01
    options.pairs = options.pairs or (100 if options.quick else 1000)
    options.rounds = options.rounds or (3 if options.quick else 7)
    return options


def _print(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()
