"""The peer's size-invariant classes: results, their shapes, handlers, refusals."""

import inspect
import math

import numpy as np
import pytest

from fastsegmetrics.compat import py_sod_metrics as whole
from fastsegmetrics.compat.py_sod_metrics.handlers import _BaseHandler
from fastsegmetrics.compat.py_sod_metrics.size_invariance import (
    SizeInvarianceFmeasureV2,
    SizeInvarianceMAE,
)
from fastsegmetrics.errors import InputError


def pair():
    gt = np.zeros((12, 30), np.uint8)
    gt[1:11, 2:7] = gt[1:11, 15:25] = 255
    gt[0, 29] = 129  # a speck, no target
    gt[0, 0] = 128  # background
    pred = np.zeros(gt.shape, np.uint8)
    pred[1:11, 2:7], pred[1:11, 15:20], pred[11, :10] = 250, 80, 60
    return pred, gt


ONE_TARGET = np.zeros((12, 30), np.uint8)
ONE_TARGET[2:10, 2:12] = 255


def everything(cls, **options):
    return cls(with_dynamic=True, with_adaptive=True, with_binary=True, **options)


def test_error():
    metric = SizeInvarianceMAE()
    assert isinstance(metric, whole.MAE)
    assert math.isnan(metric.get_results()["si_mae"])
    pred, gt = pair()
    assert metric.step(pred=pred, gt=gt) is None
    expected = (3.4 / 150 + 0.5 * 0.68 + 0.5) / 3.4
    assert metric.maes == [pytest.approx(expected, rel=1e-14)]
    metric.step(pred / 250, gt > 128, normalize=False)
    assert metric.maes[1] == pytest.approx(expected, rel=1e-14)
    perfect = np.where(gt > 128, 255, 0)
    metric.step(perfect, gt)
    results = metric.get_results()
    assert list(results) == ["si_mae"]
    assert results["si_mae"] == pytest.approx(2 * expected / 3, rel=1e-14)
    assert metric.cal_mae(np.array([0.5, 0.0]), np.array([True, False])) == 0.25


def test_results_of_sample_based_handlers():
    iou = everything(whole.IOUHandler)
    metric = SizeInvarianceFmeasureV2({"iou": iou})
    metric.add_handler("recall", whole.RecallHandler(with_dynamic=True, with_adaptive=False))
    metric.step(*pair())
    metric.step(ONE_TARGET, ONE_TARGET)
    found = metric.get_results()
    assert {name: list(results) for name, results in found.items()} == {
        "iou": ["dynamic", "adaptive", "binary"],
        "recall": ["dynamic"],
    }
    # Stretched by 250, so that 80 becomes level 81; the second target is half kept until there.
    assert [curves.shape for curves in found["iou"]["dynamic"]] == [(2, 256), (1, 256)]
    first, second = found["iou"]["dynamic"][0]
    assert first[[0, 254, 255]].tolist() == [1.0, 1.0, pytest.approx(50 / 360)]
    assert second[[0, 173, 174, 255]].tolist() == [0.0, 0.0, 0.5, pytest.approx(100 / 360)]
    assert iou.binary_results == [0.5, 1.0]
    assert found["iou"]["binary"] == 0.75
    # Twice the mean of the second local map, .0889, keeps its left half.
    assert iou.adaptive_results == [0.75, 1.0]
    assert found["iou"]["adaptive"] == 0.875


def test_results_of_pooled_handlers():
    metric = SizeInvarianceFmeasureV2({"iou": everything(whole.IOUHandler, sample_based=False)})
    metric.step(*pair())
    metric.step(ONE_TARGET, ONE_TARGET)
    handler = metric._metric_handlers["iou"]
    assert handler.binary_results == {"tp": 130, "fp": 0, "tn": 850, "fn": 100}
    assert [curve.shape for curve in handler.dynamic_results] == [(256,)] * 3
    assert handler.adaptive_results == [0.75, 1.0]
    found = metric.get_results()["iou"]
    assert found["binary"] == pytest.approx(130 / 230, rel=1e-15)
    assert found["adaptive"] == 0.875
    assert found["dynamic"].shape == (256,)
    assert found["dynamic"][[0, 254]].tolist() == pytest.approx([2 / 3, 2.5 / 3], rel=1e-15)


