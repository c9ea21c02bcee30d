"""Several methods on one folder of volumes: means by label, counts, intervals and files."""

from __future__ import annotations

import csv
import io
import json
import math

import numpy as np
import pytest

import fastsegmetrics as fsm
from fastsegmetrics.bulk.stored_volumes import shown_volumes
from fastsegmetrics.bulk.volume_methods import VolumeMethods, evaluate_volume_methods


@pytest.fixture
def folders(tmp_path):
    """Label 1 of 8 voxels: `exact` has it, `moved` lies half beside it in b; label 2 is in c."""
    gt = np.zeros((2, 4, 7), np.uint8)
    gt[:, 1:3, 1:3] = 1
    for case in "abc":
        truth = gt.copy()
        truth[0, 0, 5:] = 2 * (case == "c")
        moved = np.roll(truth, case == "b", axis=2)
        moved[moved == 2] = 0
        for name, values in (("gt", truth), ("exact", truth), ("moved", moved)):
            (tmp_path / name).mkdir(exist_ok=True)
            np.savez(tmp_path / name / f"{case}.npz", volume=values, spacing=(3, 1, 2), unit="mm")
    return tmp_path


def run(folders, **choices) -> VolumeMethods:
    preds = {name: folders / name for name in ("exact", "moved")}
    given = {"labels": 3, "background": 0, **choices}
    return evaluate_volume_methods(folders / "gt", preds, **given)


def test_means_over_cases_and_labels(folders) -> None:
    runs = run(folders, tolerance=1.0)
    assert (runs.labels, tuple(runs)) == ((1, 2), ("exact", "moved"))
    first, second = (runs.over_cases("moved", label) for label in (1, 2))
    # Half of the columns are met in b: Dice (1 + 1/2 + 1) / 3, and 2 mm from surface to surface.
    assert first["dice"].value == pytest.approx(2.5 / 3)
    assert first["hd"].value == pytest.approx(2 / 3)
    assert (second["dice"].value, second["dice"].n_used, second["dice"].n_undefined) == (0, 1, 2)
    assert math.isnan(second["hd"].value)
    assert (second["hd"].n_used, second["hd"].n_undefined, second["hd"].n_infinite) == (0, 2, 1)
    both = runs.over_labels("moved")
    assert both["dice"].value == pytest.approx(2.5 / 6)
    # The counts are of both labels' three cases, and add up: none is lost on the way.
    assert both["hd"].value == first["hd"].value
    hd, dice = (both[name] for name in ("hd", "dice"))
    assert (hd.n_expected, hd.n_used, hd.n_undefined, hd.n_infinite) == (6, 3, 2, 1)
    assert (dice.n_expected, dice.n_used, dice.n_undefined, dice.n_infinite) == (6, 4, 2, 0)
    assert {one.value for one in runs.over_labels("exact").values()} == {0.0, 1.0}
    assert (first["nsd"].direction, first["hd95"].direction) == ("higher", "lower")


def test_intervals_resample_the_unit(folders) -> None:
    units = {"a": "ann", "b": "ann", "c": "ben"}
    runs = run(folders, surfaces=False, unit_of=units, unit_name="patient")
    found = runs.interval("moved", 1, "dice")
    assert (found.unit, found.n_units, found.n_used) == ("patient", 2, 3)
    # Ann's scans together have 3/4, Ben's one 1.
    assert (found.low, found.high) == (0.75, 1.0)
    assert runs.contract.sampling_unit == "patient"
    assert "hd" not in runs.scores


def test_pooled_voxels_have_a_name_of_their_own(folders) -> None:
    units = {"a": "ann", "b": "ann", "c": "ben"}
    runs = run(folders, unit_of=units, unit_name="patient")
    found = runs.pooled("moved", 1)
    for score in ("dice", "iou", "precision", "recall"):
        assert found[score].value == runs["moved"].cases.pooled(score, 1)
    # Cases of one size: what is pooled is their mean here, by patient 3/4 and 1.
    dice = found["dice"]
    assert (dice.value, dice.low, dice.high) == (pytest.approx(2.5 / 3), 0.75, 1.0)
    assert (dice.unit, dice.n_units, dice.n_used) == ("patient", 2, 3)
    # Label 2 is missed wherever it is: a precision of nothing, and recall 0.
    assert math.isnan(runs.pooled("moved", 2)["precision"].value)
    assert runs.pooled("moved", 2)["recall"].value == 0
    told = runs.to_dict()["methods"]["moved"]["pooled"]
    assert (told["1"]["dice"]["value"], told["1"]["dice"]["low"]) == (dice.value, 0.75)
    assert (told["2"]["precision"]["value"], told["2"]["iou"]["value"]) == (None, 0.0)
    (line,) = [x for x in runs.to_csv().splitlines() if x.startswith("moved,1,dice.pooled,")]
    assert line.split(",")[3:7] == [repr(dice.value), "0.75", "1.0", "patient"]


