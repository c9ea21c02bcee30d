"""What is printed about the catalogue: every metric's path can be read."""

from __future__ import annotations

import re

from fastsegmetrics.catalog import METRICS, SUITES, resolve
from fastsegmetrics.reporting import catalogue

ROWS = tuple(METRICS.values())


def test_the_path_of_every_metric_can_be_read_off_the_overview():
    scores, *blocks = catalogue.overview(ROWS, 1000).split("\n\n")
    formulas = dict(re.findall(r"^(\w+) +[↑↓]  \[.*?\] +(.*)$", scores, re.MULTILINE))
    assert blocks[0] == "paths (representation → target → matching → score → report):"
    read = {}
    for block in blocks[1:]:
        title, *rest = block.splitlines()
        start, target, matching, score, end = title.split(" → ")
        assert (start, end) == ("…", "…")
        mode = score.removesuffix(": formula above")
        owners: list[str] = []
        for line in rest:
            if found := re.fullmatch(r" {4}(?:\.(\w+))? +(.+?) → … → (.+)", line):
                report, first, last = found.groups()
                for name in owners:
                    full = f"{name}.{report}" if report else name
                    assert full not in read
                    read[full] = (first, target, matching, mode, formulas[name], last)
            else:
                owners = line.strip(" :").split(", ")
    assert read == {
        name: (row.path.representation, row.path.target, row.path.matching,
               row.path.score.partition(":")[0], row.score.formula, row.path.report)
        for name, row in METRICS.items()
    }  # fmt: skip
    assert read["f_beta.max"] == (
        "dynamic: level ≥ t for t = 0…255, level = ⌊255·P⌋", "whole map, region", "pixelwise",
        "confusion matrix", "(1 + β²)PR/(β²P + R), β² = beta2",
        "maximum over thresholds of the curve's mean over images",
    )  # fmt: skip


def test_the_overview_keeps_to_its_width():
    for width in (60, 100):
        text = catalogue.overview(ROWS, width) + catalogue.suites(SUITES, ROWS, width)
        assert max(map(len, text.splitlines())) <= width


def test_suites_name_what_asks_for_their_members():
    lines = catalogue.suites(SUITES, ROWS, 100_000).splitlines()
    told = dict(line.removeprefix("suite ").split(": ", 1) for line in lines)
    assert list(told) == list(SUITES)
    for suite, names in told.items():
        members = {metric.name for metric in resolve(names.replace(", ", ","))}
        assert members == set(SUITES[suite])
    assert told["sweep"].startswith("mae, s_measure, s_object, s_region, e_measure, f_beta, f1,")
