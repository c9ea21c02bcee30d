"""The classes of pyirstdmetrics: what they keep and return, with numbers that the peer gave."""

from __future__ import annotations

import math
import warnings

import numpy as np
import pytest

import fastsegmetrics as fsm
from fastsegmetrics.compat import py_irstd_metrics as compat
from fastsegmetrics.compat.py_irstd_metrics import targetwise_metrics
from fastsegmetrics.compat.py_irstd_metrics.pixelwise_metrics import _BaseHandler

TARGETWISE = (
    compat.MatchingBasedMetrics,
    compat.HierarchicalIoUBasedErrorAnalysis,
    compat.ProbabilityDetectionAndFalseAlarmRate,
    compat.ShootingRuleBasedProbabilityDetectionAndFalseAlarmRate,
)


@pytest.mark.parametrize("metric", TARGETWISE)
def test_the_peers_module_has_its_classes(metric) -> None:
    assert getattr(targetwise_metrics, metric.__name__) is metric


def pair() -> tuple[np.ndarray, np.ndarray]:
    """Return 20 × 30 pixels: a target found one column off, one missed, a false one, and a haze."""
    truth = np.zeros((20, 30), bool)
    truth[2:5, 3:6] = truth[10:12, 20:22] = True
    pred = np.random.default_rng(0).random((20, 30)) * 0.4
    pred[2:5, 4:7] = 0.9
    pred[15, 15] = 0.8
    return pred, truth


def updated(metric, pred=None, truth=None):
    metric.update(*(pair() if pred is None else (pred, truth)))
    return metric


def sums(metric) -> dict[str, object]:
    return {
        name: value.tolist() if isinstance(value, np.ndarray) else value
        for name, value in vars(metric).items()
        if name.startswith(("tp_", "fp_", "fn_", "seg_", "num_tgts", "total_"))
    }


def test_hierarchical_iou_at_one_threshold_and_at_three() -> None:
    metric = updated(compat.MatchingBasedMetrics())
    assert sums(metric) == {
        "tp_objs": [1], "fp_objs": [1], "fn_objs": [1], "fp_area": [1], "tp_ious": [0.5],
        "total_area": 600,
    }  # fmt: skip
    found = metric.get()
    assert list(found) == ["false_alarm", "probability_detection", "hiou"]
    assert found["hiou"] == pytest.approx([1 / 6], rel=1e-12)
    assert found["false_alarm"] == pytest.approx([1 / 600], rel=1e-12)
    assert found["probability_detection"] == [0.5]
    by_distance = compat.DistanceOnlyMatching()
    metric = updated(compat.MatchingBasedMetrics(3, matching_method=by_distance))
    np.testing.assert_array_equal(metric.thresholds, [0, 1 / 3, 2 / 3])
    assert sums(metric)["fp_objs"] == [1, 44, 1]
    assert sums(metric)["fp_area"] == [600, 80, 1]
    assert metric.get()["hiou"] == pytest.approx([0, 0.00809889, 1 / 6], abs=1e-8)
    # Twice the same image changes no quotient.
    again = metric.get()
    updated(metric)
    for name, curve in metric.get().items():
        np.testing.assert_allclose(curve, again[name], rtol=1e-12)


def test_error_analysis() -> None:
    metric = updated(compat.HierarchicalIoUBasedErrorAnalysis(3))
    kept = sums(metric)
    assert kept["num_tgts_for_itf_err"] == [1, 41, 1]
    assert kept["num_tgts_for_pcp_err"] == [2, 0, 1]
    assert kept["num_tgts_for_m2s_err"] == [0, 3, 0]
    assert kept["num_tgts_for_s2m_err"] == [0, 0, 0]
    assert (kept["fp_area"], kept["total_area"]) == ([0, 0, 0], 0)
    expected = {
        "seg_iou": [0, 0.18627451, 0.5],
        "seg_mrg_err": [0, 0, 0],
        "seg_itf_err": [0, 0.53431373, 0.25],
        "seg_pcp_err": [0, 0.27941176, 0.25],
        "loc_iou": [0, 0.04347826, 1 / 3],
        "loc_s2m_err": [0, 0, 0],
        "loc_m2s_err": [0, 0.06521739, 0],
        "loc_itf_err": [1 / 3, 0.89130435, 1 / 3],
        "loc_pcp_err": [2 / 3, 0, 1 / 3],
    }
    found = metric.get()
    assert list(found) == list(expected)
    for name, curve in expected.items():
        np.testing.assert_allclose(found[name], curve, atol=1e-8, err_msg=name)