def test_results_without_images():
    sample, pooled = (
        SizeInvarianceFmeasureV2({"f": everything(whole.FmeasureHandler, sample_based=s)})
        for s in (True, False)
    )
    found = sample.get_results()["f"]
    assert found["dynamic"] == []
    assert math.isnan(found["adaptive"])
    assert math.isnan(found["binary"])
    found = pooled.get_results()["f"]
    assert math.isnan(found["dynamic"])
    assert found["binary"] == 0.0


class Seen(_BaseHandler):
    """A user's handler, which records what it is called with and spoils it."""

    def __call__(self, *, tp, fp, tn, fn):
        self.__dict__.setdefault("calls", []).append([np.copy(v) for v in (tp, fp, tn, fn)])
        score = self.divide(tp, tp + fp)
        if np.ndim(tp):
            tp[:] = -1
        return score


@pytest.mark.parametrize("sample_based", [True, False])
def test_user_defined_handlers_are_called_for_each_target(sample_based):
    seen = everything(Seen, sample_based=sample_based)
    precision = everything(whole.PrecisionHandler, sample_based=sample_based)
    metric = SizeInvarianceFmeasureV2({"seen": seen, "precision": precision})
    metric.step(*pair())
    assert [call[0].shape for call in seen.calls[:4]] == [(256,), (256,), (), ()]
    assert [int(v) for v in seen.calls[3]] == [50, 0, 260, 50]
    found = metric.get_results()
    for report in ("dynamic", "adaptive", "binary"):
        np.testing.assert_array_equal(found["seen"][report], found["precision"][report])


def test_truths_without_foreground_or_background_are_one_target():
    pred, _ = pair()
    for gt in (np.zeros_like(pred), np.full_like(pred, 255)):
        plain, local = whole.FmeasureV2(), SizeInvarianceFmeasureV2()
        for metric in (plain, local):
            metric.add_handler("ber", everything(whole.BERHandler))
            metric.step(pred, gt)
        expected, found = plain.get_results()["ber"], local.get_results()["ber"]
        np.testing.assert_array_equal(found["dynamic"], [expected["dynamic"][None]])
        assert (found["adaptive"], found["binary"]) == (expected["adaptive"], expected["binary"])
        errors = whole.MAE(), SizeInvarianceMAE()
        for metric in errors:
            metric.step(pred, gt)
        assert errors[1].maes[0] == pytest.approx(errors[0].maes[0], rel=1e-14)


def test_a_hundred_targets():
    rows, columns = np.indices((80, 90))
    gt = np.where((rows % 9 < 8) & (columns % 9 < 8), 255, 0).astype(np.uint8)
    metric = SizeInvarianceFmeasureV2({"iou": everything(whole.IOUHandler)})
    metric.step(np.where(columns < 45, gt, 0), gt)
    found = metric.get_results()["iou"]
    assert found["dynamic"][0].shape == (90, 256)
    assert found["binary"] == 0.5


@pytest.mark.parametrize("lay", [np.asfortranarray, lambda a: np.repeat(a, 2, 1)[:, ::2]])
@pytest.mark.parametrize("normalize", [True, False])
def test_layouts(lay, normalize):
    pred, gt = pair()
    if not normalize:
        pred, gt = pred / 255, gt > 128
    results = []
    for arrays in ((pred, gt), (lay(pred), lay(gt))):
        metric = SizeInvarianceFmeasureV2({"f": everything(whole.FmeasureHandler)})
        metric.step(*arrays, normalize=normalize)
        results.append(metric.get_results()["f"])
    np.testing.assert_array_equal(results[0]["dynamic"], results[1]["dynamic"])
    assert results[0]["adaptive"] == results[1]["adaptive"]


def test_refusals():
    pred, gt = pair()
    for metric in (
        SizeInvarianceMAE(),
        SizeInvarianceFmeasureV2({"iou": everything(whole.IOUHandler)}),
    ):
        with pytest.raises(InputError, match=r"one shape; received \(30, 12\) and \(12, 30\)"):
            metric.step(pred.T, gt)
        with pytest.raises(InputError, match="2-D"):
            metric.step(pred.ravel(), gt.ravel())
        with pytest.raises(InputError, match="gt must be boolean"):
            metric.step(pred / 255, gt, normalize=False)
    with pytest.raises(InputError, match="at least one handler"):
        SizeInvarianceFmeasureV2().step(pred, gt)


def test_a_mask_of_ones_is_pointed_out():
    pred, gt = pair()
    with pytest.warns(UserWarning, match="gt must be 0..255") as caught:
        SizeInvarianceMAE().step(pred, (gt > 128).astype(np.uint8))
    assert caught[0].filename == inspect.getfile(test_refusals)
