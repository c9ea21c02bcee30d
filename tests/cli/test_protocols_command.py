"""`fastsegmetrics protocols`, and protocols and strata in `evaluate`."""

from __future__ import annotations

import csv
import json

import pytest

from fastsegmetrics.catalog import METRICS
from fastsegmetrics.protocol.value import Protocol, load
from tests.cli.commands import arguments_of, one_error

#: `arguments_of` ends with --metrics and its names.
NO_METRICS = slice(None, -2)
SKELETON = "fixed / components(form=skeleton) / pixelwise / recall / raw"


def test_every_metric_is_listed(call):
    code, out, _ = call("protocols")
    assert code == 0
    lines = dict(line.split(None, 1) for line in out.splitlines())
    assert lines == {name: str(metric.protocol) for name, metric in METRICS.items()}


def test_one_is_shown_stage_by_stage(call):
    code, out, _ = call("protocols", "show", "ms_iou.bin")
    assert code == 0
    assert out.splitlines() == [
        f"ms_iou.bin ({METRICS['ms_iou.bin'].protocol.hash})",
        "  S1-2    representation  fixed: P > 0.5",
        "  S2-1b   target          whole map, edge (Sobel)",
        "  S3-1    matching        pixelwise",
        "  S4-6    score           multi-scale: ms_iou",
        "  S5-1    report          raw value, mean over images",
        "  as text fixed / whole(form=edge) / pixelwise / ms_iou / raw",
    ]


def test_a_report_of_two_identifiers_keeps_its_distance(call):
    lines = call("protocols", "show", "fixed/whole/pixelwise/iou/raw(by=size)")[1].splitlines()
    assert lines[1] == "  S1-2       representation  fixed: P > 0.5"
    assert lines[5].startswith("  S5-1+S5-5  report          raw value")


def test_other_forms(call, tmp_path):
    told = json.loads(call("protocols", "show", "--format", "json", "mae", f"mine={SKELETON}")[1])
    assert [one["name"] for one in told] == ["mae", "mine"]
    assert Protocol.from_dict(told[1]["stages"]).hash == told[1]["hash"]
    path = tmp_path / "mine.toml"
    path.write_text(call("protocols", "show", "--format", "toml", "mae", f"mine={SKELETON}")[1])
    assert {name: str(one) for name, one in load(path).items()} == {
        "mae": str(METRICS["mae"].protocol), "mine": SKELETON,
    }  # fmt: skip
    assert call("protocols", "show", f"{path}:mine")[1].startswith("mine (")
    picture = call("protocols", "show", "--format", "mermaid", "mae")[1].splitlines()
    assert picture[0] == "flowchart LR"
    assert picture[-1] == "  s4_3 --> s5_4"


def test_differences(call):
    code, out, _ = call("protocols", "diff", "f_beta.max", "f_beta.mean_of_max")
    assert code == 0
    assert out.splitlines() == [
        "f_beta.max and f_beta.mean_of_max differ in report:",
        "  report",
        "    f_beta.max          max(of=dataset)",
        "    f_beta.mean_of_max  max",
        "alike in representation, target, matching and score",
    ]
    assert (
        "differ in representation, target and score:" in call("protocols", "diff", "hce", "mae")[1]
    )
    own = str(METRICS["mae"].protocol)
    assert call("protocols", "diff", "mae", own)[1].startswith("mae and mae@3d784f85 are one")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("show", "maee"), "did you mean mae"),
        (("show", "soft / whole / pixelwise / e_measure / raw"), "makes no sense: e_measure"),
        (("diff", "iou", "mae"), "iou must be one protocol; it is 11"),
        (("show", "none.toml"), "none.toml: cannot be read"),
        (("show", "NONE.TOML:a"), "NONE.TOML: cannot be read"),
        (("show", "thin=fixed"), "must be written representation / target"),
    ],
)
def test_what_is_no_protocol(call, arguments, words):
    code, out, err = call("protocols", *arguments)
    assert (code, out) == (2, "")
    assert words in one_error(err)


def test_a_metrics_name_is_not_given_to_another_path(folders, call, tmp_path):
    arguments = arguments_of(folders)[NO_METRICS]
    code, out, err = call(*arguments, "--protocol", f"mae={SKELETON}")
    assert (code, out) == (2, "")
    assert "must have a name of its own; 'mae' is the catalogue's" in one_error(err)
    path = tmp_path / "kept.toml"
    path.write_text(call("protocols", "show", "--format", "toml", "mae", "iou.bin")[1])
    out = call(*arguments, "--protocol", str(path), "--format", "csv")[1]
    assert {line.split(",")[1] for line in out.splitlines()[1:]} == {"mae", "iou.bin"}