def test_files_of_several_methods(folders) -> None:
    out = folders / "run"
    runs = run(folders, out=out)
    again = run(folders, out=out, workers=3)
    assert again.to_csv() == runs.to_csv()
    rows = list(csv.DictReader(io.StringIO((out / "per_label.csv").read_text("utf-8"))))
    assert len(rows) == 2 * 3 * 2
    assert [row["method"] for row in rows] == ["exact"] * 6 + ["moved"] * 6
    assert (rows[8]["case"], float(rows[8]["dice"]), rows[11]["hd"]) == ("b", 0.5, "inf")
    told = json.loads((out / "evaluation.json").read_text("utf-8"))
    assert (told["spacing"], told["unit"], told["hd95"]) == ([3.0, 1.0, 2.0], "mm", "max")
    assert told["aggregation"].startswith("mean over cases by label; mean over labels of these;")
    summary = json.loads((out / "volumes.json").read_text("utf-8"))
    hd = summary["methods"]["moved"]["labels"]["2"]["hd"]
    assert (hd["value"], hd["n_infinite"], hd["n_undefined"], hd["n_expected"]) == (None, 1, 2, 3)
    over = summary["methods"]["moved"]["labels"]["mean over labels"]
    assert (over["hd"]["n_units"], over["dice"]["n_units"]) == (1, 2)
    lines = list(csv.DictReader(io.StringIO(runs.to_csv())))
    (line,) = (
        one for one in lines if (one["method"], one["label"], one["score"]) == ("moved", "2", "hd")
    )
    assert (line["value"], line["low"], line["n_infinite"]) == ("nan", "nan", "1")
    assert (lines[0]["method"], lines[0]["label"], lines[0]["score"]) == ("exact", "1", "dice")
    scores = [(line["label"], line["score"]) for line in lines if line["method"] == "moved"]
    assert scores[-9:-8] + scores[-1:] == [("mean over labels", "assd"), ("2", "recall.pooled")]


def test_a_label_of_no_case_has_no_voxels_to_pool(folders) -> None:
    runs = run(folders, labels=4)
    pooled = runs.to_dict()["methods"]["moved"]["pooled"]["3"]["dice"]
    assert (pooled["value"], pooled["n_expected"]) == (None, 3)
    assert (pooled["n_used"], pooled["n_undefined"], pooled["n_infinite"]) == (0, 3, 0)
    pooled = runs.to_dict()["methods"]["moved"]["pooled"]["2"]["dice"]
    assert (pooled["value"], pooled["n_used"], pooled["n_undefined"]) == (0.0, 3, 0)


def test_what_is_missing_stops_before_anything_is_read(folders) -> None:
    (folders / "moved" / "a.npz").rename(folders / "moved" / "d.npz")
    (folders / "exact" / "a.npz").write_bytes(b"no archive")
    with pytest.raises(fsm.InputError, match=r"^'moved': 1 truth has no prediction \(a\); missing"):
        run(folders)
    (folders / "exact" / "a.npz").unlink()
    runs = run(folders, missing="skip")
    assert not runs.complete
    assert (runs["moved"].missing, runs["moved"].extra) == (("a",), ("d",))
    dice = runs.over_cases("moved", 1)["dice"]
    assert (dice.n_expected, dice.n_used, dice.n_undefined) == (3, 2, 0)


def test_where_a_run_is_not_written(folders) -> None:
    with pytest.raises(fsm.InputError, match="this lies in the folder of the ground truths"):
        run(folders, out=folders / "gt" / "run")
    (folders / "run").mkdir()
    (folders / "run" / "evaluation.json").write_text("{}")
    with pytest.raises(fsm.InputError, match=r"holds evaluation.json but no volumes.json"):
        run(folders, out=folders / "run")


@pytest.fixture
def sky(folders):
    """Scans a and c under a clear sky, b under clouds; the scan `z` is nobody's."""
    (folders / "sky.csv").write_text("case,sky\nb,cloudy\na,clear\nc,clear\nz,night\n")
    return fsm.Strata.column(folders / "sky.csv", "sky")


def test_strata_are_told_as_if_their_cases_were_all(folders, sky) -> None:
    units = {"a": "ann", "b": "ann", "c": "ben"}
    runs = run(folders, strata=sky, unit_of=units, unit_name="patient")
    assert (
        runs.to_dict()["methods"]["moved"]["labels"]
        == (
            run(folders, unit_of=units, unit_name="patient").to_dict()["methods"]["moved"]["labels"]
        )
    )
    assert list(runs.strata) == ["clear", "cloudy"]
    clear, cloudy = runs.strata.values()
    assert (clear.n_cases, cloudy.n_cases, runs.n_cases) == (2, 1, 3)
    # Half of the columns are met in b alone, and the missed label 2 is in c.
    assert [part.over_cases("moved", 1)["dice"].value for part in (clear, cloudy)] == [1.0, 0.5]
    assert [part.over_cases("moved", 1)["hd"].value for part in (clear, cloudy)] == [0.0, 2.0]
    second = clear.over_cases("moved", 2)
    assert (second["dice"].value, second["dice"].n_used, second["hd"].n_infinite) == (0, 1, 1)
    assert clear.over_labels("moved")["dice"].value == 0.5
    assert cloudy.over_labels("moved")["dice"].value == 0.5
    # Two patients have a clear scan; of b 4 voxels of 8 are met.
    assert (clear.interval("moved", 1, "dice").n_units, clear.unit) == (2, "patient")
    assert cloudy.pooled("moved", 1)["iou"].value == 4 / 12


