"""Folders of volumes: one row for each case and label, in the files' unit."""

from __future__ import annotations

import csv
import io
import json
import math

import numpy as np
import pytest

import fastsegmetrics as fsm


@pytest.fixture
def folders(tmp_path):
    """Two scans of one patient and one of another; label 3 is nowhere, 2 in the last alone."""
    for name in ("gt", "pred"):
        (tmp_path / name).mkdir()
    gt = np.zeros((4, 8, 9), np.uint8)
    gt[1:3, 2:6, 2:6] = 1
    for case, shift, stray in (("ann_1", 0, 0), ("ann_2", 1, 0), ("ben_1", 0, 2)):
        pred = np.roll(gt, shift, axis=2)
        pred[0, 0, 0] = stray
        save(tmp_path / "gt" / f"{case}_seg.npz", gt)
        save(tmp_path / "pred" / f"{case}.npz", pred)
    return tmp_path


def save(path, values, spacing=(5.0, 0.5, 0.5), unit="mm") -> None:
    np.savez(path, volume=values, spacing=spacing, unit=unit)


def run(folders, **choices) -> fsm.VolumeRun:
    given = {"labels": 4, "background": 0, "gt_suffix": "_seg", **choices}
    return fsm.evaluate_volumes(folders / "gt", folders / "pred", **given)


def test_rows(folders) -> None:
    found = run(folders, tolerance=0.5)
    assert [(row["case"], row["label"]) for row in found.rows] == [
        (case, label) for case in ("ann_1", "ann_2", "ben_1") for label in (1, 2, 3)
    ]
    perfect, shifted, stray, nowhere = (found.rows[i] for i in (0, 3, 7, 8))
    assert (perfect["dice"], perfect["hd"], perfect["nsd"]) == (1.0, 0.0, 1.0)
    # 4 of 4 × 4 × 2 voxels in a row of 4 moved by one: Dice 3/4, half a millimetre.
    assert (shifted["dice"], shifted["hd"], shifted["nsd"]) == (0.75, 0.5, 1.0)
    assert (shifted["gt_voxels"], shifted["gt_size"], shifted["unit"]) == (32, 40.0, "mm")
    assert (stray["dice"], stray["hd95"], stray["assd"]) == (0.0, math.inf, math.inf)
    assert (stray["size_difference"], stray["nsd"]) == (1.25, 0.0)
    assert (stray["absolute_size_difference"], stray["relative_size_difference"]) == (
        1.25,
        math.inf,
    )
    assert math.isnan(nowhere["dice"])
    assert math.isnan(nowhere["hd"])
    assert (nowhere["gt_voxels"], nowhere["gt_size"]) == (0, 0.0)


def test_distances_are_those_of_the_whole_volumes(folders) -> None:
    with np.load(folders / "gt" / "ann_2_seg.npz") as file:
        gt = file["volume"] == 1
    pred = np.roll(gt, 1, axis=2)
    expected = fsm.surface_distances(pred, gt, spacing=(5, 0.5, 0.5))
    row = run(folders).rows[3]
    assert (row["hd"], row["hd95"], row["assd"]) == (expected.hd, expected.hd95, expected.assd)
    assert "nsd" not in row


@pytest.mark.parametrize("hd95", [None, "max", "pooled", "mean", "inverse_cdf"])
@pytest.mark.parametrize("surface", ["voxels", "elements"])
def test_named_conventions_of_surfaces(folders, surface, hd95) -> None:
    if surface == "elements" and hd95 not in (None, "inverse_cdf"):
        with pytest.raises(fsm.InputError, match=r"^hd95 must be 'inverse_cdf'; received"):
            run(folders, surface=surface, hd95=hd95)
        return
    with np.load(folders / "gt" / "ann_2_seg.npz") as file:
        gt = file["volume"] == 1
    found = run(folders, surface=surface, hd95=hd95, tolerance=0.25, workers=2)
    expected = fsm.surface_distances(
        np.roll(gt, 1, axis=2), gt, spacing=(5, 0.5, 0.5), surface=surface
    )
    row = found.rows[3]
    assert row["hd95"] == expected.hd_percentile(95, hd95)
    assert (row["assd"], row["masd"]) == (expected.assd, expected.masd)
    assert row["nsd"] == expected.nsd(0.25)
    default = "max" if surface == "voxels" else "inverse_cdf"
    assert found.contract.hd95 == (hd95 or default)
    assert found.contract.boundary.split()[0] == surface