def test_evaluate_by_text_by_name_and_by_file(folders, call, tmp_path):
    path = tmp_path / "mine.toml"
    by_score = Protocol.parse(SKELETON).replace(report="raw(by=size, limits=2:4)")
    path.write_text(by_score.to_toml("by size"))
    own = "soft / whole / pixelwise / mae / raw"
    code, out, err = call(
        *arguments_of(folders)[NO_METRICS], "--protocol", SKELETON,
        "--protocol", f"low={SKELETON}", "--protocol", str(path), "--protocol", own,
        "--format", "csv",
    )  # fmt: skip
    assert code == 0
    names = {line.split(",")[1] for line in out.splitlines()[1:]}
    name = Protocol.parse(SKELETON).name
    strata = {f"by size[{part}]" for part in ("small", "medium", "large")}
    assert names == {name, "low", "by size", "mae"} | strata
    assert f"{name} is {SKELETON}" in err
    beside = call(*arguments_of(folders), "--protocol", f"low={SKELETON}", "--format", "csv")[1]
    assert {line.split(",")[1] for line in beside.splitlines()[1:]} == {"mae", "f_beta.bin", "low"}


def test_a_protocol_is_part_of_the_contract(folders, call, tmp_path):
    runs = {}
    for name, low in (("a", "0.3"), ("b", "0.4")):
        runs[name] = tmp_path / name
        text = f"mine=fixed(t={low}) / whole / pixelwise / iou / raw"
        arguments = (*arguments_of(folders)[NO_METRICS], "--protocol", text)
        assert call(*arguments, "--out", str(runs[name]))[0] == 0
    err = call("show", *map(str, runs.values()))[2]
    assert "warning: not comparable: metrics.mine.representation is 'fixed: P > 0.3'" in err
    text = "mine=fixed(t=0.4) / whole / pixelwise / iou / raw"
    again = (*arguments_of(folders)[NO_METRICS], "--protocol", text, "--out", str(runs["a"]))
    assert "holds a run with metrics.mine.protocol = 'fixed(t=0.3)" in one_error(call(*again)[2])


def test_strata(folders, call, tmp_path):
    code, out, _ = call(
        *arguments_of(folders), "--strata", "size:2:5", "--out", str(tmp_path / "r")
    )
    assert code == 0
    summary = json.loads((tmp_path / "r" / "summary.json").read_text())
    strata = summary["methods"]["good"]["strata"]
    assert sum(one["n_samples"] for one in strata.values()) == summary["n_samples"]
    for name in strata:
        assert f"\n{name}: " in out
    assert summary["contract"]["strata"] == {
        "by": "size", "limits": [2, 5], "of": "foreground pixels",
    }  # fmt: skip
    header = (tmp_path / "r" / "per_image.csv").read_text().splitlines()[0]
    assert header.endswith(",target_size")
    csv = call(*arguments_of(folders), "--strata", "size:2:5", "--format", "csv")[1]
    assert {f"good[{name}]" for name in strata} < {line.split(",")[0] for line in csv.splitlines()}


def test_curves_of_strata(folders, call, tmp_path):
    arguments = ("--strata", "size:2:5", "--metrics", "recall.curve", "--out", str(tmp_path / "r"))
    assert call(*arguments_of(folders), *arguments)[0] == 0
    summary = json.loads((tmp_path / "r" / "summary.json").read_text())
    rows = list(csv.DictReader((tmp_path / "r" / "curves.csv").read_text().splitlines()))
    for name, part in summary["methods"]["good"]["strata"].items():
        curve = [row for row in rows if row["method"] == f"good[{name}]"]
        assert [row["threshold"] for row in curve] == [str(t) for t in range(256)]
        assert {row["recall.curve:n_used"] for row in curve} == {str(part["n_samples"])}
        assert curve[0]["recall.curve"] == ("0.0" if name == "no target" else "1.0")


def test_strata_of_a_table(folders, call, tmp_path):
    names = sorted(path.stem for path in (folders / "gt").iterdir())
    table = tmp_path / "t.csv"
    table.write_text("sample,sky\n" + "".join(f"{n},s{k % 2}\n" for k, n in enumerate(names)))
    out = call(*arguments_of(folders), "--strata", f"{table}:sky", "--format", "markdown")[1]
    assert "\ns0: 2 samples\n" in out
    assert "\ns1: 1 sample\n" in out
    table.write_text(f"sample,sky\n{names[0]},clear\n")
    err = call(*arguments_of(folders), "--strata", f"{table}:sky")[2]
    assert "2 are missing" in one_error(err)
