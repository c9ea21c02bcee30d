"""The difficulty's heat maps: values, names, resuming, files at fault, places that are refused."""

from __future__ import annotations

import os

import numpy as np
import pytest

from fastsegmetrics import represent
from fastsegmetrics.bulk.heat_maps import KINDS, HeatMaps, grey_of
from fastsegmetrics.bulk.run import RunInterrupted, evaluate_folders
from fastsegmetrics.conventions import Conventions
from fastsegmetrics.errors import FormatError, InputError
from fastsegmetrics.io import read_map
from fastsegmetrics.statistics.difficulty import difficulty_maps
from fastsegmetrics.target import Target
from tests.bulk.benchmark import StopAfter, corrupt, write

# The worked example of the weights (tests/statistics/test_difficulty.py).
TRUTH = np.zeros((16, 16), bool)
TRUTH[5:11, 5:11] = True
GREY = np.full((16, 16), 100, np.uint8)
GREY[:, 8:] = 60
GREY[TRUTH] = 110
PHOTO = np.repeat(GREY[:, :, None], 3, axis=2)
METHODS = ("one", "two")
SAMPLES = ("a", "in/b", "in/c.d")


@pytest.fixture
def folders(tmp_path):
    """Three samples of 16×16, 17×16 and 16×18, the first the worked example."""
    for i, name in enumerate(SAMPLES):
        pads = ((0, i % 2), (0, i - i % 2))
        truth = np.pad(TRUTH, pads) * 255
        write(tmp_path / "gt" / f"{name}.png", truth)
        write(tmp_path / "one" / f"{name}.png", np.roll(truth, 1, axis=1))
        write(tmp_path / "two" / f"{name}.png", np.roll(truth, 2, axis=0) // 2)
        (tmp_path / "rgb" / name).parent.mkdir(parents=True, exist_ok=True)
        np.save(tmp_path / "rgb" / f"{name}.npy", np.pad(PHOTO, (*pads, (0, 0)), mode="edge"))
    return tmp_path


def evaluate(folders, **choices):
    preds = {method: folders / method for method in METHODS}
    given = {"metrics": "mae,difficulty", "image": folders / "rgb", "out": folders / "run",
             "difficulty_maps": True}  # fmt: skip
    return evaluate_folders(folders / "gt", preds, **{**given, **choices})


def drawn(run):
    """The bytes of all files below a run's maps, by their path in there."""
    root = run / "maps"
    return {
        str(path.relative_to(root)): path.read_bytes()
        for path in root.rglob("*.*")
        if path.is_file()
    }


ALL = {f"{m}/{kind}/{name}.png" for m in METHODS for kind in KINDS for name in SAMPLES}


def test_the_maps_of_the_worked_example(folders):
    evaluate(folders)
    weight, region, structure, boundary = (
        read_map(folders / "run" / "maps" / "one" / kind / "a.png") for kind in KINDS
    )
    # 1.312327, 1.197688 and .774765 of 2.
    assert (weight[7, 5], weight[7, 10], weight[0, 0]) == (167, 153, 99)
    # All of W is lost in the column that the map leaves out and in the one that it adds.
    lost = np.zeros((16, 16), bool)
    lost[5:11, [5, 11]] = True
    assert np.array_equal(region, np.where(lost, weight, 0))
    assert boundary[0].max() == boundary[:, :3].max() == structure[:2].max() == 0
    assert boundary[7, 4] == weight[7, 4]
    # The windows of 7×7 around column 2 see the truth's first column, those around 1 nothing.
    assert (structure[7, 1], structure[7, 2] > 90) == (0, True)


def test_each_map_is_that_of_the_library(folders):
    run = evaluate(folders, missing="zero")
    assert run.complete
    assert set(drawn(folders / "run")) == ALL
    conventions = Conventions(missing="zero")
    for method in METHODS:
        for name in SAMPLES:
            photo = np.load(folders / "rgb" / f"{name}.npy")
            target = Target(read_map(folders / "gt" / f"{name}.png"), image=photo)
            values = read_map(folders / method / f"{name}.png")
            pred = represent.prediction(values, conventions, target.shape)
            _, maps = difficulty_maps(pred, target, conventions)
            paths = HeatMaps(folders / "run", conventions).paths(method, name)
            for path, values in zip(paths, maps, strict=True):
                found = read_map(path)
                assert found.dtype == np.uint8
                assert np.abs(found - np.minimum(values, 2) * 127.5).max() <= 0.5


def test_grey_levels():
    values = np.array([[0.0, 2 / 255, 0.5, 1.0, 1.999, 2.0, 4.0]])
    assert grey_of(values).tolist() == [[0, 1, 64, 128, 255, 255, 255]]
    assert grey_of(values).dtype == np.uint8


def test_workers_and_the_way_there_do_not_change_a_byte(folders):
    evaluate(folders, workers=1)
    whole = drawn(folders / "run")
    evaluate(folders, workers=3, out=folders / "run3")
    assert drawn(folders / "run3") == whole
    with pytest.raises(RunInterrupted):
        evaluate(folders, out=folders / "cut", progress=StopAfter(1))
    evaluate(folders, out=folders / "cut")
    assert drawn(folders / "cut") == whole


def test_measured_pairs_get_the_maps_that_they_lack_and_are_not_measured_again(
    folders, monkeypatch
):
    plain = evaluate(folders, difficulty_maps=False, out=folders / "plain")
    assert not (folders / "plain" / "maps").exists()
    evaluate(folders)
    whole = drawn(folders / "run")
    monkeypatch.setattr("fastsegmetrics.plan.Plan.measure", None)
    run = evaluate(folders, out=folders / "plain")
    assert drawn(folders / "plain") == whole
    assert run["two"].aggregates == plain["two"].aggregates
    lacking = folders / "plain" / "maps" / "two" / "region" / "in" / "b.png"
    kept = folders / "plain" / "maps" / "two" / "region" / "a.png"
    lacking.unlink()
    before = kept.stat().st_mtime_ns
    evaluate(folders, out=folders / "plain")
    assert lacking.read_bytes() == whole["two/region/in/b.png"]
    assert kept.stat().st_mtime_ns == before
    evaluate(folders, out=folders / "plain", difficulty_maps=False)


def test_missing_predictions(folders):
    (folders / "one" / "in" / "b.png").unlink()
    evaluate(folders, missing="zero", out=folders / "zero")
    assert set(drawn(folders / "zero")) == ALL
    # Of an all-zero map the whole truth is lost.
    region = read_map(folders / "zero" / "maps" / "one" / "region" / "in" / "b.png")
    assert np.array_equal(region > 0, np.pad(TRUTH, ((0, 1), (0, 0))))
    evaluate(folders, missing="skip", out=folders / "skip")
    left_out = {f"one/{kind}/in/b.png" for kind in KINDS}
    assert set(drawn(folders / "skip")) == ALL - left_out


def test_pairs_that_are_skipped_have_no_maps(folders):
    corrupt(folders / "two" / "a.png")
    np.save(folders / "rgb" / "in" / "b.npy", np.zeros((3, 3, 3), np.uint8))
    skipped = {f"two/{kind}/a.png" for kind in KINDS}
    skipped |= {f"{m}/{kind}/in/b.png" for m in METHODS for kind in KINDS}
    for _ in range(2):
        run = evaluate(folders, on_error="skip")
        assert {(one.method, one.sample) for one in run.skipped} == {
            ("two", "a"), ("one", "in/b"), ("two", "in/b"),
        }  # fmt: skip
        assert set(drawn(folders / "run")) == ALL - skipped


@pytest.mark.parametrize("on_error", ["stop", "skip"])
def test_what_cannot_be_written_stops_the_run(folders, on_error):
    evaluate(folders, difficulty_maps=False)
    (folders / "run" / "maps").write_text("no folder")
    with pytest.raises(InputError, match=r"maps/one/weight/a\.png: cannot be written \("):
        evaluate(folders, on_error=on_error)
    # While measuring too, and then nothing of the pair is taken for done.
    (folders / "run" / "maps").unlink()
    whole = evaluate(folders, out=folders / "whole")
    evaluate_folders(folders / "gt", {"one": folders / "one"}, metrics="mae,difficulty",
                     image=folders / "rgb", out=folders / "new")  # fmt: skip
    at_fault = folders / "new" / "maps" / "two" / "region" / "a.png"
    at_fault.mkdir(parents=True)
    with pytest.raises(InputError, match=r"maps/two/region/a\.png: cannot be written \("):
        evaluate(folders, on_error=on_error, out=folders / "new")
    at_fault.rmdir()
    run = evaluate(folders, on_error=on_error, out=folders / "new")
    assert run["two"].aggregates == whole["two"].aggregates
    assert drawn(folders / "new") == drawn(folders / "whole")


def test_a_measured_file_that_is_unreadable_when_its_maps_are_due(folders):
    evaluate(folders, difficulty_maps=False)
    path = folders / "two" / "in" / "b.png"
    times, whole = path.stat(), path.read_bytes()
    path.write_bytes(b"x" * len(whole))
    os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))
    for on_error in ("stop", "skip"):
        with pytest.raises(FormatError, match=r"two/in/b\.png"):
            evaluate(folders, on_error=on_error)
    truth = folders / "gt" / "in" / "b.png"
    times, size = truth.stat(), truth.stat().st_size
    truth.write_bytes(b"x" * size)
    os.utime(truth, ns=(times.st_atime_ns, times.st_mtime_ns))
    for on_error in ("stop", "skip"):
        with pytest.raises(FormatError, match=r"gt/in/b\.png"):
            evaluate(folders, on_error=on_error)


