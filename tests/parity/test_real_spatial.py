"""Every class that looks at where the errors are beside pysodmetrics, on real maps.

FASTSEGMETRICS_DATA names a folder that holds ``sod``, ``cod``, ``polyp``, ``large``, ``hair``,
``smalltargets`` and ``peer-samples``.
"""

from __future__ import annotations

import os
from functools import lru_cache
from pathlib import Path

import cv2
import numpy as np
import py_sod_metrics as peer
import pytest
import scenes
import test_correction_effort
import test_peer_context
import test_size_invariant
from test_peer_multiscale import edges_of, stepped

import fastsegmetrics as fsm
from fastsegmetrics import represent
from fastsegmetrics.compat import py_sod_metrics as compat
from fastsegmetrics.conventions import Conventions
from fastsegmetrics.reference.edges import edge_mask, shrink
from fastsegmetrics.statistics.multiscale import multiscale_statistics

pytestmark = pytest.mark.filterwarnings("ignore")
DATA = Path(os.environ["FASTSEGMETRICS_DATA"])
FOLDERS = {
    "sod/preds_Amulet": "sod/gts",
    "sod/preds_DSS": "sod/gts",
    "sod/preds_PiCANet": "sod/gts",
    "cod/camo/preds_AINet": "cod/camo/gts",
    "cod/cod10k/preds_SINet": "cod/cod10k/gts",
    "polyp/preds_PraNet": "polyp/gts",
    "smalltargets/preds_MSER": "smalltargets/gts",
    "smalltargets/preds_RSS": "smalltargets/gts",
    "peer-samples/sod/preds": "peer-samples/sod/masks",
    "hair/preds": "hair/gts",
    "large/preds_EGNet": "large/gts",
}
PHOTOGRAPHS = {
    "cod/camo/preds_AINet": "cod/camo/images",
    "polyp/preds_PraNet": "polyp/images",
    # Of the others there are none: any image will do.
    "cod/cod10k/preds_SINet": None,
    "smalltargets/preds_RSS": None,
}
CONVENTIONS = Conventions(pred_scale=255)
#: The peer's 257 passes take seconds an image.
SWEPT = 2
#: The greatest half-precision number: of more edge pixels the peer's score is meaningless.
HALF_PRECISION = 65504

of_each_folder = pytest.mark.parametrize("folder", FOLDERS)


@lru_cache(maxsize=1)
def pairs(folder: str) -> list[tuple[str, np.ndarray, np.ndarray]]:
    """Name, map and truth of each file of a folder, grey, of one size."""
    found = []
    for path in sorted((DATA / FOLDERS[folder]).iterdir()):
        pred, gt = (
            cv2.imread(str(p), cv2.IMREAD_GRAYSCALE) for p in (DATA / folder / path.name, path)
        )
        if pred.shape != gt.shape:
            pred = cv2.resize(pred, gt.shape[::-1], interpolation=cv2.INTER_LINEAR)
        found.append((path.stem, pred, gt))
    assert len(found) >= 3
    return found


def photograph(folder: str, name: str, gt: np.ndarray) -> np.ndarray:
    images = PHOTOGRAPHS[folder]
    if images is None:
        return test_peer_context.photograph(gt.shape, len(name))
    (path,) = (DATA / images).glob(f"{name}.*")
    image = cv2.imread(str(path))
    if image.shape[:2] != gt.shape:
        image = cv2.resize(image, gt.shape[::-1])
    return cv2.cvtColor(image, cv2.COLOR_BGR2RGB)


def canonical(pred: np.ndarray, gt: np.ndarray):
    target = fsm.Target(gt, 128)
    return represent.prediction(pred, CONVENTIONS, target.shape), target


@of_each_folder
def test_weighted_f(folder):
    theirs, ours = peer.WeightedFmeasure(), compat.WeightedFmeasure()
    native = []
    for _, pred, gt in pairs(folder):
        theirs.step(pred, gt)
        ours.step(pred, gt)
        native.append(fsm.weighted_f(pred, gt))
    for found in (ours.weighted_fms, native):
        np.testing.assert_allclose(found, theirs.weighted_fms, rtol=1e-12, atol=1e-13)


