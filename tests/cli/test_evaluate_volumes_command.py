"""`fastsegmetrics evaluate-volumes`."""

from __future__ import annotations

import csv
import io
import json
import re
import sys

import numpy as np
import pytest

from tests.cli.commands import one_error


@pytest.fixture
def scans(tmp_path):
    """Two scans of 2 × 3 × 4; `near` misses one of two voxels in the second, `far` both."""
    for case in ("a", "b"):
        truth = np.zeros((2, 3, 4), np.uint8)
        truth[0, 1, 1:3] = 1
        near, far = truth.copy(), np.roll(truth, 1, axis=0)
        near[0, 1, 2] = case == "a"
        for name, values in (("gt", truth), ("near", near), ("far", far)):
            (tmp_path / name).mkdir(exist_ok=True)
            np.savez(tmp_path / name / f"{case}.npz", volume=values, spacing=(4, 1, 1), unit="mm")
    return tmp_path


def arguments(scans, *more):
    return ["evaluate-volumes", "--gt", scans / "gt", "--pred", f"near={scans / 'near'}",
            "--pred", f"far={scans / 'far'}", "--labels", "2", "--background", "0",
            *more]  # fmt: skip


def test_the_table_and_the_files(scans, call):
    out = scans / "run"
    code, table, err = call(*arguments(scans, "--tolerance", "1", "--out", out))
    assert code == 0
    assert table.splitlines()[0] == "label 1, mean over cases, distances in mm"
    near, far = (line.split() for line in table.splitlines() if line.startswith(("near", "far")))
    # Dice (1 + 2/3) / 2; 1 mm in one of two cases; of 3 voxels within 1 mm all.
    assert [near[1], near[5], near[8]] == ["0.833*", "0.500*", "1.000*"]
    assert [far[1], far[5], far[8]] == ["0.000", "4.000", "0.000"]
    assert "mean over the" not in table
    assert err == f"values of each case, means and contract are in {out}\n"
    assert json.loads((out / "evaluation.json").read_text("utf-8"))["sampling_unit"] == "case"
    rows = list(csv.DictReader(io.StringIO((out / "per_label.csv").read_text("utf-8"))))
    assert [(row["method"], row["case"]) for row in rows] == [
        ("near", "a"), ("near", "b"), ("far", "a"), ("far", "b"),
    ]  # fmt: skip


@pytest.mark.parametrize("labels", [("--labels", "2"), ("--labels=2",)])
def test_evaluate_with_labels_is_the_command_of_volumes(scans, call, labels):
    more = ["--background", "0", "--tolerance", "1", "--gt", scans / "gt",
            "--pred", f"near={scans / 'near'}", *labels]  # fmt: skip
    written = []
    for command in ("evaluate", "evaluate-volumes"):
        out = scans / command
        code, table, _ = call(command, *more, "--out", out)
        written.append((code, table, (out / "per_label.csv").read_bytes()))
    assert written[0] == written[1]
    rows = list(csv.DictReader(io.StringIO(written[0][2].decode())))
    assert [(row["case"], row["label"], row["unit"], row["dice"]) for row in rows] == [
        ("a", "1", "mm", "1.0"), ("b", "1", "mm", repr(2 / 3)),
    ]  # fmt: skip


def test_evaluate_with_labels_takes_the_options_of_volumes_alone(scans, call):
    both = ("--gt", scans / "gt", "--pred", f"near={scans / 'near'}")
    code, _, err = call("evaluate", *both, "--labels", "2", "--metrics", "mae")
    # click's own sentence, which is not the same in all of its versions.
    assert code == 2
    assert re.fullmatch(r"error: No such option.* '?--metrics'?\.?", one_error(err))
    code, _, err = call("evaluate", *both)
    assert code == 2
    assert one_error(err).endswith(
        "label volumes are measured with --labels N (in Python by evaluate_volumes)"
    )


def test_every_form(scans, call):
    markdown = call(*arguments(scans, "--format", "markdown", "--no-surfaces"))[1]
    assert "| near   | **0.833** | **0.750** |" in markdown
    told = json.loads(call(*arguments(scans, "--format", "json"))[1])
    assert told["methods"]["far"]["labels"]["1"]["hd"]["value"] == 4.0
    lines = list(csv.DictReader(io.StringIO(call(*arguments(scans, "--format", "csv"))[1])))
    assert (lines[0]["method"], lines[0]["score"], lines[0]["n_used"]) == ("near", "dice", "2")
    assert float(lines[0]["value"]) == (1 + 2 / 3) / 2
    in_units = {line["score"]: line["length_unit"] for line in lines if line["length_unit"]}
    assert in_units == {"hd": "mm", "hd95": "mm", "assd": "mm"}
    assert told["methods"]["far"]["labels"]["1"]["hd"]["length_unit"] == "mm"
    latex = call(*arguments(scans, "--format", "latex"))[1]
    assert latex.startswith("% label 1, mean over cases, distances in mm\n")


