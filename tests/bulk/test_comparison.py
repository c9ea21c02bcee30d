"""Two methods of finished runs compared, and the stored values that they are read from."""

from __future__ import annotations

import math

import numpy as np
import pytest

import fastsegmetrics as fsm
from fastsegmetrics.bulk.comparison import compare_runs
from fastsegmetrics.bulk.run import evaluate_folders
from fastsegmetrics.bulk.stored_values import StoredValues, stored_values
from fastsegmetrics.bulk.volume_methods import evaluate_volume_methods
from tests.bulk.benchmark import METHODS, evaluate, write


@pytest.fixture
def run(folders):
    return evaluate(folders, out=folders / "run", metrics="mae,f_beta.max,iou.bin,iou.curve")


def test_stored_values_are_those_of_the_run(folders, run) -> None:
    stored = StoredValues(folders / "run")
    assert (stored.methods, stored.metrics) == (METHODS, ("mae", "f_beta.max_of_image", "iou.bin"))
    for metric in stored.metrics:
        for method in METHODS:
            expected = dict(zip(run[method].sample_ids, run[method].per_image[metric].tolist()))
            assert stored.values(metric)[method] == expected
    assert stored.column("f_beta.max") == "f_beta.max_of_image"
    assert (stored.direction("mae"), stored.direction("f_beta.max")) == ("lower", "higher")


def test_the_comparison_is_that_of_the_values(folders, run) -> None:
    found = compare_runs(folders / "run", "one", "two", ["mae", "iou.bin"], n_resamples=99)
    values = StoredValues(folders / "run").values("mae")
    assert found.rows[0].found == fsm.compare_methods(values["one"], values["two"], n_resamples=99)
    mae, iou = found.rows
    assert mae.a == pytest.approx(run["one"]["mae"].value)
    assert mae.b == pytest.approx(run["two"]["mae"].value)
    # Lower is better: one's errors are the smaller in every sample.
    assert (mae.n_a_better, mae.n_b_better, mae.found.n_smaller) == (12, 0, 12)
    assert (iou.n_a_better, iou.found.n_larger) == (12, 12)
    assert (found.only_a, found.only_b, found.warnings) == ((), (), ())


def test_units(folders, run) -> None:
    units = {f"s{i:02d}": f"video {i // 3}" for i in range(12)}
    found = compare_runs(folders / "run", "one", "two", ["mae"], units=units, unit="video")
    difference = found.rows[0].found.difference
    assert (difference.n_units, difference.unit) == (4, "video")
    assert found.rows[0].found.n_ranked == 4


def test_a_method_of_another_run(folders, run) -> None:
    evaluate_folders(folders / "gt", {"one": folders / "two"}, metrics="mae,f_beta.max,iou.bin",
                     out=folders / "other", stretch=False)  # fmt: skip
    found = compare_runs(folders / "run", "one", "one", ["mae"], other=folders / "other")
    assert (found.a, found.b) == (f"one ({folders / 'run'})", f"one ({folders / 'other'})")
    assert found.warnings == (
        f"not comparable: conventions.stretch is True in {folders / 'run'} and False in "
        f"{folders / 'other'}",
    )


def test_cases_that_one_method_lacks(folders) -> None:
    (folders / "one" / "s03.png").unlink()
    evaluate(folders, out=folders / "run", metrics="mae", missing="skip")
    with pytest.raises(fsm.InputError, match=r"same cases; 1 differ: 's03' \(b only\)"):
        compare_runs(folders / "run", "one", "two", ["mae"])
    found = compare_runs(folders / "run", "one", "two", ["mae"], shared=True)
    assert (found.rows[0].found.n_pairs, found.only_a, found.only_b) == (11, (), ("s03",))


def test_means_are_of_the_pairs_compared(folders) -> None:
    for name in ("gt", "one"):
        write(folders / name / "s00.png", np.zeros((6, 9)))
    choices = {"policy": "strict", "both_empty": "undefined"}
    run = evaluate(folders, out=folders / "run", metrics="iou.bin", **choices)
    (row,) = compare_runs(folders / "run", "one", "two", ["iou.bin"]).rows
    assert (row.found.n_pairs, row.found.n_undefined) == (11, 1)
    assert row.b == pytest.approx(np.mean(run["two"].per_image["iou.bin"][1:]))


def test_volumes(tmp_path) -> None:
    truth = np.zeros((2, 3, 4), np.uint8)
    truth[0, 1, 1:3] = 1
    for case in "abc":
        for name, values in (("gt", truth), ("a", truth), ("b", np.roll(truth, case == "b", 2))):
            (tmp_path / name).mkdir(exist_ok=True)
            np.save(tmp_path / name / f"{case}.npy", values)
    preds = {name: tmp_path / name for name in "ab"}
    evaluate_volume_methods(tmp_path / "gt", preds, labels=3, background=0, out=tmp_path / "run")
    found = compare_runs(
        tmp_path / "run", "a", "b", ["dice", "hd", "absolute_size_difference"], label=1
    )
    dice, hd, size = found.rows
    # Columns that are rolled keep their number of voxels.
    assert (size.a, size.b, size.direction, size.found.n_equal) == (0.0, 0.0, "lower", 3)
    assert (dice.a, dice.b, dice.n_a_better) == (1.0, pytest.approx(2.5 / 3), 1)
    assert (hd.b, hd.direction, hd.n_a_better, hd.found.n_equal) == (1 / 3, "lower", 1, 2)
    (absent,) = compare_runs(tmp_path / "run", "a", "b", ["dice"], label=2).rows
    assert (absent.found.n_pairs, absent.found.n_undefined) == (0, 3)
    assert math.isnan(absent.a)
    for choices, words in (
        ({}, "^label must say which label of the volumes in .*run is meant"),
        ({"label": 7}, r"^label must be one of the run's \(1, 2\); received 7"),
        (
            {"label": 1, "metrics": ["nsd"]},
            "has dice, iou, precision, recall, hd, hd95, assd, masd, absolute_size_difference; r",
        ),
    ):
        with pytest.raises(fsm.InputError, match=words):
            compare_runs(tmp_path / "run", "a", "b", **{"metrics": ["hd"], **choices})
    (tmp_path / "run" / "per_label.csv").write_text("case\n")
    with pytest.raises(fsm.InputError, match="not the values of a run of volumes"):
        stored_values(tmp_path / "run", 1)


def test_refused(folders, run) -> None:
    out = folders / "run"
    with pytest.raises(fsm.InputError, match=r"^method must be one of .*run's \(one, two\); rec"):
        compare_runs(out, "one", "three", ["mae"])
    with pytest.raises(fsm.InputError, match=r"^a method must be compared with another"):
        compare_runs(out, "one", "one", ["mae"])
    with pytest.raises(fsm.InputError, match=r"^label must be None for a run of images"):
        compare_runs(out, "one", "two", ["mae"], label=1)
    with pytest.raises(fsm.InputError, match=r"has mae, f_beta.max_of_image, iou.bin; received"):
        compare_runs(out, "one", "two", ["iou.curve"])
    (out / "per_image.csv").write_text("method,sample,mae\none,s00,good\n")
    with pytest.raises(fsm.InputError, match="not the per-image values of a run"):
        stored_values(out)
    (out / "per_image.csv").unlink()
    with pytest.raises(fsm.InputError, match=r"per_image.csv: cannot be read"):
        stored_values(out)
