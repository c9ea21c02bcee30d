"""`fastsegmetrics metrics`."""

from __future__ import annotations

import json
import re

from fastsegmetrics.catalog import METRICS


def test_metrics_overview_lists_every_score_and_report(call):
    code, out, err = call("metrics")
    assert (code, err) == (0, "")
    for metric in METRICS.values():
        assert re.search(rf"^{re.escape(metric.score.name)} ", out, re.MULTILINE)
        if metric.report.name:
            assert f"  .{metric.report.name} " in out
    assert "suite sod: mae, s_measure" in out
    assert re.search(r"^suite sweep: mae, s_measure, .* e_measure, f_beta, f1,", out, re.MULTILINE)


def test_metrics_in_full(call):
    code, out, _ = call("metrics", "f_beta.max", "mae")
    assert code == 0
    assert out.startswith("f_beta.max: F-measure\n")
    for label in ("representation", "target", "matching", "score", "report", "better", "range",
                  "empty case", "source"):  # fmt: skip
        assert out.count(f"\n  {label} ") == 2
    assert call("metrics", "nonsense")[0] == 2


def test_metrics_as_data(call):
    def refuse(constant):
        raise AssertionError(f"{constant} is no JSON")

    parsed = json.loads(call("metrics", "--format", "json")[1], parse_constant=refuse)
    assert {row["name"]: row["range"] for row in parsed}["hce"] == [0.0, "inf"]
    assert {row["name"]: row["range"] for row in parsed}["kappa.bin"] == ["-inf", 1.0]
    assert [row["name"] for row in parsed] == list(METRICS)
    assert set(parsed[0]["path"]) == {"representation", "target", "matching", "score", "report"}
    assert parsed[0]["range"] == [0.0, 1.0]
    lines = call("metrics", "--format", "markdown")[1].splitlines()
    assert len(lines) == len(METRICS) + 2
    assert {len(re.findall(r"(?<!\\)\|", line)) for line in lines} == {11}
