"""Real volumes against numbers that are known of them.

FASTSEGMETRICS_DATA names a folder that holds ``volumes``.
"""

import os
from pathlib import Path

import numpy as np
import pytest

import fastsegmetrics as fsm
from fastsegmetrics.io.volumes import check_one_grid, read_volume

pytest.importorskip("nibabel")
FOLDER = Path(os.environ["FASTSEGMETRICS_DATA"]) / "volumes"


def read(*names):
    found = [read_volume(FOLDER / f"{name}.nii.gz") for name in names]
    for volume in found[1:]:
        check_one_grid(volume, found[0])
    return [volume.values for volume in found]


def test_three_annotators_of_one_tumour() -> None:
    folder = "kits/case_00004/instances/tumor_instance-1_annotation"
    one, two, three = read(*(f"{folder}-{i}" for i in (1, 2, 3)))
    dice = [fsm.overlap(*pair).dice for pair in ((one, two), (one, three), (two, three))]
    assert [f"{value:.4f}" for value in dice] == ["0.9305", "0.9461", "0.9455"]


def test_41_labels() -> None:
    pred, gt = read("totalseg/pred_fast", "totalseg/ref")
    labels = np.unique(gt).tolist()
    found = fsm.label_overlap(pred, gt, labels=labels, background=0)
    assert found.n_present == 41
    assert f"{found.mean_dice:.4f}" == "0.9020"


def test_a_spinal_cord() -> None:
    pred, gt = read("cord/t2/t2_seg-deepseg_sc-3d", "cord/t2/t2_seg-manual")
    assert f"{fsm.overlap(pred, gt).dice:.4f}" == "0.9808"


def test_a_class_that_the_truth_has_not() -> None:
    """Two methods predict some of label 4, which the reference has nowhere: 0; three none: NaN."""
    names = ("hnfnetv1", "sanet0", "isen", "scan", "yixinmpl")
    gt, *preds = read("brats/ref_simple", *(f"brats/pred_{name}" for name in names))
    found = [fsm.label_overlap(pred, gt, labels=(0, 1, 2, 4), background=0) for pred in preds]
    assert [overlap.n_present for overlap in found] == [3, 3, 2, 2, 2]
    assert [overlap.dice[3] == 0 for overlap in found] == [True, True, False, False, False]
    assert all(overlap.support.tolist() == [8903812, 9281, 14907, 0] for overlap in found)


def test_rules_of_brats(tmp_path) -> None:
    """A label that only the prediction has is as far away as the head is long: 373.13 mm."""
    for name, source in (("gt", "ref_simple"), ("hn", "pred_hnfnetv1"), ("isen", "pred_isen")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "p.nii.gz").symlink_to(FOLDER / "brats" / f"{source}.nii.gz")
    missed, right = (
        fsm.evaluate_volumes(
            tmp_path / "gt", tmp_path / name, labels=(0, 1, 2, 4), background=0,
            both_empty="perfect", one_empty="diagonal",
        ).rows[2]
        for name in ("hn", "isen")
    )  # fmt: skip
    assert (missed["label"], missed["dice"], f"{missed['hd95']:.2f}") == (4, 0.0, "373.13")
    assert (right["label"], right["dice"], right["hd95"]) == (4, 1.0, 0.0)
