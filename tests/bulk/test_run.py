"""Folder runs: values, policies, messages, and the same bits however the work was divided."""

from __future__ import annotations

import csv
import json
import os

import numpy as np
import pytest

import fastsegmetrics as fsm
from fastsegmetrics.bulk.progress import Observer
from fastsegmetrics.bulk.run import (
    MissingPhotographsError,
    MissingPredictionsError,
    RunInterrupted,
    evaluate_folders,
)
from fastsegmetrics.errors import FormatError, InputError
from fastsegmetrics.io.png_writer import png_bytes

METHODS = ("one", "two")
OUTPUTS = ("summary.json", "contract.json", "per_image.csv", "curves.csv")


def _maps(seed, shape=(6, 9)):
    random = np.random.RandomState(seed)
    truth = (random.randint(0, 3, shape) == 0).astype(np.uint8) * 255
    return truth, {
        "one": np.clip(truth.astype(int) * 3 // 4 + random.randint(0, 60, shape), 0, 255),
        "two": random.randint(0, 256, shape),
    }


def _write(path, values):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(png_bytes(np.asarray(values).astype(np.uint8)))


@pytest.fixture
def folders(tmp_path):
    """Twelve samples of two methods; shapes differ from sample to sample."""
    for i in range(12):
        truth, maps = _maps(i, (6 + i % 3, 9 - i % 2))
        _write(tmp_path / "gt" / f"s{i:02d}.png", truth)
        for method, values in maps.items():
            _write(tmp_path / method / f"s{i:02d}.png", values)
    return tmp_path


def _evaluate(folders, **choices):
    preds = {method: folders / method for method in METHODS}
    return evaluate_folders(folders / "gt", preds, **{"metrics": "sod,f_beta.curve", **choices})


def _outputs(directory):
    return {name: (directory / name).read_bytes() for name in OUTPUTS}


class _StopAfter(Observer):
    def __init__(self, n, error=KeyboardInterrupt):
        self.n, self.error = n, error

    def advanced(self, done, skipped):
        if done == self.n:
            raise self.error


def test_values_are_those_of_an_evaluator_on_the_arrays(folders):
    run = _evaluate(folders, workers=1)
    assert list(run) == ["one", "two"]
    assert len(run) == 2
    for method in METHODS:
        evaluator = fsm.Evaluator("sod,f_beta.curve")
        for i in range(12):
            truth, maps = _maps(i, (6 + i % 3, 9 - i % 2))
            evaluator.update(maps[method].astype(np.uint8), truth, sample_id=f"s{i:02d}")
        expected = evaluator.result()
        assert run[method].aggregates == expected.aggregates
        np.testing.assert_array_equal(
            run[method].curves["f_beta.curve"], expected.curves["f_beta.curve"]
        )
        assert run[method].sample_ids == [f"s{i:02d}" for i in range(12)]
    assert run.complete
    assert run.samples == tuple(f"s{i:02d}" for i in range(12))
    assert run.directory is None


def test_a_value_by_hand(tmp_path):
    _write(tmp_path / "gt" / "a.png", [[0, 255, 255, 0]])
    _write(tmp_path / "p" / "a.png", [[51, 255, 204, 0]])
    run = evaluate_folders(tmp_path / "gt", {"p": tmp_path / "p"}, metrics="mae")
    assert run["p"]["mae"].value == pytest.approx(0.1, abs=1e-15)


@pytest.mark.parametrize("workers", [2, 7])
def test_workers_do_not_change_a_byte(folders, workers):
    _evaluate(folders, workers=1, out=folders / "run1")
    _evaluate(folders, workers=workers, out=folders / "run2")
    assert _outputs(folders / "run1") == _outputs(folders / "run2")


def test_the_store_does_not_change_a_value(folders):
    assert _evaluate(folders)["one"].aggregates == (
        _evaluate(folders, out=folders / "run")["one"].aggregates
    )


def test_files_of_a_run_directory(folders):
    run = _evaluate(folders, out=folders / "run")
    assert {path.name for path in (folders / "run").iterdir()} == {*OUTPUTS, "run.sqlite"}
    summary = json.loads((folders / "run" / "summary.json").read_text())
    assert summary["n_samples"] == 12
    assert summary["methods"]["one"]["metrics"]["mae"] == {
        "value": run["one"]["mae"].value,
        "n_expected": 12,
        "n_used": 12,
        "n_undefined": 0,
        "n_infinite": 0,
        "direction": "lower",
    }
    assert summary["methods"]["two"]["skipped"] == {}
    contract = json.loads((folders / "run" / "contract.json").read_text())
    assert contract["conventions"]["stretch"] is True
    assert contract["hash"] == summary["contract_hash"] == run.contract.hash
    with open(folders / "run" / "per_image.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [(row["method"], row["sample"]) for row in rows[::12]] == [
        ("one", "s00"),
        ("two", "s00"),
    ]
    assert [float(row["mae"]) for row in rows[:12]] == run["one"].per_image["mae"].tolist()
    with open(folders / "run" / "curves.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 512
    assert {row["f_beta.curve:n_used"] for row in rows} == {"12"}
    assert [int(row["threshold"]) for row in rows[:256]] == list(range(256))
    assert float(rows[300]["f_beta.curve"]) == run["two"].curves["f_beta.curve"][44]


def test_files_without_curves(folders):
    _evaluate(folders, metrics="mae", out=folders / "run")
    assert (folders / "run" / "curves.csv").read_text() == "method,threshold\n"


@pytest.mark.parametrize("stop_after", [1, 5, 11])
@pytest.mark.parametrize("workers", [1, 2])
def test_an_interrupted_run_continues_to_the_same_bytes(folders, stop_after, workers):
    _evaluate(folders, workers=1, out=folders / "whole")
    with pytest.raises(RunInterrupted) as caught:
        _evaluate(folders, workers=workers, out=folders / "cut", progress=_StopAfter(stop_after))
    assert (caught.value.done, caught.value.total) == (stop_after, 12)
    assert caught.value.directory == folders / "cut"
    assert not (folders / "cut" / "summary.json").exists()
    _evaluate(folders, workers=workers, out=folders / "cut")
    assert _outputs(folders / "whole") == _outputs(folders / "cut")


def test_any_other_exception_keeps_what_is_done(folders):
    with pytest.raises(ZeroDivisionError):
        _evaluate(folders, out=folders / "run", progress=_StopAfter(4, ZeroDivisionError))
    seen = []

    class Look(Observer):
        def started(self, total, kept):
            seen.append((total, kept))

    _evaluate(folders, out=folders / "run", progress=Look())
    assert seen == [(12, 4)]


def test_only_what_is_missing_is_measured(folders, monkeypatch):
    _evaluate(folders, out=folders / "run")
    before = {path: path.stat().st_mtime_ns for path in (folders / "run").iterdir()}
    first = _outputs(folders / "run")

    def refuse(*_, **__):
        raise AssertionError("measured again")

    monkeypatch.setattr("fastsegmetrics.plan.Plan.measure", refuse)
    run = _evaluate(folders, out=folders / "run")
    assert run["one"]["mae"].n_used == 12
    assert _outputs(folders / "run") == first
    assert {path: path.stat().st_mtime_ns for path in (folders / "run").iterdir()} == before


def test_a_method_and_samples_may_be_added_to_a_run(folders):
    evaluate_folders(folders / "gt", {"one": folders / "one"}, metrics="sod,f_beta.curve",
                     out=folders / "grown")  # fmt: skip
    truth, maps = _maps(99)
    _write(folders / "gt" / "new.png", truth)
    for method in METHODS:
        _write(folders / method / "new.png", maps[method])
    _evaluate(folders, out=folders / "grown")
    _evaluate(folders, out=folders / "fresh")
    assert _outputs(folders / "grown") == _outputs(folders / "fresh")


def test_the_summary_is_gone_while_a_finished_run_is_added_to(folders):
    _evaluate(folders, out=folders / "run")
    truth, maps = _maps(99)
    _write(folders / "gt" / "s05b.png", truth)
    for method in METHODS:
        _write(folders / method / "s05b.png", maps[method])
    with pytest.raises(RunInterrupted):
        _evaluate(folders, out=folders / "run", progress=_StopAfter(9))
    assert not (folders / "run" / "summary.json").exists()


@pytest.mark.parametrize(
    ("choices", "message"),
    [
        ({"stretch": False}, r"holds a run with conventions\.stretch = True, now it is False"),
        ({"beta2": 1.0}, r"holds a run with conventions\.beta2 = 0\.3, now it is 1\.0"),
        ({"metrics": "sod"}, r"with metrics\.f_beta\.curve = present, now it is absent"),
        (
            {"metrics": "f_beta.curve,sod"},
            r"with order of metrics = 'mae, .*', now it is 'f_beta\.c",
        ),
        ({"resize": "bilinear"}, r"conventions\.resize = 'error', now it is 'bilinear'"),
    ],
)
def test_another_contract_is_refused_and_the_difference_named(folders, choices, message):
    _evaluate(folders, out=folders / "run")
    before = _outputs(folders / "run")
    with pytest.raises(InputError, match=message) as caught:
        _evaluate(folders, out=folders / "run", **choices)
    assert len(str(caught.value)) < len(str(folders)) + 400
    assert _outputs(folders / "run") == before


@pytest.mark.parametrize("folder", ["gt", "one"])
def test_a_changed_file_is_refused(folders, folder):
    _evaluate(folders, out=folders / "run")
    path = folders / folder / "s03.png"
    os.utime(path, (1, 1))
    role = {"gt": "the ground truth", "one": "the prediction of 'one'"}[folder]
    with pytest.raises(InputError) as caught:
        _evaluate(folders, out=folders / "run")
    message = str(caught.value)
    assert message.startswith(
        f"{folders / 'run'}: {role} {path} has changed since it was measured: it was last written 2"
    )
    assert message.endswith(
        ", now 1970-01-01 00:00:01.000000000 UTC; put the measured one back, or take another run "
        "directory"
    )
    path.write_bytes(path.read_bytes() + b"x")
    size = path.stat().st_size
    with pytest.raises(InputError, match=rf"measured: it had {size - 1} bytes, now {size}; put"):
        _evaluate(folders, out=folders / "run")


def test_a_measured_prediction_that_is_gone_is_told(folders):
    _evaluate(folders, out=folders / "run", missing="skip")
    (folders / "one" / "s03.png").unlink()
    with pytest.raises(InputError) as caught:
        _evaluate(folders, out=folders / "run", missing="skip")
    assert str(caught.value) == (
        f"{folders / 'run'}: the prediction of 'one' sample 's03' is gone since it was measured; "
        f"put the measured one back, or take another run directory"
    )


def test_another_name_of_the_same_sample_is_told(folders):
    _evaluate(folders, out=folders / "run")
    (folders / "one" / "s03.png").rename(folders / "one" / "s03.PNG")
    with pytest.raises(InputError, match=r"s03\.PNG has changed .*: it was s03\.png; put"):
        _evaluate(folders, out=folders / "run")


def test_a_moved_benchmark_continues(folders, tmp_path):
    with pytest.raises(RunInterrupted):
        _evaluate(folders, out=folders / "run", progress=_StopAfter(4))
    (tmp_path / "moved").mkdir()
    for name in ("gt", *METHODS):
        (folders / name).rename(tmp_path / "moved" / name)
    run = evaluate_folders(
        tmp_path / "moved" / "gt",
        {method: tmp_path / "moved" / method for method in METHODS},
        metrics="sod,f_beta.curve",
        out=folders / "run",
    )
    assert run["one"]["mae"].n_used == 12


def test_a_method_of_the_store_must_be_named_again(folders):
    _evaluate(folders, out=folders / "run")
    with pytest.raises(InputError, match="the method 'two', which is not among the predictions"):
        evaluate_folders(folders / "gt", {"one": folders / "one"}, metrics="sod,f_beta.curve",
                         out=folders / "run")  # fmt: skip


def test_missing_predictions_stop_before_anything_is_computed(folders, monkeypatch):
    (folders / "two" / "s02.png").unlink()
    (folders / "two" / "s07.png").unlink()
    monkeypatch.setattr("fastsegmetrics.plan.Plan.measure", None)
    with pytest.raises(MissingPredictionsError, match=r"2 predictions are missing \(two: s02") as e:
        _evaluate(folders, out=folders / "run")
    assert e.value.missing == {"two": ["s02", "s07"]}
    assert not (folders / "run").exists()


def test_missing_predictions_are_left_out_and_counted(folders):
    (folders / "two" / "s02.png").unlink()
    run = _evaluate(folders, missing="skip", out=folders / "run")
    assert (run["one"]["mae"].n_used, run["one"]["mae"].n_expected) == (12, 12)
    assert (run["two"]["mae"].n_used, run["two"]["mae"].n_expected) == (11, 12)
    assert run.missing == {"one": [], "two": ["s02"]}
    assert not run.complete
    summary = json.loads((folders / "run" / "summary.json").read_text())
    assert summary["methods"]["two"]["missing"] == ["s02"]


def test_missing_predictions_are_black_maps_if_asked(folders):
    truth, maps = _maps(2, (8, 9))
    (folders / "two" / "s02.png").unlink()
    run = _evaluate(folders, missing="zero", out=folders / "run")
    assert run.complete
    assert run["two"]["mae"].n_used == 12
    assert run["two"].per_image["mae"][2] == (truth == 255).mean()
    assert run.contract.conventions["missing"] == "zero"
    _evaluate(folders, missing="zero", out=folders / "run")
    _write(folders / "two" / "s02.png", maps["two"])
    with pytest.raises(InputError, match=r"s02\.png was missing when an all-zero map was measured"):
        _evaluate(folders, missing="zero", out=folders / "run")


def test_extra_predictions_are_told_and_harmless(folders):
    _write(folders / "one" / "extra.png", [[1, 2]])
    run = _evaluate(folders)
    assert run.extra == {"one": ["extra"], "two": []}
    assert run.complete


def _corrupt(path):
    path.write_bytes(path.read_bytes()[:-20])


def test_a_corrupt_prediction_stops_the_run_and_keeps_the_rest(folders):
    path = folders / "two" / "s04.png"
    whole = path.read_bytes()
    times = path.stat()
    _evaluate(folders, out=folders / "whole")
    _corrupt(path)
    with pytest.raises(FormatError) as caught:
        _evaluate(folders, workers=1, out=folders / "run")
    assert isinstance(caught.value.__cause__, FormatError)
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)
    path.write_bytes(whole)
    os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))
    kept = []

    class Look(Observer):
        def started(self, total, kept_now):
            kept.append(kept_now)

    _evaluate(folders, out=folders / "run", progress=Look())
    # The five up to the damaged one, and what was in flight behind them.
    assert 5 <= kept[0] <= 12
    assert _outputs(folders / "run") == _outputs(folders / "whole")