def test_strata_in_every_file(folders, sky) -> None:
    out = folders / "run"
    runs = run(folders, out=out, strata=sky, surfaces=False)
    plain = run(folders, out=folders / "plain", surfaces=False)
    told = json.loads((out / "volumes.json").read_text("utf-8"))
    part = told["methods"]["moved"]["strata"]["cloudy"]
    assert (part["n_cases"], part["labels"]["1"]["dice"]["value"]) == (1, 0.5)
    assert (part["pooled"]["1"]["dice"]["value"], part["labels"]["2"]["dice"]["value"]) == (
        0.5,
        None,
    )
    contract = json.loads((out / "evaluation.json").read_text("utf-8"))
    # Of the column and its values, as `evaluate --strata` says them.
    assert contract == {**plain.contract.to_dict(), "strata": sky.to_dict()} == told["contract"]
    assert (contract["strata"]["by"], len(contract["strata"]["table"])) == ("sky", 16)
    lines = list(csv.DictReader(io.StringIO(runs.to_csv())))
    values = {(line["method"], line["label"], line["score"]): line["value"] for line in lines}
    assert (
        values["moved[cloudy]", "1", "dice"] == values["moved[cloudy]", "1", "dice.pooled"] == "0.5"
    )
    assert runs.to_csv().startswith(plain.to_csv())
    # No number of a case knows of them.
    files = [(folder / "per_label.csv").read_bytes() for folder in (out, folders / "plain")]
    assert files[0] == files[1]
    tables = runs.report().tables
    assert [table.title for table in tables[3:6]] == [
        "clear (2 cases): label 1, mean over cases",
        "clear (2 cases): label 2, mean over cases",
        "clear (2 cases): mean over the 2 labels of their means over cases",
    ]
    assert tables[:3] == plain.report().tables
    # Label 2 is in no cloudy scan: its table is there and says so.
    assert tables[7].title == "cloudy (1 case): label 2, mean over cases"
    assert tables[7].rows["moved"]["dice"].n_used == 0


def test_strata_count_what_is_missing(folders, sky) -> None:
    (folders / "moved" / "b.npz").unlink()
    runs = run(folders, strata=sky, missing="skip")
    clear, cloudy = runs.strata.values()
    assert (clear["moved"].missing, cloudy["moved"].missing) == ((), ("b",))
    assert (clear.n_cases, cloudy.n_cases) == (2, 1)
    dice = cloudy.over_cases("moved", 1)["dice"]
    assert (dice.n_expected, dice.n_used, dice.n_undefined) == (1, 0, 0)
    assert cloudy.over_cases("exact", 1)["dice"].value == 1.0
    # A stratum of which nothing was measured at all has the same tables.
    (folders / "exact" / "b.npz").unlink()
    cloudy = run(folders, strata=sky, missing="skip").strata["cloudy"]
    assert (cloudy.n_cases, cloudy.labels, cloudy.scores[:2]) == (1, (1, 2), ("dice", "iou"))
    assert math.isnan(cloudy.pooled("moved", 1)["dice"].value)


def test_strata_that_are_refused(folders, sky) -> None:
    (folders / "exact" / "a.npz").write_bytes(b"no archive")
    with pytest.raises(fsm.InputError, match=r"^strata of volumes must be by a column, FILE\.csv"):
        run(folders, strata=fsm.Strata.sizes())
    with pytest.raises(fsm.InputError, match=r"^strata must be Strata.column\(…\) or .*'sky'$"):
        run(folders, strata="sky")
    # Before anything is read.
    (folders / "sky.csv").write_text("case,sky\na,clear\n")
    known = fsm.Strata.column(folders / "sky.csv", "sky")
    with pytest.raises(
        fsm.InputError, match="must hold every sample; 2 are missing, the first 'b'"
    ):
        run(folders, strata=known)


def test_runs_by_other_versions_of_the_package_compare(folders) -> None:
    outs = [folders / "new", folders / "old"]
    for out in outs:
        run(folders, out=out, surfaces=False)
    told = json.loads((outs[1] / "volumes.json").read_text("utf-8"))
    told["contract"]["fastsegmetrics"] = "0.0.9"
    (outs[1] / "volumes.json").write_text(json.dumps(told), "utf-8")
    shown = shown_volumes(tuple(map(str, outs)))
    assert shown.comparable
    (warning,) = shown.warnings
    assert warning.startswith("other versions: fastsegmetrics is ")
    told["contract"] |= {"hd95": "mean", "boundary": "none at all"}
    (outs[1] / "volumes.json").write_text(json.dumps(told), "utf-8")
    shown = shown_volumes(tuple(map(str, outs)))
    # Every place is named, not the first alone.
    assert not shown.comparable
    assert [warning.split(" is ")[0] for warning in shown.warnings] == [
        "not comparable: boundary", "not comparable: hd95", "other versions: fastsegmetrics",
    ]  # fmt: skip
