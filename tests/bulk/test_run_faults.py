"""Folder runs with files that are missing, damaged, of another size or of other numbers."""

from __future__ import annotations

import json
import os
from pathlib import Path

import numpy as np
import pytest

from fastsegmetrics import io
from fastsegmetrics.bulk.measure import identity
from fastsegmetrics.bulk.progress import Observer
from fastsegmetrics.bulk.run import MissingPredictionsError, evaluate_folders
from fastsegmetrics.bulk.store import RunStore
from fastsegmetrics.errors import FormatError, InputError
from tests.bulk.benchmark import corrupt, evaluate, maps_of, outputs, write


def test_missing_predictions_stop_before_anything_is_computed(folders, monkeypatch):
    (folders / "two" / "s02.png").unlink()
    (folders / "two" / "s07.png").unlink()
    monkeypatch.setattr("fastsegmetrics.plan.Plan.measure", None)
    with pytest.raises(MissingPredictionsError, match=r"2 predictions are missing \(two: s02") as e:
        evaluate(folders, out=folders / "run")
    assert e.value.missing == {"two": ["s02", "s07"]}
    assert not (folders / "run").exists()


def test_missing_predictions_are_left_out_and_counted(folders):
    (folders / "two" / "s02.png").unlink()
    run = evaluate(folders, missing="skip", out=folders / "run")
    assert (run["one"]["mae"].n_used, run["one"]["mae"].n_expected) == (12, 12)
    assert (run["two"]["mae"].n_used, run["two"]["mae"].n_expected) == (11, 12)
    assert run.missing == {"one": [], "two": ["s02"]}
    assert not run.complete
    assert repr(run) == "Run of 12 samples by one, two; pairs left out: 1"
    summary = json.loads((folders / "run" / "summary.json").read_text())
    assert summary["methods"]["two"]["missing"] == ["s02"]


def test_missing_predictions_are_black_maps_if_asked(folders):
    truth, maps = maps_of(2, (8, 9))
    (folders / "two" / "s02.png").unlink()
    run = evaluate(folders, missing="zero", out=folders / "run")
    assert run.complete
    assert run["two"]["mae"].n_used == 12
    assert run["two"].per_image["mae"][2] == (truth == 255).mean()
    assert run.contract.conventions["missing"] == "zero"
    evaluate(folders, missing="zero", out=folders / "run")
    write(folders / "two" / "s02.png", maps["two"])
    with pytest.raises(InputError, match=r"s02\.png was missing when an all-zero map was measured"):
        evaluate(folders, missing="zero", out=folders / "run")


def test_extra_predictions_are_told_and_harmless(folders):
    write(folders / "one" / "extra.png", [[1, 2]])
    run = evaluate(folders)
    assert run.extra == {"one": ["extra"], "two": []}
    assert run.complete


def test_a_corrupt_prediction_stops_the_run_and_keeps_the_rest(folders):
    path = folders / "two" / "s04.png"
    whole = path.read_bytes()
    times = path.stat()
    evaluate(folders, out=folders / "whole")
    corrupt(path)
    with pytest.raises(FormatError) as caught:
        evaluate(folders, workers=1, out=folders / "run")
    assert isinstance(caught.value.__cause__, FormatError)
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)
    path.write_bytes(whole)
    os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))
    kept = []

    class Look(Observer):
        def started(self, total, kept_now):
            kept.append(kept_now)

    evaluate(folders, out=folders / "run", progress=Look())
    # The five up to the damaged one, and what was in flight behind them.
    assert 5 <= kept[0] <= 12
    assert outputs(folders / "run") == outputs(folders / "whole")


def test_the_first_error_in_order_is_told_whatever_the_workers(folders):
    for name in ("s03", "s04", "s09"):
        corrupt(folders / "one" / f"{name}.png")
    for workers in (1, 2, 7):
        with pytest.raises(FormatError, match=r"one/s03\.png"):
            evaluate(folders, workers=workers)


def test_a_corrupt_prediction_is_left_out_if_asked(folders):
    corrupt(folders / "two" / "s04.png")
    run = evaluate(folders, on_error="skip", out=folders / "run")
    assert [(one.sample, one.method) for one in run.skipped] == [("s04", "two")]
    assert str(folders / "two" / "s04.png") in run.skipped[0].reason
    assert run["one"]["mae"].n_used == 12
    assert (run["two"]["mae"].n_used, run["two"]["mae"].n_expected) == (11, 12)
    assert not run.complete
    first = outputs(folders / "run")
    again = evaluate(folders, on_error="skip", out=folders / "run")
    assert again.skipped == run.skipped
    assert outputs(folders / "run") == first
    with pytest.raises(FormatError, match=r"two/s04\.png"):
        evaluate(folders, on_error="stop", out=folders / "run")


def test_a_skipped_pair_is_tried_again_once_its_file_changed(folders):
    path = folders / "two" / "s04.png"
    whole = path.read_bytes()
    corrupt(path)
    assert len(evaluate(folders, on_error="skip", out=folders / "run").skipped) == 1
    path.write_bytes(whole)
    assert evaluate(folders, on_error="skip", out=folders / "run").complete


def test_a_corrupt_truth_leaves_its_sample_out_for_all(folders):
    corrupt(folders / "gt" / "s04.png")
    run = evaluate(folders, on_error="skip")
    assert [(one.sample, one.method) for one in run.skipped] == [("s04", "one"), ("s04", "two")]
    assert all(str(folders / "gt" / "s04.png") in one.reason for one in run.skipped)
    assert {result["mae"].n_used for result in run.values()} == {11}