def test_the_first_error_in_order_is_told_whatever_the_workers(folders):
    for name in ("s03", "s04", "s09"):
        _corrupt(folders / "one" / f"{name}.png")
    for workers in (1, 2, 7):
        with pytest.raises(FormatError, match=r"one/s03\.png"):
            _evaluate(folders, workers=workers)


def test_a_corrupt_prediction_is_left_out_if_asked(folders):
    _corrupt(folders / "two" / "s04.png")
    run = _evaluate(folders, on_error="skip", out=folders / "run")
    assert [(one.sample, one.method) for one in run.skipped] == [("s04", "two")]
    assert str(folders / "two" / "s04.png") in run.skipped[0].reason
    assert run["one"]["mae"].n_used == 12
    assert (run["two"]["mae"].n_used, run["two"]["mae"].n_expected) == (11, 12)
    assert not run.complete
    first = _outputs(folders / "run")
    again = _evaluate(folders, on_error="skip", out=folders / "run")
    assert again.skipped == run.skipped
    assert _outputs(folders / "run") == first
    with pytest.raises(FormatError, match=r"two/s04\.png"):
        _evaluate(folders, on_error="stop", out=folders / "run")


def test_a_skipped_pair_is_tried_again_once_its_file_changed(folders):
    path = folders / "two" / "s04.png"
    whole = path.read_bytes()
    _corrupt(path)
    assert len(_evaluate(folders, on_error="skip", out=folders / "run").skipped) == 1
    path.write_bytes(whole)
    assert _evaluate(folders, on_error="skip", out=folders / "run").complete


