"""Overlap beside MedPy, scikit-learn and scikit-image; each test runs where its peer is."""

from __future__ import annotations

import math

import numpy as np
import pytest

import fastsegmetrics as fsm
from fastsegmetrics.compat import medpy_binary

FUNCTIONS = (
    "dc", "jc", "precision", "recall", "sensitivity", "specificity", "true_negative_rate",
    "true_positive_rate", "positive_predictive_value", "ravd",
)  # fmt: skip


def random_masks(seed: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    shape = tuple(rng.integers(1, 9, rng.integers(1, 4)))
    share = rng.choice([0.0, 0.1, 0.5, 1.0], 2)
    return rng.random(shape) < share[0], rng.random(shape) < share[1]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("seed", range(60))
def test_medpy(seed) -> None:
    peer = pytest.importorskip("medpy.metric.binary")
    pred, gt = random_masks(seed)
    for name in FUNCTIONS:
        try:
            expected = float(getattr(peer, name)(pred, gt))
        except RuntimeError as error:
            with pytest.raises(RuntimeError, match=str(error)):
                getattr(medpy_binary, name)(pred, gt)
            continue
        if not math.isnan(expected):
            assert getattr(medpy_binary, name)(pred, gt) == expected, name


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", ["volume_correlation", "volume_change_correlation"])
def test_medpy_correlations(name) -> None:
    peer = pytest.importorskip("medpy.metric.binary")
    rng = np.random.default_rng(5)
    preds = [rng.random((3, 4, 5)) < share for share in rng.random(9)]
    truths = [pred | (rng.random((3, 4, 5)) < 0.3) for pred in preds]
    expected = getattr(peer, name)(preds, truths)
    assert getattr(medpy_binary, name)(preds, truths) == pytest.approx(tuple(expected), rel=1e-12)


@pytest.mark.parametrize("seed", range(40))
def test_scikit_learn(seed) -> None:
    metrics = pytest.importorskip("sklearn.metrics")
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 7))
    shape = tuple(rng.integers(2, 9, rng.integers(1, 4)))
    gt, pred = rng.integers(0, n, (2, *shape))
    found = fsm.label_overlap(pred, gt, labels=n)
    labels, flat = list(range(n)), (gt.ravel(), pred.ravel())
    np.testing.assert_array_equal(found.table, metrics.confusion_matrix(*flat, labels=labels))
    defined = found.support + found.predicted > 0
    scores = {
        "iou": metrics.jaccard_score,
        "dice": metrics.f1_score,
        "precision": metrics.precision_score,
        "recall": metrics.recall_score,
    }
    for name, score in scores.items():
        expected = score(*flat, labels=labels, average=None, zero_division=0)
        np.testing.assert_allclose(getattr(found, name)[defined], expected[defined], rtol=1e-12)
    assert found.pixel_accuracy == pytest.approx(metrics.accuracy_score(*flat), rel=1e-12)
    assert found.kappa == pytest.approx(metrics.cohen_kappa_score(*flat), rel=1e-9, abs=1e-12)
    present = found.support > 0
    assert found.mean_accuracy == pytest.approx(
        metrics.recall_score(
            *flat, labels=np.flatnonzero(present), average="macro", zero_division=0
        ),
        rel=1e-12,
    )
    weighted = metrics.jaccard_score(*flat, labels=labels, average="weighted", zero_division=0)
    assert found.frequency_weighted_iou == pytest.approx(weighted, rel=1e-12)
    micro = metrics.jaccard_score(*flat, labels=labels, average="micro", zero_division=0)
    assert found.micro_iou == pytest.approx(micro, rel=1e-12)


@pytest.mark.parametrize("seed", range(20))
def test_scikit_learn_with_ignored_pixels(seed) -> None:
    metrics = pytest.importorskip("sklearn.metrics")
    rng = np.random.default_rng(seed)
    gt, pred = rng.integers(0, 4, (2, 9, 7))
    gt[rng.random(gt.shape) < 0.3] = 255
    found = fsm.label_overlap(pred, gt, labels=4, ignore_label=255)
    kept = gt != 255
    expected = metrics.confusion_matrix(gt[kept], pred[kept], labels=[0, 1, 2, 3])
    np.testing.assert_array_equal(found.table, expected)


def test_scikit_learn_multilabel() -> None:
    metrics = pytest.importorskip("sklearn.metrics")
    rng = np.random.default_rng(3)
    gt, pred = rng.random((2, 5, 6, 7)) < 0.4
    found = fsm.multilabel_overlap(pred, gt)
    four = metrics.multilabel_confusion_matrix(gt.reshape(5, -1).T, pred.reshape(5, -1).T)
    counts = found.counts
    ours = np.array([[counts.tn, counts.fp], [counts.fn, counts.tp]]).transpose(2, 0, 1)
    np.testing.assert_array_equal(ours, four)


def test_scikit_image() -> None:
    metrics = pytest.importorskip("skimage.metrics")
    rng = np.random.default_rng(4)
    gt, pred = rng.integers(0, 5, (2, 6, 7, 8))
    table = metrics.contingency_table(gt, pred).toarray()
    np.testing.assert_array_equal(fsm.label_overlap(pred, gt, labels=5).table, table)