def test_a_label_of_neither_volume(folders) -> None:
    """With both policies these are the rules of the BraTS challenges."""
    found = run(folders, both_empty="perfect", one_empty="diagonal", tolerance=1.0)
    stray, nowhere = found.rows[7], found.rows[8]
    for score in ("dice", "iou", "precision", "recall", "nsd"):
        assert (nowhere[score], stray[score]) == (1.0, 0.0)
    for score in ("hd", "hd95", "assd", "masd"):
        assert nowhere[score] == 0.0 < stray[score] < math.inf
    assert (nowhere["relative_size_difference"], nowhere["gt_voxels"]) == (0.0, 0)
    assert found.contract.empty_masks.startswith("label in neither: overlap 1, distances 0; in one")
    plain = run(folders, both_empty="perfect", surfaces=False)
    assert plain.rows[8]["dice"] == 1.0
    assert math.isnan(plain.cases.values("dice", 3)["ben_1"])


def test_an_empty_side_as_far_as_the_volume_is_long(folders) -> None:
    found = run(folders, one_empty="diagonal", tolerance=1.0)
    stray, nowhere = found.rows[7], found.rows[8]
    with np.load(folders / "gt" / "ben_1_seg.npz") as file:
        planes, rows, columns = file["volume"].shape
    whole = pytest.approx(math.hypot(5 * planes, 0.5 * rows, 0.5 * columns), rel=1e-15)
    assert [stray[name] for name in ("hd", "hd95", "assd", "masd")] == [whole] * 4
    assert (stray["nsd"], math.isnan(nowhere["hd"])) == (0.0, True)
    assert found.contract.empty_masks.endswith("distances the volume's diagonal")


def test_summaries_of_cases(folders) -> None:
    cases = run(folders, surfaces=False, unit_of=lambda case: case[:3]).cases
    assert cases.mean_over_cases("dice", 1).value == pytest.approx(2.75 / 3)
    two = cases.mean_over_cases("dice", 2)
    assert (two.value, two.n_used, two.n_undefined) == (0.0, 1, 2)
    assert cases.units() == {"ann_1": "ann", "ann_2": "ann", "ben_1": "ben"}
    interval = cases.interval("dice", 1, unit="patient", n_resamples=50)
    assert (interval.n_units, interval.n_used) == (2, 3)
    assert cases.pooled("dice", 1) == 2 * (32 + 24 + 32) / (6 * 32)


def test_files_of_a_run(folders) -> None:
    found = run(folders, tolerance=1.0)
    found.write(folders / "out")
    rows = list(csv.DictReader(io.StringIO((folders / "out" / "per_label.csv").read_text("utf-8"))))
    assert len(rows) == 9
    assert float(rows[3]["dice"]) == found.rows[3]["dice"]
    assert rows[7]["hd"] == "inf"
    told = json.loads((folders / "out" / "evaluation.json").read_text("utf-8"))
    assert (told["spacing"], told["unit"], told["hd95"]) == ([5.0, 0.5, 0.5], "mm", "max")
    assert told["foreground"].endswith("without background 0")
    assert told["boundary"].endswith("; NSD within 1 mm")


def test_one_spacing_a_case(folders) -> None:
    for name in ("gt/ann_1_seg", "pred/ann_1"):
        save(folders / f"{name}.npz", np.ones((2, 2, 2), int), spacing=(1, 1, 1))
    found = run(folders)
    assert found.contract.spacing == "per case"
    assert found.rows[0]["gt_size"] == 8.0


def test_ignored_voxels(folders) -> None:
    with np.load(folders / "gt" / "ann_2_seg.npz") as file:
        gt = file["volume"].copy()
    gt[..., 2] = 9
    save(folders / "gt" / "ann_2_seg.npz", gt)
    found = run(folders, ignore_label=9, surfaces=False)
    assert found.rows[3]["gt_voxels"] == 24
    assert "hd" not in found.rows[3]
    assert found.contract.ignored_regions == "truth 9"
    with pytest.raises(fsm.InputError, match=r"^surfaces must be False with ignore_label"):
        run(folders, ignore_label=9)


def test_an_ignored_label_among_the_labels_has_no_row(folders) -> None:
    """Label 2 is in no truth and predicted once: a miss of the background, no row of its own."""
    found = run(folders, ignore_label=2, surfaces=False)
    assert [(row["case"], row["label"]) for row in found.rows] == [
        (case, label) for case in ("ann_1", "ann_2", "ben_1") for label in (1, 3)
    ]
    assert [row["dice"] for row in found.rows[::2]] == [1.0, 0.75, 1.0]
    assert found.cases.mean_over_classes_and_cases("dice") == pytest.approx(2.75 / 3)
    assert math.isnan(found.cases.values("dice", 2)["ben_1"])
    assert {row["label"] for row in found.cases.rows(("dice",))} == {0, 1, 3}
    assert found.contract.foreground.endswith("without background 0, without the ignored 2")
    with np.load(folders / "gt" / "ann_1_seg.npz") as file:
        gt = file["volume"].copy()
    gt[gt == 1] = 2
    save(folders / "gt" / "ann_1_seg.npz", gt)
    row = run(folders, ignore_label=2, surfaces=False).rows[0]
    assert (row["gt_voxels"], row["pred_voxels"]) == (0, 0)