def test_a_corrupt_truth_leaves_its_sample_out_for_all(folders):
    _corrupt(folders / "gt" / "s04.png")
    run = _evaluate(folders, on_error="skip")
    assert [(one.sample, one.method) for one in run.skipped] == [("s04", "one"), ("s04", "two")]
    assert all(str(folders / "gt" / "s04.png") in one.reason for one in run.skipped)
    assert {result["mae"].n_used for result in run.values()} == {11}


def test_a_file_that_vanishes_is_named(folders, monkeypatch):
    class Remove(Observer):
        def paired(self, pairs):
            (folders / "one" / "s06.png").unlink()

    run = _evaluate(folders, on_error="skip", progress=Remove())
    assert [(one.sample, one.method) for one in run.skipped] == [("s06", "one")]
    assert "s06.png" in run.skipped[0].reason


def test_a_map_of_another_size_is_an_error_with_both_shapes(folders):
    _write(folders / "one" / "s00.png", np.zeros((9, 6)))
    with pytest.raises(InputError) as caught:
        _evaluate(folders)
    message = str(caught.value)
    assert message.startswith(f"{folders / 'one' / 's00.png'}: 9×6 (height×width) where the ground")
    assert "is 6×9" in message
    assert "transposed?" in message
    assert message.endswith("resize='bilinear' resizes the prediction)")
    run = _evaluate(folders, on_error="skip")
    assert [(one.sample, one.method, one.reason) for one in run.skipped] == [
        ("s00", "one", message)
    ]
    assert (run["one"]["mae"].n_used, run["two"]["mae"].n_used) == (11, 12)
    _write(folders / "one" / "s00.png", np.zeros((3, 3)))
    with pytest.raises(InputError) as caught:
        _evaluate(folders)
    assert "transposed" not in str(caught.value)


