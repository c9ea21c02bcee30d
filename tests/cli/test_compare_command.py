"""`fastsegmetrics compare`."""

from __future__ import annotations

import csv
import io
import json

import pytest

from tests.cli.commands import arguments_of, one_error


@pytest.fixture
def run_dir(folders, call):
    """A finished run: `good` has mae 0, .1, 0, `poor` 1, .5, .25."""
    assert call(*arguments_of(folders, "--out", folders / "run"))[0] == 0
    return folders / "run"


def test_the_table(run_dir, call):
    code, out, err = call("compare", run_dir, "good", "poor", "--metric", "mae,f_beta.bin")
    assert (code, err) == (0, "")
    head, mae, f_beta, note = out.splitlines()
    assert head.split("  ")[0] == "Metric"
    assert mae.split() == [
        "mae", "↓", "0.033", "0.583", "-0.550", "[-1.000,", "-0.250]", "3", "0", "0", "3", "0.25",
    ]  # fmt: skip
    assert f_beta.split()[:2] == ["f_beta.bin", "↑"]
    assert note.startswith("difference: good − poor, with its 95 % interval of the paired bootst")


def test_every_form(run_dir, call):
    asked = ("compare", run_dir, "good", "poor", "--metric", "mae", "--format")
    (row,) = csv.DictReader(io.StringIO(call(*asked, "csv")[1]))
    assert (row["n_a_better"], row["n_pairs"], row["p_value"]) == ("3", "3", "0.25")
    assert float(row["difference"]) == pytest.approx(-0.55)
    told = json.loads(call(*asked, "json")[1])
    assert (told["metrics"][0]["mean_b"], told["only_a"]) == (pytest.approx(1.75 / 3), [])
    markdown = call(*asked, "markdown")[1].splitlines()
    assert markdown[2].startswith("| mae ↓ | 0.033 | 0.583 | -0.550 | [-1.000, -0.250] | 3 | 0 |")


def test_the_unit_is_a_column(folders, run_dir, call):
    (folders / "cases.csv").write_text("sample,video\na,x\nb,x\nc,y\n")
    unit_of = f"{folders / 'cases.csv'}:video"
    code, out, _ = call("compare", run_dir, "good", "poor", "--metric", "mae",
                        "--unit-of", unit_of, "--format", "csv")  # fmt: skip
    assert code == 0
    (row,) = csv.DictReader(io.StringIO(out))
    assert (row["unit"], row["n_units"], row["n_ranked"]) == ("video", "2", "2")
    # Of x −0.7, of y −0.25; both together −0.55.
    assert (round(float(row["low"]), 9), float(row["high"])) == (-0.7, -0.25)


def test_cases_that_one_lacks(folders, call):
    (folders / "good" / "c.png").unlink()
    assert call(*arguments_of(folders, "--missing", "skip", "--out", folders / "run"))[0] == 1
    asked = ("compare", folders / "run", "good", "poor", "--metric", "mae")
    code, _, err = call(*asked)
    assert code == 2
    assert "must have the same cases; 1 differ: 'c' (b only)" in one_error(err)
    code, _, err = call(*asked, "--shared")
    assert (code, err) == (0, "left out, in poor alone (1): c\n")


def test_another_run(folders, run_dir, call):
    call(*arguments_of(folders, "--no-stretch", "--out", folders / "plain"))
    code, out, err = call("compare", run_dir, "good", "good", "--metric", "mae",
                          "--other", folders / "plain")  # fmt: skip
    assert code == 0
    assert f"good ({folders / 'plain'})" in out
    assert err.startswith("warning: not comparable: conventions.stretch is True in ")
    assert out.endswith(f"\n\n{err.removeprefix('warning: ')}")


@pytest.mark.parametrize(
    ("more", "words"),
    [
        (("--metric", "mae,"), "a name is empty in 'mae,'"),
        (("--metric", "hce"), "which has mae, f_beta.bin; received 'hce'"),
        (("--metric", "mae", "--level", "1"), "1.0 is not in the range"),
        (("--metric", "mae", "--label", "1"), "label must be None for a run of images"),
    ],
)
def test_refused(run_dir, call, more, words):
    code, out, err = call("compare", run_dir, "good", "poor", *more)
    assert (code, out) == (2, "")
    assert words in one_error(err)
