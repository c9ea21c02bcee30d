"""Areas under PR and ROC curves: the peer's example and scikit-learn."""

import numpy as np
import py_sod_metrics as peer
import pytest
import scenes
from sklearn.metrics import average_precision_score, roc_auc_score

import fastsegmetrics as fsm
from fastsegmetrics.compat import py_sod_metrics as compat


def two_class_scenes():
    return [s for s in scenes.small_scenes() if 0 < (s.gt > 128).sum() < s.gt.size]


def area(x, y):
    """Trapezoid over a curve listed by ascending threshold, then sorted stably by x."""
    order = np.argsort(x, kind="stable")
    x, y = x[order], y[order]
    return (np.diff(x) * (y[1:] + y[:-1]) / 2).sum()


def mean_curves(module, pairs):
    """Mean curves of a data set with the peer's interface, thresholds ascending."""
    handlers = {
        "precision": module.PrecisionHandler(with_dynamic=True, with_adaptive=False),
        "recall": module.TPRHandler(with_dynamic=True, with_adaptive=False),
        "fpr": module.FPRHandler(with_dynamic=True, with_adaptive=False),
    }
    metric = module.FmeasureV2(handlers)
    for pred, gt in pairs:
        metric.step(pred, gt)
    return {k: v["dynamic"][::-1] for k, v in metric.get_results().items()}


def test_areas_of_the_mean_curves_as_the_peers_example_takes_them():
    pairs = [(s.pred, s.gt) for s in scenes.all_scenes()]
    evaluator = fsm.Evaluator("ap.trapezoid,auc.trapezoid", pred_scale=255)
    for pair in pairs:
        evaluator.update(*pair)
    result = evaluator.result()
    for module in (peer, compat):
        curves = mean_curves(module, pairs)
        ap, auc = area(curves["recall"], curves["precision"]), area(curves["fpr"], curves["recall"])
        assert result["ap.trapezoid"].value == pytest.approx(ap, rel=1e-12)
        assert result["auc.trapezoid"].value == pytest.approx(auc, rel=1e-12)


def test_areas_of_one_image():
    for scene in two_class_scenes():
        curves = mean_curves(peer, [(scene.pred, scene.gt)])
        ap, auc = area(curves["recall"], curves["precision"]), area(curves["fpr"], curves["recall"])
        pair = scene.pred, scene.gt
        assert fsm.ap(*pair, pred_scale=255) == pytest.approx(ap, rel=1e-12, abs=1e-15)
        assert fsm.auc(*pair, pred_scale=255) == pytest.approx(auc, rel=1e-12, abs=1e-15)


def levels(scene):
    values = scene.pred / 255
    low, high = values.min(), values.max()
    return np.floor(255 * (values if low == high else (values - low) / (high - low)))


def test_step_and_anchored_rules_are_scikit_learns():
    for scene in two_class_scenes():
        truth, score = (scene.gt > 128).ravel(), levels(scene).ravel()
        pair = scene.pred, scene.gt
        assert fsm.ap(*pair, rule="step", pred_scale=255) == pytest.approx(
            average_precision_score(truth, score), rel=1e-12
        )
        assert fsm.auc(*pair, rule="anchored", pred_scale=255) == pytest.approx(
            roc_auc_score(truth, score), rel=1e-12, abs=1e-15
        )


def test_pooled_areas_are_scikit_learns_of_all_pixels():
    chosen = two_class_scenes()
    evaluator = fsm.Evaluator("ap.step_pooled,auc.anchored_pooled", pred_scale=255)
    for scene in chosen:
        evaluator.update(scene.pred, scene.gt)
    truth = np.concatenate([(s.gt > 128).ravel() for s in chosen])
    score = np.concatenate([levels(s).ravel() for s in chosen])
    result = evaluator.result()
    assert result["ap.step_pooled"].value == pytest.approx(
        average_precision_score(truth, score), rel=1e-12
    )
    assert result["auc.anchored_pooled"].value == pytest.approx(
        roc_auc_score(truth, score), rel=1e-12
    )