def test_missing_and_extra_names(folders) -> None:
    (folders / "pred" / "ann_1.npz").rename(folders / "pred" / "zoe.npz")
    with pytest.raises(fsm.InputError, match=r"^1 truth has no prediction \(ann_1[;)]"):
        run(folders)
    found = run(folders, missing="skip")
    assert (found.missing, found.extra) == (("ann_1",), ("zoe",))
    assert len(found.cases) == 2


def test_files_without_a_spacing(tmp_path) -> None:
    for name in ("gt", "pred"):
        (tmp_path / name).mkdir()
        np.save(tmp_path / name / "a.npy", np.eye(4, dtype=bool))
    choices = {"labels": 2, "background": 0}
    plain = fsm.evaluate_volumes(tmp_path / "gt", tmp_path / "pred", **choices)
    assert (plain.rows[0]["unit"], plain.rows[0]["gt_size"]) == ("voxel", 4.0)
    given = fsm.evaluate_volumes(
        tmp_path / "gt", tmp_path / "pred", spacing=(2, 0.5), unit="cm", **choices
    )
    assert (given.rows[0]["unit"], given.rows[0]["gt_size"]) == ("cm", 4.0)
    with pytest.raises(fsm.InputError, match=r"^unit must name what spacing=2 is in"):
        fsm.evaluate_volumes(tmp_path / "gt", tmp_path / "pred", spacing=2, **choices)


@pytest.fixture
def mixed(folders):
    """The third case says nothing of its grid: `ann_1` and `ann_2` are in mm."""
    for name in ("gt/ben_1_seg", "pred/ben_1"):
        with np.load(folders / f"{name}.npz") as file:
            np.save(folders / f"{name}.npy", np.roll(file["volume"], name == "gt/ben_1_seg", 2))
        (folders / f"{name}.npz").unlink()
    return folders


def test_distances_in_unlike_units_are_refused_before_anything_is_read(mixed) -> None:
    (mixed / "pred" / "ann_1.npz").write_bytes(b"no archive")
    words = (
        r"^distances of all cases must be in one unit: .*gt.ann_1_seg\.npz is in mm, "
        r".*gt.ben_1_seg\.npy in voxel; unit='mm' and spacing=X say it for files that do not, and "
        r"surfaces=False measures overlap alone$"
    )
    with pytest.raises(fsm.InputError, match=words):
        run(mixed)


def test_spacing_and_unit_are_for_the_files_that_do_not_say_theirs(mixed) -> None:
    found = run(mixed, spacing=(5, 0.5, 0.25), unit="mm")
    # A step of one voxel along the last axis: of 0.5 mm by its file, of 0.25 mm as given.
    assert [row["hd"] for row in found.rows[3::3]] == [0.5, 0.25]
    assert ({row["unit"] for row in found.rows}, found.contract.unit) == ({"mm"}, "mm")
    assert [row["hd"] for row in run(mixed, unit="mm").rows[3::3]] == [0.5, 1.0]
    with pytest.raises(fsm.InputError, match=r"^unit must be that of the files \(mm\)"):
        run(mixed, unit="cm")


def test_overlap_of_cases_in_unlike_units(mixed) -> None:
    found = run(mixed, surfaces=False)
    assert found.contract.unit == "mm, voxel"
    assert [(row["unit"], row["gt_size"]) for row in found.rows[::3]] == [
        ("mm", 40.0), ("mm", 40.0), ("voxel", 32.0),
    ]  # fmt: skip
    # Each voxel counts once, whatever its size.
    assert found.cases.pooled("dice", 1) == 2 * (32 + 24 + 24) / (6 * 32)


def test_two_units_that_files_say(folders) -> None:
    for name in ("gt/ann_2_seg", "pred/ann_2"):
        with np.load(folders / f"{name}.npz") as file:
            values = file["volume"].copy()
        save(folders / f"{name}.npz", values, unit="cm")
    with pytest.raises(fsm.InputError, match=r"mm, .*ann_2.* in cm; convert the files of one, and"):
        run(folders)
    # A spacing without a unit is taken as mm, unless `unit` says it.
    for name in ("gt/ann_2_seg", "pred/ann_2"):
        np.savez(folders / f"{name}.npz", volume=values, spacing=(5.0, 0.5, 0.5))
    assert run(folders).contract.unit == "mm (of some cases assumed, not told)"
    for name in ("gt/ann_1_seg", "pred/ann_1", "gt/ben_1_seg", "pred/ben_1"):
        save(folders / f"{name}.npz", values, unit="cm")
    with pytest.raises(fsm.InputError, match=r"; unit='cm' says it for files that do not, and"):
        run(folders)
    assert run(folders, unit="cm").contract.unit == "cm"


