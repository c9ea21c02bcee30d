"""Folder runs: values, files, choices, and the same bits for any number of workers."""

from __future__ import annotations

import csv
import json
import os

import numpy as np
import pytest

import fastsegmetrics as fsm
from fastsegmetrics.bulk.run import evaluate_folders
from fastsegmetrics.errors import FormatError, InputError
from fastsegmetrics.io.png_writer import png_bytes
from tests.bulk.benchmark import METHODS, OUTPUTS, corrupt, evaluate, maps_of, outputs, write


def test_values_are_those_of_an_evaluator_on_the_arrays(folders):
    run = evaluate(folders, workers=1)
    assert list(run) == ["one", "two"]
    assert len(run) == 2
    for method in METHODS:
        evaluator = fsm.Evaluator("sod,f_beta.curve")
        for i in range(12):
            truth, maps = maps_of(i, (6 + i % 3, 9 - i % 2))
            evaluator.update(maps[method].astype(np.uint8), truth, sample_id=f"s{i:02d}")
        expected = evaluator.result()
        assert run[method].aggregates == expected.aggregates
        np.testing.assert_array_equal(
            run[method].curves["f_beta.curve"], expected.curves["f_beta.curve"]
        )
        assert run[method].sample_ids == [f"s{i:02d}" for i in range(12)]
    assert run.complete
    assert repr(run) == "Run of 12 samples by one, two"
    assert run.samples == tuple(f"s{i:02d}" for i in range(12))
    assert run.directory is None


def test_a_value_by_hand(tmp_path):
    write(tmp_path / "gt" / "a.png", [[0, 255, 255, 0]])
    write(tmp_path / "p" / "a.png", [[51, 255, 204, 0]])
    run = evaluate_folders(tmp_path / "gt", {"p": tmp_path / "p"}, metrics="mae")
    assert run["p"]["mae"].value == pytest.approx(0.1, abs=1e-15)


@pytest.mark.parametrize("workers", [2, 7])
def test_workers_do_not_change_a_byte(folders, workers):
    evaluate(folders, workers=1, out=folders / "run1")
    evaluate(folders, workers=workers, out=folders / "run2")
    assert outputs(folders / "run1") == outputs(folders / "run2")


def test_the_store_does_not_change_a_value(folders):
    assert evaluate(folders)["one"].aggregates == (
        evaluate(folders, out=folders / "run")["one"].aggregates
    )


def test_files_of_a_run_directory(folders):
    run = evaluate(folders, out=folders / "run")
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
    evaluation = json.loads((folders / "run" / "evaluation.json").read_text())
    assert evaluation["aggregation"].startswith("raw value, mean over images")
    assert evaluation["tuned_on"] == "not stated"
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
    evaluate(folders, metrics="mae", out=folders / "run")
    assert (folders / "run" / "curves.csv").read_text() == "method,threshold\n"


def test_undefined_values_are_null_in_the_summary(tmp_path):
    write(tmp_path / "gt" / "a.png", [[0, 0]])
    write(tmp_path / "p" / "a.png", [[0, 0]])
    run = evaluate_folders(tmp_path / "gt", {"p": tmp_path / "p"}, metrics="f_beta.bin",
                           policy="strict", both_empty="undefined",
                           out=tmp_path / "run")  # fmt: skip
    assert np.isnan(run["p"]["f_beta.bin"].value)
    summary = json.loads((tmp_path / "run" / "summary.json").read_text())
    assert summary["methods"]["p"]["metrics"]["f_beta.bin"]["value"] is None
    assert summary["methods"]["p"]["metrics"]["f_beta.bin"]["n_undefined"] == 1


def test_names_with_prefix_suffix_and_folders(tmp_path):
    write(tmp_path / "gt" / "in" / "x_gt.png", [[0, 255]])
    write(tmp_path / "p" / "in" / "p_x.png", [[0, 255]])
    run = evaluate_folders(tmp_path / "gt", {"p": tmp_path / "p"}, metrics="mae",
                           gt_suffix="_gt", pred_prefix="p_")  # fmt: skip
    assert run["p"].sample_ids == ["in/x"]


def test_names_that_are_not_ascii(tmp_path):
    name = "Grüße_猫"
    write(tmp_path / "gt" / f"{name}.png", [[0, 255]])
    write(tmp_path / "p" / f"{name}.png", [[0, 255]])
    for _ in range(2):
        run = evaluate_folders(tmp_path / "gt", {"p": tmp_path / "p"}, metrics="mae",
                               out=tmp_path / "run")  # fmt: skip
        assert run["p"].sample_ids == [name]
    assert name in (tmp_path / "run" / "per_image.csv").read_text(encoding="utf-8")