def test_a_file_that_vanishes_is_named(folders, monkeypatch):
    class Remove(Observer):
        def paired(self, pairs):
            (folders / "one" / "s06.png").unlink()

    run = evaluate(folders, on_error="skip", progress=Remove())
    assert [(one.sample, one.method) for one in run.skipped] == [("s06", "one")]
    assert "s06.png" in run.skipped[0].reason


def test_a_map_of_another_size_is_an_error_with_both_shapes(folders):
    write(folders / "one" / "s00.png", np.zeros((9, 6)))
    with pytest.raises(InputError) as caught:
        evaluate(folders)
    message = str(caught.value)
    assert message.startswith(f"{folders / 'one' / 's00.png'}: 9×6 (height×width) where the ground")
    assert "is 6×9" in message
    assert "transposed?" in message
    assert message.endswith("resize='bilinear' resizes the prediction)")
    run = evaluate(folders, on_error="skip")
    assert [(one.sample, one.method, one.reason) for one in run.skipped] == [
        ("s00", "one", message)
    ]
    assert (run["one"]["mae"].n_used, run["two"]["mae"].n_used) == (11, 12)
    write(folders / "one" / "s00.png", np.zeros((3, 3)))
    with pytest.raises(InputError) as caught:
        evaluate(folders)
    assert "transposed" not in str(caught.value)


def test_a_map_of_another_size_is_resized_if_asked_and_counted(tmp_path):
    write(tmp_path / "gt" / "a.png", [[0, 0, 255, 255]])
    write(tmp_path / "p" / "a.png", [[0, 100]])
    write(tmp_path / "gt" / "b.png", [[0, 255]])
    write(tmp_path / "p" / "b.png", [[0, 255]])
    preds = {"p": tmp_path / "p"}
    for _ in range(2):
        run = evaluate_folders(tmp_path / "gt", preds, metrics="mae", resize="bilinear",
                               stretch=False, out=tmp_path / "run")  # fmt: skip
        expected = (0 + 25 + (255 - 75) + (255 - 100)) / 255 / 4
        assert run["p"].per_image["mae"][0] == pytest.approx(expected, abs=1e-15)
        assert run.n_resized == {"p": 1}
    summary = json.loads((tmp_path / "run" / "summary.json").read_text())
    assert summary["methods"]["p"]["n_resized"] == 1
    assert summary["contract"]["conventions"]["resize"] == "bilinear"


def test_nan_in_a_map_names_the_file(tmp_path):
    write(tmp_path / "gt" / "a.png", [[0, 255]])
    (tmp_path / "p").mkdir()
    np.save(tmp_path / "p" / "a.npy", np.array([[0.5, np.nan]]))
    with pytest.raises(InputError, match=r"a\.npy: .*finite.*\(0, 1\)"):
        evaluate_folders(tmp_path / "gt", {"p": tmp_path / "p"})


def test_a_truth_of_zeros_and_ones_names_the_file(tmp_path):
    write(tmp_path / "gt" / "a.png", [[0, 1]])
    write(tmp_path / "p" / "a.png", [[0, 255]])
    with pytest.raises(InputError, match=r"gt/a\.png: .*gt_threshold=0"):
        evaluate_folders(tmp_path / "gt", {"p": tmp_path / "p"})
    run = evaluate_folders(tmp_path / "gt", {"p": tmp_path / "p"}, gt_threshold=0, metrics="mae")
    assert run["p"]["mae"].value == 0


def test_an_output_that_cannot_be_written_is_named(folders):
    (folders / "run" / "summary.json").mkdir(parents=True)
    with pytest.raises(InputError, match=r"summary\.json: cannot be replaced"):
        evaluate(folders, out=folders / "run")
    (folders / "run" / "summary.json").rmdir()
    (folders / "run" / ".curves.csv.part").mkdir()
    with pytest.raises(InputError, match=r"curves\.csv: cannot be written"):
        evaluate(folders, out=folders / "run")


def test_integers_of_scale_one_become_shares_when_resized(tmp_path):
    write(tmp_path / "gt" / "a.png", [[0, 0, 255, 255]])
    (tmp_path / "p").mkdir()
    for dtype in (np.uint8, np.int64, bool, np.float32):
        np.save(tmp_path / "p" / "a.npy", np.array([[0, 1]], dtype))
        run = evaluate_folders(tmp_path / "gt", {"p": tmp_path / "p"}, metrics="mae",
                               resize="bilinear", pred_scale=1)  # fmt: skip
        assert run["p"]["mae"].value == pytest.approx(0.125, abs=1e-15)


def test_an_unreadable_truth_keeps_its_class(folders):
    corrupt(folders / "gt" / "s04.png")
    with pytest.raises(FormatError, match=r"gt/s04\.png"):
        evaluate(folders)


def test_a_file_that_vanishes_stops_the_run_as_unreadable(folders):
    class Remove(Observer):
        def paired(self, pairs):
            (folders / "gt" / "s06.png").unlink()

    with pytest.raises(FormatError, match=r"gt/s06\.png: cannot be read \(No such file") as caught:
        evaluate(folders, progress=Remove())
    assert isinstance(caught.value.__cause__, FileNotFoundError)


def test_a_file_replaced_while_it_is_measured_is_told_from_the_one_that_was(folders, monkeypatch):
    """What the store keeps of a file is what the system said when its bytes were read."""
    path = folders / "one" / "s06.png"
    before = identity(path)
    read = io.read_map

    def replace(file):
        if Path(file) == path:
            write(path, np.zeros((40, 50)))
        return read(file)

    monkeypatch.setattr(io, "read_map", replace)
    evaluate(folders, out=folders / "run", workers=1)
    with RunStore(folders / "run", create=False) as store:
        assert store.sample("s06")["one"].prediction == before != identity(path)
    with pytest.raises(InputError, match=r"one/s06\.png has changed since it was measured"):
        evaluate(folders, out=folders / "run")