def test_a_map_of_another_size_is_resized_if_asked_and_counted(tmp_path):
    _write(tmp_path / "gt" / "a.png", [[0, 0, 255, 255]])
    _write(tmp_path / "p" / "a.png", [[0, 100]])
    _write(tmp_path / "gt" / "b.png", [[0, 255]])
    _write(tmp_path / "p" / "b.png", [[0, 255]])
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
    _write(tmp_path / "gt" / "a.png", [[0, 255]])
    (tmp_path / "p").mkdir()
    np.save(tmp_path / "p" / "a.npy", np.array([[0.5, np.nan]]))
    with pytest.raises(InputError, match=r"a\.npy: .*finite.*\(0, 1\)"):
        evaluate_folders(tmp_path / "gt", {"p": tmp_path / "p"})


def test_a_truth_of_zeros_and_ones_names_the_file(tmp_path):
    _write(tmp_path / "gt" / "a.png", [[0, 1]])
    _write(tmp_path / "p" / "a.png", [[0, 255]])
    with pytest.raises(InputError, match=r"gt/a\.png: .*gt_threshold=0"):
        evaluate_folders(tmp_path / "gt", {"p": tmp_path / "p"})
    run = evaluate_folders(tmp_path / "gt", {"p": tmp_path / "p"}, gt_threshold=0, metrics="mae")
    assert run["p"]["mae"].value == 0