def test_names_that_are_no_unicode(tmp_path):
    write(tmp_path / "gt" / "a.png", [[0, 255]])
    write(tmp_path / "p" / "a.png", [[0, 255]])
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
        ({"resize": "cubic"}, "resize must be 'error' or 'bilinear'; received 'cubic'"),
        ({"workers": 0}, "workers must be an integer of at least 1; received 0"),
        ({"metrics": "maee"}, "unknown metric 'maee'; did you mean mae"),
        ({"strech": False}, "unknown argument 'strech'; did you mean 'stretch'"),
        ({"backend": "gpu"}, "backend must be 'compiled' or 'reference'; received 'gpu'"),
    ],
)
def test_bad_choices(folders, choices, message):
    with pytest.raises(InputError, match=message):
        evaluate(folders, **choices)


@pytest.mark.parametrize(("preds", "kind"), [(["one"], "list"), ("one", "str")])
def test_predictions_without_names(folders, preds, kind):
    with pytest.raises(InputError, match=f"preds must be a mapping from .*; received a {kind}$"):
        evaluate_folders(folders / "gt", preds)


def test_no_method_at_all(folders):
    with pytest.raises(InputError, match="at least one method"):
        evaluate_folders(folders / "gt", {})


@pytest.mark.parametrize("name", [1, "", None])
def test_methods_without_a_name(folders, name):
    """In the store 1 would be "1", and the same call would find a method that it has not."""
    with pytest.raises(InputError, match=f"method by a string of its own; received {name!r}$"):
        evaluate_folders(folders / "gt", {name: folders / "one"})


def test_the_reference_backend_reaches_the_workers(folders, monkeypatch):
    compiled = evaluate(folders, workers=2)
    for family in fsm.Evaluator("sod,f_beta.curve").plan.families:
        monkeypatch.setattr(type(family), "measure", None)
    monkeypatch.setattr("fastsegmetrics.target.Target._compute_sums", _reference_sums)
    run = evaluate(folders, workers=2, backend="reference")
    with fsm.use_backend("reference"):
        within = evaluate(folders, workers=2)
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


@pytest.mark.parametrize("workers", [1, 2])
def test_a_truth_is_read_once_for_all_methods(folders, monkeypatch, workers):
    from fastsegmetrics import io

    reads = []
    read = io.read_mask
    monkeypatch.setattr(io, "read_mask", lambda path: reads.append(path.name) or read(path))
    evaluate(folders, metrics="mae", workers=workers)
    assert sorted(reads) == [f"s{i:02d}.png" for i in range(12)]


def test_workers_do_not_change_a_byte_of_pools_areas_and_curves(folders):
    for out, workers in (("run1", 1), ("run2", 3)):
        evaluate(folders, metrics="sweep,ms_iou", workers=workers, out=folders / out)
    assert outputs(folders / "run1") == outputs(folders / "run2")
    with open(folders / "run1" / "curves.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 2 * 257
    assert [row["threshold"] for row in rows[255:258]] == ["255", "256", "0"]
    assert rows[256]["ms_iou.curve:n_used"] == "12"
    assert (rows[256]["iou.curve"], rows[256]["iou.curve:n_used"]) == ("", "")
    assert rows[255]["iou.pooled_curve:n_used"] == "12"


def test_curves_tell_of_how_many_images_they_are(tmp_path):
    for name, truth in (("a", [[255, 255]]), ("b", [[0, 255]])):
        write(tmp_path / "gt" / f"{name}.png", truth)
        write(tmp_path / "p" / f"{name}.png", [[0, 255]])
    run = evaluate_folders(tmp_path / "gt", {"p": tmp_path / "p"}, metrics="specificity.curve",
                           out=tmp_path / "run", policy="strict")  # fmt: skip
    assert run["p"].curve_counts == {"specificity.curve": 1}
    summary = json.loads((tmp_path / "run" / "summary.json").read_text())
    assert summary["methods"]["p"]["curves"] == {"specificity.curve": {"n_used": 1}}
    with open(tmp_path / "run" / "curves.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    assert {row["specificity.curve:n_used"] for row in rows} == {"1"}


def test_what_waits_for_its_turn_is_small():
    truth = np.zeros((45, 60), bool)
    truth[8:30, 9:45] = True
    pred = np.random.RandomState(0).randint(0, 256, truth.shape).astype(np.uint8)
    for metrics, most in (("mae", 100), ("sod", 4_000), ("all", 100_000)):
        assert len(fsm.Evaluator(metrics).plan.measure(pred, truth).to_bytes()) < most


def test_outcomes_hold_bytes_and_no_pixels(folders):
    from fastsegmetrics.bulk.measure import Measurer, Outcome, Sample
    from fastsegmetrics.bulk.store import StoredPair
    from fastsegmetrics.bulk.sums import Sums

    corrupt(folders / "two" / "s00.png")
    preds = [(method, folders / method / "s00.png") for method in METHODS]
    sums = Sums({method: fsm.Evaluator("sod") for method in METHODS})
    measurer = Measurer(sums, stored=True, keep_errors=False)
    for row, error in measurer(Sample("s00", folders / "gt" / "s00.png", None, preds)):
        assert error is None
        assert {type(value) for value in row} <= {str, bool, bytes, type(None)}
    assert Outcome.__annotations__.keys() == {"row", "error"}
    assert isinstance(row, StoredPair)
