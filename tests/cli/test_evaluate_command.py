"""`fastsegmetrics evaluate`: forms of the table, policies, files, conventions, photographs."""

from __future__ import annotations

import csv
import io
import json
import re
import sys

import pytest

from tests.cli.commands import arguments_of, one_error, write, write_photographs


def test_the_table_alone_goes_to_standard_output(folders, call):
    code, out, err = call(*arguments_of(folders))
    assert code == 0
    assert out.splitlines() == [
        "───────────────────────",
        "Method    mae   f_beta",
        "            ↓   .bin ↑",
        "───────────────────────",
        "good    0.033*   1.000*",
        "poor    0.583    0.377",
        "───────────────────────",
        "* best",
    ]
    assert "3 maps" in err
    assert "3 samples × 2 methods" in err


def test_the_table_on_a_terminal(folders, call, monkeypatch):
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    monkeypatch.setenv("COLUMNS", "15")
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)
    _, out, _ = call(*arguments_of(folders))
    assert "\x1b[1m0.033\x1b[0m" in out
    assert "*" not in out
    assert out.count("Method") == 2
    monkeypatch.setenv("NO_COLOR", "1")
    _, out, _ = call(*arguments_of(folders))
    assert "\x1b" not in out
    assert "0.033*" in out


def test_json(folders, call):
    code, out, _ = call(*arguments_of(folders, "--format", "json"))
    assert code == 0
    parsed = json.loads(out)
    assert parsed["methods"]["good"]["metrics"]["mae"]["value"] == pytest.approx(0.1 / 3)
    assert parsed["methods"]["poor"]["metrics"]["mae"]["n_used"] == 3


def test_csv(folders, call):
    _, out, _ = call(*arguments_of(folders, "--format", "csv"))
    rows = {(row["method"], row["metric"]): row for row in csv.DictReader(io.StringIO(out))}
    assert float(rows["poor", "mae"]["value"]) == pytest.approx(1.75 / 3)
    assert rows["good", "f_beta.bin"]["direction"] == "higher"


def test_markdown(folders, call):
    _, out, _ = call(*arguments_of(folders, "--format", "markdown", "--digits", "2"))
    cells = [[c.strip() for c in line.strip("|").split("|")] for line in out.splitlines()]
    assert cells[0] == ["Method", "mae ↓", "f_beta.bin ↑"]
    assert cells[2] == ["good", "**0.03**", "**1.00**"]
    assert cells[3][:2] == ["poor", "0.58"]


def test_latex(folders, call):
    _, out, _ = call(*arguments_of(folders, "--format", "latex"))
    assert re.search(r"good +& \\textbf\{0\.033\} +& \\textbf\{1\.000\} \\\\", out)
    assert out.count("\\") > 10


def test_missing_predictions_skipped(folders, call):
    (folders / "poor" / "a.png").unlink()
    code, out, _ = call(*arguments_of(folders, "--missing", "skip", "--format", "markdown"))
    assert code == 1
    cells = [[c.strip() for c in line.strip("|").split("|")] for line in out.splitlines()]
    assert cells[0][:2] == ["Method", "n"]
    assert cells[2][:2] == ["good", "3/3"]
    assert cells[3][:3] == ["poor", "2/3", "0.375"]


def test_missing_predictions_scored_as_zero_maps(folders, call):
    (folders / "poor" / "a.png").unlink()
    code, out, _ = call(*arguments_of(folders, "--missing", "zero", "--format", "csv"))
    assert code == 0
    rows = {(row["method"], row["metric"]): row for row in csv.DictReader(io.StringIO(out))}
    assert float(rows["poor", "mae"]["value"]) == pytest.approx(1.25 / 3)


def test_a_corrupt_file(folders, call):
    path = folders / "poor" / "b.png"
    path.write_bytes(path.read_bytes()[:-9])
    code, out, err = call(*arguments_of(folders))
    assert (code, out) == (2, "")
    assert one_error(err).startswith(f"error: {path}: ")
    code, out, err = call(*arguments_of(folders, "--on-error", "skip", "--quiet"))
    assert code == 1
    assert "2/3" in out
    lines = err.splitlines()
    assert lines[0] == "skipped (1):"
    assert lines[1].startswith(f"  poor, b: {path}: ")
    assert len(lines) == 2