def test_undefined_values_are_null_in_the_summary(tmp_path):
    _write(tmp_path / "gt" / "a.png", [[0, 0]])
    _write(tmp_path / "p" / "a.png", [[0, 0]])
    run = evaluate_folders(tmp_path / "gt", {"p": tmp_path / "p"}, metrics="f_beta.bin",
                           policy="strict", both_empty="undefined",
                           out=tmp_path / "run")  # fmt: skip
    assert np.isnan(run["p"]["f_beta.bin"].value)
    summary = json.loads((tmp_path / "run" / "summary.json").read_text())
    assert summary["methods"]["p"]["metrics"]["f_beta.bin"]["value"] is None
    assert summary["methods"]["p"]["metrics"]["f_beta.bin"]["n_undefined"] == 1


def test_names_with_prefix_suffix_and_folders(tmp_path):
    _write(tmp_path / "gt" / "in" / "x_gt.png", [[0, 255]])
    _write(tmp_path / "p" / "in" / "p_x.png", [[0, 255]])
    run = evaluate_folders(tmp_path / "gt", {"p": tmp_path / "p"}, metrics="mae",
                           gt_suffix="_gt", pred_prefix="p_")  # fmt: skip
    assert run["p"].sample_ids == ["in/x"]


def test_names_that_are_not_ascii(tmp_path):
    name = "Grüße_猫"
    _write(tmp_path / "gt" / f"{name}.png", [[0, 255]])
    _write(tmp_path / "p" / f"{name}.png", [[0, 255]])
    for _ in range(2):
        run = evaluate_folders(tmp_path / "gt", {"p": tmp_path / "p"}, metrics="mae",
                               out=tmp_path / "run")  # fmt: skip
        assert run["p"].sample_ids == [name]
    assert name in (tmp_path / "run" / "per_image.csv").read_text(encoding="utf-8")