def test_detection_by_distance_and_by_the_shooting_rule() -> None:
    metric = updated(compat.ProbabilityDetectionAndFalseAlarmRate(3))
    assert sums(metric)["tp_objs"] == [0, 2, 1]
    assert metric.get()["false_alarm"] == pytest.approx([1, 80 / 600, 1 / 600], rel=1e-12)
    metric = updated(compat.ShootingRuleBasedProbabilityDetectionAndFalseAlarmRate())
    assert (metric.box_1_radius, metric.box_2_radius, metric.total_objs) == (1, 4, 2)
    assert metric.get()["probability_detection"] == [0.5]
    assert metric.get()["false_alarm"] == pytest.approx([1 / 600], rel=1e-12)


def test_pixels_at_the_threshold_and_at_the_levels() -> None:
    metric = compat.CMMetrics()
    assert (metric.num_bins, metric.threshold) == (10, 0.5)
    metric.add_handler("iou", compat.IoUHandler(with_dynamic=True))
    metric.add_handler("pooled", compat.IoUHandler(sample_based=False))
    metric.add_handler("f", compat.FmeasureHandler(with_dynamic=True, with_binary=True))
    metric.add_handler("fpr", compat.FPRHandler())
    metric.add_handler("recall", compat.TPRHandler())
    found = updated(metric).get()
    curve = [0.375, *[6 / 17] * 4, 0.06666667, 0.03630363, 0.02631579, 0.02166667]
    np.testing.assert_allclose(found["iou"]["dynamic"], curve, atol=1e-8)
    assert found["iou"]["binary"] == found["pooled"]["binary"] == pytest.approx(6 / 17)
    assert found["f"]["binary"] == pytest.approx(0.5611510791366906, rel=1e-12)
    assert list(found["fpr"]) == ["binary"]
    assert found["recall"]["binary"] == 6 / 13
    assert updated(compat.CMMetrics(4, 0.3, {"iou": compat.IoUHandler()})).get()["iou"][
        "binary"
    ] == pytest.approx(0.045454545454545456, rel=1e-12)
    assert compat.TPRHandler is compat.RecallHandler
    handler = compat.FmeasureHandler(with_dynamic=False)
    assert (handler.beta, handler.binary_results, handler.dynamic_results) == (0.3, None, None)


def test_handlers_of_ones_own() -> None:
    class Share(_BaseHandler):
        def __call__(self, tp, fp, tn, fn):
            return (tp + fp) / (tp + fp + tn + fn)

    metric = compat.CMMetrics(3, metric_handlers={"share": Share(with_dynamic=True)})
    pred, truth = np.array([[0.2, 0.6, 0.9, 0.0]]), np.array([[True, False, False, True]])
    found = updated(metric, pred, truth).get()["share"]
    np.testing.assert_array_equal(found["dynamic"], [0.5, 1])
    assert found["binary"] == 0.5
    with pytest.raises(NotImplementedError, match="_BaseHandler must define __call__"):
        _BaseHandler()(1, 2, 3, 4)


