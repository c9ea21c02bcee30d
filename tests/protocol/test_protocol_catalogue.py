"""Every metric of the catalogue: led step by step it has the number of its fused path."""

from __future__ import annotations

from collections import defaultdict

import numpy as np
import pytest

import fastsegmetrics as fsm
from fastsegmetrics import represent
from fastsegmetrics.catalog import METRICS
from fastsegmetrics.conventions import Conventions
from fastsegmetrics.families.protocols import _group
from fastsegmetrics.plan import Plan
from fastsegmetrics.protocol import measure, report
from fastsegmetrics.protocol.measure import Scored
from fastsegmetrics.target import Target
from tests.conftest import JIT_IS_OFF

EVERYTHING = "all,photo"
#: Those with a path of the option sets.
PATHS = {name: metric for name, metric in METRICS.items() if metric.protocol is not None}
#: Two sums of the same numbers in another order.
CLOSE = {"rtol": 1e-12, "atol": 1e-12}


def zoo() -> dict[str, tuple[np.ndarray, np.ndarray]]:
    shape = (13, 19)
    rng = np.random.default_rng(5)
    rows, columns = np.indices(shape)
    blobs = (rows - 5) ** 2 + (columns - 6) ** 2 < 20
    blobs[9:12, 14:19] = True
    pred = np.clip(np.roll(blobs, 2, 1) * 180 + rng.integers(0, 9, shape) * 8, 0, 255)
    pred = pred.astype(np.uint8)
    nothing = np.zeros(shape, bool)
    return {
        "blobs": (pred, blobs),
        "floats": ((pred[:, ::-1] / 255.0)[::-1], np.asfortranarray(blobs)),
        "truth empty": (pred[:7], nothing[:7]),
        "truth full": (pred[:, :7], ~nothing[:, :7]),
        "prediction empty": (pred * 0, blobs),
        "both empty": (pred * 0, nothing),
        "line": (pred[5:6], blobs[5:6]),
        "one pixel": (np.array([[200]], np.uint8), np.array([[True]])),
    }


EVERY_KIND = zoo()
ZOO = EVERY_KIND
if JIT_IS_OFF:
    ZOO = {kind: EVERY_KIND[kind] for kind in ("floats", "truth empty", "line")}


def photograph(shape: tuple[int, int]) -> np.ndarray:
    rows, columns = np.indices(shape)
    planes = [rows * 9 % 256, columns * 7 % 256, (rows + columns) * 5 % 256]
    return np.dstack(planes).astype(np.uint8)


def led_step_by_step(
    pred: np.ndarray, target: Target, conventions: Conventions
) -> dict[object, Scored]:
    """What stage 4 gives, by the first four stages, which many metrics share."""
    leaders = {_group(metric.protocol): metric.protocol for metric in PATHS.values()}
    found = {}
    for key, protocol in leaders.items():
        read = measure.reading(protocol, conventions)
        canonical = represent.prediction(pred, read, target.shape)
        found[key] = measure.scored(protocol, canonical, target, conventions)
    return found