@of_each_folder
def test_correction_effort_and_its_parts(folder):
    theirs, ours = peer.HumanCorrectionEffortMeasure(), compat.HumanCorrectionEffortMeasure()
    for name, pred, gt in pairs(folder):
        theirs.step(pred, gt)
        ours.step(pred, gt)
        found = test_correction_effort.native(pred, gt, theirs)
        assert found == test_correction_effort.parts_by_the_peer(pred, gt, theirs), name
        assert found.total == theirs.hces[-1] == fsm.hce(pred, gt), name
    assert ours.hces == theirs.hces


@of_each_folder
def test_multiscale_iou(folder):
    for i, (name, pred, gt) in enumerate(pairs(folder)):
        sweep = i < SWEPT and gt.size < 1e6
        ours = stepped(compat.MSIoU, pred, gt, sweep)
        theirs = stepped(peer.MSIoU, pred, gt, sweep)
        for report in ("binary_results", "adaptive_results", "dynamic_results"):
            if edges_of(gt) <= HALF_PRECISION and getattr(theirs, report) is not None:
                np.testing.assert_allclose(
                    getattr(ours, report), getattr(theirs, report), rtol=0, atol=1e-3, err_msg=name
                )


@of_each_folder
def test_multiscale_counts_are_integer_arithmetics(folder):
    for i, (name, pred, gt) in enumerate(pairs(folder)):
        sweep = i == 0 and gt.size < 4e5
        given, target = canonical(pred, gt)
        found = multiscale_statistics(given, target, CONVENTIONS, thresholds=sweep)
        values = represent.unit_values(given)
        kept = represent.adaptive_mask(values, keep_at_zero=True)
        truth = edge_mask(gt > 128)
        masks = {"fixed": values > 0.5, "adaptive": kept}
        counts = dict(zip(masks, found.sides.T, strict=True))
        if sweep:
            levels = np.floor(255 * values)
            for t in (0, 1, 2, 17, 127, 128, 200, 254, 255, 256):
                masks[f"level {t}"], counts[f"level {t}"] = levels >= t, found.thresholds[:, t]
        for k in range(10):
            there = shrink(truth, 2**k)
            assert found.edge_cells[k] == there.sum(), (name, k)
            for side, mask in masks.items():
                shared = shrink(edge_mask(mask), 2**k) & there
                assert counts[side][k] == shared.sum(), (name, k, side)


@of_each_folder
def test_context_measure(folder):
    numbers = []
    for name, pred, gt in pairs(folder):
        expected = test_peer_context.score_or_nan(peer, "ContextMeasure", pred, gt)
        found = test_peer_context.score_or_nan(compat, "ContextMeasure", pred, gt)
        assert np.isfinite(found), name
        assert fsm.c_beta(pred, gt) == pytest.approx(found, abs=1e-12), name
        numbers.append((expected, found))
    assert_close_where_the_peer_answers(numbers)


@pytest.mark.parametrize("folder", PHOTOGRAPHS)
def test_camouflage_context_measure(folder):
    numbers = []
    for name, pred, gt in pairs(folder):
        image = photograph(folder, name, gt)
        expected, found = (
            test_peer_context.score_or_nan(m, "CamouflageContextMeasure", pred, gt, img=image)
            for m in (peer, compat)
        )
        assert np.isfinite(found), name
        assert fsm.c_beta_w(pred, gt, image=image) == pytest.approx(found, abs=1e-12), name
        numbers.append((expected, found))
    assert_close_where_the_peer_answers(numbers)


def assert_close_where_the_peer_answers(numbers):
    expected, found = np.transpose(numbers)
    answered = np.isfinite(expected)
    assert answered.sum() >= 1
    np.testing.assert_allclose(found[answered], expected[answered], rtol=0, atol=1e-6)


@of_each_folder
def test_size_invariant_scores(folder):
    chosen = [
        (pred, gt)
        for name, pred, gt in pairs(folder)
        if test_size_invariant.usable(scenes.Scene(name, pred, gt))
    ]
    assert chosen
    for sample_based in (True, False):
        done = test_size_invariant.stepped(chosen, sample_based=sample_based)
        if sample_based:
            test_size_invariant.compare(chosen, done=done)
        else:
            (theirs, _), (ours, _) = done
            for name, expected in theirs.get_results().items():
                for report, value in ours.get_results()[name].items():
                    np.testing.assert_allclose(value, expected[report], rtol=1e-12, atol=1e-13)