@pytest.mark.parametrize(
    ("sides", "expected"),
    [((False, True), (1, 3)), ((True, False), (2, 1)), ((False, False), (1, 1))],
)
def test_phantoms_of_empty_sides_are_the_peers(sides, expected) -> None:
    pred, truth = np.zeros((20, 30)), np.zeros((20, 30), bool)
    if sides[0]:
        pred[2:5, 4:7], pred[15, 15] = 0.9, 0.8
    if sides[1]:
        truth[2:5, 3:6] = truth[10:12, 20:22] = truth[0, 0] = True
    for metric in (compat.MatchingBasedMetrics(), compat.HierarchicalIoUBasedErrorAnalysis()):
        kept = sums(updated(metric, pred, truth))
        assert (kept["fp_objs"], kept["fn_objs"]) == ([expected[0]], [expected[1]])
        assert kept["tp_objs"] == [0]
    assert kept["num_tgts_for_itf_err"] == [expected[0]]
    assert kept["num_tgts_for_pcp_err"] == [expected[1]]
    by_distance = compat.DistanceOnlyMatching()
    kept = sums(updated(compat.MatchingBasedMetrics(matching_method=by_distance), pred, truth))
    assert (kept["fp_objs"], kept["fn_objs"]) == ([2 * sides[0]], [3 * sides[1]])
    # The definition has none.
    names = ("hiou_loc.bin", "target_precision.bin")
    native = fsm.Plan(names).measure(pred, truth).values
    assert np.isnan(native).all() if not any(sides) else (native == 0).all()


def test_phantoms_match_in_images_of_two_pixels() -> None:
    blank, both = np.zeros((1, 2)), np.ones((1, 2), bool)
    for truth in (both, ~both):
        kept = sums(updated(compat.MatchingBasedMetrics(), blank, truth))
        assert kept == {
            "tp_objs": [1], "fp_objs": [0], "fn_objs": [0], "fp_area": [0], "tp_ious": [0],
            "total_area": 2,
        }  # fmt: skip
    kept = sums(updated(compat.HierarchicalIoUBasedErrorAnalysis(), blank, both))
    assert (kept["seg_pcp_err"], kept["num_tgts_for_pcp_err"]) == ([1], [0])


def test_a_phantom_truth_that_is_matched_has_errors() -> None:
    pred = np.array([[0.9, 0.9]])
    kept = sums(updated(compat.HierarchicalIoUBasedErrorAnalysis(), pred, pred < 0))
    assert (kept["tp_objs"], kept["seg_itf_err"], kept["seg_pcp_err"]) == ([1], [1], [0])
    # The first prediction is the phantom's, and no false alarm.
    pred = np.array([[0.9, 0.9, 0, 0.8]])
    metric = compat.MatchingBasedMetrics(matching_method=compat.OPDCMatching(0.5, 9))
    kept = sums(updated(metric, pred, pred < 0))
    assert (kept["tp_objs"], kept["fp_objs"], kept["fp_area"]) == ([1], [1], [1])


def test_before_the_first_update_all_is_zero() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for cls in TARGETWISE:
            for curve in cls(4).get().values():
                np.testing.assert_array_equal(curve, np.zeros(4))
        metric = compat.CMMetrics(
            metric_handlers={
                "mean": compat.IoUHandler(with_dynamic=True),
                "pooled": compat.IoUHandler(sample_based=False),
            }
        )
        found = metric.get()
    assert math.isnan(found["mean"]["binary"])
    assert math.isnan(found["mean"]["dynamic"])
    assert found["pooled"]["binary"] == 0


def test_a_way_to_match_of_ones_own() -> None:
    class Largest:
        """The largest of each side are a pair."""

        def __call__(self, pred_map, mask_map, pred_props, mask_props):
            assert pred_map.dtype == mask_map.dtype == np.int32
            status = np.zeros((len(mask_props), len(pred_props)), bool)
            if status.size:
                areas = [[one.area for one in side] for side in (mask_props, pred_props)]
                status[np.argmax(areas[0]), np.argmax(areas[1])] = True
            return status, None

    kept = sums(updated(compat.MatchingBasedMetrics(matching_method=Largest())))
    assert (kept["tp_objs"], kept["fp_objs"], kept["fp_area"]) == ([1], [1], [1])
    assert kept["tp_ious"] == [0.5]

    class Nothing(compat.OPDCMatching):
        def __call__(self, *given):
            status, ious = super().__call__(*given)
            return status & False, ious

    kept = sums(updated(compat.MatchingBasedMetrics(matching_method=Nothing())))
    assert (kept["tp_objs"], kept["fp_objs"], kept["fp_area"]) == ([0], [2], [10])


