"""Real maps against the peer and against numbers of the authors' MATLAB programs.

FASTSEGMETRICS_DATA names a folder that holds ``sod``, ``cod`` and ``peer-samples``.
"""

import csv
import os
from pathlib import Path

import cv2
import numpy as np
import peer_columns
import py_sod_metrics as peer
import pytest
from test_areas import area, mean_curves
from test_sod import assert_same, rows, stretched, without_constant_blocks

import fastsegmetrics as fsm
from fastsegmetrics.compat import py_sod_metrics as compat

pytestmark = pytest.mark.filterwarnings("ignore")
DATA = Path(os.environ["FASTSEGMETRICS_DATA"])


def read(path):
    pixels = cv2.imread(str(path), cv2.IMREAD_GRAYSCALE)
    assert pixels is not None, path
    return pixels


def folder_pairs(preds, gts):
    for path in sorted(gts.iterdir()):
        pred, gt = read(preds / path.name), read(path)
        if pred.shape != gt.shape:
            pred = cv2.resize(pred, gt.shape[::-1], interpolation=cv2.INTER_LINEAR)
        yield pred, gt


FOLDERS = [
    *((f"sod/preds_{method}", "sod/gts") for method in ("Amulet", "DSS", "PiCANet")),
    ("cod/camo/preds_AINet", "cod/camo/gts"),
    ("cod/cod10k/preds_SINet", "cod/cod10k/gts"),
    ("peer-samples/sod/preds", "peer-samples/sod/masks"),
]


@pytest.mark.parametrize("folders", FOLDERS, ids=lambda f: f[0])
def test_compat_and_native_give_the_peers_numbers(folders):
    pairs = list(folder_pairs(*(DATA / f for f in folders)))
    expected = rows(peer, pairs)
    assert np.isfinite(expected).all()
    assert_same(rows(compat, pairs), expected)
    expected = without_constant_blocks(expected, [stretched(*pair) for pair in pairs])
    assert np.isfinite(expected).all()
    found = [peer_columns.native_row(*pair) for pair in pairs]
    assert_same(found, expected, peer_columns.native_tolerance)


def test_roc_auc_of_the_peers_samples():
    pairs = list(folder_pairs(DATA / "peer-samples/sod/preds", DATA / "peer-samples/sod/masks"))
    evaluator = fsm.Evaluator("auc.trapezoid")
    for pair in pairs:
        evaluator.update(*pair)
    assert evaluator.result()["auc.trapezoid"].value == pytest.approx(0.6468794, abs=5e-8)
    for module in (peer, compat):
        curves = mean_curves(module, pairs)
        assert area(curves["fpr"], curves["recall"]) == pytest.approx(0.6468794, abs=5e-8)


def test_matlab_numbers_per_image():
    with (DATA / "sod/matlab.csv").open(newline="") as stream:
        table = list(csv.DictReader(stream))
    assert len(table) == 120
    for row in table:
        pred = read(DATA / f"sod/preds_{row['method']}" / row["image"])
        gt = read(DATA / "sod/gts" / row["image"])
        by_maximum = pred / pred.max()
        found = {
            "mae": fsm.mae(pred, gt),
            "s_measure": fsm.s_measure(by_maximum, gt, stretch=False),
            "adaptive_precision": fsm.precision(by_maximum, gt, stretch=False).adp,
            "adaptive_recall": fsm.recall(by_maximum, gt, stretch=False).adp,
            "adaptive_f": fsm.f_beta(by_maximum, gt, stretch=False).adp,
        }
        for name, value in found.items():
            assert float(value) == pytest.approx(float(row[name]), rel=1e-10), (row["image"], name)


def test_matlab_numbers_of_a_data_set():
    evaluator = fsm.Evaluator("cod")
    for pair in folder_pairs(DATA / "cod/cod10k/preds_SINet", DATA / "cod/cod10k/gts"):
        evaluator.update(*pair)
    result = evaluator.result()
    for name, matlab in {
        "s_measure": 0.96017203,
        "mae": 0.02330840,
        "e_measure.max": 0.98464858,
        "e_measure.adp": 0.98308484,
        "f_beta.adp": 0.97825728,
    }.items():
        assert result[name].value == pytest.approx(matlab, abs=5e-9), name
