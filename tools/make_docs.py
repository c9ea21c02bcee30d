"""Write docs/metrics.md and docs/protocols.md, or check that they are up to date.

::

    python tools/make_docs.py            # writes
    python tools/make_docs.py --check    # exit code 1 and one line if the file is another
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
# The catalogue beside this file, not the one of an installed copy.
sys.path.insert(0, str(ROOT))

from fastsegmetrics.catalog import (  # noqa: E402
    ALIASES,
    METRICS,
    SCORES,
    SUITES,
    Metric,
    Score,
)
from fastsegmetrics.reporting.layout import markdown  # noqa: E402

sys.path.insert(0, str(ROOT / "tools"))
import protocol_docs  # noqa: E402

PAGE = ROOT / "docs" / "metrics.md"
PROTOCOLS = ROOT / "docs" / "protocols.md"
#: Stages that all reports of one score share; told once per score.
_SHARED = ("target", "matching", "score")
_BETTER = {"higher": "higher ↑", "lower": "lower ↓"}


def page() -> str:
    """Return the whole text of docs/metrics.md."""
    parts = [_HEAD.format(n_metrics=len(METRICS), n_scores=len(SCORES)), *_names(), *_overview()]
    for score in SCORES.values():
        parts += _score(score, [row for row in METRICS.values() if row.score == score])
    return "\n".join(parts)


_HEAD = """\
# Metrics

<!-- Made from the catalogue by tools/make_docs.py. Edit fastsegmetrics/catalog/, then run it. -->

{n_metrics} metrics: {n_scores} scores, each with its reports. `fastsegmetrics metrics` prints the
same in the terminal, and `fastsegmetrics metrics NAME` one row in full.

Every metric is a path through [five stages](five_stages.md): representation, target, matching,
score, report. Stages 2, 3 and 4 are the same for all reports of one score, so they stand once
above its table; stages 1 and 5 are the columns.

P is the prediction in [0, 1], G the truth, N the number of pixels, n = |G|; tp, fp, fn, tn are
numbers of pixels. Degenerate cases in full: [empty cases](empty_cases.md).
"""


_LARGE_SUITES = {
    "sweep": "everything that one table of levels gives: MAE, structure, alignment, overlap, areas",
    "all": "every metric that needs no photograph",
}


def _names() -> Iterator[str]:
    yield "## What can be asked for\n"
    yield "- **a metric**: `f_beta.max`"
    yield "- **a score**: `iou` stands for all its reports"
    for name, members in SUITES.items():
        told = _LARGE_SUITES.get(name) or ", ".join(_code(members))
        yield f"- **the suite** `{name}`: {told}"
    for name, others in ALIASES.items():
        yield f"- **another name**: `{name}` is {' with '.join(_code(others))}"
    yield "\nSeveral with commas between: `sod,iou.bin,pr_curve`.\n"


def _overview() -> Iterator[str]:
    yield "## Scores\n"
    lines = [
        (f"[`{s.name}`](#{s.name})", _BETTER[s.direction], _range(s), s.formula)
        for s in SCORES.values()
    ]
    yield markdown([("score", "better", "range", "formula"), *lines])


def _score(score: Score, rows: Sequence[Metric]) -> Iterator[str]:
    yield f"## {score.name}\n"
    yield f"{score.title[0].upper()}{score.title[1:]}.\n"
    yield f"- **better**: {_BETTER[score.direction]}, **range**: {_range(score)}"
    yield f"- **empty case**: {score.empty}"
    yield f"- **source**: {score.citation}"
    for stage in _SHARED:
        words = {row.path.to_dict()[stage] for row in rows}
        if len(words) != 1:
            raise SystemExit(f"{score.name}: its reports differ in the stage {stage!r}: {words}")
        yield f"- **{stage}**: {words.pop()}"
    yield ""
    lines = [
        (f"`{row.name}`", row.path.representation, row.path.report, ", ".join(_code(row.columns)))
        for row in rows
    ]
    yield markdown([("metric", "representation", "report", "per-image column"), *lines])


def _range(score: Score) -> str:
    return f"[{score.low:g}, {score.high:g}]"


def _code(names: Sequence[str]) -> list[str]:
    return [f"`{name}`" for name in names]


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the pages, or compare them."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--check", action="store_true", help="write nothing, compare")
    chosen = parser.parse_args(arguments)
    outdated = []
    for place, text in ((PAGE, page()), (PROTOCOLS, protocol_docs.page())):
        if place.is_file() and place.read_text(encoding="utf-8") == text:
            continue
        if chosen.check:
            outdated.append(place.name)
        else:
            place.write_text(text, encoding="utf-8")
    for name in outdated:
        print(f"docs/{name} is not what the catalogue says; run tools/make_docs.py",
              file=sys.stderr)  # fmt: skip
    return 1 if outdated else 0


if __name__ == "__main__":
    raise SystemExit(main())