def without_grid(scans):
    for name in ("gt", "near", "far"):
        with np.load(scans / name / "b.npz") as file:
            np.save(scans / name / "b.npy", file["volume"])
        (scans / name / "b.npz").unlink()


def test_unlike_units_are_refused_where_distances_are_measured(scans, call):
    without_grid(scans)
    out = scans / "run"
    code, printed, err = call(*arguments(scans, "--out", out))
    assert (code, printed, out.exists()) == (2, "", False)
    assert one_error(err) == (
        f"error: distances of all cases must be in one unit: {scans / 'gt' / 'a.npz'} is in mm, "
        f"{scans / 'gt' / 'b.npy'} in voxel; --unit mm and --spacing X say it for files that do "
        f"not, and --no-surfaces measures overlap alone"
    )
    given = ("--unit", "mm", "--spacing", "2,1,1", "--format", "csv")
    code, table, _ = call(*arguments(scans, *given))
    hd = [line for line in csv.DictReader(io.StringIO(table)) if line["score"] == "hd"]
    # `far` is a plane off: 4 mm in a, 2 mm in b as given.
    assert [float(line["value"]) for line in hd if line["method"] == "far"] == [3.0, 3.0]
    code, table, _ = call(*arguments(scans, "--no-surfaces", "--out", out))
    assert (code, table.splitlines()[0]) == (0, "label 1, mean over cases")
    ranked = ("--metric", "absolute_size_difference", "--label", "1")
    code, _, err = call("compare", out, "near", "far", *ranked)
    assert (code, one_error(err)) == (
        2,
        f"error: {out}: absolute_size_difference must be in one unit to be compared over cases; "
        f"'a' is in mm, 'b' in voxel",
    )
    assert call("compare", out, "near", "far", "--metric", "dice", "--label", "1")[0] == 0


def test_an_ignored_label_has_no_row(scans, call):
    with np.load(scans / "near" / "a.npz") as file:
        values = file["volume"].copy()
    values[1, 0, 0] = 2
    np.savez(scans / "near" / "a.npz", volume=values, spacing=(4, 1, 1), unit="mm")
    given = [a if a != "2" else "3" for a in arguments(scans, "--no-surfaces")]
    code, table, err = call(*given, "--ignore-label", "2", "--format", "csv")
    assert (code, err) == (0, "")
    means = {
        (line["method"], line["label"]): float(line["value"])
        for line in csv.DictReader(io.StringIO(table))
        if line["score"] == "dice"
    }
    first = (1 + 2 / 3) / 2
    assert means == {
        ("near", "1"): first, ("near", "mean over labels"): first,
        ("far", "1"): 0.0, ("far", "mean over labels"): 0.0,
    }  # fmt: skip


def test_a_finished_run_is_not_replaced_by_another(scans, call):
    out = scans / "run"
    given = arguments(scans, "--out", out)
    call(*given, "--tolerance", "1")
    before = (out / "volumes.json").read_bytes()
    code, printed, err = call(*given)
    assert (code, printed) == (2, "")
    assert one_error(err) == (
        f"error: {out}: holds a run with tolerance = 1.0, now it is None; take another run "
        f"directory, or the first value"
    )
    code, _, err = call(*given, "--tolerance", "1")
    assert (code, (out / "volumes.json").read_bytes()) == (0, before)
    assert err == (
        f"values of each case, means and contract are in {out}, which held this run already and "
        f"was measured again\n"
    )


def test_labels_named_one_by_one_have_a_mean_over_labels(scans, call):
    given = [a if a != "2" else "0,1,5" for a in arguments(scans, "--no-surfaces")]
    code, table, _ = call(*given)
    assert code == 0
    assert "\nmean over the 2 labels of their means over cases\n" in table


def test_show_prints_a_run_of_volumes_again(scans, call):
    out = scans / "run"
    for form in ("table", "markdown", "latex", "csv", "json"):
        more = ("--labels", "3", "--tolerance", "1", "--format", form, "--out", out)
        _, printed, _ = call(*arguments(scans, *more))
        code, shown, err = call("show", out, "--format", form)
        told = "" if form in ("csv", "json") else "label of no case, in no table (1): 2\n"
        assert (code, shown, err) == (0, printed, told)
    other = scans / "other"
    call(*arguments(scans, "--labels", "3", "--tolerance", "1", "--hd95", "pooled", "--out", other))
    code, shown, err = call("show", out, other)
    assert (code, shown.count(f"near ({other})")) == (0, 2)
    assert (
        err.splitlines()[-1]
        == f"warning: not comparable: hd95 is 'max' in {out} and 'pooled' in {other}"
    )
    for runs, marked in (((out, other), False), ((out,), True)):
        table = call("show", *runs, "--format", "markdown")[1]
        assert ("**" in table) == marked
    assert json.loads(call("show", out, other, "--format", "json")[1]).keys() == {
        str(out), str(other),
    }  # fmt: skip


