"""Stages 4 and 5, scores and their reports, on small scenes worked by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest

import fastsegmetrics as fsm
from fastsegmetrics.catalog import protocol_metrics
from fastsegmetrics.conventions import Conventions
from fastsegmetrics.protocol import measure, report
from fastsegmetrics.protocol.value import Protocol
from tests.protocol.worked_scene import GT, PRED, drawn, scored, told, value


def test_target_scores_by_hand() -> None:
    path = "fixed / components(on=both) / opdc(distance=0.5) / {} / raw(average=pooled)"
    pair = (PRED, GT)
    # One of three targets is matched, with IoU 2/4; one of two predictions (4 px of 28) is false.
    expected = {
        "target_precision": 1 / 2,
        "target_recall": 1 / 3,
        "target_f1": 2 / 5,
        "hiou_loc": 1 / 4,
        "hiou_seg": 1 / 2,
        "hiou": 1 / 8,
        "false_alarm": 4 / 28,
        # The line and its prediction: 2 shared, (2, 6) on no target, (3, 6) missed, union 4.
        "hiou_seg_merge": 0.0,
        "hiou_seg_interference": 1 / 4,
        "hiou_seg_perception": 1 / 4,
        # Nearer than .5 px or IoU .5: the square's pair is neither, and the pixel has none.
        "hiou_loc_interference": 1 / 4,
        "hiou_loc_perception": 2 / 4,
        "hiou_loc_many_to_one": 0.0,
        "hiou_loc_one_to_many": 0.0,
    }
    for score, number in expected.items():
        assert value(path.format(score), pair) == pytest.approx(number, abs=1e-15), score
    # Pooled with an image in which the single target is found exactly.
    hit = drawn("#..", "..."), drawn("#..", "...")
    assert value(path.format("hiou"), pair, hit) == pytest.approx((1.5 / 2) * (2 / 5))
    assert value(path.format("false_alarm"), pair, hit) == pytest.approx(4 / 34)
    nothing = drawn("..."), drawn("...")
    for score in expected:
        alone = told(path.format(score), nothing)[""]
        assert math.isnan(alone.value) is (score != "false_alarm")
    assert value(path.format("target_recall"), (drawn("#.."), drawn("..."))) == 0.0


def test_the_survival_of_pairs_by_hand() -> None:
    path = "fixed / components(on=both) / opdc / {} / survival(average=pooled)"
    # Two of three targets are paired, at IoU 2/6 and 2/4.
    curve = told(path.format("hiou"), (PRED, GT))[""].value
    assert curve.shape == (256,)
    assert curve[:86].tolist() == [2 / 3] * 86
    assert curve[86:128].tolist() == [1 / 3] * 42
    assert not curve[128:].any()
    nothing = told(path.format("hiou"), (PRED & False, GT & False))[""]
    assert np.isnan(nothing.value).all()
    assert nothing.n_used == 0


def test_the_shooting_rule_by_hand() -> None:
    path = "fixed / components(on=both) / shooting(near={}, far={}) / {} / raw"
    # (0, 6) is two rows from (2, 6), the square and the line are hit.
    assert value(path.format(1, 4, "target_recall"), (PRED, GT)) == 2 / 3
    assert value(path.format(2, 4, "target_recall"), (PRED, GT)) == 1.0
    assert value(path.format(0, 4, "target_recall"), (PRED, GT)) == 2 / 3
    assert value(path.format(1, 4, "false_alarm"), (PRED, GT)) == 0.0
    # Outside the targets themselves: column 2 of the square, and (2, 6).
    assert value(path.format(1, 0, "false_alarm"), (PRED, GT)) == 3 / 28


def test_scores_of_matched_targets_by_hand() -> None:
    path = "fixed / components(on=both, encoding=mask) / hungarian{} / iou / raw"
    assert value(path.format(""), (PRED, GT)) == pytest.approx((2 / 6 + 2 / 4) / 2)
    # The pixel that is missed scores 0 against an empty map.
    assert value(path.format("(unmatched=empty)"), (PRED, GT)) == pytest.approx(
        (2 / 6 + 2 / 4 + 0) / 3
    )
    missed = told(path.format(""), (PRED & False, GT))[""]
    assert math.isnan(missed.value)
    assert missed.reason == measure.NO_PAIR


def test_a_soft_map_on_matched_targets() -> None:
    soft = np.where(PRED, 0.75, 0.25)
    path = "soft / components(on=both, cut=0.5, encoding=mask) / overlap(iou=0.3) / mae / raw"
    # 2x2 pair: two shared pixels .25 wrong, two missed, two false .75; the line likewise.
    square = (2 * 0.25 + 2 * 1 + 2 * 0.75) / 28
    line = (2 * 0.25 + 1 + 0.75) / 28
    assert value(path, (soft, GT)) == pytest.approx((square + line) / 2)


def test_skeleton_recall_per_target() -> None:
    gt = drawn("#####..", ".......", "....###")
    pred = drawn("##.....", ".......", "....###")
    path = "fixed / components(form=skeleton) / pixelwise / {} / raw"
    assert value(path.format("recall"), (pred, gt)) == pytest.approx((2 / 5 + 1) / 2)
    assert value(path.format("precision"), (pred, gt)) == 1.0


@pytest.mark.parametrize(("encoding", "wrong"), [("mask", 0.5 + 1), ("box", 0.5 + 1 + 0.25)])
def test_the_maps_of_a_target_are_as_large_as_the_image(encoding, wrong) -> None:
    """Zero outside it, and counted: the error of an L of three pixels in 4 × 5."""
    gt, pred = np.zeros((4, 5), bool), np.zeros((4, 5))
    gt[1, 1:3] = gt[2, 1] = True
    pred[1, 1:4] = 0.5, 1.0, 0.9
    pred[2, 2] = 0.25
    path = f"soft / components(encoding={encoding}) / pixelwise / mae / raw"
    assert value(path, (pred, gt)) == pytest.approx(wrong / 20, rel=1e-12)


def test_soft_counts() -> None:
    p = np.array([[0.5, 1.0, 0.25, 0.0]])
    g = np.array([[True, True, False, False]])
    text = "soft / whole / pixelwise / {} / raw"
    assert value(text.format("iou"), (p, g)) == pytest.approx(1.5 / 2.25)
    assert value(text.format("precision"), (p, g)) == pytest.approx(1.5 / 1.75)


def test_thresholds_of_bins() -> None:
    p = np.array([[0.0, 0.25, 0.5, 0.75, 1.0]])
    g = np.array([[True] * 5])
    text = "dynamic(over=bins, n=4{}) / whole / pixelwise / recall / raw"
    np.testing.assert_array_equal(value(text.format(""), (p, g)), [0.8, 0.6, 0.4, 0.2])
    np.testing.assert_array_equal(value(text.format(", keep=>="), (p, g)), [1, 0.8, 0.6, 0.4])
    single = told(text.format(""), (p.astype(np.float32), g))[""].value
    np.testing.assert_array_equal(single, [0.8, 0.6, 0.4, 0.2])


def test_area_under_a_curve_of_thresholds() -> None:
    p = np.array([[0.0, 0.25, 0.5, 0.75, 1.0]])
    text = "dynamic(over=bins, n=4) / whole / pixelwise / recall / auc"
    assert value(text, (p, p > -1)) == pytest.approx((0.7 + 0.5 + 0.3) / 3)
    by_bins = Protocol.parse("dynamic(over=bins) / whole / pixelwise / recall / auc")
    (alone,) = fsm.measure(p, p > -1, by_bins, bins=1).values()
    assert math.isnan(alone)


def test_strata_of_sizes() -> None:
    found = told(
        "fixed / components(encoding=mask) / pixelwise / recall / "
        "raw(average=targets, by=size, limits=2:4, quantiles=0.5)",
        (PRED, GT), (PRED, GT[:, ::-1]), (PRED, GT & False),
    )  # fmt: skip
    # Recalls of the pixel, the line and the square: 0, 2/3, 2/4; mirrored 0, 0, 0.
    assert found["small"] == (0.0, 2, 0, "", 0)
    assert found["medium"].value == pytest.approx(1 / 3)
    assert found["large"].value == pytest.approx(1 / 4)
    assert found[""].value == pytest.approx((2 / 3 + 2 / 4) / 6)
    assert found["q0.5"].value == 0.0
    assert found["large q0.5"].value == pytest.approx(1 / 4)
    # Six targets of two samples; the third has none.
    assert found[""][1:] == found["q0.5"][1:] == (2, 1, measure.NO_TARGET, 0)
    empty = told(
        "fixed / whole / pixelwise / recall / raw(by=size, limits=100:200)", (PRED, GT)
    )  # fmt: skip
    assert empty["large"][1:] == (0, 0, report.NO_SAMPLE, 0)


def test_strata_of_a_column() -> None:
    conventions = Conventions(stretch=False)
    pairs = [(PRED, GT), (GT, GT), (PRED & False, GT), (PRED, GT & False)]
    protocol = Protocol.parse("fixed / whole / pixelwise / recall / raw(by=column.weather)")
    samples = scored(protocol, pairs, conventions)
    found = report.of_samples(protocol, samples, conventions, ["fog", "sun", "fog", "sun"])
    assert {name: one.value for name, one in found.items()} == {
        "": pytest.approx((4 / 8 + 1 + 0 + 0) / 4), "fog": 4 / 8 / 2, "sun": 1 / 2,
    }  # fmt: skip
    halved = protocol.replace(report="raw(by=halves.level)")
    levels = [0.2, 0.1, 0.4, 0.3]
    found = report.of_samples(halved, samples, conventions, levels)
    assert (found["easy"].value, found["hard"].value) == (3 / 4, 0.0)
    alone = halved.replace(report="raw(by=halves.level, part=easy)")
    told_alone = report.of_samples(alone, samples, conventions, levels)
    assert {name: one.value for name, one in told_alone.items()} == {"": 3 / 4}
    with pytest.raises(fsm.InputError, match="value for each of 4 samples; received none"):
        report.of_samples(protocol, samples, conventions)


def test_targets_left_out_of_a_mean_are_counted_by_samples() -> None:
    """A line that is found and one that is not; of the second sample none is found."""
    gt = np.zeros((9, 12), bool)
    gt[1, 1:5] = gt[6, 6:10] = True
    half = gt.copy()
    half[6] = False
    found = told(
        "fixed / components / nearest / hd / raw(average=targets)", (half, gt), (half & False, gt)
    )[""]
    assert found == (0.0, 1, 0, "", 2)
    evaluator = fsm.Evaluator(
        protocol_metrics(
            {"far": Protocol.parse("fixed / components / nearest / hd / raw(average=targets)")}
        )
    )
    evaluator.update(gt, gt)
    row = evaluator.result()["far"]
    assert (row.value, row.n_expected, row.n_used) == (0.0, 1, 1)


def test_size_limits_belong_to_the_larger_side() -> None:
    protocol = Protocol.parse("fixed / whole / pixelwise / iou / raw(by=size)")
    sizes = np.array([0.0, 1, 1023, 1024, 9215, 9216])
    assert report.stratum_of(sizes, protocol.report).tolist() == [-1, 0, 0, 1, 1, 2]
    three = protocol.replace(report="raw(by=size, limits=5)").report
    assert three.strata == ("0-5", "5-inf")


def test_no_target_says_so() -> None:
    found = told("fixed / components / pixelwise / iou / raw", (PRED, GT & False))[""]
    assert (math.isnan(found.value), found[1:]) == (True, (0, 1, measure.NO_TARGET, 0))
    whole = "fixed / components(empty=whole) / pixelwise / iou / raw"
    assert value(whole, (PRED, GT & False)) == 0.0


def test_protocols_run_in_an_evaluator() -> None:
    low = Protocol.parse("fixed / components / pixelwise / iou / raw(by=size, limits=2:4)")
    curve = Protocol.parse("dynamic(over=bins, n=4) / boundary / pixelwise / dice / raw")
    metrics = ["mae", *protocol_metrics({"parts": low, "edges": curve})]
    whole, first, second = (fsm.Evaluator(metrics, stretch=False) for _ in range(3))
    pairs = [(PRED, GT), (GT, GT), (PRED, GT & False)]
    for k, (pred, gt) in enumerate(pairs):
        whole.update(pred, gt, sample_id=str(k))
        (first if k == 1 else second).update(pred, gt, sample_id=str(k))
    first.merge(second)
    result = whole.result()
    assert first.result().to_json() == result.to_json()
    boxes = (2 / 4 + 0 + 2 / 3) / 3
    np.testing.assert_allclose(result.per_image["parts"], [boxes, 1, np.nan])
    assert result["parts"].value == pytest.approx((boxes + 1) / 2)
    assert (result["parts"].n_used, result["parts"].n_undefined) == (2, 1)
    assert result["parts[small]"].value == pytest.approx(1 / 2)
    assert result.curves["edges"].shape == (4,)
    assert result.contract.metrics["parts"]["protocol"] == str(low)
    alone = fsm.measure(PRED, GT, low, stretch=False)
    assert alone == fsm.measure(PRED, GT, [str(low)], stretch=False)
    assert alone == {low.name: pytest.approx(boxes)}


def test_measurements_of_other_protocols_do_not_add_up() -> None:
    rows = [
        protocol_metrics({"one": Protocol.parse(f"{r} / whole / pixelwise / iou / raw")})
        for r in ("fixed(t=0.3)", "fixed(t=0.4)")
    ]
    measured = fsm.Plan(rows[0]).measure(PRED, GT)
    with pytest.raises(fsm.InputError, match="same metrics"):
        fsm.Evaluator(rows[1]).add(measured)
