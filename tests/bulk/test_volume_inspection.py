"""The worst cases of a run of volumes: which slice is drawn, what is told, what is refused."""

from __future__ import annotations

import csv
import io
import json
import math

import numpy as np
import pytest

import fastsegmetrics as fsm
from fastsegmetrics.bulk.volume_inspection import inspect_volumes
from fastsegmetrics.bulk.volume_methods import evaluate_volume_methods
from fastsegmetrics.io import read_image
from fastsegmetrics.reporting.volume_slices import surface_distances_of_voxels, worst_slice
from fastsegmetrics.statistics.boundary_map import boundary


@pytest.fixture
def folders(tmp_path):
    """A block of 2 × 3 × 4: exact in a, in b with a voxel 2 mm off, missed in c; none in d."""
    block = np.zeros((5, 6, 8), np.uint8)
    block[1:3, 1:4, 2:6] = 2
    more = block.copy()
    more[3, 2, 3] = 2
    none = np.zeros_like(block)
    for case, truth, pred in (
        ("a", block, block), ("b", block, more), ("c", block, none), ("d", none, none),
    ):  # fmt: skip
        for name, values in (("gt", truth), ("one", pred)):
            (tmp_path / name).mkdir(exist_ok=True)
            save(tmp_path / name / f"{case}.npz", values)
    evaluate_volume_methods(
        tmp_path / "gt", {"one": tmp_path / "one"}, labels=3, background=0, out=tmp_path / "run"
    )
    return tmp_path


def save(path, values) -> None:
    np.savez(path, volume=values, spacing=(2, 1, 1), unit="mm")


def inspected(folders, metric="hd", label=2, out="worst", run="run", **choices):
    return inspect_volumes(folders / run, metric, label, folders / out, **choices)


def test_what_is_drawn_and_told(folders) -> None:
    lines = inspected(folders, limit=4.0)
    assert [(line.rank, line.sample, line.value, line.state) for line in lines[:3]] == [
        (1, "c", math.inf, "drawn"), (2, "b", 2.0, "drawn"), (3, "a", 0.0, "drawn"),
    ]  # fmt: skip
    assert (lines[3].rank, lines[3].sample, lines[3].state) == (None, "d", "undefined")
    missed, more, exact = lines[:3]
    assert (missed.tp, missed.fp, missed.fn) == (0, 0, 24)
    assert math.isnan(missed.max_distance)
    # Across the axis of 2 mm, where the voxel too many lies.
    assert (more.axis, more.slice, more.fp, more.max_distance, more.unit) == (0, 3, 1, 2.0, "mm")
    assert (exact.axis, exact.slice, exact.max_distance) == (0, 1, 0.0)
    out = folders / "worst"
    told = list(csv.DictReader(io.StringIO((out / "index.csv").read_text("utf-8"))))
    assert (told[1]["label"], told[1]["slice"], told[1]["unit"]) == ("2", "3", "mm")
    assert (out / "legend.png").is_file()
    picture = read_image(out / more.picture)
    # The box of both masks: 3 × 4 in the slice; the voxel's 2 mm are half of the scale.
    assert picture.shape == (3 * 3, 2 * 4 * 3 + 6, 3)
    right = picture[1::3, -3 * 4 :][:, 1::3]
    assert right[1, 1].tolist() == [220, 90, 120]
    assert (right[0] == 20).all()


def test_surface_distances_are_those_of_the_scores() -> None:
    random = np.random.RandomState(0)
    pred, gt = random.random_sample((2, 6, 5, 7)) < 0.6
    found = surface_distances_of_voxels(pred, gt, (2.5, 0.5, 1.0))
    expected = fsm.surface_distances(pred, gt, spacing=(2.5, 0.5, 1.0)).pred_to_gt
    np.testing.assert_allclose(np.sort(found.distance[found.pred]), expected, rtol=1e-12)
    assert boundary(np.ones((3, 3, 3), bool)).sum() == 26
    nothing = surface_distances_of_voxels(pred, np.zeros_like(gt), (1.0, 1.0, 1.0))
    assert np.isinf(nothing.distance[nothing.pred]).all()


def test_the_slice_lies_across_the_coarsest_axis() -> None:
    gt = np.zeros((3, 4, 5), bool)
    gt[1, 2, 3] = True
    for spacing, axis, place in (((1, 1, 1), 2, 3), ((3, 1, 2), 0, 1), ((1, 3, 3), 2, 3)):
        found = surface_distances_of_voxels(gt, gt, spacing)
        cut = worst_slice(gt, gt, found, spacing)
        assert (cut.axis, cut.place, cut.gt.sum()) == (axis, place, 1)


def test_ignored_voxels_are_left_out(folders) -> None:
    truth = np.zeros((5, 6, 8), np.uint8)
    truth[1:3, 1:4, 2:6] = 2
    truth[1] = 9
    save(folders / "gt" / "c.npz", truth)
    evaluate_volume_methods(
        folders / "gt", {"one": folders / "one"}, labels=3, background=0, ignore_label=9,
        surfaces=False, out=folders / "overlap",
    )  # fmt: skip
    lines = {line.sample: line for line in inspected(folders, "dice", run="overlap")}
    assert (lines["c"].fn, lines["c"].slice) == (12, 2)


def test_refused(folders) -> None:
    for choices, words in (
        ({"label": 7}, r"^label must be one of the run's \(1, 2\); received 7"),
        (
            {"metric": "nsd"},
            "^metric must have a value for each case of .*run, which has dice, iou",
        ),
        ({"methods": ["two"]}, r"^method must be one of the run's \(one\); received 'two'"),
        ({"limit": 0.0}, "^limit must be a finite number above 0"),
        ({"out": "one/x"}, "this lies in the folder of the predictions of 'one'"),
    ):
        with pytest.raises(fsm.InputError, match=words):
            inspected(folders, **choices)
    assert not (folders / "worst").exists()


def test_volumes_that_are_not_those_measured(folders) -> None:
    nothing = np.zeros((5, 6, 8), int)
    save(folders / "gt" / "c.npz", nothing)
    with pytest.raises(fsm.InputError, match=r"voxels that were measured, 24 true and 0 predicted"):
        inspected(folders, out="first", worst=1)
    save(folders / "one" / "c.npz", nothing[1:])
    with pytest.raises(fsm.FormatError, match=r"c.npz: prediction and truth must have one shape"):
        inspected(folders, out="second", worst=1)
    (folders / "one" / "c.npz").unlink()
    with pytest.raises(fsm.InputError, match="the prediction of 'one' 'c' is gone since it was"):
        inspected(folders, worst=1)
    told = json.loads((folders / "run" / "volumes.json").read_text("utf-8"))
    (folders / "run" / "volumes.json").write_text(json.dumps({**told, "read": None}))
    with pytest.raises(fsm.InputError, match="does not say where the volumes lie"):
        inspected(folders, out="again", worst=1)


def test_images_are_no_volumes(tmp_path) -> None:
    for name in ("gt", "one"):
        (tmp_path / name).mkdir()
        np.save(tmp_path / name / "a.npy", np.eye(4, dtype=bool))
    evaluate_volume_methods(
        tmp_path / "gt", {"one": tmp_path / "one"}, labels=2, background=0, out=tmp_path / "run"
    )
    with pytest.raises(fsm.InputError, match="must have three axes; it has 2"):
        inspect_volumes(tmp_path / "run", "dice", 1, tmp_path / "worst")