def test_resizing(folders, call):
    write(folders / "poor" / "a.png", [[0], [255]])
    code, _, err = call(*arguments_of(folders))
    assert code == 2
    assert "2×1 (height×width) where the ground truth" in one_error(err)
    assert "transposed?" in err
    code, _, err = call(*arguments_of(folders, "--resize", "bilinear"))
    assert code == 0
    assert "\npoor: 1 prediction resized to the truth's size\n" in err


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (["--metrics", "f_bta.max"], "unknown metric 'f_bta.max'; did you mean f_beta.max"),
        (["--pred", "third"], "'third' is not of the form NAME=DIR"),
        (["--pred", "=x"], "'=x' is not of the form NAME=DIR"),
        (["--pred", "good=elsewhere"], "the name 'good' is given twice"),
        (["--pred", "third=nowhere"], "nowhere: there is no such folder"),
        (["--workers", "0"], "workers must be an integer of at least 1; received 0"),
        (["--workers", "many"], "'many' is not a valid integer"),
        (["--missing", "maybe"], "'maybe' is not one of 'error', 'skip', 'zero'"),
        (["--alpha", "2"], "alpha must be a finite number in [0, 1]; received 2.0"),
        (["--beta2", "nan"], "beta2 must be a finite number"),
        (["--polizy", "strict"], "No such option"),
        (["--metrics", "mae,,sod"], "a name is empty in 'mae,,sod'"),
        (["--metrics", ""], "a name is empty in ''"),
        (["--metrics", "mae iou"], "must be names with one comma between; received 'mae iou'"),
        (
            ["--metrics", "c_beta_w"],
            "c_beta_w looks at the photographs: name their folder, --image DIR",
        ),
    ],
)
def test_bad_input_is_one_line_and_code_2(folders, call, more, message):
    code, out, err = call(*arguments_of(folders, *more))
    assert (code, out) == (2, "")
    assert len(err.splitlines()) == 1
    assert message in one_error(err)


def test_a_home_that_the_shell_left_for_us(folders, call, monkeypatch):
    """Not every shell expands ``NAME=~/DIR``."""
    monkeypatch.setenv("HOME", str(folders))
    code, out, _ = call(
        "evaluate", "--gt", folders / "gt", "--pred", "it=~/poor", "--metrics", "mae"
    )
    assert (code, "it " in out) == (0, True)


def test_conventions_reach_the_numbers(folders, call):
    def contract(*more):
        _, out, _ = call(*arguments_of(folders, "--format", "json", *more))
        return json.loads(out)["contract"]["conventions"]

    assert contract() == {
        "policy": "published", "both_empty": "perfect", "one_empty": "infinite",
        "stretch": True, "pred_scale": None,
        "gt_threshold": None, "clip": False, "beta2": 0.3, "weighted_beta2": 1.0, "alpha": 0.5,
        "e_denominator": "N-1", "tolerance": 2.0, "bins": 10,
        "resize": "error", "missing": "error",
    }  # fmt: skip
    assert contract(
        "--policy", "strict", "--both-empty", "undefined", "--one-empty", "diagonal",
        "--no-stretch", "--pred-scale", "255",
        "--gt-threshold", "10", "--clip", "--beta2", "1", "--weighted-beta2", "2",
        "--alpha", "0.25", "--e-denominator", "N", "--tolerance", "1.5", "--bins", "4",
        "--resize", "bilinear", "--missing", "zero",
    ) == {
        "policy": "strict", "both_empty": "undefined", "one_empty": "diagonal",
        "stretch": False, "pred_scale": 255,
        "gt_threshold": 10.0, "clip": True, "beta2": 1.0, "weighted_beta2": 2.0, "alpha": 0.25,
        "e_denominator": "N", "tolerance": 1.5, "bins": 4,
        "resize": "bilinear", "missing": "zero",
    }  # fmt: skip


def test_a_run_under_another_contract_is_refused(folders, call):
    call(*arguments_of(folders, "--out", folders / "run"))
    code, _, err = call(*arguments_of(folders, "--out", folders / "run", "--no-stretch"))
    assert code == 2
    assert "holds a run with conventions.stretch = True, now it is False" in one_error(err)


def test_a_finished_run_only_prints(folders, call):
    _, first, _ = call(*arguments_of(folders, "--out", folders / "run"))
    code, again, err = call(*arguments_of(folders, "--out", folders / "run"))
    assert (code, again) == (0, first)
    assert "all 3 samples are in the store already" in err


def test_photographs(folders, call):
    write_photographs(folders, "a", "b", "c")
    more = ["--metrics", "photo,mae", "--image", folders / "rgb"]
    code, out, err = call(*arguments_of(folders, *more, "--format", "json"))
    assert code == 0
    assert "photographs   3 images\n" in err
    values = json.loads(out)["methods"]["poor"]["metrics"]
    assert values["c_beta_w"]["n_used"] + values["c_beta_w"]["n_undefined"] == 3
    assert values["mae"]["value"] == pytest.approx(1.75 / 3)