def test_names_that_are_no_unicode(tmp_path):
    _write(tmp_path / "gt" / "a.png", [[0, 255]])
    _write(tmp_path / "p" / "a.png", [[0, 255]])
    try:
        for folder in ("gt", "p"):
            source = os.fsencode(tmp_path / folder / "a.png")
            os.rename(source, source.replace(b"a.png", b"\xff.png"))
    except OSError:
        pytest.skip("the file system takes only Unicode names")
    run = evaluate_folders(tmp_path / "gt", {"p": tmp_path / "p"}, metrics="mae",
                           out=tmp_path / "run")  # fmt: skip
    assert run["p"]["mae"].n_used == 1
    (tmp_path / "gt" / "b.png").write_bytes(png_bytes(np.zeros((1, 2), np.uint8)))
    with open(os.fsencode(tmp_path / "p" / "b.png"), "wb") as file:
        file.write(b"no image")
    with pytest.raises(FormatError, match=r"p/b\.png"):
        evaluate_folders(tmp_path / "gt", {"p": tmp_path / "p"}, metrics="mae",
                         out=tmp_path / "run")  # fmt: skip


@pytest.mark.parametrize(
    ("choices", "message"),
    [
        ({"on_error": "ignore"}, "on_error must be 'stop' or 'skip'; received 'ignore'"),
        ({"missing": "ignore"}, "missing must be one of"),
        ({"resize": "cubic"}, "resize must be one of"),
        ({"workers": 0}, "workers must be an integer of at least 1; received 0"),
        ({"metrics": "maee"}, "unknown metric 'maee'; did you mean mae"),
        ({"strech": False}, "unknown argument 'strech'; did you mean 'stretch'"),
        ({"backend": "gpu"}, "backend must be 'compiled' or 'reference'; received 'gpu'"),
    ],
)
def test_bad_choices(folders, choices, message):
    with pytest.raises(InputError, match=message):
        _evaluate(folders, **choices)


@pytest.mark.parametrize(("preds", "kind"), [(["one"], "list"), ("one", "str")])
def test_predictions_without_names(folders, preds, kind):
    with pytest.raises(InputError, match=f"preds must be a mapping from .*; received a {kind}$"):
        evaluate_folders(folders / "gt", preds)


def test_another_backend_is_refused(folders):
    _evaluate(folders, metrics="mae", out=folders / "run")
    before = _outputs(folders / "run")
    message = r"holds a run with backend = 'compiled', now it is 'reference'; take another run dir"
    with pytest.raises(InputError, match=message):
        _evaluate(folders, metrics="mae", out=folders / "run", backend="reference")
    with fsm.use_backend("reference"), pytest.raises(InputError, match=message):
        _evaluate(folders, metrics="mae", out=folders / "run")
    assert _outputs(folders / "run") == before
    _evaluate(folders, metrics="mae", out=folders / "run", backend="compiled")


def test_no_method_at_all(folders):
    with pytest.raises(InputError, match="at least one method"):
        evaluate_folders(folders / "gt", {})


def test_the_reference_backend_reaches_the_workers(folders, monkeypatch):
    compiled = _evaluate(folders, workers=2)
    for family in fsm.Evaluator("sod,f_beta.curve").plan.families:
        monkeypatch.setattr(type(family), "measure", None)
    monkeypatch.setattr("fastsegmetrics.target.Target._compute_sums", _reference_sums)
    run = _evaluate(folders, workers=2, backend="reference")
    with fsm.use_backend("reference"):
        within = _evaluate(folders, workers=2)
    for method in METHODS:
        for name, aggregate in run[method].aggregates.items():
            assert aggregate.value == pytest.approx(compiled[method][name].value, rel=1e-12)
            assert within[method][name] == aggregate


def _reference_sums(target):
    from fastsegmetrics import backend
    from fastsegmetrics.reference import levels
    from fastsegmetrics.target import _Sums

    assert backend.resolve() == "reference"
    return _Sums(*levels.mask_sums(target.mask))


def test_an_output_that_cannot_be_written_is_named(folders):
    (folders / "run" / "summary.json").mkdir(parents=True)
    with pytest.raises(InputError, match=r"summary\.json: cannot be replaced"):
        _evaluate(folders, out=folders / "run")
    (folders / "run" / "summary.json").rmdir()
    (folders / "run" / ".curves.csv.part").mkdir()
    with pytest.raises(InputError, match=r"curves\.csv: cannot be written"):
        _evaluate(folders, out=folders / "run")


