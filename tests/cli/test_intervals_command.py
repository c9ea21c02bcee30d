"""`fastsegmetrics intervals`."""

from __future__ import annotations

import csv
import io
import json
import math

import numpy as np
import pytest

import fastsegmetrics as fsm
from fastsegmetrics.bulk.run_intervals import run_intervals
from fastsegmetrics.bulk.volume_methods import evaluate_volume_methods
from tests.cli.commands import arguments_of, one_error


@pytest.fixture
def run_dir(folders, call):
    """A finished run: `good` has mae 0, .1, 0, `poor` 1, .5, .25."""
    assert call(*arguments_of(folders, "--out", folders / "run"))[0] == 0
    return folders / "run"


def test_the_table(run_dir, call):
    code, out, err = call("intervals", run_dir, "--metric", "mae, f_beta.bin")
    assert (code, err) == (0, "")
    head, good, poor, note = out.splitlines()
    assert head.split() == ["Method", "mae", "↓", "f_beta.bin", "↑"]
    assert good.split()[:4] == ["good", "0.033", "[0.000,", "0.100]"]
    assert poor.split()[:4] == ["poor", "0.583", "[0.250,", "1.000]"]
    assert note == "mean over cases, with its 95 % bootstrap interval over units (case, 3 of them)."
    (found,) = run_intervals(run_dir, ["mae"], methods=["poor"])
    assert found.found == fsm.bootstrap_mean([1.0, 0.5, 0.25])
    assert (found.method, found.metric, found.direction) == ("poor", "mae", "lower")


def test_every_form(run_dir, call):
    asked = (
        "intervals",
        run_dir,
        "--metric",
        "mae",
        "--method",
        "poor",
        "--digits",
        "2",
        "--format",
    )
    (row,) = csv.DictReader(io.StringIO(call(*asked, "csv")[1]))
    assert (row["method"], row["bootstrap_method"], row["n_used"]) == ("poor", "percentile", "3")
    assert float(row["value"]) == pytest.approx(1.75 / 3)
    (told,) = json.loads(call(*asked, "json", "--bca", "--level", "0.9")[1])
    assert (told["bootstrap_method"], told["level"], told["high"] <= 1) == ("bca", 0.9, True)
    assert call(*asked, "markdown")[1].splitlines()[:3] == [
        "| Method | mae ↓ |", "| --- | --- |", "| poor | 0.58 [0.25, 1.00] |",
    ]  # fmt: skip
    assert call(*asked, "latex")[1].splitlines()[1:] == [
        r"\begin{tabular}{lc}", r"  \toprule", r"  Method & mae $\downarrow$ \\", r"  \midrule",
        r"  poor & 0.58 [0.25, 1.00] \\", r"  \bottomrule", r"\end{tabular}",
    ]  # fmt: skip


def test_the_unit_is_a_column(folders, run_dir, call):
    (folders / "cases.csv").write_text("sample,video\na,x\nb,x\nc,y\n")
    asked = ("intervals", run_dir, "--metric", "mae", "--format", "csv", "--method", "poor")
    code, out, _ = call(*asked, "--unit-of", f"{folders / 'cases.csv'}:video")
    assert code == 0
    (row,) = csv.DictReader(io.StringIO(out))
    # Of x 0.75 in two images, of y 0.25.
    assert (row["unit"], row["n_units"], row["low"], row["high"]) == ("video", "2", "0.25", "0.75")
    (folders / "cases.csv").write_text("sample,video\na,x\n")
    code, out, err = call(*asked, "--unit-of", f"{folders / 'cases.csv'}:video")
    assert (code, out) == (2, "")
    assert "must have every case; 'b' has none" in one_error(err)


def test_volumes_and_what_is_left_out(tmp_path, call):
    truth = np.zeros((2, 3, 4), np.uint8)
    truth[0, 1, 1:3] = 1
    for case in "abc":
        guess = truth * (case != "b")
        for name, values in (("gt", truth), ("mine", guess)):
            (tmp_path / name).mkdir(exist_ok=True)
            np.save(tmp_path / name / f"{case}.npy", values)
    run = tmp_path / "run"
    evaluate_volume_methods(
        tmp_path / "gt", {"mine": tmp_path / "mine"}, labels=3, background=0, out=run
    )
    code, out, _ = call("intervals", run, "--metric", "dice,hd", "--label", "1")
    assert code == 0
    assert out.splitlines()[1].split("  ")[0] == "mine"
    assert "0.667 [0.000, 1.000]" in out
    assert "0.000 [0.000, 0.000] (n=2, 1 inf)" in out
    assert "(case, 2 to 3 of them); n=…: the other" in out
    (nowhere,) = run_intervals(run, ["dice"], label=2)
    assert math.isnan(nowhere.found.value)
    assert nowhere.found.n_undefined == 3
    assert "label must say which label" in one_error(call("intervals", run, "--metric", "hd")[2])


@pytest.mark.parametrize(
    ("more", "words"),
    [
        (("--metric", "f_gamma"), "metric must have a value for each image"),
        (("--metric", "mae", "--method", "best"), "method must be one of the run's (good, poor)"),
        (("--metric", "mae", "--label", "1"), "label must be None for a run of images"),
        (("--metric", "mae", "--level", "95"), "Invalid value for '--level'"),
    ],
)
def test_refused(run_dir, call, more, words):
    code, out, err = call("intervals", run_dir, *more)
    assert (code, out) == (2, "")
    assert words in one_error(err)