def test_matchings_called_by_hand_work_in_place() -> None:
    method = compat.OPDCMatching()
    status = np.zeros((2, 3), bool)
    distance = np.array([[1.0, 2, 9], [5, 1, 9]])
    valid = np.array([[True, False, False], [False, False, False]])
    assert method.overlap_priority_constraint(status, distance, valid) is None
    np.testing.assert_array_equal(status, valid)
    assert method.distance_based_compensation(status, distance, distance < 3) is None
    np.testing.assert_array_equal(np.argwhere(status), [(0, 0), (1, 1)])


@pytest.mark.parametrize("bins", [1, 5])
def test_precisions_and_layouts(bins) -> None:
    pred, truth = pair()
    # Twentieths of float16 lie on none of the thresholds.
    pred = np.round(pred * 20) / 20 + 0.01
    expected = sums(updated(compat.MatchingBasedMetrics(bins), pred, truth))
    big_endian = pred.astype(">f8")
    padded = np.kron(pred, np.ones((2, 2)))[::2, ::2]
    for other in (pred.astype(np.float16), pred.astype(np.float32), big_endian, padded):
        assert sums(updated(compat.MatchingBasedMetrics(bins), other, truth)) == expected


def test_limits_need_not_be_whole() -> None:
    for cls in (compat.OPDCMatching, compat.DistanceOnlyMatching,
                compat.HierarchicalIoUBasedErrorAnalysis,
                compat.ProbabilityDetectionAndFalseAlarmRate):  # fmt: skip
        cls(distance_threshold=2.5)
        for wrong in (0, -1):
            with pytest.raises(fsm.InputError, match="distance_threshold must be greater than 0"):
                cls(distance_threshold=wrong)
    for wrong in (-0.1, 1, 2):
        with pytest.raises(ValueError, match=r"overlap_threshold must be in \[0, 1\)"):
            compat.OPDCMatching(wrong)
    assert compat.OPDCMatching(0.0).overlap_threshold == 0


def test_refusals() -> None:
    pred, truth = pair()
    refused = {
        r"one shape; received \(5, 30\) and \(20, 30\)": (pred[:5], truth),
        "mask must be boolean; received dtype uint8": (pred, truth.astype(np.uint8)),
        "prob must be floats": ((255 * pred).astype(np.uint8), truth),
        r"prob must lie in \[0, 1\]": (pred + 0.5, truth),
        "at least one pixel": (pred[:0], truth[:0]),
    }
    metrics = [cls() for cls in TARGETWISE]
    metrics.append(compat.CMMetrics(metric_handlers={"iou": compat.IoUHandler()}))
    for words, given in refused.items():
        for metric in metrics:
            with pytest.raises(AssertionError, match=words) as error:
                metric.update(*given)
            assert isinstance(error.value, fsm.InputError)
    nan = pred.copy()
    nan[3, 4] = np.nan
    for metric in metrics:
        with pytest.raises(fsm.InputError, match="received values from nan"):
            metric.update(nan, truth)
    for metric in metrics[:-1]:
        with pytest.raises(fsm.InputError, match="must be 2-D"):
            metric.update(pred[None], truth[None])
        assert not any(np.any(total) for total in sums(metric).values())
    with pytest.raises(fsm.InputError, match="at least one handler"):
        compat.CMMetrics().update(pred, truth)
    for cls in TARGETWISE:
        for bins in (0, -1, 2.5, "x", True):
            with pytest.raises(fsm.InputError, match="num_bins must be an integer of at least 1"):
                cls(num_bins=bins)
    for radii in ((0, 4), (4, 4), (5, 2)):
        with pytest.raises(fsm.InputError, match="box_2_radius must be greater than box_1_radius"):
            compat.ShootingRuleBasedProbabilityDetectionAndFalseAlarmRate(1, *radii)
    with pytest.raises(fsm.InputError, match="must be whole numbers"):
        compat.ShootingRuleBasedProbabilityDetectionAndFalseAlarmRate(1, 1.5, 4)
