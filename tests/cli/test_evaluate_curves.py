"""`fastsegmetrics evaluate`: curves asked for, and drawn."""

from __future__ import annotations

import csv
import json
import sys

import pytest

from tests.cli.commands import arguments_of, one_error


def test_curves_of_ones_own_run_are_drawn(folders, call):
    pytest.importorskip("matplotlib")
    run = folders / "run"
    for _ in range(2):
        code, out, err = call(*arguments_of(folders, "--plots", "--out", run))
        assert code == 0
        assert "good    0.033*   1.000*" in out
        assert err.splitlines()[-1] == f"curves: pr.png, roc.png, f_beta.png in {run}"
    for stem in ("pr", "roc", "f_beta"):
        assert (run / f"{stem}.png").read_bytes().startswith(b"\x89PNG")
    contract = json.loads((run / "contract.json").read_text())
    assert {"fpr.curve", "f_beta.curve", "f_beta.bin"} <= set(contract["metrics"])


def test_drawing_needs_a_place_and_matplotlib_before_anything_else(folders, call, monkeypatch):
    code, out, err = call(*arguments_of(folders, "--plots"))
    assert (code, out) == (2, "")
    assert one_error(err) == ("error: --plots draws into the run directory: name it, --out RUN_DIR")
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    code, out, err = call(*arguments_of(folders, "--plots", "--out", folders / "run"))
    assert (code, out) == (2, "")
    assert "drawing curves needs matplotlib" in one_error(err)
    assert not (folders / "run").exists()


def test_curves_alone_need_a_place(folders, call):
    code, out, err = call(*arguments_of(folders, "--metrics", "pr_curve"))
    assert (code, out) == (2, "")
    assert one_error(err) == (
        "error: --metrics pr_curve asks for curves alone, which are no numbers of a table: "
        "--out RUN_DIR keeps them in curves.csv"
    )
    run = folders / "run"
    code, _, err = call(*arguments_of(folders, "--metrics", "pr_curve", "--out", run))
    assert code == 0
    assert f"curves (precision.curve, recall.curve) are in {run / 'curves.csv'}\n" in err
    with open(run / "curves.csv", newline="") as file:
        row = next(csv.DictReader(file))
    assert (row["recall.curve"], row["recall.curve:n_used"]) == ("1.0", "3")
    code, _, err = call(*arguments_of(folders, "--metrics", "mae,recall.pooled_curve"))
    assert code == 0
    assert "curves (recall.pooled_curve) are kept with --out RUN_DIR alone\n" in err