@pytest.mark.parametrize("workers", [1, 2])
def test_a_truth_is_read_once_for_all_methods(folders, monkeypatch, workers):
    from fastsegmetrics import io

    reads = []
    read = io.read_mask
    monkeypatch.setattr(io, "read_mask", lambda path: reads.append(path.name) or read(path))
    _evaluate(folders, metrics="mae", workers=workers)
    assert sorted(reads) == [f"s{i:02d}.png" for i in range(12)]


def test_workers_do_not_change_a_byte_of_pools_areas_and_curves(folders):
    for out, workers in (("run1", 1), ("run2", 3)):
        _evaluate(folders, metrics="sweep,ms_iou", workers=workers, out=folders / out)
    assert _outputs(folders / "run1") == _outputs(folders / "run2")
    with open(folders / "run1" / "curves.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 2 * 257
    assert [row["threshold"] for row in rows[255:258]] == ["255", "256", "0"]
    assert rows[256]["ms_iou.curve:n_used"] == "12"
    assert (rows[256]["iou.curve"], rows[256]["iou.curve:n_used"]) == ("", "")
    assert rows[255]["iou.pooled_curve:n_used"] == "12"


def test_curves_tell_of_how_many_images_they_are(tmp_path):
    for name, truth in (("a", [[255, 255]]), ("b", [[0, 255]])):
        _write(tmp_path / "gt" / f"{name}.png", truth)
        _write(tmp_path / "p" / f"{name}.png", [[0, 255]])
    run = evaluate_folders(tmp_path / "gt", {"p": tmp_path / "p"}, metrics="specificity.curve",
                           out=tmp_path / "run", policy="strict")  # fmt: skip
    assert run["p"].curve_counts == {"specificity.curve": 1}
    summary = json.loads((tmp_path / "run" / "summary.json").read_text())
    assert summary["methods"]["p"]["curves"] == {"specificity.curve": {"n_used": 1}}
    with open(tmp_path / "run" / "curves.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    assert {row["specificity.curve:n_used"] for row in rows} == {"1"}


def test_integers_of_scale_one_become_shares_when_resized(tmp_path):
    _write(tmp_path / "gt" / "a.png", [[0, 0, 255, 255]])
    (tmp_path / "p").mkdir()
    for dtype in (np.uint8, np.int64, bool, np.float32):
        np.save(tmp_path / "p" / "a.npy", np.array([[0, 1]], dtype))
        run = evaluate_folders(tmp_path / "gt", {"p": tmp_path / "p"}, metrics="mae",
                               resize="bilinear", pred_scale=1)  # fmt: skip
        assert run["p"]["mae"].value == pytest.approx(0.125, abs=1e-15)


def test_an_unreadable_truth_keeps_its_class(folders):
    _corrupt(folders / "gt" / "s04.png")
    with pytest.raises(FormatError, match=r"gt/s04\.png"):
        _evaluate(folders)


def test_a_file_that_vanishes_stops_the_run_as_unreadable(folders):
    class Remove(Observer):
        def paired(self, pairs):
            (folders / "gt" / "s06.png").unlink()

    with pytest.raises(FormatError, match=r"gt/s06\.png: cannot be read \(No such file") as caught:
        _evaluate(folders, progress=Remove())
    assert isinstance(caught.value.__cause__, FileNotFoundError)


def test_what_waits_for_its_turn_is_small():
    truth = np.zeros((45, 60), bool)
    truth[8:30, 9:45] = True
    pred = np.random.RandomState(0).randint(0, 256, truth.shape).astype(np.uint8)
    for metrics, most in (("mae", 100), ("sod", 4_000), ("all", 100_000)):
        assert len(fsm.Evaluator(metrics).plan.measure(pred, truth).to_bytes()) < most


def test_outcomes_hold_bytes_and_no_pixels(folders):
    from fastsegmetrics.bulk.measure import Measurer, Outcome, Sample
    from fastsegmetrics.bulk.store import StoredPair

    _corrupt(folders / "two" / "s00.png")
    preds = [(method, folders / method / "s00.png") for method in METHODS]
    measurer = Measurer(fsm.Evaluator("sod").plan, backend="compiled", keep_errors=False)
    for row, error in measurer(Sample("s00", folders / "gt" / "s00.png", None, preds)):
        assert error is None
        assert {type(value) for value in row} <= {str, bool, bytes, type(None)}
    assert Outcome.__annotations__.keys() == {"row", "error"}
    assert isinstance(row, StoredPair)


# --- Photographs


@pytest.fixture
def photographs(folders):
    for i in range(12):
        shape = (6 + i % 3, 9 - i % 2, 3)
        image = np.random.RandomState(i).randint(0, 256, shape).astype(np.uint8)
        (folders / "rgb").mkdir(exist_ok=True)
        np.save(folders / "rgb" / f"s{i:02d}.npy", image)
    return folders


def test_photographs_reach_the_metrics_once_each(photographs, monkeypatch):
    from fastsegmetrics import io

    reads = []
    read = io.read_image
    monkeypatch.setattr(io, "read_image", lambda path: reads.append(path.name) or read(path))
    run = _evaluate(photographs, metrics="c_beta_w,mae", image=photographs / "rgb", workers=2)
    assert sorted(reads) == [f"s{i:02d}.npy" for i in range(12)]
    for method in METHODS:
        evaluator = fsm.Evaluator("c_beta_w,mae")
        for i in range(12):
            truth, maps = _maps(i, (6 + i % 3, 9 - i % 2))
            image = np.load(photographs / "rgb" / f"s{i:02d}.npy")
            pred = maps[method].astype(np.uint8)
            evaluator.update(pred, truth, image=image, sample_id=f"s{i:02d}")
        np.testing.assert_equal(
            run[method].per_image["c_beta_w"], evaluator.result().per_image["c_beta_w"]
        )
        assert np.isfinite(run[method]["c_beta_w"].value)


def test_photographs_are_not_opened_where_no_metric_looks_at_them(folders):
    assert _evaluate(folders, metrics="mae", image=folders / "none").complete


def test_without_photographs(photographs):
    with pytest.raises(InputError, match=r"c_beta_w looks at the photographs: .*, image='DIR'"):
        _evaluate(photographs, metrics="mae,c_beta_w")
    (photographs / "rgb" / "s03.npy").unlink()
    (photographs / "rgb" / "s05.npy").unlink()
    for missing in ("error", "skip", "zero"):
        with pytest.raises(MissingPhotographsError) as caught:
            _evaluate(photographs, metrics="c_beta_w", image=photographs / "rgb", missing=missing,
                      out=photographs / "run")  # fmt: skip
        assert caught.value.missing == ["s03", "s05"]
        assert str(caught.value) == (
            f"{photographs / 'rgb'}: 2 photographs are missing (s03 and 1 more)"
        )
    assert not (photographs / "run").exists()


def test_names_of_photographs(photographs):
    for path in (photographs / "rgb").iterdir():
        path.rename(path.with_name(f"p_{path.stem}_rgb.npy"))
    run = _evaluate(photographs, metrics="c_beta_w", image=photographs / "rgb",
                    image_prefix="p_", image_suffix="_rgb")  # fmt: skip
    assert run.complete


def test_a_photograph_of_another_size_or_kind_is_named(photographs):
    path = photographs / "rgb" / "s03.npy"
    np.save(path, np.zeros((4, 4, 3), np.uint8))
    with pytest.raises(InputError) as caught:
        _evaluate(photographs, metrics="c_beta_w", image=photographs / "rgb")
    assert str(caught.value) == (
        f"{path}: 4×4 (height×width) where the ground truth {photographs / 'gt' / 's03.png'} is 6×8"
    )
    np.save(path, np.zeros((6, 8, 3), np.uint16))
    with pytest.raises(FormatError, match=r"rgb/s03\.npy: a photograph must have 8-bit samples"):
        _evaluate(photographs, metrics="c_beta_w", image=photographs / "rgb")
    run = _evaluate(photographs, metrics="c_beta_w", image=photographs / "rgb", on_error="skip")
    assert [(one.sample, one.method) for one in run.skipped] == [("s03", "one"), ("s03", "two")]


def test_a_changed_photograph_is_refused(photographs):
    choices = {"metrics": "c_beta_w", "image": photographs / "rgb", "out": photographs / "run"}
    _evaluate(photographs, **choices)
    before = _outputs(photographs / "run")
    _evaluate(photographs, **choices)
    assert _outputs(photographs / "run") == before
    path = photographs / "rgb" / "s07.npy"
    os.utime(path, (1, 1))
    with pytest.raises(InputError) as caught:
        _evaluate(photographs, **choices)
    assert f"run: the photograph {path} has changed since it was measured" in str(caught.value)
    path.unlink()
    with pytest.raises(MissingPhotographsError):
        _evaluate(photographs, **choices)