def test_show_of_volumes_that_fit_into_no_table(scans, call):
    out = scans / "run"
    call(*arguments(scans, "--out", out))
    call(*arguments(scans, "--no-surfaces", "--out", scans / "plain"))
    code, shown, err = call("show", out, scans / "plain")
    assert (code, shown) == (2, "")
    assert "the runs have other labels or scores" in one_error(err)
    assert one_error(call("show", out, scans)[2]) == (
        f"error: {scans}: not a run of volumes, no volumes.json"
    )
    (out / "volumes.json").write_text("{}")
    assert "volumes.json: not the summary of a run of volumes" in call("show", out)[2]


def test_one_method_has_a_row_for_each_label(scans, call):
    for path in scans.glob("*/*.npz"):
        with np.load(path) as file:
            values = file["volume"].copy()
        values[1, 2, 3] = 4
        np.savez(path, volume=values, spacing=(4, 1, 1), unit="mm")
    code, table, err = call(
        "evaluate-volumes", "--gt", scans / "gt", "--pred", f"near={scans / 'near'}", "--labels",
        "5", "--background", "0", "--no-surfaces", "--format", "markdown",
    )  # fmt: skip
    assert code == 0
    lines = table.splitlines()
    assert lines[0] == "near, mean over cases"
    head, _, *rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in lines[2:]]
    assert head == ["Label", "n", "dice ↑", "iou ↑", "precision ↑", "recall ↑"]
    # Rows of one method do not compete: nothing is marked.
    assert rows == [
        ["1", "2/2", "0.833", "0.750", "1.000", "0.750"],
        ["4", "2/2", "1.000", "1.000", "1.000", "1.000"],
        ["mean over labels", "4/8", "0.917", "0.875", "1.000", "0.875"],
    ]
    assert err == "labels of no case, in no table (2): 2, 3\n"


def test_the_unit_is_a_column(scans, call):
    (scans / "cases.csv").write_text("case,patient\na,ann\nb,ann\n")
    chosen = ("--unit-of", f"{scans / 'cases.csv'}:patient", "--format", "csv")
    _, table, _ = call(*arguments(scans, *chosen))
    first = next(csv.DictReader(io.StringIO(table)))
    assert (first["unit"], first["n_units"], first["low"]) == ("patient", "1", "nan")
    (scans / "cases.csv").write_text("case,patient\na,ann\n")
    code, _, err = call(*arguments(scans, *chosen))
    assert (code, one_error(err)) == (2, "error: --unit-of must have every case; 'b' has none")


@pytest.fixture
def sky(scans):
    (scans / "sky.csv").write_text("case,sky\nb,cloudy\na,clear\n")
    return ("--strata", f"{scans / 'sky.csv'}:sky")


def test_every_stratum_has_its_tables(scans, sky, call):
    plain = call(*arguments(scans, "--format", "markdown"))[1]
    code, table, _ = call(*arguments(scans, *sky, "--format", "markdown"))
    assert code == 0
    assert table.startswith(plain)
    told = table.removeprefix(plain).splitlines()
    titles = [line for line in told if line and line[0] != "|"]
    assert titles == [
        f"{stratum} (1 case): label 1, mean over cases, distances in mm"
        for stratum in ("clear", "cloudy")
    ]  # fmt: skip
    rows = [[cell.strip(" *") for cell in line.split("|")[1:6]] for line in told if "near" in line]
    # One of two voxels is missed in b: Dice 2/3, IoU and recall 1/2.
    assert rows == [
        ["near", "1.000", "1.000", "1.000", "1.000"], ["near", "0.667", "0.500", "1.000", "0.500"],
    ]  # fmt: skip


def test_show_prints_strata_of_volumes_again(scans, sky, call):
    out = scans / "run"
    for form in ("table", "markdown", "latex", "csv", "json"):
        _, printed, _ = call(*arguments(scans, *sky, "--format", form, "--out", out))
        assert (0, printed, "") == call("show", out, "--format", form)
        assert "cloudy" in printed
    plain = scans / "plain"
    call(*arguments(scans, "--out", plain))
    code, shown, err = call("show", out, plain)
    assert code == 0
    assert "not comparable: strata is present" in err
    # What has no strata is in the tables of all cases alone.
    assert (shown.count(f"near ({out})"), shown.count(f"near ({plain})")) == (3, 1)
    told = json.loads((out / "volumes.json").read_text("utf-8"))
    del told["methods"]["near"]["strata"]["clear"]["n_cases"]
    (out / "volumes.json").write_text(json.dumps(told))
    assert "not the summary of a run of volumes" in one_error(call("show", out)[2])