@pytest.mark.parametrize(
    ("choices", "words"),
    [
        ({"missing": "zero"}, "^missing must be 'error' or 'skip'"),
        ({"spacing": 1.0, "unit": "mm"}, "^spacing must be None for files that say theirs"),
        ({"unit": "cm"}, r"^unit must be that of the files \(mm\); received 'cm'"),
        (
            {"labels": 2},
            r"pred.ben_1\.npz: pred must hold only the labels 0..1.* first 2 at \(0, 0, 0\)",
        ),
        ({"labels": [1, 2, 3], "background": None}, r"gt.ann_1_seg\.npz: gt must hold only the"),
        ({"labels": [1, 2, 3]}, r"^background must be one of the labels \(1..3\); received 0"),
        ({"unit_of": {"ann_1": "ann"}}, "^unit_of must have every case; 'ann_2' has none"),
        ({"surfaces": False, "tolerance": 1.0}, "^tolerance must be None without surfaces"),
        ({"surfaces": False, "hd95": "max"}, "^hd95 must be None without surfaces"),
        ({"surfaces": False, "one_empty": "diagonal"}, "^one_empty must be 'infinite' without"),
        ({"hd95": "poled"}, "^hd95 must be one of 'max', 'pooled', 'mean', 'inverse_cdf'"),
        ({"one_empty": "zero"}, "^one_empty must be 'infinite' or 'diagonal'; received 'zero'"),
        ({"both_empty": "zero"}, "^both_empty must be 'perfect' or 'undefined'; received 'zero'"),
        ({"surface": "mesh"}, "^surface must be 'voxels' or 'elements'; received 'mesh'"),
        ({"tolerance": -1}, "^tolerance must be a finite number of at least 0; received -1"),
        ({"gt_suffix": ""}, "did you mean gt_suffix='_seg'"),
    ],
)
def test_refused_runs(folders, choices, words) -> None:
    with pytest.raises(fsm.InputError, match=words):
        run(folders, **choices)


def test_a_volume_on_another_grid(folders) -> None:
    save(folders / "pred" / "ann_2.npz", np.zeros((4, 8, 9), int), spacing=(5, 0.5, 0.6))
    with pytest.raises(fsm.FormatError, match=r"ann_2\.npz: prediction and truth have spacings"):
        run(folders)


def test_nifti_folders(tmp_path) -> None:
    nibabel = pytest.importorskip("nibabel")
    values = np.zeros((6, 5, 4), np.float32)
    values[1:4, 1:4, 1:3] = 1
    for name, stored in (("gt", values), ("pred", np.roll(values, 1, axis=0))):
        (tmp_path / name).mkdir()
        affine = np.diag([0.5, 1, 3, 1])
        nibabel.save(nibabel.Nifti1Image(stored, affine), tmp_path / name / "scan.1.nii.gz")
    found = fsm.evaluate_volumes(tmp_path / "gt", tmp_path / "pred", labels=2, background=0)
    (row,) = found.rows
    assert (row["case"], row["unit"], row["hd"], row["gt_size"]) == ("scan.1", "mm", 0.5, 27.0)
    assert row["dice"] == 2 / 3
    assert found.contract.unit == "mm (assumed, not told)"


def test_a_step_of_one_voxel_is_within_its_spacing_from_either_kind_of_file(tmp_path) -> None:
    nibabel = pytest.importorskip("nibabel")
    values = np.zeros((3, 7, 5), np.uint8)
    values[:, 2:5, 1:4] = 1
    for kind in ("nii", "npz"):
        for name, stored in (("gt", values), ("pred", np.roll(values, 1, axis=1))):
            folder = tmp_path / kind / name
            folder.mkdir(parents=True)
            if kind == "nii":
                image = nibabel.Nifti1Image(stored, np.diag([3, 0.8, 0.9, 1]))
                image.header.set_xyzt_units("mm")
                nibabel.save(image, folder / "a.nii.gz")
            else:
                save(folder / "a.npz", stored, (3, 0.8, 0.9))
    rows = [
        fsm.evaluate_volumes(
            tmp_path / kind / "gt", tmp_path / kind / "pred", labels=2, background=0, tolerance=0.8
        ).rows[0]
        for kind in ("nii", "npz")
    ]
    assert rows[0] == rows[1]
    assert (rows[0]["hd"], rows[0]["nsd"]) == (0.8, 1.0)