@pytest.mark.parametrize(
    ("choices", "message"),
    [
        ({"out": None}, "difficulty_maps=True draws into the run directory: name it, out='RUN_D"),
        (
            {"metrics": "mae,c_beta_w"},
            r"difficulty_maps=True draws what metrics='difficulty' measures, which is not among "
            r"the metrics \(mae and 1 more\)$",
        ),
        ({"image": None}, "difficulty looks at the photographs: name their folder, image='DIR'"),
    ],
)
def test_what_maps_need(folders, choices, message):
    with pytest.raises(InputError, match=message):
        evaluate(folders, **choices)
    assert not (folders / "run").exists()


@pytest.mark.parametrize("metric", ["difficulty.hard", "difficulty_boundary", "photo"])
def test_any_metric_of_the_difficulty_will_do(folders, metric):
    evaluate(folders, metrics=metric)
    assert set(drawn(folders / "run")) == ALL


def test_maps_are_written_over_nothing_of_others(folders):
    (folders / "run" / "maps").mkdir(parents=True)
    with pytest.raises(InputError, match=r"run: holds maps but no run\.sqlite, so a run here"):
        evaluate(folders)
    evaluate(folders, difficulty_maps=False)
    for name in METHODS:
        (folders / name).rename(folders / "run" / "maps" / name)
    preds = {method: folders / "run" / "maps" / method for method in METHODS}
    with pytest.raises(InputError, match=r"run: the run writes into maps, where the predictions"):
        evaluate_folders(folders / "gt", preds, metrics="mae,difficulty", image=folders / "rgb",
                         out=folders / "run", difficulty_maps=True)  # fmt: skip


def test_names_of_methods_that_are_no_names_of_folders(folders):
    preds = {"../one": folders / "one", "a/b": folders / "two", "%": folders / "two"}
    evaluate_folders(folders / "gt", preds, metrics="difficulty", image=folders / "rgb",
                     out=folders / "run", difficulty_maps=True)  # fmt: skip
    assert {path.name for path in (folders / "run" / "maps").iterdir()} == {
        "%2E.%2Fone", "a%2Fb", "%25",
    }  # fmt: skip
    assert len(drawn(folders / "run")) == 3 * len(KINDS) * len(SAMPLES)