def test_strata_do_not_keep_runs_from_being_compared(scans, sky, call):
    runs = [scans / "run", scans / "plain"]
    call(*arguments(scans, *sky, "--out", runs[0]))
    call(*arguments(scans, "--out", runs[1]))
    given = (runs[0], "near", "far", "--other", runs[1], "--metric", "dice", "--label", "1")
    code, _, err = call("compare", *given)
    assert (code, "not comparable" in err) == (0, False)


def test_strata_must_hold_every_case(scans, sky, call):
    (scans / "sky.csv").write_text("case,sky\nc,cloudy\n")
    code, out, err = call(*arguments(scans, *sky))
    assert (code, out) == (2, "")
    assert one_error(err) == (
        "error: strata by sky must hold every sample; 2 are missing, the first 'a'"
    )


def test_what_is_missing(scans, call):
    (scans / "far" / "b.npz").rename(scans / "far" / "z.npz")
    code, out, err = call(*arguments(scans))
    assert (code, out) == (2, "")
    assert one_error(err) == (
        "error: 'far': 1 truth has no prediction (b); --missing skip leaves it out"
    )
    code, out, err = call(*arguments(scans, "--missing", "skip"))
    assert code == 1
    assert "1/2" in out
    assert err == "left out, missing in far (1): b\nwithout truth in far, ignored (1): z\n"


@pytest.mark.parametrize(
    ("more", "words"),
    [
        (("--labels", "x"), "'x' is not of the form N or LABEL,LABEL"),
        (("--unit-of", "cases.csv"), "'cases.csv' is not of the form FILE.csv:COLUMN"),
        (("--strata", "cases.csv"), "'cases.csv' is not of the form FILE.csv:COLUMN"),
        (("--strata", "size:9:99"), "strata by the target's size are of maps; take FILE.csv:COL"),
        (("--ignore-label", "1"), "--ignore-label would cut surfaces: it needs --no-surfaces"),
        (("--no-surfaces", "--tolerance", "1"), "--tolerance is one of surfaces"),
        (("--no-surfaces", "--hd95", "max"), "--hd95 is one of surfaces"),
        (("--no-surfaces", "--one-empty", "diagonal"), "--one-empty is one of surfaces"),
        (
            ("--surface", "elements", "--hd95", "mean"),
            "hd95 must be 'inverse_cdf'; received 'mean'",
        ),
        (("--tolerance", "-1"), "tolerance must be a finite number of at least 0; received -1.0"),
        (("--pred", "near=x"), "--pred: the name 'near' is given twice"),
        (("--spacing", "1,1", "--unit", "mm"), "must be None for files that say theirs"),
        (("--workers", "0"), "workers must be an integer of at least 1; received 0"),
    ],
)
def test_refused(scans, call, more, words):
    code, out, err = call(*arguments(scans, *more))
    assert (code, out) == (2, "")
    assert words in one_error(err)


def test_a_damaged_file_is_named(scans, call):
    (scans / "far" / "a.npz").write_bytes(b"no archive")
    code, _, err = call(*arguments(scans))
    assert code == 2
    assert one_error(err).startswith(f"error: {scans / 'far' / 'a.npz'}: cannot be read")


def test_volumes_of_four_axes_have_no_surfaces(scans, call):
    for name in ("gt", "near", "far"):
        values = np.zeros((9, 7, 6, 2), np.uint8)
        values[2:4, 3:5, 1:3] = 1
        np.savez(scans / name / "b.npz", volume=values, spacing=(1, 1, 1, 1), unit="mm")
    code, _, err = call(*arguments(scans))
    assert code == 2
    assert one_error(err) == (
        f"error: {scans / 'gt' / 'b.npz'}: surfaces are measured of 2 or 3 axes; its shape is "
        f"(9, 7, 6, 2) (--no-surfaces leaves them out)"
    )


def test_the_extra_is_named(scans, call, monkeypatch):
    monkeypatch.setitem(sys.modules, "nibabel", None)
    for name in ("gt", "near", "far"):
        (scans / name / "b.npz").rename(scans / name / "b.nii.gz")
    code, _, err = call(*arguments(scans))
    assert code == 2
    assert one_error(err).endswith("pip install 'fastsegmetrics[volumes]'")