@pytest.mark.parametrize(
    "choices",
    [
        {},
        {"policy": "strict"},
        {"policy": "strict", "both_empty": "undefined", "stretch": False, "beta2": 2.0,
         "weighted_beta2": 0.3, "alpha": 0.7, "e_denominator": "N"},
    ],
    ids=["published", "strict", "undefined"],
)  # fmt: skip
def test_the_general_path_gives_the_fused_number(choices) -> None:
    conventions = Conventions(**choices)
    plan = Plan(EVERYTHING, conventions)
    evaluator = fsm.Evaluator(EVERYTHING, **choices)
    samples = defaultdict(list)
    for kind, (pred, gt) in ZOO.items():
        image = photograph(gt.shape)
        measured = plan.measure(pred, gt, image=image)
        evaluator.add(measured, sample_id=kind)
        fused = dict(zip(plan.columns, measured.values.tolist(), strict=True))
        groups = led_step_by_step(pred, Target(gt, image=image), conventions)
        for key, found in groups.items():
            samples[key].append(found)
        for metric in PATHS.values():
            if metric.report.source == "column" and metric.report.half is None:
                value = report.of_sample(metric.protocol, groups[_group(metric.protocol)])
                told = f"{metric.name} of {kind}"
                np.testing.assert_allclose(value, fused[metric.column], **CLOSE, err_msg=told)
    result = evaluator.result()
    for name, metric in PATHS.items():
        found = samples[_group(metric.protocol)]
        levels = None
        if metric.report.half is not None:
            column = dict(zip(result.sample_ids, result.per_image["difficulty_level"], strict=True))
            levels = [column[kind] for kind in ZOO]
        told = report.of_samples(metric.protocol, found, conventions, levels)[""]
        if name in result:
            expected, n_used = result[name].value, result[name].n_used
        else:
            expected, n_used = result.curves[name], result.curve_counts[name]
        np.testing.assert_allclose(told.value, expected, **CLOSE, err_msg=name)
        # Of thresholds without any target, the evaluator counts the images.
        if metric.score.family != "targets":
            assert told.n_used == n_used, name
        if name in result and metric.score.family == "surface":
            assert told.n_infinite == result[name].n_infinite, name


def test_the_reference_backend_leads_the_same_way() -> None:
    conventions = Conventions()
    pred, gt = ZOO["floats"][0][:9, :12], ZOO["floats"][1][:9, :12]
    target = Target(gt, image=photograph(gt.shape))
    compiled = led_step_by_step(pred, target, conventions)
    with fsm.use_backend("reference"):
        reference = led_step_by_step(pred, Target(gt, image=photograph(gt.shape)), conventions)
    for key, found in compiled.items():
        np.testing.assert_allclose(
            found.values, reference[key].values, rtol=1e-9, atol=1e-11, err_msg=str(key)
        )


def test_what_was_scored_is_restored_to_the_bit() -> None:
    conventions = Conventions()
    for kind in ("floats", "truth empty"):
        pred, gt = ZOO[kind]
        target = Target(gt, image=photograph(gt.shape))
        for found in led_step_by_step(pred, target, conventions).values():
            restored = Scored.from_bytes(found.to_bytes())
            assert restored.to_bytes() == found.to_bytes()
            assert restored.values.tobytes() == found.values.tobytes()
            assert restored.reason == found.reason
            assert (restored.counts is None) == (found.counts is None)


def test_no_metric_is_beyond_the_option_sets() -> None:
    assert set(PATHS) == set(METRICS)


def test_float32_maps() -> None:
    """What is summed in single precision hangs on the order: the partitions do not."""
    conventions = Conventions(stretch=False)
    pred, gt = EVERY_KIND["blobs"]
    single = (pred / 255.0).astype(np.float32)
    plan = Plan("iou,e_measure,ms_iou,hce,si_iou,mae,s_measure,weighted_f,c_beta", conventions)
    target = Target(gt)
    fused = dict(zip(plan.columns, plan.measure(single, gt).values.tolist(), strict=True))
    canonical = represent.prediction(single, conventions, gt.shape)
    for metric in plan.metrics:
        if metric.report.source == "column":
            found = measure.scored(metric.protocol, canonical, target, conventions)
            value = report.of_sample(metric.protocol, found)
            np.testing.assert_allclose(value, fused[metric.column], rtol=1e-9, err_msg=metric.name)


def test_all_257_points_of_a_mean_multiscale_curve() -> None:
    pred, gt = EVERY_KIND["blobs"]
    for backend in ("compiled", "reference"):
        evaluator = fsm.Evaluator("ms_iou.curve", backend=backend)
        evaluator.update(pred, gt)
        curve = evaluator.result().curves["ms_iou.curve"]
        np.testing.assert_allclose(curve, fsm.ms_iou(pred, gt).curve, rtol=1e-15)
        assert curve[256] > 0
